// The kind of tensor operations: what layout, fusion and tiling distinguish.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_OPKIND_H
#define SYSTOLE_DIALECTS_STABLEHLO_OPKIND_H

#include "mlir/IR/OpDefinition.h"

namespace systole {

enum class OpKind {
  Constant,    // constant
  Generator,   // iota
  Elementwise, // a result element depends on the operands' elements at its index
  Broadcast,   // broadcast_in_dim
  Reshape,     // reshape
  Movement,    // transpose, reverse, slice, pad, concatenate
  Indexed,     // dynamic_slice, dynamic_update_slice, gather, scatter
  Reduce,      // reduce
  Sort,        // kernel.column_sort
  Lookup,      // kernel.lookup
  Dot,         // dot_general
  Convolution, // convolution
  Control,     // while, if, case
  Transfer,    // kernel.send, recv, offload, fetch: side effects, in program order
  Other,       // terminators, and operations without TensorOpInterface
};

} // namespace systole

#include "dialects/StableHLO/OpKindInterface.h.inc"

namespace systole {

/// The trait of `OpKindOf` in TableGen.
template <OpKind kind> struct HasOpKind {
  template <typename ConcreteOp> struct Impl : TensorOpInterface::Trait<ConcreteOp> {
    static OpKind getOpKind() { return kind; }
  };
};

} // namespace systole

#endif // SYSTOLE_DIALECTS_STABLEHLO_OPKIND_H
