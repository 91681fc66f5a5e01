// How the order of an operation's operands and that of its results go together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/OperandOrders.h"

#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/SumOrder.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// Every operand of the result's rank lies like the result; scalars have one order.
OperandOrders elementwise(ArrayRef<Placed> operands, const Order &wanted) {
  OperandOrders chosen{{}, wanted};
  for (const Placed &operand : operands) {
    int64_t rank = operand.type.getRank();
    if (rank != 0 && rank != static_cast<int64_t>(wanted.size()))
      chosen.result = rowMajor(wanted.size());
  }
  for (const Placed &operand : operands) {
    int64_t rank = operand.type.getRank();
    chosen.operands.push_back(rank == static_cast<int64_t>(wanted.size()) ? chosen.result
                                                                          : rowMajor(rank));
  }
  return chosen;
}

/// What knows dimensions by their numbers only stays as it is written.
OperandOrders fixed(Operation *op, ArrayRef<Placed> operands) {
  OperandOrders chosen{{}, rowMajor(resultType(op).getRank())};
  for (const Placed &operand : operands)
    chosen.operands.push_back(rowMajor(operand.type.getRank()));
  return chosen;
}

/// The operand's dimensions lie as those of the result that they become.
OperandOrders broadcast(BroadcastInDimOp op, const Placed &operand, const Order &wanted) {
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  Order place = inverse(wanted), order = rowMajor(operand.type.getRank());
  llvm::sort(order, [&](int64_t a, int64_t b) { return place[dims[a]] < place[dims[b]]; });
  // Dimensions of size 1 are dropped before the broadcast, wherever they lie.
  bool fits = withoutUnits(operand.type, order) == withoutUnits(operand.type, operand.order);
  return {{fits ? operand.order : order}, wanted};
}

OperandOrders reshape(ReshapeOp op, const Placed &operand, const Order &wanted) {
  auto through = throughReshape({resultType(op), wanted}, operand.type);
  if (!through)
    return reshape(op, operand, compactRowMajor(resultType(op)));
  bool fits = withoutUnits(operand.type, *through) == withoutUnits(operand.type, operand.order);
  return {{fits ? operand.order : *through}, wanted};
}

/// Result dimension i is operand dimension permutation[i], wherever it lies.
OperandOrders transpose(TransposeOp op, const Order &wanted) {
  Order order;
  for (int64_t d : wanted)
    order.push_back(op.getPermutation()[d]);
  return {{order}, wanted};
}

/// The order of what a reduction over `dims` keeps.
Order keptOrder(ArrayRef<int64_t> order, ArrayRef<int64_t> dims) {
  Order kept;
  for (int64_t d : order)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d - llvm::count_if(dims, [&](int64_t gone) { return gone < d; }));
  return kept;
}

/// Operands stay as they lie if their sums keep their order there; else they lie as their shape
/// alone decides, from which the order is derived.
Order reducedOrder(ReduceOp op, const Placed &operand) {
  bool stays = operand.order.empty() || isKept(orderOf(op), operand.order.back());
  return stays ? operand.order : preferredOrder(operand.type);
}

OperandOrders reduce(ReduceOp op, ArrayRef<Placed> operands) {
  Order order = reducedOrder(op, operands.front());
  OperandOrders chosen{{}, keptOrder(order, op.getDimensions())};
  for (const Placed &operand : operands)
    chosen.operands.push_back(operand.type.getRank() == 0 ? Order() : order);
  return chosen;
}

/// Whether a gather picks whole slabs along the operand's first dimension and puts the dimensions
/// inside of them behind those of the indices.
bool picksSlabs(GatherOp op, RankedTensorType operand) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> shape = operand.getShape();
  int64_t inside = shape.size() - 1, rank = resultType(op).getRank();
  const int64_t first[] = {0};
  return llvm::equal(numbers.getCollapsedSliceDims(), first) &&
         llvm::equal(numbers.getStartIndexMap(), first) &&
         numbers.getOperandBatchingDims().empty() &&
         op.getSliceSizes().drop_front() == shape.drop_front() &&
         llvm::equal(numbers.getOffsetDims(), llvm::seq<int64_t>(rank - inside, rank));
}

/// The order of a result of `rank` in which slabs lie as in the operand.
Order slabOrder(const Placed &operand, int64_t rank) {
  int64_t positions = rank + 1 - operand.type.getRank();
  Order order = rowMajor(positions);
  for (int64_t d : operand.order)
    if (d != 0)
      order.push_back(d - 1 + positions);
  return order;
}

