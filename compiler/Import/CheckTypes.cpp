// Checks every type in a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CHECKTYPES
#include "compiler/Import/Passes.h.inc"

bool isSupportedElementType(Type type) {
  if (type.isF64() || type.isF32() || type.isBF16() || type.isF16() || type.isInteger(1))
    return true;
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 8;
  if (isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(type)) {
    auto quantized = cast<quant::QuantizedType>(type);
    return isa<FloatType>(quantized.getExpressedType()) && !quantized.getExpressedType().isF64() &&
           isSupportedElementType(quantized.getExpressedType()) &&
           llvm::is_contained({2u, 4u, 8u, 16u, 32u}, quantized.getStorageTypeIntegralWidth());
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSigned() &&
         llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

namespace {

/// The zero points of a quantized type, if it has any.
SmallVector<int64_t> zeroPointsOf(Type element) {
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(element))
    return {perTensor.getZeroPoint()};
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    return SmallVector<int64_t>(perAxis.getZeroPoints());
  return {};
}

/// The least bytes that an array takes: those of its elements, without padding, of which none has
/// fewer than 8 bits in memory.
APInt leastBytes(RankedTensorType tensor) {
  Type element = tensor.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  if (complex)
    element = complex.getElementType();
  const auto quantized = dyn_cast<quant::QuantizedType>(element);
  const unsigned bits =
      quantized ? quantized.getStorageTypeIntegralWidth() : element.getIntOrFloatBitWidth();
  APInt bytes(64 * (tensor.getRank() + 1), llvm::divideCeil(bits, 8) * (complex ? 2 : 1));
  for (int64_t size : tensor.getShape())
    bytes *= size;
  return bytes;
}

/// Whether addresses and counts of the machine, which are signed 32-bit integers, hold those of an
/// array.
bool isCountable(RankedTensorType tensor) {
  int64_t elements = 1;
  return llvm::none_of(tensor.getShape(), [&](int64_t size) {
    return llvm::MulOverflow(elements, std::max<int64_t>(size, 1), elements) ||
           elements >= (1ll << 31);
  });
}

/// `what` names the array, such as "argument 0".
LogicalResult checkSize(Operation *op, const Twine &what, RankedTensorType tensor,
                        int64_t hbmBytes) {
  if (isCountable(tensor))
    return success();
  APInt bytes = leastBytes(tensor);
  if (!bytes.ugt(hbmBytes))
    return emitUnimplemented(op) << tensor << " has 2^31 elements or more"
                                 << (llvm::is_contained(tensor.getShape(), 0)
                                         ? " but for sizes of 0"
                                         : "");
  InFlightDiagnostic diagnostic = emitResourceExhausted(op);
  diagnostic << what << ", " << tensor << ", needs "
             << llvm::toString(bytes, /*Radix=*/10, /*Signed=*/false)
             << " bytes of HBM, and a core has " << hbmBytes;
  return diagnostic;
}

LogicalResult checkType(Operation *op, const Twine &what, Type type, int64_t hbmBytes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitUnimplemented(op) << "type " << type << " is not supported; tensors are";
  if (!tensor.hasStaticShape())
    return emitUnimplemented(op) << "dynamic dimensions are not supported: " << type;
  if (!isSupportedElementType(tensor.getElementType()))
    return emitUnimplemented(op)
           << "element type " << tensor.getElementType()
           << " is not supported yet; supported are i1, integers of 2 to 64 "
              "bits, f64, f32, bf16, f16, floats of 4 to 8 bits, complex numbers of f32 or f64 "
              "and quantized types of at most 32 bits that are not of f64";
  if (auto quantized = dyn_cast<quant::UniformQuantizedPerAxisType>(tensor.getElementType())) {
    const int64_t dim = quantized.getQuantizedDimension();
    const auto scales = int64_t(quantized.getScales().size());
    if (dim < 0 || dim >= tensor.getRank() || tensor.getDimSize(dim) != scales)
      return op->emitError() << "expects a scale for each index of dimension " << dim << ", found "
                             << scales << " in " << type;
  }
  for (int64_t zero : zeroPointsOf(tensor.getElementType())) {
    auto quantized = cast<quant::QuantizedType>(tensor.getElementType());
    if (zero < quantized.getStorageTypeMin() || zero > quantized.getStorageTypeMax())
      return op->emitError() << "zero point " << zero << " is outside the range of storage, "
                             << quantized.getStorageTypeMin() << " to "
                             << quantized.getStorageTypeMax() << ", in " << type;
  }
  return checkSize(op, what, tensor, hbmBytes);
}

/// Producers hoist constants, which may then have no source line; one of their users has.
Operation *placed(Operation *op) {
  bool isHoisted = isa<stablehlo::ConstantOp>(op) && sourceLine(op->getLoc()).empty();
  return isHoisted && !op->use_empty() ? *op->user_begin() : op;
}

LogicalResult checkTypes(func::FuncOp function, int64_t hbmBytes) {
  // Functions of a single operation often have no source line, but the operation has one.
  for (BlockArgument argument : function.getArguments()) {
    Operation *reader = argument.use_empty() ? function : *argument.user_begin();
    if (failed(checkType(reader, "argument " + Twine(argument.getArgNumber()), argument.getType(),
                         hbmBytes)))
      return failure();
  }
  WalkResult result = function.walk([&](Operation *op) {
    if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
      for (Value initial : op->getOperands().drop_front(op->getNumOperands() / 2))
        if (auto type = dyn_cast<RankedTensorType>(initial.getType());
            type && type.getRank() != 0) {
          emitUnimplemented(op) << "an initial value with dimensions is not supported: " << type;
          return WalkResult::interrupt();
        }
    for (Value result : op->getResults())
      if (failed(checkType(placed(op), "the result of '" + op->getName().getStringRef() + "'",
                           result.getType(), hbmBytes)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct CheckTypes : impl::CheckTypesBase<CheckTypes> {
  using CheckTypesBase::CheckTypesBase;

  void rewrite() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkTypes(function, hbmBytes)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace systole
