// The kernel of a Mosaic module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Kernel.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace systole {

/// Whether a function has an attribute that only kernels have.
static bool isKernel(func::FuncOp function) {
  return llvm::any_of(ArrayRef<StringRef>{kCoreType, kIterationBounds, kScalarPrefetch,
                                          kScratchOperands, kWindowParams},
                      [&](StringRef name) { return function->hasAttr(name); });
}

/// The value of an integer attribute; 0 without one.
static int64_t countOf(func::FuncOp function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

/// How many indices of the grid come first.
static size_t gridRank(func::FuncOp function) {
  if (auto semantics = function->getAttrOfType<ArrayAttr>(kDimensionSemantics))
    return semantics.size();
  auto bounds = function->getAttrOfType<DenseI64ArrayAttr>(kIterationBounds);
  return bounds ? bounds.size() : 0;
}

static MosaicKernel describe(func::FuncOp function) {
  MosaicKernel kernel;
  kernel.function = function;
  if (auto bounds = function->getAttrOfType<DenseI64ArrayAttr>(kIterationBounds))
    kernel.bounds.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
  kernel.prefetched = countOf(function, kScalarPrefetch);
  kernel.scratch = countOf(function, kScratchOperands);
  kernel.windows = function.getNumArguments() - kernel.firstWindow() - kernel.scratch;
  return kernel;
}

MosaicKernel kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (isKernel(function))
      return describe(function);
  return describe(*module.getOps<func::FuncOp>().begin());
}

namespace {

/// Checks one kernel.
class Checker {
public:
  explicit Checker(func::FuncOp function) : function(function) {}

  LogicalResult check();

private:
  InFlightDiagnostic refuse() {
    return function.emitError("the kernel '") << function.getName() << "' ";
  }
  LogicalResult checkAttributes();
  LogicalResult checkGrid();
  LogicalResult checkArguments();
  LogicalResult checkWindow(unsigned number, Attribute entry);
  LogicalResult checkTransform(unsigned number, MemRefType block, Attribute transform);

  func::FuncOp function;
  MosaicKernel kernel;
};

} // namespace

/// Whether an attribute is absent, or of class T.
template <typename T> static bool isAbsentOr(Attribute attribute) {
  return !attribute || isa<T>(attribute);
}

LogicalResult Checker::checkAttributes() {
  auto core = function->getAttr(kCoreType);
  if (!isAbsentOr<tpu::CoreTypeAttr>(core))
    return refuse() << "has " << kCoreType << " = " << core << ", which is no type of core";
  if (core && cast<tpu::CoreTypeAttr>(core).getValue() != tpu::CoreType::tc)
    return emitUnimplemented(function) << "a Pallas kernel for a SparseCore is not supported; "
                                          "kernels for a TensorCore are";
  for (StringRef name : {kScalarPrefetch, kScratchOperands}) {
    Attribute count = function->getAttr(name);
    if (!isAbsentOr<IntegerAttr>(count) ||
        (count && cast<IntegerAttr>(count).getType() != IntegerType::get(count.getContext(), 64)))
      return refuse() << "expects " << name << " of type i64, found " << count;
    if (countOf(function, name) < 0 || countOf(function, name) > function.getNumArguments())
      return refuse() << "expects " << name << " within its " << function.getNumArguments()
                      << " arguments, found " << countOf(function, name);
  }
  if (!isAbsentOr<DenseI64ArrayAttr>(function->getAttr(kIterationBounds)))
    return refuse() << "expects " << kIterationBounds << " of integers";
  for (StringRef name : {kDimensionSemantics, kWindowParams})
    if (!isAbsentOr<ArrayAttr>(function->getAttr(name)))
      return refuse() << "expects " << name << " to be an array";
  if (function.isExternal() || function.getNumResults())
    return refuse() << "expects a body and no results";
  return success();
}

LogicalResult Checker::checkGrid() {
  auto bounds = function->getAttrOfType<DenseI64ArrayAttr>(kIterationBounds);
  auto semantics = function->getAttrOfType<ArrayAttr>(kDimensionSemantics);
  for (Attribute each : semantics ? semantics.getValue() : ArrayRef<Attribute>())
    if (!isa<tpu::DimensionSemanticsAttr>(each))
      return refuse() << "expects " << kDimensionSemantics << " of each dimension, found " << each;
  if (bounds ? semantics && int64_t(semantics.size()) != bounds.size()
             : semantics && !semantics.empty())
    return refuse() << "has a grid of " << (bounds ? bounds.size() : 0) << " dimensions and "
                    << kDimensionSemantics << " of " << semantics.size();
  if (bounds)
    for (int64_t bound : bounds.asArrayRef())
      if (bound < 0 && bound != ShapedType::kDynamic)
        return refuse() << "expects bounds of its grid of at least 0, found " << bound;
  return success();
}

LogicalResult Checker::checkArguments() {
  size_t arguments = function.getNumArguments();
  size_t others =
      gridRank(function) + countOf(function, kScalarPrefetch) + countOf(function, kScratchOperands);
  auto windows = function->getAttrOfType<ArrayAttr>(kWindowParams);
  if (windows ? others + windows.size() != arguments : others > arguments)
    return refuse() << "expects " << others + (windows ? windows.size() : 0)
                    << " arguments for its grid, scalars, blocks and scratch memory, found "
                    << arguments;
  kernel = describe(function);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    bool isIndex = i < kernel.firstPrefetched();
    if (isIndex ? !type.isInteger(32) : !isa<MemRefType>(type))
      return refuse() << "expects argument " << i << " to be "
                      << (isIndex ? "an index of type i32" : "a memref") << ", found " << type;
    if (i >= kernel.firstPrefetched() && i < kernel.firstWindow() &&
        tpu::memorySpaceOf(cast<MemRefType>(type)) != tpu::MemorySpace::smem)
      return refuse() << "expects argument " << i << ", which is prefetched, to be in SMEM, found "
                      << type;
  }
  return success();
}

