// A program with the shardings of its values, which propagation changes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/ShardedProgram.h"

#include "compiler/Partition/Propagation/ShardingRule.h"

#include <numeric>

using namespace mlir;

namespace systole::partition {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ShardedProgram::holderOf(Value value) const {
  if (Value owner = flow.ownerOf(value))
    return owner;
  if (isa<OpResult>(value) || cast<BlockArgument>(value).getOwner()->getParentOp() == main)
    return value;
  return {};
}

const TensorSharding *ShardedProgram::shardingOf(Value value) const {
  const auto *found = shardings.find(holderOf(value));
  return found == shardings.end() ? nullptr : &found->second;
}

void ShardedProgram::setSharding(Value value, TensorSharding sharding) {
  if (Value holder = holderOf(value))
    shardings.insert_or_assign(holder, std::move(sharding));
}

const TensorSharding *ShardedProgram::shardingOfResult(size_t number) const {
  return results[number] ? &*results[number] : nullptr;
}

TensorSharding &ShardedProgram::at(Place place) {
  return place.value ? shardings.find(place.value)->second : *results[place.result];
}

void ShardedProgram::forEachSharding(function_ref<void(Place, TensorSharding &)> change) {
  for (auto &[value, sharding] : shardings)
    change({value}, sharding);
  for (auto [number, result] : llvm::enumerate(results))
    if (result)
      change({{}, number}, *result);
}

Operation *ShardedProgram::insertConstraint(Value value, TensorSharding sharding) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  OperationState state(value.getLoc(), "sdy.sharding_constraint");
  state.addOperands(value);
  state.addTypes(value.getType());
  state.propertiesAttr = b.getDictionaryAttr(
      b.getNamedAttr("sharding", ShardingCoder::encode(sharding, b.getContext())));
  Operation *constraint = b.create(state);
  value.replaceAllUsesExcept(constraint->getResult(0), constraint);
  setSharding(constraint->getResult(0), std::move(sharding));
  return constraint;
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

/// Manual axes come first in each dimension.
static size_t manualAxesOf(const DimSharding &dim, ArrayRef<StringRef> manual) {
  return size_t(
      llvm::partition_point(
          dim.axes, [&](const AxisPart &axis) { return llvm::is_contained(manual, axis.name); }) -
      dim.axes.begin());
}

/// Without the manual axes, as it is inside.
static TensorSharding inside(TensorSharding outer, ArrayRef<StringRef> manual) {
  auto isManual = [&](const AxisPart &axis) { return llvm::is_contained(manual, axis.name); };
  for (DimSharding &dim : outer.dims)
    dim.axes.erase(dim.axes.begin(), dim.axes.begin() + ptrdiff_t(manualAxesOf(dim, manual)));
  llvm::erase_if(outer.replicated, isManual);
  llvm::erase_if(outer.unreduced, isManual);
  return outer;
}

/// The manual axes of `outer` and the free ones of `inner`.
static TensorSharding outside(const TensorSharding &outer, const TensorSharding &inner,
                              ArrayRef<StringRef> manual) {
  TensorSharding result = outer;
  result.mesh = inner.mesh;
  for (auto [dim, free] : llvm::zip(result.dims, inner.dims)) {
    dim.axes.truncate(manualAxesOf(dim, manual));
    llvm::append_range(dim.axes, free.axes);
    dim.isClosed = free.isClosed;
    dim.priority = free.priority;
  }
  return result;
}

TensorSharding ShardedProgram::toSources(Value owner, const TensorSharding &sharding) const {
  auto own = manual.find(flow.edgeOf(owner)->op);
  if (own == manual.end())
    return sharding;
  if (auto argument = dyn_cast<BlockArgument>(owner))
    return outside(own->second.in[argument.getArgNumber()], sharding, own->second.axes);
  return inside(sharding, own->second.axes);
}

TensorSharding ShardedProgram::fromSources(Value owner, const TensorSharding &sharding) const {
  auto own = manual.find(flow.edgeOf(owner)->op);
  if (own == manual.end())
    return sharding;
  if (auto result = dyn_cast<OpResult>(owner))
    return outside(own->second.out[result.getResultNumber()], sharding, own->second.axes);
  return inside(sharding, own->second.axes);
}

/// Manual axes that a sharding does not use are those along which the tensor is replicated.
static void addUnused(TensorSharding &sharding, ArrayRef<StringRef> manual) {
  AxisList used = sharding.replicated;
  llvm::append_range(used, sharding.unreduced);
  for (const DimSharding &dim : sharding.dims)
    llvm::append_range(used, dim.axes);
  const Mesh &mesh = sharding.mesh->mesh;
  sortByMesh(used, mesh);
  AxisList replicated = sharding.replicated;
  for (StringRef name : manual) {
    const Mesh::Axis *axis = mesh.find(name);
    int64_t reached = 1;
    auto addUntil = [&](int64_t end) {
      if (end > reached)
        replicated.push_back({name, reached, end / reached});
    };
    for (const AxisPart &part : used)
      if (part.name == name) {
        addUntil(part.before);
        reached = endOf(part);
      }
    if (axis)
      addUntil(axis->size);
  }
  sortByMesh(replicated, mesh);
  sharding.replicated.clear();
  for (const AxisPart &part : replicated)
    appendMerged(sharding.replicated, part);
}

LogicalResult ShardedProgram::readManual(Operation *op) {
  ManualShardings own;
  own.axes = axisNamesOf(op->getAttr("manual_axes"));
  auto read = [&](StringRef name, ValueRange values, std::vector<TensorSharding> &into) {
    ArrayRef<Attribute> attributes = shardingsOf(op->getAttr(name));
    if (attributes.size() != values.size())
      return LogicalResult(op->emitError()
                           << "is no manual computation of as many shardings as values");
    for (auto [attribute, value] : llvm::zip(attributes, values)) {
      FailureOr<TensorSharding> sharding = coder.decode(op, attribute);
      if (failed(sharding))
        return failure();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && sharding->dims.size() != size_t(type.getRank()))
        return LogicalResult(op->emitError()
                             << "has a sharding of " << sharding->dims.size()
                             << " dimensions for a tensor of rank " << type.getRank());
      into.push_back(*std::move(sharding));
    }
    return success();
  };
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).front().empty() ||
      op->getRegion(0).getNumArguments() != op->getNumOperands() ||
      op->getRegion(0).front().back().getNumOperands() != op->getNumResults())
    return op->emitError() << "has a body of another signature";
  if (failed(read("in_shardings", op->getOperands(), own.in)) ||
      failed(read("out_shardings", op->getResults(), own.out)))
    return failure();
  const NamedMesh *mesh = nullptr;
  for (auto *list : {&own.in, &own.out})
    for (const TensorSharding &sharding : *list)
      if (!mesh || mesh->isEmpty())
        mesh = sharding.mesh;
  for (auto [list, values] : {std::make_pair(&own.in, ValueRange(op->getRegion(0).getArguments())),
                              std::make_pair(&own.out, ValueRange(op->getResults()))})
    for (auto [sharding, value] : llvm::zip(*list, values)) {
      if (!isa<ShapedType>(value.getType()))
        continue;
      if (sharding.mesh->isEmpty())
        sharding.mesh = mesh;
      addUnused(sharding, own.axes);
      setSharding(value, list == &own.in ? inside(sharding, own.axes) : sharding);
    }
  manual[op] = std::move(own);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The shardings of an operation's results as its attribute has them.
