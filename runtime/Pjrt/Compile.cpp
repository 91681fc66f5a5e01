// From a program and serialized options to an executable, and back.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Pjrt/ElementTypes.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Platform.h"
#include "runtime/Pjrt/compile_options.pb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

struct PJRT_SerializedExecutable {
  std::string bytes;
};

namespace systole::pjrt {
namespace {

// The version that this runtime writes; others are rejected.
constexpr uint32_t kSerializedVersion = 1;

// How many devices the program is divided among.
int64_t partitionsOf(const CompileOptions &options) {
  return std::max<int64_t>(options.executable_build_options().num_partitions(), 1);
}

absl::StatusOr<CompileOptions> parseOptions(const char *bytes, size_t size) {
  CompileOptions options;
  SYSTOLE_PJRT_REQUIRE_LIST(bytes, size);
  if (size > INT32_MAX || !options.ParseFromArray(bytes, int(size)))
    return absl::InvalidArgumentError("the compile options are damaged");
  const ExecutableBuildOptions &build = options.executable_build_options();
  if (build.num_replicas() > 1)
    return absl::UnimplementedError(
        absl::StrCat("programs of several replicas are not supported yet; this one has ",
                     build.num_replicas(), " replicas of ", partitionsOf(options), " partitions"));
  if (partitionsOf(options) > 1 && options.compile_portable_executable())
    return absl::InvalidArgumentError(
        absl::StrCat("a portable executable is for one device, and not of ", partitionsOf(options),
                     " partitions"));
  return options;
}

// Whether an option is one of XLA's, which programs set for all platforms and which says nothing
// about results: a debug option, or how much effort a compilation is worth.
bool isXlaOption(absl::string_view name) {
  constexpr absl::string_view kEfforts[] = {"exec_time_optimization_effort",
                                            "memory_fitting_effort", "optimization_level",
                                            "memory_fitting_level"};
  return absl::StartsWith(name, "xla_") || absl::c_linear_search(kEfforts, name);
}

// Whether an option is one of XLA's flags that programs set on every platform. A string is checked
// for these alone.
bool isXlaFlag(absl::string_view name) {
  constexpr absl::string_view kFlags[] = {
      "xla_allow_excess_precision", "xla_cpu_enable_fast_math",
      "xla_disable_all_hlo_passes", "xla_dump_hlo_as_dot",
      "xla_dump_hlo_as_html",       "xla_dump_hlo_as_proto",
      "xla_dump_hlo_as_text",       "xla_dump_hlo_snapshots",
      "xla_embed_ir_in_executable", "xla_llvm_disable_expensive_passes"};
  return absl::c_linear_search(kFlags, name);
}

absl::Status checkXlaOption(absl::string_view name, const OptionOverride &value) {
  constexpr absl::string_view kTruth[] = {"true", "True", "false", "False"};
  if (value.value_case() != OptionOverride::kStringField || !isXlaFlag(name) ||
      absl::c_linear_search(kTruth, value.string_field()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "While setting option ", name, ", '", value.string_field(), "' is not a valid bool value."));
}

// The program's own precision; "" for the client's. Unknown options are rejected in XLA's words.
absl::StatusOr<std::string> precisionOf(const CompileOptions &options) {
  std::string precision;
  for (const auto &[name, value] : options.env_option_overrides()) {
    if (isXlaOption(name)) {
      if (absl::Status status = checkXlaOption(name, value); !status.ok())
        return status;
      continue;
    }
    if (name != "systole_precision")
      return absl::InvalidArgumentError(
          absl::StrCat("No such compile option: '", name, "'; there is 'systole_precision'"));
    precision = value.string_field();
    if (absl::Status status = checkPrecision(precision, name); !status.ok())
      return status;
  }
  return precision;
}

// The devices that the options name, by partition, of so many; none for a portable executable,
// which runs on the device of each call.
absl::StatusOr<std::vector<int>> assignmentOf(const CompileOptions &options, int devices) {
  if (options.compile_portable_executable())
    return std::vector<int>();
  const ExecutableBuildOptions &build = options.executable_build_options();
  const DeviceAssignment &assignment = build.device_assignment();
  const int64_t partitions = partitionsOf(options);
  auto isForOne = [](const auto &each) { return each.replica_device_ids_size() == 1; };
  if (build.has_device_assignment() &&
      (assignment.computation_devices_size() != partitions ||
       !absl::c_all_of(assignment.computation_devices(), isForOne)))
    return absl::InvalidArgumentError(absl::StrCat(
        "the device assignment is not one of a device for each of ", partitions, " partitions"));
  const int64_t first = partitions == 1 ? std::max<int64_t>(build.device_ordinal(), 0) : 0;
  std::vector<int> ids;
  for (int64_t i = 0; i < partitions; ++i) {
    const int64_t id = build.has_device_assignment()
                           ? assignment.computation_devices(int(i)).replica_device_ids(0)
                           : first + i;
    if (id < 0 || id >= devices)
      return absl::InvalidArgumentError(absl::StrCat("there is no device ", id));
    if (absl::c_linear_search(ids, id))
      return absl::InvalidArgumentError(
          absl::StrCat("device ", id, " is assigned to two partitions"));
    ids.push_back(int(id));
  }
  return ids;
}

// The arguments that are gone after a run, as in XLA: those that are given up for a result of the
// same size. The others may serve as memory too, but the caller keeps what it has.
static std::vector<int64_t> donatedArguments(const program::ProgramHeader &header) {
  std::map<int64_t, int64_t> results; // by size
  for (const program::Tensor &result : header.results())
    ++results[hostBytes(result)];
  std::vector<int64_t> donated;
  for (int i = 0; i < header.arguments_size(); ++i)
    if (header.arguments(i).donated() && results[hostBytes(header.arguments(i))]-- > 0)
      donated.push_back(i);
  return donated;
}

std::shared_ptr<CompiledProgram> describe(std::shared_ptr<LoadedProgram> loaded, std::string source,
                                          const CompileOptions &options) {
  auto program = std::make_shared<CompiledProgram>();
  const program::ProgramHeader &header = loaded->program().header;
  program->name = header.module().empty() ? "main" : header.module();
  program->donated = donatedArguments(header);
  for (size_t i = 0; i < loaded->results().size(); ++i) {
    const auto &type = loaded->results()[i];
    const absl::string_view kind = memoryKind(loaded->resultMemory(i));
    program->elementTypes.push_back(elementType(type->dtype()));
    program->dims.insert(program->dims.end(), type->dims().begin(), type->dims().end());
    program->ranks.push_back(type->dims().size());
    program->memoryKinds.push_back(kind.data());
    program->memoryKindSizes.push_back(kind.size());
  }
  auto addLayouts = [&](auto types, std::vector<MemoryLayout *> &list) {
    for (const auto &type : types)
      list.push_back(program->layouts.emplace_back(std::make_unique<MemoryLayout>(*type)).get());
  };
  addLayouts(loaded->arguments(), program->argumentLayouts);
  addLayouts(loaded->results(), program->resultLayouts);
  llvm::SHA256 hash;
  hash.update(absl::StrCat(loaded->target().hash(), header.precision()));
  if (loaded->program().header.cores() > 1)
    hash.update(absl::StrCat(loaded->program().header.cores(), " cores of ", header.slice_cores(),
                             " at ", absl::StrJoin(header.core_places(), ",")));
  hash.update(source);
  program->fingerprint = llvm::toHex(hash.final(), /*LowerCase=*/true);
  program->loaded = std::move(loaded);
  program->source = std::move(source);
  program->options = options.SerializeAsString();
  return program;
}

absl::StatusOr<std::shared_ptr<CompiledProgram>> compileFor(Client &client,
                                                            const PJRT_Program *given,
                                                            const CompileOptions &options,
                                                            const std::vector<int> &devices) {
  const PJRT_Program program = nestedCopyOf(given);
  SYSTOLE_PJRT_REQUIRE_LIST(program.code, program.code_size);
  SYSTOLE_PJRT_REQUIRE_LIST(program.format, program.format_size);
  const absl::string_view format(program.format, program.format_size);
  const bool isHlo = format == "hlo" || format == "hlo_with_config";
  if (!isHlo && format != "mlir")
    return absl::UnimplementedError(
        absl::StrCat("programs in format '", format,
                     "' are not supported; 'mlir', 'hlo' and 'hlo_with_config' are"));
  if (isHlo && !isHloProto(llvm::StringRef(program.code, program.code_size)))
    return absl::InvalidArgumentError("the program is no HLO module, or it is damaged");
  absl::StatusOr<std::string> precision = precisionOf(options);
  if (!precision.ok())
    return precision.status();
  std::string source(program.code, program.code_size);
  absl::StatusOr<std::shared_ptr<LoadedProgram>> loaded =
      client.compile(source, ClientCompileOptions{.precision = *precision, .devices = devices});
  if (!loaded.ok())
    return loaded.status();
  return describe(*std::move(loaded), std::move(source), options);
}

PJRT_LoadedExecutable *onDevices(std::shared_ptr<CompiledProgram> program,
                                 const std::vector<int> &devices, PJRT_Client *client) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->program = std::move(program);
  loaded->client = client;
  for (int id : devices)
    loaded->devicePointers.push_back(client->find(id));
  return loaded.release();
}

} // namespace

