// Reads the bodies of Pallas kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/ReadMosaic.h"

#include "compiler/Import/Mosaic/Serialized.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace systole {

void registerMosaicDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, tpu::MosaicDialect, vector::VectorDialect>();
}

FailureOr<OwningOpRef<ModuleOp>> readMosaic(StringRef bytes, Location loc) {
  // Operations have their names, and the text of attributes its parser, once their dialects are
  // loaded.
  loc.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tpu::MosaicDialect,
                    vector::VectorDialect>();
  SerializedMosaic format;
  OwningOpRef<ModuleOp> module = artifact::readModule(bytes, format, loc);
  if (!module)
    return failure();
  return std::move(module);
}

} // namespace systole
