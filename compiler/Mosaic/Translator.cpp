// Translates the body of a Mosaic kernel: values, and the order in which operations are staged.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Translator.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace systole::mosaic {

bool isScalar(Type type) { return isa<IntegerType, IndexType>(type); }

Translator::Translator(OpBuilder &b, int precision, ArrayRef<Value> grid)
    : b(b), grid(grid), segment(b.getContext(), precision) {}

LogicalResult Translator::translate(Block &block, llvm::function_ref<LogicalResult()> atEnd) {
  llvm::SaveAndRestore<Block *> inside(current, &block);
  for (Operation &op : block.without_terminator()) {
    if (failed(visit(&op)))
      return failure();
    done.insert(&op);
  }
  return atEnd ? atEnd() : success();
}

LogicalResult Translator::visit(Operation *op) {
  if (op->getNumRegions())
    return ControlTranslator(*this).visit(op);
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return AccessTranslator(*this).visitRef(op);
  if (op->use_empty() && (isMemoryEffectFree(op) || hasEffect<MemoryEffects::Read>(op)) &&
      !hasEffect<MemoryEffects::Write>(op))
    return success();
  // They give a profile its names, or check what the emulator checks.
  if (isa<tpu::TraceStartOp, tpu::TraceStopOp>(op) || op->getName().getStringRef() == "cf.assert")
    return success();
  if (auto multiple = dyn_cast<tpu::AssumeMultipleOp>(op)) {
    Value value = scalar(multiple.getValue());
    if (!value)
      return failure();
    // The shift back shows where copies begin.
    int bits = llvm::countr_zero(uint32_t(multiple.getMultiple()));
    if (!indexOf(value).isConstant() && bits > 0 && bits < 32) {
      Value shift = arith::ConstantIntOp::create(b, op->getLoc(), bits, 32);
      value = arith::ShRSIOp::create(b, op->getLoc(), value, shift);
      value = arith::ShLIOp::create(b, op->getLoc(), value, shift);
    }
    values.scalars[multiple.getResult()] = value;
    return success();
  }
  if (auto bound = dyn_cast<tpu::IterationBoundOp>(op)) {
    if (bound.getDim() >= grid.size())
      return op->emitError("asks for the bound of a dimension that the grid has not");
    values.scalars[bound.getResult()] = grid[bound.getDim()];
    return success();
  }
  if (isa<tpu::PrngSetSeedOp, tpu::PrngRandomBitsOp>(op))
    return RandomTranslator(*this).visit(op);
  if (isa<tpu::LogOp, tpu::LogBufferOp>(op))
    return MessageTranslator(*this).visit(op);
  if (isa<tpu::DynamicRotateOp>(op))
    return RotateTranslator(*this).visit(op);
  if (visitScalar(op))
    return success();
  if (Translation translation = TensorOps::get().find(op->getName().getStringRef()))
    return visitTensor(op, translation);
  return AccessTranslator(*this).visit(op);
}

LogicalResult Translator::visitTensor(Operation *op, Translation translation) {
  auto hasSmall = [](Type type) { return isSmall(getElementTypeOrSelf(type)); };
  if ((llvm::any_of(op->getOperandTypes(), hasSmall) ||
       llvm::any_of(op->getResultTypes(), hasSmall)) &&
      !movesElements(op))
    return emitUnsupported(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (Value value = tensor(operand))
      operands.push_back(value);
    else
      return failure();
  Tensors t(segment.end());
  t.loc = op->getLoc();
  Value result = translation(t, op, operands);
  if (!result)
    return emitUnsupported(op);
  values.tensors[op->getResult(0)] = result;
  return success();
}

bool Translator::isRecomputed(Value value) const {
  if (values.scalars.contains(value) || values.words.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, tpu::IotaOp>(op))
    return true;
  return op->getName().getStringRef() == "vector.broadcast" && isRecomputed(op->getOperand(0));
}

Value Translator::tensor(Value value) {
  if (auto it = values.tensors.find(value); it != values.tensors.end())
    return it->second;
  if (Value buffer = values.buffers.lookup(value))
    return values.tensors[value] =
               segment.read(value.getLoc(), buffer, tensorType(value.getType()));
  Tensors t(segment.end());
  t.loc = value.getLoc();
  RankedTensorType type = tensorType(value.getType());
  if (Value word = values.words.lookup(value))
    return values.tensors[value] = t.bitcast(segment.read(word), type.getElementType());
  if (Value scalar = values.scalars.lookup(value)) {
    if (scalar.getType().isInteger(1)) {
      Value word = arith::ExtUIOp::create(b, value.getLoc(), b.getI32Type(), scalar);
      Value element = segment.read(word);
      Value zero = t.number(b.getI32Type(), 0);
      return values.tensors[value] = t.compare(stablehlo::ComparisonDirection::NE, element, zero);
    }
    return values.tensors[value] = t.convert(segment.read(scalar), type.getElementType());
  }
  if (isRecomputed(value)) {
    Operation *op = value.getDefiningOp();
    if (failed(visitTensor(op, TensorOps::get().find(op->getName().getStringRef()))))
      return nullptr;
    return values.tensors[value];
  }
  emitError(value.getLoc(), "uses a value of type ") << value.getType() << " that is not known";
  return nullptr;
}

bool Translator::isNeeded(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !done.contains(user); });
}

