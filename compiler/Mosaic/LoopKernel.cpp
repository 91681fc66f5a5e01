// Mosaic kernels whose grid or index maps are known at run time: a loop copies blocks itself.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Skeleton.h"
#include "compiler/Mosaic/WindowBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace systole::mosaic {

namespace {

/// One loop over the steps of the grid, in which windows copy their blocks (WindowBuffers.h). See
/// docs/decisions/pallas.md.
class LoopKernel final : public Skeleton {
public:
  LoopKernel(kernel::MosaicCallOp call, ModuleOp body, const LoweringOptions &options)
      : Skeleton(call, body, options.precision), overlapsCopies(options.overlapsCopies) {}

private:
  SmallVector<int64_t> grid() override { return {}; }

  LogicalResult addBlocks(const Window &window) override {
    if (window.isElements)
      return unsupported("blocks that start at any element, and an index map that is not affine");
    if (blockShape(window).size() != size_t(arrayOf(window.number).getRank()))
      return unsupported("an index map of another rank than its operand");
    add(arrayOf(window.number), kernel::Role::raw, arrayOf(window.number).getShape(),
        window.argument);
    return success();
  }

  Value word(int64_t value) {
    return arith::ConstantIntOp::create(b, source.function.getLoc(), value, 32);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, source.function.getLoc(), predicate, x, y);
  }

  LogicalResult translate(Block &block) override {
    Location loc = source.function.getLoc();
    ValueRange values = block.getArguments();
    SmallVector<Value> extents;
    for (int64_t bound : source.bounds) {
      if (bound != ShapedType::kDynamic) {
        extents.push_back(word(bound));
        continue;
      }
      auto type = cast<kernel::BufferType>(values.front().getType());
      SmallVector<Value> first(type.getRank(), word(0));
      extents.push_back(
          kernel::LoadScalarOp::create(b, loc, b.getI32Type(), values.front(), first));
      values = values.drop_front();
    }
    Translator translator(b, precision, extents);
    ArrayRef<Value> sources = ArrayRef(arguments).take_back(values.size());
    for (auto [argument, value] : llvm::zip_equal(sources, values)) {
      const Window *window = windowOf(argument);
      const bool isSmem = window && spaceOf(window->type) == tpu::MemorySpace::smem;
      if (window && window->transform && !isSmem)
        blocks.emplace_back(b, *window, value, blockShape(*window), overlapsCopies);
      else if (window && !isSmem)
        translator.bind(argument, blockRef(*window, value));
      else
        translator.bind(argument, Ref::whole(isSmem ? wordsOf(*window, value) : value));
      if (isSmem)
        smemArrays[argument] = translator.refOf(argument).buffer;
      if (!window)
        prefetched.push_back(Ref::whole(value));
    }
    if (failed(joinAliases(translator, {})) ||
        failed(bindScratch(translator, /*isPersistent=*/true)))
      return failure();
    Value steps = word(1);
    for (Value extent : extents)
      steps = arith::MulIOp::create(b, loc, steps, extent);
    LogicalResult result = success();
    // Without a step there is no first block.
    emitIf(b, loc, compare(arith::CmpIPredicate::sgt, steps, word(0)),
           [&] { result = translateSteps(translator, extents, steps); });
    flops = translator.flops();
    storeWords();
    return result;
  }

  const Window *windowOf(Value argument) const {
    auto *found =
        llvm::find_if(windows, [&](const Window &each) { return each.argument == argument; });
    return found == windows.end() ? nullptr : found;
  }

