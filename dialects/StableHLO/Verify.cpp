// The checks that the verifiers of several StableHLO operations share.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Verify.h"

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Traits.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace systole::stablehlo {

Refusal::Refusal(Operation *op) : location(op->getLoc()), opName(op->getName().getStringRef()) {}

std::string toText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

LogicalResult checkOnePerDim(const Refusal &refuse, StringRef name, ArrayRef<int64_t> values,
                             StringRef what, int64_t rank) {
  if (static_cast<int64_t>(values.size()) == rank)
    return success();
  return refuse(name, " must have one entry per dimension of ", what, ", but has ", values.size(),
                " for rank ", rank);
}

LogicalResult checkDims(const Refusal &refuse, StringRef name, ArrayRef<int64_t> dims,
                        StringRef what, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return refuse("dimension ", dim, " in ", name, " is out of range for rank-", rank, " ", what);
    if (seen.test(dim))
      return refuse("dimension ", dim, " occurs twice in ", name, " ", toText(dims));
    seen.set(dim);
  }
  return success();
}

LogicalResult checkAscending(const Refusal &refuse, StringRef name, ArrayRef<int64_t> dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i - 1] >= dims[i])
      return refuse(name, " must ascend, but is ", toText(dims));
  return success();
}

LogicalResult checkDisjoint(const Refusal &refuse, StringRef nameA, ArrayRef<int64_t> a,
                            StringRef nameB, ArrayRef<int64_t> b) {
  for (int64_t dim : a)
    if (llvm::is_contained(b, dim))
      return refuse("dimension ", dim, " occurs both in ", nameA, " and in ", nameB);
  return success();
}

/// Whether values of one element type convert to another of the same kind
/// without loss of range.
static bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  if (auto a = dyn_cast<ComplexType>(from))
    if (auto b = dyn_cast<ComplexType>(to))
      return isPromotable(a.getElementType(), b.getElementType());
  if (auto a = dyn_cast<quant::QuantizedType>(from))
    if (auto b = dyn_cast<quant::QuantizedType>(to))
      return a.getExpressedType() == b.getExpressedType() &&
             a.getStorageTypeIntegralWidth() <= b.getStorageTypeIntegralWidth();
  auto a = dyn_cast<IntegerType>(from), b = dyn_cast<IntegerType>(to);
  if (a && b)
    return a.getWidth() > 1 && a.getWidth() <= b.getWidth();
  auto x = dyn_cast<FloatType>(from), y = dyn_cast<FloatType>(to);
  return x && y && x.getWidth() <= y.getWidth();
}

/// Whether the sizes of a shape are a subsequence of `allowed`.
static bool isPartOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> allowed) {
  for (int64_t size : allowed)
    if (!shape.empty() && areCompatibleSizes(shape.front(), size))
      shape = shape.drop_front();
  return shape.empty();
}

LogicalResult checkReducer(const Refusal &refuse, StringRef name, Block &region, TypeRange inputs,
                           TypeRange inits, TypeRange results, ArrayRef<int64_t> allowed) {
  unsigned count = inputs.size();
  if (region.getNumArguments() != 2 * count)
    return refuse("requires a ", name, " with ", 2 * count,
                  " arguments, two per input, but it has ", region.getNumArguments());
  Operation *last = region.getTerminator();
  if (last->getNumOperands() != count)
    return refuse("requires a ", name, " that returns ", count,
                  " values, one per input, but it returns ", last->getNumOperands());
  for (unsigned i = 0; i < count; ++i) {
    Type element = getElementTypeOrSelf(results[i]);
    // Without `allowed` single elements are combined, whatever the shape of `inits`: those of a
    // scatter are tensors.
    ArrayRef<int64_t> shape;
    if (!allowed.empty())
      shape = cast<RankedTensorType>(inits[i]).getShape();
    if (!isPartOf(shape, allowed))
      return refuse("requires an initial value of rank 0 or of sizes among ", toText(allowed),
                    ", but it is ", inits[i]);
    Type scalar = RankedTensorType::get(shape, element);
    for (unsigned arg : {i, i + count})
      if (region.getArgument(arg).getType() != scalar)
        return refuse("requires ", scalar, " for argument #", arg, " of the ", name,
                      ", after result #", i, ", but it is ", region.getArgument(arg).getType());
    if (last->getOperand(i).getType() != scalar)
      return refuse("requires ", scalar, " for value #", i, " that the ", name,
                    " returns, after result #", i, ", but it is ", last->getOperand(i).getType());
    for (Type type : {inputs[i], inits[i]})
      if (!isPromotable(getElementTypeOrSelf(type), element))
        return refuse("cannot reduce ", type, " to elements of type ", element);
  }
  return success();
}

