// Makes a sharded program that of one core among several.
//
// What has no rule of its own is executed by each core on whole tensors: right for all programs,
// whatever their shardings say. Parts are kept as such where an argument, a manual computation's
// operand or result, or a result of the program wants them in the way in which they are divided.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/SyncFlags.h"
#include "dialects/Sdy/Sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PARTITIONPROGRAM
#include "compiler/Partition/Passes.h.inc"

namespace {

using namespace partition;

constexpr StringLiteral kSharding = "sdy.sharding";

bool isSdy(Operation *op, StringRef name) {
  return isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) && op->getName().stripDialect() == name;
}

class Partitioner {
public:
  Partitioner(ModuleOp module, int64_t cores) : module(module), cores(cores) {}

  LogicalResult run();

private:
  /// A value of the program that cores have in parts.
  struct Parts {
    MeshSharding sharding;
    Value part;
    Value whole; ///< once something needs it
  };

  FailureOr<MeshSharding> decode(Operation *op, Attribute attribute, Type type) const;
  LogicalResult takeArguments(func::FuncOp main);
  LogicalResult inlineManual(Operation *op);
  LogicalResult takeResults(func::FuncOp main);
  /// `value` as a whole, and each core's part of it.
  Value wholeOf(Value value);
  Value partOf(OpBuilder &b, Location loc, Value value, const MeshSharding &sharding,
               RankedTensorType type);
  /// Lets what still reads values in parts read their wholes.
  void replaceUses();
  Attribute divisionOf(RankedTensorType whole, const MeshSharding *sharding);

  ModuleOp module;
  int64_t cores;
  llvm::MapVector<Value, Parts> divided;
  SmallVector<Operation *> replaced; ///< whose results are in parts
};

FailureOr<MeshSharding> Partitioner::decode(Operation *op, Attribute attribute, Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitError() << "has a sharding of a value of type " << type;
  FailureOr<MeshSharding> sharding = shardingOf(op, attribute, tensor.getRank());
  if (succeeded(sharding) && sharding->mesh.size() != cores)
    return op->emitError() << "has a mesh of " << sharding->mesh.size()
                           << " devices in a program for " << cores;
  return sharding;
}

/// Nothing for a tensor that all cores have as a whole.
Attribute Partitioner::divisionOf(RankedTensorType whole, const MeshSharding *sharding) {
  SmallVector<int64_t> numbers;
  if (sharding && sharding->sharding.isDivided()) {
    llvm::append_range(numbers, whole.getShape());
    for (int64_t core = 0; core < cores; ++core)
      for (int64_t d = 0; d < whole.getRank(); ++d)
        numbers.push_back(sharding->sharding.partOf(sharding->mesh, core, size_t(d)));
  }
  return DenseI64ArrayAttr::get(module.getContext(), numbers);
}

LogicalResult Partitioner::takeArguments(func::FuncOp main) {
  SmallVector<Attribute> divisions;
  OpBuilder b(main.getContext());
  b.setInsertionPointToStart(&main.getBody().front());
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Attribute attribute = main.getArgAttr(argument.getArgNumber(), kSharding);
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
    main.removeArgAttr(argument.getArgNumber(), kSharding);
    if (*part == type)
      continue;
    // Stands for the whole until what reads it is known.
    auto whole = UnrealizedConversionCastOp::create(b, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(whole.getResult(0), whole);
    argument.setType(*part);
    divided.insert({whole.getResult(0), Parts{*std::move(sharding), argument, {}}});
    replaced.push_back(whole);
  }
  module->setAttr(kernel::kArgumentPartsAttr, ArrayAttr::get(module.getContext(), divisions));
  return success();
}

Value Partitioner::wholeOf(Value value) {
  auto it = divided.find(value);
  if (it == divided.end())
    return value;
  Parts &parts = it->second;
  if (!parts.whole) {
    OpBuilder b(module.getContext());
    b.setInsertionPointAfter(value.getDefiningOp());
    parts.whole = gatherParts(b, value.getLoc(), parts.part, parts.sharding);
  }
  return parts.whole;
}

Value Partitioner::partOf(OpBuilder &b, Location loc, Value value, const MeshSharding &sharding,
                          RankedTensorType type) {
  auto it = divided.find(value);
  if (it != divided.end() && it->second.sharding.sharding == sharding.sharding &&
      it->second.sharding.mesh.cores == sharding.mesh.cores)
    return it->second.part;
  return takePart(b, loc, wholeOf(value), sharding, type);
}

