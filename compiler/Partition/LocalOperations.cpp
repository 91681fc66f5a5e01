// Operations of a sharded program as operations on the parts of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/LocalOperations.h"

#include "compiler/Partition/LocalDimensions.h"
#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/Reshard.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

using Axes = SmallVector<AxisPart>;

static int64_t partsOf(ArrayRef<AxisPart> axes) {
  int64_t parts = 1;
  for (const AxisPart &axis : axes)
    parts *= axis.size;
  return parts;
}

Sharding FactorAxes::of(const TensorFactorsOfDims &dims) const {
  Sharding sharding;
  for (const DimFactors &factors : dims) {
    auto &list = sharding.dims.emplace_back();
    for (int64_t factor : factors)
      llvm::append_range(list, axes[size_t(factor)]);
  }
  return sharding;
}

Axes FactorAxes::reduced(const ShardingRule &rule) const {
  Axes result;
  for (int64_t factor : rule.reduction)
    llvm::append_range(result, axes[size_t(factor)]);
  return result;
}

/// The axes of a tensor's dimensions by factor, as far as each factor takes whole axes. Behind a
/// factor that is not wholly divided there are none: parts are contiguous.
static SmallVector<Axes> byFactor(const ShardingRule &rule, const TensorFactorsOfDims &dims,
                                  const Sharding &sharding) {
  SmallVector<Axes> result(rule.sizes.size());
  for (auto [factors, axes] : llvm::zip(dims, sharding.dims)) {
    size_t next = 0;
    for (int64_t factor : factors) {
      const int64_t size = rule.sizes[size_t(factor)];
      Axes &own = result[size_t(factor)];
      while (next < axes.size() && size % (partsOf(own) * axes[next].size) == 0)
        own.push_back(axes[next++]);
      if (partsOf(own) != size)
        break;
    }
  }
  return result;
}

static bool haveCommonAxis(ArrayRef<AxisPart> a, ArrayRef<AxisPart> b) {
  return llvm::any_of(a, [&](const AxisPart &x) {
    return llvm::any_of(b, [&](const AxisPart &y) { return x.name == y.name; });
  });
}

FactorAxes axesFor(Operation *op, const ShardingRule &rule, ArrayRef<const Sharding *> operands,
                   ArrayRef<const Sharding *> results) {
  FactorAxes chosen;
  chosen.axes.resize(rule.sizes.size());
  Axes used;
  auto take = [&](ArrayRef<TensorFactorsOfDims> tensors, ArrayRef<const Sharding *> shardings,
                  bool isOfReductions) {
    for (auto [dims, sharding] : llvm::zip(tensors, shardings)) {
      if (!sharding || sharding->dims.size() != dims.size())
        continue;
      for (auto [factor, axes] : llvm::enumerate(byFactor(rule, dims, *sharding))) {
        const auto number = int64_t(factor);
        const bool isReduction = llvm::is_contained(rule.reduction, number);
        const bool isWanted = isOfReductions ? isReduction : rule.isPassThrough(number);
        if (!isWanted || !chosen.axes[factor].empty() || haveCommonAxis(axes, used))
          continue;
        chosen.axes[factor] = axes;
        llvm::append_range(used, axes);
      }
    }
  };
  take(rule.results, results, /*isOfReductions=*/false);
  take(rule.operands, operands, /*isOfReductions=*/true);
  return chosen;
}

/// Whether parts are contiguous in all dimensions: behind a factor that is not wholly divided there
/// are no others. Of tensor<8> as factors i=2 and j=4 a division along j alone takes two ranges.
static bool areContiguous(const ShardingRule &rule, ArrayRef<TensorFactorsOfDims> tensors,
                          const FactorAxes &axes) {
  return llvm::all_of(tensors, [&](const TensorFactorsOfDims &dims) {
    return llvm::all_of(dims, [&](const DimFactors &factors) {
      bool isWhole = true;
      return llvm::all_of(factors, [&](int64_t factor) {
        const Axes &own = axes.axes[size_t(factor)];
        const bool isBehindPart = !isWhole && !own.empty();
        isWhole &= partsOf(own) == rule.sizes[size_t(factor)];
        return !isBehindPart;
      });
    });
  });
}

/// Whether partial results can be combined: by addition, or a reduction of one array.
static bool canReduce(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return isa<DotGeneralOp, ConvolutionOp>(op) || (reduce && reduce.getInputs().size() == 1);
}

