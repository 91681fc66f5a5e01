// Builds `core` instructions: scalar arithmetic that folds constants, loads and
// stores of typed rows, lane and sublane masks, units with push and pop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_EMITTER_H
#define SYSTOLE_COMPILER_CODEGEN_EMITTER_H

#include "dialects/Core/Core.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"

namespace systole::codegen {

/// A kernel buffer as codegen sees it: its type and the region that holds it.
/// Addresses are logical rows of the element type from the region's base, or
/// words in SMEM. `base` is added to every address: the current half of a
/// double buffer (null for 0).
struct BufferRef {
  kernel::BufferType type;
  /// VMEM and SMEM: index in the region table. HBM: -1.
  int32_t region = -1;
  /// HBM: the region id, a scalar. Otherwise null.
  mlir::Value hbmRegion;
  mlir::Value base;
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  // Scalars (i32). Constants fold; x + 0, x * 1 and the like cost nothing.
  mlir::Value constant(int64_t value);
  std::optional<int32_t> constantValue(mlir::Value value) const;
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t constant);
  mlir::Value mul(mlir::Value a, int64_t constant);
  /// Floor division and remainder of a non-negative value by a positive
  /// constant: a shift or a multiplication by the reciprocal.
  mlir::Value divide(mlir::Value a, int64_t divisor);
  mlir::Value remainder(mlir::Value a, int64_t divisor);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b); // 1 or 0

  /// for (i = lower; i < upper; i += step), without carried values. A body of
  /// one iteration is emitted inline. `independent` promises that iterations
  /// touch disjoint memory (core.noalias_iterations).
  void loop(int64_t lower, int64_t upper, int64_t step,
            llvm::function_ref<void(mlir::Value index)> body, bool independent = false);
  /// The same with vectors, masks or scalars carried from iteration to iteration.
  llvm::SmallVector<mlir::Value>
  loop(int64_t lower, int64_t upper, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)>
           body,
       bool independent = false);

  // Vectors.
  mlir::Value splatBits(uint32_t bits);
  mlir::Value laneId();
  mlir::Value sublaneId();
  mlir::Value allMask();
  /// Cells with lower <= lane < upper, where bounds may be scalars; null for none.
  mlir::Value laneMask(mlir::Value lower, mlir::Value upper);
  mlir::Value sublaneMask(mlir::Value lower, mlir::Value upper);
  mlir::Value maskAnd(mlir::Value a, mlir::Value b); // either may be null (all)

  /// Eight logical rows row, row + stride, ... of `buffer`, widened to 32 bits
  /// (bf16 and f16 to f32, integers by their sign, i1 to 0 or 1).
  mlir::Value load(const BufferRef &buffer, mlir::Value row, mlir::Value stride,
                   mlir::Value mask = nullptr);
  void store(mlir::Value value, const BufferRef &buffer, mlir::Value row, mlir::Value stride,
             mlir::Value mask = nullptr);

  /// A unit's push of type PushOp and the matching pop.
  template <typename PushOp, typename... Args> mlir::Value xlu(Args... args) {
    PushOp::create(b, loc, args...);
    return core::XluPopOp::create(b, loc, core::VectorType::get(b.getContext()));
  }
  template <typename PushOp, typename... Args> mlir::Value eup(Args... args) {
    PushOp::create(b, loc, args...);
    return core::EupPopOp::create(b, loc, core::VectorType::get(b.getContext()));
  }
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_EMITTER_H
