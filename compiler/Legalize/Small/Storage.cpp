// Stores elements that the machine lacks as integers: code shared by all operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Storage.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Planes/Expansion.h"
#include "compiler/Legalize/Small/Codes.h"
#include "compiler/Legalize/Small/Quantized.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;

bool isStored(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return element.getIntOrFloatBitWidth() <= 8;
  return element.isInteger(2) || element.isInteger(4) || isa<quant::QuantizedType>(element);
}

bool isReal(Type element) { return isa<FloatType, quant::QuantizedType>(element); }

unsigned widthOf(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? quantized.getStorageTypeIntegralWidth() : element.getIntOrFloatBitWidth();
}

Type storageOf(Type element) {
  bool isSigned = isa<IntegerType>(element) && !element.isUnsignedInteger();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    isSigned = quantized.isSigned();
  return IntegerType::get(element.getContext(), std::max(widthOf(element), 8u),
                          isSigned ? IntegerType::Signless : IntegerType::Unsigned);
}

Type computedType(Type element) {
  return isReal(element) ? Float32Type::get(element.getContext()) : storageOf(element);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type Storage::elementOf(Value value) const { return elements.lookup(value); }

void Storage::setStored(Value value) {
  if (!isStored(value.getType()))
    return;
  Type element = typeOf(value).getElementType();
  elements[value] = element;
  value.setType(typeOf(value).clone(isInBody ? computedType(element) : storageOf(element)));
}

Value Storage::numbersOf(Tensors &t, Value value) {
  Type element = elementOf(value);
  if (!isReal(element) || typeOf(value).getElementType().isF32())
    return value;
  if (Value known = numbers.lookup(value))
    return known;
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return Quantization(quantized).dequantize(t, value);
  // Fewer elements are converted before they are repeated.
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<BroadcastInDimOp, ReshapeOp>(op) && elementOf(op->getOperand(0))) {
    Value source = numbersOf(t, op->getOperand(0));
    Operation *copy = t.b.clone(*op);
    copy->setOperand(0, source);
    copy->getResult(0).setType(typeOf(value).clone(t.b.getF32Type()));
    return copy->getResult(0);
  }
  return decode(t, FloatFormat(cast<FloatType>(element)), value);
}

static Rounded rounded(Tensors &t, Value value, Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return encode(t, FloatFormat(type), value);
  Quantization quantization(cast<quant::QuantizedType>(element));
  Value stored = quantization.quantize(t, value);
  return {stored, quantization.dequantize(t, stored)};
}

Value Storage::bitsOf(Tensors &t, Value value) {
  Type element = elementOf(value);
  if (!isReal(element) || !typeOf(value).getElementType().isF32())
    return value;
  return rounded(t, value, element).bits;
}

Value wrap(Tensors &t, Value value, Type element) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Type storage = typeOf(value).getElementType();
  const auto bits = int64_t(widthOf(element));
  if (storage.isUnsignedInteger())
    return t.apply<AndOp>(value, t.number(storage, (1 << bits) - 1, shape));
  Value by = t.number(storage, 8 - bits, shape);
  return t.apply<ShiftRightArithmeticOp>(t.apply<ShiftLeftOp>(value, by), by);
}

void Storage::storeBits(Value result, Value bits, Type element) {
  elements[bits] = element;
  result.replaceAllUsesWith(bits);
}

void Storage::storeNumbers(Value result, Value value, Type element, bool isExact) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  Operation *producer = value.getDefiningOp();
  Tensors t(producer->getNextNode());
  t.loc = producer->getLoc();
  Value stored = value;
  if (isReal(element) && !(isInBody && isExact)) {
    auto [bits, nearest] = rounded(t, value, element);
    Value number = isExact ? value : nearest;
    stored = isInBody ? number : bits;
    numbers[stored] = number;
  } else if (!isReal(element) && !isExact && isWrapped) {
    stored = wrap(t, value, element);
  }
  elements[stored] = element;
  for (OpOperand *use : uses)
    use->set(stored);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool Storage::concerns(Operation &op) const {
  auto hasElement = [this](Value value) { return elementOf(value) != nullptr; };
  auto test = [](Type type) { return isStored(type); };
  return llvm::any_of(op.getOperands(), hasElement) || llvm::any_of(op.getResultTypes(), test) ||
         llvm::any_of(op.getRegions(), [&](Region &region) {
           return llvm::any_of(region.getArgumentTypes(), test);
         });
}

