// The StableHLO collective operations.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Devices.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Collectives.cpp.inc"

void StableHLODialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Collectives.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Groups of devices
//===----------------------------------------------------------------------===//

/// Checks that lists of groups name each of their devices once, and all from 0 on. No rows mean one
/// group of all devices. Groups along axes of a mesh do it by definition.
static LogicalResult checkGroups(const Refusal &refuse, Attribute replicaGroups, bool isFilledUp) {
  constexpr StringLiteral name = "replica_groups";
  auto groups = dyn_cast<DenseIntElementsAttr>(replicaGroups);
  if (!groups)
    return success();
  if (groups.getType().getRank() != 2)
    return refuse("requires replica_groups to have a row for each group, but they are of type ",
                  groups.getType());
  SmallVector<int64_t> devices = numbersOf(groups);
  FailureOr<int64_t> count = checkDevices(refuse, name, devices, isFilledUp);
  if (failed(count))
    return failure();
  for (int64_t device : devices)
    if (device >= *count)
      return refuse("names device ", device, " in replica_groups of ", *count, " devices");
  return success();
}

/// Whether all devices are one group, which no list names.
static bool areAllDevices(Attribute groups) {
  auto lists = dyn_cast<DenseIntElementsAttr>(groups);
  return lists && lists.empty();
}

/// Checks that device numbers are global only if a channel and groups are given.
static LogicalResult checkGlobal(const Refusal &refuse, bool isGlobal, Attribute groups,
                                 std::optional<ChannelHandleAttr> channel) {
  if (!isGlobal)
    return success();
  if (areAllDevices(groups))
    return refuse("requires replica_groups if use_global_device_ids is set");
  int64_t handle = channel ? channel->getHandle() : 0;
  if (handle > 0)
    return success();
  return refuse("requires a channel above 0 if use_global_device_ids is set, but it is ", handle);
}

/// The number of devices in each group; unknown if all devices are one group, if a channel implies
/// all partitions of the named replicas, or if a symbol stands for their mesh.
static std::optional<int64_t> groupSize(Attribute groups, bool isGlobal,
                                        std::optional<ChannelHandleAttr> channel) {
  bool hasPartitions = channel && channel->getHandle() > 0 && !isGlobal;
  if (areAllDevices(groups) || hasPartitions)
    return std::nullopt;
  return groupSizeOf(groups);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LogicalResult checkPairs(const Refusal &refuse, TypeRange operands, TypeRange results) {
  if (operands.size() == results.size())
    return success();
  return refuse("requires as many results as operands, but has ", operands.size(), " operands and ",
                results.size(), " results");
}

static LogicalResult checkResult(const Refusal &refuse, Type actual, RankedTensorType expected) {
  if (areCompatibleTypes(actual, expected))
    return success();
  return refuse("requires a result of type ", expected, ", but it is ", actual);
}

/// Checks that `whole` has the shape of `part`, but `count` times its size along `dim`, or any
/// number of times it if that is not known. `what` names the arrays.
static LogicalResult checkParts(const Refusal &refuse, StringRef what, RankedTensorType part,
                                RankedTensorType whole, int64_t dim, std::optional<int64_t> count) {
  if (part.getRank() != whole.getRank())
    return refuse("requires operand and result of one rank, but ", what, " are ", whole, " and ",
                  part);
  SmallVector<int64_t> shape(part.getShape());
  int64_t from = shape[dim], to = whole.getDimSize(dim);
  shape[dim] = to;
  bool isStatic = ShapedType::isStatic(from) && ShapedType::isStatic(to);
  bool isMultiple =
      !isStatic || (from > 0 && to > 0 && to % from == 0 && (!count || to / from == *count));
  if (isMultiple && areCompatibleShapes(part.clone(shape), whole))
    return success();
  if (count)
    return refuse("requires ", *count, " times the size along dimension ", dim,
                  " and else one shape, but ", what, " are ", whole, " and ", part);
  return refuse("requires a multiple of the size along dimension ", dim,
                " and else one shape, but ", what, " are ", whole, " and ", part);
}

static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Checks the region that reduces elements of an operand to those of its result.
static LogicalResult checkCombiner(const Refusal &refuse, Region &region, Type operand,
                                   Type result) {
  return checkReducer(refuse, "computation", region.front(), operand, operand, result);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  Refusal refuse(*this);
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/false)) ||
      failed(
          checkGlobal(refuse, getUseGlobalDeviceIds(), getReplicaGroups(), getChannelHandle())) ||
      failed(checkPairs(refuse, getOperandTypes(), getResultTypes())))
    return failure();
  int64_t dim = getAllGatherDim();
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    RankedTensorType part = arrayType(operand), whole = arrayType(result);
    if (failed(checkDims(refuse, "all_gather_dim", dim, "operand", part.getRank())) ||
        failed(checkParts(refuse, "result and operand", part, whole, dim, std::nullopt)) ||
        failed(checkResult(refuse, whole, whole.clone(part.getElementType()))))
      return failure();
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  Refusal refuse(*this);
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/true)) ||
      failed(
          checkGlobal(refuse, getUseGlobalDeviceIds(), getReplicaGroups(), getChannelHandle())) ||
      failed(checkPairs(refuse, getOperandTypes(), getResultTypes())))
    return failure();
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults()))
    if (failed(checkResult(refuse, result.getType(),
                           arrayType(operand).clone(arrayType(result).getElementType()))))
      return failure();
  return success();
}

