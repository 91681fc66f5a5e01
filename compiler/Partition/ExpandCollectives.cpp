// Expands collective operations into exchanges of blocks and operations of one core.
//
// A reduction combines the operands of a group's cores in the order of their ranks, from the left,
// whatever the algorithm, so that all cores have the same bits. Small arrays are gathered whole and
// reduced by each core; of others each core reduces the part that it is sent, and gathers the
// parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/Blocks.h"
#include "compiler/Partition/ExchangeSizes.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/SlicePlace.h"
#include "dialects/StableHLO/Devices.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/Reducers.h"
#include "dialects/StableHLO/Traits.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDCOLLECTIVES
#include "compiler/Partition/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace partition;
using expansion::Tensors;

/// Pieces of a gathered array that follow each other on the same links: the first phase and the
/// last two of one piece are not overlapped.
constexpr int64_t kPiecesOfOrder = 8;

/// Bytes of a core's block from which a reduction by halves is known to be shorter, by the figures
/// of docs/decisions/slices.md: it has more exchanges, each of which takes some 2 us.
constexpr int64_t kLeastHalved = 128 << 10;

/// Whether a body gives the same for its operands in both orders, and is of an element type.
bool isCommutative(Region &body, Type element) {
  Operation *combiner = combinerOf(body.front());
  return combiner && combiner->hasTrait<stablehlo::OpTrait::Commutative>() &&
         typeOf(body.getArgument(0)).getElementType() == element &&
         !mlir::isa<ComplexType>(element);
}

class Expander {
public:
  Expander(const SlicePlace &place, int64_t cores) : place(place), cores(cores) {}

  LogicalResult expand(Operation *op);

private:
  FailureOr<Groups> groupsOf(Operation *op) const;
  /// The arrays of the group's cores, one behind the other along the first dimension.
  Value gather(Tensors &t, Value value, const Groups &groups, StringRef name) const;
  /// Block j of the group's rank i becomes block i of rank j, of as many as ranks.
  Value exchange(Tensors &t, Value value, const Groups &groups, StringRef name) const;
  /// `value` with dimension `dim` in `count` equal parts, one behind the other along the first
  /// dimension; and back.
  Value divide(Tensors &t, Value value, int64_t dim, int64_t count) const;
  Value join(Tensors &t, Value parts, int64_t dim, int64_t count) const;
  /// Combines `count` blocks along the first dimension.
  Value combine(Tensors &t, Value blocks, int64_t count, Region &body) const;
  Value reduce(Tensors &t, Value value, const Groups &groups, Region &body) const;
  /// The reduction of large arrays over 2^n cores, by halves: first with the other core of a chip,
  /// then along links. Nothing if the body is not commutative, or the array is small.
  Value reduceByHalves(Tensors &t, Value value, const Groups &groups, Region &body) const;
  /// Of each part the half that a core keeps in halvingSteps().
  Value ownHalves(Tensors &t, Value value, const Groups &groups, ArrayRef<unsigned> bits) const;
  /// `value`, or zeros on the cores that `has` does not have.
  Value orZeros(Tensors &t, Value value, ArrayRef<bool> has) const;

  LogicalResult expandGather(AllGatherOp op);
  LogicalResult expandReduce(AllReduceOp op);
  LogicalResult expandScatter(ReduceScatterOp op);
  LogicalResult expandTranspose(AllToAllOp op);
  LogicalResult expandPermute(CollectivePermuteOp op);
  LogicalResult expandBroadcast(CollectiveBroadcastOp op);

  const SlicePlace &place;
  int64_t cores;
};

/// A scalar as an array of one element; others as they are.
Value atLeastOneDim(Tensors &t, Value value) {
  return typeOf(value).getRank() == 0 ? t.reshape(value, {1}) : value;
}

int64_t rankCount(const Groups &groups) { return int64_t(groups.front().size()); }

