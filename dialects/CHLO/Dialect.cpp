// The CHLO dialect: registration of its operations and attributes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole::chlo;

#include "dialects/CHLO/CHLODialect.cpp.inc"

#include "dialects/CHLO/CHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/CHLO/CHLOAttrs.cpp.inc"

void CHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/CHLO/CHLOAttrs.cpp.inc"
      >();
}

void CHLODialect::initialize() {
  registerAttributes();
  registerBinaryOps();
  registerBroadcastOps();
  registerComposedOps();
  registerCreationOps();
  registerOrderingOps();
  registerUnaryOps();
}
