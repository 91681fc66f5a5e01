// Converts every constant to a dense elements attribute of its type.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RESOLVECONSTANTS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Little-endian elements in row-major order; an i1 takes one byte.
FailureOr<DenseElementsAttr> readResource(Operation *op, DenseResourceElementsAttr value) {
  DenseResourceElementsHandle handle = value.getRawHandle();
  const AsmResourceBlob *blob = handle.getBlob();
  if (!blob)
    return op->emitError() << "resource '" << handle.getKey() << "' has no data in this file";
  ShapedType type = value.getShapedType();
  ArrayRef<char> data = blob->getData();
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  int64_t elementBits = complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                                : type.getElementTypeBitWidth();
  int64_t elementBytes = llvm::divideCeil(elementBits, 8);
  int64_t expected = type.getNumElements() * elementBytes;
  if (int64_t(data.size()) != expected)
    return op->emitError() << "resource '" << handle.getKey() << "' has " << data.size()
                           << " bytes, but " << type << " takes " << expected;
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<bool> bits;
  for (char byte : data)
    bits.push_back(byte != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(bits));
}

FailureOr<DenseElementsAttr> readElements(Operation *op, ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return readResource(op, resource);
  auto elements = value.tryGetValues<Attribute>();
  if (!elements)
    return op->emitError("expects the elements of its value in this file");
  return DenseElementsAttr::get(value.getShapedType(), llvm::to_vector(*elements));
}

/// A constant of a quantized type is the bits of integers.
void storeQuantized(ConstantOp op) {
  auto quantized = dyn_cast<quant::QuantizedType>(op.getType().getElementType());
  if (!quantized)
    return;
  auto storage =
      IntegerType::get(op.getContext(), quantized.getStorageTypeIntegralWidth(),
                       quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  OpBuilder b(op);
  auto integers =
      ConstantOp::create(b, op.getLoc(), cast<DenseElementsAttr>(op.getValue()).bitcast(storage));
  op.replaceAllUsesWith(
      BitcastConvertOp::create(b, op.getLoc(), op.getType(), integers).getResult());
  op.erase();
}

struct ResolveConstants : impl::ResolveConstantsBase<ResolveConstants> {
  void rewrite() override {
    WalkResult result = getOperation().walk([](ConstantOp op) -> WalkResult {
      if (!isa<DenseElementsAttr>(op.getValue())) {
        FailureOr<DenseElementsAttr> dense = readElements(op, op.getValue());
        if (failed(dense))
          return failure();
        op.setValueAttr(*dense);
      }
      storeQuantized(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
