// Shardings of an operation's tensors by the factors of its rule.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Projection.h"

#include <numeric>

using namespace mlir;

namespace systole::partition {

bool TensorFactors::expand(size_t factor, ArrayRef<AxisPart> axes) {
  std::optional<FactorSharding> &own = factors[factor];
  if (!own || !isListPrefix(own->axes, axes, /*orEqual=*/false))
    return false;
  own->axes.assign(axes.begin(), axes.end());
  return true;
}

namespace {

/// What is left of the axes of a dimension while its factors take theirs.
class RemainingAxes {
public:
  explicit RemainingAxes(ArrayRef<AxisPart> axes) : axes(axes.begin(), axes.end()) {}

  bool isEmpty() const { return next == axes.size(); }
  int64_t size() const { return axes[next].size; }
  /// The major part, of this size, of the next axis.
  AxisPart take(int64_t size) {
    AxisPart part = axes[next];
    part.size = size;
    axes[next].before *= size;
    axes[next].size /= size;
    if (axes[next].size == 1)
      ++next;
    return part;
  }
  void appendTo(AxisList &list) const {
    for (const AxisPart &part : ArrayRef(axes).drop_front(next))
      appendMerged(list, part);
  }

private:
  AxisList axes;
  size_t next = 0;
};

} // namespace

TensorFactors projected(const TensorFactorsOfDims &dims, const TensorSharding *sharding,
                        ArrayRef<int64_t> sizes) {
  TensorFactors result;
  result.sharding = sharding;
  result.factors.resize(sizes.size());
  for (auto [d, factors] : llvm::enumerate(dims)) {
    RemainingAxes axes(sharding ? ArrayRef(sharding->dims[d].axes) : ArrayRef<AxisPart>());
    const bool isClosed = sharding && sharding->dims[d].isClosed;
    bool overflows = false;
    for (auto [place, factor] : llvm::enumerate(factors)) {
      FactorSharding &own = result.factors[size_t(factor)].emplace();
      own.isMinorMost = place + 1 == factors.size();
      if (overflows) {
        own.isClosed = true;
        break;
      }
      own.isClosed = isClosed;
      if (own.isMinorMost) {
        axes.appendTo(own.axes);
        break;
      }
      int64_t rest = sizes[size_t(factor)];
      while (!axes.isEmpty()) {
        const int64_t common = std::gcd(rest, axes.size());
        if (common == 1)
          break;
        own.axes.push_back(axes.take(common));
        rest /= common;
      }
      if (rest > 1 && !axes.isEmpty()) {
        overflows = true;
        axes.appendTo(own.overflow);
      }
    }
  }
  return result;
}

TensorSharding unprojected(const TensorFactors &tensor, const TensorFactorsOfDims &dims,
                           ArrayRef<int64_t> sizes, const NamedMesh *mesh) {
  TensorSharding result;
  result.mesh = mesh;
  if (tensor.sharding) {
    result.replicated = tensor.sharding->replicated;
    result.unreduced = tensor.sharding->unreduced;
    result.reduction = tensor.sharding->reduction;
  }
  for (const DimFactors &factors : dims) {
    DimSharding &dim = result.dims.emplace_back();
    // Parts that meet where one factor ends are one.
    auto append = [&](ArrayRef<AxisPart> axes) {
      if (axes.empty())
        return;
      appendMerged(dim.axes, axes.front());
      llvm::append_range(dim.axes, axes.drop_front());
    };
    for (int64_t factor : factors) {
      const FactorSharding &own = *tensor.factors[size_t(factor)];
      dim.isClosed |= own.isClosed;
      append(own.axes);
      append(own.overflow);
      if (!own.overflow.empty() || partsOf(own.axes) < sizes[size_t(factor)])
        break;
    }
  }
  return result;
}

} // namespace systole::partition
