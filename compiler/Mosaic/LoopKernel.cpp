// Mosaic kernels whose grid or index maps are known at run time: a loop copies blocks itself.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Skeleton.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace systole::mosaic {

namespace {

/// One loop over the steps of the grid. A step starts to copy in the blocks of the next one that
/// are other blocks than its own, then runs the body; a block of a result leaves when the next step
/// has another one. Each window has two buffers and a semaphore. See docs/decisions/pallas.md.
class LoopKernel final : public Skeleton {
public:
  LoopKernel(kernel::MosaicCallOp call, ModuleOp body, const LoweringOptions &options)
      : Skeleton(call, body, options.precision), overlapsCopies(options.overlapsCopies) {}

private:
  /// A window in VMEM, and its values in the present step.
  struct Blocks {
    const Window *window;
    Value array, buffers, semaphore;
    /// The index of the block, as the array lies.
    SmallVector<Value> index;
    /// The number of the buffer that has it, and whether a copy of the window is in flight (0 or
    /// 1); without overlap of an operand, whether its block is still to be copied.
    Value slot, inFlight;
  };

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
  Value isEqual(Value x, Value y) {
    return arith::CmpIOp::create(b, source.function.getLoc(), arith::CmpIPredicate::eq, x, y);
  }
  /// What `body` emits, where `condition` is 1.
  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    auto branch =
        scf::IfOp::create(b, source.function.getLoc(), condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
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
        addBuffers(*window, value);
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
    onlyIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, steps, word(0)),
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

  void addBuffers(const Window &window, Value array) {
    Location loc = window.argument.getLoc();
    Type element = cast<kernel::BufferType>(array.getType()).getElementType();
    Blocks added{&window, array};
    added.buffers = kernel::AllocOp::create(
        b, loc, buffer(blockShape(window), element, kernel::Space::vmem), /*persistent=*/true,
        /*buffers=*/2);
    added.semaphore =
        kernel::AllocOp::create(b, loc, buffer({}, b.getI32Type(), kernel::Space::flags));
    blocks.push_back(added);
  }

  LogicalResult translateSteps(Translator &translator, ValueRange extents, Value steps) {
    Location loc = source.function.getLoc();
    SmallVector<Value> indices(extents.size(), word(0));
    for (Blocks &each : blocks) {
      FailureOr<SmallVector<Value>> first = indexOf(*each.window, indices);
      if (failed(first))
        return failure();
      each.index = *first;
      each.slot = word(0);
      each.inFlight = word(each.window->isOutput() ? 0 : 1);
      if (!each.window->isOutput() && overlapsCopies)
        copy<kernel::StartCopyOp>(each, each.index, each.slot);
    }
    auto loop = scf::ForOp::create(b, loc, word(0), steps, word(1), carried(indices));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      resume(loop.getRegionIterArgs(), indices);
      Value last = arith::SubIOp::create(b, loc, steps, word(1));
      Value isLast = isEqual(loop.getInductionVar(), last);
      if (failed(translateStep(translator, indices, extents, isLast)))
        return failure();
      scf::YieldOp::create(b, loc, carried(indices));
    }
    resume(loop.getResults(), indices);
    // Copies of operands are not in flight behind the last step, which the verifier of copies
    // cannot tell where the number of steps depends on data.
    if (overlapsCopies)
      for (const Blocks &each : blocks)
        waitIfInFlight(each);
    return success();
  }

  /// What the next step needs: the grid's indices and the values of all windows; and the reverse.
  SmallVector<Value> carried(ArrayRef<Value> indices) {
    SmallVector<Value> values(indices);
    for (const Blocks &each : blocks) {
      values.append(each.index);
      values.append({each.slot, each.inFlight});
    }
    return values;
  }
  void resume(ValueRange values, MutableArrayRef<Value> indices) {
    auto take = [&](MutableArrayRef<Value> targets) {
      llvm::copy(values.take_front(targets.size()), targets.begin());
      values = values.drop_front(targets.size());
    };
    take(indices);
    for (Blocks &each : blocks) {
      take(each.index);
      take(each.slot);
      take(each.inFlight);
    }
  }