bool Storage::hasOneFormat(Operation *op) const {
  SmallVector<Type> formats;
  for (Value value : op->getOperands())
    if (Type element = elementOf(value))
      formats.push_back(element);
  for (Type type : op->getResultTypes())
    if (isStored(type))
      formats.push_back(getElementTypeOrSelf(type));
  return llvm::all_of(formats, [&](Type format) {
    auto a = dyn_cast<quant::QuantizedType>(format), b = dyn_cast<quant::QuantizedType>(formats[0]);
    return format == formats[0] || (a && b && Quantization(a).isSame(Quantization(b)));
  });
}

LogicalResult Storage::move(Operation *op) {
  // Numbers from outside of a body.
  if (isInBody) {
    Tensors t(op);
    for (OpOperand &operand : op->getOpOperands())
      if (elementOf(operand.get()))
        operand.set(numbersOf(t, operand.get()));
  }
  // Where all elements have been computed, they need not be decoded after they are moved.
  auto isComputed = [this](Value value) { return !elementOf(value) || numbers.contains(value); };
  Operation *computed = nullptr;
  if (op->getNumRegions() == 0 && op->getNumResults() == 1 && !isInBody &&
      llvm::all_of(op->getOperands(), isComputed)) {
    computed = OpBuilder(op).clone(*op);
    for (OpOperand &operand : computed->getOpOperands())
      if (Value number = numbers.lookup(operand.get()))
        operand.set(number);
    Value result = computed->getResult(0);
    result.setType(typeOf(result).clone(computedType(typeOf(result).getElementType())));
  }
  for (Value result : op->getResults())
    setStored(result);
  if (computed)
    numbers[op->getResult(0)] = computed->getResult(0);
  for (Region &region : op->getRegions())
    if (failed(lowerBlock(region.front())))
      return failure();
  return success();
}

/// Whether an operation on numbers of one format has such numbers as results.
static bool keepsFormat(Operation *op) { return isa<MaxOp, MinOp, ClampOp, SortOp>(op); }
/// Whether the results of an operation depend on the order of numbers alone, which is that of
/// stored integers.
static bool isOrder(Operation *op) { return isa<MaxOp, MinOp, ClampOp>(op); }

/// Bits above those of an integer are its sign, or zero. Operations that count or shift the others
/// as well see them as they would be in an integer of 8 bits.
static void readBits(Operation *op, Type element) {
  if (!isa<IntegerType>(element))
    return;
  Tensors t(op);
  Value value = op->getOperand(0);
  ArrayRef<int64_t> shape = shapeOf(value);
  Type storage = typeOf(value).getElementType();
  const int64_t bits = widthOf(element);
  if (isa<ShiftRightLogicalOp, PopulationCountOp, ClzOp>(op)) {
    op->setOperand(0, t.apply<AndOp>(value, t.number(storage, (1 << bits) - 1, shape)));
  } else if (isa<ShiftRightArithmeticOp>(op) && element.isUnsignedInteger()) {
    Value by = t.number(storage, 8 - bits, shape);
    op->setOperand(0, t.apply<ShiftRightArithmeticOp>(t.apply<ShiftLeftOp>(value, by), by));
  }
}

LogicalResult Storage::compute(Operation *op) {
  Tensors t(op);
  const bool isExact = keepsFormat(op) && hasOneFormat(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type element = elementOf(operand.get())) {
      operand.set(numbersOf(t, operand.get()));
      if (operand.getOperandNumber() == 0)
        readBits(op, element);
      // Quantized numbers are compared as the floats that they express.
      if (auto compare = dyn_cast<CompareOp>(op);
          compare && isa<quant::QuantizedType>(element) &&
          compare.getCompareType() != ComparisonType::TOTALORDER)
        compare.removeCompareTypeAttr();
    }
  for (Region &region : op->getRegions())
    if (failed(lowerBody(region)))
      return failure();
  for (Value result : op->getResults()) {
    if (!isStored(result.getType()))
      continue;
    Type element = typeOf(result).getElementType();
    result.setType(typeOf(result).clone(computedType(element)));
    Value value = result;
    if (isa<ClzOp>(op)) {
      Tensors after(op->getNextNode());
      Type storage = typeOf(result).getElementType();
      value = after.number(storage, 8 - widthOf(element), shapeOf(result));
      value = after.apply<SubtractOp>(result, value);
      result.replaceAllUsesExcept(value, value.getDefiningOp());
    }
    storeNumbers(value, value, element, isExact || (isInBody && isReal(element)));
  }
  return success();
}

