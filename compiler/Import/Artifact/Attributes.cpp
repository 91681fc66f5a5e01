// The attributes and types of a bytecode file, decoded on demand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Attributes.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace systole::artifact {

namespace {

/// Users of attributes recurse into them, as the parser does into brackets.
constexpr unsigned kMaxNesting = 512;
/// Attributes that refer to each other repeatedly take few bytes here and gigabytes as text.
constexpr uint64_t kMaxWeight = 1 << 20, kMaxTotal = 1 << 26;

} // namespace

AttributeTable::AttributeTable(const Container &container, MLIRContext &context)
    : container(container), context(context), attributes(container.attributes.size()),
      types(container.types.size()) {}

template <typename T> LogicalResult AttributeTable::decode(const Entry &entry, T &value) {
  if (entry.isText) {
    Bytes bytes = entry.bytes;
    StringRef text;
    if (failed(bytes.readTerminated(text)) || failed(bytes.expectEnd("a text")))
      return failure();
    return container.format->parse(entry.bytes, text, context, value);
  }
  StringRef name = container.dialects[entry.dialect];
  EntryReader reader(*this, entry.bytes);
  if (name == "builtin") {
    if (failed(decodeBuiltin(reader, value)))
      return failure();
  } else if (failed(container.format->decode(reader, name, value))) {
    return failure();
  }
  return reader.bytes.expectEnd("an attribute or type");
}

template <typename T>
LogicalResult AttributeTable::resolve(const Bytes &start, std::vector<Slot<T>> &slots,
                                      const std::vector<Entry> &entries, uint64_t index, T &value) {
  Slot<T> &slot = slots[index];
  if (!slot.value) {
    if (slot.isOpen)
      return start.refuse("an attribute or type contains itself");
    if (depth == kMaxNesting)
      return start.refuse("attributes nest deeper than " + Twine(kMaxNesting));
    uint64_t outer = std::exchange(weight, 1);
    ++depth;
    slot.isOpen = true;
    LogicalResult result = decode(entries[index], slot.value);
    slot.isOpen = false;
    --depth;
    slot.weight = std::exchange(weight, outer);
    if (failed(result))
      return failure();
  }
  value = slot.value;
  weight += slot.weight;
  if (depth == 0) {
    total += weight;
    weight = 0;
  }
  if (weight > kMaxWeight || total > kMaxTotal)
    return start.refuse("attributes contain each other too often");
  return success();
}

LogicalResult AttributeTable::readAttribute(Bytes &bytes, Attribute &attribute) {
  Bytes start = bytes;
  uint64_t index;
  return failure(failed(bytes.readIndex(index, attributes.size(), "attribute")) ||
                 failed(resolve(start, attributes, container.attributes, index, attribute)));
}

LogicalResult AttributeTable::readOptionalAttribute(Bytes &bytes, Attribute &attribute) {
  Bytes start = bytes;
  uint64_t index;
  bool present;
  if (failed(bytes.readVarIntWithFlag(index, present)))
    return failure();
  if (!present)
    return index ? start.refuse("an absent attribute has a number") : success();
  if (index >= attributes.size())
    return start.refuse("attribute " + Twine(index) + " of " + Twine(attributes.size()));
  return resolve(start, attributes, container.attributes, index, attribute);
}

LogicalResult AttributeTable::typeAt(const Bytes &start, uint64_t index, Type &type) {
  if (index >= types.size())
    return start.refuse("type " + Twine(index) + " of " + Twine(types.size()));
  return resolve(start, types, container.types, index, type);
}

LogicalResult AttributeTable::readType(Bytes &bytes, Type &type) {
  Bytes start = bytes;
  uint64_t index;
  return failure(failed(bytes.readVarInt(index)) || failed(typeAt(start, index, type)));
}

InFlightDiagnostic EntryReader::emitError(const Twine &message) const {
  return mlir::emitError(UnknownLoc::get(&table.context), message);
}

FailureOr<APInt> EntryReader::readAPIntWithKnownWidth(unsigned width) {
  uint8_t byte;
  int64_t number;
  if (width > 64)
    return bytes.refuse("an integer of " + Twine(width) + " bits");
  if (width <= 8) {
    if (failed(bytes.readByte(byte)))
      return failure();
    return APInt(width, byte, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  if (failed(bytes.readSignedVarInt(number)))
    return failure();
  return APInt(width, number, /*isSigned=*/true, /*implicitTrunc=*/true);
}

FailureOr<APFloat> EntryReader::readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) {
  FailureOr<APInt> bits = readAPIntWithKnownWidth(APFloat::getSizeInBits(semantics));
  if (failed(bits))
    return failure();
  return APFloat(semantics, *bits);
}

LogicalResult EntryReader::readString(StringRef &result) {
  uint64_t index;
  if (failed(bytes.readIndex(index, table.container.strings.size(), "string")))
    return failure();
  result = table.container.strings[index];
  return success();
}

LogicalResult EntryReader::readBlob(ArrayRef<char> &result) {
  uint64_t size;
  Bytes blob = bytes;
  if (failed(bytes.readVarInt(size)) || failed(bytes.take(size, blob)))
    return failure();
  result = {blob.text().data(), blob.text().size()};
  return success();
}

LogicalResult EntryReader::readBool(bool &result) {
  uint8_t byte;
  if (failed(bytes.readByte(byte)))
    return failure();
  if (byte > 1)
    return bytes.refuse("a boolean is " + Twine(byte));
  result = byte;
  return success();
}

FailureOr<AsmDialectResourceHandle> EntryReader::readResourceHandle() {
  return bytes.refuse("a resource, which " + table.container.format->name() + " do not contain");
}

} // namespace systole::artifact