  /// The indices of the step behind that of `indices`; zeros behind the last one.
  SmallVector<Value> nextOf(ArrayRef<Value> indices, ValueRange extents) {
    Location loc = source.function.getLoc();
    SmallVector<Value> next(indices);
    Value carry = word(1);
    for (size_t axis = indices.size(); axis-- > 0;) {
      Value sum = arith::AddIOp::create(b, loc, indices[axis], carry);
      Value wraps = isEqual(sum, extents[axis]);
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
    SmallVector<std::pair<SmallVector<Value>, Value>> changes;
    for (Blocks &each : blocks) {
      FailureOr<SmallVector<Value>> index = indexOf(*each.window, next);
      if (failed(index))
        return failure();
      changes.emplace_back(*index, differ(each.index, *index));
    }
    Value isNotLast = isEqual(arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast), word(0));
    for (auto [each, change] : llvm::zip_equal(blocks, changes)) {
      Value &changesBlock = change.second;
      changesBlock = each.window->isOutput()
                         ? arith::OrIOp::create(b, loc, changesBlock, isLast).getResult()
                         : arith::AndIOp::create(b, loc, changesBlock, isNotLast).getResult();
      if (!each.window->isOutput())
        enter(each, change.first, changesBlock);
      translator.bind(each.window->argument, blockRef(*each.window, bufferOf(each, each.slot)));
    }
    if (failed(translator.translate(source.function.getBody().front())) ||
        failed(translator.flush(loc)))
      return failure();
    for (auto [each, change] : llvm::zip_equal(blocks, changes)) {
      auto &[index, changesBlock] = change;
      if (each.window->isOutput())
        leave(each, changesBlock);
      Value number = arith::ExtUIOp::create(b, loc, b.getI32Type(), changesBlock);
      each.slot = arith::XOrIOp::create(b, loc, each.slot, number);
      each.index = index;
      if (!each.window->isOutput())
        each.inFlight = number;
      else if (overlapsCopies)
        each.inFlight = arith::OrIOp::create(b, loc, each.inFlight, number);
    }
    llvm::copy(next, indices.begin());
    return success();
  }

  Value differ(ArrayRef<Value> index, ArrayRef<Value> other) {
    Location loc = source.function.getLoc();
    Value result = arith::ConstantIntOp::create(b, loc, 0, 1);
    for (auto [x, y] : llvm::zip_equal(index, other)) {
      Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, y);
      result = arith::OrIOp::create(b, loc, result, isOther);
    }
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

  Value bufferOf(const Blocks &each, Value slot) {
    return kernel::SlotOp::create(b, each.window->argument.getLoc(), each.buffers, slot);
  }

  /// Waits for the block of this step, and starts to copy the next step's if it is another one.
  void enter(const Blocks &each, ArrayRef<Value> next, Value changes) {
    if (!overlapsCopies)
      onlyIf(isInFlight(each), [&] { copy<kernel::StartCopyOp>(each, each.index, each.slot); });
    waitIfInFlight(each);
    if (!overlapsCopies)
      return;
    onlyIf(changes, [&] {
      Value other = arith::SubIOp::create(b, each.window->argument.getLoc(), word(1), each.slot);
      copy<kernel::StartCopyOp>(each, next, other);
    });
  }

  /// Starts to copy out the block of this step if the next one has another.
  void leave(const Blocks &each, Value changes) {
    onlyIf(changes, [&] {
      waitIfInFlight(each);
      copy<kernel::StartCopyOp>(each, each.index, each.slot);
      if (!overlapsCopies)
        copy<kernel::WaitCopyOp>(each, each.index, each.slot);
    });
  }

  Value isInFlight(const Blocks &each) {
    return arith::CmpIOp::create(b, each.window->argument.getLoc(), arith::CmpIPredicate::ne,
                                 each.inFlight, word(0));
  }
  void waitIfInFlight(const Blocks &each) {
    onlyIf(isInFlight(each), [&] { copy<kernel::WaitCopyOp>(each, each.index, each.slot); });
  }

  /// A copy between block `index` of the array and a buffer.
  template <typename Copy> void copy(const Blocks &each, ArrayRef<Value> index, Value slot) {
    Location loc = each.window->argument.getLoc();
    SmallVector<int64_t> shape = blockShape(*each.window);
    SmallVector<Value> offsets;
    ArrayRef<int64_t> array = cast<kernel::BufferType>(each.array.getType()).getShape();
    for (auto [value, part, extent] : llvm::zip_equal(index, shape, array)) {
      // Of a dimension that is not divided there is one block: no other is in bounds.
      Index first = part == extent ? Index() : multiply(b, loc, mosaic::indexOf(value), part);
      offsets.push_back(materialize(b, loc, first));
    }
    AffineMap identity = b.getMultiDimIdentityMap(shape.size());
    Value block = bufferOf(each, slot);
    if (each.window->isOutput())
      Copy::create(b, loc, block, each.array, ValueRange(), offsets, each.semaphore, ValueRange(),
                   /*count=*/Value(), shape, identity, identity);
    else
      Copy::create(b, loc, each.array, block, offsets, ValueRange(), each.semaphore, ValueRange(),
                   /*count=*/Value(), shape, identity, identity);
  }

  bool overlapsCopies;
  SmallVector<Blocks> blocks;
  llvm::DenseMap<Value, Value> smemArrays;
  SmallVector<Ref> prefetched;
};

} // namespace

FailureOr<kernel::FuncOp> lowerLoopKernel(kernel::MosaicCallOp call, ModuleOp body,
                                          const LoweringOptions &options) {
  return LoopKernel(call, body, options).lower();
}

} // namespace systole::mosaic
