// Attributes and types in Mosaic's serialized form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Attributes.h"
#include "compiler/Import/Elements.h"
#include "compiler/Import/Mosaic/Serialized.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using namespace artifact;

namespace {

/// The codes of builtin types that portable artifacts do not have.
enum TypeCode : uint64_t {
  kMemRefType = 10,
  kMemRefTypeWithSpace = 11,
  kVectorType = 19,
};

/// The first version whose constants of i1 have a byte for each element, not a bit.
constexpr int64_t kBytesOfPredicates = 10;
/// Limits of what MLIR's parser gets, which recurses into brackets.
constexpr size_t kMaxText = 4096, kMaxBrackets = 16;
/// Elements of a memref or vector: sizes in bits do not overflow.
constexpr int64_t kMaxElements = int64_t(1) << 48;

/// Whether a text is short, flat, and begins like one that modules have.
bool isExpected(StringRef text, ArrayRef<StringRef> prefixes) {
  size_t depth = 0;
  for (char c : text) {
    if (StringRef("<([{").contains(c) && ++depth > kMaxBrackets)
      return false;
    if (StringRef(">)]}").contains(c) && depth)
      --depth;
  }
  return text.size() <= kMaxText &&
         llvm::any_of(prefixes, [&](StringRef prefix) { return text.starts_with(prefix); });
}

LogicalResult refuseText(const Bytes &start, StringRef kind, StringRef text) {
  return start.refuse(kind + " '" + text.take_front(80) + "' is not supported in Mosaic modules");
}

LogicalResult checkShape(const Bytes &start, ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) &&
        (size < 0 || llvm::MulOverflow(elements, size, elements) || elements > kMaxElements))
      return start.refuse("a shape of more than 2^48 elements, or with a negative size");
  return success();
}

} // namespace

LogicalResult SerializedMosaic::parse(const Bytes &start, StringRef text, MLIRContext &context,
                                      Attribute &attribute) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  if (isExpected(text, {"#tpu.", "#arith.", "#vector.", "affine_map<", "strided<"}))
    attribute = parseAttribute(text, &context, /*type=*/{}, /*numRead=*/nullptr,
                               /*isKnownNullTerminated=*/true);
  return attribute ? success() : refuseText(start, "attribute", text);
}

LogicalResult SerializedMosaic::parse(const Bytes &start, StringRef text, MLIRContext &context,
                                      Type &type) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  // Names without brackets are of floats for which the writer's MLIR has no code.
  if (isExpected(text, {"!tpu."}) || (!text.empty() && llvm::all_of(text, llvm::isAlnum)))
    type = parseType(text, &context, /*numRead=*/nullptr, /*isKnownNullTerminated=*/true);
  return type ? success() : refuseText(start, "type", text);
}

LogicalResult SerializedMosaic::decode(EntryReader &reader, StringRef dialect, Attribute &) {
  return reader.bytes.refuse("an encoded attribute of '" + dialect +
                             "', which Mosaic modules do not contain");
}
LogicalResult SerializedMosaic::decode(EntryReader &reader, StringRef dialect, Type &) {
  return reader.bytes.refuse("an encoded type of '" + dialect +
                             "', which Mosaic modules do not contain");
}

LogicalResult SerializedMosaic::decodeBuiltin(EntryReader &reader, uint64_t code, Type &type) {
  if (code != kMemRefType && code != kMemRefTypeWithSpace && code != kVectorType)
    return Format::decodeBuiltin(reader, code, type);
  Bytes start = reader.bytes;
  Attribute space, layout;
  SmallVector<int64_t> shape;
  uint64_t rank;
  Type element;
  if ((code == kMemRefTypeWithSpace && failed(reader.readAttribute(space))) ||
      failed(reader.bytes.readCount(rank, "dimensions")))
    return failure();
  for (uint64_t i = 0; i < rank; ++i)
    if (failed(reader.readSignedVarInt(shape.emplace_back())))
      return failure();
  if (failed(checkShape(start, shape)) || failed(reader.readType(element)))
    return failure();
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(reader.getContext())); };
  if (code == kVectorType) {
    type = VectorType::getChecked(emitError, shape, element);
    return type ? success() : start.refuse("not a vector type");
  }
  if (failed(reader.readAttribute(layout)))
    return failure();
  auto checkedLayout = dyn_cast<MemRefLayoutAttrInterface>(layout);
  if (!checkedLayout)
    return start.refuse("a memref whose layout is none");
  // The elements of other maps would not be in the order that their indices suggest.
  if (isa<AffineMapAttr>(layout) && !checkedLayout.isIdentity())
    return start.refuse("a memref with a layout other than the identity, strides or tiles");
  type = MemRefType::getChecked(emitError, shape, element, checkedLayout, space);
  return type ? success() : start.refuse("not a memref type");
}

DenseElementsAttr SerializedMosaic::elementsFrom(Type type, ArrayRef<char> bytes) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return Format::elementsFrom(type, bytes);
  if (!vector.getElementType().isInteger(1)) {
    bool isSplat = false;
    return vector.getElementType().isIntOrIndexOrFloat() &&
                   DenseElementsAttr::isValidRawBuffer(vector, bytes, isSplat)
               ? DenseElementsAttr::getFromRawBuffer(vector, bytes)
               : DenseElementsAttr();
  }
  if (version < kBytesOfPredicates) {
    auto tensor = RankedTensorType::get(vector.getShape(), vector.getElementType());
    DenseElementsAttr elements = predicatesFrom(tensor, bytes);
    return elements ? elements.reshape(vector) : elements;
  }
  // One byte for all elements, or one for each.
  if (bytes.size() != 1 && int64_t(bytes.size()) != vector.getNumElements())
    return {};
  SmallVector<bool> values;
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(vector, values);
}

} // namespace systole
