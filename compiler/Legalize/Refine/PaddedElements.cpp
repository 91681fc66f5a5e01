// Elementwise operations on padded arrays, and broadcasts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/BatchNorm.h"
#include "compiler/Legalize/Refine/PaddedForms.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

Form elementwise(PaddedForm &f, ArrayRef<Value> operands) {
  Arrays arrays = f.at(operands);
  int64_t rank = f.declared().getRank();
  // Others are scalars that apply to all elements.
  const Padded *whole = llvm::find_if(arrays, [&](auto &x) { return x.rank() == rank; });
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<Place> places;
    for (auto [i, array] : llvm::enumerate(arrays))
      if (array.rank() == rank)
        places.push_back({static_cast<unsigned>(i), dim});
    f.t.align(arrays, places, f.size(dim));
  }
  return f.rebuild(valuesOf(arrays), whole->sizes);
}

/// An array whose size along `dim` is that of the result, or 1 and then repeated.
static Padded widened(PaddedTensors &t, const Padded &array, int64_t dim, int64_t extent) {
  Padded result = t.resized(array, dim, extent);
  SmallVector<int64_t> shape(result.shape());
  if (array.shape()[dim] != 0) {
    Value isOne = t.compare(ComparisonDirection::EQ, array.sizes[dim], t.scalar(1));
    Value first = t.spread(t.slice(array.value, dim, 0, 1), shape,
                           llvm::to_vector(llvm::seq<int64_t>(0, array.rank())));
    result.value = t.select(t.fill(isOne, shape), first, result.value);
  }
  result.sizes[dim] = nullptr;
  return result;
}

/// Gives the arrays one size along `dim`, where any of them may have size 1.
static void meet(PaddedTensors &t, MutableArrayRef<Padded> arrays, int64_t dim) {
  SmallVector<Place> places;
  for (auto [i, array] : llvm::enumerate(arrays))
    if (array.sizes[dim] || array.shape()[dim] != 1)
      places.push_back({static_cast<unsigned>(i), dim});
  auto sizeAt = [&](const Place &place) { return arrays[place.array].sizes[dim]; };
  if (llvm::all_equal(llvm::map_range(places, sizeAt)))
    return t.align(arrays, places);
  // A size that is known is the result's; else the first one that is not 1.
  int64_t extent = 0;
  Value size;
  const Place *known = llvm::find_if(places, [&](const Place &place) { return !sizeAt(place); });
  for (const Place &place : known == places.end() ? ArrayRef(places) : ArrayRef(*known)) {
    extent = std::max(extent, arrays[place.array].shape()[dim]);
    if (!size) {
      size = sizeAt(place);
      continue;
    }
    Value isLonger = t.compare(ComparisonDirection::NE, size, t.scalar(1));
    size = t.select(isLonger, size, sizeAt(place));
  }
  for (const Place &place : places) {
    Padded &array = arrays[place.array];
    if (array.sizes[dim])
      array = widened(t, array, dim, extent);
    array.sizes[dim] = size;
  }
}

Form broadcastOperands(PaddedForm &f) {
  int64_t rank = f.declared().getRank();
  auto given = f.op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  Arrays arrays;
  for (Value operand : f.op->getOperands()) {
    Padded array = f.at(operand);
    bool isLow = given && array.rank() < rank;
    SmallVector<int64_t> shape(rank, 1);
    SmallVector<Value> sizes(rank);
    for (auto [i, dim] : llvm::enumerate(chlo::broadcastDims(
             isLow ? std::optional(given.asArrayRef()) : std::nullopt, array.rank(), rank))) {
      shape[dim] = array.shape()[i];
      sizes[dim] = array.sizes[i];
    }
    arrays.push_back({f.t.reshape(array.value, shape), sizes});
  }
  SmallVector<int64_t> shape(rank, 1);
  SmallVector<Value> sizes(rank);
  for (int64_t dim = 0; dim < rank; ++dim) {
    meet(f.t, arrays, dim);
    for (const Padded &array : arrays)
      if (array.shape()[dim] != 1 || array.sizes[dim]) {
        shape[dim] = array.shape()[dim];
        sizes[dim] = array.sizes[dim];
      }
  }
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  f.op->removeAttr("broadcast_dimensions");
  return f.rebuild(llvm::map_to_vector(arrays,
                                       [&](const Padded &array) {
                                         return array.shape() == ArrayRef(shape)
                                                    ? array.value
                                                    : f.t.spread(array.value, shape, all);
                                       }),
                   sizes);
}

/// The size to which a broadcast brings an operand's dimension, or null for the shape's.
namespace {
struct Spread {
  int64_t extent;
  Value size;
};
} // namespace

