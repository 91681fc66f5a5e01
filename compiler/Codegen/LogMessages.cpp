// The table of a module's log messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/LogMessages.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Layout/LogTable.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace systole;

/// Of a `kernel.log`: the number of its message.
static constexpr llvm::StringLiteral kNumber = "message";

LogicalResult codegen::numberLogMessages(ModuleOp module) {
  Builder b(module.getContext());
  llvm::SetVector<Attribute> messages;
  WalkResult walked = module.walk([&](kernel::LogOp log) {
    SmallVector<NamedAttribute> parts = {b.getNamedAttr("texts", log.getTexts()),
                                         b.getNamedAttr("values", log.getValues())};
    if (log.getTyped())
      parts.push_back(b.getNamedAttr("typed", b.getUnitAttr()));
    Attribute message = b.getDictionaryAttr(parts);
    messages.insert(message);
    if (messages.size() > size_t(kMostLogMessages)) {
      emitUnimplemented(log.getLoc())
          << "more than " << kMostLogMessages << " different messages that kernels log";
      return WalkResult::interrupt();
    }
    auto number = llvm::find(messages, message) - messages.begin();
    log->setAttr(kNumber, b.getI32IntegerAttr(static_cast<int32_t>(number)));
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (!messages.empty())
    module->setAttr("core.log_messages", b.getArrayAttr(messages.getArrayRef()));
  return success();
}

void codegen::lowerLog(kernel::LogOp log, Value word, Emitter &e) {
  auto number = log->getAttrOfType<IntegerAttr>(kNumber);
  core::LogWordOp::create(e.b, e.loc, word, static_cast<uint32_t>(number.getInt()));
}
