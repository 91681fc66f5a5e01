// The memories that layouts of HLO name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_MEMORIES_H
#define SYSTOLE_COMPILER_IMPORT_HLO_MEMORIES_H

#include "compiler/Import/Hlo/Emitter.h"

namespace systole::hlo {

/// Whether the shape is that of an array in the memory of the host.
bool isOnHost(const ShapeProto &shape);

/// `value`, an array, after it was copied from the memory of shape `from` to that of shape `to`.
mlir::FailureOr<mlir::Value> moveMemory(Emitter &emitter, const Node &node, mlir::Value value,
                                        const ShapeProto &from, const ShapeProto &to);

/// The results of a node. What it computes is in the memory of the host if an operand is; the array
/// is put into that of its shape.
mlir::FailureOr<Values> placeResults(Emitter &emitter, const Node &node, Values results);

/// Marks the arguments and results of the entry that are in the memory of the host, by the shapes
/// of its instructions or by those of the module, a serialized ProgramShapeProto.
void markMemories(mlir::func::FuncOp entry, const Computation &body, llvm::StringRef programShape);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_MEMORIES_H
