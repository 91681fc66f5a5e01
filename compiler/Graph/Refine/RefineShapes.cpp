// Derives static shapes from those of the arguments.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/Refine/Refine.h"
#include "dialects/CHLO/CHLO.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REFINESHAPES
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using Shape = SmallVector<int64_t>;

bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (!tensor.hasStaticShape() || tensor.getEncoding());
}

/// The type with the sizes of `shape` for its dynamic ones; an error if others differ.
FailureOr<Type> refined(Operation *op, Type type, ArrayRef<int64_t> shape, const Twine &what) {
  auto tensor = cast<RankedTensorType>(type);
  Shape sizes(tensor.getShape());
  if (shape.size() != sizes.size())
    return op->emitError() << what << " has " << shape.size() << " dimensions, but is declared as "
                           << type;
  for (auto [size, known] : llvm::zip_equal(sizes, shape)) {
    if (!areCompatibleSizes(size, known))
      return op->emitError() << what << " has a dimension of size " << known
                             << ", but is declared as " << type;
    if (ShapedType::isDynamic(size))
      size = known;
  }
  return Type(RankedTensorType::get(sizes, tensor.getElementType()));
}

class Refiner {
public:
  LogicalResult refine(Block &block);
  /// Erases operations that others have replaced.
  void finish() {
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
  }

private:
  LogicalResult refine(Operation *op);
  LogicalResult refineRegions(Operation *op);
  LogicalResult refineResults(Operation *op);
  LogicalResult setTypes(Operation *op, ValueRange values, ArrayRef<Shape> shapes, StringRef what);
  LogicalResult checkCarried(Operation *op, TypeRange carried, ValueRange returned);

  refine::Evaluator evaluator;
  SmallVector<Operation *> replaced;
};

LogicalResult Refiner::refine(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(refine(&op)))
      return failure();
  return success();
}

LogicalResult Refiner::refine(Operation *op) {
  FailureOr<refine::StaticForm> form = refine::makeStatic(op, evaluator);
  if (failed(form))
    return failure();
  if (!form->isReplaced) {
    if (failed(refineRegions(op)))
      return failure();
    return refineResults(op);
  }
  replaced.push_back(op);
  for (auto [declared, made] : llvm::zip_equal(op->getResultTypes(), form->results))
    if (!areCompatibleShapes(declared, made.getType()))
      return op->emitError() << "'" << op->getName() << "' has a result of " << made.getType()
                             << ", but is declared as " << declared;
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
    FailureOr<Type> type =
        refined(op, value.getType(), shape,
                what + " #" + Twine(number) + " of '" + op->getName().getStringRef() + "'");
    if (failed(type))
      return failure();
    value.setType(*type);
  }
  return success();
}

LogicalResult Refiner::checkCarried(Operation *op, TypeRange carried, ValueRange returned) {
  for (auto [i, type, value] : llvm::enumerate(carried, returned))
    if (!isDynamic(type) && !isDynamic(value.getType()) && type != value.getType())
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

/// The shapes of arguments; an error if they are no list of lists of sizes.
FailureOr<std::vector<std::vector<int64_t>>> parseShapes(ModuleOp module, StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  llvm::json::Path::Root root;
  std::vector<std::vector<int64_t>> shapes;
  if (!value) {
    llvm::consumeError(value.takeError());
    return module.emitError() << "the shapes of arguments are not JSON: " << text;
  }
  if (!llvm::json::fromJSON(*value, shapes, root))
    return module.emitError() << "the shapes of arguments are not lists of sizes: " << text;
  for (const std::vector<int64_t> &shape : shapes)
    if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return module.emitError() << "the shapes of arguments have a negative size: " << text;
  return shapes;
}

struct RefineShapes : impl::RefineShapesBase<RefineShapes> {
  using RefineShapesBase::RefineShapesBase;

  void rewrite() override {
    ModuleOp module = getOperation();
    auto entry = module.lookupSymbol<func::FuncOp>("main");
    if (!entry || failed(setArguments(entry)))
      return signalPassFailure();
    Refiner refiner;
    LogicalResult result = refiner.refine(entry.getBody().front());
    refiner.finish();
    if (failed(result))
      return signalPassFailure();
    entry.setType(FunctionType::get(&getContext(), entry.getBody().getArgumentTypes(),
                                    entry.getBody().front().getTerminator()->getOperandTypes()));
    // The bodies that custom calls named are in the operations that replaced them.
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != entry && SymbolTable::symbolKnownUseEmpty(function, module))
        function.erase();
  }

  LogicalResult setArguments(func::FuncOp entry) {
    // Whether other arguments have the program's shapes is checked where they are passed.
    if (!arguments.empty() && llvm::any_of(entry.getArgumentTypes(), isDynamic)) {
      auto shapes = parseShapes(getOperation(), arguments);
      if (failed(shapes))
        return failure();
      if (shapes->size() != entry.getNumArguments())
        return entry.emitError() << "the program has " << entry.getNumArguments()
                                 << " arguments, but there are shapes for " << shapes->size();
      for (auto [argument, shape] : llvm::zip_equal(entry.getArguments(), *shapes)) {
        if (!isa<RankedTensorType>(argument.getType()))
          continue;
        FailureOr<Type> type =
            refined(entry, argument.getType(), shape, "argument " + Twine(argument.getArgNumber()));
        if (failed(type))
          return failure();
        argument.setType(*type);
      }
    }
    for (BlockArgument argument : entry.getArguments())
      if (isDynamic(argument.getType()))
        return emitUnimplemented(entry)
               << "argument " << argument.getArgNumber() << " has sizes that are not known, "
               << argument.getType() << "; give the shapes of the arguments";
    return success();
  }
};

} // namespace
} // namespace systole
