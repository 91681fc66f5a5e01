// Removes shardings from a program for a single device.
//
// Shardings come from two systems: Shardy's operations and attributes name the axes of a mesh;
// GSPMD's attributes list devices, and its custom calls mark a change of sharding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/Devices.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

#define GEN_PASS_DEF_DROPSHARDINGS
#include "compiler/Import/Passes.h.inc"

namespace {

constexpr StringLiteral kShardy = "sdy.", kGspmd = "mhlo.sharding";

/// Whether an attribute is a sharding of either system.
bool isSharding(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  return name.starts_with(kShardy) || name == kGspmd;
}

/// The number of devices of a mesh, the product of its axis sizes.
uint64_t devicesOf(Attribute mesh) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(mesh);
  uint64_t devices = 1;
  if (coded)
    for (Attribute axis : coded.node().attributes)
      if (auto named = dyn_cast<sdy::SdyAttr>(axis); named && !named.node().ints.empty())
        devices = llvm::SaturatingMultiply<uint64_t>(devices, named.node().ints[0]);
  return devices;
}

/// The largest number of devices of the meshes that a Shardy attribute has inside.
uint64_t devicesWithin(Attribute attribute) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(attribute);
  uint64_t devices = coded && coded.node().kind->name == "mesh" ? devicesOf(coded) : 1;
  if (coded)
    for (Attribute part : coded.node().attributes)
      devices = std::max(devices, devicesWithin(part));
  return devices;
}

/// The number of devices of a GSPMD sharding, the largest product of a list such as
/// `{devices=[2,4]<=[8]}`; `{replicated}`, `{manual}` and `{maximal device=0}` have none.
uint64_t devicesOfGspmd(StringRef sharding) {
  uint64_t most = 1;
  for (StringRef rest = sharding.split("devices=[").second; !rest.empty();
       rest = rest.split("devices=[").second) {
    uint64_t devices = 1, size;
    do {
      if (rest.consumeInteger(10, size))
        break;
      devices = llvm::SaturatingMultiply(devices, size);
    } while (rest.consume_front(","));
    most = std::max(most, devices);
  }
  return most;
}

LogicalResult refuse(Operation *op, uint64_t devices) {
  return emitUnimplemented(op) << "the program is divided among " << devices
                               << " devices, which is not supported yet";
}

/// Replaces a manual computation by its body.
LogicalResult inlineBody(Operation *op) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return op->emitError() << "has no body";
  Block &body = op->getRegion(0).front();
  Operation *end = body.empty() ? nullptr : &body.back();
  if (!end || body.getNumArguments() != op->getNumOperands() ||
      end->getNumOperands() != op->getNumResults() ||
      body.getArgumentTypes() != op->getOperandTypes() ||
      end->getOperandTypes() != op->getResultTypes())
    return emitUnimplemented(op) << "'" << op->getName()
                                 << "' is divided among devices, which is not supported yet";
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
      return refuse(op, devices);
    op->erase();
    return success();
  }
  for (NamedAttribute attribute : op->getAttrs())
    if (uint64_t devices = devicesWithin(attribute.getValue()); devices > 1)
      return refuse(op, devices);
  if (name == "manual_computation" || name == "named_computation")
    return inlineBody(op);
  if (op->getNumOperands() < op->getNumResults() || op->getNumRegions() != 0)
    return emitUnsupported(op);
  for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
    result.replaceAllUsesWith(operand);
  op->erase();
  return success();
}

/// Replaces groups of devices along axes of a mesh by a list of the one device that there is.
LogicalResult listGroups(Operation *op) {
  constexpr StringLiteral name = "replica_groups";
  auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(name);
  if (!groups)
    return success();
  if (auto mesh = dyn_cast<stablehlo::MeshAttr>(groups.getMesh())) {
    if (uint64_t devices = stablehlo::devicesOf(mesh); devices > 1)
      return refuse(op, devices);
  } else {
    // The devices of the mesh are counted where it is dropped.
    auto symbol = cast<FlatSymbolRefAttr>(groups.getMesh());
    Operation *named = SymbolTable::lookupNearestSymbolFrom(op, symbol);
    if (!named || !isa_and_nonnull<sdy::SdyDialect>(named->getDialect()) ||
        named->getName().stripDialect() != "mesh")
      return op->emitOpError("has groups of a mesh ") << symbol << ", which is none";
  }
  auto type = RankedTensorType::get({1, 1}, IntegerType::get(op->getContext(), 64));
  op->setAttr(name, DenseElementsAttr::get(type, int64_t(0)));
  return success();
}

