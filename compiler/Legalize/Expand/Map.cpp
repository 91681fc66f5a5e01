// Expands map to its body's operations on whole tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Tensor/Tensors.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

Value expandMap(MapOp op) {
  if (failed(checkElementwise(op.getComputation())))
    return nullptr;
  Tensors t(op);
  return applyBody(t, op.getComputation(), op.getInputs()).front();
}

} // namespace systole::expansion