/// How often a block runs in a step: loops with a count that is known count.
static int64_t iterationsAround(Block *block) {
  int64_t iterations = 1;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp()) {
    APInt first, end, step;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
      continue;
    const int64_t count =
        llvm::divideCeilSigned(end.getSExtValue() - first.getSExtValue(), step.getSExtValue());
    if (llvm::MulOverflow(iterations, std::max<int64_t>(count, 0), iterations))
      return INT64_MAX;
  }
  return iterations;
}

LogicalResult Translator::flush(Location loc, bool mayShare) {
  SmallVector<Value> live, tensors;
  for (auto &[value, tensor] : values.tensors) {
    if (!isNeeded(value) || isRecomputed(value) || values.buffers.contains(value))
      continue;
    live.push_back(value);
    tensors.push_back(tensor);
  }
  int64_t flops = 0;
  if (llvm::MulOverflow(segment.flops(), iterationsAround(b.getInsertionBlock()), flops) ||
      llvm::AddOverflow(staged, flops, staged))
    staged = INT64_MAX;
  FailureOr<SmallVector<Segment::Kept>> kept = segment.flush(b, loc, tensors, mayShare);
  if (failed(kept))
    return failure();
  values.tensors.clear();
  for (auto [value, each] : llvm::zip_equal(live, *kept))
    if (each.isShared) {
      auto type = cast<kernel::BufferType>(each.buffer.getType());
      Tensors t(segment.end());
      t.loc = loc;
      Value stored = segment.read(loc, each.buffer,
                                  RankedTensorType::get(type.getShape(), type.getElementType()));
      values.tensors[value] = t.reshape(stored, tensorType(value.getType()).getShape());
    } else {
      values.buffers[value] = each.buffer;
    }
  return success();
}

/// A constant as a word, as kernel.read_element gives it; null for another value.
static Value constantWord(OpBuilder &b, Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  int64_t word = 0;
  if (auto real = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr())
    word =
        static_cast<int32_t>(llvm::bit_cast<uint32_t>(static_cast<float>(real.getValueAsDouble())));
  else if (auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr())
    word = number.getValue().getSExtValue();
  else
    return nullptr;
  return arith::ConstantIntOp::create(b, value.getLoc(), word, 32);
}

Value Translator::scalar(Value value) {
  if (Value known = values.scalars.lookup(value))
    return known;
  if (Value word = constantWord(b, value))
    return word;
  if (!values.buffers.contains(value)) {
    // `flush` keeps it, since the present operation uses it.
    if (!tensor(value) || failed(flush(value.getLoc())))
      return nullptr;
  }
  Value buffer = values.buffers.lookup(value);
  if (!buffer) {
    emitError(value.getLoc(), "is not known on the scalar unit");
    return nullptr;
  }
  Value read = kernel::ReadElementOp::create(b, value.getLoc(), b.getI32Type(), buffer);
  if (value.getType().isInteger(1))
    read = arith::CmpIOp::create(b, value.getLoc(), arith::CmpIPredicate::ne, read,
                                 arith::ConstantIntOp::create(b, value.getLoc(), 0, 32));
  // In a region it is not known behind it.
  if (value.getParentBlock() == current)
    values.scalars[value] = read;
  return read;
}

} // namespace systole::mosaic
