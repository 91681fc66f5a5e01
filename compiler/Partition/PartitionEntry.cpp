// The entry of a program that is divided: its arguments and results, and the order of the
// rewriting.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/HostTransfers.h"
#include "compiler/Partition/PaddedParts.h"
#include "compiler/Partition/Partitioner.h"
#include "compiler/Partition/Propagation/ShardingRule.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::partition {

static constexpr StringLiteral kSharding = "sdy.sharding";

/// Nothing for a tensor that all cores have as a whole.
Attribute Partitioner::divisionOf(RankedTensorType whole, const MeshSharding *sharding) {
  SmallVector<int64_t> numbers;
  if (sharding && !sharding->sharding.isWhole()) {
    llvm::append_range(numbers, whole.getShape());
    for (int64_t core = 0; core < cores; ++core)
      for (int64_t d = 0; d < whole.getRank(); ++d)
        numbers.push_back(sharding->sharding.partOf(sharding->mesh, core, size_t(d)));
    if (!sharding->sharding.unreduced.empty())
      for (int64_t core = 0; core < cores; ++core)
        numbers.push_back(placeAlong(sharding->mesh, sharding->sharding.unreduced, core));
  }
  return DenseI64ArrayAttr::get(module.getContext(), numbers);
}

LogicalResult Partitioner::takeArguments(func::FuncOp main) {
  SmallVector<Attribute> divisions;
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Attribute attribute = main.getArgAttr(argument.getArgNumber(), kSharding);
    main.removeArgAttr(argument.getArgNumber(), kSharding);
    if (!attribute || !type) {
      divisions.push_back(divisionOf(type, nullptr));
      continue;
    }
    FailureOr<MeshSharding> sharding = decode(main, attribute, type);
    if (failed(sharding))
      return failure();
    FailureOr<RankedTensorType> part = partType(main, type, sharding->sharding);
    if (failed(part))
      return failure();
    divisions.push_back(divisionOf(type, &*sharding));
    if (!sharding->sharding.isWhole())
      divideInPlace(argument, *sharding, *part);
  }
  module->setAttr(kernel::kArgumentPartsAttr, ArrayAttr::get(module.getContext(), divisions));
  return success();
}

LogicalResult Partitioner::takeResults(func::FuncOp main) {
  Operation *end = main.getBody().front().getTerminator();
  SmallVector<Attribute> divisions;
  for (OpOperand &operand : end->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(main.getResultTypes()[number]);
    Attribute attribute = main.getResultAttr(number, kSharding);
    main.removeResultAttr(number, kSharding);
    const Parts *parts = partsOf(value);
    if (!type) {
      divisions.push_back(divisionOf(type, nullptr));
    } else if (!attribute) {
      // As it is: in parts, where there are and they are even.
      std::optional<MeshSharding> sharding;
      if (parts) {
        sharding = parts->sharding;
        for (auto [d, axes] : llvm::enumerate(sharding->sharding.dims))
          if (paddedSize(type, parts->sharding.sharding, d) != type.getDimSize(unsigned(d)))
            axes.clear();
        operand.set(partOf(end, value, *sharding));
      }
      divisions.push_back(divisionOf(type, sharding ? &*sharding : nullptr));
    } else {
      FailureOr<MeshSharding> sharding = decode(end, attribute, type);
      if (failed(sharding))
        return failure();
      FailureOr<RankedTensorType> part = partType(end, type, sharding->sharding);
      if (failed(part))
        return failure();
      divisions.push_back(divisionOf(type, &*sharding));
      operand.set(partOf(end, value, *sharding));
    }
  }
  module->setAttr(kernel::kResultPartsAttr, ArrayAttr::get(module.getContext(), divisions));
  main.setType(FunctionType::get(module.getContext(), main.getBody().getArgumentTypes(),
                                 end->getOperandTypes()));
  return success();
}

LogicalResult dropConstraint(Operation *op) {
  if (op->getNumOperands() < op->getNumResults() || op->getNumRegions() != 0)
    return emitUnsupported(op);
  for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
    result.replaceAllUsesWith(operand);
  op->erase();
  return success();
}

/// Replaces groups of devices along axes of a mesh by lists.
LogicalResult listGroups(Operation *op) {
  constexpr StringLiteral name = "replica_groups";
  auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(name);
  if (!groups)
    return success();
  if (isa<stablehlo::MeshAttr>(groups.getMesh()))
    return emitUnimplemented(op)
           << "groups along axes of a mesh without a name are not supported yet";
  FailureOr<Mesh> mesh = meshOf(op, groups.getMesh());
  if (failed(mesh))
    return failure();
  MeshSharding along{*std::move(mesh), {}};
  auto &axes = along.sharding.dims.emplace_back();
  for (auto axis : groups.getAxes().getAsRange<stablehlo::AxisRefAttr>()) {
    const Mesh::Axis *named = along.mesh.find(axis.getName());
    if (!named)
      return op->emitError() << "has groups along axis " << axis.getName()
                             << ", which its mesh has not";
    AxisPart part{named->name, 1, named->size};
    if (stablehlo::SubAxisInfoAttr range = axis.getSubAxisInfo()) {
      part.before = range.getPreSize();
      part.size = range.getSize();
    }
    axes.push_back(part);
  }
  Builder b(op->getContext());
  op->setAttr(name, groupsAlong(b, along, 0));
  return success();
}

LogicalResult Partitioner::run() {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("has no function 'main'");
  module->setAttr(kernel::kCoresAttr, Builder(module.getContext()).getI64IntegerAttr(cores));
  SmallVector<Operation *> constraints, meshes;
  module.walk([&](Operation *op) {
    // Propagation believes a program's own rules, but parts are computed by those of operations.
    if (!isa<stablehlo::CustomCallOp>(op))
      op->removeDiscardableAttr(kShardingRuleAttr);
    if (isSdy(op, "mesh"))
      meshes.push_back(op);
    else if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
             !isSdy(op, "manual_computation") && !op->hasTrait<OpTrait::IsTerminator>())
      constraints.push_back(op);
  });
  for (Operation *op : constraints)
    if (failed(dropConstraint(op)))
      return failure();
  if (module.walk([](Operation *op) { return WalkResult(listGroups(op)); }).wasInterrupted() ||
      failed(checkQueues(module)) || failed(takeArguments(main)) ||
      failed(divideBlock(main.getBody().front())) || failed(takeResults(main)))
    return failure();
  replaceUses();
  for (Operation *mesh : meshes)
    mesh->erase();
  module.walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (attribute.getName().strref().starts_with("sdy."))
        op->removeDiscardableAttr(attribute.getName());
  });
  return success();
}

} // namespace systole::partition