FailureOr<Groups> Expander::groupsOf(Operation *op) const {
  auto lists = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!lists)
    return op->emitOpError("has groups that are no lists");
  // With neither, groups are of replicas, of which there is one.
  const bool isOfReplicas = !op->hasAttr("use_global_device_ids") && !op->hasAttr("channel_handle");
  Groups groups;
  if (isOfReplicas) {
    for (int64_t core = 0; core < cores; ++core)
      groups.push_back({core});
    return groups;
  }
  auto type = cast<ShapedType>(lists.getType());
  if (lists.empty()) {
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, cores)));
    return groups;
  }
  auto numbers = lists.getValues<APInt>().begin();
  for (int64_t row = 0; row < type.getDimSize(0); ++row) {
    auto &group = groups.emplace_back();
    for (int64_t column = 0; column < type.getDimSize(1); ++column, ++numbers) {
      const int64_t core = (*numbers).getSExtValue();
      if (core >= cores)
        return op->emitOpError() << "names device " << core << " of " << cores;
      if (core >= 0)
        group.push_back(core);
    }
  }
  for (const auto &group : groups)
    if (group.size() != groups.front().size())
      return emitUnimplemented(op)
             << "'" << op->getName() << "' with groups of several sizes is not supported yet";
  if (groups.front().empty())
    return op->emitOpError("has an empty group");
  return groups;
}

Value Expander::gather(Tensors &t, Value value, const Groups &groups, StringRef name) const {
  MLIRContext *context = t.b.getContext();
  RankedTensorType type = typeOf(value);
  const int64_t ranks = rankCount(groups), bytes = bytesOf(type);
  if (ranks == 1)
    return value;
  if (bytes < kSmallBytes || !llvm::isPowerOf2_64(ranks))
    return exchangeBlocks(t, value, {1, ranks, gatherSteps(context, groups, cores), name});
  // Pieces of rows that are one behind the other, so that links are busy while others are on their
  // way.
  const auto orders = ordersOfBits(place, groups);
  int64_t pieces = 1;
  while (pieces < int64_t(orders.size()) * kPiecesOfOrder && type.getRank() > 1 &&
         type.getDimSize(0) % (2 * pieces) == 0 && bytes / (2 * pieces) >= kSmallBytes)
    pieces *= 2;
  return exchangeBlocks(
      t, value,
      {pieces, ranks * pieces, doublingSteps(context, groups, cores, pieces, orders), name});
}

Value Expander::exchange(Tensors &t, Value value, const Groups &groups, StringRef name) const {
  const int64_t ranks = rankCount(groups);
  if (ranks == 1)
    return value;
  return exchangeBlocks(t, value,
                        {ranks, ranks, transposeSteps(t.b.getContext(), groups, cores), name});
}

Value Expander::divide(Tensors &t, Value value, int64_t dim, int64_t count) const {
  if (dim == 0 || count == 1)
    return value;
  SmallVector<int64_t> shape(shapeOf(value));
  shape[size_t(dim)] /= count;
  SmallVector<int64_t> result(shape);
  result[0] *= count;
  shape.insert(shape.begin() + dim, count);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  return t.reshape(t.transpose(t.reshape(value, shape), order), result);
}

Value Expander::join(Tensors &t, Value parts, int64_t dim, int64_t count) const {
  if (dim == 0 || count == 1)
    return parts;
  SmallVector<int64_t> shape(shapeOf(parts));
  shape[0] /= count;
  SmallVector<int64_t> result(shape);
  result[size_t(dim)] *= count;
  shape.insert(shape.begin(), count);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  order.erase(order.begin());
  order.insert(order.begin() + dim, 0);
  return t.reshape(t.transpose(t.reshape(parts, shape), order), result);
}

Value Expander::combine(Tensors &t, Value blocks, int64_t count, Region &body) const {
  blocks = t.convert(blocks, typeOf(body.getArgument(0)).getElementType());
  const int64_t size = shapeOf(blocks)[0] / count;
  Value result = t.slice(blocks, 0, 0, size);
  for (int64_t rank = 1; rank < count; ++rank)
    result = expansion::applyBody(t, body, {result, t.slice(blocks, 0, rank * size, size)}).front();
  return result;
}

