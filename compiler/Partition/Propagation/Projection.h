// Shardings of an operation's tensors by the factors of its rule.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROJECTION_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROJECTION_H

#include "compiler/Partition/Propagation/ShardingRule.h"
#include "compiler/Partition/Propagation/TensorSharding.h"

namespace systole::partition {

/// How one factor of a tensor is divided.
struct FactorSharding {
  AxisList axes;
  AxisList overflow; ///< axes behind those, whose sizes do not divide the factor
  bool isClosed = false;
  bool isMinorMost = false; ///< in its dimension
};

/// How a tensor is divided, by factor; nothing for those that it has not.
struct TensorFactors {
  llvm::SmallVector<std::optional<FactorSharding>> factors;
  const TensorSharding *sharding = nullptr; ///< null: undivided and open

  llvm::ArrayRef<AxisPart> replicated() const {
    return sharding ? llvm::ArrayRef<AxisPart>(sharding->replicated) : llvm::ArrayRef<AxisPart>();
  }
  llvm::ArrayRef<AxisPart> unreduced() const {
    return sharding ? llvm::ArrayRef<AxisPart>(sharding->unreduced) : llvm::ArrayRef<AxisPart>();
  }
  /// Replaces the axes of a factor by longer ones; false if they do not continue them.
  bool expand(size_t factor, llvm::ArrayRef<AxisPart> axes);
};

/// Axes of the dimensions are those of the factors, the major factor first, as far as it is
/// divided: a factor takes what divides its size, parts of axes too, the minor one the rest.
TensorFactors projected(const TensorFactorsOfDims &dims, const TensorSharding *sharding,
                        llvm::ArrayRef<int64_t> sizes);

/// The sharding of a tensor whose factors are divided so. Factors behind one that is not wholly
/// divided are left out: their parts would not be contiguous.
TensorSharding unprojected(const TensorFactors &factors, const TensorFactorsOfDims &dims,
                           llvm::ArrayRef<int64_t> sizes, const NamedMesh *mesh);

/// The tensors of one operation, the operands first.
struct Projection {
  llvm::SmallVector<TensorFactors> tensors;
  size_t operands = 0;

  llvm::MutableArrayRef<TensorFactors> ofOperands() {
    return llvm::MutableArrayRef(tensors).take_front(operands);
  }
  llvm::MutableArrayRef<TensorFactors> ofResults() {
    return llvm::MutableArrayRef(tensors).drop_front(operands);
  }
};

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_PROJECTION_H
