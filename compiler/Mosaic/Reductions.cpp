// Reductions and products of Mosaic on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/TensorOps.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace systole::mosaic {

using namespace stablehlo;
using Kind = vector::CombiningKind;

static ArrayRef<int64_t> shapeOf(Value tensor) { return typeOf(tensor).getShape(); }
static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }
static RankedTensorType resultType(Operation *op) { return tensorType(op->getResult(0).getType()); }

/// The identity of a combining function; null if it is unsupported.
static DenseElementsAttr identityOf(Kind kind, Type element) {
  auto type = RankedTensorType::get({}, element);
  auto real = [&](double value) {
    return DenseElementsAttr::get(type, FloatAttr::get(element, value));
  };
  auto bits = [&](const APInt &value) {
    return DenseElementsAttr::get(type, IntegerAttr::get(element, value));
  };
  unsigned width = element.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(element);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case Kind::ADD:
    return isFloat ? real(0) : bits(APInt::getZero(width));
  case Kind::MUL:
    return isFloat ? real(1) : bits(APInt(width, 1));
  case Kind::MINUI:
  case Kind::AND:
    return bits(APInt::getAllOnes(width));
  case Kind::MAXUI:
  case Kind::OR:
  case Kind::XOR:
    return bits(APInt::getZero(width));
  case Kind::MINSI:
    return bits(APInt::getSignedMaxValue(width));
  case Kind::MAXSI:
    return bits(APInt::getSignedMinValue(width));
  case Kind::MINNUMF:
  case Kind::MINIMUMF:
    return real(infinity);
  case Kind::MAXNUMF:
  case Kind::MAXIMUMF:
    return real(-infinity);
  }
  llvm_unreachable("every kind is handled");
}

template <typename Op>
static Value reduceWith(Tensors &t, Value x, Value identity, ArrayRef<int64_t> dims) {
  // Rows first: a stage that reduces both has a row of 128 lanes at most.
  int64_t last = typeOf(x).getRank() - 1;
  if (dims.size() > 1 && dims.back() == last && shapeOf(x)[last] > 128) {
    Value rows = t.reduce<Op>(x, identity, dims.drop_back());
    return t.reduce<Op>(rows, identity, ArrayRef<int64_t>{typeOf(rows).getRank() - 1});
  }
  return t.reduce<Op>(x, identity, dims);
}

static Value combine(Tensors &t, Kind kind, Value x, Value y) {
  switch (kind) {
  case Kind::ADD:
    return t.apply<AddOp>(x, y);
  case Kind::MUL:
    return t.apply<MulOp>(x, y);
  case Kind::MINUI:
  case Kind::MINSI:
  case Kind::MINNUMF:
  case Kind::MINIMUMF:
    return t.apply<MinOp>(x, y);
  case Kind::MAXUI:
  case Kind::MAXSI:
  case Kind::MAXNUMF:
  case Kind::MAXIMUMF:
    return t.apply<MaxOp>(x, y);
  case Kind::AND:
    return t.apply<AndOp>(x, y);
  case Kind::OR:
    return t.apply<OrOp>(x, y);
  case Kind::XOR:
    return t.apply<XorOp>(x, y);
  }
  llvm_unreachable("every kind is handled");
}

static Value reduceOver(Tensors &t, Kind kind, Value x, ArrayRef<int64_t> dims) {
  DenseElementsAttr identity = identityOf(kind, elementOf(x));
  Value initial = ConstantOp::create(t.b, t.loc, identity);
  switch (kind) {
  case Kind::ADD:
    return reduceWith<AddOp>(t, x, initial, dims);
  case Kind::MUL:
    return reduceWith<MulOp>(t, x, initial, dims);
  case Kind::MINUI:
  case Kind::MINSI:
  case Kind::MINNUMF:
  case Kind::MINIMUMF:
    return reduceWith<MinOp>(t, x, initial, dims);
  case Kind::MAXUI:
  case Kind::MAXSI:
  case Kind::MAXNUMF:
  case Kind::MAXIMUMF:
    return reduceWith<MaxOp>(t, x, initial, dims);
  case Kind::AND:
    return reduceWith<AndOp>(t, x, initial, dims);
  case Kind::OR:
    return reduceWith<OrOp>(t, x, initial, dims);
  case Kind::XOR:
    return reduceWith<XorOp>(t, x, initial, dims);
  }
  llvm_unreachable("every kind is handled");
}

static bool isIdentity(Value value, DenseElementsAttr identity) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat() &&
         constant.getSplatValue<Attribute>() == identity.getSplatValue<Attribute>();
}

