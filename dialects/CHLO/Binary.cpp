// The CHLO operations on two tensors of one type.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::chlo;

#define GET_OP_CLASSES
#include "dialects/CHLO/Binary.cpp.inc"

void CHLODialect::registerBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/Binary.cpp.inc"
      >();
}