Value Expander::reduce(Tensors &t, Value value, const Groups &groups, Region &body) const {
  const int64_t ranks = rankCount(groups);
  RankedTensorType type = typeOf(value);
  const int64_t size = type.getNumElements();
  if (ranks == 1 || isSmall(type))
    return combine(t, gather(t, value, groups, "all_reduce"), ranks, body);
  if (Value result = reduceByHalves(t, value, groups, body))
    return result;
  // Parts along a dimension in front of the lanes, or else of the elements in their order.
  int64_t dim = 0;
  while (dim + 1 < type.getRank() && type.getDimSize(dim) % ranks != 0)
    ++dim;
  if (dim + 1 < type.getRank()) {
    Value parts = exchange(t, divide(t, value, dim, ranks), groups, "all_reduce");
    Value all = gather(t, combine(t, parts, ranks, body), groups, "all_reduce");
    return join(t, all, dim, ranks);
  }
  Type element = type.getElementType();
  Value zero =
      mlir::isa<FloatType, ComplexType>(element) ? t.real(element, 0) : t.number(element, 0);
  const int64_t padded = llvm::alignTo(size, ranks * 8 * kLanes);
  Value rows = t.pad(t.reshape(value, {size}), zero, {0}, {padded - size}, {0});
  rows = t.reshape(rows, {padded / kLanes, kLanes});
  Value all = gather(t, combine(t, exchange(t, rows, groups, "all_reduce"), ranks, body), groups,
                     "all_reduce");
  return t.reshape(t.slice(t.reshape(all, {padded}), 0, 0, size), type.getShape());
}

Value Expander::reduceByHalves(Tensors &t, Value value, const Groups &groups, Region &body) const {
  const int64_t ranks = rankCount(groups);
  RankedTensorType type = typeOf(value);
  if (!isCommutative(body, type.getElementType()) || !llvm::isPowerOf2_64(ranks) ||
      bytesOf(type) < ranks * kLeastHalved)
    return {};
  // As many parts as there are orders, so that all links are busy.
  const auto orders = ordersOfBits(place, groups);
  const auto parts = int64_t(orders.size()), size = type.getNumElements();
  const int64_t blocks = parts * ranks, padded = llvm::alignTo(size, blocks * 8 * kLanes);
  const bool isDivided = type.getRank() > 1 && type.getDimSize(0) % blocks == 0;
  Value now = value;
  if (!isDivided) {
    now = t.pad(t.reshape(value, {size}), t.number(type.getElementType(), 0), {0}, {padded - size},
                {0});
    now = t.reshape(now, {padded / kLanes, kLanes});
  }
  for (size_t level = orders.front().size(); level-- > 0;) {
    SmallVector<unsigned> bits;
    for (const auto &order : orders)
      bits.push_back(order[level]);
    Value received = exchangeBlocks(
        t, now,
        {2 * parts, parts, halvingSteps(t.b.getContext(), groups, cores, bits), "all_reduce"});
    Value own = ownHalves(t, now, groups, bits);
    now = expansion::applyBody(t, body, {own, received}).front();
  }
  int64_t pieces = 1;
  const int64_t rows = shapeOf(now)[0] / parts, bytes = bytesOf(typeOf(now)) / parts;
  while (pieces < kPiecesOfOrder && rows % (2 * pieces) == 0 && bytes / (2 * pieces) >= kSmallBytes)
    pieces *= 2;
  Value all = exchangeBlocks(t, now,
                             {parts * pieces, ranks * parts * pieces,
                              doublingStepsByPart(t.b.getContext(), groups, cores, pieces, orders),
                              "all_reduce"});
  return isDivided ? all
                   : t.reshape(t.slice(t.reshape(all, {padded}), 0, 0, size), type.getShape());
}

