// The range of an affine expression over a box of indices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Bounds.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace systole::kernel;

static std::optional<int64_t> small(std::optional<int64_t> value) {
  constexpr int64_t limit = int64_t(1) << 62;
  return value && *value > -limit && *value < limit ? value : std::nullopt;
}

static std::optional<Bounds> ordered(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!small(a) || !small(b))
    return std::nullopt;
  return Bounds{std::min(*a, *b), std::max(*a, *b)};
}

static std::optional<Bounds> scaled(Bounds a, int64_t factor) {
  return ordered(llvm::checkedMul(a.min, factor), llvm::checkedMul(a.max, factor));
}

std::optional<Bounds> systole::kernel::boundsOf(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Bounds{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= extents.size())
      return std::nullopt;
    return Bounds{0, extents[dim.getPosition()] - 1};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Bounds> lhs = boundsOf(binary.getLHS(), extents);
  std::optional<Bounds> rhs = boundsOf(binary.getRHS(), extents);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return ordered(llvm::checkedAdd(lhs->min, rhs->min), llvm::checkedAdd(lhs->max, rhs->max));
  if (rhs->min != rhs->max)
    return std::nullopt;
  int64_t factor = rhs->min;
  if (expr.getKind() == AffineExprKind::Mul)
    return scaled(*lhs, factor);
  if (factor <= 0 || lhs->min < 0)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return Bounds{lhs->min / factor, lhs->max / factor};
  case AffineExprKind::CeilDiv:
    return Bounds{llvm::divideCeilSigned(lhs->min, factor),
                  llvm::divideCeilSigned(lhs->max, factor)};
  case AffineExprKind::Mod:
    if (lhs->max < factor)
      return lhs;
    return Bounds{0, factor - 1};
  default:
    return std::nullopt;
  }
}

std::optional<LinearIndex> systole::kernel::linearIndexOf(AffineExpr expr) {
  LinearIndex index;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add) {
    auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!offset)
      return std::nullopt;
    index.offset = offset.getValue();
    expr = sum.getLHS();
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    index.offset += constant.getValue();
  } else {
    index.factor = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(expr);
        product && product.getKind() == AffineExprKind::Mul) {
      auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (!factor || factor.getValue() <= 0)
        return std::nullopt;
      index.factor = factor.getValue();
      expr = product.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    index.dim = dim.getPosition();
  }
  return index.offset < 0 ? std::nullopt : std::optional(index);
}