LogicalResult Storage::lowerBody(Region &body) {
  const bool wasInBody = isInBody, wasWrapped = isWrapped;
  auto restore = llvm::make_scope_exit([&] {
    isInBody = wasInBody;
    isWrapped = wasWrapped;
  });
  isInBody = true;
  // Sums and products of more bits have the right low ones.
  isWrapped = body.front().getOperations().size() > 2;
  return lowerBlock(body.front());
}

void Storage::lowerConstant(Operation *op, DenseElementsAttr value) {
  Tensors t(op);
  Type element = value.getElementType(), storage = storageOf(element);
  auto create = [&](DenseElementsAttr elements) -> Value {
    return ConstantOp::create(t.b, t.loc, elements);
  };
  if (auto integers = dyn_cast<DenseIntElementsAttr>(value)) {
    Value bits = create(integers.mapValues(storage, [&](const APInt &number) {
      return element.isUnsignedInteger() ? number.zext(8) : number.sext(8);
    }));
    storeBits(op->getResult(0), bits, element);
  } else {
    auto floats = cast<DenseFPElementsAttr>(value);
    Value number = create(floats.mapValues(t.b.getF32Type(), [](APFloat number) {
      bool losesInfo;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
      return number.bitcastToAPInt();
    }));
    Value bits = isInBody ? number : create(floats.mapValues(storage, [](const APFloat &number) {
      return number.bitcastToAPInt().zext(8);
    }));
    numbers[bits] = number;
    storeBits(op->getResult(0), bits, element);
  }
  op->erase();
}

void Storage::lowerIota(IotaOp op) {
  Tensors t(op);
  Type element = typeOf(op).getElementType();
  Value count = t.iota(t.b.getI32Type(), shapeOf(op), op.getIotaDimension());
  storeNumbers(op, t.convert(count, computedType(element)), element, /*isExact=*/false);
  op.erase();
}

/// The bits of a product above those that an integer has; the storage has all of them.
void Storage::lowerMultiplyHigh(chlo::MulhiOp op) {
  Tensors t(op);
  Type element = typeOf(op).getElementType();
  Value product = t.apply<MulOp>(op.getLhs(), op.getRhs());
  Value by = t.number(typeOf(product).getElementType(), widthOf(element), shapeOf(product));
  Value high = element.isUnsignedInteger() ? t.apply<ShiftRightLogicalOp>(product, by)
                                           : t.apply<ShiftRightArithmeticOp>(product, by);
  storeBits(op, high, element);
  op.erase();
}

/// Whether `op` replaces elements by others, and combines none.
static bool isMovement(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getUpdateComputation().front().getOperations().size() == 1;
  switch (kindOf(op)) {
  case OpKind::Broadcast:
  case OpKind::Reshape:
  case OpKind::Movement:
  case OpKind::Control:
    return true;
  case OpKind::Indexed:
    return !isa<ScatterOp>(op);
  default:
    return isa<SelectOp, OptimizationBarrierOp>(op) || op->hasTrait<mlir::OpTrait::IsTerminator>();
  }
}

/// The element type of the host's array, if that is not what stores it on the device. Quantized
/// numbers are integers for the host.
static Type hostElement(Type type) {
  if (!isStored(type))
    return {};
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    if (widthOf(element) >= 8)
      return {};
    return IntegerType::get(type.getContext(), widthOf(element),
                            quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  }
  return element;
}

/// How a transfer has the elements of a tensor; null if the host has them as they are stored.
static kernel::WordsAttr wordsOf(Type element) {
  Type host = hostElement(element);
  return host ? kernel::WordsAttr::get(host.getContext(), /*plane=*/0, host) : kernel::WordsAttr();
}