LogicalResult Checker::checkTransform(unsigned number, MemRefType block, Attribute transform) {
  if (auto map = dyn_cast<AffineMapAttr>(transform)) {
    if (map.getValue().getNumDims() != kernel.bounds.size() || map.getValue().getNumSymbols() ||
        int64_t(map.getValue().getNumResults()) != block.getRank())
      return refuse() << "expects an index map from " << kernel.bounds.size() << " dimensions to "
                      << block.getRank() << " for block " << number << ", found " << map;
    return success();
  }
  auto symbol = dyn_cast<FlatSymbolRefAttr>(transform);
  if (!symbol)
    return refuse() << "expects the name of an index map for block " << number << ", found "
                    << transform;
  auto map = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupSymbolIn(function->getParentOfType<ModuleOp>(), symbol.getAttr()));
  if (!map || map == function)
    return refuse() << "has no index map " << symbol;
  ArrayRef<Type> inputs = function.getArgumentTypes().take_front(kernel.firstWindow());
  Type index = IntegerType::get(function.getContext(), 32);
  if (map.isExternal() || map.getArgumentTypes() != inputs ||
      int64_t(map.getNumResults()) != block.getRank() ||
      llvm::any_of(map.getResultTypes(), [&](Type type) { return type != index; }))
    return refuse() << "expects an index map from the grid and prefetched scalars to "
                    << block.getRank() << " of i32 for block " << number << ", found " << symbol
                    << " of type " << map.getFunctionType();
  return success();
}

LogicalResult Checker::checkWindow(unsigned number, Attribute entry) {
  auto block = cast<MemRefType>(function.getArgumentTypes()[kernel.firstWindow() + number]);
  auto window = dyn_cast<DictionaryAttr>(entry);
  if (!window)
    return refuse() << "expects a dictionary for block " << number << ", found " << entry;
  for (NamedAttribute field : window) {
    StringRef name = field.getName();
    Attribute value = field.getValue();
    bool isValid = name == kTransformIndices ? isa<FlatSymbolRefAttr, AffineMapAttr>(value)
                   : name == kWindowBounds   ? isa<DenseI64ArrayAttr>(value)
                   : name == kWindowKind     ? isa<tpu::ElementWindowAttr>(value)
                   : name == kPipelineMode   ? isa<tpu::PipelineModeAttr>(value)
                                             : isa<tpu::RevisitModeAttr>(value);
    if (!isValid ||
        !llvm::is_contained(
            {kTransformIndices, kWindowBounds, kWindowKind, kPipelineMode, kRevisitMode}, name))
      return refuse() << "has " << name << " = " << value << " for block " << number
                      << ", which is not supported";
  }
  auto bounds = window.getAs<DenseI64ArrayAttr>(kWindowBounds);
  if (bounds && bounds.asArrayRef() != block.getShape())
    return refuse() << "expects the sizes of block " << number << " to be those of " << block
                    << ", found [" << bounds.asArrayRef() << "]";
  if (auto kind = window.getAs<tpu::ElementWindowAttr>(kWindowKind)) {
    auto isNegative = [](int64_t size) { return size < 0; };
    if (int64_t(kind.getPadLow().size()) != block.getRank() ||
        int64_t(kind.getPadHigh().size()) != block.getRank() ||
        llvm::any_of(kind.getPadLow(), isNegative) || llvm::any_of(kind.getPadHigh(), isNegative))
      return refuse() << "expects padding of at least 0 of each dimension of block " << number
                      << ", of type " << block << ", found " << kind;
  }
  Attribute transform = window.get(kTransformIndices);
  if (bounds && !transform)
    return refuse() << "expects an index map for block " << number << ", which has sizes";
  return transform ? checkTransform(number, block, transform) : success();
}

LogicalResult Checker::check() {
  if (failed(checkAttributes()) || failed(checkGrid()) || failed(checkArguments()))
    return failure();
  if (auto windows = function->getAttrOfType<ArrayAttr>(kWindowParams))
    for (auto [i, entry] : llvm::enumerate(windows))
      if (failed(checkWindow(i, entry)))
        return failure();
  return success();
}

LogicalResult checkKernel(ModuleOp module) {
  SmallVector<func::FuncOp> functions, kernels;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return emitUnsupported(&op, " outside of functions");
    functions.push_back(function);
    if (isKernel(function))
      kernels.push_back(function);
  }
  if (functions.empty())
    return module.emitError("a Mosaic module without a kernel");
  if (kernels.size() > 1)
    return emitUnimplemented(kernels[1])
           << "a Mosaic module with " << kernels.size() << " kernels is not supported; '"
           << kernels[0].getName() << "' and '" << kernels[1].getName() << "' are kernels";
  if (kernels.empty() && functions.size() > 1)
    return module.emitError("a Mosaic module of ")
           << functions.size() << " functions, of which none has the attributes of a kernel";
  return Checker(kernels.empty() ? functions.front() : kernels.front()).check();
}

} // namespace systole
