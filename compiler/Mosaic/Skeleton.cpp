// The operands, scratch memory and body of the kernel that a Mosaic kernel becomes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Skeleton.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Machine/Program/KernelKinds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::mosaic {

tpu::MemorySpace spaceOf(MemRefType type) {
  auto space = dyn_cast_or_null<tpu::MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getValue() : tpu::MemorySpace::any;
}

Skeleton::Skeleton(kernel::MosaicCallOp call, ModuleOp body, int precision)
    : call(call), source(kernelOf(body)), precision(precision), b(call.getContext()),
      windows(windowsOf(source, call.getInputs().size())) {}

FailureOr<kernel::FuncOp> Skeleton::lower() {
  b.setInsertionPointToEnd(call->getParentOfType<ModuleOp>().getBody());
  if (failed(addOperands()))
    return failure();
  Location loc = location();
  std::string line = sourceLine(loc);
  SmallVector<int64_t> extents = grid();
  auto func =
      kernel::FuncOp::create(b, loc, "kernel", b.getArrayAttr(types), b.getArrayAttr(operands),
                             extents, line.empty() ? StringAttr() : b.getStringAttr(line),
                             /*flops=*/0, /*bytes=*/0, b.getStringAttr(kPallasKernel),
                             /*scalars=*/0);
  func->setAttr(kernel::kMosaicAttr, b.getUnitAttr());
  Block &block = func.getBody().emplaceBlock();
  for (size_t axis = 0; axis < extents.size(); ++axis)
    block.addArgument(b.getI32Type(), loc);
  for (auto [type, argument] : llvm::zip_equal(bodyTypes, arguments))
    block.addArgument(type, argument ? argument.getLoc() : loc);
  b.setInsertionPointToEnd(&block);
  if (failed(translate(block))) {
    func.erase();
    return failure();
  }
  kernel::ReturnOp::create(b, loc);
  for (int64_t bound : source.bounds)
    if (bound != ShapedType::kDynamic && llvm::MulOverflow(flops, bound, flops))
      flops = INT64_MAX;
  func.setFlops(call.getFlops().value_or(flops));
  func.setBytes(call.getBytes().value_or(0));
  WalkResult copies = source.function.walk([](Operation *op) {
    return isa<tpu::EnqueueDMAOp, tpu::WaitDMA2Op, tpu::SemaphoreSignalOp, tpu::SemaphoreWaitOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (copies.wasInterrupted())
    func.setKindAttr(b.getStringAttr(kOwnCopies));
  return func;
}

LogicalResult Skeleton::addOperands() {
  auto bounds = llvm::count(source.bounds, ShapedType::kDynamic);
  for (int64_t number = 0; number < bounds + int64_t(source.prefetched); ++number) {
    RankedTensorType array = arrayOf(number);
    Value argument;
    if (number >= bounds)
      argument = source.function.getArgument(source.firstPrefetched() + unsigned(number - bounds));
    add(array, kernel::Role::stream, array.getShape(), argument);
  }
  for (const Window &window : windows) {
    RankedTensorType array = arrayOf(window.number);
    switch (spaceOf(window.type)) {
    case tpu::MemorySpace::smem:
      add(array, window.isOutput() ? kernel::Role::raw : kernel::Role::stream, array.getShape(),
          window.argument);
      continue;
    case tpu::MemorySpace::any:
    case tpu::MemorySpace::hbm:
      add(array, kernel::Role::raw, array.getShape(), window.argument);
      continue;
    case tpu::MemorySpace::vmem:
      break;
    default:
      return unsupported("an operand in this memory");
    }
    if (!window.transform)
      add(array, window.isOutput() ? kernel::Role::out : kernel::Role::in, array.getShape(),
          window.argument);
    else if (window.isOutput() && window.isRevisited)
      return unsupported("a result whose blocks steps come back to (pl.RevisitMode.ANY)");
    else if (failed(addBlocks(window)))
      return failure();
  }
  return success();
}

void Skeleton::add(RankedTensorType array, kernel::Role role, ArrayRef<int64_t> shape,
                   Value argument) {
  SmallVector<AffineExpr> first(array.getRank(), b.getAffineConstantExpr(0));
  auto map = AffineMap::get(grid().size(), 0, first, b.getContext());
  add(array, kernel::OperandAttr::get(b.getContext(), role, shape, map), argument);
}

void Skeleton::add(RankedTensorType array, kernel::OperandAttr attr, Value argument) {
  Type element = array.getElementType();
  types.push_back(TypeAttr::get(buffer(array.getShape(), element, kernel::Space::hbm)));
  operands.push_back(attr);
  switch (attr.getRole()) {
  case kernel::Role::stream:
    bodyTypes.push_back(buffer(array.getShape(), element, kernel::Space::smem));
    break;
  case kernel::Role::raw:
    bodyTypes.push_back(buffer(array.getShape(), element, kernel::Space::hbm));
    break;
  default:
    bodyTypes.push_back(buffer(attr.getBlock(), element, kernel::Space::vmem));
  }
  arguments.push_back(argument);
}

Location Skeleton::location() {
  Location own = source.function.getLoc();
  return sourceLine(own).empty() ? call.getLoc() : own;
}

LogicalResult Skeleton::unsupported(const Twine &what) {
  return emitUnimplemented(location()) << "Pallas kernel '" << source.function.getSymName()
                                       << "' has " << what << ", which is not supported";
}

RankedTensorType Skeleton::arrayOf(int64_t number) {
  Value value = number >= 0 ? call.getInputs()[number] : call.getOutputs()[-1 - number];
  return cast<RankedTensorType>(value.getType());
}

kernel::BufferType Skeleton::buffer(ArrayRef<int64_t> shape, Type element, kernel::Space space) {
  return kernel::BufferType::get(b.getContext(), shape, element, space);
}

bool Skeleton::isPanels(const Window &window) {
  return arrayOf(window.number).getRank() == window.type.getRank() + 1;
}

SmallVector<int64_t> Skeleton::blockShape(const Window &window) {
  SmallVector<int64_t> shape(window.type.getShape());
  if (isPanels(window)) {
    shape.insert(shape.end() - 2, llvm::divideCeil(shape.back(), kLanes));
    shape.back() = kLanes;
  }
  return shape;
}

Ref Skeleton::blockRef(const Window &window, Value buffer) {
  Ref ref = Ref::whole(buffer);
  if (!isPanels(window))
    return ref;
  ref.isPanels = true;
  ref.shape.assign(window.type.getShape().begin(), window.type.getShape().end());
  // The dimension of panels is none of the memref's.
  ref.dimOf.erase(ref.dimOf.end() - 3);
  return ref;
}

Value Skeleton::wordsOf(const Window &window, Value operand) {
  if (!window.isOutput())
    return operand;
  auto type = cast<kernel::BufferType>(operand.getType());
  Value memory = kernel::AllocOp::create(
      b, window.argument.getLoc(),
      buffer(type.getShape(), type.getElementType(), kernel::Space::smem), /*persistent=*/true);
  words.emplace_back(memory, operand);
  return memory;
}

void Skeleton::storeWords() {
  Location loc = source.function.getLoc();
  for (auto [memory, array] : words)
    copyWords(memory, array, loc);
}

void Skeleton::copyWords(Value from, Value to, Location loc) {
  auto type = cast<kernel::BufferType>(from.getType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  Value flag = kernel::AllocOp::create(b, loc, buffer({}, b.getI32Type(), kernel::Space::flags));
  kernel::StartCopyOp::create(b, loc, from, to, ValueRange(), ValueRange(), flag, ValueRange(),
                              /*count=*/Value(), type.getShape(), identity, identity);
  kernel::WaitCopyOp::create(b, loc, from, to, ValueRange(), ValueRange(), flag, ValueRange(),
                             /*count=*/Value(), type.getShape(), identity, identity);
}

LogicalResult Skeleton::joinAliases(Translator &translator, ValueRange steps) {
  auto windowOf = [&](int64_t number) {
    return llvm::find_if(windows, [&](const Window &window) { return window.number == number; });
  };
  for (auto [result, alias] : llvm::enumerate(call.getAliases())) {
    auto *from = windowOf(alias), *to = windowOf(-1 - int64_t(result));
    if (alias < 0 || from == windows.end() || to == windows.end() ||
        spaceOf(from->type) != spaceOf(to->type))
      continue;
    const bool isSmem = spaceOf(from->type) == tpu::MemorySpace::smem;
    const bool hasBlocks = from->transform || to->transform;
    if (isSmem && hasBlocks)
      return unsupported("blocks in SMEM that a result aliases");
    if (hasBlocks || (!isSmem && spaceOf(from->type) != tpu::MemorySpace::vmem))
      continue;
    Location loc = from->argument.getLoc();
    const Ref operand = translator.refOf(from->argument), memory = translator.refOf(to->argument);
    OpBuilder::InsertionGuard guard(b);
    if (!steps.empty()) {
      Value zero = arith::ConstantIntOp::create(b, loc, 0, 32), sum = zero;
      for (Value step : steps)
        sum = arith::OrIOp::create(b, loc, sum, step);
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sum, zero);
      auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    AffineMap identity = b.getMultiDimIdentityMap(operand.type().getRank());
    if (isSmem)
      copyWords(operand.buffer, memory.buffer, loc);
    else
      kernel::CopyOp::create(b, loc, operand.buffer, memory.buffer, ValueRange(), ValueRange(),
                             operand.box(), identity, identity);
    translator.bind(from->argument, memory);
  }
  return success();
}

LogicalResult Skeleton::bindScratch(Translator &translator, bool isPersistent) {
  for (unsigned number = 0; number < source.scratch; ++number) {
    BlockArgument argument = source.function.getArgument(source.firstScratch() + number);
    auto type = cast<MemRefType>(argument.getType());
    tpu::MemorySpace space = spaceOf(type);
    if (space == tpu::MemorySpace::semaphore_mem) {
      translator.bind(argument, Ref::whole(allocateSemaphores(b, argument.getLoc(), type)));
      continue;
    }
    const bool isSmem = space == tpu::MemorySpace::smem;
    if (!isSmem && space != tpu::MemorySpace::vmem)
      return unsupported("scratch in this memory");
    Type element =
        isSmem ? wordOf(type.getElementType()) : tensorType(type.getElementType()).getElementType();
    auto memory =
        buffer(type.getShape(), element, isSmem ? kernel::Space::smem : kernel::Space::vmem);
    translator.bind(
        argument, Ref::whole(kernel::AllocOp::create(b, argument.getLoc(), memory, isPersistent)));
  }
  WalkResult isRandom =
      source.function.walk([](tpu::PrngRandomBitsOp) { return WalkResult::interrupt(); });
  if (isRandom.wasInterrupted())
    translator.bindRandomState(kernel::AllocOp::create(
        b, source.function.getLoc(), buffer(2, b.getI32Type(), kernel::Space::smem), isPersistent));
  return success();
}

FailureOr<kernel::FuncOp> lowerKernel(kernel::MosaicCallOp call, ModuleOp body,
                                      const LoweringOptions &options) {
  return hasAffineWindows(kernelOf(body), call.getInputs().size())
             ? lowerGridKernel(call, body, options)
             : lowerLoopKernel(call, body, options);
}

} // namespace systole::mosaic