static Value reduce(Tensors &t, Operation *op, ValueRange x) {
  auto reduction = cast<vector::MultiDimReductionOp>(op);
  Kind kind = reduction.getKind();
  Value source = x[0], acc = x[1];
  Type element = elementOf(source);
  bool isUnsigned = kind == Kind::MINUI || kind == Kind::MAXUI;
  if (isUnsigned) {
    Type bits = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                                 IntegerType::Unsigned);
    source = t.bitcast(source, bits);
    acc = t.bitcast(acc, bits);
  }
  SmallVector<int64_t> dims(reduction.getReductionDims());
  llvm::sort(dims);
  Value result = reduceOver(t, kind, source, dims);
  if (!isIdentity(acc, identityOf(kind, elementOf(source))))
    result = combine(t, kind, acc, result);
  return isUnsigned ? t.bitcast(result, element) : result;
}

/// Reduces one dimension, in all of whose places the result then is.
static Value allReduce(Tensors &t, Operation *op, ValueRange x) {
  auto all = cast<tpu::AllReduceOp>(op);
  bool isFloat = isa<FloatType>(elementOf(x[0]));
  Kind kind;
  switch (all.getKind()) {
  case tpu::ReductionKind::sum:
    kind = Kind::ADD;
    break;
  case tpu::ReductionKind::max:
    kind = isFloat ? Kind::MAXIMUMF : Kind::MAXSI;
    break;
  case tpu::ReductionKind::min:
    kind = isFloat ? Kind::MINIMUMF : Kind::MINSI;
    break;
  default:
    return nullptr;
  }
  int64_t dim = all.getDim();
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < typeOf(x[0]).getRank(); ++d)
    if (d != dim)
      kept.push_back(d);
  return t.spread(reduceOver(t, kind, x[0], dim), shapeOf(x[0]), kept);
}

/// The first place of the largest or smallest element along a dimension; a NaN is either.
static Value reduceIndex(Tensors &t, Operation *op, ValueRange x) {
  auto reduction = cast<tpu::ReduceIndexOp>(op);
  bool isMax = reduction.getKind() == tpu::ReductionKind::arg_max;
  if (!isMax && reduction.getKind() != tpu::ReductionKind::arg_min)
    return nullptr;
  Value source = x[0];
  bool isFloat = isa<FloatType>(elementOf(source));
  Kind kind =
      isMax ? (isFloat ? Kind::MAXIMUMF : Kind::MAXSI) : (isFloat ? Kind::MINIMUMF : Kind::MINSI);
  int64_t axis = reduction.getAxis();
  ArrayRef<int64_t> shape = shapeOf(source);
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != axis)
      kept.push_back(d);
  Value best = t.spread(reduceOver(t, kind, source, axis), shape, kept);
  Value isBest = t.compare(ComparisonDirection::EQ, source, best);
  if (isFloat)
    isBest = t.apply<OrOp>(isBest, t.compare(ComparisonDirection::NE, source, source));
  Type i32 = t.b.getI32Type();
  Value place = t.iota(i32, shape, axis);
  place = t.select(isBest, place, t.number(i32, std::numeric_limits<int32_t>::max(), shape));
  return reduceOver(t, Kind::MINSI, place, axis);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `x` with its dimensions in `order`.
static Value inOrder(Tensors &t, Value x, ArrayRef<int64_t> order) {
  bool isIdentity = llvm::all_of(llvm::enumerate(order),
                                 [](auto dim) { return int64_t(dim.index()) == dim.value(); });
  return isIdentity ? x : t.transpose(x, order);
}

static int64_t extentOf(Value x, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= shapeOf(x)[dim];
  return product;
}

/// `x` as [batch..., A, B], of which the last two are the dimensions `first` and `second`.
static Value asMatrices(Tensors &t, Value x, ArrayRef<int64_t> batch, ArrayRef<int64_t> first,
                        ArrayRef<int64_t> second) {
  SmallVector<int64_t> order(batch), shape;
  order.append(first.begin(), first.end());
  order.append(second.begin(), second.end());
  for (int64_t dim : batch)
    shape.push_back(shapeOf(x)[dim]);
  shape.append({extentOf(x, first), extentOf(x, second)});
  return t.reshape(inOrder(t, x, order), shape);
}

/// Whether it is a product of f32 matrices and vectors, [..., M, K] and [..., K] or [..., 1, K]. On
/// a TPU the vector unit computes these in f32, whatever the precision is.
static bool isMatrixVector(tpu::DotDimensionNumbersAttr dims, Value lhs, Value rhs) {
  auto isLast = [](ArrayRef<int64_t> depth, Value operand) {
    return depth == ArrayRef<int64_t>{typeOf(operand).getRank() - 1};
  };
  return elementOf(lhs).isF32() && elementOf(rhs).isF32() &&
         isLast(dims.getLhsContracting(), lhs) && isLast(dims.getRhsContracting(), rhs) &&
         extentOf(rhs, dims.getRhsOther()) == 1;
}

