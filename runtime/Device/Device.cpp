// Execution of programs on an emulated machine with arrays of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Device.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/Verify.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Planes.h"
#include "runtime/Device/Shards.h"

namespace systole {
namespace {

using program::Tensor;

absl::Status writeArgument(Emulator &emulator, const Tensor &tensor, const HostArray &array,
                           int core) {
  const int64_t bytes = deviceRows(tensor) * isa::kRowBytes;
  if (bytes == 0)
    return absl::OkStatus();
  std::vector<uint8_t> packed; // all planes, if there are several
  return forEachPlane(
      tensor,
      [&](int32_t region) {
        return tensor.memory() == program::DEVICE ? emulator.writeHbm(region, core)
                                                  : emulator.pinned(region, core);
      },
      [&](uint8_t *memory, int plane, const Planes &planes) {
        if (planes.count == 1)
          return toDevice(tensor, array.bytes.data(), memory);
        if (plane == 0) {
          packed.resize(size_t(bytes));
          toDevice(tensor, array.bytes.data(), packed.data());
        }
        const int64_t planeBytes = planes.rows * isa::kRowBytes;
        std::memcpy(memory, packed.data() + plane * planeBytes, size_t(planeBytes));
      });
}

HostArray sizeArray(int64_t size) {
  HostArray array{"i32", {}, std::vector<uint8_t>(4)};
  const auto value = int32_t(size);
  std::memcpy(array.bytes.data(), &value, sizeof(value));
  return array;
}

// The array, padded to the tensor, and its sizes.
absl::Status writePadded(Emulator &emulator, const Tensor &tensor, const HostArray &array, int core,
                         const Emulator::IsAskedFor &isAskedFor) {
  if (std::ranges::all_of(planesOf(tensor).all(), isAskedFor)) {
    const bool isWhole = std::ranges::equal(array.dims, tensor.dims());
    if (absl::Status status = writeArgument(
            emulator, tensor,
            isWhole ? array : resized(array, {tensor.dims().begin(), tensor.dims().end()}), core);
        !status.ok())
      return status;
  }
  for (const program::DynamicDim &dim : tensor.dynamic_dims())
    if (isAskedFor(dim.region()))
      if (absl::Status status = writeArgument(emulator, sizeTensor(dim),
                                              sizeArray(array.dims[size_t(dim.dim())]), core);
          !status.ok())
        return status;
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const uint8_t>> bytesOf(const Emulator &emulator, const Tensor &tensor,
                                                  int32_t region, int core) {
  if (tensor.memory() == program::DEVICE)
    return emulator.readHbm(region, core);
  return emulator.pinned(region, core);
}

absl::StatusOr<HostArray> readArray(const Emulator &emulator, const Tensor &tensor, int core) {
  HostArray array{tensor.dtype(), {tensor.dims().begin(), tensor.dims().end()}, {}};
  array.bytes.resize(hostBytes(tensor));
  if (array.bytes.empty())
    return array;
  std::vector<uint8_t> packed; // all planes, if there are several
  absl::Status status = forEachPlane(
      tensor, [&](int32_t region) { return bytesOf(emulator, tensor, region, core); },
      [&](const uint8_t *memory, int plane, const Planes &planes) {
        if (planes.count == 1)
          return fromDevice(tensor, memory, array.bytes.data());
        packed.insert(packed.end(), memory, memory + planes.rows * isa::kRowBytes);
        if (plane + 1 == planes.count)
          fromDevice(tensor, packed.data(), array.bytes.data());
      });
  if (!status.ok())
    return status;
  return array;
}

} // namespace

absl::StatusOr<HostArray> readTensor(const Emulator &emulator, const Tensor &tensor, int core) {
  absl::StatusOr<HostArray> array = readArray(emulator, tensor, core);
  if (!array.ok() || tensor.dynamic_dims().empty())
    return array;
  std::vector<int64_t> dims = array->dims;
  for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
    absl::StatusOr<HostArray> size = readArray(emulator, sizeTensor(dim), core);
    if (!size.ok())
      return size.status();
    int32_t value;
    std::memcpy(&value, size->bytes.data(), sizeof(value));
    int64_t &own = dims[size_t(dim.dim())];
    if (value < 0 || value > own)
      return absl::InternalError(absl::StrCat("a result has size ", value, " of dimension ",
                                              dim.dim(), ", whose bound is ", own));
    own = value;
  }
  return resized(*array, std::move(dims));
}

absl::StatusOr<Executable> Device::load(Program program, ResultForm form) const {
  const int cores = program.header.cores(), slice = std::max(cores, program.header.slice_cores());
  if (slice > machine.cores())
    return absl::InvalidArgumentError(absl::StrCat(
        "the program is for ", cores, cores == 1 ? " core" : " cores",
        slice == cores ? "" : absl::StrCat(" of a slice of ", slice), ", but ", machine.name(),
        " has ", machine.cores(), machine.cores() == 1 ? " core" : " cores"));
  if (absl::Status status = verifyProgram(program, machine.limits()); !status.ok())
    return status;
  absl::StatusOr<std::unique_ptr<Emulator>> emulator =
      Emulator::create(std::make_shared<const Program>(std::move(program)), machine, options);
  if (!emulator.ok())
    return emulator.status();
  return Executable(*std::move(emulator), form, options.timingOnly);
}

absl::Status Executable::writeArguments(std::span<const HostArray> arguments,
                                        const Emulator::IsAskedFor &isAskedFor) {
  const program::ProgramHeader &header = program().header;
  for (int core = 0; core < header.cores(); ++core)
    for (int index = 0; index < header.arguments_size(); ++index) {
      const Tensor &tensor = header.arguments(index);
      if (absl::Status status = checkNoTerms(tensor); !status.ok())
        return status;
      const HostArray &array = arguments[size_t(index)];
      absl::Status status =
          isSharded(tensor)
              ? writePadded(*emulator, tensor, shardOf(array, tensor, core), core, isAskedFor)
              : writePadded(*emulator, tensor, array, core, isAskedFor);
      if (!status.ok())
        return status;
    }
  return absl::OkStatus();
}

absl::Status Executable::readResult(int index, RunResult &result) const {
  const program::ProgramHeader &header = program().header;
  const Tensor &tensor = header.results(index);
  if (absl::Status status = checkNoTerms(tensor); !status.ok())
    return status;
  ShardAssembler whole(tensor);
  std::vector<HostArray> shards;
  for (int core = 0; core < header.cores(); ++core) {
    absl::StatusOr<HostArray> part = readTensor(*emulator, tensor, core);
    if (!part.ok())
      return part.status();
    if (form == ResultForm::Shards)
      shards.push_back(*std::move(part));
    else if (absl::Status status = whole.add(*part); !status.ok())
      return absl::InternalError(absl::StrCat(
          "result ", index, tensor.name().empty() ? "" : absl::StrCat(" (", tensor.name(), ")"),
          ": ", status.message()));
  }
  if (form == ResultForm::Shards)
    result.shards.push_back(std::move(shards));
  else
    result.results.push_back(std::move(whole).take());
  return absl::OkStatus();
}

absl::StatusOr<RunResult> Executable::resultOf(RunStats stats,
                                               std::chrono::steady_clock::time_point start) {
  RunResult result;
  result.stats = std::move(stats);
  if (!timingOnly)
    for (int index = 0; index < program().header.results_size(); ++index)
      if (absl::Status status = readResult(index, result); !status.ok())
        return status;
  result.emulateSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

static bool isEveryRegion(int) { return true; }

absl::StatusOr<RunResult> Executable::run(std::span<const HostArray> arguments,
                                          const HostPorts &hosts, std::atomic<int64_t> *cycles) {
  if (!timingOnly || !arguments.empty())
    if (absl::Status status = checkArguments(program().header, arguments); !status.ok())
      return status;
  const auto start = std::chrono::steady_clock::now();
  if (!timingOnly)
    if (absl::Status status = writeArguments(arguments, isEveryRegion); !status.ok())
      return status;
  Emulator::WriteArguments write;
  if (timingOnly && !arguments.empty())
    write = [&](const Emulator::IsAskedFor &asked) { return writeArguments(arguments, asked); };
  absl::StatusOr<RunStats> stats = emulator->run(hosts, cycles, write);
  return stats.ok() ? resultOf(*std::move(stats), start) : stats.status();
}

absl::StatusOr<std::unique_ptr<Emulator>>
Executable::prepare(Executable executable, std::span<const HostArray> arguments) {
  if (absl::Status status = checkArguments(executable.program().header, arguments); !status.ok())
    return status;
  if (absl::Status status = executable.writeArguments(arguments, isEveryRegion); !status.ok())
    return status;
  return std::move(executable.emulator);
}

absl::StatusOr<Snapshot> Executable::runUntil(int64_t cycle, std::span<const HostArray> arguments,
                                              const HostPorts &hosts,
                                              std::atomic<int64_t> *cycles) {
  if (absl::Status status = checkArguments(program().header, arguments); !status.ok())
    return status;
  if (!timingOnly)
    if (absl::Status status = writeArguments(arguments, isEveryRegion); !status.ok())
      return status;
  if (absl::Status status = emulator->start(hosts); !status.ok())
    return status;
  auto end = emulator->advance(cycle, cycles);
  if (!end.ok())
    return end.status();
  if (end->has_value())
    return absl::OutOfRangeError(
        absl::StrCat("the program ends at cycle ", (*end)->cycles, ", before cycle ", cycle));
  return emulator->snapshot();
}

absl::StatusOr<RunResult> Executable::resume(const Snapshot &snapshot, const HostPorts &hosts,
                                             std::atomic<int64_t> *cycles) {
  const auto start = std::chrono::steady_clock::now();
  if (absl::Status status = emulator->restore(snapshot, hosts); !status.ok())
    return status;
  auto end = emulator->advance(INT64_MAX, cycles);
  return end.ok() ? resultOf(**std::move(end), start) : end.status();
}

} // namespace systole
