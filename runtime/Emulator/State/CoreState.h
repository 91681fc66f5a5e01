// The state of one core but for its memories: what, with these, decides all that it does next.
//
// A value: it can be copied. `captureCore` (Snapshot.h) puts it in a form that can be compared and
// written to a file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_CORESTATE_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_CORESTATE_H

#include <array>
#include <cstdint>
#include <vector>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "runtime/Emulator/State/CopyState.h"
#include "runtime/Emulator/State/Registers.h"
#include "runtime/Emulator/State/Units.h"

namespace systole::emulation {

enum class RunState : uint8_t { Running, Waiting, Halted, Trapped };

// Where a routine was called.
struct Call {
  int32_t back = -1;   // the continuation after it
  int32_t kernel = -1; // the caller's
  uint64_t loops = 0;  // that were open
};

struct ControlState {
  int32_t block = -1;
  int32_t bundle = 0; // the last one that issued
  // The bundle of `block` with which an interrupted execution of the block goes on, or -1.
  int32_t resumeAt = -1;
  uint32_t value = 0;         // the operand of the bundle's control instruction
  int32_t inherited = -1;     // the caller's kernel, for blocks that have none
  std::vector<int32_t> loops; // iterations left
  std::vector<Call> calls;
  // By overlay: the cycle at which its load arrives, or a constant of InstructionMemory.h.
  std::vector<int64_t> overlays;
};

// A log message of which words are missing.
struct PartialMessage {
  int32_t message = 0; // index into the header's
  std::vector<uint32_t> words;
};

struct CoreState {
  RunState run = RunState::Running;
  int64_t clock = 0;
  int64_t issued = 0;            // cycle of the last bundle
  int64_t nextEvent = INT64_MAX; // a copy completes or a message arrives
  ControlState control;

  Registers registers{};
  std::array<int64_t, kRegisters> ready{}; // cycle from which each may be read
  std::array<Fifo, kFifos> fifos;
  std::array<int64_t, kBusyUnits> freeAt{}; // cycle from which each unit accepts an instruction
  // Rows to transpose, of which groups of eight are collected; 0: no block is open.
  std::vector<VectorRegister> transposeBlock;
  int transposeRows = 0;
  std::array<MxuState, kMaxMxus> mxus;

  std::array<int32_t, isa::kSyncFlags> flags{};
  CopyState copies;
  std::vector<Message> inbox;
  PartialMessage log;

  // Cycle from which it can go on; INT64_MAX if nothing will wake it.
  int64_t due() const { return run == RunState::Waiting ? nextEvent : clock; }
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_CORESTATE_H