LogicalResult AllReduceOp::verifyRegions() {
  for (auto [operand, result] : llvm::zip_equal(getOperandTypes(), getResultTypes()))
    if (failed(checkCombiner(Refusal(*this), getComputation(), operand, result)))
      return failure();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  Refusal refuse(*this);
  RankedTensorType whole = getOperand().getType(), part = getResult().getType();
  int64_t dim = getScatterDimension();
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/false)) ||
      failed(
          checkGlobal(refuse, getUseGlobalDeviceIds(), getReplicaGroups(), getChannelHandle())) ||
      failed(checkDims(refuse, "scatter_dimension", dim, "operand", whole.getRank())))
    return failure();
  return checkParts(refuse, "operand and result", part, whole, dim,
                    groupSize(getReplicaGroups(), getUseGlobalDeviceIds(), getChannelHandle()));
}

LogicalResult ReduceScatterOp::verifyRegions() {
  return checkCombiner(Refusal(*this), getComputation(), getOperand().getType(),
                       getResult().getType());
}

LogicalResult AllToAllOp::verify() {
  Refusal refuse(*this);
  int64_t count = getSplitCount(), split = getSplitDimension(), concat = getConcatDimension();
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/false)) ||
      failed(checkPairs(refuse, getOperandTypes(), getResultTypes())))
    return failure();
  if (count <= 0)
    return refuse("requires a positive split_count, but it is ", count);
  if (areAllDevices(getReplicaGroups()))
    return refuse("requires groups of split_count devices, ", count, ", but there are none");
  if (std::optional<int64_t> size = groupSizeOf(getReplicaGroups()); size && *size != count)
    return refuse("requires groups of split_count devices, ", count, ", but they have ", *size);
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    RankedTensorType type = arrayType(operand);
    if (failed(checkDims(refuse, "split_dimension", split, "operand", type.getRank())) ||
        failed(checkDims(refuse, "concat_dimension", concat, "operand", type.getRank())))
      return failure();
    SmallVector<int64_t> shape(type.getShape());
    if (ShapedType::isStatic(shape[split])) {
      if (shape[split] % count != 0)
        return refuse("cannot divide the size ", shape[split], " of dimension ", split, " into ",
                      count, " parts");
      shape[split] /= count;
    }
    if (ShapedType::isStatic(shape[concat]) &&
        llvm::MulOverflow(shape[concat], count, shape[concat]))
      return refuse("has a result of 2^63 elements or more");
    if (failed(checkResult(refuse, result.getType(), type.clone(shape))))
      return failure();
  }
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  Refusal refuse(*this);
  if (failed(checkDevicePairs(refuse, getSourceTargetPairs())))
    return failure();
  return checkResult(refuse, getResult().getType(), getOperand().getType());
}

/// Checks the operands of a collective with a root, which is the last one of them if it is dynamic.
static LogicalResult checkRooted(const Refusal &refuse, Operation *op, bool hasDynamicRoot) {
  ValueRange arrays = op->getOperands();
  if (hasDynamicRoot && !arrays.empty())
    arrays = arrays.drop_back();
  if (arrays.empty())
    return refuse("requires an array to send");
  if (failed(checkPairs(refuse, TypeRange(arrays), op->getResultTypes())))
    return failure();
  if (hasDynamicRoot) {
    auto expected = RankedTensorType::get({static_cast<int64_t>(arrays.size())},
                                          IntegerType::get(op->getContext(), 32));
    if (Type root = op->getOperands().back().getType(); !areCompatibleTypes(root, expected))
      return refuse("requires a root of type ", expected, ", but it is ", root);
  }
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  Refusal refuse(*this);
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/true)) ||
      failed(checkRooted(refuse, *this, getHasDynamicRoot())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults()))
    if (failed(checkResult(refuse, result.getType(), arrayType(operand))))
      return failure();
  return success();
}

LogicalResult CollectiveReduceOp::verify() {
  Refusal refuse(*this);
  if (failed(checkGroups(refuse, getReplicaGroups(), /*isFilledUp=*/true)) ||
      failed(
          checkGlobal(refuse, getUseGlobalDeviceIds(), getReplicaGroups(), getChannelHandle())) ||
      failed(checkRooted(refuse, *this, getHasDynamicRoot())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults()))
    if (failed(checkResult(refuse, result.getType(),
                           arrayType(operand).clone(arrayType(result).getElementType()))))
      return failure();
  return success();
}

LogicalResult CollectiveReduceOp::verifyRegions() {
  for (auto [operand, result] : llvm::zip(getOperandTypes(), getResultTypes()))
    if (failed(checkCombiner(Refusal(*this), getComputation(), operand, result)))
      return failure();
  return success();
}
