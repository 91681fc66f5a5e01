// Derives static shapes from those of the arguments.
// See docs/decisions/dynamic-and-bounded-shapes.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Legalize/Refine/Entry.h"
#include "compiler/Legalize/Refine/PaddedForms.h"
#include "dialects/CHLO/CHLO.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REFINESHAPES
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using Shape = SmallVector<int64_t>;

bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (!tensor.hasStaticShape() || tensor.getEncoding());
}

class Refiner {
public:
  /// Refines the entry for arguments of these shapes.
  LogicalResult refine(func::FuncOp entry, StringRef shapes);

private:
  LogicalResult refine(Block &block);
  LogicalResult refine(Operation *op);
  LogicalResult refineRegions(Operation *op);
  LogicalResult refineResults(Operation *op);
  LogicalResult refinePadded(Operation *op);
  LogicalResult checkShape(Operation *op, Type declared, Type made);
  LogicalResult setTypes(Operation *op, ValueRange values, ArrayRef<Shape> shapes, StringRef what);
  LogicalResult checkCarried(Operation *op, TypeRange carried, ValueRange returned);

  refine::Evaluator evaluator;
  refine::PaddedArrays padded;
  SmallVector<Operation *> replaced;
};

LogicalResult Refiner::refine(func::FuncOp entry, StringRef shapes) {
  if (failed(refine::setArguments(entry, shapes, padded)) ||
      failed(refine(entry.getBody().front())))
    return failure();
  refine::setResults(entry, padded);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return success();
}

LogicalResult Refiner::refine(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(refine(&op)))
      return failure();
  return success();
}

LogicalResult Refiner::checkShape(Operation *op, Type declared, Type made) {
  if (areCompatibleShapes(declared, made))
    return success();
  return op->emitError() << "'" << op->getName() << "' has a result of " << made
                         << ", but is declared as " << declared;
}

/// Users find padded results by their values; the others are replaced.
LogicalResult Refiner::refinePadded(Operation *op) {
  FailureOr<refine::Arrays> arrays =
      refine::makePadded(op, evaluator, padded, [&](Block &block) { return refine(block); });
  if (failed(arrays))
    return failure();
  replaced.push_back(op);
  for (auto [result, array] : llvm::zip_equal(op->getResults(), *arrays)) {
    if (failed(checkShape(op, result.getType(), array.value.getType())))
      return failure();
    if (array.isPadded())
      padded.insert({result, array});
    else
      result.replaceAllUsesWith(array.value);
  }
  return success();
}

LogicalResult Refiner::refine(Operation *op) {
  // The values that branches yield decide whether their results are padded.
  bool isFirst = isa<IfOp, CaseOp>(op);
  if (isFirst && failed(refineRegions(op)))
    return failure();
  if (refine::dependsOnData(op, evaluator, padded)) {
    if (!isFirst && !isa<WhileOp>(op) && failed(refineRegions(op)))
      return failure();
    return refinePadded(op);
  }
  FailureOr<refine::StaticForm> form = refine::makeStatic(op, evaluator);
  if (failed(form))
    return failure();
  if (!form->isReplaced) {
    if (!isFirst && failed(refineRegions(op)))
      return failure();
    return refineResults(op);
  }
  replaced.push_back(op);
  for (auto [declared, made] : llvm::zip_equal(op->getResultTypes(), form->results))
    if (failed(checkShape(op, declared, made.getType())))
      return failure();
  if (form->results.empty())
    return success();
  op->replaceAllUsesWith(form->results);
  Operation *made = form->results.front().getDefiningOp();
  return failure(failed(refineRegions(made)) || failed(refineResults(made)));
}

LogicalResult Refiner::setTypes(Operation *op, ValueRange values, ArrayRef<Shape> shapes,
                                StringRef what) {
  for (auto [number, value, shape] : llvm::enumerate(values, shapes)) {
    if (!isDynamic(value.getType()))
      continue;
    FailureOr<Type> type = refine::refinedType(op, value.getType(), shape,
                                               what + " #" + Twine(number) + " of '" +
                                                   op->getName().getStringRef() + "'");
    if (failed(type))
      return failure();
    value.setType(*type);
  }
  return success();
}

LogicalResult Refiner::checkCarried(Operation *op, TypeRange carried, ValueRange returned) {
  for (auto [i, type, value] : llvm::enumerate(carried, returned))
    if (padded.contains(value))
      return emitUnimplemented(op)
             << "'" << op->getName() << "' carries value #" << i << " of " << type
             << ", and then one whose sizes depend on data; its type "
                "needs bounds";
    else if (!isDynamic(type) && !isDynamic(value.getType()) && type != value.getType())
      return op->emitError() << "'" << op->getName() << "' carries value #" << i << " of " << type
                             << " and then " << value.getType()
                             << "; a size that changes is not supported";
  return success();
}

/// The arguments of loops have the types of their operands.
LogicalResult Refiner::refineRegions(Operation *op) {
  auto shapesOf = [](ValueRange values) {
    return llvm::map_to_vector(values, [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type ? Shape(type.getShape()) : Shape();
    });
  };
  SmallVector<Shape> shapes;
  if (isa<WhileOp>(op)) {
    shapes = shapesOf(op->getOperands());
  } else if (auto scan = dyn_cast<chlo::ScanOp>(op)) {
    shapes = shapesOf(op->getOperands());
    for (Shape &shape : MutableArrayRef(shapes).take_front(scan.getInputs().size()))
      shape.erase(shape.begin() + scan.getDimension());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if ((!shapes.empty() &&
           failed(setTypes(op, block.getArguments(), shapes, "region argument"))) ||
          failed(refine(block)))
        return failure();
  if (auto loop = dyn_cast<WhileOp>(op))
    return checkCarried(op, loop.getBody().getArgumentTypes(),
                        loop.getBody().front().getTerminator()->getOperands());
  return success();
}

LogicalResult Refiner::refineResults(Operation *op) {
  if (!llvm::any_of(op->getResultTypes(), isDynamic))
    return success();
  // Windows and groups are checked as soon as the operands' shapes are known.
  if (isa<ConvolutionOp, ReduceWindowOp>(op) && failed(verify(op)))
    return failure();
  SmallVector<Shape> shapes = refine::inferShapes(op);
  if (shapes.size() == op->getNumResults() &&
      failed(setTypes(op, op->getResults(), shapes, "result")))
    return failure();
  for (Type type : op->getResultTypes())
    if (isDynamic(type))
      return emitUnimplemented(op) << "'" << op->getName() << "' has a result whose shape is not "
                                   << "known: " << type;
  return success();
}

struct RefineShapes : impl::RefineShapesBase<RefineShapes> {
  using RefineShapesBase::RefineShapesBase;

  void rewrite() override {
    ModuleOp module = getOperation();
    auto entry = module.lookupSymbol<func::FuncOp>("main");
    Refiner refiner;
    if (!entry || failed(refiner.refine(entry, arguments)))
      return signalPassFailure();
    // The bodies that custom calls named are in the operations that replaced them.
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != entry && SymbolTable::symbolKnownUseEmpty(function, module))
        function.erase();
  }
};

} // namespace
} // namespace systole