LogicalResult Storage::lowerOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ConstantOp>([&](ConstantOp constant) {
        lowerConstant(op, cast<DenseElementsAttr>(constant.getValue()));
        return success();
      })
      .Case<chlo::ConstantLikeOp>([&](chlo::ConstantLikeOp like) {
        lowerConstant(op, DenseElementsAttr::get(cast<ShapedType>(like.getType()),
                                                 ArrayRef<Attribute>{like.getValue()}));
        return success();
      })
      .Case<IotaOp>([&](IotaOp iota) {
        lowerIota(iota);
        return success();
      })
      .Case<chlo::MulhiOp>([&](chlo::MulhiOp multiply) {
        lowerMultiplyHigh(multiply);
        return success();
      })
      .Case<ConvertOp, UniformQuantizeOp, UniformDequantizeOp>([&](auto) {
        lowerConvert(*this, op);
        return success();
      })
      .Case<BitcastConvertOp>([&](BitcastConvertOp bitcast) {
        lowerBitcast(*this, bitcast);
        return success();
      })
      .Case<DotGeneralOp, ConvolutionOp>([&](auto) {
        lowerProduct(*this, op);
        return success();
      })
      .Case<kernel::SendOp>([&](kernel::SendOp send) {
        send.setWordsAttr(wordsOf(elementOf(send.getOperand())));
        return success();
      })
      .Case<kernel::RecvOp>([&](kernel::RecvOp receive) {
        setStored(receive.getResult());
        receive.setWordsAttr(wordsOf(elementOf(receive.getResult())));
        return success();
      })
      .Case<kernel::OffloadOp>([&](kernel::OffloadOp copy) {
        copy.setWordsAttr(wordsOf(elementOf(copy.getOperand())));
        return success();
      })
      .Case<kernel::FetchOp>([&](kernel::FetchOp copy) {
        setStored(copy.getResult());
        copy.setWordsAttr(wordsOf(elementOf(copy.getResult())));
        return success();
      })
      .Case<kernel::MosaicCallOp>([&](kernel::MosaicCallOp call) {
        // The kernel knows the formats of its operands.
        for (Value result : call.getOutputs())
          setStored(result);
        return success();
      })
      .Default([&](Operation *) {
        // Control flow has one format for each value; requantization moves and computes.
        const bool hasFormat = op->getNumRegions() > 0 || hasOneFormat(op) ||
                               op->hasTrait<mlir::OpTrait::IsTerminator>();
        const bool isQuantized =
            op->getNumOperands() > 0 &&
            isa_and_nonnull<quant::QuantizedType>(elementOf(op->getOperands().back()));
        const bool moves = isMovement(op) || (isQuantized && isOrder(op) && !isInBody);
        return moves && hasFormat ? move(op) : compute(op);
      });
}

LogicalResult Storage::lowerBlock(Block &block) {
  for (BlockArgument argument : block.getArguments())
    setStored(argument);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!concerns(op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() && failed(lowerBlock(region.front())))
          return failure();
      continue;
    }
    Operation *before = op.getPrevNode(), *after = op.getNextNode();
    // Numbers from outside of a body.
    if (isInBody && op.hasTrait<mlir::OpTrait::IsTerminator>()) {
      Tensors t(&op);
      for (OpOperand &operand : op.getOpOperands())
        if (elementOf(operand.get()))
          operand.set(numbersOf(t, operand.get()));
    }
    if (failed(lowerOperation(&op)))
      return failure();
    if (!isInBody)
      planes::markExpansion(before ? before->getNextNode() : &block.front(), after);
  }
  return success();
}

/// Refuses what neither numbers nor bits tell, with its original types.
static LogicalResult checkOperations(func::FuncOp function) {
  WalkResult result = function.walk([](chlo::NextAfterOp op) {
    if (!isStored(op.getType()))
      return WalkResult::advance();
    emitUnsupported(op, " for floats of at most 8 bits");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Storage::lower(func::FuncOp function) {
  if (failed(checkOperations(function)))
    return failure();
  Block &body = function.getBody().front();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (Type element = hostElement(type))
      function.setArgAttr(i, kernel::kElementAttr, TypeAttr::get(element));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (Type element = hostElement(type))
      function.setResultAttr(i, kernel::kElementAttr, TypeAttr::get(element));
  if (failed(lowerBlock(body)))
    return failure();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

} // namespace systole::small
