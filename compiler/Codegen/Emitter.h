// Builds `core` instructions: scalar arithmetic that folds constants, loads and stores of typed
// rows, lane and sublane masks, push and pop of units.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_EMITTER_H
#define SYSTOLE_COMPILER_CODEGEN_EMITTER_H

#include "compiler/Codegen/Machine.h"
#include "dialects/Core/Core.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace systole::codegen {

/// A kernel buffer during code generation: its type and region. Addresses are
/// logical rows of the element type from the region's base, or words in SMEM.
/// `base` is added to every address: the current half of a double buffer (null for
/// 0).
struct BufferRef {
  kernel::BufferType type;
  /// VMEM and SMEM: index in the region table. HBM: -1.
  int32_t region = -1;
  /// HBM: the region id, a scalar. Otherwise null.
  mlir::Value hbmRegion;
  mlir::Value base;
  /// Other elements follow the end of the buffer: its last rows have no padding.
  bool isPart = false;
};

/// One emitter serves one routine. Constants are created in the routine's entry block and shared;
/// values that a stage needs once (coordinates, constant masks, splats) are created at the stage's
/// beginning, outside of its loops.
class Emitter {
public:
  /// `builder` must be positioned inside of the routine.
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, const Machine &machine);

  mlir::OpBuilder &b;
  /// The location of operations emitted next.
  mlir::Location loc;
  const Machine &machine;
  /// A copy between VMEM and HBM only waits until the DMA queue accepts another one.
  bool overlapsCopies = false;
  /// Instructions that compute an operation of a stage's body have its location, not the stage's:
  /// in kernels that the program brings along, whose lines their authors debug.
  bool keepsLines = false;

  /// Begins a stage: values needed once are created at the insertion point, and operations have
  /// location `loc`.
  void beginStage(mlir::Location loc);
  /// Creates a value once per stage, at the stage's beginning. `create` uses the builder and values
  /// that are available there.
  mlir::Value hoisted(llvm::function_ref<mlir::Value()> create);

  // Scalars (i32). Constants fold; x + 0, x * 1 and the like emit nothing.
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
  /// The same of each cell of a vector.
  mlir::Value divideCells(mlir::Value cells, int64_t divisor);
  mlir::Value remainderOfCells(mlir::Value cells, int64_t divisor);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);                          // 1 or 0
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b); // condition != 0
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);

  /// for (i = lower; i < upper; i += step), without loop-carried values. A single iteration is
  /// emitted inline. `independent` asserts that iterations access disjoint memory
  /// (core.noalias_iterations).
  void loop(int64_t lower, int64_t upper, int64_t step,
            llvm::function_ref<void(mlir::Value index)> body, bool independent = false);
  /// The same with loop-carried vectors, masks or scalars.
  llvm::SmallVector<mlir::Value>
  loop(int64_t lower, int64_t upper, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                         mlir::ValueRange carried)>
           body,
       bool independent = false);
  /// The same with dynamic bounds.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                         mlir::ValueRange carried)>
           body,
       bool independent = false);
  /// if (condition != 0). A constant condition emits no branch.
  void ifNonZero(mlir::Value condition, llvm::function_ref<void()> body);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> thenBody,
              llvm::function_ref<void()> elseBody);

  // Vectors.
  mlir::Value splatBits(uint32_t bits);
  mlir::Value laneId();
  mlir::Value sublaneId();
  mlir::Value allMask();
  /// Cells with lower <= lane < upper, where bounds may be scalars, or null for none. The result is
  /// null if no cell is excluded.
  mlir::Value laneMask(mlir::Value lower, mlir::Value upper);
  mlir::Value sublaneMask(mlir::Value lower, mlir::Value upper);
  mlir::Value maskAnd(mlir::Value a, mlir::Value b); // either may be null (all)

  /// Loads eight logical rows row, row + stride, ... of `buffer`, widened to 32 bits (bf16 and f16
  /// to f32, integers by their signedness, i1 to 0 or 1).
  mlir::Value load(const BufferRef &buffer, mlir::Value row, mlir::Value stride,
                   mlir::Value mask = nullptr);
  /// The reverse; integers are truncated.
  void store(mlir::Value value, const BufferRef &buffer, mlir::Value row, mlir::Value stride,
             mlir::Value mask = nullptr);

  /// Emits a unit's push of type PushOp and the matching pop.
  template <typename PushOp, typename... Args> mlir::Value xlu(Args... args) {
    PushOp::create(b, loc, args...);
    return core::XluPopOp::create(b, loc, vectorType());
  }
  template <typename PushOp, typename... Args> mlir::Value eup(Args... args) {
    PushOp::create(b, loc, args...);
    return core::EupPopOp::create(b, loc, vectorType());
  }

  // DMA. Addresses are rows of 512 bytes, or words in SMEM (core.dma.start).
  /// The region of a buffer as an operand of a DMA.
  mlir::Value regionOf(const BufferRef &buffer);
  /// `count` replaces the descriptor's innermost count unless it is null.
  void startDma(core::DmaAttr descriptor, mlir::Value dstRegion, mlir::Value dst,
                mlir::Value srcRegion, mlir::Value src, int flag, mlir::Value count = nullptr);
  void wait(mlir::Value copies, int flag);

  mlir::Type vectorType() { return core::VectorType::get(b.getContext()); }
  mlir::Type maskType() { return core::MaskType::get(b.getContext()); }

private:
  /// A scalar as a value (null for 0) plus a constant.
  std::pair<mlir::Value, int64_t> split(mlir::Value scalar) const;
  std::pair<mlir::Value, int32_t> address(const BufferRef &buffer, mlir::Value row);
  mlir::Value rangeMask(mlir::Value lower, mlir::Value upper, int64_t extent,
                        llvm::function_ref<mlir::Value()> coordinate);

  mlir::Block *entry;
  mlir::Block *stageBlock = nullptr;
  mlir::Operation *stageStart = nullptr; // hoisted operations follow it; null: the block's start
  // Keys are wider than the values: a dense map reserves two keys.
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::DenseMap<uint64_t, mlir::Value> splats;
  llvm::DenseMap<std::tuple<int64_t, int64_t, int64_t>, mlir::Value> masks;
  mlir::Value lanes, sublanes, all;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_EMITTER_H
