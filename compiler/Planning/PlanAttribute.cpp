// Plans as attributes of fusions: conversion and verification.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PlanAttribute.h"

#include "compiler/Planning/Legality.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace systole {

SmallVector<Operation *> operationsOf(kernel::FusionOp fusion) {
  SmallVector<Operation *> ops;
  for (Operation &op : fusion.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

SmallVector<ResidentBlocks, 0> residentOperands(kernel::FusionOp fusion) {
  SmallVector<ResidentBlocks, 0> residents;
  auto add = [&](ValueRange inner, ValueRange outer) {
    for (auto [value, outside] : llvm::zip_equal(inner, outer))
      if (kernel::ResidentOp resident = kernel::residentOf(outside))
        residents.push_back({value, llvm::SmallVector<int64_t, 4>(resident.getBlock())});
  };
  Block &body = fusion.getBody().front();
  add(body.getArguments(), fusion.getInputs());
  add(body.getTerminator()->getOperands(), fusion.getResults());
  return residents;
}

SmallVector<OperandBlocks> blockedOperands(kernel::FusionOp fusion, const Blocking &blocking) {
  llvm::SmallPtrSet<Value, 16> read;
  llvm::DenseMap<Value, SmallVector<OpOperand *, 1>> ownUses;
  Block &body = fusion.getBody().front();
  for (Operation &op : body)
    for (OpOperand &operand : op.getOpOperands()) {
      if (isWindowed(operand) || isIndexOperand(operand))
        continue;
      if (blocking.hasOwnBlock(operand))
        ownUses[operand.get()].push_back(&operand);
      else
        read.insert(operand.get());
    }
  SmallVector<OperandBlocks> operands;
  for (Value argument : body.getArguments()) {
    if (typeOf(argument).getNumElements() == 0)
      continue;
    if (read.contains(argument))
      operands.push_back({argument});
    for (OpOperand *use : ownUses.lookup(argument))
      operands.push_back({argument, use});
  }
  llvm::SmallSetVector<Value, 4> results;
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (typeOf(value).getNumElements() > 0 && !updatedInput(fusion, number))
      results.insert(value);
  for (Value result : results)
    operands.push_back({result});
  return operands;
}

bool canArriveInPieces(const OperandBlocks &operand, int64_t pieces, const Blocking &blocking) {
  return isa<BlockArgument>(operand.value) && !blocking.isCut(operand) &&
         !blocking.isResident(operand.value) && kernel::isDivisible(typeOf(operand.value), pieces);
}

kernel::PlanAttr toAttribute(const Blocking &blocking, kernel::FusionOp fusion, double estimate) {
  MLIRContext *context = fusion.getContext();
  SmallVector<Value> values = kernel::numberedValues(fusion.getBody().front());
  SmallVector<kernel::AxisAttr> axes;
  for (const Cut &cut : blocking.cuts)
    axes.push_back(kernel::AxisAttr::get(context, llvm::find(values, cut.seed) - values.begin(),
                                         cut.seedDim, cut.blockSize));
  SmallVector<int64_t> buffers, pieces;
  for (const OperandBlocks &operand : blockedOperands(fusion, blocking)) {
    buffers.push_back(blocking.buffersOf(operand));
    pieces.push_back(blocking.piecesOf(operand));
  }
  if (llvm::all_equal(pieces) && (pieces.empty() || pieces.front() == 1))
    pieces.clear();
  return kernel::PlanAttr::get(context, axes, buffers, pieces, std::llround(estimate));
}

/// The error that a kernel cannot follow the plan of `fusion`; `value` shows why.
static LogicalResult refuse(kernel::FusionOp fusion, const Twine &reason, Value value = nullptr) {
  InFlightDiagnostic error = fusion.emitError("no kernel can follow this plan: ") << reason;
  if (!value)
    return error;
  SmallVector<Value> values = kernel::numberedValues(fusion.getBody().front());
  error.attachNote(value.getLoc()) << "this is value " << llvm::find(values, value) - values.begin()
                                   << " of the fusion, " << value.getType();
  return error;
}

/// Checks that a plan has counts for all operands, if it has any.
static LogicalResult verifyCounts(kernel::FusionOp fusion, ArrayRef<int64_t> counts, StringRef what,
                                  ArrayRef<OperandBlocks> operands) {
  if (counts.empty() || counts.size() == operands.size())
    return success();
  return refuse(fusion, "it has " + what + " for " + Twine(counts.size()) + " operands, and " +
                            Twine(operands.size()) + " are copied in blocks");
}

static LogicalResult readPieces(kernel::FusionOp fusion, ArrayRef<OperandBlocks> operands,
                                Blocking &blocking) {
  ArrayRef<int64_t> pieces = fusion.getPlan()->getPieces();
  if (failed(verifyCounts(fusion, pieces, "pieces", operands)))
    return failure();
  for (auto [operand, count] : llvm::zip(operands, pieces)) {
    if (count == 1)
      continue;
    if (!canArriveInPieces(operand, count, blocking))
      return refuse(fusion,
                    "an operand is not, in each step, the same " + Twine(count) +
                        " pieces of whole rows of 512 bytes",
                    operand.value);
    blocking.divided.push_back({operand, count});
  }
  return success();
}

static LogicalResult readBuffers(kernel::FusionOp fusion, ArrayRef<OperandBlocks> operands,
                                 Blocking &blocking) {
  ArrayRef<int64_t> buffers = fusion.getPlan()->getBuffers();
  if (failed(verifyCounts(fusion, buffers, "buffers", operands)))
    return failure();
  if (buffers.empty())
    return success();
  for (auto [number, operand] : llvm::enumerate(operands)) {
    int64_t most = blocking.buffersOf(operand);
    if (buffers[number] > most)
      return refuse(
          fusion, "operand " + Twine(number) + " has two buffers, but the same block in every step",
          operand.value);
    if (buffers[number] < most)
      blocking.singleBuffered.push_back(operand);
  }
  return success();
}

FailureOr<Blocking> blockingOf(kernel::FusionOp fusion) {
  if (!fusion.getPlan())
    return fusion.emitError("expects a plan; systole-plan-fusions makes them");
  SmallVector<Operation *> ops = operationsOf(fusion);
  SmallVector<Value> values = kernel::numberedValues(fusion.getBody().front());
  CutPropagation propagation(ops);
  Blocking blocking;
  blocking.residents = residentOperands(fusion);
  for (kernel::AxisAttr axis : fusion.getPlan()->getAxes()) {
    Value seed = values[axis.getValue()];
    std::optional<Cut> cut = propagation.cut(seed, axis.getDim());
    if (!cut)
      return refuse(
          fusion, "its operations cannot be divided along dimension " + Twine(axis.getDim()), seed);
    cut->blockSize = axis.getTile();
    blocking.cuts.push_back(std::move(*cut));
  }
  SmallVector<OperandBlocks> operands = blockedOperands(fusion, blocking);
  if (failed(readBuffers(fusion, operands, blocking)) ||
      failed(readPieces(fusion, operands, blocking)))
    return failure();
  return blocking;
}

LogicalResult verifyPlan(kernel::FusionOp fusion, const PlanningContext &machine) {
  FailureOr<Blocking> blocking = blockingOf(fusion);
  if (failed(blocking))
    return failure();
  SmallVector<Operation *> ops = operationsOf(fusion);
  Axes axes(ops);
  if (std::optional<Violation> violation = orderViolationOf(*blocking, axes))
    return refuse(fusion, violation->reason, violation->value);
  if (std::optional<Violation> violation = violationOf(*blocking, axes))
    return refuse(fusion, violation->reason, violation->value);
  int64_t bytes = StepBytes(ops, axes.groupTensors(), machine.precision).footprint(*blocking);
  const int64_t taken = kernel::residentRowsAt(fusion) * kRowBytes;
  if (bytes > machine.mostVmemBytes() - taken)
    return refuse(fusion, "its blocks take " + Twine(bytes) +
                              " bytes of VMEM, of which there are " +
                              Twine(machine.vmemBytes - taken));
  return success();
}

} // namespace systole