Value Expander::ownHalves(Tensors &t, Value value, const Groups &groups,
                          ArrayRef<unsigned> bits) const {
  SmallVector<int64_t> shape(shapeOf(value));
  const int64_t half = shape[0] / int64_t(2 * bits.size());
  auto startOf = [&](size_t part) {
    SmallVector<int64_t> starts(size_t(cores), 0);
    for (const auto &group : groups)
      for (auto [rank, core] : llvm::enumerate(group))
        starts[size_t(core)] = (2 * int64_t(part) + int64_t(rank >> bits[part] & 1)) * half;
    return perCore(t.b, t.loc, starts);
  };
  SmallVector<Value> halves;
  for (size_t part = 0; part < bits.size(); ++part) {
    SmallVector<Value> starts(shape.size(), t.number(t.b.getI32Type(), 0));
    starts[0] = startOf(part);
    shape[0] = half;
    halves.push_back(
        DynamicSliceOp::create(t.b, t.loc, typeOf(value).clone(shape), value, starts, shape));
  }
  return halves.size() == 1 ? halves.front() : t.concatenate(halves, 0);
}

Value Expander::orZeros(Tensors &t, Value value, ArrayRef<bool> has) const {
  if (llvm::all_of(has, [](bool is) { return is; }))
    return value;
  SmallVector<int64_t> numbers(has.begin(), has.end());
  Value isThere = perCore(t.b, t.loc, numbers);
  isThere = t.compare(ComparisonDirection::NE, isThere, t.number(t.b.getI32Type(), 0));
  ArrayRef<int64_t> shape = shapeOf(value);
  Type element = typeOf(value).getElementType();
  Value zeros = mlir::isa<FloatType, ComplexType>(element) ? t.real(element, 0, shape)
                                                           : t.number(element, 0, shape);
  return t.select(t.fill(isThere, shape), value, zeros);
}

LogicalResult Expander::expandGather(AllGatherOp op) {
  FailureOr<Groups> groups = groupsOf(op);
  if (failed(groups))
    return failure();
  Tensors t(op);
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults()))
    result.replaceAllUsesWith(join(t, gather(t, operand, *groups, "all_gather"),
                                   int64_t(op.getAllGatherDim()), rankCount(*groups)));
  return success();
}

LogicalResult Expander::expandReduce(AllReduceOp op) {
  FailureOr<Groups> groups = groupsOf(op);
  if (failed(groups) || failed(expansion::checkElementwise(op.getComputation())))
    return failure();
  Tensors t(op);
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults()))
    result.replaceAllUsesWith(t.reshape(
        reduce(t, atLeastOneDim(t, operand), *groups, op.getComputation()), shapeOf(operand)));
  return success();
}

LogicalResult Expander::expandScatter(ReduceScatterOp op) {
  FailureOr<Groups> groups = groupsOf(op);
  if (failed(groups) || failed(expansion::checkElementwise(op.getComputation())))
    return failure();
  Tensors t(op);
  const int64_t ranks = rankCount(*groups);
  Value parts = exchange(t, divide(t, op.getOperand(), int64_t(op.getScatterDimension()), ranks),
                         *groups, "reduce_scatter");
  op.getResult().replaceAllUsesWith(combine(t, parts, ranks, op.getComputation()));
  return success();
}

LogicalResult Expander::expandTranspose(AllToAllOp op) {
  FailureOr<Groups> groups = groupsOf(op);
  if (failed(groups))
    return failure();
  Tensors t(op);
  const int64_t ranks = rankCount(*groups);
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults())) {
    Value parts = exchange(t, divide(t, operand, int64_t(op.getSplitDimension()), ranks), *groups,
                           "all_to_all");
    result.replaceAllUsesWith(join(t, parts, int64_t(op.getConcatDimension()), ranks));
  }
  return success();
}

LogicalResult Expander::expandPermute(CollectivePermuteOp op) {
  auto list = dyn_cast<DenseIntElementsAttr>(op.getSourceTargetPairs());
  if (!list)
    return op->emitOpError("requires source_target_pairs to be lists");
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  SmallVector<bool> isTarget(size_t(cores), false);
  for (auto number = list.value_begin<APInt>(); number != list.value_end<APInt>(); ++number) {
    const int64_t source = (*number).getSExtValue(), target = (*++number).getSExtValue();
    if (source >= cores || target >= cores)
      return op->emitOpError() << "names device " << std::max(source, target) << " of " << cores;
    pairs.push_back({source, target});
    isTarget[size_t(target)] = true;
  }
  Tensors t(op);
  Value moved = exchangeBlocks(
      t, atLeastOneDim(t, op.getOperand()),
      {1, 1, permutationSteps(t.b.getContext(), pairs, cores), "collective_permute"});
  op.getResult().replaceAllUsesWith(
      orZeros(t, t.reshape(moved, shapeOf(op.getOperand())), isTarget));
  return success();
}

