// Which kernel operations join.
// See docs/decisions/fusion.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/GroupJoins.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/Alternatives.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/Planner.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Remarks.h"

#include <limits>

using namespace mlir;

namespace systole {

/// Whether an update in HBM and other operations of one kernel would meet in its operand: all
/// but windows that are read before it.
static bool meetsUpdate(ArrayRef<Operation *> ops) {
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (op->getNumResults() != 1 || !isUpdatedInHbm(op->getResult(0)))
      continue;
    for (auto [other, user] : llvm::enumerate(ops))
      for (OpOperand &operand : user->getOpOperands())
        if (user != op && operand.get() == op->getOperand(0) &&
            (other > number || !isWindowed(operand) || isUpdatedInHbm(user->getResult(0))))
          return true;
  }
  return false;
}

/// Bytes of the arrays that `ops` and `added` make for operations that are not among them, or not
/// yet.
static int64_t resultBytes(ArrayRef<Operation *> ops, ArrayRef<Operation *> added) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  inside.insert(added.begin(), added.end());
  int64_t bytes = 0;
  for (Operation *op : inside)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        bytes += paddedBytes(typeOf(result));
  return bytes;
}

static constexpr remark::RemarkOpts remarkOf(StringRef name) {
  return remark::RemarkOpts::name(name).category("systole-fuse");
}

GroupJoins::Needs GroupJoins::needsOf(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return {};
  if (auto it = readyAfter.find(op); it != readyAfter.end())
    return {-1, it->second};
  if (auto it = groupOf.find(op); it != groupOf.end()) {
    if (isUpdatedInHbm(value))
      return {-1, it->second};
    return {it->second, -1};
  }
  if (placing.contains(op))
    return {};
  Needs needs;
  for (Value operand : op->getOperands())
    needs.add(needsOf(operand));
  return needs;
}

GroupJoins::Needs GroupJoins::needsOf(Operation *op) const {
  Needs needs;
  for (OpOperand &operand : op->getOpOperands()) {
    Needs more = needsOf(operand.get());
    // Positions are scalars wherever they come from, and windows are in HBM.
    if (isIndexOperand(operand) || isWindowed(operand))
      more.scalars = std::max(more.scalars, std::exchange(more.data, -1));
    needs.add(more);
  }
  // An update in HBM comes after all that reads the old array before it.
  if (op->getNumResults() == 1 && isUpdatedInHbm(op->getResult(0)))
    for (Operation *user : op->getOperand(0).getUsers())
      if (auto it = groupOf.find(block.findAncestorOpInBlock(*user)); it != groupOf.end())
        needs.data = std::max(needs.data, it->second);
  return needs;
}

/// Whether a kernel of `ops` alone would wait for its first and last copies most of the time:
/// then any other kernel may take them along.
bool GroupJoins::isMostlyLatency(ArrayRef<Operation *> ops) {
  if (llvm::any_of(ops, isProduct))
    return false;
  std::optional<Plan> plan = planner.plan(withRepeated(ops));
  return plan && plan->cycles <= 2 * planner.machine().model.emptyKernel();
}

/// Whether `op` is elementwise work on the results of elementwise work of one group alone, which
/// has them in registers: no plan of two kernels can be faster, if there is a plan of one. Narrow
/// results are excepted: they restrict the tiles, as several of their rows share a row of memory.
bool GroupJoins::isChained(int64_t number, Operation *op) const {
  bool reads = false;
  return kindOf(op) == OpKind::Elementwise &&
         llvm::all_of(op->getResults(),
                      [](Value result) { return typeOf(result).getElementTypeBitWidth() >= 32; }) &&
         llvm::all_of(op->getOperands(),
                      [&](Value value) {
                        Operation *producer = value.getDefiningOp();
                        if (isSplatConstant(producer))
                          return true;
                        auto it = groupOf.find(producer);
                        bool isInside = it != groupOf.end() && it->second == number;
                        reads |= isInside;
                        return isInside && kindOf(producer) == OpKind::Elementwise &&
                               typeOf(value).getShape() == typeOf(op->getResult(0)).getShape();
                      }) &&
         reads;
}

/// `members` of group `number` and `added`, behind what they have copies of; nothing if they
/// cannot share a kernel.
std::optional<SmallVector<Operation *>>
GroupJoins::joined(int64_t number, ArrayRef<Operation *> members, ArrayRef<Operation *> added) {
  Group &group = groups[number];
  if (group.control || isView(group) || countWork(members) + countWork(added) > kMaxGroupOps)
    return std::nullopt;
  SmallVector<Operation *> ops = withRepeated(members);
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  for (Operation *op : added) {
    if (isProduct(op) && group.hasProduct)
      return std::nullopt;
    // Scalars that depend on this group's results are not known to the sequencer yet.
    if (needsOf(op).scalars >= number)
      return std::nullopt;
    appendRepeated(op, ops, inside);
    ops.push_back(op);
  }
  if (meetsUpdate(ops) || GroupOperands(ops).count() > kMaxOperands)
    return std::nullopt;
  return ops;
}

