// Transfers between device and host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole::kernel {

LogicalResult TransferAttr::verify(function_ref<InFlightDiagnostic()> emitError, Direction,
                                   int64_t channel, int64_t array, WordsAttr words, TypeAttr type,
                                   LayoutAttr layout, StringAttr) {
  if (channel < 0)
    return emitError() << "expects a channel of at least 0, found " << channel;
  if (array < 0)
    return emitError() << "expects an array of at least 0, found " << array;
  auto tensor = dyn_cast<RankedTensorType>(type.getValue());
  if (!tensor)
    return emitError() << "expects a tensor, found " << type;
  if (words && tensor.getElementType() != words.planeElement())
    return emitError() << "expects planes of " << words.planeElement() << ", found " << tensor;
  return layout.verifyFor(tensor, emitError);
}

/// Whether `transfer` is followed by its high words.
static bool isOpen(TransferAttr transfer) {
  WordsAttr words = transfer.getWords();
  return words && words.getPlane() == Plane::low &&
         planeCount(TypeAttr::get(words.getElement())) > 1;
}

/// Whether `next` follows `last` over a channel: array 0 first, high words after low ones.
static bool follows(TransferAttr next, TransferAttr last) {
  WordsAttr words = next.getWords();
  bool opened = last && isOpen(last);
  if (!words || words.getPlane() == Plane::low)
    return !opened && next.getArray() == (last ? last.getArray() + 1 : 0);
  return opened && next.getArray() == last.getArray() && next.getType() == last.getType() &&
         next.getLayout() == last.getLayout() && words.getElement() == last.getWords().getElement();
}

LogicalResult verifyTransfers(Operation *op, Attribute attribute) {
  auto emitError = [&] { return op->emitOpError() << "kernel.transfers: "; };
  auto transfers = dyn_cast<ArrayAttr>(attribute);
  if (!transfers || !llvm::all_of(transfers, llvm::IsaPred<TransferAttr>))
    return emitError() << "expects an array of #kernel.transfer";
  llvm::DenseMap<std::pair<uint32_t, int64_t>, TransferAttr> lasts;
  for (auto transfer : transfers.getAsRange<TransferAttr>()) {
    TransferAttr &last = lasts[{uint32_t(transfer.getDirection()), transfer.getChannel()}];
    if (!follows(transfer, last))
      return emitError() << "expects all arrays of a channel in order, found " << transfer;
    last = transfer;
  }
  for (auto [channel, last] : lasts)
    if (isOpen(last))
      return emitError() << "expects high words after " << last;
  return success();
}

std::string nameOfTransfer(TransferAttr transfer) {
  Twine name = stringifyDirection(transfer.getDirection()) + Twine(transfer.getChannel());
  return transfer.getArray() == 0 ? name.str() : (name + "." + Twine(transfer.getArray())).str();
}

/// Whether elements are stored as bytes of another type.
static bool fillsByte(Type element) {
  if (isa<FloatType>(element))
    return element.getIntOrFloatBitWidth() <= 8;
  return element.isInteger(2) || element.isInteger(4);
}

LogicalResult WordsAttr::verify(function_ref<InFlightDiagnostic()> emitError, Plane, Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  if (!element.isInteger(64) && !element.isF64() &&
      !(complex && complex.getElementType().isF32()) && !fillsByte(element))
    return emitError() << "expects integers of 64 bits, f64, complex<f32>, integers of 2 or 4 bits "
                          "or floats of at most 8, found "
                       << element;
  return success();
}

unsigned planeCount(Attribute element) {
  auto type = dyn_cast_or_null<TypeAttr>(element);
  if (!type)
    return 1;
  Type value = type.getValue();
  return isa<ComplexType>(value) || value.getIntOrFloatBitWidth() == 64 ? 2 : 1;
}

Type WordsAttr::planeElement() const {
  if (auto complex = dyn_cast<ComplexType>(getElement()))
    return complex.getElementType();
  if (!fillsByte(getElement()))
    return IntegerType::get(getContext(), 32, IntegerType::Unsigned);
  const bool isSigned = getElement().isSignlessInteger();
  return IntegerType::get(getContext(), 8,
                          isSigned ? IntegerType::Signless : IntegerType::Unsigned);
}

static LogicalResult verifyHostCopy(Operation *op, BufferType type) {
  if (type.getSpace() != Space::hbm)
    return op->emitOpError() << "expects a buffer in hbm, found " << type;
  return success();
}

LogicalResult ToHostOp::verify() { return verifyHostCopy(*this, getBuffer().getType()); }

LogicalResult FromHostOp::verify() { return verifyHostCopy(*this, getBuffer().getType()); }

} // namespace systole::kernel
