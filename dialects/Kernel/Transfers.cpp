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

/// Whether `transfer` is followed by another plane of its array.
static bool isOpen(TransferAttr transfer) {
  WordsAttr words = transfer.getWords();
  return words && words.getPlane() + 1 < planeCount(TypeAttr::get(words.getElement()));
}

/// Whether `next` follows `last` over a channel: array 0 first, the planes of each in order.
static bool follows(TransferAttr next, TransferAttr last) {
  WordsAttr words = next.getWords();
  bool opened = last && isOpen(last);
  if (!words || words.getPlane() == 0)
    return !opened && next.getArray() == (last ? last.getArray() + 1 : 0);
  return opened && next.getArray() == last.getArray() && next.getType() == last.getType() &&
         next.getLayout() == last.getLayout() &&
         words.getElement() == last.getWords().getElement() &&
         words.getPlane() == last.getWords().getPlane() + 1;
}

LogicalResult verifyTransfers(Operation *op, ArrayAttr transfers) {
  auto emitError = [&] { return op->emitOpError() << kTransfersAttr << ": "; };
  llvm::DenseMap<std::pair<uint32_t, int64_t>, TransferAttr> lasts;
  for (auto transfer : transfers.getAsRange<TransferAttr>()) {
    TransferAttr &last = lasts[{uint32_t(transfer.getDirection()), transfer.getChannel()}];
    if (!follows(transfer, last))
      return emitError() << "expects all arrays of a channel in order, found " << transfer;
    last = transfer;
  }
  for (auto [channel, last] : lasts)
    if (isOpen(last))
      return emitError() << "expects another plane after " << last;
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

LogicalResult WordsAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned plane,
                                Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  if (complex ? !part.isF32() && !part.isF64()
              : !part.isInteger(64) && !part.isF64() && !fillsByte(part))
    return emitError() << "expects integers of 64 bits, f64, complex numbers of f32 or f64, "
                          "integers of 2 or 4 bits or floats of at most 8, found "
                       << element;
  if (unsigned count = planeCount(TypeAttr::get(element)); plane >= count)
    return emitError() << "expects a plane below " << count << ", found " << plane;
  return success();
}

unsigned planeCount(Attribute element) {
  auto type = dyn_cast_or_null<TypeAttr>(element);
  if (!type)
    return 1;
  auto complex = dyn_cast<ComplexType>(type.getValue());
  Type part = complex ? complex.getElementType() : type.getValue();
  return (complex ? 2 : 1) * std::max(1u, part.getIntOrFloatBitWidth() / 32);
}

Type WordsAttr::planeElement() const {
  auto complex = dyn_cast<ComplexType>(getElement());
  if (complex && complex.getElementType().isF32())
    return complex.getElementType();
  if (complex || !fillsByte(getElement()))
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