bool GroupJoins::canJoin(int64_t number, ArrayRef<Operation *> added) {
  Group &group = groups[number];
  std::optional<SmallVector<Operation *>> ops = joined(number, group.ops, added);
  if (!ops)
    return false;
  if (added.size() == 1 && isChained(number, added.front()) &&
      resultBytes(group.ops, added) <= group.plannedBytes) {
    if (auto found = remark::passed(added.front()->getLoc(), remarkOf("Join")))
      found << remark::reason("its operands are in registers");
    return true;
  }
  // Operations that have no kernel of their own have to join.
  std::optional<double> all = cyclesOf(number, *ops), two = cyclesOfTwo(number, added);
  bool joins = all && (!two || *all <= *two);
  remarkJoin(added.front()->getLoc(), joins, *ops, all, two);
  if (joins)
    group.plannedBytes = resultBytes(group.ops, added);
  return joins;
}

/// Cycles of group `number` and of `added` as a kernel each.
std::optional<double> GroupJoins::cyclesOfTwo(int64_t number, ArrayRef<Operation *> added) {
  std::optional<double> before = cyclesOf(number, withRepeated(groups[number].ops));
  std::optional<double> alone = cyclesOf(groups.size(), withRepeated(added));
  return before && alone ? std::optional(*before + *alone) : std::nullopt;
}

/// Lets `added` join group `number` without the prologue, the operations on which the group's
/// product depends, which become a kernel before it. A relayout may not be cut as rows of the
/// product's result are, so that with it their sums would need blocks of more than VMEM.
bool GroupJoins::joinWithoutPrologue(int64_t number, ArrayRef<Operation *> added) {
  SmallVector<Operation *> prologue = prologueOf(number);
  if (prologue.empty() || llvm::any_of(prologue, [&](Operation *op) {
        return units.contains(op) || op->hasAttr(kernel::kExpandedAttr);
      }))
    return false;
  SmallVector<Operation *> rest(groups[number].ops);
  llvm::erase_if(rest, [&](Operation *op) { return llvm::is_contained(prologue, op); });
  std::optional<SmallVector<Operation *>> ops = joined(number, rest, added);
  if (!ops)
    return false;
  std::optional<double> first = cyclesOf(number, withRepeated(prologue));
  std::optional<double> all = cyclesOf(number, *ops), two = cyclesOfTwo(number, added);
  // Less than the latencies of a kernel, in which the estimate is off, is no reason.
  double least = planner.machine().model.emptyKernel();
  if (!first || !all || (two && *first + *all + least > *two))
    return false;
  if (auto found = remark::passed(added.front()->getLoc(), remarkOf("LeavePrologue")))
    found << remark::metric("PrologueCycles", std::llround(*first))
          << remark::metric("OneKernelCycles", std::llround(*all));
  groups[number].plannedBytes = resultBytes(rest, added);
  splitBefore(number, prologue);
  for (auto &[op, last] : sequenced)
    last += last >= number && last != std::numeric_limits<int64_t>::max();
  for (auto &[op, last] : readyAfter)
    last += last >= number;
  join(number + 1, added);
  return true;
}

/// Says what one kernel of `ops` and two take, as far as there are such.
void GroupJoins::remarkJoin(Location loc, bool joins, ArrayRef<Operation *> ops,
                            std::optional<double> all, std::optional<double> two) const {
  remark::RemarkOpts opts = remarkOf(joins ? "Join" : "NewKernel");
  auto found = joins ? remark::passed(loc, opts) : remark::missed(loc, opts);
  if (found && !all)
    found << remark::reason("both have no plan: {0}", whyNoPlan(ops, planner.machine()));
  if (all)
    found << remark::metric("OneKernelCycles", std::llround(*all));
  if (two)
    found << remark::metric("TwoKernelsCycles", std::llround(*two));
}

/// Joins the last producer's kernel; small work without one, the last kernel of all.
bool GroupJoins::joinLast(ArrayRef<Operation *> ops) {
  Needs needs;
  for (Operation *op : ops)
    needs.add(needsOf(op));
  int64_t first = std::max(needs.data, needs.scalars + 1);
  int64_t last = static_cast<int64_t>(groups.size()) - 1;
  bool readsData = needs.data >= first;
  if (readsData && canJoin(needs.data, ops)) {
    join(needs.data, ops);
    return true;
  }
  if (readsData && joinWithoutPrologue(needs.data, ops))
    return true;
  if (last < first || last == needs.data || !isMostlyLatency(ops) || !canJoin(last, ops))
    return false;
  join(last, ops);
  return true;
}

} // namespace systole
