// Executables of the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Library/C/Objects.h"

using namespace systole;
using namespace systole::c;

// Copies a description of an argument or result, and its type as far as each knows its size.
template <typename Info>
static absl::Status describe(const v0::TensorType &type, Info info, Info *to) {
  if (absl::Status status = checkStruct(to, "info"); !status.ok())
    return status;
  if (to->struct_size < offsetof(Info, type) + sizeof(to->type))
    return absl::InvalidArgumentError("`info` has no room for the type");
  if (absl::Status status = checkStruct(&to->type, "info->type"); !status.ok())
    return status;
  info.type = to->type;
  copyOut(cType(type), &info.type);
  copyOut(info, to);
  return absl::OkStatus();
}

static absl::Status outOfRange(size_t index, size_t count) {
  return absl::OutOfRangeError(absl::StrCat("`index` is ", index, " of ", count));
}

systole_error *systole_compile(const systole_device *device, const void *source, size_t source_size,
                               const systole_compile_options *options,
                               systole_executable **executable) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    SYSTOLE_REQUIRE(source);
    SYSTOLE_REQUIRE(executable);
    absl::StatusOr<systole_compile_options> copy = copyOptions(options, "options");
    if (!copy.ok())
      return copy.status();
    v0::CompileOptions compileOptions;
    if (copy->precision)
      compileOptions.precision = copy->precision;
    if (copy->file_name)
      compileOptions.fileName = copy->file_name;
    if (copy->cancellation)
      compileOptions.cancellation = copy->cancellation->cancellation;
    compileOptions.excessPrecision = copy->excess_precision != 0;
    absl::StatusOr<v0::Executable> compiled = v0::compile(
        device->device, {static_cast<const char *>(source), source_size}, compileOptions);
    if (!compiled.ok())
      return compiled.status();
    *executable = new systole_executable{*std::move(compiled)};
    return absl::OkStatus();
  });
}

systole_error *systole_executable_load(const systole_device *device, const void *bytes, size_t size,
                                       systole_executable **executable) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(device);
    SYSTOLE_REQUIRE(bytes);
    SYSTOLE_REQUIRE(executable);
    absl::StatusOr<v0::Executable> loaded =
        v0::Executable::load(device->device, {static_cast<const char *>(bytes), size});
    if (!loaded.ok())
      return loaded.status();
    *executable = new systole_executable{*std::move(loaded)};
    return absl::OkStatus();
  });
}

systole_error *systole_executable_serialize(const systole_executable *executable, void *bytes,
                                            size_t *size) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(executable);
    SYSTOLE_REQUIRE(size);
    absl::StatusOr<std::string> sysx = executable->executable.serialize();
    if (!sysx.ok())
      return sysx.status();
    if (bytes && *size < sysx->size())
      return absl::InvalidArgumentError(
          absl::StrCat("`*size` is ", *size, ", but the program has ", sysx->size(), " bytes"));
    if (bytes)
      std::memcpy(bytes, sysx->data(), sysx->size());
    *size = sysx->size();
    return absl::OkStatus();
  });
}

systole_error *systole_executable_get_info(const systole_executable *executable,
                                           systole_executable_info *info) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(executable);
    if (absl::Status status = checkStruct(info, "info"); !status.ok())
      return status;
    const v0::Executable &program = executable->executable;
    const v0::ProgramMemory memory = program.memory();
    copyOut({sizeof(*info), program.name().c_str(), program.precision().c_str(),
             program.signature().arguments.size(), program.signature().results.size(), memory.code,
             memory.arguments, memory.results, memory.aliased, memory.temporaries, memory.peak},
            info);
    return absl::OkStatus();
  });
}

systole_error *systole_executable_get_argument(const systole_executable *executable, size_t index,
                                               systole_argument_info *info) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(executable);
    const auto &arguments = executable->executable.signature().arguments;
    if (index >= arguments.size())
      return outOfRange(index, arguments.size());
    const v0::Argument &argument = arguments[index];
    return describe(argument.type,
                    {sizeof(*info), argument.name.c_str(), {}, argument.donated ? 1 : 0}, info);
  });
}

systole_error *systole_executable_get_result(const systole_executable *executable, size_t index,
                                             systole_result_info *info) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(executable);
    const auto &results = executable->executable.signature().results;
    if (index >= results.size())
      return outOfRange(index, results.size());
    const v0::Result &result = results[index];
    return describe(result.type, {sizeof(*info), result.name.c_str(), {}}, info);
  });
}

void systole_executable_destroy(systole_executable *executable) { delete executable; }
