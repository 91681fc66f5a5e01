// Removes how a program is divided among devices if there is only one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "dialects/Sdy/Sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

#define GEN_PASS_DEF_DROPSHARDINGS
#include "compiler/Import/Passes.h.inc"

namespace {

constexpr StringLiteral kPrefix = "sdy.";

/// The number of a mesh's devices, which is the product of its axes' sizes.
uint64_t devicesOf(Attribute mesh) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(mesh);
  uint64_t devices = 1;
  if (coded)
    for (Attribute axis : coded.node().attributes)
      if (auto named = dyn_cast<sdy::SdyAttr>(axis); named && !named.node().ints.empty())
        devices = llvm::SaturatingMultiply<uint64_t>(devices, named.node().ints[0]);
  return devices;
}

/// Puts the body of a computation in its place.
LogicalResult inlineBody(Operation *op) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return op->emitError() << "has no body";
  Block &body = op->getRegion(0).front();
  Operation *end = body.empty() ? nullptr : &body.back();
  if (!end || body.getNumArguments() != op->getNumOperands() ||
      end->getNumOperands() != op->getNumResults() ||
      body.getArgumentTypes() != op->getOperandTypes() ||
      end->getOperandTypes() != op->getResultTypes())
    return emitLack(op) << "is divided among devices, which is not supported yet";
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  for (auto [result, value] : llvm::zip(op->getResults(), end->getOperands()))
    result.replaceAllUsesWith(value);
  end->erase();
  op->getBlock()->getOperations().splice(Block::iterator(op), body.getOperations());
  op->erase();
  return success();
}

LogicalResult drop(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (name == "mesh") {
    if (uint64_t devices = devicesOf(op->getAttr("mesh")); devices > 1)
      return emitLack(op) << "the program is divided among " << devices
                          << " devices, which is not supported yet";
    op->erase();
    return success();
  }
  if (name == "manual_computation" || name == "named_computation")
    return inlineBody(op);
  if (op->getNumOperands() < op->getNumResults() || op->getNumRegions() != 0)
    return emitUnsupported(op);
  for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
    result.replaceAllUsesWith(operand);
  op->erase();
  return success();
}

void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (attribute.getName().strref().starts_with(kPrefix))
      op->removeDiscardableAttr(attribute.getName());
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return;
  auto isSharding = [](NamedAttribute attribute) {
    return attribute.getName().strref().starts_with(kPrefix);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (NamedAttribute attribute : function_interface_impl::getArgAttrs(function, i))
      if (isSharding(attribute))
        function.removeArgAttr(i, attribute.getName());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (NamedAttribute attribute : function_interface_impl::getResultAttrs(function, i))
      if (isSharding(attribute))
        function.removeResultAttr(i, attribute.getName());
}

struct DropShardings : impl::DropShardingsBase<DropShardings> {
  void runOnOperation() override {
    // Meshes come first: what else is divided follows from them.
    SmallVector<Operation *> meshes, others;
    getOperation().walk([&](Operation *op) {
      dropAttributes(op);
      if (!isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) ||
          op->hasTrait<OpTrait::IsTerminator>())
        return;
      (op->getName().stripDialect() == "mesh" ? meshes : others).push_back(op);
    });
    meshes.append(others);
    for (Operation *op : meshes)
      if (failed(drop(op)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace systole