/// The sums of `lhs`, [batch..., M, K], times `rhs`, [batch..., K, 1] or [batch..., 1, K].
static Value matrixVector(Tensors &t, Value lhs, Value rhs) {
  ArrayRef<int64_t> shape = shapeOf(lhs);
  int64_t last = shape.size() - 1;
  SmallVector<int64_t> vectors(shape.drop_back(2)), sums(shape);
  SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, last - 1));
  vectors.push_back(shape[last]);
  places.push_back(last);
  sums.back() = 1;
  Value spread = t.spread(t.reshape(rhs, vectors), shape, places);
  return t.reshape(reduceOver(t, Kind::ADD, t.apply<MulOp>(lhs, spread), last), sums);
}

static Value matmul(Tensors &t, Operation *op, ValueRange x) {
  auto product = cast<tpu::MatmulOp>(op);
  tpu::DotDimensionNumbersAttr dims = product.getDimensions();
  ArrayRef<int64_t> lhsBatch = dims.getLhsBatch(), rhsBatch = dims.getRhsBatch(),
                    lhsOther = dims.getLhsOther(), rhsOther = dims.getRhsOther(),
                    lhsDepth = dims.getLhsContracting(), rhsDepth = dims.getRhsContracting();
  if (lhsDepth.empty() || rhsDepth.empty())
    return nullptr;
  auto batch = int64_t(lhsBatch.size());
  // The right operand as [K, N], or as [N, K] where it lies like that.
  bool isTransposed = !rhsOther.empty() && rhsDepth.back() > rhsOther.back();
  Value lhs = asMatrices(t, x[0], lhsBatch, lhsOther, lhsDepth);
  Value rhs = isTransposed ? asMatrices(t, x[1], rhsBatch, rhsOther, rhsDepth)
                           : asMatrices(t, x[1], rhsBatch, rhsDepth, rhsOther);
  Type sum = elementOf(x[2]);
  if (elementOf(lhs) != elementOf(rhs)) {
    Type wide = isa<FloatType>(elementOf(lhs)) ? Type(t.b.getF32Type()) : sum;
    lhs = t.convert(lhs, wide);
    rhs = t.convert(rhs, wide);
  }
  SmallVector<int64_t> batches = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  auto numbers = DotDimensionNumbersAttr::get(op->getContext(), batches, batches, batch + 1,
                                              isTransposed ? batch + 1 : batch);
  bool isExact = product.getPrecision() == tpu::ContractPrecision::fp32;
  auto precision =
      PrecisionAttr::get(op->getContext(), isExact ? Precision::HIGHEST : Precision::DEFAULT);
  SmallVector<int64_t> shape(shapeOf(lhs).take_front(batch));
  shape.append({shapeOf(lhs)[batch], shapeOf(rhs)[isTransposed ? batch : batch + 1]});
  Value sums = isMatrixVector(dims, x[0], x[1])
                   ? matrixVector(t, lhs, rhs)
                   : DotGeneralOp::create(t.b, t.loc, RankedTensorType::get(shape, sum), lhs, rhs,
                                          numbers, t.b.getArrayAttr({precision, precision}),
                                          /*algorithm=*/nullptr);
  // All dimensions: those of batches, of the left operand, of the right one; then in their order.
  SmallVector<int64_t> all(shape.begin(), shape.begin() + batch);
  for (int64_t dim : lhsOther)
    all.push_back(shapeOf(x[0])[dim]);
  for (int64_t dim : rhsOther)
    all.push_back(shapeOf(x[1])[dim]);
  sums = t.reshape(sums, all);
  SmallVector<int64_t> order;
  ArrayRef<int64_t> pairs = dims.getOutputOrder();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const bool isRight = pairs[i] == 1;
    ArrayRef<int64_t> shared = isRight ? rhsBatch : lhsBatch, other = isRight ? rhsOther : lhsOther;
    int64_t first = batch + (isRight ? int64_t(lhsOther.size()) : 0);
    const int64_t *place = llvm::find(shared, pairs[i + 1]);
    order.push_back(place != shared.end()
                        ? place - shared.begin()
                        : first + (llvm::find(other, pairs[i + 1]) - other.begin()));
  }
  if (order.size() == all.size())
    sums = inOrder(t, sums, order);
  auto zero = identityOf(Kind::ADD, sum);
  return isIdentity(x[2], zero) ? sums : t.apply<AddOp>(x[2], sums);
}

void addReductionOps(TensorOps &ops) {
  ops.add("vector.multi_reduction", reduce);
  ops.add("tpu.all_reduce", allReduce);
  ops.add("tpu.reduce_index", reduceIndex);
  ops.add("tpu.matmul", matmul);
}

} // namespace systole::mosaic