LogicalResult ShardedProgram::readResults(Operation *op) {
  const bool isConstraint = isSdy(op, "sharding_constraint") || isSdy(op, "reshard");
  Attribute attribute = op->getAttr(isConstraint ? "sharding" : kShardingAttr);
  if (!attribute)
    return success();
  ArrayRef<Attribute> perValue = isConstraint ? ArrayRef(attribute) : shardingsOf(attribute);
  // Operations without results have one on a maximal mesh.
  for (auto [result, own] : llvm::zip(op->getResults(), perValue)) {
    FailureOr<TensorSharding> sharding = coder.decode(op, own);
    if (failed(sharding))
      return failure();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (type && !sharding->mesh->isMaximal() && sharding->dims.size() != size_t(type.getRank()))
      return op->emitError() << "has a sharding of " << sharding->dims.size()
                             << " dimensions for a tensor of rank " << type.getRank();
    setSharding(result, *std::move(sharding));
  }
  return success();
}

LogicalResult ShardedProgram::read() {
  auto decode = [&](Attribute attribute, Type type) -> FailureOr<TensorSharding> {
    FailureOr<TensorSharding> sharding = coder.decode(main, attribute);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (succeeded(sharding) && tensor && !sharding->mesh->isMaximal() &&
        sharding->dims.size() != size_t(tensor.getRank()))
      return main->emitError() << "has a sharding of " << sharding->dims.size()
                               << " dimensions for a tensor of rank " << tensor.getRank();
    return sharding;
  };
  for (BlockArgument argument : main.getArguments())
    if (Attribute attribute = main.getArgAttr(argument.getArgNumber(), kShardingAttr)) {
      FailureOr<TensorSharding> sharding = decode(attribute, argument.getType());
      if (failed(sharding))
        return failure();
      setSharding(argument, *std::move(sharding));
    }
  results.resize(main.getNumResults());
  for (auto [number, type] : llvm::enumerate(main.getResultTypes()))
    if (Attribute attribute = main.getResultAttr(unsigned(number), kShardingAttr)) {
      FailureOr<TensorSharding> sharding = decode(attribute, type);
      if (failed(sharding))
        return failure();
      results[number] = *std::move(sharding);
    }
  WalkResult walk = main.walk([&](Operation *op) {
    if (op == main)
      return WalkResult::advance();
    return WalkResult(isSdy(op, "manual_computation") ? readManual(op) : readResults(op));
  });
  return success(!walk.wasInterrupted());
}

