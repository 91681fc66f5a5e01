// Devices of the C++ interface: clients of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/Library/State.h"

namespace systole::v0 {

std::vector<std::string> targets() { return listTargets(); }

Device::State::~State() {
  if (!client || !core().stream.isRunningHere())
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
  if ((*client)->devices().size() != 1)
    return absl::UnimplementedError(
        absl::StrCat("target '", options.target, "' is a slice of ", (*client)->devices().size(),
                     " cores; programs for several devices are not supported yet"));
  auto state = std::make_shared<State>();
  state->target = (*client)->target().name();
  state->targetHash = (*client)->target().hash();
  state->client = *std::move(client);
  return Access::make<Device>(std::move(state));
}

const std::string &Device::target() const { return state->target; }

const std::string &Device::targetHash() const { return state->targetHash; }

DeviceMemory Device::memory() const {
  const HbmUse use = state->core().hbm().usage();
  return {.inUse = use.inUse, .peak = use.peak, .limit = use.limit};
}

} // namespace systole::v0