  LogicalResult translateSteps(Translator &translator, ValueRange extents, Value steps) {
    Location loc = source.function.getLoc();
    SmallVector<Value> indices(extents.size(), word(0));
    for (WindowBuffers &each : blocks) {
      FailureOr<SmallVector<Value>> first = indexOf(each.window(), indices);
      if (failed(first))
        return failure();
      each.begin(b, *first);
    }
    auto loop = scf::ForOp::create(b, loc, word(0), steps, word(1), carried(indices));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      resume(loop.getRegionIterArgs(), indices);
      Value last = arith::SubIOp::create(b, loc, steps, word(1));
      Value isLast = compare(arith::CmpIPredicate::eq, loop.getInductionVar(), last);
      if (failed(translateStep(translator, indices, extents, isLast)))
        return failure();
      scf::YieldOp::create(b, loc, carried(indices));
    }
    resume(loop.getResults(), indices);
    // Copies of operands are not in flight behind the last step, which the verifier of copies
    // cannot tell where the number of steps depends on data.
    for (WindowBuffers &each : blocks)
      each.finish(b);
    return success();
  }

  /// The loop-carried values: the grid's indices and those of all windows; and the reverse.
  SmallVector<Value> carried(ArrayRef<Value> indices) {
    SmallVector<Value> values(indices);
    for (const WindowBuffers &each : blocks)
      each.appendCarried(values);
    return values;
  }
  void resume(ValueRange values, MutableArrayRef<Value> indices) {
    llvm::copy(values.take_front(indices.size()), indices.begin());
    values = values.drop_front(indices.size());
    for (WindowBuffers &each : blocks)
      each.resume(values);
  }

  /// The indices of the step behind that of `indices`; zeros behind the last one.
  SmallVector<Value> nextOf(ArrayRef<Value> indices, ValueRange extents) {
    Location loc = source.function.getLoc();
    SmallVector<Value> next(indices);
    Value carry = word(1);
    for (size_t axis = indices.size(); axis-- > 0;) {
      Value sum = arith::AddIOp::create(b, loc, indices[axis], carry);
      Value wraps = compare(arith::CmpIPredicate::eq, sum, extents[axis]);
      next[axis] = arith::SelectOp::create(b, loc, wraps, word(0), sum);
      carry = arith::SelectOp::create(b, loc, wraps, word(1), word(0));
    }
    return next;
  }

  /// Translates a step, and makes `indices` and the windows' values those of the next one.
  LogicalResult translateStep(Translator &translator, MutableArrayRef<Value> indices,
                              ValueRange extents, Value isLast) {
    Location loc = source.function.getLoc();
    for (auto [axis, index] : llvm::enumerate(indices))
      translator.bindScalar(source.function.getArgument(axis), index);
    for (const Window &window : windows) {
      if (!window.transform || spaceOf(window.type) != tpu::MemorySpace::smem)
        continue;
      FailureOr<SmallVector<Value>> index = indexOf(window, indices);
      if (failed(index))
        return failure();
      bindSmem(translator, window, *index);
    }
    SmallVector<Value> next = nextOf(indices, extents);
    Value isNotLast = compare(arith::CmpIPredicate::eq,
                              arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast), word(0));
    // The next step's blocks, and whether they are others.
    SmallVector<std::pair<SmallVector<Value>, Value>> changes;
    for (WindowBuffers &each : blocks) {
      FailureOr<SmallVector<Value>> index = indexOf(each.window(), next);
      if (failed(index))
        return failure();
      Value isOther = differ(each.index(), *index);
      const bool isOutput = each.window().isOutput();
      isOther = isOutput ? arith::OrIOp::create(b, loc, isOther, isLast).getResult()
                         : arith::AndIOp::create(b, loc, isOther, isNotLast).getResult();
      changes.emplace_back(*index, isOther);
    }
    for (auto [each, change] : llvm::zip_equal(blocks, changes)) {
      if (!each.window().isOutput())
        each.enter(b, change.first, change.second);
      translator.bind(each.window().argument, blockRef(each.window(), each.buffer(b)));
    }
    if (failed(translator.translate(source.function.getBody().front())) ||
        failed(translator.flush(loc)))
      return failure();
    for (auto [each, change] : llvm::zip_equal(blocks, changes)) {
      if (each.window().isOutput())
        each.leave(b, change.second);
      each.advance(b, change.first, change.second);
    }
    llvm::copy(next, indices.begin());
    return success();
  }

  Value differ(ArrayRef<Value> index, ArrayRef<Value> other) {
    Location loc = source.function.getLoc();
    Value result = arith::ConstantIntOp::create(b, loc, 0, 1);
    for (auto [x, y] : llvm::zip_equal(index, other))
      result = arith::OrIOp::create(b, loc, result, compare(arith::CmpIPredicate::ne, x, y));
    return result;
  }

  /// The index of the block that a step sees, as its array lies.
  FailureOr<SmallVector<Value>> indexOf(const Window &window, ValueRange indices) {
    func::FuncOp transform = window.transform;
    Translator code(b, precision, {});
    for (auto [argument, index] : llvm::zip(transform.getArguments(), indices))
      code.bindScalar(argument, index);
    for (auto [argument, ref] :
         llvm::zip(transform.getArguments().drop_front(indices.size()), prefetched))
      code.bind(argument, ref);
    Block &body = transform.getBody().front();
    if (failed(code.translate(body)))
      return failure();
    SmallVector<Value> index;
    for (Value result : body.getTerminator()->getOperands()) {
      index.push_back(code.scalar(result));
      if (!index.back())
        return failure();
    }
    if (spaceOf(window.type) == tpu::MemorySpace::vmem && isPanels(window)) {
      index.insert(index.end() - 2, index.back());
      index.back() = word(0);
    }
    return index;
  }

  /// An array in SMEM is there as a whole.
  void bindSmem(Translator &translator, const Window &window, ArrayRef<Value> index) {
    Location loc = window.argument.getLoc();
    Value array = smemArrays.lookup(window.argument);
    SmallVector<Index> begin;
    for (auto [value, extent] : llvm::zip_equal(index, window.type.getShape()))
      begin.push_back(multiply(b, loc, mosaic::indexOf(value), window.isElements ? 1 : extent));
    translator.bind(window.argument,
                    Ref::whole(array).slice(b, loc, begin, window.type.getShape()));
  }

  bool overlapsCopies;
  SmallVector<WindowBuffers, 0> blocks;
  llvm::DenseMap<Value, Value> smemArrays;
  SmallVector<Ref> prefetched;
};

} // namespace

FailureOr<kernel::FuncOp> lowerLoopKernel(kernel::MosaicCallOp call, ModuleOp body,
                                          const LoweringOptions &options) {
  return LoopKernel(call, body, options).lower();
}

} // namespace systole::mosaic
