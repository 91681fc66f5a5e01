// Rewrites Fourier transforms as products with their matrices.
// See docs/decisions/factorizations-and-transforms.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/FourierPlan.h"
#include "compiler/Legalize/Complex/Splitter.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;
using namespace expansion;

namespace {

using Numbers = ArrayRef<std::complex<double>>;

/// Real and imaginary parts; no imaginary ones of real numbers.
struct Parts {
  Value re, im;

  template <typename Function> Parts map(Function function) const {
    return {function(re), im ? function(im) : Value()};
  }
};

/// The root to a power of which a transform multiplies.
std::complex<double> rootOf(int64_t power, int64_t length, int sign) {
  std::complex<double> root = unitRoot(power, length);
  return sign < 0 ? std::conj(root) : root;
}

APFloat roundedTo(FloatType type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

/// Builds transforms along the last of two dimensions, without scaling.
class Transformer {
public:
  explicit Transformer(Operation *op) : t(op), part(partType(op->getOperand(0))) {}

  /// With exponents of the sign of `sign`.
  Parts transform(const Parts &x, int sign);
  /// Along `dim`, of any number of dimensions.
  Parts transformAlong(const Parts &x, int64_t dim, int sign);
  /// Whether a transform along `dim` had better move whole rows: steps on the vector unit transform
  /// the length, and the last dimension fills lanes.
  bool keepsLanes(ArrayRef<int64_t> shape, int64_t dim);
  /// The real result for the first half of a spectrum, and the middle of an even one.
  Value realResult(const Parts &half, int64_t length);

  Parts scale(const Parts &x, double factor) {
    return x.map([&](Value part) {
      return t.apply<MulOp>(part, t.real(this->part, factor, shapeOf(part)));
    });
  }

  Value zeros(ArrayRef<int64_t> shape) { return t.number(part, 0, shape); }

  Tensors t;

private:
  Parts constant(Numbers numbers, ArrayRef<int64_t> shape);
  /// The first powers of the root to the power of `step`.
  Parts roots(int64_t step, int64_t count, int64_t length, int sign);
  Value product(Value x, Value matrix);
  Parts multiply(const Parts &x, const Parts &y);
  Parts multiply(const Parts &x, std::complex<double> number);
  Parts add(const Parts &x, const Parts &y);
  /// The transform of the numbers at each position of equal tensors.
  SmallVector<Parts> butterflies(ArrayRef<Parts> x, int sign);
  Parts byMatrix(const Parts &x, int sign);
  Parts transformRows(const Parts &x, int sign);
  Parts byButterflies(const Parts &x, int64_t factor, int sign);
  Parts bySplit(const Parts &x, int64_t factor, int sign);
  Parts byChirp(const Parts &x, int64_t padded, int sign);
  Parts exchange(const Parts &x, ArrayRef<int64_t> shape);

  Type part;
  FourierPlans plans;
};

Parts Transformer::constant(Numbers numbers, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, part);
  auto constantOf = [&](auto get) -> Value {
    auto values = llvm::map_to_vector(
        numbers, [&](auto number) { return roundedTo(cast<FloatType>(part), get(number)); });
    return ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(type, ArrayRef<APFloat>(values)));
  };
  return {constantOf([](auto number) { return number.real(); }),
          constantOf([](auto number) { return number.imag(); })};
}

Parts Transformer::roots(int64_t step, int64_t count, int64_t length, int sign) {
  SmallVector<std::complex<double>> numbers;
  for (int64_t j = 0; j < count; ++j)
    numbers.push_back(rootOf(j * step, length, sign));
  return constant(numbers, {count});
}

Value Transformer::product(Value x, Value matrix) {
  MLIRContext *context = t.b.getContext();
  auto numbers = DotDimensionNumbersAttr::get(context, {}, {}, {1}, {0});
  auto highest = PrecisionAttr::get(context, Precision::HIGHEST);
  auto type = typeOf(x).clone({shapeOf(x)[0], shapeOf(matrix)[1]});
  return DotGeneralOp::create(t.b, t.loc, type, x, matrix, numbers,
                              t.b.getArrayAttr({highest, highest}), nullptr);
}

Parts Transformer::multiply(const Parts &x, const Parts &y) {
  auto times = [&](Value a, Value b) { return t.apply<MulOp>(a, b); };
  if (!x.im)
    return {times(x.re, y.re), times(x.re, y.im)};
  return {t.apply<SubtractOp>(times(x.re, y.re), times(x.im, y.im)),
          t.apply<AddOp>(times(x.re, y.im), times(x.im, y.re))};
}

