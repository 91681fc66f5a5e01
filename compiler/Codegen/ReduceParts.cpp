// Divides reductions of several results whose accumulators take too many registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Reduce.h"
#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

// Fills `to` with the body `from` for some of its results, and `used` with the inputs that these
// depend on.
static void cloneBody(Block &from, Region &to, ArrayRef<size_t> results,
                      SmallVectorImpl<size_t> &used) {
  Block &body = to.emplaceBlock();
  OpBuilder b(from.getParentOp()->getContext());
  b.setInsertionPointToEnd(&body);
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments())
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : from.without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> yielded;
  for (size_t result : results)
    yielded.push_back(mapping.lookupOrDefault(from.getTerminator()->getOperand(result)));
  kernel::YieldOp::create(b, from.getTerminator()->getLoc(), yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && &op != &body.back())
      op.erase();
  for (size_t number = body.getNumArguments(); number > 0; --number)
    if (body.getArgument(number - 1).use_empty())
      body.eraseArgument(number - 1);
    else
      used.insert(used.begin(), number - 1);
}

static void cloneCombiner(Block &from, Region &to, ArrayRef<size_t> results) {
  Block &body = to.emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  size_t all = from.getNumArguments() / 2;
  for (size_t side = 0; side < 2; ++side)
    for (size_t result : results) {
      BlockArgument argument = from.getArgument(side * all + result);
      mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
    }
  SmallVector<Value> yielded;
  SmallVector<Operation *, 2> combiners = combinersOf(from);
  for (size_t result : results)
    yielded.push_back(b.clone(*combiners[result], mapping)->getResult(0));
  kernel::YieldOp::create(b, from.getTerminator()->getLoc(), yielded);
}

ReducePart codegen::partOf(kernel::ReduceOp op, ArrayRef<size_t> results) {
  OpBuilder b(op);
  ReducePart part;
  // The body is cloned to a region of its own first, since it says which inputs there are.
  Region body;
  cloneBody(op.getBody().front(), body, results, part.inputs);
  SmallVector<Value> inputs, inits, outputs;
  SmallVector<Attribute> maps;
  for (size_t input : part.inputs) {
    inputs.push_back(op.getInputs()[input]);
    maps.push_back(op.getMaps()[input]);
  }
  for (size_t result : results) {
    if (!op.getInits().empty())
      inits.push_back(op.getInits()[result]);
    outputs.push_back(op.getOutputs()[result]);
  }
  part.op = kernel::ReduceOp::create(b, op.getLoc(), inputs, inits, outputs, b.getArrayAttr(maps),
                                     op.getSizes(), op.getDims(), op.getPartials());
  part.op.getBody().takeBody(body);
  cloneCombiner(op.getCombiner().front(), part.op.getCombiner(), results);
  return part;
}
