// `systole run`: executes a program on the emulated machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PrintArray.h"
#include "runtime/Emulator/Threads/HostThreads.h"
#include "runtime/Report/Memory.h"
#include "runtime/Report/ProgressLine.h"
#include "runtime/Report/Report.h"
#include "runtime/Report/Trace.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Interrupt.h"
#include "tools/systole/Transfers.h"
#include "tools/systole/Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

constexpr unsigned kMostThreads = 1024;

struct Options {
  BuildOptions build;
  std::vector<std::string> arguments;
  std::string output;
  std::string report; // "text", "json", or "" if not given
  std::string reportFile;
  std::string groupBy = "kernel";
  int depth = 0;
  std::string trace;
  bool timingOnly = false;
  bool shards = false;
  unsigned threads = 0; // 0: those of the host
  TransferOptions transfers;
  std::string outfeed;
  int64_t assumedTrips = -1;
  unsigned examples = 0;
  int64_t maxCycles = 0;
  uint64_t memoryCap = 0;
  std::string snapshot, resume;
  int64_t snapshotCycle = -1;
};

// A run that ends in a snapshot has neither results nor a report, and one that begins with a
// snapshot no arguments.
absl::Status checkSnapshotOptions(const Options &options) {
  if (options.snapshot.empty() != (options.snapshotCycle < 0))
    return absl::InvalidArgumentError("--snapshot and --snapshot-cycle are given together");
  if (options.timingOnly && !(options.snapshot.empty() && options.resume.empty()))
    return absl::InvalidArgumentError("--timing-only has no state that a snapshot could hold");
  if (!options.snapshot.empty() && !options.resume.empty())
    return absl::InvalidArgumentError("--snapshot is for a run from the beginning, not --resume");
  const bool hasOutput = !options.output.empty() || !options.report.empty() ||
                         !options.reportFile.empty() || !options.trace.empty();
  if (!options.snapshot.empty() && hasOutput)
    return absl::InvalidArgumentError(
        "--snapshot stops the run: --out, reports and traces are for the one that resumes it");
  if (!options.resume.empty() && !options.arguments.empty())
    return absl::InvalidArgumentError("--resume has the arguments of its run; --args has no use");
  return absl::OkStatus();
}

absl::Status checkOptions(const Options &options) {
  if (!options.report.empty() && options.report != "text" && options.report != "json")
    return absl::InvalidArgumentError(
        absl::StrCat("--report is '", options.report, "'; it can be text or json"));
  if (options.groupBy != "kernel" && options.groupBy != "module")
    return absl::InvalidArgumentError(
        absl::StrCat("--group-by is '", options.groupBy, "'; it can be kernel or module"));
  if (!options.timingOnly && options.assumedTrips >= 0)
    return absl::InvalidArgumentError("--assume-trips is for --timing-only");
  if (options.timingOnly && !options.output.empty())
    return absl::InvalidArgumentError("--timing-only computes nothing that --out could hold");
  if (options.timingOnly && options.shards)
    return absl::InvalidArgumentError("--timing-only computes no results that have --shards");
  if (options.timingOnly && !(options.transfers.infeed.empty() &&
                              options.transfers.answers.empty() && options.outfeed.empty()))
    return absl::InvalidArgumentError(
        "--timing-only moves no arrays of --infeed, --outfeed and --answers");
  if (absl::Status status = checkSnapshotOptions(options); !status.ok())
    return status;
  for (const std::string *output : {&options.output, &options.outfeed})
    if (llvm::StringRef(*output).ends_with(".npy"))
      return absl::InvalidArgumentError(
          absl::StrCat(*output, ": arrays are written as an .npz; give it that extension"));
  // Checked before the run: if one output cannot be written, none is.
  const std::string *outputs[] = {&options.output, &options.outfeed, &options.reportFile,
                                  &options.trace, &options.snapshot};
  for (const std::string *output : outputs) {
    if (output->empty())
      continue;
    if (llvm::count_if(outputs, [&](auto *other) { return *other == *output; }) > 1)
      return absl::InvalidArgumentError(
          absl::StrCat(*output, ": is to hold several outputs; give each a file of its own"));
    std::error_code none;
    auto isRead = [&](const std::string &input) {
      return std::filesystem::equivalent(input, *output, none);
    };
    if (isRead(options.build.input) || isRead(options.build.target) || isRead(options.resume) ||
        llvm::any_of(options.arguments, isRead) || llvm::any_of(options.transfers.infeed, isRead) ||
        isRead(options.transfers.answers))
      return absl::InvalidArgumentError(
          absl::StrCat(*output, ": is an input; give the output a file of its own"));
    if (absl::Status status = checkWritable(*output); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<Executable> load(const Options &options, const Built &built) {
  EmulatorOptions emulatorOptions;
  emulatorOptions.timingOnly = options.timingOnly;
  emulatorOptions.assumedTrips = options.assumedTrips;
  emulatorOptions.maxCycles = options.maxCycles;
  emulatorOptions.memoryCapBytes = options.memoryCap;
  emulatorOptions.threads = options.threads > 0 ? int(options.threads) : hostThreads();
  emulatorOptions.trace = !options.trace.empty();
  emulatorOptions.log = logToStderr(built.program.header.cores());
  emulatorOptions.cancel = &CancelOnInterrupt::flag();
  return Device(built.target, emulatorOptions)
      .load(built.program, options.shards ? ResultForm::Shards : ResultForm::Whole);
}

// The results; none if the run ends in a snapshot, which has been written.
absl::StatusOr<std::optional<RunResult>> execute(const Options &options, const Built &built,
                                                 std::span<const HostArray> arguments,
                                                 const std::optional<Snapshot> &resumed,
                                                 const Transfers &transfers) {
  CancelOnInterrupt interrupt;
  std::atomic<int64_t> cycles = 0;
  absl::StatusOr<Executable> executable = load(options, built);
  if (!executable.ok())
    return executable.status();
  ProgressLine line;
  ProgressLine::Task task(line, [&] {
    return "running: " +
           cyclesSoFar(cycles.load(std::memory_order_relaxed), built.target.clockHz());
  });
  if (!options.snapshot.empty()) {
    auto snapshot = executable->runUntil(options.snapshotCycle, arguments, nullptr, &cycles);
    if (!snapshot.ok())
      return snapshot.status();
    if (absl::Status status = snapshot->write(options.snapshot); !status.ok())
      return status;
    return std::nullopt;
  }
  if (resumed)
    return executable->resume(*resumed, nullptr, &cycles);
  const program::ProgramHeader &header = built.program.header;
  const std::vector<HostChannels> channels = transfers.channels(header);
  ChannelPorts ports(executable->program(), channels);
  absl::StatusOr<RunResult> run = executable->run(arguments, HostPorts(ports.byCore()), &cycles);
  // An error of the host's own is returned unchanged.
  absl::Status status = ports.status();
  return status.ok() ? std::move(run) : status;
}

std::string renderReport(const Options &options, const Built &built, const Report &report) {
  bool json = options.report.empty() ? llvm::StringRef(options.reportFile).ends_with(".json")
                                     : options.report == "json";
  const MemoryReport memory = memoryReport(built.program.header);
  if (json) {
    llvm::json::Object object = toJson(report);
    object["memory"] = toJson(memory);
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object))).str();
  }
  const GroupBy groupBy = options.groupBy == "module" ? GroupBy::Module : GroupBy::Kernel;
  return toText(report, {groupBy, options.depth}) + toText(memory);
}

