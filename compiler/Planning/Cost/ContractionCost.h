// Products over linear indices of their operands, as `kernel.contract`.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_CONTRACTIONCOST_H
#define SYSTOLE_COMPILER_PLANNING_COST_CONTRACTIONCOST_H

#include "compiler/Planning/Cost/Stage.h"

namespace systole {

/// For each dimension of a buffer, factors of the dimensions of a space.
class IndexMap {
public:
  explicit IndexMap(size_t dims) : dims(dims) {}
  /// The next dimension of the buffer: one of the space, times a factor.
  IndexMap &along(size_t dim, int64_t factor = 1) {
    rows.emplace_back(dims, 0);
    return plus(dim, factor);
  }
  IndexMap &constant() {
    rows.emplace_back(dims, 0);
    return *this;
  }
  /// The last dimension of the buffer that was added also depends on `dim`.
  IndexMap &plus(size_t dim, int64_t factor) {
    rows.back()[dim] += factor;
    return *this;
  }
  int64_t factor(size_t row, size_t dim) const { return rows[row][dim]; }
  size_t size() const { return rows.size(); }

private:
  size_t dims;
  llvm::SmallVector<llvm::SmallVector<int64_t, 10>, 6> rows;
};

struct Contraction {
  llvm::SmallVector<int64_t, 10> sizes;
  VmemBlock lhs, rhs, out;
  IndexMap ofLhs, ofRhs, ofOut;

  explicit Contraction(llvm::ArrayRef<int64_t> sizes)
      : sizes(sizes.begin(), sizes.end()), ofLhs(sizes.size()), ofRhs(sizes.size()),
        ofOut(sizes.size()) {}
};

/// Its iterations on the MXUs, as codegen finds them (compiler/Codegen/DotLoops.cpp).
DotShape shapeOf(const Contraction &contraction);
/// The same of a batched matrix product: lhs [batch.., m, k].
DotShape shapeOfProduct(const VmemBlock &lhs, const VmemBlock &rhs, const VmemBlock &out,
                        bool rhsTransposed);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_CONTRACTIONCOST_H
