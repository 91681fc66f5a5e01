// The reason why a run stopped before its end, with the position and the values concerned.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_TRAP_H
#define SYSTOLE_RUNTIME_EMULATOR_TRAP_H

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace systole {

enum class TrapKind : uint8_t {
  ReadTooEarly,   // a register, weights or memory before their latency has passed
  WriteConflict,  // a result that would arrive no later than an earlier one
  FifoEmpty,      // a pop with nothing pushed
  FifoFull,       // a push without a free entry
  PopTooEarly,    // a pop before the result's latency has passed
  UnitBusy,       // a push within the unit's issue interval
  TransposeOrder, // another XLU push inside a transposed block, or a block too long
  MemoryOwned,    // memory that a copy in flight reads or writes
  OutOfBounds,    // an address outside its region
  BadOperand,     // a region, extent, core or count that does not exist
  QueueFull,      // more copies to other cores in flight than the queue holds
  Deadlock,       // a wait that nothing in flight can end
  LoopDepth,
  CallDepth,
  BadControl,     // control leaves a routine other than by `ret`
  NotResident,    // a bundle that is not in instruction memory
  CopiesInFlight, // at `halt`
  Instruction,    // a `trap` instruction whose condition holds
  Watchdog,       // more cycles than the run may take
  Cancelled,
  MemoryCap, // more host memory than the run may take
  Unknown,   // timing only: control depends on data that was not computed
  Unsupported,
  Host, // the host's end of a transfer failed
  count_,
};

// "read too early", ...
std::string_view name(TrapKind kind);

struct TrapInfo {
  TrapKind kind = TrapKind::count_;
  std::string text; // the event, with the values concerned
  int64_t bundle = -1;
  std::string kernel;    // "" outside all kernels
  std::string source;    // "file.py:12:3", or ""
  std::string nameStack; // of the kernel: "jit(f)/dense/dot_general", or ""
  int64_t cycle = 0;     // at which the bundle issued
  int core = 0;
  int64_t clock = 0;  // of the core when it stopped
  absl::Status cause; // an error from outside that ended the run, instead of a trap
};

// "read too early: v3 ... (bundle 17, kernel `dot`, file.py:12:3, cycle 118)";
// the status code depends on the kind: Cancelled, DeadlineExceeded (watchdog),
// ResourceExhausted (memory cap), OutOfRange, Unimplemented, Aborted for a trap
// instruction, FailedPrecondition for the rest. A cause is returned unchanged.
absl::Status toStatus(const TrapInfo &trap);

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_TRAP_H
