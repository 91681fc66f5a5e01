// One core of a machine that executes a program: its state, its memories, and access to both for
// its units.
//
// Its control is in Control.h, its instructions are in Interpreter.h.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CORE_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CORE_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Execution/CopyEngine.h"
#include "runtime/Emulator/Execution/InstructionMemory.h"
#include "runtime/Emulator/Execution/KnownValues.h"
#include "runtime/Emulator/Execution/Statistics.h"
#include "runtime/Emulator/LogSink.h"
#include "runtime/Emulator/State/CoreState.h"
#include "runtime/Emulator/State/Memory.h"
#include "runtime/Emulator/Timing/CoreTiming.h"
#include "runtime/Emulator/Trap.h"

namespace systole::emulation {

// A program for a core to run, and how. The program and its code outlive the runs.
struct CoreSetup {
  const Program &program;
  const Code &code;
  int64_t maxCycles = 0;           // 0: no limit
  int64_t assumedTrips = -1;       // negative: not stated
  int index = 0;                   // of the core in the program
  bool keepsDeadRegisters = false; // in snapshots
};

// The inputs of a run besides its arguments. Pointers may be null.
struct RunInputs {
  Demand *demand = nullptr; // for timing only
  HostPort *port = nullptr;
  const std::atomic<bool> *cancel = nullptr;
  const LogSink *log = nullptr;
  bool traces = false, countsCopies = false;
};

// What a program uses of a core's memories.
MemorySize sizeOf(const program::ProgramHeader &header);

// Arguments of operations whose cells wait (CellUnits.h), in the order of the operations.
class WaitingArguments {
public:
  // Makes room for more.
  void reserve(size_t more) {
    if (count + more > values.size())
      values.resize(std::max(count + more, 2 * values.size()));
  }
  void add(const int64_t *from, size_t more) {
    assert(count + more <= values.size() && "room was made");
    std::copy_n(from, more, values.data() + count);
    count += more;
  }
  const int64_t *data() const { return values.data(); }
  size_t room() const { return values.size(); }
  void clear() { count = 0; }

private:
  std::vector<int64_t> values;
  size_t count = 0;
};

// A message to a core, which may be the sender, that the network has not taken yet.
struct Send {
  int from, to;
  int kernel;           // of the sender, or -1
  int64_t issued;       // cycle
  int64_t begin = 0;    // of a copy: the cycles from which its words leave memory, and at which
  int64_t readEnd = 0;  // all have
  int64_t ticket = 0;   // of a copy (State/CopyState.h); 0 for a flag
  int64_t hbmBytes = 0; // of a copy, from HBM
  Message message = {};
};

class Core {
public:
  // A core with memories of a size. With timingOnly it keeps what is known of them, instead of all
  // values of units. ResourceExhausted if the host lacks memory.
  static absl::StatusOr<std::unique_ptr<Core>> create(const CoreTiming &timing, Memory memory,
                                                      const MemorySize &size, bool timingOnly);
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  // The next runs are of this program, which its memories have room for.
  absl::Status load(const CoreSetup &setup);
  // The beginning of a run: everything is zero, but for HBM and pinned memory.
  void reset(const RunInputs &inputs);

  // Adds the counts of the run to the statistics.
  void collect(RunStats &stats) const;

  int kernel() const { return statistics.kernelOf(state.control); }
  // Lets time pass that the kernel's statistics have as `what`.
  void spend(int64_t cycles, int64_t KernelStats::*what) {
    assert(cycles >= 0 && "time goes on");
    state.clock += cycles;
    KernelStats &stats = statistics.of(state.control);
    stats.cycles += cycles;
    stats.*what += cycles;
  }

  // Ends the run with a trap; returns false.
  bool fail(TrapKind kind, const std::string &text);
  [[gnu::cold, gnu::noinline]] bool failOp(const Op &op, TrapKind kind, const std::string &text);
  // A trap at the bundle that issued last.
  TrapInfo describe(TrapKind kind, const std::string &text) const;

  // Register operands; literals are stored in the operation.
  uint32_t *registerAt(int32_t offset) {
    assert(offset >= 0 && offset < int32_t(sizeof(Registers)) && offset % 4 == 0 && "a register");
    return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(&state.registers) + offset);
  }
  const uint32_t *operand(const Op &op, int i) {
    const int32_t *literal = &op.operands[size_t(i)];
    return op.literals >> i & 1 ? reinterpret_cast<const uint32_t *>(literal)
                                : registerAt(*literal);
  }
  uint32_t scalar(const Op &op, int i) { return *operand(op, i); }
  int32_t signedScalar(const Op &op, int i) { return int32_t(scalar(op, i)); }
  const Program &program() const { return *loaded; }
  const Code &code() const { return *decoded; }

  const CoreTiming &timing;
  const KernelTable &table = kernels();
  const bool timingOnly;
  int index = 0; // in the program
  int64_t maxCycles = 0, assumedTrips = -1;

  CoreState state;
  Memory memory;
  Statistics statistics;
  KnownValues known;
  CopyEngine copies;
  InstructionMemory instructions;
  std::vector<Send> outgoing;
  const LogSink *log = nullptr;
  TrapInfo trap;
  VectorRegister scratch;
  WaitingArguments waiting;               // of operations whose cells wait
  LazyVector<SpacedRegister> temporaries; // of plans
  // While cells wait: the sublanes in which masks have cells, or -1 where it is not known.
  std::array<int16_t, Registers::kMasks> maskRows{};
  bool keepsDeadRegisters = false;
  bool hasRestored = false; // a state, with any contents of registers

private:
  Core(const CoreTiming &timing, Memory memory, bool timingOnly);
  void allocate();
  void clearRegisters();

  const Program *loaded = nullptr;
  const Code *decoded = nullptr;
  std::vector<int32_t> written; // by the last run, as in Code
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CORE_H