// Numbers of one part, which most roots of small transforms are, take no product of the other one.
Parts Transformer::multiply(const Parts &x, std::complex<double> number) {
  auto times = [&](Value part, double factor) -> Value {
    if (factor == 1)
      return part;
    if (factor == -1)
      return t.apply<NegOp>(part);
    return t.apply<MulOp>(part, t.real(this->part, factor, shapeOf(part)));
  };
  double re = number.real(), im = number.imag();
  if (im == 0)
    return x.map([&](Value part) { return times(part, re); });
  if (!x.im)
    return {times(x.re, re), times(x.re, im)};
  if (re == 0)
    return {times(x.im, -im), times(x.re, im)};
  return {t.apply<SubtractOp>(times(x.re, re), times(x.im, im)),
          t.apply<AddOp>(times(x.re, im), times(x.im, re))};
}

Parts Transformer::add(const Parts &x, const Parts &y) {
  if (!x.im || !y.im)
    return {t.apply<AddOp>(x.re, y.re), x.im ? x.im : y.im};
  return {t.apply<AddOp>(x.re, y.re), t.apply<AddOp>(x.im, y.im)};
}

// Transforms of every p-th element, p being the least factor, and sums of p such.
SmallVector<Parts> Transformer::butterflies(ArrayRef<Parts> x, int sign) {
  int64_t length = int64_t(x.size()), p = 2;
  if (length == 1)
    return {x.front()};
  while (length % p != 0)
    ++p;
  int64_t rest = length / p;
  SmallVector<SmallVector<Parts>> inner;
  for (int64_t q = 0; q < p; ++q) {
    SmallVector<Parts> every;
    for (int64_t i = q; i < length; i += p)
      every.push_back(x[i]);
    inner.push_back(butterflies(every, sign));
  }
  SmallVector<Parts> result(length);
  for (int64_t k = 0; k < rest; ++k) {
    SmallVector<Parts> turned = {inner[0][k]};
    for (int64_t q = 1; q < p; ++q)
      turned.push_back(multiply(inner[q][k], rootOf(q * k, length, sign)));
    for (int64_t s = 0; s < p; ++s) {
      Parts sum = turned[0];
      for (int64_t q = 1; q < p; ++q)
        sum = add(sum, multiply(turned[q], rootOf(q * s, p, sign)));
      result[k + rest * s] = sum;
    }
  }
  return result;
}

Parts Transformer::byMatrix(const Parts &x, int sign) {
  int64_t length = shapeOf(x.re)[1];
  SmallVector<std::complex<double>> roots;
  for (int64_t j = 0; j < length; ++j)
    for (int64_t k = 0; k < length; ++k)
      roots.push_back(rootOf(j * k, length, sign));
  Parts matrix = constant(roots, {length, length});
  Parts result = {product(x.re, matrix.re), product(x.re, matrix.im)};
  if (!x.im)
    return result;
  return {t.apply<SubtractOp>(result.re, product(x.im, matrix.im)),
          t.apply<AddOp>(result.im, product(x.im, matrix.re))};
}

/// The transposed matrices of `shape`, which has three dimensions; the first two are merged then.
Parts Transformer::exchange(const Parts &x, ArrayRef<int64_t> shape) {
  return x.map([&](Value part) {
    Value matrices = t.transpose(t.reshape(part, shape), {0, 2, 1});
    return t.reshape(matrices, {shape[0] * shape[2], shape[1]});
  });
}

/// Along the second of four dimensions, by steps that move whole rows.
Parts Transformer::transformRows(const Parts &x, int sign) {
  SmallVector<int64_t> shape(shapeOf(x.re));
  int64_t outer = shape[0], length = shape[1], rows = shape[2], columns = shape[3];
  int64_t a = firstButterflies(length), rest = length / a;
  Parts apart = x.map([&](Value part) { return t.reshape(part, {outer, a, rest, rows, columns}); });
  SmallVector<Parts> numbers;
  for (int64_t j = 0; j < a; ++j)
    numbers.push_back(apart.map([&](Value part) { return t.take(part, 1, j); }));
  numbers = butterflies(numbers, sign);
  SmallVector<Value> re, im;
  for (auto [k, number] : llvm::enumerate(numbers)) {
    Parts turned = number;
    if (k > 0 && rest > 1)
      turned = multiply(number, roots(int64_t(k), rest, length, sign).map([&](Value part) {
        return t.spread(part, {outer, rest, rows, columns}, {1});
      }));
    re.push_back(turned.re);
    im.push_back(turned.im ? turned.im : zeros({outer, rest, rows, columns}));
  }
  Parts exchanged = Parts{t.stack(re, 2), t.stack(im, 2)}.map(
      [&](Value part) { return t.reshape(part, {outer, rest, a * rows, columns}); });
  if (rest > 1)
    exchanged = transformRows(exchanged, sign);
  return exchanged.map([&](Value part) { return t.reshape(part, shape); });
}

