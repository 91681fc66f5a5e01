// Arrays whose sizes depend on data, padded to the bounds of their types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDED_H
#define SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDED_H

#include "compiler/Tensor/Tensors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <optional>

namespace systole::refine {

/// An array of static shape. For each dimension there is its size, an i32 scalar, or null where the
/// shape has it. What lies beyond a size is padding, whose elements may be anything.
struct Padded {
  mlir::Value value;
  llvm::SmallVector<mlir::Value> sizes;

  explicit Padded(mlir::Value value) : value(value), sizes(systole::shapeOf(value).size()) {}
  Padded(mlir::Value value, llvm::SmallVector<mlir::Value> sizes)
      : value(value), sizes(std::move(sizes)) {}

  llvm::ArrayRef<int64_t> shape() const { return systole::shapeOf(value); }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  mlir::Type element() const { return systole::typeOf(value).getElementType(); }
  bool isPadded() const {
    return llvm::any_of(sizes, [](mlir::Value size) { return bool(size); });
  }
};

inline llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<Padded> arrays) {
  return llvm::map_to_vector(arrays, [](const Padded &array) { return array.value; });
}

/// By the values of the program that they replace.
using PaddedArrays = llvm::DenseMap<mlir::Value, Padded>;

/// A number of a list of sizes or positions: known, or an i32 scalar.
struct Number {
  mlir::Value scalar;
  std::optional<int64_t> known;

  bool is(int64_t value) const { return known && *known == value; }
};

/// A dimension of one of several arrays.
struct Place {
  unsigned array;
  int64_t dim;
};

/// Builds operations on padded arrays. Those of `Tensors` apply to padding and elements alike.
class PaddedTensors : public expansion::Tensors {
public:
  using Tensors::Tensors;

  Value zero(mlir::Type element);
  Value scalar(int64_t value) { return number(b.getI32Type(), value); }
  Value scalar(const Number &x) { return x.known ? scalar(*x.known) : x.scalar; }
  /// The size as a scalar, if need be a constant.
  Value length(const Padded &array, int64_t dim);

  // Arithmetic of i32 scalars.
  Value plus(Value x, int64_t y);
  Value times(Value x, int64_t y);
  /// Rounded up; `x` is not negative.
  Value dividedBy(Value x, int64_t y);
  Value atLeast(Value x, int64_t low);
  Value within(Value x, int64_t low, int64_t high);

  /// Whether the index along `dim` is below `size`.
  Value isInside(Sizes shape, int64_t dim, Value size);
  /// With `filling` instead of the padding along `dims`: a scalar, or an array of the same shape.
  Padded masked(const Padded &array, Value filling, Sizes dims);
  Padded masked(const Padded &array, Sizes dims);
  /// With so many elements along `dim`, padding included.
  Padded resized(const Padded &array, int64_t dim, int64_t extent);
  /// With this size, and zeros instead of padding.
  Padded fixed(const Padded &array, int64_t dim, int64_t size);
  /// The `extent` elements from `start` on, which is not below `-before`; `padding` around them.
  Value shifted(Value array, int64_t dim, Value start, int64_t extent, Value padding,
                int64_t before = 0);
  /// The elements at `indices`, an array of rank 1, along `dim`.
  Value take(Value array, int64_t dim, Value indices);

  /// Dimensions that have one size in a valid program: gives them one extent, the smallest one or
  /// `fixed`, and one size, if any of them has one.
  void align(llvm::MutableArrayRef<Padded> arrays, llvm::ArrayRef<Place> places,
             std::optional<int64_t> fixed = std::nullopt);
};

} // namespace systole::refine

#endif // SYSTOLE_COMPILER_LEGALIZE_REFINE_PADDED_H
