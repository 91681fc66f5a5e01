// Parts of dimensions that are not divided evenly.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/PaddedParts.h"

#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/Terms.h"
#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

int64_t paddedSize(RankedTensorType whole, const Sharding &sharding, size_t d) {
  return int64_t(
      llvm::alignTo(uint64_t(whole.getDimSize(unsigned(d))), uint64_t(sharding.parts(d))));
}

/// The identity of a reduction of one array into elements of its own type, which is no sum; null
/// for others.
static DenseElementsAttr identityOfReduction(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || !hasTerms(op) ||
      typeOf(op->getOperand(0)).getElementType() != typeOf(op->getResult(0)).getElementType())
    return {};
  return identityOf(systole::combinerOf(reduce.getBody().front()));
}

bool canPad(Operation *op, const ShardingRule &rule, int64_t factor) {
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactorsOfDims &dims : *tensors)
      for (const DimFactors &factors : dims)
        if (llvm::is_contained(factors, factor) && factors.size() > 1)
          return false;
  return rule.isPassThrough(factor) ||
         (llvm::is_contained(rule.reduction, factor) && (isSum(op) || identityOfReduction(op)));
}

/// Whether padding of an operand would be added up. A gather reads its operand by indices, which
/// are of elements, and those of a scatter are beside its updates.
static bool isAddedUp(Operation *op, unsigned number) {
  if (isa<GatherOp>(op))
    return false;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return number > scatter.getInputs().size();
  return true;
}

Value withoutPadding(OpBuilder &b, Operation *op, const ShardingRule &rule, unsigned number,
                     Value part, const MeshSharding &sharding) {
  if (!isAddedUp(op, number))
    return part;
  const RankedTensorType whole = typeOf(op->getOperand(number)), type = typeOf(part);
  const Location loc = op->getLoc();
  for (auto [d, factors] : llvm::enumerate(rule.operands[number])) {
    const int64_t size = whole.getDimSize(unsigned(d));
    if (paddedSize(whole, sharding.sharding, d) == size || factors.size() != 1 ||
        !llvm::is_contained(rule.reduction, factors[0]))
      continue;
    // How many elements of its part each core has.
    SmallVector<int64_t> counts;
    const int64_t own = type.getDimSize(unsigned(d));
    for (int64_t core = 0; core < sharding.mesh.size(); ++core)
      counts.push_back(std::clamp<int64_t>(
          size - sharding.sharding.partOf(sharding.mesh, core, d) * own, 0, own));
    const auto numbers = RankedTensorType::get(type.getShape(), b.getI32Type());
    Value position = IotaOp::create(b, loc, numbers, b.getI64IntegerAttr(int64_t(d)));
    Value count =
        BroadcastInDimOp::create(b, loc, numbers, perCore(b, loc, counts), ArrayRef<int64_t>());
    Value isElement =
        CompareOp::create(b, loc, position, count, ComparisonDirection::LT, ComparisonTypeAttr());
    Value nothing =
        isSum(op)
            ? zeros(b, loc, type)
            : ConstantOp::create(b, loc, identityOfReduction(op).resizeSplat(type)).getResult();
    part = SelectOp::create(b, loc, type, isElement, part, nothing);
  }
  return part;
}

Value resize(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape) {
  const RankedTensorType type = typeOf(value);
  const SmallVector<int64_t> none(shape.size(), 0), ones(shape.size(), 1);
  SmallVector<int64_t> kept, added;
  for (auto [now, size] : llvm::zip_equal(type.getShape(), shape)) {
    kept.push_back(std::min(now, size));
    added.push_back(size - kept.back());
  }
  if (ArrayRef<int64_t>(kept) != type.getShape())
    value = SliceOp::create(b, loc, type.clone(kept), value, none, kept, ones);
  if (ArrayRef<int64_t>(kept) != shape) {
    Value zero = zeros(b, loc, RankedTensorType::get({}, type.getElementType()));
    value = PadOp::create(b, loc, type.clone(shape), value, zero, none, added, none);
  }
  return value;
}

} // namespace systole::partition