absl::Status Client_Compile(PJRT_Client_Compile_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  SYSTOLE_PJRT_REQUIRE(args.program);
  const Client::Call call(*args.client->client);
  absl::StatusOr<CompileOptions> options =
      parseOptions(args.compile_options, args.compile_options_size);
  if (!options.ok())
    return options.status();
  absl::StatusOr<std::vector<int>> devices =
      assignmentOf(*options, int(args.client->devices.size()));
  if (!devices.ok())
    return devices.status();
  auto program = compileFor(*args.client->client, args.program, *options, *devices);
  if (!program.ok())
    return program.status();
  args.executable = onDevices(*std::move(program), *devices, args.client);
  return absl::OkStatus();
}

absl::Status Compile(PJRT_Compile_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.topology);
  SYSTOLE_PJRT_REQUIRE(args.program);
  absl::StatusOr<CompileOptions> options =
      parseOptions(args.compile_options, args.compile_options_size);
  if (!options.ok())
    return options.status();
  absl::StatusOr<std::vector<int>> devices = assignmentOf(*options, args.topology->target.cores());
  if (!devices.ok())
    return devices.status();
  absl::StatusOr<ClientOptions> clientOptions = pjrt::clientOptions(nullptr, 0);
  if (!clientOptions.ok())
    return clientOptions.status();
  clientOptions->precision = args.topology->precision;
  absl::StatusOr<std::unique_ptr<Client>> client =
      Client::create(args.topology->target, *clientOptions);
  if (!client.ok())
    return client.status();
  auto program = compileFor(**client, args.program, *options, *devices);
  if (!program.ok())
    return program.status();
  args.executable = new PJRT_Executable{*std::move(program)};
  return absl::OkStatus();
}

