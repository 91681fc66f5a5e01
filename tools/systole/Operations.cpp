// `systole operations`: the operations that the compiler does not support.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Operations.h"
#include "tools/systole/Commands.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

void addOperations(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("operations", "List the operations that are not supported, as Markdown");
  command->callback([] { llvm::outs() << unsupportedOperationsPage(); });
}

} // namespace systole
