// Loops, branches and what passes into and out of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tiling/InPlaceReuse.h"
#include "compiler/Tiling/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

OpResult ProgramBuilder::placeable(Block &block, Value value, Value old) {
  auto result = dyn_cast<OpResult>(value);
  if (scalars.holds(value) || !result || result.getOwner()->getBlock() != &block ||
      destinations.contains(value))
    return nullptr;
  // Another shape of the same buffer.
  if (auto reinterpret = dyn_cast<kernel::ReinterpretOp>(result.getOwner()))
    return reinterpret.getSource().hasOneUse() ? placeable(block, reinterpret.getSource(), old)
                                               : nullptr;
  return canComputeInPlace(result, old, kernels) ? result : nullptr;
}

bool ProgramBuilder::chooseDestination(Block &block, Value value, Buffer target, Value old) {
  OpResult result = target < 0 ? nullptr : placeable(block, value, old);
  if (!result)
    return false;
  destinations[result] = target;
  if (auto replace = dyn_cast<kernel::ReplacePartOp>(result.getOwner());
      replace && replace.getSource() == old)
    chooseDestination(replace, target);
  // An update in HBM replaces its operand, if nothing else reads that.
  if (auto fusion = dyn_cast<kernel::FusionOp>(result.getOwner()))
    if (auto input = updatedInput(fusion, result.getResultNumber()))
      if (Value operand = fusion.getInputs()[*input]; operand.hasOneUse())
        chooseDestination(block, operand, target, old);
  return true;
}

void ProgramBuilder::chooseHomes(Block &block) {
  // Last loop first: where its results go decides where its initial values go.
  for (Operation &op : llvm::reverse(block)) {
    auto loop = dyn_cast<WhileOp>(op);
    if (!loop)
      continue;
    for (auto [init, result] : llvm::zip_equal(loop.getOperand(), loop.getResults())) {
      if (scalars.holds(result)) {
        destinations[result] = kHeld;
        continue;
      }
      auto it = destinations.find(result);
      if (init.getDefiningOp<kernel::ResidentOp>()) {
        if (it != destinations.end())
          stored[result] = it->second;
        destinations[result] = kResident;
        continue;
      }
      const bool isFree = it == destinations.end();
      Buffer home = isFree ? newBuffer(result, "carried") : it->second;
      if (isFree)
        plan.setUnwritten(home);
      // An initial value that nothing else reads is computed where the loop keeps it,
      // unless that is where some outer loop's old value still is.
      destinations[result] = home;
      if (init.hasOneUse() && isFree)
        chooseDestination(block, init, home, Value());
    }
  }
}

void ProgramBuilder::chooseDestinations(Block &block, ArrayRef<Buffer> targets,
                                        ValueRange carried) {
  for (auto [i, target] : llvm::enumerate(targets))
    chooseDestination(block, block.getTerminator()->getOperand(i), target,
                      carried.empty() ? Value() : carried[i]);
  chooseHomes(block);
}

void ProgramBuilder::finishBlock(Block &block, ArrayRef<Buffer> targets) {
  // All copies happen at once: a source that is also a target is saved first.
  Operation *terminator = block.getTerminator();
  struct Move {
    Buffer from, to;
    Value value;
  };
  SmallVector<Move> moves;
  for (auto [value, target] : llvm::zip_equal(terminator->getOperands(), targets)) {
    if (target < 0)
      continue;
    Buffer from = scalars.holds(value) ? kHeld : read(value);
    if (from != target)
      moves.push_back({from, target, value});
  }
  for (Move &move : moves)
    if (llvm::any_of(moves, [&](Move &other) { return other.to == move.from; })) {
      Buffer saved = newBuffer(move.value, "saved");
      copy(move.from, saved, terminator->getLoc());
      move.from = saved;
    }
  for (Move &move : moves) {
    if (move.from == kHeld)
      write(move.value, move.to, terminator->getLoc());
    else
      copy(move.from, move.to, terminator->getLoc());
  }
}