/// Slabs lie in the result as they do in the operand.
OperandOrders gather(GatherOp op, ArrayRef<Placed> operands, const Order &wanted) {
  if (!picksSlabs(op, operands[0].type))
    return fixed(op, operands);
  int64_t positions = wanted.size() + 1 - operands[0].type.getRank();
  OperandOrders chosen{{rowMajor(1), rowMajor(operands[1].type.getRank())}, rowMajor(positions)};
  for (int64_t d : wanted)
    if (d >= positions) {
      chosen.operands[0].push_back(d - positions + 1);
      chosen.result.push_back(d);
    }
  return chosen;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// `dims` in the order in which they lie.
Order lyingOrder(ArrayRef<int64_t> dims, ArrayRef<int64_t> order) {
  return Order(
      llvm::make_filter_range(order, [&](int64_t d) { return llvm::is_contained(dims, d); }));
}

int64_t bytesToOrder(const Placed &operand, ArrayRef<ArrayRef<int64_t>> groups) {
  Order order;
  for (ArrayRef<int64_t> group : groups)
    llvm::append_range(order, group);
  return relayoutBytes(operand.type, operand.order, order);
}

/// One side of a contraction as the matrix unit gets it.
struct Side {
  const Placed &operand;
  ArrayRef<int64_t> batch, contracting;
  Order free; ///< as it lies

  int64_t size(ArrayRef<int64_t> dims) const {
    int64_t product = 1;
    for (int64_t d : dims)
      product *= operand.type.getDimSize(d);
    return product;
  }

  /// Rows stream with the contraction along the lanes.
  int64_t bytesAsRows() const { return bytesToOrder(operand, {batch, free, contracting}); }
  /// Weights are latched as they lie or transposed.
  int64_t bytesAsWeights() const {
    return std::min(bytesAsRows(), bytesToOrder(operand, {batch, contracting, free}));
  }
};

/// What HBM could move while the arrays work; a row passes in the time in which it moves one.
/// Latches overlap with rows where there are more weights to come, and the arrays work while copies
/// are under way: half of the sum.
int64_t arrayBytes(const Side &rows, const Side &weights) {
  int64_t tiles = llvm::divideCeil(weights.size(weights.contracting), kLanes) *
                  llvm::divideCeil(weights.size(weights.free), kLanes);
  return rows.size(rows.batch) * tiles * (kLatchCycles + rows.size(rows.free)) * kRowBytes / 2;
}

OperandOrders contraction(DotGeneralOp op, ArrayRef<Placed> operands, const Order &wanted) {
  Side lhs{operands[0], op.getLhsBatchingDims(), op.getLhsContractingDims(),
           lyingOrder(op.getLhsFreeDims(), operands[0].order)};
  Side rhs{operands[1], op.getRhsBatchingDims(), op.getRhsContractingDims(),
           lyingOrder(op.getRhsFreeDims(), operands[1].order)};
  // The result's dimensions: the batching ones, then those of either side.
  int64_t batch = lhs.batch.size(), lhsFree = lhs.free.size();
  auto numbered = [](const Order &free, SmallVector<int64_t> ascending, int64_t first) {
    Order numbers;
    for (int64_t d : free)
      numbers.push_back(first + (llvm::find(ascending, d) - ascending.begin()));
    return numbers;
  };
  Order left = numbered(lhs.free, op.getLhsFreeDims(), batch);
  Order right = numbered(rhs.free, op.getRhsFreeDims(), batch + lhsFree);
  auto way = [&](const Order &first, const Order &second, bool exchanged, int64_t bytes) {
    OperandOrders chosen{{operands[0].order, operands[1].order}, rowMajor(batch)};
    llvm::append_range(chosen.result, first);
    llvm::append_range(chosen.result, second);
    chosen.exchanged = exchanged;
    chosen.hiddenBytes = bytes;
    return chosen;
  };
  OperandOrders plain =
      way(left, right, false, lhs.bytesAsRows() + rhs.bytesAsWeights() + arrayBytes(lhs, rhs));
  OperandOrders exchanged =
      way(right, left, true, rhs.bytesAsRows() + lhs.bytesAsWeights() + arrayBytes(rhs, lhs));
  auto cost = [&](const OperandOrders &chosen) {
    return chosen.hiddenBytes + relayoutBytes(resultType(op), chosen.result, wanted);
  };
  // Where everything is row-major the operands stay as they are written.
  bool given = isRowMajor(operands[0].order) && isRowMajor(operands[1].order) && isRowMajor(wanted);
  return !given && cost(exchanged) < cost(plain) ? exchanged : plain;
}

} // namespace

