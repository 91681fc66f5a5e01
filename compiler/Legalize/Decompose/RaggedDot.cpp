// Decomposes products of groups of rows with matrices of their own.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

namespace {

class RaggedDot {
public:
  explicit RaggedDot(chlo::RaggedDotOp op)
      : op(op), t(op), dims(op.getRaggedDotDimensionNumbers()),
        groups(shapeOf(op.getGroupSizes()).back()) {}

  Value build() {
    switch (op.getMode()) {
    case chlo::RaggedDotOp::Mode::Batching:
      return product(op.getLhs(), op.getRhs(), shapeOf(op.getResult()));
    case chlo::RaggedDotOp::Mode::Free:
      return productsOfRows();
    case chlo::RaggedDotOp::Mode::Contracting:
      return productsOfDepths();
    }
    llvm_unreachable("unknown mode");
  }

private:
  Value product(Value lhs, Value rhs, ArrayRef<int64_t> shape);
  void findBounds();
  Value isInGroup(Value group, ArrayRef<int64_t> shape, ArrayRef<int64_t> prefix, int64_t ragged);
  Value productsOfRows();
  Value productsOfDepths();

  chlo::RaggedDotOp op;
  Tensors t;
  chlo::RaggedDotDimensionNumbersAttr dims;
  int64_t groups;
  /// The first element of each group, and the one behind it.
  Value begins, ends;
};

/// A product whose right operand has no group dimension.
Value RaggedDot::product(Value lhs, Value rhs, ArrayRef<int64_t> shape) {
  auto withoutGroup = [&](ArrayRef<int64_t> list) {
    return llvm::map_to_vector(list, [&](int64_t d) {
      return d - llvm::count_if(dims.getRhsGroupDimensions(), [&](int64_t g) { return g < d; });
    });
  };
  auto numbers = DotDimensionNumbersAttr::get(op.getContext(), dims.getLhsBatchingDimensions(),
                                              withoutGroup(dims.getRhsBatchingDimensions()),
                                              dims.getLhsContractingDimensions(),
                                              withoutGroup(dims.getRhsContractingDimensions()));
  ArrayAttr precision = op.getPrecisionConfigAttr();
  if (precision)
    // Both dialects use the same numbers.
    precision = t.b.getArrayAttr(llvm::map_to_vector(precision, [&](Attribute each) -> Attribute {
      auto value = cast<chlo::PrecisionAttr>(each).getValue();
      return PrecisionAttr::get(op.getContext(), static_cast<Precision>(value));
    }));
  return DotGeneralOp::create(t.b, t.loc, typeOf(op.getResult()).clone(shape), lhs, rhs, numbers,
                              precision, DotAlgorithmAttr());
}

void RaggedDot::findBounds() {
  Type i32 = t.b.getI32Type();
  Value sizes = t.convert(op.getGroupSizes(), i32);
  SmallVector<int64_t> shape(shapeOf(sizes));
  auto last = static_cast<int64_t>(shape.size()) - 1;
  // The sum of the sizes of each group and those before it.
  shape.push_back(groups);
  Value isBefore =
      t.compare(ComparisonDirection::LE, t.iota(i32, shape, last), t.iota(i32, shape, last + 1));
  Value spread = t.spread(sizes, shape, llvm::to_vector(llvm::seq<int64_t>(0, last + 1)));
  Value counted = t.select(isBefore, spread, t.number(i32, 0, shape));
  ends = t.reduce<AddOp>(counted, t.number(i32, 0), {last});
  begins = t.apply<SubtractOp>(ends, sizes);
}

/// Whether the elements of `shape` belong to a group: `ragged` is the dimension that is divided,
/// and `prefix` those in front of the groups' sizes.
Value RaggedDot::isInGroup(Value group, ArrayRef<int64_t> shape, ArrayRef<int64_t> prefix,
                           int64_t ragged) {
  auto last = typeOf(begins).getRank() - 1;
  ArrayRef<int64_t> places = last == 0 ? ArrayRef<int64_t>() : prefix;
  auto bound = [&](Value bounds) {
    return t.spread(sliceAt(t, bounds, last, group), shape, places);
  };
  Value position = t.iota(t.b.getI32Type(), shape, ragged);
  return t.apply<AndOp>(t.compare(ComparisonDirection::GE, position, bound(begins)),
                        t.compare(ComparisonDirection::LT, position, bound(ends)));
}

/// The rows of each group from the product of all rows with the group's matrix.
Value RaggedDot::productsOfRows() {
  findBounds();
  // Where the left operand's batching and free dimensions are in the result.
  SmallVector<int64_t> kept(dims.getLhsBatchingDimensions());
  llvm::append_range(kept, op.getLhsFreeDims());
  auto placeOf = [&](int64_t dim) -> int64_t { return llvm::find(kept, dim) - kept.begin(); };
  SmallVector<int64_t> prefix = llvm::map_to_vector(op.getPrefixDims(), placeOf);
  RankedTensorType type = typeOf(op.getResult());
  return t.repeat(groups, zeros(t, type), [&](Value group, ValueRange sums) -> SmallVector<Value> {
    Value matrix = sliceAt(t, op.getRhs(), dims.getRhsGroupDimensions().front(), group);
    Value rows = product(op.getLhs(), matrix, type.getShape());
    Value mask = isInGroup(group, type.getShape(), prefix, placeOf(op.getRaggedDim()));
    return {t.select(mask, rows, sums[0])};
  })[0];
}

/// A product for each group, of operands that are zero outside of it.
Value RaggedDot::productsOfDepths() {
  findBounds();
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  auto rhsDim = [&](int64_t dim) {
    for (auto [lhsDims, rhsDims] :
         {std::pair(dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions()),
          std::pair(dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions())})
      for (auto [left, right] : llvm::zip_equal(lhsDims, rhsDims))
        if (left == dim)
          return right;
    llvm_unreachable("a batching or contracting dimension");
  };
  SmallVector<int64_t> prefix = op.getPrefixDims();
  SmallVector<int64_t> rhsPrefix = llvm::map_to_vector(prefix, rhsDim);
  auto masked = [&](Value operand, Value group, ArrayRef<int64_t> prefix, int64_t ragged) {
    Value mask = isInGroup(group, shapeOf(operand), prefix, ragged);
    return t.select(mask, operand, zeros(t, typeOf(operand)));
  };
  auto body = [&](Value group, ValueRange products) -> SmallVector<Value> {
    Value lhs = masked(op.getLhs(), group, prefix, op.getRaggedDim());
    Value rhs = masked(op.getRhs(), group, rhsPrefix, rhsDim(op.getRaggedDim()));
    Value one = product(lhs, rhs, shape.drop_front());
    SmallVector<int64_t> sizes(shape);
    sizes[0] = 1;
    SmallVector<Value> starts(shape.size(), t.number(t.b.getI32Type(), 0));
    starts[0] = group;
    return {DynamicUpdateSliceOp::create(t.b, t.loc, products[0], t.reshape(one, sizes), starts)};
  };
  return t.repeat(groups, zeros(t, typeOf(op.getResult())), body)[0];
}

} // namespace

Value decomposeRaggedDot(chlo::RaggedDotOp op) { return RaggedDot(op).build(); }

} // namespace systole::decomposition
