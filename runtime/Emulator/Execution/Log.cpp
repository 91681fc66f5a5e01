// The log of a core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/LogMessages.h"
#include "runtime/Emulator/Execution/Units.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::emulation {

bool logWord(Core &core, const Op &op) {
  PartialMessage &partial = core.state.log;
  const program::LogMessage &message = core.program().header.log_messages(op.aux);
  if (partial.words.empty())
    partial.message = op.aux;
  else if (partial.message != op.aux)
    return core.failOp(op, TrapKind::BadOperand,
                       absl::StrCat("is for log message ", op.aux, " while message ",
                                    partial.message, " is not complete"));
  partial.words.push_back(core.scalar(op, 0));
  if (int64_t(partial.words.size()) < wordsOf(message))
    return true;
  if (core.log && *core.log) {
    const DefaultFloatingPoint keepsDenormals;
    (*core.log)({core.index, core.state.clock, renderLog(message, partial.words)});
  }
  partial.words.clear();
  return true;
}

} // namespace systole::emulation
