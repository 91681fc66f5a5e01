// Reshapes of padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

/// The shape of a padded array, or some dimensions of it.
struct Extents {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;

  size_t rank() const { return shape.size(); }
  int64_t count() const { return llvm::product_of(shape); }
  Extents middle(size_t lead, size_t tail) const {
    size_t count = rank() - lead - tail;
    return {SmallVector<int64_t>(ArrayRef(shape).slice(lead, count)),
            SmallVector<Value>(ArrayRef(sizes).slice(lead, count))};
  }
  bool isPadded() const {
    return llvm::any_of(sizes, [](Value size) { return bool(size); });
  }
  /// Whether the elements are the first ones in row-major order, without gaps between them.
  bool isPrefix() const {
    int64_t before = 1;
    for (auto [extent, size] : llvm::zip_equal(shape, sizes)) {
      if (size && before != 1)
        return false;
      before *= extent;
    }
    return true;
  }
};

/// Moves the elements of an array of sizes `from` to one of sizes `to`.
class Reshaper {
public:
  Reshaper(PaddedTensors &t, Padded array, Extents to) : t(t), array(array), to(std::move(to)) {}

  Padded run();

private:
  bool isCommon(size_t from, size_t at) {
    return array.sizes[from] == to.sizes[at] &&
           (array.sizes[from] || array.shape()[from] == to.shape[at]);
  }
  SmallVector<int64_t> around(ArrayRef<int64_t> middle) const;
  /// For each place of the padded `to` the place in the padded `from` that its element has.
  Value places(const Extents &from, const Extents &to);
  Value length(const Extents &extents, size_t dim) {
    return extents.sizes[dim] ? extents.sizes[dim] : t.scalar(extents.shape[dim]);
  }

  PaddedTensors &t;
  Padded array;
  Extents to;
  size_t lead = 0, tail = 0; ///< dimensions that remain
};

} // namespace

SmallVector<int64_t> Reshaper::around(ArrayRef<int64_t> middle) const {
  SmallVector<int64_t> shape(ArrayRef(to.shape).take_front(lead));
  llvm::append_range(shape, middle);
  llvm::append_range(shape, ArrayRef(to.shape).take_back(tail));
  return shape;
}

Value Reshaper::places(const Extents &from, const Extents &to) {
  Type i32 = t.b.getI32Type();
  SmallVector<int64_t> shape = to.shape;
  Value number = t.number(i32, 0, shape), stride = t.scalar(1);
  for (size_t dim = to.rank(); dim-- > 0;) {
    Value step = t.apply<MulOp>(t.iota(i32, shape, dim), t.fill(stride, shape));
    number = t.apply<AddOp>(number, step);
    stride = t.apply<MulOp>(stride, length(to, dim));
  }
  Value place = t.number(i32, 0, shape);
  int64_t distance = 1;
  for (size_t dim = from.rank(); dim-- > 0; distance *= from.shape[dim]) {
    Value size = t.fill(t.atLeast(length(from, dim), 1), shape);
    Value index = t.apply<RemOp>(number, size);
    number = t.apply<DivOp>(number, size);
    place = t.apply<AddOp>(place, t.apply<MulOp>(index, t.number(i32, distance, shape)));
  }
  return t.reshape(place, {to.count()});
}

Padded Reshaper::run() {
  size_t least = std::min<size_t>(array.rank(), to.rank());
  auto keep = [&](size_t from, size_t at) {
    array = array.sizes[from] ? t.resized(array, from, to.shape[at]) : array;
  };
  for (; lead < least && isCommon(lead, lead); ++lead)
    keep(lead, lead);
  for (; tail < least - lead && isCommon(array.rank() - tail - 1, to.rank() - tail - 1); ++tail)
    keep(array.rank() - tail - 1, to.rank() - tail - 1);
  Extents from = Extents{SmallVector<int64_t>(array.shape()), array.sizes}.middle(lead, tail);
  Extents goal = to.middle(lead, tail);
  Value value = array.value;
  if (from.isPadded() && !goal.isPadded()) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(lead, lead + from.rank()));
    value = t.masked(array, dims).value;
  }
  value = t.reshape(value, around(from.count()));
  if (from.count() == 0 || goal.count() == 0)
    return {t.fill(t.zero(array.element()), to.shape), to.sizes};
  if (!from.isPrefix() || !goal.isPrefix())
    value = t.take(value, lead, places(from, goal));
  value = t.resized(Padded(value), lead, goal.count()).value;
  return {t.reshape(value, to.shape), to.sizes};
}

