// Messages of Mosaic kernels to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Small/Codes.h"
#include "compiler/Legalize/Small/FloatFormat.h"
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole::mosaic {

/// The texts around the `count` values of a format in which $0, $1, ... stand for them, in order.
static SmallVector<StringRef> textsAround(StringRef format, size_t count) {
  SmallVector<StringRef> texts;
  for (size_t i = 0; i < count; ++i) {
    std::string placeholder = "$" + std::to_string(i);
    size_t at = format.find(placeholder);
    if (at == StringRef::npos)
      return {};
    texts.push_back(format.take_front(at));
    format = format.drop_front(at + placeholder.size());
  }
  texts.push_back(format);
  return texts;
}

Value MessageTranslator::wordOf(Value input) {
  Location loc = input.getLoc();
  Type type = input.getType();
  if (Value word = values.words.lookup(input))
    return word;
  if (isSmall(type) && isa<FloatType>(type) && !input.getDefiningOp<arith::ConstantOp>()) {
    // Memory holds its bits.
    if (!tensor(input) || failed(flush(loc)))
      return nullptr;
    Tensors t = tensors(loc);
    Value number = small::decode(t, small::FloatFormat(cast<FloatType>(type)), tensor(input));
    FailureOr<SmallVector<Segment::Kept>> kept =
        segment.flush(b, loc, t.convert(number, b.getF32Type()), /*mayShare=*/false);
    values.tensors.clear();
    return succeeded(kept)
               ? kernel::ReadElementOp::create(b, loc, b.getI32Type(), kept->front().buffer)
               : Value();
  }
  Value word = scalar(input);
  if (!word)
    return nullptr;
  if (word.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), word);
  if (!type.isInteger() || type.getIntOrFloatBitWidth() >= 32 || type.isInteger(1))
    return word;
  Value shift = arith::ConstantIntOp::create(b, loc, 32 - type.getIntOrFloatBitWidth(), 32);
  word = arith::ShLIOp::create(b, loc, word, shift);
  return arith::ShRSIOp::create(b, loc, word, shift);
}

LogicalResult MessageTranslator::log(Operation *logged) {
  auto op = cast<tpu::LogOp>(logged);
  Location loc = op->getLoc();
  SmallVector<Value> words;
  SmallVector<Attribute> types;
  for (Value input : op.getInputs()) {
    if (isa<VectorType>(input.getType()))
      return emitUnsupported(op, " of a vector");
    Value word = wordOf(input);
    if (!word)
      return failure();
    words.push_back(word);
    Type type = input.getType();
    types.push_back(TypeAttr::get(type.isIndex() ? b.getI32Type() : type));
  }
  SmallVector<StringRef> texts;
  if (op.getFormatted())
    texts = textsAround(op.getTag(), words.size());
  else
    texts.assign(words.size() + 1, "");
  if (texts.empty())
    return op->emitError("expects a format in which $0, $1 and so on stand for its ")
           << words.size() << " values in order";
  if (!op.getFormatted()) {
    texts.front() = op.getTag();
    // Between values.
    for (size_t i = 1; i < words.size(); ++i)
      texts[i] = " ";
  }
  if (words.empty())
    words.push_back(arith::ConstantIntOp::create(b, loc, 0, 32));
  // What was computed before is in memory if the message is the last thing that happens.
  if (failed(flush(loc)))
    return failure();
  for (Value word : words)
    kernel::LogOp::create(b, loc, word, b.getStrArrayAttr(texts), b.getArrayAttr(types),
                          !op.getFormatted());
  return success();
}

/// The element of a box that has one, as a word.
static Value elementOf(OpBuilder &b, Location loc, const Ref &box) {
  SmallVector<Value> offsets;
  for (const Index &index : box.first)
    offsets.push_back(materialize(b, loc, index));
  if (box.type().getSpace() == kernel::Space::smem)
    return kernel::LoadScalarOp::create(b, loc, b.getI32Type(), box.buffer, offsets);
  SmallVector<int64_t> ones(offsets.size(), 1);
  auto type = kernel::BufferType::get(b.getContext(), ones, box.type().getElementType(),
                                      kernel::Space::vmem);
  Value element = kernel::AllocOp::create(b, loc, type);
  AffineMap same = b.getMultiDimIdentityMap(ones.size());
  kernel::CopyOp::create(b, loc, box.buffer, element, offsets, ValueRange(), ones, same, same);
  return kernel::ReadElementOp::create(b, loc, b.getI32Type(), element);
}

LogicalResult MessageTranslator::logBuffer(Operation *logged) {
  auto op = cast<tpu::LogBufferOp>(logged);
  Location loc = op->getLoc();
  MemRefType type = op.getInput().getType();
  auto known = values.refs.find(op.getInput());
  if (known == values.refs.end())
    return emitUnsupported(op);
  const Ref ref = known->second;
  const bool isInHbm = ref.type().getSpace() == kernel::Space::hbm;
  if (isInHbm || ref.viewed || ref.isPanels || ref.counted >= 0 ||
      (isSmall(type.getElementType()) && isa<FloatType>(type.getElementType())))
    return emitUnsupported(op);
  if (failed(flush(loc)))
    return failure();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  OpBuilder::InsertionGuard guard(b);
  Type value = RankedTensorType::get(op.getShape(), type.getElementType());
  auto log = [&](Value word) {
    kernel::LogOp::create(b, loc, word, b.getStrArrayAttr({op.getTag(), ""}),
                          b.getTypeArrayAttr({value}), /*typed=*/true);
    return success();
  };
  if (llvm::is_contained(op.getShape(), 0))
    return log(constant(0));
  SmallVector<Index> first;
  for (int64_t size : op.getShape()) {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(size), constant(1));
    b.setInsertionPointToStart(loop.getBody());
    first.push_back(indexOf(loop.getInductionVar()));
  }
  return log(elementOf(b, loc, ref.slice(b, loc, first, SmallVector<int64_t>(first.size(), 1))));
}

LogicalResult MessageTranslator::visit(Operation *op) {
  return isa<tpu::LogOp>(op) ? log(op) : logBuffer(op);
}

} // namespace systole::mosaic