void printArray(const std::string &entry, const HostArray &array, const std::string &name = "") {
  llvm::outs() << entry << ' ' << typeString(array)
               << (name.empty() || name == entry ? "" : " " + name) << '\n'
               << formatArray(array) << '\n';
}

void printResults(const program::ProgramHeader &header, const RunResult &run) {
  for (int index = 0; index < header.results_size(); ++index) {
    const std::string entry = absl::StrCat("out", index), &name = header.results(index).name();
    if (size_t(index) < run.results.size())
      printArray(entry, run.results[size_t(index)], name);
    if (size_t(index) < run.shards.size())
      for (const auto &[core, shard] : llvm::enumerate(run.shards[size_t(index)]))
        printArray(shardName(entry, int(core)), shard, name);
  }
}

void printOutfeed(const std::vector<HostArray> &arrays) {
  for (size_t index = 0; index < arrays.size(); ++index)
    printArray(absl::StrCat("outfeed", index), arrays[index]);
}

// Files first: standard output cannot be undone.
absl::Status deliver(const Options &options, const Built &built, const RunResult &run,
                     const std::vector<HostArray> &outfeed) {
  Report report = makeReport(built.program, run.stats, built.target);
  report.timingOnly = options.timingOnly;
  report.compileSeconds = built.compileSeconds;
  report.emulateSeconds = run.emulateSeconds;
  report.examples = options.examples;

  if (!options.output.empty())
    if (absl::Status status = options.shards ? writeShards(options.output, run.shards)
                                             : writeResults(options.output, run.results);
        !status.ok())
      return status;
  if (!options.outfeed.empty())
    if (absl::Status status = writeResults(options.outfeed, outfeed); !status.ok())
      return status;
  if (!options.reportFile.empty())
    if (absl::Status status =
            writeWholeFile(options.reportFile, renderReport(options, built, report));
        !status.ok())
      return status;
  if (!options.trace.empty())
    if (absl::Status status =
            writeWholeFile(options.trace, toTrace(built.program, run.stats, built.target));
        !status.ok())
      return status;

  // Standard output is either JSON alone or text.
  const bool reportToStdout =
      options.reportFile.empty() && (!options.report.empty() || options.timingOnly);
  const bool jsonToStdout = reportToStdout && options.report == "json";
  const bool printsResults = options.output.empty() && !jsonToStdout,
             printsOutfeed = options.outfeed.empty() && !jsonToStdout;
  if (printsResults)
    printResults(built.program.header, run);
  if (printsOutfeed)
    printOutfeed(outfeed);
  if (reportToStdout) {
    if ((printsResults && !(run.results.empty() && run.shards.empty())) ||
        (printsOutfeed && !outfeed.empty()))
      llvm::outs() << '\n';
    llvm::outs() << renderReport(options, built, report);
  }
  return absl::OkStatus();
}

