// The windows of a Mosaic kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Windows.h"

#include "dialects/Kernel/Bounds.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole::mosaic {

LogicalResult checkCall(kernel::MosaicCallOp call, ModuleOp body) {
  if (failed(checkKernel(body)))
    return failure();
  MosaicKernel kernel = kernelOf(body);
  size_t bounds = llvm::count(kernel.bounds, ShapedType::kDynamic);
  size_t taken = bounds + kernel.prefetched + kernel.windows;
  size_t passed = call.getInputs().size() + call.getOutputs().size();
  if (passed == taken && call.getInputs().size() >= bounds + kernel.prefetched)
    return success();
  return call.emitOpError() << "passes " << passed
                            << " operands and results to a kernel that takes " << taken;
}

SmallVector<Window> windowsOf(const MosaicKernel &kernel, int64_t operands) {
  func::FuncOp function = kernel.function;
  SmallVector<Window> windows;
  auto module = function->getParentOfType<ModuleOp>();
  int64_t first = llvm::count(kernel.bounds, ShapedType::kDynamic) + kernel.prefetched;
  auto params = function->getAttrOfType<ArrayAttr>(kWindowParams);
  for (unsigned number = 0; number < kernel.windows; ++number) {
    Window window;
    window.argument = function.getArgument(kernel.firstWindow() + number);
    window.type = cast<MemRefType>(window.argument.getType());
    int64_t operand = first + number;
    window.number = operand < operands ? operand : -1 - (operand - operands);
    auto entry = params ? cast<DictionaryAttr>(params[number]) : DictionaryAttr();
    if (auto transform =
            entry ? entry.getAs<FlatSymbolRefAttr>(kTransformIndices) : FlatSymbolRefAttr())
      window.transform = module.lookupSymbol<func::FuncOp>(transform);
    if (auto kind =
            entry ? entry.getAs<tpu::ElementWindowAttr>(kWindowKind) : tpu::ElementWindowAttr()) {
      window.isElements = true;
      window.padLow.assign(kind.getPadLow().begin(), kind.getPadLow().end());
      window.padHigh.assign(kind.getPadHigh().begin(), kind.getPadHigh().end());
    }
    if (auto mode =
            entry ? entry.getAs<tpu::PipelineModeAttr>(kPipelineMode) : tpu::PipelineModeAttr())
      window.isSynchronous = mode.getValue() == tpu::PipelineMode::synchronous;
    if (auto mode =
            entry ? entry.getAs<tpu::RevisitModeAttr>(kRevisitMode) : tpu::RevisitModeAttr())
      window.isRevisited = mode.getValue() == tpu::RevisitMode::any;
    windows.push_back(std::move(window));
  }
  return windows;
}

bool hasAffineWindows(const MosaicKernel &kernel, int64_t operands) {
  // A grid without points is a loop without iterations.
  return llvm::none_of(kernel.bounds, [](int64_t bound) { return bound <= 0; }) &&
         llvm::all_of(windowsOf(kernel, operands), [&](const Window &window) {
           return !window.transform || affineMapOf(window.transform, kernel.bounds);
         });
}

std::optional<AffineMap> affineMapOf(func::FuncOp transform, ArrayRef<int64_t> grid) {
  unsigned gridRank = grid.size();
  MLIRContext *context = transform.getContext();
  llvm::DenseMap<Value, AffineExpr> known;
  for (unsigned dim = 0; dim < gridRank; ++dim)
    known[transform.getArgument(dim)] = getAffineDimExpr(dim, context);
  for (Operation &op : transform.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1)
      return std::nullopt;
    AffineExpr result;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = dyn_cast<IntegerAttr>(constant.getValue());
      if (!value || value.getType().isInteger(1))
        return std::nullopt;
      result = getAffineConstantExpr(value.getInt(), context);
    } else {
      SmallVector<AffineExpr> x;
      for (Value operand : op.getOperands())
        if (AffineExpr expr = known.lookup(operand))
          x.push_back(expr);
        else
          return std::nullopt;
      auto constantOf = [&](size_t number) { return dyn_cast<AffineConstantExpr>(x[number]); };
      // Affine divisions round down, these towards zero: they are equal where nothing is negative.
      auto isDivisor = [&] {
        std::optional<kernel::Bounds> dividend = kernel::boundsOf(x[0], grid);
        return constantOf(1) && constantOf(1).getValue() > 0 && dividend && dividend->min >= 0;
      };
      if (isa<arith::AddIOp>(op))
        result = x[0] + x[1];
      else if (isa<arith::SubIOp>(op))
        result = x[0] - x[1];
      else if (isa<arith::MulIOp>(op) && (constantOf(0) || constantOf(1)))
        result = x[0] * x[1];
      else if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op) && isDivisor())
        result = x[0].floorDiv(x[1]);
      else if (isa<arith::RemSIOp, arith::RemUIOp>(op) && isDivisor())
        result = x[0] % x[1];
      else if (isa<arith::IndexCastOp>(op))
        result = x[0];
      else
        return std::nullopt;
    }
    known[op.getResult(0)] = result;
  }
  SmallVector<AffineExpr> results;
  for (Value value : transform.getBody().front().getTerminator()->getOperands())
    if (AffineExpr expr = known.lookup(value))
      results.push_back(simplifyAffineExpr(expr, gridRank, 0));
    else
      return std::nullopt;
  return AffineMap::get(gridRank, 0, results, context);
}

/// Whether all that is done with a ref are copies of boxes of 128 columns.
static bool hasOnlyColumnTiles(Value ref) {
  return llvm::all_of(ref.getUsers(), [&](Operation *user) {
    if (isa<tpu::EnqueueDMAOp, tpu::WaitDMA2Op>(user))
      return cast<MemRefType>(ref.getType()).getShape().back() == kLanes;
    return isa<tpu::MemRefSliceOp, tpu::MemRefSqueezeOp, tpu::EraseLayoutOp>(user) &&
           cast<MemRefType>(user->getResult(0).getType()).getRank() > 0 &&
           hasOnlyColumnTiles(user->getResult(0));
  });
}

bool isInHbm(const Window &window) {
  auto space = dyn_cast_or_null<tpu::MemorySpaceAttr>(window.type.getMemorySpace());
  return !space || space.getValue() == tpu::MemorySpace::any ||
         space.getValue() == tpu::MemorySpace::hbm;
}

bool mayBePanels(const Window &window) {
  ArrayRef<int64_t> shape = window.type.getShape();
  return isInHbm(window) && !window.transform && shape.size() >= 2 && shape.back() > kLanes &&
         shape.back() % kLanes == 0 && hasOnlyColumnTiles(window.argument);
}

bool isCopiedInColumnTiles(const Window &window) {
  return mayBePanels(window) && !window.argument.use_empty();
}

} // namespace systole::mosaic