std::optional<Order> throughReshape(const Placed &from, RankedTensorType to) {
  if (llvm::is_sorted(withoutUnits(from.type, from.order)))
    return compactRowMajor(to);
  if (to.getNumElements() == 0)
    return std::nullopt;
  // Runs of dimensions on both sides that hold the same elements.
  struct Run {
    Order from, to;
  };
  SmallVector<Run> runs;
  SmallVector<int64_t> runOf(from.type.getRank());
  Order units;
  int64_t a = 0, b = 0;
  while (a < from.type.getRank() || b < to.getRank()) {
    Run run;
    int64_t left = 1, right = 1;
    do {
      bool takeLeft = left <= right && a < from.type.getRank();
      int64_t d = takeLeft ? a++ : b++;
      int64_t size = takeLeft ? from.type.getDimSize(d) : to.getDimSize(d);
      (takeLeft ? left : right) *= size;
      if (takeLeft)
        runOf[d] = runs.size();
      if (size != 1)
        (takeLeft ? run.from : run.to).push_back(d);
      else if (!takeLeft)
        units.push_back(d);
    } while (left != right);
    runs.push_back(std::move(run));
  }
  // Each run must lie together and in its own order.
  Order lying = withoutUnits(from.type, from.order), result = units;
  for (size_t i = 0; i < lying.size();) {
    const Run &run = runs[runOf[lying[i]]];
    if (run.from.size() > lying.size() - i ||
        ArrayRef<int64_t>(lying).slice(i, run.from.size()) != ArrayRef<int64_t>(run.from))
      return std::nullopt;
    llvm::append_range(result, run.to);
    i += run.from.size();
  }
  return result;
}

OperandOrders operandOrdersOf(Operation *op, ArrayRef<Placed> operands, const Order &wanted) {
  return llvm::TypeSwitch<Operation *, OperandOrders>(op)
      .Case<BroadcastInDimOp>([&](auto op) { return broadcast(op, operands[0], wanted); })
      .Case<ReshapeOp>([&](auto op) { return reshape(op, operands[0], wanted); })
      .Case<TransposeOp>([&](auto op) { return transpose(op, wanted); })
      .Case<ReduceOp>([&](auto op) { return reduce(op, operands); })
      .Case<GatherOp>([&](auto op) { return gather(op, operands, wanted); })
      .Case<DotGeneralOp>([&](auto op) { return contraction(op, operands, wanted); })
      .Case<ConstantOp, IotaOp, SliceOp, PadOp, ReverseOp, ConcatenateOp, DynamicSliceOp,
            DynamicUpdateSliceOp>([&](auto) { return elementwise(operands, wanted); })
      .Default([&](Operation *op) {
        return kindOf(op) == OpKind::Elementwise ? elementwise(operands, wanted)
                                                 : fixed(op, operands);
      });
}

SmallVector<Order> suggestedOrders(Operation *op, ArrayRef<Placed> operands) {
  RankedTensorType type = resultType(op);
  SmallVector<Order> orders;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    // Place j has operand dimension order[j], which is one of the result.
    Order dims = inverse(transpose.getPermutation()), order;
    for (int64_t d : operands[0].order)
      order.push_back(dims[d]);
    orders.push_back(order);
  } else if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    // The places that the operand's dimensions have in a row-major result, in its order.
    SmallVector<int64_t> places(broadcast.getBroadcastDimensions());
    llvm::sort(places);
    Order order = rowMajor(type.getRank());
    for (auto [place, d] : llvm::zip_equal(places, operands[0].order))
      order[place] = broadcast.getBroadcastDimensions()[d];
    orders.push_back(order);
  } else if (isa<ReshapeOp>(op)) {
    orders.push_back(rowMajor(type.getRank()));
    if (auto order = throughReshape(operands[0], type))
      orders.push_back(*order);
    orders.push_back(compactRowMajor(type));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    orders.push_back(keptOrder(reducedOrder(reduce, operands[0]), reduce.getDimensions()));
  } else if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    int64_t rank = type.getRank(), batch = dot.getLhsBatchingDims().size();
    Order exchanged = rowMajor(rank);
    std::rotate(exchanged.begin() + batch, exchanged.begin() + batch + dot.getLhsFreeDims().size(),
                exchanged.end());
    orders.append({operandOrdersOf(op, operands, rowMajor(rank)).result,
                   operandOrdersOf(op, operands, exchanged).result});
  } else {
    auto gather = dyn_cast<GatherOp>(op);
    if (gather && picksSlabs(gather, operands[0].type))
      orders.push_back(slabOrder(operands[0], type.getRank()));
    for (const Placed &operand : operands)
      if (operand.type.getRank() == type.getRank())
        orders.push_back(operand.order);
  }
  return orders;
}

} // namespace systole