absl::Status runProgram(const Options &options) {
  if (absl::Status status = checkOptions(options); !status.ok())
    return status;
  absl::StatusOr<Built> built = build(withShapesOf(options.build, options.arguments));
  if (!built.ok())
    return built.status();
  auto inInput = [&](const absl::Status &status) {
    return absl::Status(status.code(), absl::StrCat(options.build.input, ": ", status.message()));
  };
  if (!(options.snapshot.empty() && options.resume.empty()) &&
      !built->program.header.transfers().empty())
    return inInput(absl::UnimplementedError(
        "a snapshot of a program that exchanges data with the host needs a record of these data, "
        "which this command does not make"));
  std::optional<Snapshot> resumed;
  if (!options.resume.empty()) {
    absl::StatusOr<Snapshot> read = Snapshot::read(options.resume);
    if (!read.ok())
      return read.status();
    resumed = *std::move(read);
  }
  // Nothing moves if only cycles are counted.
  absl::StatusOr<Transfers> transfers =
      options.timingOnly ? Transfers()
                         : Transfers::create(built->program.header, options.transfers);
  if (!transfers.ok())
    return inInput(transfers.status());
  std::vector<HostArray> arguments;
  if ((!options.timingOnly && options.resume.empty()) || !options.arguments.empty()) {
    absl::StatusOr<std::vector<HostArray>> read =
        readArguments(built->program.header, options.arguments);
    if (!read.ok())
      return read.status();
    arguments = *std::move(read);
  }
  absl::StatusOr<std::optional<RunResult>> run =
      execute(options, *built, arguments, resumed, *transfers);
  if (!run.ok())
    return inInput(run.status());
  return *run ? deliver(options, *built, **run, transfers->outfeed()) : absl::OkStatus();
}

int run(const Options &options) {
  absl::Status status = runProgram(options);
  finish(status);
  if (status.code() == absl::StatusCode::kCancelled)
    return 130; // the exit code of shells for an interrupt
  return status.ok() ? 0 : 1;
}

} // namespace

void addRun(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand("run", "Run a program on the emulated machine");
  auto options = std::make_shared<Options>();
  addBuildOptions(*command, options->build);
  auto add = [&](const char *name, auto &value, const char *help) {
    return command->add_option(name, value, help)->check(notEmpty());
  };
  addArgumentOption(*command, options->arguments);
  add("--out", options->output,
      "Write the results to this .npz as out0, out1, ... instead of printing them");
  command->add_flag("--shards", options->shards,
                    "Write or print the parts of the results that cores have, as out0@0, out0@1, "
                    "..., instead of the whole arrays");
  command
      ->add_option("--threads", options->threads,
                   "Threads of this host that emulate one core, or a slice, then at most one for "
                   "each chip (0: as many as the host has)")
      ->check(wholeNumber(kMostThreads));
  add("--report", options->report, "Report the costs of the run: text or json");
  add("--report-file", options->reportFile,
      "Write the report to this file; JSON by default if it ends in .json");
  add("--group-by", options->groupBy, "Rows of the report's table: kernel or module");
  command
      ->add_option("--examples", options->examples,
                   "Examples of a run, such as images of a batch: the report has their number a "
                   "second and their price")
      ->check(wholeNumber(UINT32_MAX));
  command
      ->add_option("--group-depth", options->depth,
                   "Parts of a module's path that tell rows apart (0: all)")
      ->check(wholeNumber(1000));
  command->add_flag(
      "--timing-only", options->timingOnly,
      "Count cycles; compute only what control depends on, as far as --args decide it");
  add("--outfeed", options->outfeed,
      "Write what the program puts into the outfeed to this .npz as out0, out1, ... instead of "
      "printing it");
  addTransferOptions(*command, options->transfers);
  command
      ->add_option("--assume-trips", options->assumedTrips,
                   "With --timing-only: the iterations of loops whose number depends on more")
      ->check(wholeNumber(INT32_MAX));
  add("--trace", options->trace, "Write kernels, copies and waits as a trace for Perfetto");
  add("--max-cycles", options->maxCycles, "Stop with an error after so many cycles (0: no limit)")
      ->check(wholeNumber(INT64_MAX));
  add("--memory-cap", options->memoryCap,
      "Most HBM to hold on this host, as in 512MB or 4GB (0: no cap)")
      ->transform(byteCount());
  add("--snapshot", options->snapshot,
      "Stop at --snapshot-cycle and write the state of the machine to this file");
  command
      ->add_option("--snapshot-cycle", options->snapshotCycle,
                   "The cycle from which no more bundles issue")
      ->check(wholeNumber(INT64_MAX));
  add("--resume", options->resume, "Continue from the state that --snapshot wrote to this file");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace systole
