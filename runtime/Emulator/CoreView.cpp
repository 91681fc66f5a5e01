// A core's state between two steps of a run, for reading.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/CoreView.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/Core.h"

namespace systole {

using emulation::RunState;

ProgramPoint CoreView::point() const {
  const emulation::CoreState &core = state->state;
  const emulation::ControlState &control = core.control;
  ProgramPoint point;
  point.isWaiting = core.run == RunState::Waiting;
  point.hasHalted = core.run == RunState::Halted;
  point.isBlocked = point.isWaiting && core.due() == INT64_MAX;
  point.cycle = core.due() == INT64_MAX ? core.clock : core.due();
  point.lastCycle = core.issued;
  point.last = core.clock > 0 ? control.bundle : -1;
  if (!point.hasHalted)
    point.bundle = point.isWaiting         ? control.bundle
                   : control.resumeAt >= 0 ? control.resumeAt
                                           : state->code().blocks[size_t(control.block)].begin;
  point.kernel = state->kernel();
  for (const emulation::Call &call : control.calls)
    point.callers.push_back(call.kernel);
  point.loopsLeft = control.loops;
  return point;
}

uint32_t CoreView::scalar(int number) const {
  assert(number >= 0 && number < isa::kScalarRegisters && "a scalar register");
  return state->state.registers.s[number];
}

absl::Span<const uint32_t> CoreView::vector(int number) const {
  assert(number >= 0 && number < isa::kVectorRegisters && "a vector register");
  return {state->state.registers.v[number], size_t(kCells)};
}

absl::Span<const uint32_t> CoreView::mask(int number) const {
  assert(number >= 0 && number < isa::kMaskRegisters && "a mask register");
  return {state->state.registers.m[number], size_t(kCells)};
}

int32_t CoreView::flag(int number) const { return state->state.flags.at(size_t(number)); }

std::vector<CopyView> CoreView::copies() const {
  std::vector<CopyView> found;
  for (const emulation::Copy &copy : state->state.copies.inFlight)
    found.push_back({copy.begin, copy.finish, copy.flag, copy.src.space, copy.dst.space,
                     copy.src.base, copy.dst.base, copy.src.words()});
  return found;
}

absl::Status CoreView::read(program::Space space, int64_t first, absl::Span<uint32_t> words) const {
  const int64_t count = int64_t(words.size());
  const int64_t size = space == program::HOST ? 0 : int64_t(state->memory.bytes(space) / 4);
  if (first < 0 || count > size || first > size - count)
    return absl::OutOfRangeError(absl::StrCat("words ", first, " to ", first + count, " of ",
                                              program::Space_Name(space), ", which has ", size));
  // Reading does not change a memory, but may let a copy that a helper does be finished.
  const_cast<emulation::Core *>(state)->memory.read(space, first, count, words.data());
  return absl::OkStatus();
}

} // namespace systole
