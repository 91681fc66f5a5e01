// The emulator: executes a program on a described machine, bundle by bundle,
// with every hazard checked and every cycle counted.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EMULATOR_H
#define SYSTOLE_RUNTIME_EMULATOR_EMULATOR_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/Code/DecodedProgram.h"
#include "runtime/Emulator/CoreView.h"
#include "runtime/Emulator/HostPort.h"
#include "runtime/Emulator/LogSink.h"
#include "runtime/Emulator/Machine.h"
#include "runtime/Emulator/Pause.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/Snapshot.h"
#include "runtime/Emulator/State/AddressMap.h"
#include "runtime/Emulator/Trap.h"

namespace systole {

struct EmulatorOptions {
  // Computes the cells of each instruction when it issues, instead of those of parts of blocks in
  // an order that is faster on the host. Results, cycles and traps are the same.
  bool interprets = false;
  // Snapshots of an interpreted run have no values in registers that nobody reads any more, as
  // those of other runs: so that both can be compared.
  bool liveRegistersOnly = false;
  // Counts cycles, and computes only what control depends on, as far as arguments are given and no
  // product is involved. Where it depends on more, the branch that costs more, by an estimate, is
  // assumed to be taken; statistics list it. Accesses whose addresses are unknown are not checked.
  bool timingOnly = false;
  // With timingOnly, the iterations of loops whose number is unknown, which are listed, too;
  // negative: these are Unimplemented.
  int64_t assumedTrips = -1;
  // Stops with DeadlineExceeded after this many cycles; 0: never.
  int64_t maxCycles = 0;
  // Most bytes of HBM that may be in use on the host, of all cores together;
  // 0: no cap.
  int64_t memoryCapBytes = 0;
  // Host threads: of a program of one core for its cells, unless another run has them; else for the
  // cores, of which those of one chip share one. A run for timing only, and a program of several
  // cores that calls the host, takes one.
  int threads = 1;
  // Each part of a block that can have a plan has one, and threads share its cells, whether that
  // pays or not: for tests. Of emulators of one DecodedProgram, all or none.
  bool plansEveryPart = false;
  // Records spans of kernels, copies and waits.
  bool trace = false;
  // Counts copies by kernel and region of HBM.
  bool countCopies = false;
  // Called with each log message when it is complete, by one thread at a time; of one core they
  // come in order. Never with timingOnly.
  LogSink log = {};
  // Polled during the run: stops with Cancelled once it is true.
  const std::atomic<bool> *cancel = nullptr;
};

// Executes a program. Registers, VMEM, SMEM and flags start at zero in each run.
class Emulator {
public:
  // On a machine of its own, whose HBM keeps its contents between runs. Errors of
  // DecodedProgram::create; ResourceExhausted if the host cannot reserve the memories.
  static absl::StatusOr<std::unique_ptr<Emulator>> create(std::shared_ptr<const Program> program,
                                                          const Target &target,
                                                          const EmulatorOptions &options = {});
  static absl::StatusOr<std::unique_ptr<Emulator>>
  create(std::shared_ptr<const DecodedProgram> program, const EmulatorOptions &options = {});
  // A program on the cores of a machine that are given for its own, as many and each once. The
  // machine outlives the emulator, and has the program's arrays in its memories: `place` follows
  // for each core. Never with timingOnly; it takes no snapshots. InvalidArgument if the program was
  // decoded for another machine.
  static absl::StatusOr<std::unique_ptr<Emulator>>
  create(std::shared_ptr<const DecodedProgram> program, Machine &machine,
         absl::Span<const int> cores, const EmulatorOptions &options = {});
  ~Emulator();

  const Program &program() const;
  const Target &target() const;

  // The bytes of a region of a core's HBM, rows of 512 bytes as the layouts
  // describe them, for reading. NotFound if there is no such region in HBM,
  // FailedPrecondition with timingOnly, or if its rows are not side by side.
  absl::StatusOr<absl::Span<const uint8_t>> readHbm(int region, int core = 0) const;
  // The same for writing: the region counts as in use from here on.
  // ResourceExhausted if that passes the cap; with timingOnly FailedPrecondition, but for what
  // `WriteArguments` is asked for.
  absl::StatusOr<absl::Span<uint8_t>> writeHbm(int region, int core = 0);
  // The bytes of a region of pinned memory, for reading and writing, with the same errors.
  absl::StatusOr<absl::Span<uint8_t>> pinned(int region, int core = 0) const;
  // Copies to and from the beginning of a region of a core's HBM or of pinned memory, wherever its
  // rows are. NotFound if there is no such region, InvalidArgument if it is smaller.
  absl::Status copyIn(int region, absl::Span<const uint8_t> from, int core = 0);
  absl::Status copyOut(int region, absl::Span<uint8_t> to, int core = 0) const;

  // Only on a machine that others use: where the rows of the program's plan of a core's HBM or of
  // pinned memory are, which covers the plan.
  void place(program::Space space, emulation::AddressMap map, int core = 0);

  // Writes the program's constants and executes it from its entry to `halt` on every core. Traps
  // are statuses as in Trap.h; lastTrap() then has the details. `hosts` are the other side
  // of the program's transfers; without them they are traps, except with timingOnly. `cycles`,
  // which may be null, is updated during the run for a monitoring thread.
  //
  // With timingOnly the run is repeated until what control depends on is known, or cannot be
  // computed. Before each repetition `arguments` writes those that are asked for by their region;
  // without it none are known.
  using IsAskedFor = std::function<bool(int region)>;
  using WriteArguments = std::function<absl::Status(const IsAskedFor &)>;
  absl::StatusOr<RunStats> run(const HostPorts &hosts = {}, std::atomic<int64_t> *cycles = nullptr,
                               const WriteArguments &arguments = {});
  const std::optional<TrapInfo> &lastTrap() const;

  // A run in steps, of which the caller may take snapshots; FailedPrecondition with timingOnly.
  // `start` begins it as `run` does. `advance` executes what issues before a cycle, and returns the
  // statistics if all cores have halted, else nothing. With `step`, which may be null, it executes
  // up to where the step's points pause the run, if that comes first: the state is that of a run up
  // to that cycle, if the pause says so.
  // FailedPrecondition but for an interpreted run.
  absl::Status start(const HostPorts &hosts = {});
  absl::StatusOr<std::optional<RunStats>>
  advance(int64_t cycle, std::atomic<int64_t> *cycles = nullptr, PausingStep *step = nullptr);
  // A core's state between steps of a run, until the next one.
  CoreView core(int core = 0) const;
  // Ends the run with the trap of a cancelled one, and returns its status.
  absl::Status cancel(int core = 0);
  // Messages between a core and the host so far.
  int64_t hostMessages(int core = 0) const;
  // The machine after `start`, `advance` or `restore`. FailedPrecondition after a trap. It costs
  // the pages of memory that changed since the last one.
  absl::StatusOr<Snapshot> snapshot();
  // Continues the run of a snapshot, which may come from another process: the same bits, cycles and
  // statistics follow, but for those of memory in use on the host. InvalidArgument, with a machine
  // on which nothing runs, if it is of another program or machine, or of no state that the machine
  // can have.
  absl::Status restore(const Snapshot &snapshot, const HostPorts &hosts = {});

private:
  struct Impl;
  explicit Emulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_EMULATOR_H
