// Transfer of arrays into a program's regions, the run, and transfer of its results.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/LoadedProgram.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Client/Profiler.h"
#include "runtime/Client/Strides.h"
#include "runtime/Device/Planes.h"

namespace systole {
namespace {

// A prediction that would take minutes is abandoned.
constexpr int64_t kMostPredictedCycles = 100'000'000;
// Host memory that a program may keep between runs.
constexpr int64_t kKeptBytes = 1 << 20;

absl::StatusOr<std::vector<std::shared_ptr<const ArrayType>>> typesOf(const auto &entries) {
  std::vector<std::shared_ptr<const ArrayType>> types;
  for (const program::Tensor &entry : entries) {
    const auto &order = entry.layout().minor_to_major();
    absl::StatusOr<std::shared_ptr<const ArrayType>> type =
        ArrayType::create(entry.dtype(), {entry.dims().data(), size_t(entry.dims_size())},
                          std::span<const int64_t>(order.data(), size_t(order.size())));
    if (!type.ok())
      return type.status();
    types.push_back(*std::move(type));
  }
  return types;
}

// Bytes of those of `entries` that are on the device, or those of the others, and that `isCounted`.
int64_t bytesOf(const auto &entries, std::span<const std::shared_ptr<const ArrayType>> types,
                bool isOnDevice, auto &&isCounted) {
  int64_t bytes = 0;
  for (size_t i = 0; i < types.size(); ++i)
    if (const program::Tensor &entry = entries.Get(int(i));
        (entry.memory() == program::DEVICE) == isOnDevice && isCounted(entry))
      bytes += types[i]->deviceBytes();
  return bytes;
}

absl::Status writeSizes(Emulator &emulator, const program::Tensor &tensor,
                        std::span<const int64_t> dims) {
  for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
    const auto size = int32_t(dims[size_t(dim.dim())]);
    const program::Tensor scalar = sizeTensor(dim);
    absl::Status status = forEachPlane(
        scalar, [&](int32_t region) { return emulator.writeHbm(region); },
        [&](uint8_t *memory, int, const Planes &) {
          toDevice(scalar, reinterpret_cast<const uint8_t *>(&size), memory);
        });
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status readSizes(const Emulator &emulator, const program::Tensor &tensor,
                       DeviceArray &array) {
  if (tensor.dynamic_dims().empty())
    return absl::OkStatus();
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
    int32_t size = 0;
    const program::Tensor scalar = sizeTensor(dim);
    absl::Status status = forEachPlane(
        scalar, [&](int32_t region) { return emulator.readHbm(region); },
        [&](const uint8_t *memory, int, const Planes &) {
          fromDevice(scalar, memory, reinterpret_cast<uint8_t *>(&size));
        });
    if (!status.ok())
      return status;
    int64_t &own = dims[size_t(dim.dim())];
    if (size < 0 || size > own)
      return absl::InternalError(absl::StrCat("a result has size ", size, " of dimension ",
                                              dim.dim(), ", whose bound is ", own));
    own = size;
  }
  array.setDims(std::move(dims));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::shared_ptr<LoadedProgram>> LoadedProgram::create(Program program,
                                                                     const Target &target) {
  if (program.header.cores() != 1)
    return absl::InvalidArgumentError("programs for several cores cannot be loaded yet");
  std::shared_ptr<LoadedProgram> loaded(new LoadedProgram(std::move(program), target.withCores(1)));
  const program::ProgramHeader &header = loaded->code->header;
  auto arguments = typesOf(header.arguments());
  if (!arguments.ok())
    return arguments.status();
  auto results = typesOf(header.results());
  if (!results.ok())
    return results.status();
  loaded->argumentTypes = *std::move(arguments);
  loaded->resultTypes = *std::move(results);
  return loaded;
}

ProgramMemory LoadedProgram::memory() const {
  ProgramMemory memory;
  const program::ProgramHeader &header = code->header;
  memory.code = int64_t(code->code.size() * sizeof(code->code[0]));
  auto isAny = [](const program::Tensor &) { return true; };
  auto isAliased = [](const program::Tensor &result) { return result.aliased_input() > 0; };
  for (bool isOnDevice : {true, false}) {
    MemoryUse &use = isOnDevice ? memory.device : memory.host;
    use.arguments = bytesOf(header.arguments(), argumentTypes, isOnDevice, isAny);
    use.results = bytesOf(header.results(), resultTypes, isOnDevice, isAny);
    use.aliased = bytesOf(header.results(), resultTypes, isOnDevice, isAliased);
    use.peak = (isOnDevice ? header.hbm_rows() : header.pinned_rows()) * isa::kRowBytes;
    use.temporaries = std::max<int64_t>(0, use.peak - use.arguments - use.results + use.aliased);
  }
  return memory;
}

bool LoadedProgram::accepts(size_t number, const ArrayType &type) const {
  const program::Tensor &tensor = code->header.arguments(int(number));
  return type == *argumentTypes[number] ||
         (!tensor.dynamic_dims().empty() && type.dtype() == tensor.dtype() &&
          hasRoomFor(tensor, type.dims()));
}

absl::StatusOr<std::shared_ptr<DeviceArray>>
LoadedProgram::padded(std::shared_ptr<DeviceArray> array, size_t number, Hbm &hbm) const {
  const program::Tensor &tensor = code->header.arguments(int(number));
  const auto &type = argumentTypes[number];
  if (!hasRoomFor(tensor, array->dims()))
    return absl::InvalidArgumentError(absl::StrCat("argument ", number, " is ", type->toString(),
                                                   ", but given with sizes [",
                                                   absl::StrJoin(array->dims(), ","), "]"));
  if (*array->type() == *type)
    return array;
  const int64_t bytes = elementBytes(type->dtype());
  const std::span<const int64_t> dims = array->dims();
  std::vector<uint8_t> own(size_t(array->type()->hostBytes())), whole(size_t(type -> hostBytes()));
  array->fetch(own.data());
  copyStrided(dims, bytes, own.data(), denseStrides(dims, bytes), whole.data(),
              denseStrides(type->dims(), bytes));
  absl::StatusOr<std::shared_ptr<DeviceArray>> result = hbm.allocate(type);
  if (!result.ok())
    return result.status();
  (*result)->fill(whole.data());
  (*result)->setDims({dims.begin(), dims.end()});
  return result;
}

absl::StatusOr<std::vector<std::shared_ptr<DeviceArray>>>
LoadedProgram::allocateResults(std::vector<std::shared_ptr<DeviceArray>> &arguments,
                               std::span<const int64_t> donated,
                               const DeviceMemories &memories) const {
  if (absl::Status status =
          memories.of(program::DEVICE).checkRoom(memory().device.temporaries, "the program's plan");
      !status.ok())
    return status;
  std::vector<std::shared_ptr<DeviceArray>> results;
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    const int64_t aliased = code->header.results(int(i)).aliased_input() - 1;
    // A caller may keep what the program would let it donate.
    if (aliased >= 0 && std::ranges::find(donated, aliased) != donated.end() &&
        arguments[size_t(aliased)].use_count() == 1) {
      results.push_back(arguments[size_t(aliased)]);
      continue;
    }
    absl::StatusOr<std::shared_ptr<DeviceArray>> result =
        memories.of(resultMemory(i)).allocate(resultTypes[i]);
    if (!result.ok())
      return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

absl::StatusOr<std::unique_ptr<Emulator>>
LoadedProgram::takeEmulator(const std::atomic<bool> &cancel, bool traces) {
  {
    std::lock_guard lock(emulatorMutex);
    // Created again for another client, and when profiling begins or ends.
    if (idleEmulator && emulatorCancel == &cancel && emulatorTraces == traces)
      return std::move(idleEmulator);
  }
  EmulatorOptions options;
  options.cancel = &cancel;
  options.trace = traces;
  return Emulator::create(code, machine, options);
}

absl::StatusOr<LoadedProgram::Run>
LoadedProgram::run(std::vector<std::shared_ptr<DeviceArray>> arguments,
                   std::span<const int64_t> donated, const DeviceMemories &memories,
                   const std::atomic<bool> &cancel, HostPort *host, std::atomic<int64_t> *cycles) {
  using Clock = std::chrono::steady_clock;
  assert(arguments.size() == argumentTypes.size() && "an array for each argument");
  std::unique_lock lock(runMutex, std::defer_lock);
  if (code->header.transfers().empty())
    lock.lock();
  const Clock::time_point start = Clock::now();
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<std::shared_ptr<DeviceArray>> array =
        padded(std::move(arguments[i]), i, memories.of(argumentMemory(i)));
    if (!array.ok())
      return array.status();
    arguments[i] = *std::move(array);
  }
  absl::StatusOr<std::vector<std::shared_ptr<DeviceArray>>> results =
      allocateResults(arguments, donated, memories);
  if (!results.ok())
    return results.status();

  const uint64_t session = profileSession();
  const bool traces = session != 0 && profileWantsEvents();
  absl::StatusOr<std::unique_ptr<Emulator>> taken = takeEmulator(cancel, traces);
  if (!taken.ok())
    return taken.status();
  std::unique_ptr<Emulator> emulator = *std::move(taken);

  const program::ProgramHeader &header = code->header;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const DeviceArray &array = *arguments[i];
    assert(*array.type() == *argumentTypes[i] && "callers have checked the types");
    absl::Status sizes = writeSizes(*emulator, header.arguments(int(i)), array.dims());
    if (!sizes.ok())
      return sizes;
    if (array.size() == 0)
      continue;
    absl::Status status = forEachPlane(
        header.arguments(int(i)),
        [&](int32_t region) {
          return argumentMemory(i) == program::DEVICE ? emulator->writeHbm(region)
                                                      : emulator->pinned(region);
        },
        [&](uint8_t *memory, int plane, const Planes &planes) {
          array.copyTo(memory, plane, planes.count);
        });
    if (!status.ok())
      return status;
  }
  absl::StatusOr<RunStats> stats = emulator->run(host, cycles);
  if (!stats.ok())
    return stats.status();
  for (size_t i = 0; i < results->size(); ++i) {
    DeviceArray &array = *(*results)[i];
    array.setDims({});
    if (absl::Status sizes = readSizes(*emulator, header.results(int(i)), array); !sizes.ok())
      return sizes;
    if (array.size() == 0)
      continue;
    absl::Status status = forEachPlane(
        header.results(int(i)),
        [&](int32_t region) -> absl::StatusOr<absl::Span<const uint8_t>> {
          if (resultMemory(i) == program::DEVICE)
            return emulator->readHbm(region);
          return emulator->pinned(region);
        },
        [&](const uint8_t *memory, int plane, const Planes &planes) {
          array.copyFrom(memory, plane, planes.count);
        });
    if (!status.ok())
      return status;
  }
  if (stats->hbmTouchedBytes + (header.vmem_rows() + header.pinned_rows()) * isa::kRowBytes >
      kKeptBytes)
    emulator->releaseMemory();
  {
    std::lock_guard keep(emulatorMutex);
    idleEmulator = std::move(emulator);
    emulatorCancel = &cancel;
    emulatorTraces = traces;
  }
  Run run{*std::move(results), *std::move(stats),
          std::chrono::duration<double>(Clock::now() - start).count(), session};
  recentSeconds.store(run.seconds, std::memory_order_relaxed);
  return run;
}

absl::StatusOr<RunStats> LoadedProgram::predict() {
  std::lock_guard lock(predictionMutex);
  if (!prediction) {
    EmulatorOptions options;
    options.timingOnly = true;
    options.assumedTrips = 1;
    options.maxCycles = kMostPredictedCycles;
    auto timed = Emulator::create(code, machine, options);
    prediction = timed.ok() ? (*timed)->run() : absl::StatusOr<RunStats>(timed.status());
  }
  return *prediction;
}

} // namespace systole