// As below, but transforms of j1 to k1 combine rows, which lie apart.
Parts Transformer::byButterflies(const Parts &x, int64_t a, int sign) {
  int64_t rows = shapeOf(x.re)[0], length = shapeOf(x.re)[1], b = length / a;
  SmallVector<int64_t> shape = {a, rows, b};
  Parts apart = x.map([&](Value part) {
    return t.reshape(t.transpose(t.reshape(part, {rows, a, b}), {1, 0, 2}), {1, a, rows, b});
  });
  SmallVector<std::complex<double>> factors;
  for (int64_t k = 0; k < a; ++k)
    for (int64_t j = 0; j < b; ++j)
      factors.push_back(rootOf(j * k, length, sign));
  Parts turning =
      constant(factors, {a, b}).map([&](Value part) { return t.spread(part, shape, {0, 2}); });
  Parts rowwise =
      transformRows(apart, sign).map([&](Value part) { return t.reshape(part, shape); });
  Parts turned =
      multiply(rowwise, turning).map([&](Value part) { return t.reshape(part, {a * rows, b}); });
  return transform(turned, sign).map([&](Value part) {
    Value lists = t.transpose(t.reshape(part, shape), {1, 2, 0});
    return t.reshape(lists, {rows, length});
  });
}

// Of length a b, element j1 b + j2 of the operand and k1 + a k2 of the result: transforms of j1 to
// k1, a factor for each k1 and j2, transforms of j2 to k2.
Parts Transformer::bySplit(const Parts &x, int64_t a, int sign) {
  int64_t rows = shapeOf(x.re)[0], length = shapeOf(x.re)[1], b = length / a;
  Parts first = transform(exchange(x, {rows, a, b}), sign);
  SmallVector<std::complex<double>> factors;
  for (int64_t j = 0; j < b; ++j)
    for (int64_t k = 0; k < a; ++k)
      factors.push_back(rootOf(j * k, length, sign));
  SmallVector<int64_t> shape = {rows, b, a};
  Parts turning =
      constant(factors, {b, a}).map([&](Value part) { return t.spread(part, shape, {1, 2}); });
  Parts turned = multiply(first.map([&](Value part) { return t.reshape(part, shape); }), turning);
  Parts second = transform(exchange(turned, shape), sign);
  return second.map([&](Value part) {
    Value matrices = t.transpose(t.reshape(part, {rows, a, b}), {0, 2, 1});
    return t.reshape(matrices, {rows, length});
  });
}

// j k = (j^2 + k^2 - (k - j)^2) / 2: factors before and after a convolution, which is a product of
// spectra.
Parts Transformer::byChirp(const Parts &x, int64_t padded, int sign) {
  int64_t rows = shapeOf(x.re)[0], length = shapeOf(x.re)[1];
  Chirp chirp = chirpOf(length, padded, sign);
  auto factors = [&](Numbers numbers) {
    int64_t count = int64_t(numbers.size());
    return constant(numbers, {count}).map([&](Value part) {
      return t.spread(part, {rows, count}, {1});
    });
  };
  Parts outer = factors(chirp.factors);
  Value zero = zeros({});
  Parts filled = multiply(x, outer).map(
      [&](Value part) { return t.pad(part, zero, {0, 0}, {0, padded - length}, {0, 0}); });
  Parts spectrum = multiply(transform(filled, -1), factors(chirp.spectrum));
  Parts sums = scale(transform(spectrum, 1), 1.0 / double(padded));
  return multiply(sums.map([&](Value part) { return t.slice(part, 1, 0, length); }), outer);
}

Parts Transformer::transform(const Parts &x, int sign) {
  FourierStep step = plans.of(shapeOf(x.re)[1]);
  switch (step.kind) {
  case FourierStep::Kind::Matrix:
    return byMatrix(x, sign);
  case FourierStep::Kind::Butterflies:
    return byButterflies(x, step.factor, sign);
  case FourierStep::Kind::Split:
    return bySplit(x, step.factor, sign);
  case FourierStep::Kind::Chirp:
    return byChirp(x, step.factor, sign);
  }
  llvm_unreachable("unknown step");
}