/// Whether an operation in groups is divided along its batch alone.
static bool divideBatchAlone(ConvolutionOp op, const ShardingRule &rule, const FactorAxes &axes) {
  if (op.getFeatureGroupCount() == 1 && op.getBatchGroupCount() == 1)
    return true;
  if (op.getBatchGroupCount() != 1)
    return false;
  const int64_t batch = op.getDimensionNumbers().getOutputBatchDimension();
  const DimFactors &factors = rule.results[0][size_t(batch)];
  for (auto [factor, of] : llvm::enumerate(axes.axes))
    if (!of.empty() && !llvm::is_contained(factors, int64_t(factor)))
      return false;
  return true;
}

bool canDivide(Operation *op, const ShardingRule &rule, const FactorAxes &axes) {
  if (!axes.isDivided() || rule.isCustom || !areContiguous(rule, rule.operands, axes) ||
      !areContiguous(rule, rule.results, axes))
    return false;
  if (!axes.reduced(rule).empty() && !canReduce(op))
    return false;
  if (llvm::any_of(factorsAcrossParts(op, rule),
                   [&](int64_t factor) { return !axes.axes[size_t(factor)].empty(); }))
    return false;
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return divideBatchAlone(convolution, rule, axes);
  // Their results depend on more than the operands' parts.
  return !isa<CustomCallOp, RngOp, RngBitGeneratorOp, BatchNormTrainingOp, BatchNormGradOp,
              BatchNormInferenceOp>(op) &&
         (op->getNumRegions() == 0 ||
          isa<ReduceOp, ReduceWindowOp, SortOp, ScatterOp, SelectAndScatterOp, MapOp>(op));
}

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
  Value numbers = IotaOp::create(b, op.getLoc(), type, op.getIotaDimensionAttr());
  if (sharding.parts(dim) == 1)
    return numbers;
  SmallVector<int64_t> first;
  for (int64_t core = 0; core < mesh.size(); ++core)
    first.push_back(sharding.partOf(mesh, core, dim) * type.getDimSize(unsigned(dim)));
  Value start = perCore(b, op.getLoc(), first);
  start =
      ConvertOp::create(b, op.getLoc(), RankedTensorType::get({}, type.getElementType()), start);
  start = BroadcastInDimOp::create(b, op.getLoc(), type, start, ArrayRef<int64_t>());
  return AddOp::create(b, op.getLoc(), numbers, start);
}

/// The sum over the cores along `axes` of what each has.
static Value reduceOver(OpBuilder &b, Operation *op, Value part, const Mesh &mesh,
                        const Axes &axes) {
  MeshSharding along{mesh, {}};
  along.sharding.dims.emplace_back(axes.begin(), axes.end());
  auto sum =
      AllReduceOp::create(b, op->getLoc(), TypeRange(part.getType()), part,
                          groupsAlong(b, along, 0), ChannelHandleAttr::get(b.getContext(), 1, 1),
                          /*use_global_device_ids=*/true);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    IRMapping mapping;
    reduce.getBody().cloneInto(&sum.getComputation(), mapping);
    return sum.getResult(0);
  }
  auto scalar = RankedTensorType::get({}, typeOf(part).getElementType());
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&sum.getComputation(), {}, {scalar, scalar}, {op->getLoc(), op->getLoc()});
  Value both = AddOp::create(b, op->getLoc(), body->getArgument(0), body->getArgument(1));
  ReturnOp::create(b, op->getLoc(), both);
  return sum.getResult(0);
}

SmallVector<Value> divideOperation(OpBuilder &b, Operation *op, const ShardingRule &rule,
                                   const FactorAxes &axes, const Mesh &mesh, ValueRange operands,
                                   ArrayRef<RankedTensorType> types) {
  if (auto iota = dyn_cast<IotaOp>(op))
    return {iotaPart(b, iota, axes.of(rule.results[0]), mesh, types[0])};
  if (auto constant = dyn_cast<ConstantOp>(op))
    return {ConstantOp::create(b, op->getLoc(),
                               cast<DenseElementsAttr>(constant.getValue()).resizeSplat(types[0]))};
  Operation *part = b.clone(*op);
  part->setOperands(operands); // one value may be two operands, of different parts
  for (auto [result, type] : llvm::zip_equal(part->getResults(), types))
    result.setType(type);
  setAttributes(part, op);
  SmallVector<Value> results(part->getResults());
  if (const Axes reduced = axes.reduced(rule); !reduced.empty())
    for (Value &result : results)
      result = reduceOver(b, op, result, mesh, reduced);
  return results;
}

} // namespace systole::partition
