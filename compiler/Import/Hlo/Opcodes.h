// The table of supported HLO opcodes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_OPCODES_H
#define SYSTOLE_COMPILER_IMPORT_HLO_OPCODES_H

#include "compiler/Import/Hlo/Emitter.h"

namespace systole::hlo {

using Build = mlir::FailureOr<Values> (*)(Emitter &, const Node &);

struct Opcode {
  static constexpr int kAny = -1;

  llvm::StringLiteral name;
  Build build;
  int operands = 1;                 // required number of operands
  int calls = 0;                    // required number of called computations
  llvm::StringLiteral becomes = ""; // the target operation, if `build` serves several opcodes
  bool takesTuples = false;         // whether operands may be tuples or tokens
};

/// Null for an unsupported opcode.
const Opcode *findOpcode(llvm::StringRef name);

// The groups of opcodes, one per file.
llvm::ArrayRef<Opcode> elementwiseOpcodes();
llvm::ArrayRef<Opcode> movementOpcodes();
llvm::ArrayRef<Opcode> indexingOpcodes();
llvm::ArrayRef<Opcode> contractionOpcodes();
llvm::ArrayRef<Opcode> reductionOpcodes();
llvm::ArrayRef<Opcode> controlOpcodes();
llvm::ArrayRef<Opcode> asyncOpcodes();
llvm::ArrayRef<Opcode> collectiveOpcodes();
llvm::ArrayRef<Opcode> compositeOpcodes();

// Attributes that several groups have.

template <typename Numbers>
mlir::NamedAttribute numbersAttribute(Emitter &emitter, llvm::StringRef name,
                                      const Numbers &numbers) {
  return emitter.builder.getNamedAttr(
      name, emitter.builder.getDenseI64ArrayAttr(
                llvm::SmallVector<int64_t>(numbers.begin(), numbers.end())));
}

inline mlir::NamedAttribute flagAttribute(Emitter &emitter, llvm::StringRef name, bool value) {
  return emitter.builder.getNamedAttr(name, emitter.builder.getBoolAttr(value));
}

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_OPCODES_H
