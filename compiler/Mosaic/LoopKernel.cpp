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

/// Each step copies in the blocks that the one before did not have, and a block of a result leaves
/// when another one comes, or at the end. SMEM has the indices of the blocks that are there.
class LoopKernel final : public Skeleton {
public:
  using Skeleton::Skeleton;

private:
  /// No index that a map may give.
  static constexpr int64_t kNone = INT32_MIN;

  /// A window in VMEM whose blocks change.
  struct Blocks {
    const Window *window;
    Value array, block;
    /// The index of the block that is there, kNone at first; a word for each dimension.
    Value present;
    int64_t rank = 0;
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
        addPresent(*window, value);
      else
        translator.bind(argument, Ref::whole(isSmem ? wordsOf(*window, value) : value));
      if (isSmem)
        smemArrays[argument] = translator.refOf(argument).buffer;
      if (!window)
        prefetched.push_back(Ref::whole(value));
    }
    for (const Blocks &each : blocks)
      translator.bind(each.window->argument, blockRef(*each.window, each.block));
    if (failed(joinAliases(translator, {})) ||
        failed(bindScratch(translator, /*isPersistent=*/true)))
      return failure();
    {
      OpBuilder::InsertionGuard guard(b);
      SmallVector<Value> indices;
      for (Value extent : extents) {
        auto loop = scf::ForOp::create(b, loc, word(0), extent, word(1));
        indices.push_back(loop.getInductionVar());
        b.setInsertionPointToStart(loop.getBody());
      }
      if (failed(translateStep(translator, indices)))
        return failure();
    }
    // Blocks that are still here.
    for (const Blocks &each : blocks)
      if (each.window->isOutput())
        leave(each);
    storeWords();
    return success();
  }

  const Window *windowOf(Value argument) const {
    auto *found =
        llvm::find_if(windows, [&](const Window &each) { return each.argument == argument; });
    return found == windows.end() ? nullptr : found;
  }

  void addPresent(const Window &window, Value array) {
    Location loc = window.argument.getLoc();
    SmallVector<int64_t> shape = blockShape(window);
    Type element = cast<kernel::BufferType>(array.getType()).getElementType();
    Blocks added{
        &window, array,
        kernel::AllocOp::create(b, loc, buffer(shape, element, kernel::Space::vmem), true),
        kernel::AllocOp::create(
            b, loc, buffer(int64_t(shape.size()), b.getI32Type(), kernel::Space::smem), true),
        int64_t(shape.size())};
    for (int64_t dim = 0; dim < added.rank; ++dim)
      kernel::StoreScalarOp::create(b, loc, word(kNone), added.present, word(dim));
    blocks.push_back(added);
  }

  LogicalResult translateStep(Translator &translator, ValueRange indices) {
    for (auto [axis, index] : llvm::enumerate(indices))
      translator.bindScalar(source.function.getArgument(axis), index);
    for (const Window &window : windows) {
      if (!window.transform || spaceOf(window.type) == tpu::MemorySpace::any)
        continue;
      FailureOr<SmallVector<Value>> index = indexOf(window, indices);
      if (failed(index))
        return failure();
      auto *each =
          llvm::find_if(blocks, [&](const Blocks &other) { return other.window == &window; });
      if (each != blocks.end())
        enter(*each, *index);
      else
        bindSmem(translator, window, *index);
    }
    if (failed(translator.translate(source.function.getBody().front())))
      return failure();
    return translator.flush(source.function.getLoc());
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

  SmallVector<Value> presentIndex(const Blocks &each) {
    SmallVector<Value> index;
    for (int64_t dim = 0; dim < each.rank; ++dim)
      index.push_back(kernel::LoadScalarOp::create(b, each.window->argument.getLoc(),
                                                   b.getI32Type(), each.present, word(dim)));
    return index;
  }

  /// Makes the block of `index` the one that is there.
  void enter(const Blocks &each, ArrayRef<Value> index) {
    Location loc = each.window->argument.getLoc();
    Value differs;
    for (auto [wanted, present] : llvm::zip_equal(index, presentIndex(each))) {
      Value other = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, wanted, present);
      differs = differs ? arith::OrIOp::create(b, loc, differs, other).getResult() : other;
    }
    auto branch = scf::IfOp::create(b, loc, differs, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    if (each.window->isOutput())
      leave(each);
    else
      copy(each, index, /*isIn=*/true);
    for (auto [dim, wanted] : llvm::enumerate(index))
      kernel::StoreScalarOp::create(b, loc, wanted, each.present, word(int64_t(dim)));
  }

  /// Copies out the block that is there, if there is one.
  void leave(const Blocks &each) {
    Location loc = each.window->argument.getLoc();
    SmallVector<Value> index = presentIndex(each);
    Value isThere =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, index.front(), word(kNone));
    auto branch = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    copy(each, index, /*isIn=*/false);
  }

  void copy(const Blocks &each, ArrayRef<Value> index, bool isIn) {
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
    if (isIn)
      kernel::CopyOp::create(b, loc, each.array, each.block, offsets, ValueRange(), shape, identity,
                             identity);
    else
      kernel::CopyOp::create(b, loc, each.block, each.array, ValueRange(), offsets, shape, identity,
                             identity);
  }

  SmallVector<Blocks> blocks;
  llvm::DenseMap<Value, Value> smemArrays;
  SmallVector<Ref> prefetched;
};

} // namespace

FailureOr<kernel::FuncOp> lowerLoopKernel(kernel::MosaicCallOp call, ModuleOp body, int precision) {
  return LoopKernel(call, body, precision).lower();
}

} // namespace systole::mosaic
