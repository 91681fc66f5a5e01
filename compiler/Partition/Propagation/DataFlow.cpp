// Values that data flow makes one: results of control flow and what its regions give and take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/DataFlow.h"

#include "compiler/Partition/Propagation/ShardingRule.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::partition {

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

void DataFlow::add(Value owner, DataFlowEdge edge) {
  if (!isStaticTensor(owner.getType()))
    return;
  owners[owner] = owner;
  for (Value target : edge.targets)
    owners[target] = owner;
  for (OpOperand *source : edge.sources)
    ownersOfSources[source] = owner;
  edges.insert({owner, std::move(edge)});
}

void DataFlow::addManualComputation(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOpOperands()))
    add(argument, {op, {&operand}, {}});
  for (auto [result, operand] : llvm::zip(op->getResults(), body.back().getOpOperands()))
    add(result, {op, {&operand}, {}});
}

DataFlow::DataFlow(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (isSdy(op, "manual_computation") && op->getNumRegions() == 1 &&
        op->getRegion(0).hasOneBlock() && !op->getRegion(0).front().empty())
      return addManualComputation(op);
    if (!isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::OptimizationBarrierOp>(op))
      return;
    for (OpResult result : op->getResults()) {
      const unsigned number = result.getResultNumber();
      DataFlowEdge edge{op, {}, {}};
      // What a loop's condition returns is no value of the loop.
      if (!isa<stablehlo::CaseOp>(op))
        edge.sources.push_back(&op->getOpOperand(number));
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        edge.targets = {loop.getCond().getArgument(number), loop.getBody().getArgument(number)};
        edge.sources.push_back(&loop.getBody().front().getTerminator()->getOpOperand(number));
      } else {
        for (Region &branch : op->getRegions())
          edge.sources.push_back(&branch.front().getTerminator()->getOpOperand(number));
      }
      add(result, std::move(edge));
    }
  });
}

const DataFlowEdge *DataFlow::edgeOf(Value owner) const {
  const auto *edge = edges.find(owner);
  return edge == edges.end() ? nullptr : &edge->second;
}

} // namespace systole::partition