LogicalResult Partitioner::inlineManual(Operation *op) {
  ArrayRef<Attribute> in = shardingsOf(op->getAttr("in_shardings")),
                      out = shardingsOf(op->getAttr("out_shardings"));
  SmallVector<StringRef> manual = axisNamesOf(op->getAttr("manual_axes"));
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() ||
      in.size() != op->getNumOperands() || out.size() != op->getNumResults())
    return op->emitError() << "is no manual computation of as many shardings as values";
  Block &body = op->getRegion(0).front();
  Operation *end = body.empty() ? nullptr : &body.back();
  if (!end || body.getNumArguments() != op->getNumOperands() ||
      end->getNumOperands() != op->getNumResults())
    return op->emitError() << "has a body of another signature";
  auto isManual = [&](StringRef axis) { return llvm::is_contained(manual, axis); };
  auto decodeManual = [&](Attribute attribute, Type type) {
    FailureOr<MeshSharding> sharding = decode(op, attribute, type);
    if (succeeded(sharding))
      sharding->sharding = sharding->sharding.along(isManual);
    return sharding;
  };
  OpBuilder b(op);
  for (auto [number, argument] : llvm::enumerate(body.getArguments())) {
    Value operand = op->getOperand(unsigned(number));
    Type type = operand.getType();
    FailureOr<MeshSharding> sharding = decodeManual(in[number], type);
    if (failed(sharding))
      return failure();
    FailureOr<RankedTensorType> part =
        partType(op, cast<RankedTensorType>(type), sharding->sharding);
    if (failed(part))
      return failure();
    if (*part != argument.getType())
      return op->emitError() << "has an argument of type " << argument.getType()
                             << " for a part of type " << *part;
    argument.replaceAllUsesWith(partOf(b, op->getLoc(), operand, *sharding, *part));
  }
  SmallVector<Value> ends(end->getOperands());
  end->erase();
  op->getBlock()->getOperations().splice(Block::iterator(op), body.getOperations());
  for (auto [result, part, attribute] : llvm::zip_equal(op->getResults(), ends, out)) {
    FailureOr<MeshSharding> sharding = decodeManual(attribute, result.getType());
    if (failed(sharding))
      return failure();
    divided.insert({result, Parts{*std::move(sharding), part, {}}});
  }
  op->setOperands({});
  replaced.push_back(op);
  return success();
}

LogicalResult Partitioner::takeResults(func::FuncOp main) {
  Operation *end = main.getBody().front().getTerminator();
  OpBuilder b(end);
  SmallVector<Attribute> divisions;
  for (OpOperand &operand : end->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(main.getResultTypes()[number]);
    Attribute attribute = main.getResultAttr(number, kSharding);
    main.removeResultAttr(number, kSharding);
    auto it = divided.find(value);
    if (!type) {
      divisions.push_back(divisionOf(type, nullptr));
    } else if (!attribute) {
      // As it is: in parts, where there are.
      divisions.push_back(divisionOf(type, it == divided.end() ? nullptr : &it->second.sharding));
      if (it != divided.end())
        operand.set(it->second.part);
    } else {
      FailureOr<MeshSharding> sharding = decode(end, attribute, type);
      if (failed(sharding))
        return failure();
      FailureOr<RankedTensorType> part = partType(end, type, sharding->sharding);
      if (failed(part))
        return failure();
      divisions.push_back(divisionOf(type, &*sharding));
      operand.set(partOf(b, end->getLoc(), value, *sharding, *part));
    }
  }
  module->setAttr(kernel::kResultPartsAttr, ArrayAttr::get(module.getContext(), divisions));
  main.setType(FunctionType::get(module.getContext(), main.getBody().getArgumentTypes(),
                                 end->getOperandTypes()));
  return success();
}

void Partitioner::replaceUses() {
  for (size_t i = 0; i < divided.size(); ++i) {
    Value value = (divided.begin() + ptrdiff_t(i))->first;
    if (!value.use_empty())
      value.replaceAllUsesWith(wholeOf(value));
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

/// What constrains a value alone.
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
  SmallVector<Operation *> constraints, manual, meshes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isSdy(op, "manual_computation"))
      manual.push_back(op);
    else if (isSdy(op, "mesh"))
      meshes.push_back(op);
    else if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
             !op->hasTrait<OpTrait::IsTerminator>())
      constraints.push_back(op);
  });
  for (Operation *op : constraints)
    if (failed(dropConstraint(op)))
      return failure();
  if (module.walk([](Operation *op) { return WalkResult(listGroups(op)); }).wasInterrupted() ||
      failed(takeArguments(main)))
    return failure();
  // A computation before those inside of it.
  for (Operation *op : manual)
    if (failed(inlineManual(op)))
      return failure();
  if (failed(takeResults(main)))
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

struct PartitionProgram : impl::PartitionProgramBase<PartitionProgram> {
  void rewrite() override {
    // Set for programs of several cores alone (Devices.h).
    auto count = getOperation()->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    if (!count || count.getInt() < 2)
      return;
    if (count.getInt() > kernel::kReadyFlags) {
      emitUnimplemented(getOperation())
          << "a program for " << count.getInt() << " cores is not supported; at most "
          << kernel::kReadyFlags << " are";
      return signalPassFailure();
    }
    if (failed(Partitioner(getOperation(), count.getInt()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
