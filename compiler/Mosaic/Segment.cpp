// A run of a Mosaic kernel's vector operations as tensor operations, which become stages together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Segment.h"

#include "compiler/Planning/Flops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/StageBuilder.h"

using namespace mlir;

namespace systole::mosaic {

Segment::Segment(MLIRContext *context, int precision) : context(context), precision(precision) {
  reset();
}

void Segment::reset() {
  OpBuilder b(context);
  holder = func::FuncOp::create(b, b.getUnknownLoc(), "segment", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(holder->addEntryBlock());
  func::ReturnOp::create(b, b.getUnknownLoc());
  buffers.clear();
  scalars.clear();
  stores.clear();
}

Value Segment::read(Location loc, Value buffer, RankedTensorType type) {
  BlockArgument &argument = buffers[buffer];
  if (!argument)
    argument = holder->getBody().front().addArgument(type, loc);
  return argument;
}

Value Segment::read(Value scalar) {
  BlockArgument &argument = scalars[scalar];
  if (!argument)
    argument = holder->getBody().front().addArgument(
        RankedTensorType::get({}, IntegerType::get(context, 32)), scalar.getLoc());
  return argument;
}

void Segment::store(Location loc, Value tensor, const Ref &ref) {
  // Where the buffer is read, the caller has made sure that it may be replaced.
  bool isDirect = ref.isWhole();
  stores.push_back({loc, tensor, ref, isDirect});
}

bool Segment::reads(Value buffer) const {
  return llvm::any_of(buffers, [&](auto &each) { return mayOverlap(each.first, buffer); });
}

bool Segment::writes(Value buffer) const {
  return llvm::any_of(stores,
                      [&](const Store &store) { return mayOverlap(store.ref.buffer, buffer); });
}

int64_t Segment::flops() {
  int64_t total = 0;
  for (Operation &op : holder->getBody().front().without_terminator())
    total += flopsOf(&op);
  return total;
}

Value Segment::stored(const Ref &ref) const {
  for (const Store &store : llvm::reverse(stores)) {
    if (!mayOverlap(store.ref.buffer, ref.buffer))
      continue;
    bool isSame = store.ref.buffer == ref.buffer && store.ref.first == ref.first &&
                  store.ref.box() == ref.box();
    return isSame ? store.tensor : Value();
  }
  return nullptr;
}

/// Whether an operation computes each element from those of its operands at the same index.
static bool isElementwise(Operation *op) { return kindOf(op) == OpKind::Elementwise; }

bool Segment::mayReplace(Value tensor, const Ref &ref, ValueRange others) const {
  auto read = buffers.find(ref.buffer);
  if (!ref.isWhole() || read == buffers.end())
    return false;
  for (auto &[buffer, argument] : buffers)
    if (buffer != ref.buffer && mayOverlap(buffer, ref.buffer))
      return false;
  // All that depends on the argument leads to `tensor`, by elementwise operations alone.
  SmallVector<Value> worklist = {read->second};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (value != tensor &&
        (llvm::is_contained(others, value) ||
         llvm::any_of(stores, [&](const Store &store) { return store.tensor == value; })))
      return false;
    for (Operation *user : value.getUsers()) {
      if (value == tensor || !isElementwise(user) || user->getNumResults() != 1)
        return false;
      worklist.push_back(user->getResult(0));
    }
  }
  return seen.contains(tensor);
}

/// Copies the elements of `source` to the box of `ref`.
static void copyTo(OpBuilder &b, Location loc, Value source, const Ref &ref) {
  SmallVector<int64_t> sizes = ref.box();
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<Value> offsets;
  if (llvm::any_of(ref.first, [](const Index &index) { return index != Index(); }))
    for (const Index &index : ref.first)
      offsets.push_back(materialize(b, loc, index));
  kernel::CopyOp::create(b, loc, source, ref.buffer, ValueRange(), offsets, sizes, identity,
                         identity);
}

const Segment::Store *Segment::storeOf(Value tensor) const {
  auto *store = llvm::find_if(stores, [&](const Store &each) {
    auto reshape = each.tensor.getDefiningOp<stablehlo::ReshapeOp>();
    return each.isDirect && (each.tensor == tensor || (reshape && reshape.getOperand() == tensor));
  });
  return store == stores.end() ? nullptr : store;
}

stablehlo::DotGeneralOp Segment::productAddedTo(const Store &store) const {
  auto sum = store.tensor.getDefiningOp<stablehlo::AddOp>();
  auto read = buffers.find(store.ref.buffer);
  if (!store.isDirect || !sum || read == buffers.end() || !read->second.hasOneUse())
    return nullptr;
  auto isOther = [&](auto &each) {
    return each.first != store.ref.buffer && mayOverlap(each.first, store.ref.buffer);
  };
  if (llvm::any_of(buffers, isOther))
    return nullptr;
  Value summand = sum.getLhs() == read->second ? sum.getRhs() : sum.getLhs();
  auto product = summand.getDefiningOp<stablehlo::DotGeneralOp>();
  Type element = cast<RankedTensorType>(sum.getType()).getElementType();
  bool isWide = element.isF32() || element.isInteger(32);
  bool addsToMemory = llvm::is_contained(sum->getOperands(), read->second);
  return product && product->hasOneUse() && isWide && addsToMemory ? product : nullptr;
}

FailureOr<SmallVector<Segment::Kept>> Segment::flush(OpBuilder &b, Location loc, ValueRange values,
                                                     bool mayShare) {
  Blocking blocking;
  Block &body = holder->getBody().front();
  IndexStreams streams(body, /*smemWords=*/0);
  StageBuilder stages(b, blocking, streams, {}, precision);
  for (auto &[buffer, argument] : buffers)
    stages.bindInput(argument, buffer);
  for (auto &[scalar, argument] : scalars)
    stages.bindScalar(argument, scalar);
  auto allocate = [&](Value tensor) -> Value {
    auto type = cast<RankedTensorType>(tensor.getType());
    return kernel::AllocOp::create(b, loc,
                                   kernel::BufferType::get(context, type.getShape(),
                                                           type.getElementType(),
                                                           kernel::Space::vmem));
  };
  SmallVector<Value> results, targets;
  // Several stores of one tensor, and what is read later, share the first buffer.
  llvm::DenseMap<Value, Value> bound;
  for (const Store &store : stores) {
    targets.push_back(store.isDirect ? store.ref.buffer : Value());
    if (store.isDirect) {
      stages.bindOutput(store.tensor, store.ref.buffer);
      bound.try_emplace(store.tensor, store.ref.buffer);
      results.push_back(store.tensor);
    }
  }
  auto place = [&](Value tensor, bool isPrivate) -> Value {
    // A value in memory that is written later is copied.
    if (Value known = bound.lookup(tensor); known && !isPrivate)
      return known;
    Value buffer = allocate(tensor);
    stages.bindOutput(tensor, buffer);
    bound.try_emplace(tensor, buffer);
    results.push_back(tensor);
    return buffer;
  };
  SmallVector<Kept> found;
  for (Value value : values) {
    Value buffer = bound.lookup(value);
    bool isStored = llvm::any_of(
        stores, [&](const Store &store) { return store.isDirect && store.ref.buffer == buffer; });
    if (const Store *store = mayShare ? storeOf(value) : nullptr)
      found.push_back({store->ref.buffer, /*isShared=*/true});
    else
      found.push_back({place(value, /*isPrivate=*/isStored)});
  }
  for (auto [target, store] : llvm::zip_equal(targets, stores))
    if (!target)
      target = place(store.tensor, /*isPrivate=*/false);
  end()->setOperands(results);
  SmallVector<StageBuilder::AddedProduct> added;
  for (const Store &store : stores)
    if (stablehlo::DotGeneralOp product = productAddedTo(store))
      added.push_back({product, store.tensor, store.ref.buffer});
  Operation *before = b.getInsertionPoint() == b.getInsertionBlock()->begin()
                          ? nullptr
                          : &*std::prev(b.getInsertionPoint());
  if (failed(stages.build(body, added)))
    return failure();
  // A stage that fills a ref has the location of the store, not that of a shared constant.
  Operation *op = before ? before->getNextNode() : &b.getInsertionBlock()->front();
  for (; op && op->getIterator() != b.getInsertionPoint(); op = op->getNextNode())
    if (auto map = dyn_cast<kernel::MapOp>(op); map && map.getInputs().empty())
      for (const Store &store : stores)
        if (store.isDirect && llvm::is_contained(map.getOutputs(), store.ref.buffer))
          map->setLoc(store.loc);
  for (auto [target, store] : llvm::zip_equal(targets, stores))
    if (!store.isDirect)
      copyTo(b, store.loc, target, store.ref);
  reset();
  return found;
}

} // namespace systole::mosaic