/// The longest part of each dimension's axes that divides it evenly.
static void makeEven(TensorSharding &sharding, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || sharding.dims.size() != size_t(tensor.getRank()))
    return;
  for (auto [dim, size] : llvm::zip(sharding.dims, tensor.getShape())) {
    if (size % partsOf(dim.axes) == 0)
      continue;
    AxisList kept;
    int64_t rest = size;
    for (AxisPart axis : dim.axes) {
      const int64_t common = std::gcd(axis.size, rest);
      if (common == 1)
        break;
      const bool isWhole = axis.size == common;
      axis.size = common;
      rest /= common;
      kept.push_back(axis);
      if (!isWhole)
        break;
    }
    dim.axes = std::move(kept);
  }
}

/// Parts of axes that were propagated to an argument or result of the entry are no shardings of
/// JAX.
static void dropPropagatedParts(TensorSharding &sharding) {
  for (DimSharding &dim : sharding.dims)
    if (!dim.isClosed)
      dim.axes.erase(llvm::find_if(dim.axes,
                                   [&](const AxisPart &axis) {
                                     return axis.size != sharding.mesh->mesh.find(axis.name)->size;
                                   }),
                     dim.axes.end());
}

static void closeDims(TensorSharding &sharding) {
  for (DimSharding &dim : sharding.dims)
    dim.isClosed = true;
}

/// Axes along which a closed tensor is not divided need no mention.
static void close(TensorSharding &sharding) {
  closeDims(sharding);
  sharding.replicated.clear();
}

/// All manual axes are mentioned: those that divide nothing as replicated.
void ShardedProgram::writeManual(Operation *op, ManualShardings &own) {
  for (auto [number, sharding] : llvm::enumerate(own.in)) {
    Value argument = op->getRegion(0).getArgument(unsigned(number));
    if (flow.edgeOf(argument))
      sharding = toSources(argument, *shardingOf(argument));
    makeEven(sharding, op->getOperand(unsigned(number)).getType());
    closeDims(sharding);
  }
  for (auto [result, sharding] : llvm::zip(op->getResults(), own.out)) {
    if (flow.edgeOf(result))
      sharding = *shardingOf(result);
    makeEven(sharding, result.getType());
    closeDims(sharding);
  }
  op->setAttr("in_shardings", ShardingCoder::encode(own.in, op->getContext()));
  op->setAttr("out_shardings", ShardingCoder::encode(own.out, op->getContext()));
}

void ShardedProgram::writeResults(Operation *op) {
  const TensorSharding *any = nullptr;
  for (Value result : op->getResults())
    if (!any)
      any = shardingOf(result);
  if (!any)
    return;
  std::vector<TensorSharding> perValue;
  for (Value result : op->getResults()) {
    const TensorSharding *own = shardingOf(result);
    auto type = dyn_cast<ShapedType>(result.getType());
    perValue.push_back(own ? *own
                           : TensorSharding::open(any->mesh, type ? size_t(type.getRank()) : 0));
    close(perValue.back());
  }
  if (isSdy(op, "sharding_constraint") || isSdy(op, "reshard"))
    op->setAttr("sharding", ShardingCoder::encode(perValue.front(), op->getContext()));
  else
    op->setAttr(kShardingAttr, ShardingCoder::encode(perValue, op->getContext()));
}

void ShardedProgram::write() {
  auto encoded = [&](TensorSharding sharding, Type type) {
    makeEven(sharding, type);
    dropPropagatedParts(sharding);
    close(sharding);
    return ShardingCoder::encode(sharding, main->getContext());
  };
  for (BlockArgument argument : main.getArguments())
    if (const TensorSharding *sharding = shardingOf(argument))
      main.setArgAttr(argument.getArgNumber(), kShardingAttr,
                      encoded(*sharding, argument.getType()));
  for (auto [number, result] : llvm::enumerate(results))
    if (result)
      main.setResultAttr(unsigned(number), kShardingAttr,
                         encoded(*result, main.getResultTypes()[number]));
  main.walk([&](Operation *op) {
    if (op == main)
      return;
    if (auto own = manual.find(op); own != manual.end())
      writeManual(op, own->second);
    else
      writeResults(op);
  });
}

} // namespace systole::partition
