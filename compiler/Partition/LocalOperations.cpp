// Operations of a sharded program as operations on the parts of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/LocalOperations.h"

#include "compiler/Partition/IndexedParts.h"
#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

/// Sets sizes in an attribute to those of the parts in dimensions that are divided.
static void setSizes(Operation *op, StringRef name, ArrayRef<int64_t> whole,
                     ArrayRef<int64_t> part) {
  auto array = op->getAttrOfType<DenseI64ArrayAttr>(name);
  SmallVector<int64_t> sizes(array.asArrayRef());
  for (auto [size, all, own] : llvm::zip_equal(sizes, whole, part))
    if (size == all)
      size = own;
  op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), sizes));
}

/// Sizes in the attributes of an operation on parts.
static void setAttributes(Operation *part, Operation *whole) {
  if (part->getNumOperands() == 0 || !isa<RankedTensorType>(whole->getOperand(0).getType()))
    return;
  ArrayRef<int64_t> all = shapeOf(whole->getOperand(0)), own = shapeOf(part->getOperand(0));
  if (isa<SliceOp>(part))
    setSizes(part, "limit_indices", all, own);
  else if (isa<DynamicSliceOp, GatherOp>(part))
    setSizes(part, "slice_sizes", all, own);
}

/// The part of a sequence of numbers that begins where the core's part does.
static Value iotaPart(OpBuilder &b, IotaOp op, const Sharding &sharding, const Mesh &mesh,
                      RankedTensorType type) {
  const auto dim = size_t(op.getIotaDimension());
  if (sharding.parts(dim) == 1)
    return IotaOp::create(b, op.getLoc(), type, op.getIotaDimensionAttr());
  // As integers: the sum of two rounded numbers may be another than the rounded sum.
  const auto whole = RankedTensorType::get(type.getShape(), b.getI32Type());
  Value numbers = IotaOp::create(b, op.getLoc(), whole, op.getIotaDimensionAttr());
  SmallVector<int64_t> first;
  for (int64_t core = 0; core < mesh.size(); ++core)
    first.push_back(sharding.partOf(mesh, core, dim) * type.getDimSize(unsigned(dim)));
  Value start = perCore(b, op.getLoc(), first);
  start = BroadcastInDimOp::create(b, op.getLoc(), whole, start, ArrayRef<int64_t>());
  numbers = AddOp::create(b, op.getLoc(), numbers, start);
  return ConvertOp::create(b, op.getLoc(), type, numbers);
}

SmallVector<Value> divideOperation(OpBuilder &b, Operation *op, const OperationDivision &division,
                                   const Mesh &mesh, ValueRange operands,
                                   ArrayRef<RankedTensorType> types) {
  if (auto iota = dyn_cast<IotaOp>(op))
    return {iotaPart(b, iota, division.results[0], mesh, types[0])};
  if (auto constant = dyn_cast<ConstantOp>(op))
    return {ConstantOp::create(b, op->getLoc(),
                               cast<DenseElementsAttr>(constant.getValue()).resizeSplat(types[0]))};
  Operation *part = b.clone(*op);
  part->setOperands(operands); // one value may be two operands, of different parts
  for (auto [result, type] : llvm::zip_equal(part->getResults(), types))
    result.setType(type);
  setAttributes(part, op);
  SmallVector<Value> results(part->getResults());
  if (auto gather = dyn_cast<GatherOp>(op))
    results = {gatherFromPart(b, cast<GatherOp>(part), gather, division.operands[0], mesh)};
  if (auto scatter = dyn_cast<ScatterOp>(op))
    scatterToPart(b, cast<ScatterOp>(part), scatter, division.operands[0], mesh);
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!division.reduced.empty())
    for (Value &result : results)
      result = reduceOver(b, op->getLoc(), result, mesh, division.reduced,
                          reduce ? &reduce.getBody() : nullptr);
  return results;
}

} // namespace systole::partition
