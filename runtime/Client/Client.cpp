// Devices of a slice, and programs for them.
// See docs/decisions/client-library.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Client.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/Pipeline/CompileProgress.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/Verify.h"
#include "runtime/Client/Interrupts.h"

namespace systole {

std::vector<DevicePlace> devicePlaces(const Target &target) {
  const int chips = target.chips(), perChip = int(target.description().cores_per_chip().value());
  int width = 1;
  for (int side = 1; side * side <= chips; ++side)
    if (chips % side == 0)
      width = side;
  std::vector<DevicePlace> places;
  for (int core = 0; core < target.cores(); ++core) {
    const int chip = core / perChip;
    assert(chip < chips && "cores of the slice's chips");
    places.push_back({{chip % width, chip / width, 0}, core % perChip});
  }
  return places;
}

absl::StatusOr<std::unique_ptr<Client>> Client::create(const ClientOptions &options) {
  absl::StatusOr<Target> target = Target::load(options.target);
  return target.ok() ? create(*std::move(target), options) : target.status();
}

absl::StatusOr<std::unique_ptr<Client>> Client::create(Target target,
                                                       const ClientOptions &options) {
  if (absl::Status status = checkPrecision(options.precision, "the precision"); !status.ok())
    return status;
  absl::StatusOr<std::unique_ptr<RunLog>> log = RunLog::create(options.reportFile);
  if (!log.ok())
    return log.status();
  std::unique_ptr<Client> client(new Client(std::move(target), options));
  client->runLog = *std::move(log);
  client->machine = std::make_unique<Machine>(client->slice);
  const int64_t hbmBytes = client->core.hbmRows() * isa::kRowBytes;
  for (const DevicePlace &place : devicePlaces(client->slice))
    client->cores.push_back(std::make_unique<ClientDevice>(int(client->cores.size()), place,
                                                           *client->machine, hbmBytes));
  return client;
}

Client::~Client() { shutDown(); }

void Client::shutDown() {
  cancel = true;
  std::unique_lock lock(callMutex);
  callEnds.wait(lock, [&] { return calls == 0; });
}

Client::Call::Call(Client &client) : client(client) {
  std::lock_guard lock(client.callMutex);
  ++client.calls;
}

Client::Call::~Call() {
  // Notifies under the lock: the client may be destroyed right after it.
  std::lock_guard lock(client.callMutex);
  assert(client.calls > 0 && "each call ends once");
  --client.calls;
  client.callEnds.notify_all();
}

static std::string shapesText(const std::optional<std::vector<std::vector<int64_t>>> &shapes) {
  std::string text;
  if (shapes)
    for (const std::vector<int64_t> &shape : *shapes)
      absl::StrAppend(&text, ", [", absl::StrJoin(shape, ","), "]");
  return text;
}

absl::StatusOr<std::shared_ptr<LoadedProgram>> Client::compile(std::string_view source,
                                                               const std::string &precision) {
  return compile(source, ClientCompileOptions{.precision = precision});
}

absl::StatusOr<std::shared_ptr<LoadedProgram>>
Client::compile(std::string_view source, const ClientCompileOptions &request) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  CompileOptions options;
  options.precision = request.precision.empty() ? defaultPrecision : request.precision;
  options.excessPrecision = request.excessPrecision;
  options.argumentShapes = request.argumentShapes;
  // The program can be compiled again, so an interrupt may cancel compilation. Runs continue after
  // an interrupt: the host may need their results.
  std::optional<InterruptScope> interrupts;
  if (isInteractive)
    interrupts.emplace();
  options.isCancelled = [&] {
    return cancel.load(std::memory_order_relaxed) ||
           (request.cancel && request.cancel->load(std::memory_order_relaxed)) ||
           (interrupts && interrupts->interrupted());
  };
  const bool isForOne = request.devices.size() < 2;
  if (!isForOne) {
    options.partitions = int(request.devices.size());
    options.places = request.devices;
  }
  const Target &target = isForOne ? core : slice;
  const std::string key = ProgramCache::keyOf(
      source, core.hash(),
      absl::StrCat(options.precision, options.excessPrecision ? ", excess" : "", ", ",
                   request.fileName, shapesText(request.argumentShapes),
                   isForOne ? ""
                            : absl::StrCat(", ", slice.cores(), " cores, on ",
                                           absl::StrJoin(options.places, ","))));
  const char *from = "memory";
  std::shared_ptr<LoadedProgram> loaded = cache.find(key);
  if (!loaded) {
    from = "disk";
    absl::StatusOr<Program> program = cache.read(key, core.limits());
    if (!program.ok()) {
      from = "compiler";
      CompileProgress progress;
      options.progress = &progress;
      ProgressLine::Task task(progressLine, [&] { return "compiling " + progress.toString(); });
      program = systole::compile(source, request.fileName, target, options);
      if (!program.ok())
        return program.status();
      cache.write(key, *program);
    }
    if (program->header.cores() != options.partitions)
      return absl::InternalError(absl::StrCat("the compiler made a program for ",
                                              program->header.cores(), " cores instead of ",
                                              options.partitions));
    absl::StatusOr<std::shared_ptr<LoadedProgram>> created =
        LoadedProgram::create(*std::move(program), target);
    if (!created.ok())
      return created.status();
    loaded = cache.insert(key, *std::move(created));
  }
  if (runLog->isActive())
    runLog->compiled(*loaded, std::chrono::duration<double>(Clock::now() - start).count(), from);
  return loaded;
}

absl::StatusOr<std::shared_ptr<LoadedProgram>> Client::load(std::string_view bytes) {
  absl::StatusOr<Program> program = parseProgram(absl::string_view(bytes.data(), bytes.size()));
  if (!program.ok())
    return program.status();
  if (program->header.target_hash() != core.hash())
    return absl::FailedPreconditionError(absl::StrCat(
        "the program was compiled for another machine (", program->header.target(), ")"));
  // The cores are any of a slice of so many.
  const int cores = program->header.cores(),
            needed = std::max(cores, program->header.slice_cores());
  if (needed > slice.cores())
    return absl::FailedPreconditionError(absl::StrCat(
        "the program is for ", cores, " cores", needed == cores ? "" : absl::StrCat(" of ", needed),
        ", and there are ", slice.cores()));
  if (absl::Status status = verifyProgram(*program, core.limits()); !status.ok())
    return status;
  return LoadedProgram::create(*std::move(program), cores == 1 ? core : slice);
}

} // namespace systole
