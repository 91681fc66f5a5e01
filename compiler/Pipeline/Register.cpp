// Registers the dialects and passes of the compiler.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Pipeline/Register.h"

#include "compiler/Codegen/Passes.h"
#include "compiler/Emit/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"
#include "compiler/Import/Passes.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Model/Passes.h"
#include "compiler/Mosaic/Passes.h"
#include "compiler/Numerics/Passes.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Planning/Passes.h"
#include "compiler/Residency/Passes.h"
#include "compiler/Tiling/Passes.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/Core/Core.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/VHLO/VHLO.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void systole::registerAllDialects(DialectRegistry &registry) {
  // Dialects of input programs.
  registry.insert<func::FuncDialect, chlo::CHLODialect, stablehlo::StableHLODialect,
                  quant::QuantDialect>();
  // Dialects of portable artifacts.
  registry.insert<vhlo::VhloDialect, sdy::SdyDialect>();
  // Dialects of kernels.
  registry.insert<affine::AffineDialect, arith::ArithDialect, scf::SCFDialect>();
  registry.insert<kernel::KernelDialect, core::CoreDialect>();
  // Dialects of Pallas kernels.
  registerMosaicDialects(registry);
}

void systole::registerAllPasses() {
  // Passes of MLIR, of which the pipeline uses some.
  registerTransformsPasses();
  // Passes of Systole, in the order of the pipeline.
  registerSystoleImportPasses();
  registerSystolePartitionPasses();
  registerSystoleNumericsPasses();
  registerSystoleLegalizePasses();
  registerSystoleGraphPasses();
  registerSystoleLayoutPasses();
  registerSystolePlanningPasses();
  registerSystoleModelPasses();
  registerSystoleFusionPasses();
  registerSystoleResidencyPasses();
  registerSystoleMosaicLoweringPasses();
  registerSystoleTilingPasses();
  registerSystoleCodegenPasses();
  registerSystoleSchedulePasses();
  registerPipelines();
}