//===----------------------------------------------------------------------===//
// Sizes of results
//===----------------------------------------------------------------------===//

/// Those that an operand lists.
static FailureOr<Extents> listedExtents(PaddedForm &f, DynamicReshapeOp op, const Padded &from) {
  Extents to;
  SmallVector<Number> numbers = f.numbers(op.getOutputShape());
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    std::optional<int64_t> extent = number.known ? number.known : f.extent(dim);
    // A dimension of the operand that is kept has its bound.
    if (!extent)
      if (const auto *same = llvm::find(from.sizes, number.scalar); same != from.sizes.end())
        extent = from.shape()[same - from.sizes.begin()];
    if (!extent)
      return f.refuse("its result's type needs a bound of dimension " + Twine(dim));
    to.shape.push_back(*extent);
    to.sizes.push_back(number.known ? Value() : number.scalar);
  }
  return to;
}

/// The number of elements, divided by a known number of them.
static Value quotient(PaddedTensors &t, const Padded &from, int64_t divisor) {
  int64_t known = 1;
  Value count;
  for (int64_t dim = 0; dim < from.rank(); ++dim)
    if (!from.sizes[dim])
      known *= from.shape()[dim];
    else
      count = count ? t.apply<MulOp>(count, from.sizes[dim]) : from.sizes[dim];
  if (known % divisor == 0)
    return t.times(count, known / divisor);
  return t.apply<DivOp>(t.times(count, known), t.scalar(divisor));
}

/// Whether the known sizes between dynamic dimensions have the same products in both shapes.
static bool haveSameParts(const Padded &from, const Extents &to, ArrayRef<int64_t> dynamic) {
  auto parts = [](ArrayRef<int64_t> shape, auto isDynamic) {
    SmallVector<int64_t> products = {1};
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (isDynamic(dim))
        products.push_back(1);
      else
        products.back() *= extent;
    return products;
  };
  return parts(from.shape(), [&](size_t dim) { return bool(from.sizes[dim]); }) ==
         parts(to.shape, [&](size_t dim) { return llvm::is_contained(dynamic, int64_t(dim)); });
}

/// Those that follow from the number of elements.
static FailureOr<Extents> declaredExtents(PaddedForm &f, const Padded &from) {
  RankedTensorType type = f.declared();
  Extents to{SmallVector<int64_t>(type.getShape()), SmallVector<Value>(type.getRank())};
  SmallVector<int64_t> dynamic;
  int64_t known = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dynamic.push_back(dim);
    else
      known *= type.getDimSize(dim);
  if (dynamic.size() == 1) {
    int64_t dim = dynamic.front();
    if (!from.isPadded() && known != 0) {
      to.shape[dim] = llvm::product_of(from.shape()) / known;
      return to;
    }
    int64_t most = known == 0 ? 0 : llvm::product_of(from.shape()) / known;
    to.shape[dim] = f.extent(dim).value_or(most);
    to.sizes[dim] = known == 0 ? f.t.scalar(0) : quotient(f.t, from, known);
    return to;
  }
  SmallVector<int64_t> padded;
  for (int64_t dim = 0; dim < from.rank(); ++dim)
    if (from.sizes[dim])
      padded.push_back(dim);
  if (dynamic.empty())
    return to;
  if (dynamic.size() != padded.size() || !haveSameParts(from, to, dynamic))
    return f.refuse("the result's do not follow from them; list them by dynamic_reshape");
  for (auto [dim, source] : llvm::zip_equal(dynamic, padded)) {
    to.shape[dim] = f.extent(dim).value_or(from.shape()[source]);
    to.sizes[dim] = from.sizes[source];
  }
  return to;
}

Form reshape(PaddedForm &f) {
  Padded from = f.at(f.op->getOperand(0));
  auto listed = dyn_cast<DynamicReshapeOp>(f.op);
  FailureOr<Extents> to = listed ? listedExtents(f, listed, from) : declaredExtents(f, from);
  if (failed(to))
    return failure();
  return Arrays{Reshaper(f.t, from, *to).run()};
}

} // namespace systole::refine