LogicalResult ProgramBuilder::emitWhile(WhileOp op) {
  Location loc = op.getLoc();
  ++time;
  SmallVector<Buffer> homes;
  for (Value result : op.getResults())
    homes.push_back(destinations.lookup(result));
  SmallVector<std::pair<Buffer, Buffer>> initial;
  for (auto [init, home] : llvm::zip_equal(op.getOperand(), homes)) {
    if (home < 0 || scalars.holds(init) || init.getDefiningOp<kernel::UninitializedOp>())
      continue;
    Buffer from = read(init);
    // A home may hold another initial value until it is read.
    if (llvm::is_contained(homes, from) && from != home) {
      Buffer saved = newBuffer(init, "saved");
      copy(from, saved, loc);
      from = saved;
    }
    initial.emplace_back(from, home);
  }
  SmallVector<Value> inits = heldOf(op.getOperand(), homes, loc);
  for (auto [from, home] : initial)
    copy(from, home, loc);
  for (auto [init, home] : llvm::zip_equal(op.getOperand(), homes))
    if (home >= 0 && scalars.holds(init))
      write(init, home, loc);

  placeResident(op);
  enterStaged(op);
  int64_t begin = ++time;
  loopBegins.push_back(begin);
  size_t firstRead = readsInLoops.size();
  for (auto [init, home] : llvm::zip_equal(op.getOperand(), homes)) {
    if (home < 0)
      continue;
    touch(home);
    if (init.getDefiningOp<kernel::UninitializedOp>())
      markUninitialized(init, home);
  }
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  // What the loop carries, as `tensors` in front of `block`'s operations.
  auto enter = [&](ValueRange tensors, Block *block) {
    for (auto [tensor, home] : llvm::zip_equal(tensors, homes)) {
      if (home == kHeld) {
        held[tensor] = block->addArgument(
            scalarTypeOf(cast<RankedTensorType>(tensor.getType()).getElementType()), loc);
      } else if (home >= 0) {
        buffers[tensor] = home;
        setDefined(tensor, block, nullptr);
      }
    }
  };
  OpBuilder::InsertionGuard guard(b);
  Block &cond = op.getCond().front();
  enter(cond.getArguments(), b.createBlock(&loop.getBefore()));
  chooseDestinations(cond, {}, {});
  if (failed(emitBlock(cond)))
    return failure();
  Value proceed = scalar(cond.getTerminator()->getOperand(0), loc);
  scf::ConditionOp::create(b, loc, proceed, loop.getBeforeArguments());

  Block &body = op.getBody().front();
  enter(body.getArguments(), b.createBlock(&loop.getAfter()));
  chooseDestinations(body, homes, body.getArguments());
  if (failed(emitBlock(body)))
    return failure();
  SmallVector<Value> next = heldOf(body.getTerminator()->getOperands(), homes, loc);
  finishBlock(body, homes);
  scf::YieldOp::create(b, loc, next);

  auto carried = loop.result_begin();
  for (auto [result, home] : llvm::zip_equal(op.getResults(), homes)) {
    if (home == kHeld) {
      held[result] = *carried++;
    } else if (home >= 0) {
      buffers[result] = home;
      setDefined(result, loop->getBlock(), loop);
    }
  }

  int64_t end = ++time;
  for (Buffer home : homes)
    if (home >= 0)
      touch(home);
  // What existed before the loop is read again in the next iteration.
  for (auto [buffer, when] : llvm::drop_begin(readsInLoops, firstRead))
    if (plan.buffers()[buffer].begin < begin)
      plan.extend(buffer, end);
  loopBegins.pop_back();
  if (loopBegins.empty())
    readsInLoops.clear();
  b.setInsertionPointAfter(loop);
  leaveStaged(op);
  leaveResident(op);
  return success();
}

/// `if` is a choice between its first and second region by "not zero"; `case` a
/// cascade of comparisons with the branch number, the last one for all others.
FailureOr<SmallVector<Value>> ProgramBuilder::emitBranches(Operation *op, Value selector,
                                                           ArrayRef<Buffer> results,
                                                           size_t number) {
  Location loc = op->getLoc();
  MutableArrayRef<Region> branches = op->getRegions();
  auto emitBranch = [&](Block &block) -> FailureOr<SmallVector<Value>> {
    chooseDestinations(block, results, {});
    if (failed(emitBlock(block)))
      return failure();
    SmallVector<Value> chosen = heldOf(block.getTerminator()->getOperands(), results, loc);
    finishBlock(block, results);
    return chosen;
  };
  if (number + 1 == branches.size())
    return emitBranch(branches[number].front());

  Value isChosen = selector;
  if (!isa<IfOp>(op)) {
    Value wanted = arith::ConstantIntOp::create(b, loc, number, 32);
    isChosen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, selector, wanted);
  }
  SmallVector<Type> types;
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), results))
    if (buffer == kHeld)
      types.push_back(scalarTypeOf(cast<RankedTensorType>(result.getType()).getElementType()));
  auto choice = scf::IfOp::create(b, loc, types, isChosen, /*withElseRegion=*/true);
  auto fill = [&](Block *block, auto &&emit) -> LogicalResult {
    b.setInsertionPointToStart(block);
    FailureOr<SmallVector<Value>> chosen = emit();
    if (succeeded(chosen) && !types.empty())
      scf::YieldOp::create(b, loc, *chosen);
    return success(succeeded(chosen));
  };
  if (failed(fill(choice.thenBlock(), [&] { return emitBranch(branches[number].front()); })) ||
      failed(fill(choice.elseBlock(),
                  [&] { return emitBranches(op, selector, results, number + 1); })))
    return failure();
  b.setInsertionPointAfter(choice);
  return SmallVector<Value>(choice.getResults());
}

LogicalResult ProgramBuilder::emitChoice(Operation *op) {
  ++time;
  SmallVector<Buffer> results;
  for (Value result : op->getResults()) {
    auto it = destinations.find(result);
    if (scalars.holds(result))
      results.push_back(kHeld);
    else
      results.push_back(it == destinations.end() ? newBuffer(result, "chosen") : it->second);
  }
  Value selector = scalar(op->getOperand(0), op->getLoc());
  FailureOr<SmallVector<Value>> chosen = emitBranches(op, selector, results, 0);
  if (failed(chosen))
    return failure();
  ++time;
  auto *next = chosen->begin();
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), results)) {
    if (buffer == kHeld) {
      held[result] = *next++;
      continue;
    }
    buffers[result] = buffer;
    touch(buffer);
    if (!b.getInsertionBlock()->empty())
      setDefined(result, b.getInsertionBlock(), &b.getInsertionBlock()->back());
  }
  return success();
}

} // namespace systole
