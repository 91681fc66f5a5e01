// Expands ApproxTopK, which selects the elements that come first in an order, with some misses.
//
// Element i is in bin i modulo the number of bins. The first element of each bin is found in one
// pass, and those are sorted: of two elements of the result in one bin one is missed. The share
// that is found, the recall, follows from the number of bins (Chern et al., TPU-KNN: k nearest
// neighbor search at peak FLOP/s, 2022).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

/// More bins than any array has elements.
constexpr double kMostBins = 1e12;

/// A search: `values` and `indices` are of one shape, of which `dim` is searched.
struct Search {
  Value values, indices, noValue, noIndex;
  int64_t dim;
  func::FuncOp comparator;
  /// Missing for a result of bins.
  std::optional<int64_t> count;
  double recall;
};

std::optional<Search> searchOf(CustomCallOp op) {
  auto settings = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  ArrayAttr callees = op.getCalledComputationsAttr();
  if (op.getNumOperands() != 4 || op.getNumResults() != 2 || !settings || !callees ||
      callees.size() != 1)
    return std::nullopt;
  auto dim = settings.getAs<IntegerAttr>("reduction_dim");
  auto count = settings.getAs<IntegerAttr>("top_k");
  auto recall = settings.getAs<FloatAttr>("recall_target");
  auto isAggregated = settings.getAs<BoolAttr>("aggregate_to_topk");
  ValueRange operands = op.getInputs();
  RankedTensorType type = typeOf(operands[0]), indices = typeOf(operands[1]);
  if (!dim || !count || !recall || !isAggregated || dim.getInt() < 0 ||
      dim.getInt() >= type.getRank() || count.getInt() < 0 || indices.getShape() != type.getShape())
    return std::nullopt;
  for (auto [none, of] : {std::pair(operands[2], type), std::pair(operands[3], indices)})
    if (typeOf(none) != RankedTensorType::get({}, of.getElementType()))
      return std::nullopt;
  int64_t size = type.getDimSize(dim.getInt());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim.getInt()] =
      isAggregated.getValue() ? count.getInt() : typeOf(op.getResult(0)).getDimSize(dim.getInt());
  if (op.getResultTypes()[0] != type.clone(shape) ||
      op.getResultTypes()[1] != indices.clone(shape) || shape[dim.getInt()] > size)
    return std::nullopt;
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, cast<FlatSymbolRefAttr>(callees[0]));
  Type value = RankedTensorType::get({}, type.getElementType());
  Type index = RankedTensorType::get({}, indices.getElementType());
  Type flag = RankedTensorType::get({}, IntegerType::get(op.getContext(), 1));
  auto expected = FunctionType::get(op.getContext(), {value, value, index, index}, flag);
  // Its operations are copied, and must not be those that they are copied to.
  if (!callee || callee.isExternal() || callee->isAncestor(op) ||
      callee.getFunctionType() != expected)
    return std::nullopt;
  std::optional<int64_t> found;
  if (isAggregated.getValue())
    found = count.getInt();
  return Search{operands[0],  operands[1], operands[2], operands[3],
                dim.getInt(), callee,      found,       recall.getValueAsDouble()};
}

class Selection {
public:
  Selection(CustomCallOp op, Search search) : t(op), search(search) {}

  SmallVector<Value> run(int64_t resultSize) {
    SmallVector<Value> pair = {search.values, search.indices};
    int64_t size = shapeOf(search.values)[search.dim];
    int64_t bins = search.count ? binsFor(*search.count) : resultSize;
    // A pass that leaves more than half of the elements does not pay.
    if (bins > 0 && (search.count ? 2 * bins <= size : bins < size))
      pair = firstOfBins(pair, bins);
    if (!search.count)
      return pair;
    return llvm::map_to_vector(sorted(pair),
                               [&](Value x) { return t.slice(x, search.dim, 0, *search.count); });
  }

private:
  /// The bins of which the expected recall of `count` elements is the target, in whole rows; zero
  /// for a recall of one.
  int64_t binsFor(int64_t count) const {
    if (count <= 1)
      return kLanes;
    if (!(search.recall > 0 && search.recall < 1))
      return 0;
    double bins = std::ceil(static_cast<double>(count - 1) / -std::log(search.recall));
    if (bins >= kMostBins)
      return 0;
    int64_t least = std::max(count, static_cast<int64_t>(bins));
    return static_cast<int64_t>(llvm::alignTo(least, kLanes));
  }

  /// Whether `second` comes before `first`, by the comparator's operations.
  Value isBefore(Value second, Value first, Value secondIndex, Value firstIndex) {
    IRMapping names;
    Block &body = search.comparator.getBody().front();
    names.map(body.getArguments(), ArrayRef<Value>{second, first, secondIndex, firstIndex});
    for (Operation &op : body.without_terminator())
      t.b.clone(op, names);
    return names.lookupOrDefault(body.getTerminator()->getOperand(0));
  }

  SmallVector<Value> firstOfBins(ArrayRef<Value> pair, int64_t bins) {
    SmallVector<int64_t> shape(shapeOf(pair[0]));
    int64_t size = shape[search.dim], rows = llvm::divideCeil(size, bins);
    SmallVector<int64_t> none(shape.size(), 0), missing = none, divided = shape;
    missing[search.dim] = rows * bins - size;
    divided[search.dim] = bins;
    divided.insert(divided.begin() + search.dim, rows);
    SmallVector<Value> start = {search.noValue, search.noIndex}, inputs;
    for (auto [x, padding] : llvm::zip_equal(pair, start))
      inputs.push_back(t.reshape(t.pad(x, padding, none, missing, none), divided));
    shape[search.dim] = bins;
    SmallVector<Type> types;
    for (Value x : pair)
      types.push_back(typeOf(x).clone(shape));
    auto reduction = ReduceOp::create(t.b, t.loc, types, inputs, start, search.dim);
    OpBuilder::InsertionGuard guard(t.b);
    Type value = search.noValue.getType(), index = search.noIndex.getType();
    Block *body = t.b.createBlock(&reduction.getBody(), {}, {value, index, value, index},
                                  SmallVector<Location>(4, t.loc));
    Value first = body->getArgument(0), firstIndex = body->getArgument(1);
    Value second = body->getArgument(2), secondIndex = body->getArgument(3);
    Value isSecond = isBefore(second, first, secondIndex, firstIndex);
    ReturnOp::create(
        t.b, t.loc,
        ValueRange{t.select(isSecond, second, first), t.select(isSecond, secondIndex, firstIndex)});
    return SmallVector<Value>(reduction.getResults());
  }

  SmallVector<Value> sorted(ArrayRef<Value> pair) {
    return t.sort(pair, search.dim,
                  [&](ValueRange x, ValueRange y) { return isBefore(x[0], y[0], x[1], y[1]); });
  }

  Tensors t;
  Search search;
};

} // namespace

SmallVector<Value> expandApproxTopK(CustomCallOp op) {
  std::optional<Search> search = searchOf(op);
  if (!search)
    return {};
  int64_t size = typeOf(op.getResult(0)).getDimSize(search->dim);
  return Selection(op, *std::move(search)).run(size);
}

} // namespace systole::expansion
