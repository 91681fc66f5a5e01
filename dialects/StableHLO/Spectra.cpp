// The StableHLO operation of Fourier transforms.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Spectra.cpp.inc"

void StableHLODialect::registerSpectraOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Spectra.cpp.inc"
      >();
}

LogicalResult FftOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> length = adaptor.getFftLength();
  FftType kind = adaptor.getFftType();
  constexpr size_t most = 3; // dimensions
  if (length.empty() || length.size() > most || int64_t(length.size()) > operand.getRank())
    return refuse("requires one to three entries of fft_length, at most one for each dimension, "
                  "but the operand is ",
                  operand, " and fft_length is ", toText(length));
  auto complex = dyn_cast<ComplexType>(operand.getElementType());
  bool isReal = kind == FftType::RFFT;
  if (isReal ? !operand.getElementType().isF32() && !operand.getElementType().isF64() : !complex)
    return refuse("requires elements of f32 or f64 for RFFT, and complex ones for FFT, IFFT and "
                  "IRFFT, but the operand is ",
                  operand);
  SmallVector<int64_t> expected(operand.getShape());
  std::copy(length.begin(), length.end(), expected.end() - length.size());
  auto half = [](int64_t size) { return size == 0 ? 0 : size / 2 + 1; };
  // XLA takes any operand for an empty result, of which JAX makes use: irfft of one element.
  if (kind == FftType::IRFFT)
    expected.back() = expected.back() == 0 ? operand.getShape().back() : half(expected.back());
  if (failed(verifyCompatibleShape(expected, operand.getShape())))
    return refuse("requires an operand of shape ", toText(expected), " for ",
                  stringifyFftType(kind), " with fft_length ", toText(length), ", but it is ",
                  operand);
  SmallVector<int64_t> shape(operand.getShape());
  if (isReal)
    shape.back() = half(length.back());
  else if (kind == FftType::IRFFT)
    shape.back() = length.back();
  Type element = isReal                   ? ComplexType::get(operand.getElementType())
                 : kind == FftType::IRFFT ? complex.getElementType()
                                          : Type(complex);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}
