// Rewrites a sharded program, operation by operation, as that of one core.
//
// An operation whose results are divided along factors of its sharding rule is computed in parts;
// any other one is executed by each core on whole arrays, which it gathers from the parts of
// others: right for all programs, whatever their shardings say.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Partitioner.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/LocalOperations.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

std::optional<RankedTensorType> evenPart(RankedTensorType whole, const Sharding &sharding) {
  if (!whole.hasStaticShape() || int64_t(sharding.dims.size()) != whole.getRank())
    return std::nullopt;
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size % sharding.parts(d) != 0)
      return std::nullopt;
    size /= sharding.parts(d);
  }
  return whole.clone(shape);
}

static bool areEqual(const MeshSharding &a, const MeshSharding &b) {
  auto sameAxes = [](const Mesh &a, const Mesh &b) {
    return llvm::equal(a.axes, b.axes, [](const Mesh::Axis &x, const Mesh::Axis &y) {
      return x.name == y.name && x.size == y.size;
    });
  };
  return a.sharding == b.sharding && a.mesh.cores == b.mesh.cores && sameAxes(a.mesh, b.mesh);
}

FailureOr<MeshSharding> Partitioner::decode(Operation *op, Attribute attribute, Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitError() << "has a sharding of a value of type " << type;
  FailureOr<MeshSharding> sharding =
      systole::partition::shardingOf(op, attribute, tensor.getRank());
  // A mesh without axes divides nothing among any number of cores.
  if (succeeded(sharding) && sharding->mesh.axes.empty())
    sharding->mesh.cores = llvm::to_vector(llvm::seq<int64_t>(0, cores));
  if (succeeded(sharding) && sharding->mesh.size() != cores)
    return op->emitError() << "has a mesh of " << sharding->mesh.size()
                           << " devices in a program for " << cores;
  return sharding;
}

//===----------------------------------------------------------------------===//
// Values in parts
//===----------------------------------------------------------------------===//

const Partitioner::Parts *Partitioner::partsOf(Value value) const {
  auto it = divided.find(value);
  return it == divided.end() ? nullptr : &it->second;
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
  if (const Parts *parts = partsOf(value); parts && areEqual(parts->sharding, sharding))
    return parts->part;
  return takePart(b, loc, wholeOf(value), sharding, type);
}

void Partitioner::divideInPlace(Value value, const MeshSharding &sharding, Type part) {
  OpBuilder b(module.getContext());
  b.setInsertionPointAfterValue(value);
  auto name = UnrealizedConversionCastOp::create(b, value.getLoc(), value.getType(), value);
  value.replaceAllUsesExcept(name.getResult(0), name);
  value.setType(part);
  setParts(name.getResult(0), sharding, value);
  replaced.push_back(name);
}

void Partitioner::takeWholes(Operation *op) {
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (partsOf(operand.get()))
        operand.set(wholeOf(operand.get()));
  });
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

