// Makes one operation of the parts of an operation that are computed together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_GROUPPARTS
#include "compiler/Fusion/Passes.h.inc"

namespace {

Type elementType(Value value) { return RankedTensorType::get({}, typeOf(value).getElementType()); }

/// Parts of one operation of the program, one behind the other.
class Unit {
public:
  explicit Unit(ArrayRef<Operation *> parts) : parts(parts), inside(parts.begin(), parts.end()) {}

  void group() {
    findNeeds();
    // A part reaches all results that the parts computed from it reach, and so comes before them.
    llvm::stable_sort(clusters, [](const Cluster &a, const Cluster &b) {
      return a.results.count() > b.results.count();
    });
    Operation *last = parts.back();
    OpBuilder builder(last->getContext());
    builder.setInsertionPointAfter(last);
    for (const Cluster &cluster : clusters) {
      if (cluster.results.none())
        continue; // without users
      if (cluster.parts.size() > 1) {
        replace(cluster.parts, builder);
        continue;
      }
      Operation *moved = builder.clone(*cluster.parts.front());
      cluster.parts.front()->replaceAllUsesWith(moved);
    }
    for (Operation *part : llvm::reverse(parts))
      part->erase();
  }

private:
  /// Parts from which the same values that others read are computed.
  struct Cluster {
    llvm::BitVector results;
    SmallVector<Operation *> parts; ///< in program order
  };

  void findNeeds() {
    llvm::DenseMap<Operation *, llvm::BitVector> needs;
    unsigned count = 0;
    for (Operation *part : llvm::reverse(parts)) {
      llvm::BitVector &own = needs[part];
      if (llvm::any_of(part->getUsers(), [&](Operation *user) { return !inside.contains(user); })) {
        own.resize(count + 1);
        own.set(count++);
      }
      for (Operation *user : part->getUsers())
        if (auto it = needs.find(user); it != needs.end())
          own |= it->second;
    }
    for (Operation *part : parts) {
      llvm::BitVector &own = needs[part];
      own.resize(count);
      auto *cluster =
          llvm::find_if(clusters, [&](const Cluster &cluster) { return cluster.results == own; });
      if (cluster == clusters.end())
        cluster = &clusters.emplace_back(own);
      cluster->parts.push_back(part);
    }
  }

  static void replace(ArrayRef<Operation *> members, OpBuilder &builder) {
    llvm::SmallPtrSet<Operation *, 32> own(members.begin(), members.end());
    llvm::SetVector<Value> inputs, outputs;
    llvm::SetVector<Operation *> constants;
    for (Operation *op : members) {
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp(); isSplatConstant(producer))
          constants.insert(producer);
        else if (!own.contains(producer))
          inputs.insert(operand);
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !own.contains(user); }))
        outputs.insert(op->getResult(0));
    }
    Location loc = members.back()->getLoc();
    auto all = kernel::ElementwiseOp::create(
        builder, loc, TypeRange(ValueRange(outputs.getArrayRef())), inputs.getArrayRef());
    all->setAttr(kernel::kExpandedAttr, members.front()->getAttr(kernel::kExpandedAttr));
    Block &body = all.getBody().emplaceBlock();
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    IRMapping names;
    for (Value input : inputs)
      names.map(input, body.addArgument(elementType(input), input.getLoc()));
    for (Operation *op : constants) {
      auto value = cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(op).getValue());
      names.map(op->getResult(0), stablehlo::ConstantOp::create(inner, op->getLoc(),
                                                                value.resizeSplat(cast<ShapedType>(
                                                                    elementType(op->getResult(0)))))
                                      .getResult());
    }
    for (Operation *op : members) {
      Operation *copy = inner.clone(*op, names);
      copy->removeAttr(kernel::kExpandedAttr);
      copy->getResult(0).setType(elementType(op->getResult(0)));
    }
    auto values = llvm::map_to_vector(outputs, [&](Value value) { return names.lookup(value); });
    kernel::YieldOp::create(inner, loc, values);
    for (auto [output, result] : llvm::zip_equal(outputs.takeVector(), all.getOutputs()))
      output.replaceAllUsesWith(result);
  }

  SmallVector<Operation *> parts;
  llvm::SmallPtrSet<Operation *, 32> inside;
  SmallVector<Cluster> clusters;
};

/// Whether the operands of `op` are of its shape, and what comes from outside of its unit is of
/// words: rows of narrow elements can have gaps, for which stages look at single operations.
bool isOnWords(Operation *op, ArrayRef<Operation *> unit) {
  if (op->getNumResults() != 1)
    return false;
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return typeOf(operand).getShape() == shape &&
           (typeOf(operand).getElementTypeBitWidth() == 32 || isSplatConstant(producer) ||
            llvm::is_contained(unit, producer));
  });
}

void groupParts(Block &block, const SequencerScalars &scalars) {
  SmallVector<Operation *> unit;
  auto finish = [&] {
    if (unit.size() > 1)
      Unit(unit).group();
    unit.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      if (kindOf(&op) == OpKind::Control)
        groupParts(region.front(), scalars);
    if (isSplatConstant(&op))
      continue;
    auto number = op.getAttrOfType<IntegerAttr>(kernel::kExpandedAttr);
    if (!number || (!unit.empty() && unit.front()->getAttr(kernel::kExpandedAttr) != number))
      finish();
    if (!number)
      continue;
    if (scalars.computes(&op) || !isOnWords(&op, unit))
      finish();
    else
      unit.push_back(&op);
  }
}

struct GroupParts : impl::GroupPartsBase<GroupParts> {
  void rewrite() override {
    forEachFunction(getOperation(), [](func::FuncOp function) {
      SequencerScalars scalars(function.getBody(), SequencerScalars::Operations::chosen);
      groupParts(function.getBody().front(), scalars);
    });
  }
};

} // namespace

} // namespace systole
