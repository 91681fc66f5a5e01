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
#include "compiler/Partition/HostTransfers.h"
#include "compiler/Partition/LocalOperations.h"
#include "compiler/Partition/OperationDivision.h"
#include "compiler/Partition/PaddedParts.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

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

Value Partitioner::wholeOf(Operation *user, Value value) {
  const Parts *parts = partsOf(value);
  if (!parts)
    return value;
  MeshSharding whole = {parts->sharding.mesh, {}};
  whole.sharding.dims.resize(parts->sharding.sharding.dims.size());
  return partOf(user, value, whole);
}

Value Partitioner::partOf(Operation *user, Value value, const MeshSharding &sharding) {
  OpBuilder b(user);
  auto it = divided.find(value);
  if (it == divided.end()) {
    MeshSharding whole = {sharding.mesh, {}};
    whole.sharding.dims.resize(sharding.sharding.dims.size());
    return reshard(b, user->getLoc(), value, cast<RankedTensorType>(value.getType()), whole,
                   sharding);
  }
  Parts &parts = it->second;
  if (parts.sharding == sharding)
    return parts.part;
  // Behind the value, where others that need the same may read it.
  for (const auto &[as, part] : parts.reshards)
    if (as == sharding)
      return part;
  b.setInsertionPointAfterValue(value);
  Value part = reshard(b, user->getLoc(), parts.part, parts.whole, parts.sharding, sharding);
  parts.reshards.push_back({sharding, part});
  return part;
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
        operand.set(wholeOf(inner, operand.get()));
  });
}

void Partitioner::replaceUses() {
  for (size_t i = 0; i < divided.size(); ++i) {
    Value value = (divided.begin() + ptrdiff_t(i))->first;
    if (!value.use_empty())
      value.replaceAllUsesWith(wholeOf(*value.user_begin(), value));
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
    if (failed(decoded) || !tensor.hasStaticShape())
      continue;
    sharding = *std::move(decoded);
    for (auto [d, size] : llvm::enumerate(tensor.getShape()))
      while (!isDividedInto(size, sharding->sharding.parts(d)))
        sharding->sharding.dims[d].pop_back();
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
    } else if (isa<OptimizationBarrierOp>(op) && divideOperations) {
      divideBarrier(&op);
    } else if (isa<kernel::SendOp, kernel::RecvOp>(op)) {
      takeWholes(&op);
      if (failed(transferOnOneCore(&op, cores)))
        return failure();
    } else if (!isa<UnrealizedConversionCastOp>(op) && failed(divide(&op))) {
      return failure();
    }
  }
  return success();
}

void Partitioner::divideBarrier(Operation *op) {
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const Parts *parts = partsOf(op->getOperand(unsigned(number)));
    if (!parts)
      continue;
    const MeshSharding sharding = parts->sharding;
    op->setOperand(unsigned(number), parts->part);
    divideInPlace(result, sharding, op->getOperand(unsigned(number)).getType());
  }
}