absl::Status Executable_Serialize(PJRT_Executable_Serialize_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  const CompiledProgram &program = *args.executable->program;
  absl::StatusOr<std::string> bytes = serializeProgram(program.loaded->program());
  if (!bytes.ok())
    return bytes.status();
  SerializedExecutable message;
  message.set_version(kSerializedVersion);
  message.set_program(*std::move(bytes));
  message.set_source(program.source);
  message.set_options(program.options);
  auto *serialized = new PJRT_SerializedExecutable{message.SerializeAsString()};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_executable = serialized;
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable *exec) { delete exec; };
  return absl::OkStatus();
}

absl::Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.client);
  SYSTOLE_PJRT_REQUIRE(args.serialized_executable);
  SerializedExecutable message;
  if (args.serialized_executable_size > INT32_MAX ||
      !message.ParseFromArray(args.serialized_executable, int(args.serialized_executable_size)) ||
      message.version() != kSerializedVersion)
    return absl::InvalidArgumentError("the bytes are no serialized executable of this version");
  absl::StatusOr<CompileOptions> options =
      args.overridden_serialized_compile_options_size > 0
          ? parseOptions(args.overridden_serialized_compile_options,
                         args.overridden_serialized_compile_options_size)
          : parseOptions(message.options().data(), message.options().size());
  if (!options.ok())
    return options.status();
  absl::StatusOr<std::vector<int>> devices =
      assignmentOf(*options, int(args.client->devices.size()));
  if (!devices.ok())
    return devices.status();
  absl::StatusOr<std::shared_ptr<LoadedProgram>> loaded =
      args.client->client->load(message.program());
  if (!loaded.ok())
    return loaded.status();
  if ((*loaded)->program().header.cores() != partitionsOf(*options))
    return absl::InvalidArgumentError(
        absl::StrCat("the program is for ", (*loaded)->program().header.cores(),
                     " devices, and the options for ", partitionsOf(*options)));
  args.loaded_executable =
      onDevices(describe(*std::move(loaded), message.source(), *options), *devices, args.client);
  return absl::OkStatus();
}

} // namespace systole::pjrt