static Form spread(PaddedForm &f, const Padded &operand, ArrayRef<int64_t> dims,
                   ArrayRef<Spread> spreads) {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (auto [extent, size] : spreads) {
    shape.push_back(extent);
    sizes.push_back(size);
  }
  return Arrays{{f.t.spread(operand.value, shape, dims), sizes}};
}

static LogicalResult refuseUnbounded(PaddedForm &f, int64_t dim) {
  return f.refuse("its result's type needs a bound of dimension " + Twine(dim));
}

Form broadcastInDim(PaddedForm &f) {
  ArrayRef<int64_t> dims = cast<BroadcastInDimOp>(f.op).getBroadcastDimensions();
  Padded operand = f.at(f.op->getOperand(0));
  SmallVector<Spread> spreads;
  for (int64_t dim = 0; dim < f.declared().getRank(); ++dim) {
    const auto *from = llvm::find(dims, dim);
    int64_t i = from - dims.begin();
    bool isNew = from == dims.end() || (operand.shape()[i] == 1 && !operand.sizes[i]);
    std::optional<int64_t> extent = f.extent(dim);
    if (isNew && !extent)
      return refuseUnbounded(f, dim);
    if (!isNew && operand.sizes[i] && f.size(dim))
      operand = widened(f.t, operand, i, *extent);
    spreads.push_back(isNew ? Spread{*extent, nullptr}
                            : Spread{operand.shape()[i], operand.sizes[i]});
  }
  return spread(f, operand, dims, spreads);
}

Form dynamicBroadcast(PaddedForm &f, DynamicBroadcastInDimOp op) {
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  ArrayRef<int64_t> kept = op.getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>());
  Padded operand = f.at(op.getOperand());
  SmallVector<Spread> spreads;
  for (auto [dim, number] : llvm::enumerate(f.numbers(op.getOutputDimensions()))) {
    const auto *from = llvm::find(dims, static_cast<int64_t>(dim));
    int64_t i = from - dims.begin();
    bool isNew = from == dims.end() || (operand.shape()[i] == 1 && !operand.sizes[i]);
    std::optional<int64_t> extent = number.known ? number.known : f.extent(dim);
    if (!isNew &&
        (!operand.sizes[i] || operand.sizes[i] == number.scalar || llvm::is_contained(kept, i))) {
      spreads.push_back({operand.shape()[i], operand.sizes[i]});
      continue;
    }
    if (!extent && isNew)
      return refuseUnbounded(f, dim);
    if (!isNew)
      operand = widened(f.t, operand, i, extent.value_or(operand.shape()[i]));
    int64_t most = isNew ? *extent : operand.shape()[i];
    spreads.push_back({most, number.known ? Value() : f.t.within(number.scalar, 0, most)});
  }
  return spread(f, operand, dims, spreads);
}

/// The elements of each feature of an array, if that has padding beside its features.
static expansion::Counted countedOf(PaddedTensors &t, const Padded &array, int64_t feature) {
  expansion::Counted counted;
  SmallVector<int64_t> shape(array.shape());
  for (int64_t dim = 0; dim < array.rank(); ++dim)
    if (Value size = dim == feature ? Value() : array.sizes[dim]) {
      Value inside = t.isInside(shape, dim, size);
      counted.mask = counted.mask ? t.apply<AndOp>(counted.mask, inside) : inside;
    }
  if (!counted.mask)
    return counted;
  counted.count = t.scalar(1);
  for (int64_t dim = 0; dim < array.rank(); ++dim)
    if (dim != feature)
      counted.count = t.apply<MulOp>(counted.count, t.length(array, dim));
  return counted;
}

Form normalize(PaddedForm &f, int64_t feature) {
  Arrays arrays = f.at(f.op->getOperands());
  int64_t rank = arrays.front().rank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<Place> places;
    for (auto [i, array] : llvm::enumerate(arrays))
      if (array.rank() == rank || dim == feature)
        places.push_back({static_cast<unsigned>(i), array.rank() == rank ? dim : 0});
    f.t.align(arrays, places);
  }
  SmallVector<Value> values;
  if (expansion::Counted counted = countedOf(f.t, arrays.front(), feature); counted.mask) {
    values = expansion::expandBatchNorm(f.op, valuesOf(arrays), counted);
  } else {
    FailureOr<Operation *> made = f.rebuild(valuesOf(arrays));
    if (failed(made))
      return failure();
    values = (*made)->getResults();
  }
  // The others are of features alone.
  Arrays results = {{values.front(), arrays[0].sizes}};
  for (Value value : ArrayRef(values).drop_front())
    results.push_back({value, arrays[1].sizes});
  return results;
}

} // namespace systole::refine