LogicalResult Partitioner::divide(Operation *op) {
  auto isDivided = [&](Value value) {
    const Parts *parts = partsOf(value);
    return parts && !parts->sharding.sharding.isWhole();
  };
  auto executeWhole = [&] {
    if (llvm::any_of(op->getOperands(), isDivided))
      noteWhole(op);
    takeWholes(op);
    return success();
  };
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  std::optional<ShardingRule> rule = divideOperations ? ruleOf(op) : std::nullopt;
  // Shardings are not propagated through these, but each core can make its part.
  if (divideOperations && isa<IotaOp, ConstantOp>(op) && isStatic(op->getResult(0).getType()))
    rule = identityRule(shapeOf(op->getResult(0)), /*operands=*/0);
  auto constant = dyn_cast<ConstantOp>(op);
  if (!rule || !isDivisible(op, *rule) || (constant && !constant.getValue().isSplat()) ||
      !llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return executeWhole();
  // One mesh for all of it: that of a result, or of an operand.
  const SmallVector<std::optional<MeshSharding>> results = shardingsOfResults(op);
  const Mesh *mesh = nullptr;
  for (const auto &sharding : results)
    mesh = sharding ? &sharding->mesh : mesh;
  GivenShardings shardings;
  for (Value operand : op->getOperands()) {
    const Parts *parts = partsOf(operand);
    if (parts && !mesh)
      mesh = &parts->sharding.mesh;
    shardings.operands.push_back(parts && parts->sharding.mesh == *mesh ? &parts->sharding.sharding
                                                                        : nullptr);
  }
  if (!mesh || (llvm::none_of(op->getOperands(), isDivided) &&
                llvm::none_of(results, [](const auto &sharding) {
                  return sharding && !sharding->sharding.isWhole();
                })))
    return executeWhole();
  for (const auto &sharding : results)
    shardings.results.push_back(sharding ? &sharding->sharding : nullptr);
  const OperationDivision division = chooseDivision(op, *rule, shardings, model);
  if (division.isIndivisible)
    noteWhole(op);
  const Mesh own = *mesh; // `divided` may move
  SmallVector<Value> parts;
  OpBuilder b(op);
  for (auto [number, operand, sharding] : llvm::enumerate(op->getOperands(), division.operands))
    parts.push_back(withoutPadding(b, op, *rule, unsigned(number),
                                   partOf(op, operand, {own, sharding}), {own, sharding}));
  // Values of outside that bodies read.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) { takeWholes(inner); });
  SmallVector<RankedTensorType> types;
  for (auto [type, sharding] : llvm::zip_equal(op->getResultTypes(), division.results))
    types.push_back(*paddedPart(cast<RankedTensorType>(type), sharding));
  const SmallVector<Value> values = divideOperation(b, op, division, own, parts, types);
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const MeshSharding from = {own, division.results[number]},
                       to = {own, shardingOfResult(division, shardings, number)};
    setParts(result, to,
             reshard(b, op->getLoc(), values[number], cast<RankedTensorType>(result.getType()),
                     from, to));
  }
  op->setOperands({});
  replaced.push_back(op);
  return success();
}

LogicalResult Partitioner::divideControl(Operation *op) {
  SmallVector<std::optional<MeshSharding>> shardings = shardingsOfResults(op);
  for (auto &sharding : shardings)
    if (sharding && sharding->sharding.isWhole())
      sharding.reset();
  auto partAt = [&](size_t number, Type type) {
    return *paddedPart(cast<RankedTensorType>(type), shardings[number]->sharding);
  };
  const bool isLoop = isa<WhileOp>(op);
  const SmallVector<Type> types(op->getResultTypes());
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    operand.set(isLoop && shardings[number] ? partOf(op, operand.get(), *shardings[number])
                                            : wholeOf(op, operand.get()));
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
    for (OpOperand &operand : end->getOpOperands()) {
      const unsigned number = operand.getOperandNumber();
      operand.set(!isCondition && shardings[number] ? partOf(end, operand.get(), *shardings[number])
                                                    : wholeOf(end, operand.get()));
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
  for (Attribute attribute :
       {in.empty() ? Attribute() : in.front(), out.empty() ? Attribute() : out.front()}) {
    FailureOr<Mesh> mesh = attribute ? meshOfSharding(op, attribute) : FailureOr<Mesh>(Mesh());
    if (failed(mesh))
      return failure();
    for (StringRef axis : manual)
      if (attribute && !mesh->find(axis))
        return op->emitError() << "is manual along axis " << axis << ", which its mesh has not";
  }
  auto isManual = [&](StringRef axis) { return llvm::is_contained(manual, axis); };
  auto decodeManual = [&](Attribute attribute, Type type) {
    FailureOr<MeshSharding> sharding = decode(op, attribute, type);
    if (succeeded(sharding))
      sharding->sharding = sharding->sharding.along(isManual);
    return sharding;
  };
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
    argument.replaceAllUsesWith(partOf(op, operand, *sharding));
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
    FailureOr<RankedTensorType> type =
        partType(op, cast<RankedTensorType>(result.getType()), sharding->sharding);
    if (failed(type))
      return failure();
    if (*type != part.getType())
      return op->emitError() << "returns a value of type " << part.getType()
                             << " for a part of type " << *type;
    // A part of an inner computation's result is a whole to this one.
    setParts(result, *sharding, wholeOf(op, part));
  }
  op->setOperands({});
  replaced.push_back(op);
  return success();
}

} // namespace systole::partition
