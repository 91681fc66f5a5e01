// Arguments and results of a program whose shapes are refined.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/Entry.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Refine/PaddedForms.h"
#include "dialects/Kernel/Attributes.h"

#include "llvm/Support/JSON.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

FailureOr<Type> refinedType(Operation *op, Type type, ArrayRef<int64_t> shape, const Twine &what) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> sizes(tensor.getShape());
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

using Shapes = std::vector<std::vector<int64_t>>;

/// The shapes of arguments; an error if they are no list of lists of sizes.
static FailureOr<Shapes> parseShapes(ModuleOp module, StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  llvm::json::Path::Root root;
  Shapes shapes;
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

/// The shapes of the arguments; std::nullopt if none are given.
static FailureOr<std::optional<Shapes>> givenShapes(func::FuncOp entry, StringRef text) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  // Whether other arguments have the program's shapes is checked where they are passed.
  if (text.empty() || llvm::none_of(entry.getArgumentTypes(), isDynamic))
    return std::optional<Shapes>();
  FailureOr<Shapes> shapes = parseShapes(entry->getParentOfType<ModuleOp>(), text);
  if (failed(shapes))
    return failure();
  if (shapes->size() != entry.getNumArguments())
    return entry.emitError() << "the program has " << entry.getNumArguments()
                             << " arguments, but there are shapes for " << shapes->size();
  const Shapes &given = *shapes;
  return std::optional<Shapes>(given);
}

/// The dimensions of an argument whose sizes are passed beside it, and its static type.
struct BoundedArgument {
  SmallVector<int64_t> dims;
  RankedTensorType type;
};

/// A dimension with a bound has any size up to it, whatever the shape of this call is.
static FailureOr<BoundedArgument> boundedArgument(func::FuncOp entry, BlockArgument argument,
                                                  std::optional<ArrayRef<int64_t>> given) {
  auto type = cast<RankedTensorType>(argument.getType());
  BoundedArgument result;
  SmallVector<int64_t> shape;
  std::string what = ("argument " + Twine(argument.getArgNumber())).str();
  if (given && failed(refinedType(entry, type, *given, what)))
    return failure();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<int64_t> extent = extentOf(type, dim);
    if (extent && type.isDynamicDim(dim)) {
      result.dims.push_back(dim);
      if (given && (*given)[dim] > *extent)
        return entry.emitError() << what << " has a dimension of size " << (*given)[dim]
                                 << ", but is declared as " << type;
    }
    if (!extent && !given)
      return emitUnimplemented(entry) << what << " has sizes that are not known, " << type
                                      << "; give the shapes of the arguments";
    shape.push_back(extent ? *extent : (*given)[dim]);
  }
  result.type = RankedTensorType::get(shape, type.getElementType());
  return result;
}

static DictionaryAttr sizeAttributes(MLIRContext *context, int64_t dim) {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(kernel::kDynamicDimAttr, b.getI64IntegerAttr(dim)));
}

LogicalResult setArguments(func::FuncOp entry, StringRef text, PaddedArrays &padded) {
  FailureOr<std::optional<Shapes>> shapes = givenShapes(entry, text);
  if (failed(shapes))
    return failure();
  Block &block = entry.getBody().front();
  SmallVector<DictionaryAttr> attributes;
  SmallVector<BlockArgument> arguments(block.getArguments());
  auto scalar = RankedTensorType::get({}, IntegerType::get(entry.getContext(), 32));
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    attributes.push_back(entry.getArgAttrDict(number));
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    std::optional<ArrayRef<int64_t>> given;
    if (*shapes)
      given = (**shapes)[number];
    FailureOr<BoundedArgument> bounded = boundedArgument(entry, argument, given);
    if (failed(bounded))
      return failure();
    argument.setType(bounded->type);
    Padded array(argument);
    for (auto [i, dim] : llvm::enumerate(bounded->dims)) {
      array.sizes[dim] =
          block.insertArgument(argument.getArgNumber() + 1 + i, scalar, argument.getLoc());
      attributes.push_back(sizeAttributes(entry.getContext(), dim));
    }
    if (array.isPadded())
      padded.insert({argument, array});
  }
  entry.setType(
      FunctionType::get(entry.getContext(), block.getArgumentTypes(), entry.getResultTypes()));
  entry.setAllArgAttrs(attributes);
  return success();
}

void setResults(func::FuncOp entry, const PaddedArrays &padded) {
  Operation *end = entry.getBody().front().getTerminator();
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    attributes.push_back(entry.getResultAttrDict(number));
    auto found = padded.find(value);
    results.push_back(found == padded.end() ? value : found->second.value);
    if (found == padded.end())
      continue;
    for (auto [dim, size] : llvm::enumerate(found->second.sizes)) {
      if (!size)
        continue;
      results.push_back(size);
      attributes.push_back(sizeAttributes(entry.getContext(), dim));
    }
  }
  end->setOperands(results);
  entry.setType(FunctionType::get(entry.getContext(), entry.getBody().getArgumentTypes(),
                                  end->getOperandTypes()));
  entry.setAllResultAttrs(attributes);
}

} // namespace systole::refine