SmallVector<std::optional<MeshSharding>> Partitioner::shardingsOfResults(Operation *op) const {
  SmallVector<std::optional<MeshSharding>> result(op->getNumResults());
  ArrayRef<Attribute> given = shardingsOf(op->getAttr("sdy.sharding"));
  if (given.size() != op->getNumResults())
    return result;
  for (auto [sharding, attribute, type] : llvm::zip_equal(result, given, op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    ScopedDiagnosticHandler silence(op->getContext(), [](Diagnostic &) { return success(); });
    FailureOr<MeshSharding> decoded = decode(op, attribute, tensor);
    if (succeeded(decoded) && decoded->sharding.isDivided() && evenPart(tensor, decoded->sharding))
      sharding = *std::move(decoded);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::divideBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (isSdy(&op, "manual_computation")) {
      if (failed(inlineManual(&op)))
        return failure();
    } else if (isa<WhileOp, IfOp, CaseOp>(op)) {
      if (failed(divideControl(&op)))
        return failure();
    } else if (!isa<UnrealizedConversionCastOp>(op) && failed(divide(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Partitioner::divide(Operation *op) {
  auto giveUp = [&] {
    if (llvm::any_of(op->getOperands(), [&](Value value) {
          const Parts *parts = partsOf(value);
          return parts && parts->part.getType() != value.getType();
        }))
      whole.emplace_back(op->getLoc(), op->getName().getStringRef());
    takeWholes(op);
    return success();
  };
  const std::optional<ShardingRule> rule = divideOperations ? ruleOf(op) : std::nullopt;
  auto constant = dyn_cast<ConstantOp>(op);
  if (!rule || (constant && !constant.getValue().isSplat()))
    return giveUp();
  // One mesh for all of it: that of a result, or of an operand.
  const SmallVector<std::optional<MeshSharding>> given = shardingsOfResults(op);
  const Mesh *mesh = nullptr;
  SmallVector<const Sharding *> operands, results;
  for (const auto &sharding : given) {
    results.push_back(sharding ? &sharding->sharding : nullptr);
    mesh = sharding ? &sharding->mesh : mesh;
  }
  for (Value operand : op->getOperands()) {
    const Parts *parts = partsOf(operand);
    if (parts && !mesh)
      mesh = &parts->sharding.mesh;
    operands.push_back(
        parts && parts->sharding.mesh.cores == mesh->cores ? &parts->sharding.sharding : nullptr);
  }
  if (!mesh)
    return giveUp();
  const FactorAxes axes = axesFor(op, *rule, operands, results);
  if (!canDivide(op, *rule, axes))
    return giveUp();
  SmallVector<RankedTensorType> operandTypes, resultTypes;
  auto addTypes = [&](TypeRange types, ArrayRef<TensorFactorsOfDims> tensors,
                      SmallVectorImpl<RankedTensorType> &parts) {
    for (auto [type, dims] : llvm::zip_equal(types, tensors)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto part = tensor ? evenPart(tensor, axes.of(dims)) : std::nullopt;
      if (!part)
        return false;
      parts.push_back(*part);
    }
    return true;
  };
  if (!addTypes(op->getOperandTypes(), rule->operands, operandTypes) ||
      !addTypes(op->getResultTypes(), rule->results, resultTypes))
    return giveUp();
  const Mesh own = *mesh; // `divided` may move
  OpBuilder b(op);
  SmallVector<Value> parts;
  for (auto [operand, dims, type] :
       llvm::zip_equal(op->getOperands(), rule->operands, operandTypes))
    parts.push_back(partOf(b, op->getLoc(), operand, {own, axes.of(dims)}, type));
  // Values of outside that bodies read.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) { takeWholes(inner); });
  const SmallVector<Value> values = divideOperation(b, op, *rule, axes, own, parts, resultTypes);
  for (auto [result, dims, value] : llvm::zip_equal(op->getResults(), rule->results, values))
    setParts(result, {own, axes.of(dims)}, value);
  op->setOperands({});
  replaced.push_back(op);
  return success();
}

LogicalResult Partitioner::divideControl(Operation *op) {
  const SmallVector<std::optional<MeshSharding>> shardings = shardingsOfResults(op);
  auto partAt = [&](size_t number, Type type) {
    return *evenPart(cast<RankedTensorType>(type), shardings[number]->sharding);
  };
  const bool isLoop = isa<WhileOp>(op);
  const SmallVector<Type> types(op->getResultTypes());
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    operand.set(isLoop && shardings[number]
                    ? partOf(b, op->getLoc(), operand.get(), *shardings[number],
                             partAt(number, types[number]))
                    : wholeOf(operand.get()));
  }
  for (Region &region : op->getRegions()) {
    Block &block = region.front();
    for (BlockArgument argument : block.getArguments())
      if (const unsigned number = argument.getArgNumber(); shardings[number])
        divideInPlace(argument, *shardings[number], partAt(number, types[number]));
    if (failed(divideBlock(block)))
      return failure();
    // A loop's condition is one value of all cores.
    const bool isCondition = isLoop && &region == &op->getRegion(0);
    Operation *end = block.getTerminator();
    b.setInsertionPoint(end);
    for (OpOperand &operand : end->getOpOperands()) {
      const unsigned number = operand.getOperandNumber();
      operand.set(!isCondition && shardings[number]
                      ? partOf(b, end->getLoc(), operand.get(), *shardings[number],
                               partAt(number, types[number]))
                      : wholeOf(operand.get()));
    }
  }
  for (OpResult result : op->getResults())
    if (const unsigned number = result.getResultNumber(); shardings[number])
      divideInPlace(result, *shardings[number], partAt(number, types[number]));
  return success();
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
    FailureOr<MeshSharding> sharding = decodeManual(in[number], operand.getType());
    if (failed(sharding))
      return failure();
    FailureOr<RankedTensorType> part =
        partType(op, cast<RankedTensorType>(operand.getType()), sharding->sharding);
    if (failed(part))
      return failure();
    if (*part != argument.getType())
      return op->emitError() << "has an argument of type " << argument.getType()
                             << " for a part of type " << *part;
    argument.replaceAllUsesWith(partOf(b, op->getLoc(), operand, *sharding, *part));
  }
  SmallVector<Value> ends(end->getOperands());
  end->erase();
  SmallVector<Operation *> inner;
  body.walk<WalkOrder::PreOrder>([&](Operation *nested) {
    if (!isSdy(nested, "manual_computation"))
      return WalkResult::advance();
    inner.push_back(nested);
    return WalkResult::skip();
  });
  op->getBlock()->getOperations().splice(Block::iterator(op), body.getOperations());
  for (Operation *nested : inner)
    if (failed(inlineManual(nested)))
      return failure();
  for (auto [result, part, attribute] : llvm::zip_equal(op->getResults(), ends, out)) {
    FailureOr<MeshSharding> sharding = decodeManual(attribute, result.getType());
    if (failed(sharding))
      return failure();
    // A part of an inner computation's result is a whole to this one.
    setParts(result, *sharding, wholeOf(part));
  }
  op->setOperands({});
  replaced.push_back(op);
  return success();
}

} // namespace systole::partition
