// Reducers of several tensors that do not depend on each other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Planes/SeparateReducers.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;

namespace systole::planes {

using namespace stablehlo;

namespace {

/// One operation on `count` tensors: their operands come first and last, and its body combines two
/// elements of each.
class Reducer {
public:
  explicit Reducer(Operation *op)
      : op(op), body(op->getRegion(0).front()), count(op->getNumResults()) {}

  void separate() {
    if (llvm::any_of(body, [](Operation &inner) { return inner.getNumRegions() > 0; }))
      return;
    llvm::IntEqClasses classes(count);
    for (unsigned i = 0; i < count; ++i)
      for (Value value : reaching(body.getTerminator()->getOperand(i)))
        if (auto argument = dyn_cast<BlockArgument>(value); argument && isOfBody(value))
          classes.join(i, argument.getArgNumber() % count);
    classes.compress();
    if (classes.getNumClasses() == 1)
      return;
    for (unsigned set = 0; set < classes.getNumClasses(); ++set)
      create(llvm::to_vector(llvm::make_filter_range(
          llvm::seq(count), [&](unsigned i) { return classes[i] == set; })));
    op->erase();
  }

private:
  bool isOfBody(Value value) const { return value.getParentBlock() == &body; }

  /// The values of the body that `value` follows from, and it.
  llvm::SetVector<Value> reaching(Value value) const {
    llvm::SetVector<Value> values;
    values.insert(value);
    for (unsigned i = 0; i < values.size(); ++i)
      if (Operation *inner = values[i].getDefiningOp(); inner && isOfBody(values[i]))
        values.insert_range(inner->getOperands());
    return values;
  }

  /// The operation on some of the tensors, which replaces their results.
  void create(ArrayRef<unsigned> members) {
    OpBuilder b(op);
    OperationState state(op->getLoc(), op->getName());
    unsigned last = op->getNumOperands() - count;
    for (unsigned i : members)
      state.addOperands(op->getOperand(i));
    state.addOperands(op->getOperands().slice(count, last - count));
    for (unsigned i : members) {
      state.addOperands(op->getOperand(last + i));
      state.addTypes(op->getResult(i).getType());
    }
    state.addAttributes(op->getAttrs());
    state.addRegion();
    Operation *part = b.create(state);
    Block &block = part->getRegion(0).emplaceBlock();
    IRMapping mapping;
    for (unsigned side : {0u, count})
      for (unsigned i : members) {
        BlockArgument old = body.getArgument(side + i);
        mapping.map(old, block.addArgument(old.getType(), old.getLoc()));
      }
    cloneBody(block, members, mapping);
    for (auto [i, result] : llvm::zip_equal(members, part->getResults()))
      op->getResult(i).replaceAllUsesWith(result);
  }

  void cloneBody(Block &block, ArrayRef<unsigned> members, IRMapping &mapping) {
    Operation *end = body.getTerminator();
    llvm::SetVector<Value> needed;
    for (unsigned i : members)
      needed.insert_range(reaching(end->getOperand(i)));
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    for (Operation &inner : body.without_terminator())
      if (llvm::any_of(inner.getResults(), [&](Value value) { return needed.contains(value); }))
        b.clone(inner, mapping);
    ReturnOp::create(b, end->getLoc(), llvm::map_to_vector(members, [&](unsigned i) {
                       return mapping.lookupOrDefault(end->getOperand(i));
                     }));
  }

  Operation *op;
  Block &body;
  unsigned count;
};

} // namespace

void separateReducers(Operation *root) {
  SmallVector<Operation *> reducers;
  root->walk([&](Operation *op) {
    if (isa<ReduceOp, ReduceWindowOp, ScatterOp>(op) && op->getNumResults() > 1)
      reducers.push_back(op);
  });
  for (Operation *op : reducers)
    Reducer(op).separate();
}

} // namespace systole::planes
