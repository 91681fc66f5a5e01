// The values of a program that are in the memory of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Host/HostValues.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tensor/OpKinds.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

FailureOr<MemoryKind> memoryOfName(StringRef name) {
  if (name == "device")
    return MemoryKind();
  if (std::optional<kernel::HostMemory> memory = kernel::symbolizeHostMemory(name))
    return MemoryKind(memory);
  return failure();
}

FailureOr<MemoryKind> memoryOf(DictionaryAttr attributes) {
  Attribute kind = attributes ? attributes.get("mhlo.memory_kind") : Attribute();
  if (!kind)
    return MemoryKind();
  auto name = dyn_cast<StringAttr>(kind);
  return name ? memoryOfName(name) : FailureOr<MemoryKind>(failure());
}

/// Refuses arguments or results in a memory that there is not.
static LogicalResult checkMemories(func::FuncOp function, StringRef what, unsigned count,
                                   llvm::function_ref<DictionaryAttr(unsigned)> attributesOf) {
  for (unsigned i = 0; i < count; ++i)
    if (DictionaryAttr attributes = attributesOf(i); failed(memoryOf(attributes)))
      return emitUnimplemented(function)
             << what << " " << i << " is in an unknown memory, "
             << attributes.get("mhlo.memory_kind")
             << "; there are \"device\", \"pinned_host\" and \"unpinned_host\"";
  return success();
}

bool isHostCompute(Operation *op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto type = attributes ? attributes.getAs<StringAttr>("_xla_compute_type") : nullptr;
  return op->hasAttr(kernel::kHostComputeAttr) || (type && type == "host");
}

LogicalResult checkEntryLayouts(func::FuncOp function) {
  auto isPlain = [](DictionaryAttr attributes) {
    auto mode = attributes ? attributes.getAs<StringAttr>("mhlo.layout_mode") : nullptr;
    FailureOr<MemoryKind> memory = memoryOf(attributes);
    return !mode || mode == "default" || mode == "auto" || (succeeded(memory) && !*memory);
  };
  auto isPlainArgument = [&](unsigned i) { return isPlain(function.getArgAttrDict(i)); };
  auto isPlainResult = [&](unsigned i) { return isPlain(function.getResultAttrDict(i)); };
  if (llvm::all_of(llvm::seq(function.getNumArguments()), isPlainArgument) &&
      llvm::all_of(llvm::seq(function.getNumResults()), isPlainResult))
    return success();
  return emitUnimplemented(function)
         << "layouts of arguments and results in the memory of the host are not supported";
}

bool isPlacement(Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  return call && call.getCallTargetName() == "annotate_device_placement";
}

FailureOr<MemoryKind> placementOf(CustomCallOp op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto name = attributes ? attributes.getAs<StringAttr>("_xla_buffer_placement") : nullptr;
  if (op.getOperandTypes() != op.getResultTypes() || op->getNumOperands() != 1)
    return op.emitError("annotate_device_placement requires one operand, and its type as result");
  if (!name)
    return op.emitError("annotate_device_placement requires the frontend attribute "
                        "_xla_buffer_placement");
  FailureOr<MemoryKind> memory = memoryOfName(name);
  if (failed(memory))
    return emitUnimplemented(op) << "there is no memory '" << name.getValue()
                                 << "'; there are device, pinned_host and unpinned_host";
  return memory;
}

FailureOr<HostValues> HostValues::of(func::FuncOp function) {
  HostValues result;
  if (failed(checkMemories(function, "argument", function.getNumArguments(),
                           [&](unsigned i) { return function.getArgAttrDict(i); })) ||
      failed(checkMemories(function, "result", function.getNumResults(),
                           [&](unsigned i) { return function.getResultAttrDict(i); })))
    return failure();
  for (BlockArgument argument : function.getArguments())
    if (*memoryOf(function.getArgAttrDict(argument.getArgNumber())))
      result.add(argument);
  WalkResult placed = function.walk([&](CustomCallOp op) {
    if (!isPlacement(op))
      return WalkResult::advance();
    FailureOr<MemoryKind> memory = placementOf(op);
    if (failed(memory))
      return WalkResult::interrupt();
    if (*memory)
      result.add(op.getResult(0));
    return WalkResult::advance();
  });
  if (placed.wasInterrupted())
    return failure();
  if (!result.isEmpty())
    while (result.grow(function))
      ;
  if (failed(result.check(function)))
    return failure();
  return result;
}

bool HostValues::grow(func::FuncOp function) {
  bool changes = false;
  function.walk([&](Operation *op) { changes |= growIn(op); });
  return changes;
}

/// Whether `op` moves elements of its operands to its results, and computes nothing.
static bool isMovement(Operation *op) {
  return isa<BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, SliceOp, PadOp, ConcatenateOp,
             DynamicSliceOp, DynamicUpdateSliceOp>(op);
}

bool HostValues::growIn(Operation *op) {
  bool changes = false;
  if (auto loop = dyn_cast<WhileOp>(op)) {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    for (auto [i, init] : llvm::enumerate(loop.getOperand()))
      if (contains(init) || contains(body.getTerminator()->getOperand(i)))
        for (Value value :
             {Value(cond.getArgument(i)), Value(body.getArgument(i)), Value(loop->getResult(i))})
          changes |= add(value);
  } else if (isa<IfOp, CaseOp>(op)) {
    for (Region &region : op->getRegions())
      for (auto [value, result] :
           llvm::zip_equal(region.front().getTerminator()->getOperands(), op->getResults()))
        changes |= contains(value) && add(result);
  } else if (isa<OptimizationBarrierOp>(op)) {
    for (auto [value, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      changes |= contains(value) && add(result);
  } else if (isMovement(op)) {
    for (OpOperand &operand : op->getOpOperands())
      changes |= !isIndexOperand(operand) && contains(operand.get()) && add(op->getResult(0));
  }
  return changes;
}

LogicalResult HostValues::check(func::FuncOp function) const {
  WalkResult result = function.walk([&](Operation *op) {
    if (isHostCompute(op))
      return WalkResult::advance();
    const bool passes = isPlacement(op) || isMovement(op) ||
                        isa<WhileOp, OptimizationBarrierOp>(op) ||
                        op->hasTrait<mlir::OpTrait::IsTerminator>();
    for (OpOperand &operand : op->getOpOperands())
      if (contains(operand.get()) && (!passes || isIndexOperand(operand))) {
        emitUnimplemented(op) << "operation '" << op->getName()
                              << "' computes on an array in the memory of the host, which only "
                                 "copies can access; move it to the device first: "
                                 "jax.device_put(x, jax.memory.Space.Device)";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace systole
