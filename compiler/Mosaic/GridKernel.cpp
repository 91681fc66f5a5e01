// Mosaic kernels whose index maps are affine: the grid and blocks are those of `kernel.func`.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Skeleton.h"
#include "dialects/Kernel/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::mosaic {

namespace {

class GridKernel final : public Skeleton {
public:
  using Skeleton::Skeleton;

private:
  SmallVector<int64_t> grid() override { return source.bounds; }

  /// The index map of a window, as its array lies.
  AffineMap mapOf(const Window &window) {
    AffineMap map = *affineMapOf(window.transform, source.bounds);
    if (!isPanels(window))
      return map;
    SmallVector<AffineExpr> results(map.getResults());
    results.insert(results.end() - 2, results.back());
    results.back() = b.getAffineConstantExpr(0);
    return AffineMap::get(map.getNumDims(), 0, results, b.getContext());
  }

  LogicalResult addBlocks(const Window &window) override {
    RankedTensorType array = arrayOf(window.number);
    ArrayRef<int64_t> shape = array.getShape();
    SmallVector<int64_t> block = blockShape(window);
    AffineMap map = mapOf(window);
    if (map.getNumResults() != block.size() || block.size() != shape.size())
      return unsupported("an index map of another rank than its operand");
    for (auto [part, extent] : llvm::zip_equal(block, shape))
      if (part > extent)
        return unsupported("a block that is larger than its array");
    if (!window.isElements)
      for (auto [dim, result] : llvm::enumerate(map.getResults())) {
        std::optional<kernel::Bounds> bounds = kernel::boundsOf(result, source.bounds);
        int64_t blocks = llvm::divideCeil(shape[dim], block[dim]);
        if (!bounds || bounds->min < 0 || bounds->max >= blocks)
          return emitError(location())
                 << "Pallas kernel '" << source.function.getSymName() << "' reaches block "
                 << (bounds ? (bounds->min < 0 ? bounds->min : bounds->max) : 0) << " of "
                 << (window.isOutput() ? "result " : "operand ")
                 << (window.isOutput() ? -1 - window.number : window.number) << " in dimension "
                 << dim << ", which has " << blocks << " blocks of " << block[dim];
      }
    auto role = window.isOutput() ? kernel::Role::out : kernel::Role::in;
    const int64_t buffers = window.isSynchronous ? 1 : 2;
    if (!window.isElements) {
      if (!kernel::startsAtWholeRows(buffer(shape, array.getElementType(), kernel::Space::hbm),
                                     block))
        return unsupported("a block that does not start at a row of 512 bytes");
      add(array, kernel::OperandAttr::get(b.getContext(), role, block, map, buffers),
          window.argument);
      return success();
    }
    if (window.isOutput())
      return unsupported("a result in blocks that start at any element");
    SmallVector<int64_t> ones(shape.size(), 1), offset;
    for (int64_t pad : window.padLow)
      offset.push_back(-pad);
    offset.resize(shape.size());
    add(array,
        kernel::OperandAttr::get(b.getContext(), role, block, map, ones, offset, buffers,
                                 /*row=*/-1, /*resident=*/-1, /*prefetched=*/-1, /*pieces=*/1),
        window.argument);
    return success();
  }

  LogicalResult translate(Block &block) override {
    Location loc = source.function.getLoc();
    SmallVector<Value> extents;
    for (int64_t bound : source.bounds)
      extents.push_back(arith::ConstantIntOp::create(b, loc, bound, 32));
    Translator translator(b, precision, extents);
    size_t rank = source.bounds.size();
    for (size_t axis = 0; axis < rank; ++axis)
      translator.bindScalar(source.function.getArgument(axis), block.getArgument(axis));
    for (auto [argument, value] : llvm::zip_equal(arguments, block.getArguments().drop_front(rank)))
      translator.bind(argument, refOf(argument, value, block));
    if (failed(joinAliases(translator, block.getArguments().take_front(rank))) ||
        failed(bindScratch(translator, /*isPersistent=*/true)) ||
        failed(translator.translate(source.function.getBody().front())) ||
        failed(translator.flush(loc)))
      return failure();
    flops = translator.flops();
    // Results in SMEM leave with the last step.
    Value isLast = arith::ConstantIntOp::create(b, loc, 1, 1);
    for (auto [axis, extent] : llvm::enumerate(source.bounds)) {
      Value last = arith::ConstantIntOp::create(b, loc, extent - 1, 32);
      isLast = arith::AndIOp::create(
          b, loc, isLast,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block.getArgument(axis), last));
    }
    auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      storeWords();
    }
    if (branch.thenBlock()->getOperations().size() == 1)
      branch.erase();
    return success();
  }

  /// The ref of an operand: of an array in SMEM the block that the step sees.
  Ref refOf(Value argument, Value value, Block &block) {
    auto *window =
        llvm::find_if(windows, [&](const Window &each) { return each.argument == argument; });
    if (window == windows.end())
      return Ref::whole(value);
    const bool isSmem = spaceOf(window->type) == tpu::MemorySpace::smem;
    if (isSmem)
      value = wordsOf(*window, value);
    if (!window->transform)
      return isSmem ? Ref::whole(value) : blockRef(*window, value);
    if (!isSmem)
      return blockRef(*window, value);
    Location loc = argument.getLoc();
    SmallVector<Index> begin;
    for (auto [result, extent] :
         llvm::zip_equal(mapOf(*window).getResults(), window->type.getShape()))
      begin.push_back(
          multiply(b, loc, evaluate(result, block, loc), window->isElements ? 1 : extent));
    return Ref::whole(value).slice(b, loc, begin, window->type.getShape());
  }

  Index evaluate(AffineExpr expr, Block &block, Location loc) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return {nullptr, constant.getValue()};
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return {block.getArgument(dim.getPosition()), 0};
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Index x = evaluate(binary.getLHS(), block, loc), y = evaluate(binary.getRHS(), block, loc);
    Value lhs = materialize(b, loc, x), rhs = materialize(b, loc, y);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return mosaic::add(b, loc, x, y);
    case AffineExprKind::Mul:
      return multiply(b, loc, x, y.constant);
    case AffineExprKind::FloorDiv:
      return {arith::FloorDivSIOp::create(b, loc, lhs, rhs), 0};
    default:
      return {arith::RemSIOp::create(b, loc, lhs, rhs), 0};
    }
  }
};

} // namespace

FailureOr<kernel::FuncOp> lowerGridKernel(kernel::MosaicCallOp call, ModuleOp body,
                                          const LoweringOptions &options) {
  return GridKernel(call, body, options.precision).lower();
}

} // namespace systole::mosaic
