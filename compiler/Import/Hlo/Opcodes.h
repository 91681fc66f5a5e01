// How each opcode of HLO is built.
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
  int operands = 1;                 // how many there must be
  int calls = 0;                    // how many computations must be called
  llvm::StringLiteral becomes = ""; // the operation, where `build` is for several
  bool takesTuples = false;         // whether operands may be other than arrays
};

/// Null for an opcode that is not built.
const Opcode *findOpcode(llvm::StringRef name);

// The families, each with a file of its own.
llvm::ArrayRef<Opcode> elementwiseOpcodes();
llvm::ArrayRef<Opcode> movementOpcodes();
llvm::ArrayRef<Opcode> indexingOpcodes();
llvm::ArrayRef<Opcode> contractionOpcodes();
llvm::ArrayRef<Opcode> reductionOpcodes();
llvm::ArrayRef<Opcode> controlOpcodes();
llvm::ArrayRef<Opcode> asyncOpcodes();
llvm::ArrayRef<Opcode> collectiveOpcodes();
llvm::ArrayRef<Opcode> compositeOpcodes();

// Attributes that several families have.

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
