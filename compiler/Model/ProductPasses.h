// The passes of a product: parts of its operands that the MXUs multiply exactly.
//
// The MXUs multiply bf16. A bf16 is one part; an f16 is two, an f32 one, two or three by the
// requested precision; an integer is one part per byte. A product of sums is a sum of products of
// parts: each of these is a pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_PRODUCTPASSES_H
#define SYSTOLE_COMPILER_MODEL_PRODUCTPASSES_H

#include "compiler/Model/DotShape.h"

#include "mlir/IR/Types.h"

namespace systole {

struct ProductPasses {
  /// `precision` passes for f32: 1, 3 or 6.
  ProductPasses(mlir::Type lhs, mlir::Type rhs, unsigned precision);

  bool isInteger;
  int lhsParts, rhsParts;
  /// The numbers of the two parts of each pass, from 0 for the most significant part of a float and
  /// the least significant byte of an integer, in the order in which products are added.
  llvm::SmallVector<std::pair<int, int>, 10> order;

  /// Whether all passes but the first are a loop. With fewer rows the MXUs wait for latches anyway,
  /// and the operands are read about once.
  bool areLoop(const DotShape &shape) const;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_PRODUCTPASSES_H
