// Properties of executables.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Pipeline/Compiler.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Shardings.h"
#include "runtime/Pjrt/compile_options.pb.h"
#include "runtime/Report/Report.h"

struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace systole::pjrt {

absl::Status Executable_Destroy(PJRT_Executable_Destroy_Args &args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Executable_Name(PJRT_Executable_Name_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.executable_name = args.executable->program->name.data();
  args.executable_name_size = args.executable->program->name.size();
  return absl::OkStatus();
}

absl::Status Executable_NumReplicas(PJRT_Executable_NumReplicas_Args &args) {
  args.num_replicas = 1;
  return absl::OkStatus();
}

absl::Status Executable_NumPartitions(PJRT_Executable_NumPartitions_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.num_partitions = size_t(args.executable->program->loaded->program().header.cores());
  return absl::OkStatus();
}

absl::Status Executable_NumOutputs(PJRT_Executable_NumOutputs_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.num_outputs = args.executable->program->ranks.size();
  return absl::OkStatus();
}

absl::Status
Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.size_in_bytes = args.executable->program->loaded->memory().code;
  return absl::OkStatus();
}

absl::Status Executable_Fingerprint(PJRT_Executable_Fingerprint_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.executable_fingerprint = args.executable->program->fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->fingerprint.size();
  return absl::OkStatus();
}

// Of one device, from a run for timing only, with its assumptions where control depends on data. A
// run that takes too long has no figures: each call of a kernel counts once.
static NamedValues costsOf(LoadedProgram &program) {
  NamedValues costs;
  absl::StatusOr<RunStats> stats = program.predict();
  if (!stats.ok()) {
    int64_t flops = 0, bytes = 0;
    for (const program::Kernel &kernel : program.program().header.kernels()) {
      if (kernel.part_of() > 0)
        continue;
      flops += kernel.flops();
      bytes += kernel.bytes();
    }
    costs.add("flops", float(flops));
    costs.add("bytes accessed", float(bytes));
    return costs;
  }
  const Report report = makeReport(program.program(), *stats, program.target());
  const auto cores = float(report.cores);
  costs.add("flops", float(report.flops) / cores);
  costs.add("bytes accessed", float(report.hbmReadBytes + report.hbmWriteBytes) / cores);
  costs.add("optimal_seconds", float(report.deviceSeconds));
  costs.add("cycles", float(report.cycles));
  costs.add("mxu_utilization", float(report.mxuUtilization()));
  costs.add("usd", float(report.usd));
  costs.add("assumptions", float(report.assumptions.size()));
  return costs;
}

absl::Status Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  CompiledProgram &program = *args.executable->program;
  std::lock_guard lock(program.mutex);
  if (!program.costs)
    program.costs.emplace(costsOf(*program.loaded));
  args.properties = program.costs->data();
  args.num_properties = program.costs->size();
  return absl::OkStatus();
}

absl::Status Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  clearBehind(args, args.executable);
  const ProgramMemory memory = args.executable->program->loaded->memory();
  args.generated_code_size_in_bytes = memory.code;
  args.argument_size_in_bytes = memory.device.arguments;
  args.output_size_in_bytes = memory.device.results;
  args.alias_size_in_bytes = memory.device.aliased;
  args.temp_size_in_bytes = memory.device.temporaries;
  args.peak_memory_in_bytes = memory.device.peak;
  args.host_argument_size_in_bytes = memory.host.arguments;
  args.host_output_size_in_bytes = memory.host.results;
  args.host_alias_size_in_bytes = memory.host.aliased;
  args.host_temp_size_in_bytes = memory.host.temporaries;
  return absl::OkStatus();
}

absl::Status Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.output_types = args.executable->program->elementTypes.data();
  args.num_output_types = args.executable->program->elementTypes.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.num_outputs = args.executable->program->ranks.size();
  args.dims = args.executable->program->dims.data();
  args.dim_sizes = args.executable->program->ranks.data();
  return absl::OkStatus();
}

absl::Status Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.num_outputs = args.executable->program->ranks.size();
  args.memory_kinds = args.executable->program->memoryKinds.data();
  args.memory_kind_sizes = args.executable->program->memoryKindSizes.data();
  return absl::OkStatus();
}

// Clients that know no function for the layouts of arguments find these in the program.
static std::vector<std::vector<int64_t>>
ordersOf(std::span<const std::shared_ptr<const ArrayType>> types) {
  std::vector<std::vector<int64_t>> orders;
  for (const auto &type : types)
    orders.emplace_back(type->minorToMajor().begin(), type->minorToMajor().end());
  return orders;
}

absl::Status Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  SYSTOLE_PJRT_REQUIRE(args.program);
  CompiledProgram &program = *args.executable->program;
  std::lock_guard lock(program.mutex);
  const program::ProgramHeader &header = program.loaded->program().header;
  const bool isHlo = header.cores() == 1 && isHloProto(program.source);
  if (!program.text) {
    if (isHlo) {
      program.text = hloWithConfig(program.source);
    } else {
      EntryAttributes attributes = {ordersOf(program.loaded->arguments()),
                                    ordersOf(program.loaded->results())};
      if (header.cores() > 1) {
        attributes.parameterShardings = shardingsOf(header.arguments(), header.cores());
        attributes.outputSharding = outputSharding(header);
      }
      absl::StatusOr<std::string> text =
          toStableHLO(program.source, program.name, &attributes, &program.loaded->target());
      if (!text.ok())
        return text.status();
      program.text = *std::move(text);
    }
  }
  // In the client's own program format, if it is for one device.
  const std::string_view format = isHlo ? "hlo_with_config" : "mlir";
  // The caller first queries the size, then passes a buffer of its own. These fields are as old as
  // the structure.
  PJRT_Program &to = *args.program;
  if (to.code) {
    if (to.code_size < program.text->size())
      return absl::InvalidArgumentError("the buffer is too small for the program");
    std::memcpy(to.code, program.text->data(), program.text->size());
  }
  to.code_size = program.text->size();
  to.format = format.data();
  to.format_size = format.size();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args &args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.loaded_executable);
  args.executable = new PJRT_Executable{args.loaded_executable->program};
  return absl::OkStatus();
}

absl::Status
LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.addressable_devices = args.executable->devicePointers.data();
  args.num_addressable_devices = args.executable->devicePointers.size();
  return absl::OkStatus();
}

absl::Status
LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  const std::vector<PJRT_Device *> &devices = args.executable->devicePointers;
  DeviceAssignment assignment;
  assignment.set_replica_count(1);
  assignment.set_computation_count(std::max(1, int(devices.size())));
  for (const PJRT_Device *device : devices)
    assignment.add_computation_devices()->add_replica_device_ids(device->device->id);
  if (devices.empty())
    assignment.add_computation_devices()->add_replica_device_ids(0);
  auto *serialized = new PJRT_DeviceAssignmentSerialized{assignment.SerializeAsString()};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_device_assignment = serialized;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized *bytes) {
    delete bytes;
  };
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.executable->deleted = true;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.is_deleted = args.executable->deleted;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  args.executable_fingerprint = args.executable->program->fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->fingerprint.size();
  return absl::OkStatus();
}

} // namespace systole::pjrt
