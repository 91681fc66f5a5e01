// Runs of a program on arrays of devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/LoadedProgram.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Client/Profiler.h"
#include "runtime/Client/Strides.h"
#include "runtime/Device/Planes.h"
#include "runtime/Emulator/Threads/HostThreads.h"

namespace systole {
namespace {

// A prediction that would take minutes is abandoned.
constexpr int64_t kMostPredictedCycles = 100'000'000;

absl::StatusOr<std::vector<std::shared_ptr<const ArrayType>>> typesOf(const auto &entries) {
  std::vector<std::shared_ptr<const ArrayType>> types;
  for (const program::Tensor &entry : entries) {
    const auto &order = entry.layout().minor_to_major();
    absl::StatusOr<std::shared_ptr<const ArrayType>> type =
        ArrayType::create(entry.dtype(), {entry.dims().data(), size_t(entry.dims_size())},
                          std::span<const int64_t>(order.data(), size_t(order.size())));
    if (!type.ok())
      return type.status();
    if (!(*type)->liesAs(entry))
      return absl::InvalidArgumentError(
          absl::StrCat("`", entry.name(), "` is not laid out as arrays of ", (*type)->toString()));
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

// The bytes of one of an array's planes.
template <typename Bytes> Bytes planeOf(Bytes bytes, int plane, const Planes &planes) {
  const auto each = size_t(planes.rows) * isa::kRowBytes;
  return bytes.subspan(size_t(plane) * each, each);
}

absl::Status writeSizes(Emulator &emulator, int core, const program::Tensor &tensor,
                        std::span<const int64_t> dims) {
  for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
    const auto size = int32_t(dims[size_t(dim.dim())]);
    const program::Tensor scalar = sizeTensor(dim);
    absl::Status status = forEachPlane(
        scalar, [&](int32_t region) { return emulator.writeHbm(region, core); },
        [&](uint8_t *memory, int, const Planes &) {
          toDevice(scalar, reinterpret_cast<const uint8_t *>(&size), memory);
        });
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status readSizes(const Emulator &emulator, int core, const program::Tensor &tensor,
                       DeviceArray &array) {
  if (tensor.dynamic_dims().empty())
    return absl::OkStatus();
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  for (const program::DynamicDim &dim : tensor.dynamic_dims()) {
    int32_t size = 0;
    const program::Tensor scalar = sizeTensor(dim);
    absl::Status status = forEachPlane(
        scalar, [&](int32_t region) { return emulator.readHbm(region, core); },
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

// How many host threads emulate so many cores.
int threadsFor(int cores, const Target &target) {
  const int perChip = int(target.description().cores_per_chip().value());
  return cores == 1 ? hostThreads() : std::min(hostThreads(), (cores + perChip - 1) / perChip);
}

// A status of a run on several devices, with the one where it ended.
absl::Status onDevice(const absl::Status &status, const std::optional<TrapInfo> &trap,
                      absl::Span<const DeviceMemories *const> memories) {
  if (memories.size() == 1 || !trap || absl::IsCancelled(status))
    return status;
  return absl::Status(
      status.code(),
      absl::StrCat("on device ", memories[size_t(trap->core)]->core(), ": ", status.message()));
}

} // namespace

absl::StatusOr<std::shared_ptr<LoadedProgram>> LoadedProgram::create(Program program,
                                                                     const Target &target) {
  const int cores = program.header.cores();
  assert(cores <= target.cores() && "a slice that has the program's cores");
  absl::StatusOr<ArrayBindings> bindings = ArrayBindings::create(program.header);
  if (!bindings.ok())
    return bindings.status();
  std::shared_ptr<LoadedProgram> loaded(new LoadedProgram(
      std::move(program), cores == 1 ? target.withCores(1) : target, *std::move(bindings)));
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

struct LoadedProgram::Arrays {
  std::vector<std::shared_ptr<DeviceArray>> arguments, results;
  std::vector<bool> areGivenUp; // of the arguments, those whose memory the program may reuse
  std::vector<ArrayBindings::Place> ofArguments, ofResults;
  // For the rows of the plan that are of no array.
  std::vector<MachineMemory::Rows> own;
};

absl::StatusOr<LoadedProgram::Arrays>
LoadedProgram::arraysOf(std::span<std::shared_ptr<DeviceArray>> arguments, size_t first,
                        std::span<const int64_t> donated, const DeviceMemories &memories) const {
  const size_t count = argumentTypes.size();
  Arrays arrays;
  arrays.arguments.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<std::shared_ptr<DeviceArray>> array =
        padded(std::move(arguments[first + i]), i, memories.of(argumentMemory(i)));
    if (!array.ok())
      return array.status();
    arrays.arguments.push_back(*std::move(array));
  }
  arrays.areGivenUp.resize(count);
  // A caller may keep what the program would let it donate.
  for (const int64_t number : donated)
    if (const size_t i = size_t(number) - first; i < count)
      arrays.areGivenUp[i] = arrays.arguments[i].use_count() == 1;
  if (absl::Status status = allocateResults(arrays, memories); !status.ok())
    return status;
  return arrays;
}

absl::Status LoadedProgram::allocateResults(Arrays &arrays, const DeviceMemories &memories) const {
  if (absl::Status status =
          memories.of(program::DEVICE).checkRoom(memory().device.temporaries, "the program's plan");
      !status.ok())
    return status;
  const std::vector<std::shared_ptr<DeviceArray>> &arguments = arrays.arguments;
  const std::vector<bool> &areGivenUp = arrays.areGivenUp;
  arrays.ofArguments.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const BoundArray &bound = bindings.arguments()[i];
        bound.isBound && (areGivenUp[i] || !bound.isDonated))
      arrays.ofArguments[i] = {arguments[i]->row(), !areGivenUp[i]};
  arrays.ofResults.resize(resultTypes.size());
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    const BoundArray &bound = bindings.results()[i];
    const std::optional<size_t> over = bound.isBound ? bound.aliased : std::nullopt;
    if (over && areGivenUp[*over]) {
      arrays.results.push_back(arguments[*over]);
      continue;
    }
    absl::StatusOr<std::shared_ptr<DeviceArray>> result =
        memories.of(resultMemory(i)).allocate(resultTypes[i]);
    if (!result.ok())
      return result.status();
    if (over) {
      (*result)->copyFrom(*arguments[*over]);
      arrays.ofArguments[*over] = {(*result)->row(), false};
    } else if (bound.isBound) {
      arrays.ofResults[i] = {(*result)->row(), false};
    }
    arrays.results.push_back(*std::move(result));
  }
  return absl::OkStatus();
}

absl::Status LoadedProgram::place(Arrays &arrays, const DeviceMemories &memories,
                                  Emulator &emulator, int core) const {
  const Machine &on = memories.machine();
  for (const program::Space space : {program::HBM, program::PINNED}) {
    const int64_t own = bindings.ownRows(space, arrays.ofArguments);
    int64_t first = 0;
    if (own > 0) {
      MachineMemory &memory = space == program::HBM ? on.hbm(memories.core()) : on.host();
      auto rows = memory.allocate(own, MachineMemory::End::High);
      if (!rows.ok())
        return absl::Status(rows.status().code(),
                            absl::StrCat(rows.status().message(), " for the program's plan"));
      first = rows->base();
      arrays.own.push_back(*std::move(rows));
    }
    emulator.place(space, bindings.map(space, arrays.ofArguments, arrays.ofResults, first), core);
  }
  const program::ProgramHeader &header = code->header;
  for (size_t i = 0; i < arrays.arguments.size(); ++i) {
    const DeviceArray &array = *arrays.arguments[i];
    assert(*array.type() == *argumentTypes[i] && "callers have checked the types");
    const program::Tensor &tensor = header.arguments(int(i));
    if (absl::Status sizes = writeSizes(emulator, core, tensor, array.dims()); !sizes.ok())
      return sizes;
    if (arrays.ofArguments[i].row || array.size() == 0)
      continue;
    const Planes planes = planesOf(tensor);
    for (int plane = 0; plane < planes.count; ++plane)
      if (absl::Status status = emulator.copyIn(planes.regions[size_t(plane)],
                                                planeOf(array.bytes(), plane, planes), core);
          !status.ok())
        return status;
  }
  return absl::OkStatus();
}

absl::Status LoadedProgram::copyResults(Arrays &arrays, const Emulator &emulator, int core) const {
  for (size_t i = 0; i < arrays.results.size(); ++i) {
    DeviceArray &array = *arrays.results[i];
    const program::Tensor &tensor = code->header.results(int(i));
    array.setDims({});
    if (absl::Status sizes = readSizes(emulator, core, tensor, array); !sizes.ok())
      return sizes;
    if (array.size() == 0)
      continue;
    if (bindings.results()[i].isBound) {
      array.bytes(); // rows that were not written read as zero from here on, by any thread
      continue;
    }
    const Planes planes = planesOf(tensor);
    for (int plane = 0; plane < planes.count; ++plane)
      if (absl::Status status = emulator.copyOut(
              planes.regions[size_t(plane)], planeOf(array.mutableBytes(), plane, planes), core);
          !status.ok())
        return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const DecodedProgram>> LoadedProgram::decoded() {
  std::lock_guard lock(decodingMutex);
  if (!decodedProgram) {
    auto created = DecodedProgram::create(code, machine);
    if (!created.ok())
      return created.status();
    decodedProgram = *std::move(created);
  }
  return decodedProgram;
}

absl::StatusOr<LoadedProgram::Run> LoadedProgram::run(
    std::vector<std::shared_ptr<DeviceArray>> arguments, std::span<const int64_t> donated,
    absl::Span<const DeviceMemories *const> memories, const std::atomic<bool> &cancel,
    const HostPorts &hosts, std::atomic<int64_t> *cycles) {
  using Clock = std::chrono::steady_clock;
  assert(int(memories.size()) == code->header.cores() && "the memories of each core");
  assert(arguments.size() == argumentTypes.size() * memories.size() &&
         "an array for each argument of each core");
  const Clock::time_point start = Clock::now();
  std::vector<Arrays> arrays; // by core
  std::vector<int> places;
  for (const DeviceMemories *each : memories) {
    auto ofCore = arraysOf(arguments, arrays.size() * argumentTypes.size(), donated, *each);
    if (!ofCore.ok())
      return ofCore.status();
    arrays.push_back(*std::move(ofCore));
    places.push_back(each->core());
  }

  const uint64_t session = profileSession();
  EmulatorOptions options;
  options.cancel = &cancel;
  options.trace = session != 0 && profileWantsEvents();
  options.threads = threadsFor(code->header.cores(), machine);
  options.log = logToStderr(code->header.cores());
  auto program = decoded();
  if (!program.ok())
    return program.status();
  absl::StatusOr<std::unique_ptr<Emulator>> emulator =
      Emulator::create(*std::move(program), memories.front()->machine(), places, options);
  if (!emulator.ok())
    return emulator.status();
  for (size_t core = 0; core < arrays.size(); ++core)
    if (absl::Status status = place(arrays[core], *memories[core], **emulator, int(core));
        !status.ok())
      return status;
  absl::StatusOr<RunStats> stats = (*emulator)->run(hosts, cycles);
  if (!stats.ok())
    return onDevice(stats.status(), (*emulator)->lastTrap(), memories);
  Run run;
  for (size_t core = 0; core < arrays.size(); ++core) {
    if (absl::Status status = copyResults(arrays[core], **emulator, int(core)); !status.ok())
      return status;
    std::ranges::move(arrays[core].results, std::back_inserter(run.results));
  }
  run.stats = *std::move(stats);
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.profileSession = session;
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
    auto program = decoded();
    auto timed = program.ok() ? Emulator::create(*std::move(program), options)
                              : absl::StatusOr<std::unique_ptr<Emulator>>(program.status());
    prediction = timed.ok() ? (*timed)->run() : absl::StatusOr<RunStats>(timed.status());
  }
  return *prediction;
}

} // namespace systole