bool isStaticOrBounded(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto encoding = dyn_cast_or_null<BoundsAttr>(tensor.getEncoding());
  if (!encoding)
    return tensor.hasStaticShape();
  return llvm::all_of_zip(tensor.getShape(), encoding.getBounds(), [](int64_t size, int64_t bound) {
    return ShapedType::isStatic(size) || ShapedType::isStatic(bound);
  });
}

std::optional<SmallVector<int64_t>> constantIntegers(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements)
    return std::nullopt;
  return llvm::map_to_vector(elements.getValues<APInt>(), [&](const APInt &element) {
    const bool isUnsigned = elements.getElementType().isUnsignedInteger();
    return isUnsigned ? int64_t(element.getZExtValue()) : element.getSExtValue();
  });
}

LogicalResult checkConstantShape(const Refusal &refuse, StringRef name, Value shape,
                                 RankedTensorType result) {
  std::optional<SmallVector<int64_t>> sizes = constantIntegers(shape);
  if (!sizes)
    return success();
  const bool isNegative = llvm::any_of(*sizes, [](int64_t size) { return size < 0; });
  if (isNegative || !llvm::all_of_zip(*sizes, result.getShape(), areCompatibleSizes))
    return refuse(name, " is ", toText(*sizes), ", which is not the shape of the result, ", result);
  return success();
}

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  // A zero makes the product zero, however large the other sizes are.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

LogicalResult checkPositive(const Refusal &refuse, StringRef name, OptionalInts values,
                            StringRef what, int64_t rank) {
  if (!values)
    return success();
  if (failed(checkOnePerDim(refuse, name, *values, what, rank)))
    return failure();
  for (int64_t value : *values)
    if (value <= 0)
      return refuse(name, " must be positive, but is ", toText(*values));
  return success();
}

LogicalResult checkPadding(const Refusal &refuse, DenseIntElementsAttr padding, StringRef what,
                           int64_t rank) {
  if (!padding || padding.getType().getShape() == ArrayRef<int64_t>({rank, 2}))
    return success();
  return refuse("padding must have 2 entries for each of ", rank, " dimensions of ", what,
                ", but has shape ", toText(padding.getType().getShape()));
}

LogicalResult checkInputs(const Refusal &refuse, TypeRange inputs, size_t results) {
  if (inputs.empty())
    return refuse("requires at least one input");
  if (inputs.size() != results)
    return refuse("requires as many results as inputs, but has ", inputs.size(), " inputs and ",
                  results, " results");
  for (auto [i, input] : llvm::enumerate(inputs))
    if (!areCompatibleShapes(inputs.front(), input))
      return refuse("requires the same shape for all inputs, but input #0 is ", inputs.front(),
                    " and input #", i, " is ", input);
  return success();
}

LogicalResult checkSameKind(const Refusal &refuse, RankedTensorType lhs, RankedTensorType rhs,
                            RankedTensorType result) {
  auto isComplex = [](RankedTensorType type) { return isa<ComplexType>(type.getElementType()); };
  if (isComplex(lhs) == isComplex(rhs) && isComplex(lhs) == isComplex(result))
    return success();
  return refuse("requires element types that are all real or all complex, but lhs is ", lhs,
                ", rhs is ", rhs, " and the result is ", result);
}

} // namespace systole::stablehlo