/// Replaces GSPMD's calls that change a sharding, which are the identity on a single device.
LogicalResult dropCall(stablehlo::CustomCallOp op) {
  if (op->getOperandTypes() != op->getResultTypes())
    return emitUnimplemented(op) << "'" << op.getCallTargetName()
                                 << "' is divided among devices, which is not supported yet";
  op.replaceAllUsesWith(op.getInputs());
  op.erase();
  return success();
}

bool isGspmdCall(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && llvm::is_contained({"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"},
                                    call.getCallTargetName());
}

/// Removes the shardings among the attributes of an operation, its arguments and results.
LogicalResult dropAttributes(Operation *op) {
  LogicalResult result = success();
  auto drop = [&](ArrayRef<NamedAttribute> attributes, auto remove) {
    for (NamedAttribute attribute : llvm::make_filter_range(attributes, isSharding)) {
      auto text = dyn_cast<StringAttr>(attribute.getValue());
      uint64_t devices = text ? devicesOfGspmd(text) : devicesWithin(attribute.getValue());
      if (devices > 1 && succeeded(result))
        result = refuse(op, devices);
      remove(attribute.getName());
    }
  };
  drop(llvm::to_vector(op->getDiscardableAttrs()),
       [&](StringAttr name) { op->removeDiscardableAttr(name); });
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return result;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    drop(function_interface_impl::getArgAttrs(function, i),
         [&](StringAttr name) { function.removeArgAttr(i, name); });
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    drop(function_interface_impl::getResultAttrs(function, i),
         [&](StringAttr name) { function.removeResultAttr(i, name); });
  return result;
}

/// Refuses GSPMD's calls, and shardings that name several devices, of a program for `devices`.
LogicalResult refuseGspmd(Operation *op, uint64_t devices) {
  if (isGspmdCall(op))
    return refuse(op, devices);
  auto isDivided = [](ArrayRef<NamedAttribute> attributes) {
    return llvm::any_of(attributes, [](NamedAttribute attribute) {
      auto text = dyn_cast<StringAttr>(attribute.getValue());
      return attribute.getName() == kGspmd && text && devicesOfGspmd(text) > 1;
    });
  };
  bool found = isDivided(llvm::to_vector(op->getDiscardableAttrs()));
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      found |= isDivided(function_interface_impl::getArgAttrs(function, i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      found |= isDivided(function_interface_impl::getResultAttrs(function, i));
  }
  return found ? refuse(op, devices) : success();
}

/// A count of the module that `name` gives; 1 without it.
uint64_t countOf(ModuleOp module, StringRef name) {
  auto count = module->getAttrOfType<IntegerAttr>(name);
  return count && count.getValue().isStrictlyPositive() ? count.getValue().getLimitedValue() : 1;
}

struct DropShardings : impl::DropShardingsBase<DropShardings> {
  void rewrite() override {
    // Counts and meshes are checked first: other errors follow from them.
    if (uint64_t replicas = countOf(getOperation(), "mhlo.num_replicas"); replicas > 1) {
      (void)refuse(getOperation(), replicas);
      return signalPassFailure();
    }
    // Partitioning takes Shardy's shardings of programs for several devices.
    if (uint64_t devices = countOf(getOperation(), "mhlo.num_partitions"); devices > 1) {
      auto isRefused = [&](Operation *op) { return WalkResult(refuseGspmd(op, devices)); };
      if (getOperation().walk(isRefused).wasInterrupted())
        signalPassFailure();
      return;
    }
    SmallVector<Operation *> meshes, others;
    SmallVector<stablehlo::CustomCallOp> calls;
    WalkResult walk = getOperation().walk([&](Operation *op) {
      if (isGspmdCall(op))
        calls.push_back(cast<stablehlo::CustomCallOp>(op));
      else if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
               !op->hasTrait<OpTrait::IsTerminator>())
        (op->getName().stripDialect() == "mesh" ? meshes : others).push_back(op);
      return WalkResult(success(succeeded(dropAttributes(op)) && succeeded(listGroups(op))));
    });
    meshes.append(others);
    if (walk.wasInterrupted() || failed(dropAll(meshes)) ||
        llvm::any_of(calls, [](auto call) { return failed(dropCall(call)); }))
      signalPassFailure();
  }

  static LogicalResult dropAll(ArrayRef<Operation *> ops) {
    return success(llvm::all_of(ops, [](Operation *op) { return succeeded(drop(op)); }));
  }
};

} // namespace
} // namespace systole