bool Transformer::keepsLanes(ArrayRef<int64_t> shape, int64_t dim) {
  std::optional<int64_t> steps = countButterflies(shape[dim]);
  if (dim + 1 == int64_t(shape.size()) || shape[dim] == 1 || !steps)
    return false;
  // A step on the vector unit takes half as long as moving all elements to other lanes, of which
  // there are two transpositions (FourierPlans).
  double filled = double(shape.back()) / double(llvm::alignTo(shape.back(), kLanes));
  return 0.5 * double(*steps) / filled <= plans.of(shape[dim]).cost + 2;
}

Parts Transformer::transformAlong(const Parts &x, int64_t dim, int sign) {
  SmallVector<int64_t> shape(shapeOf(x.re)), order;
  if (keepsLanes(shape, dim)) {
    ArrayRef<int64_t> sizes = shape;
    const int64_t rows[] = {ShapedType::getNumElements(sizes.take_front(dim)), shape[dim],
                            ShapedType::getNumElements(sizes.drop_front(dim + 1).drop_back()),
                            shape.back()};
    Parts found = transformRows(x.map([&](Value part) { return t.reshape(part, rows); }), sign);
    return found.map([&](Value part) { return t.reshape(part, shape); });
  }
  for (int64_t other = 0; other < int64_t(shape.size()); ++other)
    if (other != dim)
      order.push_back(other);
  order.push_back(dim);
  SmallVector<int64_t> moved = llvm::map_to_vector(order, [&](int64_t d) { return shape[d]; });
  int64_t rows = 1;
  for (int64_t size : ArrayRef(moved).drop_back())
    rows *= size;
  Parts lines =
      x.map([&](Value part) { return t.reshape(t.transpose(part, order), {rows, shape[dim]}); });
  SmallVector<int64_t> back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = int64_t(to);
  return transform(lines, sign).map([&](Value part) {
    return t.transpose(t.reshape(part, moved), back);
  });
}

Value Transformer::realResult(const Parts &half, int64_t length) {
  int64_t dim = typeOf(half.re).getRank() - 1, rest = (length - 1) / 2;
  auto mirrored = [&](Value part) {
    return ReverseOp::create(t.b, t.loc, t.slice(part, dim, 1, rest), dim).getResult();
  };
  Parts whole = half;
  if (rest > 0)
    whole = {t.concatenate({half.re, mirrored(half.re)}, dim),
             t.concatenate({half.im, t.apply<NegOp>(mirrored(half.im))}, dim)};
  return transformAlong(whole, dim, 1).re;
}

LogicalResult rewriteFft(Splitter &s, Operation *op) {
  auto fft = cast<FftOp>(op);
  Transformer f(op);
  FftType kind = fft.getFftType();
  ArrayRef<int64_t> length = fft.getFftLength();
  Value operand = fft.getOperand(), result = fft.getResult();
  int64_t rank = typeOf(operand).getRank(), last = rank - 1;
  int64_t first = rank - int64_t(length.size());
  bool isInverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  int sign = isInverse ? 1 : -1;
  double count = 1;
  for (int64_t size : length)
    count *= double(size);
  // Of a transposed array the dimensions stay where they are if the transform can move whole rows
  // there.
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  auto transpose = operand.getDefiningOp<TransposeOp>();
  bool isTransposed =
      transpose && kind != FftType::IRFFT &&
      f.keepsLanes(shapeOf(transpose.getOperand()), transpose.getPermutation().back());
  if (isTransposed) {
    operand = transpose.getOperand();
    order = SmallVector<int64_t>(transpose.getPermutation());
  }
  Parts x = {operand, {}};
  if (isComplex(operand)) {
    SmallVector<Value> parts = s.planesOf(operand);
    x = {parts[0], parts[1]};
  }
  if (typeOf(result).getNumElements() == 0) {
    Value none = f.zeros(shapeOf(result));
    x = {none, none};
  } else {
    if (kind == FftType::RFFT)
      x = f.transformAlong(x, order[last], sign).map([&](Value part) {
        return f.t.slice(part, order[last], 0, shapeOf(result)[last]);
      });
    bool isReal = kind == FftType::RFFT || kind == FftType::IRFFT;
    for (int64_t dim = isReal ? last - 1 : last; dim >= first; --dim)
      x = f.transformAlong(x, order[dim], sign);
    if (isTransposed)
      x = x.map([&](Value part) { return f.t.transpose(part, order); });
    if (kind == FftType::IRFFT)
      x = {f.realResult(x, length.back()), {}};
    if (isInverse)
      x = f.scale(x, 1 / count);
  }
  if (isComplex(result))
    s.setPlanes(result, {x.re, x.im});
  else
    result.replaceAllUsesWith(x.re);
  return success();
}

} // namespace

void addFourier(RewriteTable &table) { table.add<FftOp>(rewriteFft); }

} // namespace systole::complex
