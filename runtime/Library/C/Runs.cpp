// Runs and reports of the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Library/C/Objects.h"

using namespace systole;
using namespace systole::c;

// Starts a run, and waits for it if `waits`.
static absl::Status run(const systole_executable *executable,
                        const systole_buffer *const *arguments, size_t num_arguments,
                        const systole_run_options *given, bool waits,
                        systole_execution **execution) {
  SYSTOLE_REQUIRE(execution);
  SYSTOLE_REQUIRE(executable);
  if (num_arguments > 0)
    SYSTOLE_REQUIRE(arguments);
  absl::StatusOr<systole_run_options> options = copyOptions(given, "options");
  if (!options.ok())
    return options.status();
  if (options->num_devices > 1)
    return absl::UnimplementedError(
        absl::StrCat("runs on ", options->num_devices, " devices are not supported yet"));
  if (options->num_devices == 1) {
    SYSTOLE_REQUIRE(options->devices);
    SYSTOLE_REQUIRE(options->devices[0]);
    if (options->devices[0]->device != executable->executable.device())
      return absl::InvalidArgumentError("the executable is loaded on another device");
  }
  std::vector<v0::Buffer> buffers;
  for (size_t i = 0; i < num_arguments; ++i) {
    if (!arguments[i])
      return absl::InvalidArgumentError(absl::StrCat("`arguments[", i, "]` is null"));
    buffers.push_back(arguments[i]->buffer);
  }
  v0::RunOptions runOptions;
  if (options->cancellation)
    runOptions.cancellation = options->cancellation->cancellation;
  runOptions.keepDonated = options->keep_donated != 0;
  // Allocated first: a run that started gives its donated arguments up.
  auto handle = std::make_unique<systole_execution>();
  const v0::Executable &program = executable->executable;
  absl::StatusOr<v0::Execution> started =
      waits ? program.run(buffers, runOptions) : program.runAsync(buffers, runOptions);
  if (!started.ok())
    return started.status();
  handle->execution = *std::move(started);
  *execution = handle.release();
  return absl::OkStatus();
}

systole_error *systole_run_async(const systole_executable *executable,
                                 const systole_buffer *const *arguments, size_t num_arguments,
                                 const systole_run_options *options,
                                 systole_execution **execution) {
  return guard([&] {
    return run(executable, arguments, num_arguments, options, /*waits=*/false, execution);
  });
}

systole_error *systole_run(const systole_executable *executable,
                           const systole_buffer *const *arguments, size_t num_arguments,
                           const systole_run_options *options, systole_execution **execution) {
  return guard([&] {
    return run(executable, arguments, num_arguments, options, /*waits=*/true, execution);
  });
}

systole_error *systole_execution_get_done(const systole_execution *execution,
                                          systole_event **done) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(execution);
    SYSTOLE_REQUIRE(done);
    *done = new systole_event{execution->execution.done()};
    return absl::OkStatus();
  });
}

systole_error *systole_execution_get_result(const systole_execution *execution, size_t index,
                                            systole_buffer **result) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(execution);
    SYSTOLE_REQUIRE(result);
    const std::vector<v0::Buffer> &results = execution->execution.results();
    if (index >= results.size())
      return absl::OutOfRangeError(absl::StrCat("`index` is ", index, " of ", results.size()));
    *result = new systole_buffer{results[index]};
    return absl::OkStatus();
  });
}

// Hands out a report that there is.
static absl::Status give(absl::StatusOr<v0::Report> made, systole_report **report) {
  if (!made.ok())
    return made.status();
  *report = new systole_report{*std::move(made)};
  return absl::OkStatus();
}

systole_error *systole_execution_get_report(const systole_execution *execution,
                                            systole_report **report) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(execution);
    SYSTOLE_REQUIRE(report);
    return give(execution->execution.report(), report);
  });
}

void systole_execution_destroy(systole_execution *execution) { delete execution; }

systole_error *systole_executable_predict(const systole_executable *executable,
                                          systole_report **report) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(executable);
    SYSTOLE_REQUIRE(report);
    return give(executable->executable.predict(), report);
  });
}

systole_error *systole_report_get_info(const systole_report *report, systole_report_info *info) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(report);
    if (absl::Status status = checkStruct(info, "info"); !status.ok())
      return status;
    const v0::Report &from = report->report;
    systole_report_info to{};
    to.program = from.program.c_str();
    to.target = from.target.c_str();
    to.target_hash = from.targetHash.c_str();
    to.precision = from.precision.c_str();
    to.timing_only = from.timingOnly ? 1 : 0;
    to.cores = from.cores;
    to.chips = from.chips;
    to.cycles = from.cycles;
    to.device_seconds = from.deviceSeconds;
    to.flops = from.flops;
    to.peak_flops_per_second = from.peakFlopsPerSecond;
    to.hbm_bytes_per_second = from.hbmBytesPerSecond;
    to.mxu_busy_cycles = from.mxuBusyCycles;
    to.mxu_pushes = from.mxuPushes;
    to.mxu_latch_cycles = from.mxuLatchCycles;
    to.mxu_latches = from.mxuLatches;
    to.mxu_utilization = from.mxuUtilization;
    to.hbm_read_bytes = from.hbmReadBytes;
    to.hbm_write_bytes = from.hbmWriteBytes;
    to.host_sent_bytes = from.hostSentBytes;
    to.host_received_bytes = from.hostReceivedBytes;
    to.host_cycles = from.hostCycles;
    to.hbm_peak_bytes = from.hbmPeakBytes;
    to.hbm_padding_bytes = from.hbmPaddingBytes;
    to.vmem_peak_bytes = from.vmemPeakBytes;
    to.bundles = from.bundles;
    to.program_bundles = from.programBundles;
    to.bound_by = from.boundBy.c_str();
    to.compile_seconds = from.compileSeconds;
    to.emulate_seconds = from.emulateSeconds;
    to.usd = from.usd;
    to.usd_preemptible = from.usdPreemptible;
    to.num_kernels = from.kernels.size();
    to.json = from.json.c_str();
    to.text = from.text.c_str();
    copyOut(to, info);
    return absl::OkStatus();
  });
}

systole_error *systole_report_get_kernel(const systole_report *report, size_t index,
                                         systole_kernel_info *info) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(report);
    if (absl::Status status = checkStruct(info, "info"); !status.ok())
      return status;
    const std::vector<v0::KernelReport> &kernels = report->report.kernels;
    if (index >= kernels.size())
      return absl::OutOfRangeError(absl::StrCat("`index` is ", index, " of ", kernels.size()));
    const v0::KernelReport &from = kernels[index];
    copyOut({sizeof(*info), from.name.c_str(), from.kind.c_str(), from.source.c_str(),
             from.userSource.c_str(), from.nameStack.c_str(), from.calls, from.cycles,
             from.stallCycles, from.delayCycles, from.flops, from.bytes, from.boundBy.c_str(),
             from.latency.c_str(), from.estimatedCycles},
            info);
    return absl::OkStatus();
  });
}

void systole_report_destroy(systole_report *report) { delete report; }
