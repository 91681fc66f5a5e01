// The planner: how the kernel of a group of operations is tiled, and what it costs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PLANNER_H
#define SYSTOLE_COMPILER_PLANNING_PLANNER_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningContext.h"
#include "compiler/Planning/Search.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <utility>

namespace systole {

/// How much of VMEM the blocks of a kernel may take.
enum class VmemUse {
  Shared, ///< with the buffers of its stages, all that there is
  Most,   ///< more than that if need be, for fusions that nothing can be taken from: some buffers
          ///< are never live together
};

/// How the kernel of a group of operations is tiled, and what it costs. It names values by their
/// numbers in the group (`valuesOf`), so equal groups have equal plans.
struct Plan {
  struct Axis {
    unsigned value; ///< of the group
    int64_t dim, tile;
  };
  /// An operand that arrives in several pieces.
  struct Pieces {
    unsigned value; ///< of the group
    /// Where it is a block of its own, the operation of the group that reads it, and its number
    /// among the operands of that.
    std::optional<std::pair<unsigned, unsigned>> ownUse;
    int64_t count;
  };
  llvm::SmallVector<Axis, 2> axes; ///< the outermost first
  llvm::SmallVector<Pieces, 1> divided;
  int64_t steps = 1; ///< of the grid
  double cycles = 0; ///< estimated

  bool isWhole() const { return axes.empty(); }
};

struct CarriedValue;

/// The values of a group: those that it reads from outside, in the order of their first uses,
/// then the results of its operations.
llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<mlir::Operation *> ops);

/// The only one who decides how kernels are tiled. It plans equal groups once.
class Planner {
public:
  explicit Planner(const PlanningContext &context) : context(context) {}
  ~Planner();

  const PlanningContext &machine() const { return context; }
  /// How often a plan was asked for, and how often one was searched for.
  size_t requests() const { return requestCount; }
  size_t searches() const { return known.size(); }

  /// The plan of `ops` (in program order, all in one block) as one kernel; nothing if there is
  /// none.
  std::optional<Plan> plan(llvm::ArrayRef<mlir::Operation *> ops, VmemUse use = VmemUse::Shared);
  /// How `plan`, which was made for them or their equals, cuts `ops`.
  static Blocking blockingOf(llvm::ArrayRef<mlir::Operation *> ops, const Plan &plan);

  /// Whether there is a plan, which `fusion` then has. One that it has already is kept.
  bool planFusion(kernel::FusionOp fusion);
  /// The plan of `fusion` with what `vmem` has for it, and its estimate; nothing if there is none.
  std::optional<kernel::PlanAttr> planIn(kernel::FusionOp fusion, const VmemShare &vmem);

private:
  std::optional<Plan> planWithin(llvm::ArrayRef<mlir::Operation *> ops, const VmemShare &vmem);
  /// The plan of operations that make values of a loop anew. Those that are not written over the
  /// old ones have to be copied.
  std::optional<Plan> planCarried(llvm::ArrayRef<mlir::Operation *> ops,
                                  llvm::ArrayRef<CarriedValue> carried, const VmemShare &vmem);

  PlanningContext context;
  llvm::StringMap<std::optional<Plan>> known; ///< by `groupKey`
  size_t requestCount = 0;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PLANNER_H
