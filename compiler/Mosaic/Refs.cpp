// The refs of a Mosaic kernel: memrefs as parts of a kernel's buffers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Refs.h"

#include "compiler/Model/KnownFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::mosaic {

Index indexOf(Value scalar) {
  APInt value;
  if (matchPattern(scalar, m_ConstantInt(&value)))
    return {nullptr, value.getSExtValue()};
  return {scalar, 0};
}

Index add(OpBuilder &b, Location loc, const Index &x, const Index &y) {
  Index sum{x.value ? x.value : y.value, x.constant + y.constant};
  if (x.value && y.value)
    sum.value = arith::AddIOp::create(b, loc, x.value, y.value);
  return sum;
}

Index multiply(OpBuilder &b, Location loc, const Index &x, int64_t factor) {
  Index product{x.value, x.constant * factor};
  if (x.value && factor != 1)
    product.value =
        arith::MulIOp::create(b, loc, x.value, arith::ConstantIntOp::create(b, loc, factor, 32));
  return product;
}

Value materialize(OpBuilder &b, Location loc, const Index &index) {
  if (!index.value)
    return arith::ConstantIntOp::create(b, loc, index.constant, 32);
  if (index.constant == 0)
    return index.value;
  return arith::AddIOp::create(b, loc, index.value,
                               arith::ConstantIntOp::create(b, loc, index.constant, 32));
}

Value allocateSemaphores(OpBuilder &b, Location loc, MemRefType type) {
  auto buffer = kernel::BufferType::get(b.getContext(), type.getShape(), b.getI32Type(),
                                        kernel::Space::flags);
  return kernel::AllocOp::create(b, loc, buffer);
}

Ref Ref::whole(Value buffer) {
  Ref ref;
  ref.buffer = buffer;
  ref.shape.assign(ref.type().getShape().begin(), ref.type().getShape().end());
  ref.dimOf = llvm::to_vector(llvm::seq<int64_t>(0, ref.shape.size()));
  ref.first.resize(ref.shape.size());
  return ref;
}

static int64_t bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

int64_t Ref::rowsOfBuffer() const {
  return viewed ? std::max<int64_t>(bitsOf(viewed) / type().getStorageBits(), 1) : 1;
}

int64_t Ref::rowsOfMemref() const {
  return viewed ? std::max<int64_t>(type().getStorageBits() / bitsOf(viewed), 1) : 1;
}

/// Whether the last two dimensions of a memref are those of its buffer.
static bool hasRowsOfBuffer(const Ref &ref) {
  int64_t rank = ref.type().getRank();
  return ref.dimOf.size() >= 2 && rank >= 2 && ref.dimOf.back() == rank - 1 &&
         ref.dimOf[ref.dimOf.size() - 2] == rank - 2;
}

std::optional<Ref> Ref::bitcast(Type element, ArrayRef<int64_t> result) const {
  const int64_t given = viewed ? bitsOf(viewed) : type().getStorageBits(), bits = bitsOf(element);
  if (given == bits) {
    Ref same = *this;
    if (viewed)
      same.viewed = element;
    return same;
  }
  if (bits < 8 || counted >= 0 || !hasRowsOfBuffer(*this))
    return std::nullopt;
  Ref cast = *this;
  cast.viewed = element;
  cast.shape.assign(result.begin(), result.end());
  return cast.box() == box() ? std::optional<Ref>(cast) : std::nullopt;
}

std::optional<Ref> Ref::inElementsOfBuffer() const {
  Ref ref = *this;
  if (rowsOfBuffer() == 1 && rowsOfMemref() == 1) {
    ref.viewed = nullptr;
    return ref;
  }
  if (!hasRowsOfBuffer(*this))
    return std::nullopt;
  ref.shape.end()[-2] = box().end()[-2];
  ref.viewed = nullptr;
  return ref;
}

bool Ref::hasSlice(ArrayRef<Index> begin, ArrayRef<int64_t> sizes) const {
  if (isPanels && !(begin.back().constant % kLanes == 0 && sizes.back() % kLanes == 0 &&
                    (begin.back().isConstant() || knownFactor(begin.back().value) % kLanes == 0)))
    return false;
  // Of a memref with several rows in one of the buffer, these.
  const int64_t several = rowsOfMemref();
  if (several == 1)
    return true;
  for (auto [dim, index, size] : llvm::zip_equal(dimOf, begin, sizes))
    if (dim == type().getRank() - 2)
      return index.isConstant() && index.constant % several == 0 && size % several == 0;
  return false;
}

Ref Ref::slice(OpBuilder &b, Location loc, ArrayRef<Index> begin, ArrayRef<int64_t> sizes) const {
  Ref part = *this;
  part.shape.assign(sizes.begin(), sizes.end());
  part.counted = -1;
  part.count = nullptr;
  for (auto [dim, index] : llvm::zip_equal(dimOf, begin)) {
    if (dim < 0 || (isPanels && dim == dimOf.back()))
      continue;
    Index scaled = index;
    if (viewed && dim == type().getRank() - 2) {
      scaled = multiply(b, loc, index, rowsOfBuffer());
      scaled.constant /= rowsOfMemref();
    }
    part.first[dim] = add(b, loc, part.first[dim], scaled);
  }
  if (isPanels) {
    Index panel{nullptr, begin.back().constant / kLanes};
    if (begin.back().value)
      panel.value = arith::DivSIOp::create(b, loc, begin.back().value,
                                           arith::ConstantIntOp::create(b, loc, kLanes, 32));
    Index &number = part.first[first.size() - 3];
    number = add(b, loc, number, panel);
  }
  return part;
}

std::optional<Ref> Ref::squeeze(ArrayRef<int64_t> result) const {
  Ref squeezed = *this;
  squeezed.shape.assign(result.begin(), result.end());
  squeezed.dimOf.clear();
  size_t next = 0;
  for (auto [number, size] : llvm::enumerate(shape)) {
    const bool isCounted = int64_t(number) == counted;
    // The first of several dimensions of one element are dropped.
    if (size == 1 && !isCounted && shape.size() - number > result.size() - next)
      continue;
    if (next == result.size() || result[next] != (isCounted ? ShapedType::kDynamic : size))
      return std::nullopt;
    if (isCounted) {
      squeezed.counted = int64_t(next);
      squeezed.shape[next] = size;
    }
    squeezed.dimOf.push_back(dimOf[number]);
    ++next;
  }
  return next == result.size() ? std::optional<Ref>(squeezed) : std::nullopt;
}

SmallVector<int64_t> Ref::box() const {
  SmallVector<int64_t> sizes(type().getRank(), 1);
  for (auto [size, dim] : llvm::zip_equal(shape, dimOf))
    if (dim >= 0)
      sizes[dim] = size;
  if (viewed)
    sizes.end()[-2] = sizes.end()[-2] * rowsOfBuffer() / rowsOfMemref();
  if (isPanels) {
    sizes[sizes.size() - 3] = llvm::divideCeil(shape.back(), kLanes);
    sizes.back() = kLanes;
  }
  return sizes;
}

bool Ref::isWhole() const {
  return llvm::all_of(first, [](const Index &index) { return index == Index(); }) &&
         ArrayRef<int64_t>(box()) == type().getShape();
}

} // namespace systole::mosaic
