// Devices of the C++ interface: the cores of a client.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/Library/State.h"

namespace systole::v0 {

std::vector<std::string> targets() { return listTargets(); }

ClientDevice &Device::State::core() const { return *slice->client->devices()[number]; }

Client &Device::State::client() const { return *slice->client; }

Slice::~Slice() {
  if (!client || std::ranges::none_of(client->devices(), [](const auto &device) {
        return device->stream.isRunningHere();
      }))
    return;
  // A thread cannot wait for its own end.
  Client *last = client.release();
  try {
    std::thread([last] { delete last; }).detach();
  } catch (const std::system_error &) {
    // The host starts no more threads: the client stays, and runs nothing.
    last->shutDown();
  }
}

absl::StatusOr<Device> Device::create(const DeviceOptions &options) {
  ClientOptions clientOptions;
  clientOptions.target = options.target;
  clientOptions.cacheDir = options.cacheDirectory;
  clientOptions.isInteractive = false;
  absl::StatusOr<std::unique_ptr<Client>> client = Client::create(clientOptions);
  if (!client.ok())
    return client.status();
  auto slice = std::make_shared<Slice>();
  slice->target = (*client)->target().name();
  slice->targetHash = (*client)->target().hash();
  for (size_t number = 0; number < (*client)->devices().size(); ++number)
    slice->cores.push_back({slice.get(), number});
  slice->client = *std::move(client);
  return Access::make<Device>(std::shared_ptr<State>(slice, slice->cores.data()));
}

std::vector<Device> Device::slice() const {
  std::vector<Device> devices;
  for (State &core : state->slice->cores)
    devices.push_back(Access::make<Device>(std::shared_ptr<State>(state, &core)));
  return devices;
}

int Device::number() const { return int(state->number); }

const std::string &Device::target() const { return state->slice->target; }

const std::string &Device::targetHash() const { return state->slice->targetHash; }

DeviceMemory Device::memory() const {
  const HbmUse use = state->core().hbm().usage();
  return {.inUse = use.inUse, .peak = use.peak, .limit = use.limit};
}

// The type of a dense array of the host, without its bytes.
static absl::StatusOr<std::shared_ptr<const ArrayType>> typeOf(const void *data, ElementType type,
                                                               std::span<const int64_t> dims) {
  const std::string_view name = elementTypeName(type);
  if (name.empty())
    return absl::InvalidArgumentError(absl::StrCat("there is no element type ", int(type)));
  auto arrayType = ArrayType::create(name, dims);
  if (arrayType.ok() && !data && (*arrayType)->hostBytes() > 0)
    return absl::InvalidArgumentError("the host's array is null");
  return arrayType;
}

absl::Status Device::putInfeed(const void *data, ElementType type,
                               std::span<const int64_t> dims) const {
  const auto arrayType = typeOf(data, type, dims);
  if (!arrayType.ok())
    return arrayType.status();
  const auto *bytes = static_cast<const uint8_t *>(data);
  state->core().infeed.put({.dtype = std::string((*arrayType)->dtype()),
                            .dims = {dims.begin(), dims.end()},
                            .bytes = {bytes, bytes + (*arrayType)->hostBytes()}});
  return absl::OkStatus();
}

void Device::endInfeed() const { state->core().infeed.end(); }

absl::Status Device::takeOutfeed(void *data, size_t bytes, ElementType type,
                                 std::span<const int64_t> dims,
                                 const std::optional<Cancellation> &cancellation) const {
  const auto arrayType = typeOf(data, type, dims);
  if (!arrayType.ok())
    return arrayType.status();
  if (bytes < size_t((*arrayType)->hostBytes()))
    return absl::InvalidArgumentError(absl::StrCat("the host's array has ", bytes, " bytes, but ",
                                                   (*arrayType)->toString(), " takes ",
                                                   (*arrayType)->hostBytes()));
  // The caller's handle may be destroyed meanwhile.
  const Device held = *this;
  const std::shared_ptr<const std::atomic<bool>> cancel = Access::flag(cancellation);
  absl::StatusOr<HostArray> array =
      Access::state(held).core().outfeed.take({.dtype = std::string((*arrayType)->dtype()),
                                               .dims = {dims.begin(), dims.end()},
                                               .bytes = {}},
                                              cancel.get());
  if (!array.ok())
    return array.status();
  std::ranges::copy(array->bytes, static_cast<uint8_t *>(data));
  return absl::OkStatus();
}

} // namespace systole::v0
