// Products of elements that are stored as integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Small/Quantized.h"
#include "compiler/Graph/Small/Storage.h"

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;

namespace {

/// The dimension of a product's result that is dimension `dim` of its right operand, if there is
/// one.
std::optional<int64_t> resultDim(Operation *op, int64_t dim) {
  auto place = [&](ArrayRef<int64_t> dims) -> std::optional<int64_t> {
    const auto *found = llvm::find(dims, dim);
    return found == dims.end() ? std::nullopt : std::optional<int64_t>(found - dims.begin());
  };
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    if (auto batch = place(dot.getRhsBatchingDims()))
      return batch;
    auto free = place(dot.getRhsFreeDims());
    const int64_t before = dot.getLhsBatchingDims().size() + dot.getLhsFreeDims().size();
    return free ? std::optional(before + *free) : std::nullopt;
  }
  auto dims = cast<ConvolutionOp>(op).getDimensionNumbers();
  return dim == dims.getKernelOutputFeatureDimension()
             ? std::optional(dims.getOutputFeatureDimension())
             : std::nullopt;
}

/// The operand in the narrowest float that represents its numbers.
Value floatsOf(Tensors &t, Value number, Type element) {
  const bool isWide =
      isa<quant::QuantizedType>(element) && storageOf(element).getIntOrFloatBitWidth() > 8;
  return isWide ? number : t.convert(number, t.b.getBF16Type());
}

} // namespace

void lowerProduct(Storage &s, Operation *op) {
  Tensors t(op), after(op->getNextNode());
  after.loc = op->getLoc();
  Value result = op->getResult(0);
  Type element = typeOf(result).getElementType();
  // Scales that are the same for all products of a sum are factors of the sum.
  SmallVector<std::pair<Quantization, std::optional<int64_t>>> factors;
  for (OpOperand &operand : op->getOpOperands()) {
    Type from = s.elementOf(operand.get());
    if (!from)
      continue;
    Value number;
    if (auto quantized = dyn_cast<quant::QuantizedType>(from)) {
      Quantization parameters(quantized);
      std::optional<int64_t> dim;
      if (parameters.axis() && operand.getOperandNumber() == 1)
        dim = resultDim(op, *parameters.axis());
      if (!parameters.axis() || dim) {
        number = floatsOf(t, parameters.centered(t, operand.get()), from);
        factors.emplace_back(std::move(parameters), dim);
      } else {
        number = s.numbersOf(t, operand.get());
      }
    } else {
      number = s.numbersOf(t, operand.get());
      if (isReal(from))
        number = floatsOf(t, number, from);
    }
    operand.set(number);
  }
  if (isStored(element))
    result.setType(typeOf(result).clone(computedType(element)));
  Value value = result;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  for (const auto &[parameters, dim] : factors)
    value = after.apply<MulOp>(value, parameters.scales(after, shapeOf(result), dim));
  for (OpOperand *use : uses)
    use->set(value);
  if (isStored(element))
    s.storeNumbers(value, value, element, /*isExact=*/false);
}

} // namespace systole::small
