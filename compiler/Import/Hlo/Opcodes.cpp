// The table of supported HLO opcodes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"

using namespace mlir;

namespace systole::hlo {

const Opcode *findOpcode(StringRef name) {
  static const llvm::StringMap<const Opcode *> table = [] {
    llvm::StringMap<const Opcode *> all;
    for (ArrayRef<Opcode> family : {elementwiseOpcodes(), movementOpcodes(), indexingOpcodes(),
                                    contractionOpcodes(), reductionOpcodes(), controlOpcodes(),
                                    asyncOpcodes(), collectiveOpcodes(), compositeOpcodes()})
      for (const Opcode &opcode : family)
        all[opcode.name] = &opcode;
    return all;
  }();
  return table.lookup(name);
}

} // namespace systole::hlo