LogicalResult Expander::expandBroadcast(CollectiveBroadcastOp op) {
  if (op.getHasDynamicRoot())
    return emitUnimplemented(op) << "a root that is computed is not supported yet";
  FailureOr<Groups> groups = groupsOf(op);
  if (failed(groups))
    return failure();
  SmallVector<bool> isMember(size_t(cores), false);
  for (const auto &group : *groups)
    for (int64_t core : group)
      isMember[size_t(core)] = true;
  Tensors t(op);
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults())) {
    Value moved = exchangeBlocks(
        t, atLeastOneDim(t, operand),
        {1, 1, broadcastSteps(t.b.getContext(), *groups, cores), "collective_broadcast"});
    result.replaceAllUsesWith(orZeros(t, t.reshape(moved, shapeOf(operand)), isMember));
  }
  return success();
}

LogicalResult Expander::expand(Operation *op) {
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](AllGatherOp gather) { return expandGather(gather); })
          .Case([&](AllReduceOp reduce) { return expandReduce(reduce); })
          .Case([&](ReduceScatterOp scatter) { return expandScatter(scatter); })
          .Case([&](AllToAllOp transpose) { return expandTranspose(transpose); })
          .Case([&](CollectivePermuteOp permute) { return expandPermute(permute); })
          .Case([&](CollectiveBroadcastOp broadcast) { return expandBroadcast(broadcast); })
          .Default([](Operation *other) {
            return emitUnimplemented(other)
                   << "'" << other->getName() << "' is not supported yet on several devices";
          });
  if (succeeded(result))
    op->erase();
  return result;
}

struct ExpandCollectives : impl::ExpandCollectivesBase<ExpandCollectives> {
  using ExpandCollectivesBase::ExpandCollectivesBase;
  explicit ExpandCollectives(SlicePlace given) : place(std::move(given)) {}

  std::optional<SlicePlace> place;

  void rewrite() override {
    auto count = getOperation()->getAttrOfType<IntegerAttr>(kernel::kCoresAttr);
    if (!count)
      return;
    if (!place) {
      absl::StatusOr<Target> slice = Target::load(std::string(target));
      if (!slice.ok()) {
        getOperation().emitError() << std::string(slice.status().message());
        return signalPassFailure();
      }
      place = SlicePlace{Topology(*slice, std::max(slice->cores(), int(count.getInt()))), {}};
    }
    Expander expander(*place, count.getInt());
    SmallVector<Operation *> collectives;
    getOperation().walk([&](Operation *op) {
      if (mlir::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
                    CollectivePermuteOp, CollectiveReduceOp, CrossReplicaSumOp, ReduceScatterOp>(
              op))
        collectives.push_back(op);
    });
    for (Operation *op : collectives)
      if (failed(expander.expand(op)))
        return signalPassFailure();
    getOperation().walk([](Operation *op) {
      if (!mlir::isa<PartitionIdOp, ReplicaIdOp>(op))
        return;
      OpBuilder b(op);
      Value number;
      Type type = op->getResult(0).getType();
      if (mlir::isa<PartitionIdOp>(op))
        number = kernel::CoreNumberOp::create(b, op->getLoc(), type);
      else
        number = ConstantOp::create(b, op->getLoc(), cast<ElementsAttr>(b.getZeroAttr(type)));
      op->getResult(0).replaceAllUsesWith(number);
      op->erase();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createExpandCollectives(const Target &slice, std::vector<int> places) {
  return std::make_unique<ExpandCollectives>(
      SlicePlace{Topology(slice, slice.cores()), std::move(places)});
}

} // namespace systole
