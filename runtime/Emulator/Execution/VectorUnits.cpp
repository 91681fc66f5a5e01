// The scalar unit's flags and traps, and vector instructions within lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/CellUnits.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

// Adds to a flag of a core: at once to this one's, which -1 is, too.
static bool addToFlag(Core &core, const Op &op, int32_t to, int32_t flag, int32_t value) {
  if (to < -1 || to >= core.program().header.cores())
    return core.failOp(op, TrapKind::BadOperand,
                       absl::StrCat("names core ", to, " of ", core.program().header.cores()));
  if (flag < 0 || flag >= isa::kSyncFlags)
    return core.failOp(op, TrapKind::BadOperand,
                       absl::StrCat("names flag ", flag, " of ", isa::kSyncFlags));
  if (to == -1 || to == core.index) {
    int32_t &own = core.state.flags[size_t(flag)];
    own = int32_t(uint32_t(own) + uint32_t(value));
    return true;
  }
  Send send{core.index, to, core.kernel(), core.state.clock};
  send.message.from = core.index;
  send.message.flag = flag;
  send.message.add = value;
  core.outgoing.push_back(std::move(send));
  return true;
}

template <Mode mode> bool flagOrTrap(Core &core, const Op &op) {
  switch (op.handler) {
  case Handler::CoreNumber:
    *core.registerAt(op.destOffset) = uint32_t(core.index);
    if constexpr (tracks(mode))
      originAt(core, op.destOffset) = kKnown;
    return true;
  case Handler::FlagRead:
    *core.registerAt(op.destOffset) = uint32_t(core.state.flags[op.count]);
    if constexpr (tracks(mode))
      originAt(core, op.destOffset) = kKnown;
    return true;
  case Handler::FlagAdd:
  case Handler::FlagSignal: {
    const bool isSignal = op.handler == Handler::FlagSignal;
    if constexpr (tracks(mode))
      if (Origin origin =
              core.known.join(core.known.join(originOf(core, op, 0), originOf(core, op, 1)),
                              isSignal ? originOf(core, op, 2) : kKnown);
          origin != kKnown) {
        core.known.demand->need(origin);
        return core.failOp(op, TrapKind::Unknown, "depends on data that was not computed");
      }
    return addToFlag(core, op, core.signedScalar(op, 1),
                     isSignal ? core.signedScalar(op, 2) : op.count, core.signedScalar(op, 0));
  }
  default:
    // Without data, assertions hold.
    if (tracks(mode) && originOf(core, op, 0) != kKnown)
      return true;
    if (core.scalar(op, 0) == 0)
      return true;
    if (op.aux < core.program().header.traps_size())
      return core.fail(TrapKind::Instruction, core.program().header.traps(op.aux));
    return core.fail(TrapKind::Instruction, absl::StrCat("code ", op.aux));
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

template <Mode mode> bool vectorOp(Core &core, const Op &op) {
  if constexpr (mode == Mode::Clock)
    return true;
  if constexpr (mode == Mode::Known) {
    const bool commits = op.handler == Handler::CommitVector || op.handler == Handler::CommitMask;
    Origin &result = originAt(core, op.destOffset);
    result = commits ? originAt(core, op.operands[0]) : originOfReads(core, op);
    if (result != kKnown)
      return true;
  }
  int64_t scalars[kMostArguments] = {};
  int count = 0;
  for (int i = 0; i < op.operandCount; ++i)
    if (op.scalars >> i & 1)
      scalars[count++] = core.scalar(op, i);
  if constexpr (mode == Mode::Deferred)
    core.waiting.add(scalars, size_t(count));
  else
    computeCells(core, op, scalars);
  return true;
}

template bool flagOrTrap<Mode::Full>(Core &, const Op &);
template bool flagOrTrap<Mode::Clock>(Core &, const Op &);
template bool flagOrTrap<Mode::Known>(Core &, const Op &);
template bool vectorOp<Mode::Full>(Core &, const Op &);
template bool vectorOp<Mode::Deferred>(Core &, const Op &);
template bool vectorOp<Mode::Clock>(Core &, const Op &);
template bool vectorOp<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
