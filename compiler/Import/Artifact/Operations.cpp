// The operations of a bytecode file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Operations.h"

#include "dialects/Coded/Coded.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

using namespace mlir;

namespace systole::artifact {

namespace {

/// Later passes recurse into regions.
constexpr unsigned kMaxRegions = 128;

/// Bits of the encoding mask of an operation.
enum Part : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseOrders = 32,
  kHasProperties = 64,
};

/// The range of value numbers of a region. A region's own values follow those of the enclosing
/// regions; those of nested regions come after them.
struct Scope {
  std::vector<Value> values;
  size_t next = 0;
};

class OperationReader {
public:
  explicit OperationReader(AttributeTable &table)
      : table(table), container(table.container), context(&table.context) {}

  OwningOpRef<ModuleOp> read() {
    Bytes bytes = *container.operations;
    Block block;
    Scope scope;
    uint64_t operations;
    bool hasArguments;
    if (failed(bytes.readCountWithFlag(operations, hasArguments, "operations")))
      return nullptr;
    if (operations != 1 || hasArguments)
      return (void)bytes.refuse("one module is expected"), nullptr;
    if (failed(readOperation(bytes, block, scope)) || failed(bytes.expectEnd("the operations")))
      return nullptr;
    auto module = dyn_cast<ModuleOp>(block.front());
    if (!module)
      return (void)bytes.refuse("one module is expected"), nullptr;
    module->remove();
    return module;
  }

private:
  LogicalResult readOperation(Bytes &bytes, Block &block, Scope &scope);
  LogicalResult readProperties(Bytes &bytes, const OperationEntry &entry, OperationState &state);
  /// Older encodings store properties among the attributes.
  void addAttributes(DictionaryAttr attributes, OperationState &state);
  LogicalResult readRegions(Bytes &bytes, Operation *op, uint64_t regions, Scope &scope);
  LogicalResult readRegion(Bytes &bytes, Region &region, Scope &scope);
  LogicalResult readArguments(Bytes &bytes, Block &block, Scope &scope);
  LogicalResult skipUseOrders(Bytes &bytes, uint64_t values);

  LogicalResult define(const Bytes &start, Scope &scope, Value value) {
    if (scope.next == scope.values.size())
      return start.refuse("more values than the region declares");
    scope.values[scope.next++] = value;
    return success();
  }

  AttributeTable &table;
  const Container &container;
  MLIRContext *context;
  unsigned depth = 0;
};

LogicalResult OperationReader::readProperties(Bytes &bytes, const OperationEntry &entry,
                                              OperationState &state) {
  Bytes start = bytes;
  uint64_t index;
  if (!entry.hasEncodedProperties)
    return start.refuse("properties of an operation that MLIR does not know");
  if (failed(bytes.readIndex(index, container.properties.size(), "properties")))
    return failure();
  Bytes content = container.properties[index];
  auto readOptional = [&](StringRef name) {
    Attribute value;
    if (failed(table.readOptionalAttribute(content, value)))
      return failure();
    if (value)
      state.addAttribute(name, value);
    return success();
  };
  if (coded::operationInfo(state.name)) {
    EntryReader reader(table, content);
    auto *interface = state.name.getInterface<BytecodeOpInterface>();
    if (interface && failed(interface->readProperties(reader, state)))
      return content.refuse("the properties of '" + state.name.getStringRef() +
                            "' are not understood");
    content = reader.bytes;
  } else if (state.name.getStringRef() == ModuleOp::getOperationName()) {
    for (StringRef name : {"sym_name", "sym_visibility"})
      if (failed(readOptional(name)))
        return failure();
  }
  return content.expectEnd("the properties");
}

void OperationReader::addAttributes(DictionaryAttr attributes, OperationState &state) {
  const coded::OpInfo *info = coded::operationInfo(state.name);
  if (!info || container.encoding >= kProperties)
    return state.addAttributes(attributes.getValue());
  SmallVector<NamedAttribute> fields;
  for (NamedAttribute attribute : attributes) {
    bool isField = llvm::any_of(info->fields, [&](const coded::OpField &field) {
      return field.name == attribute.getName().strref();
    });
    if (isField)
      fields.push_back(attribute);
    else
      state.addAttribute(attribute.getName(), attribute.getValue());
  }
  if (!fields.empty())
    state.propertiesAttr = DictionaryAttr::get(context, fields);
}

LogicalResult OperationReader::skipUseOrders(Bytes &bytes, uint64_t values) {
  uint64_t count = 1, index, indices;
  bool areFlagged;
  if (values > 1 && failed(bytes.readCount(count, "orders of uses")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    if ((values > 1 && failed(bytes.readVarInt(index))) ||
        failed(bytes.readCountWithFlag(indices, areFlagged, "uses")))
      return failure();
    for (uint64_t j = 0; j < indices; ++j)
      if (failed(bytes.readVarInt(index)))
        return failure();
  }
  return success();
}

LogicalResult OperationReader::readArguments(Bytes &bytes, Block &block, Scope &scope) {
  uint64_t count;
  if (failed(bytes.readCount(count, "arguments")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    Bytes start = bytes;
    // A type's number, shifted by one bit that tells whether a location follows.
    uint64_t number;
    bool hasLocation = true;
    if (failed(container.encoding < kPlainArguments
                   ? bytes.readVarInt(number)
                   : bytes.readVarIntWithFlag(number, hasLocation)))
      return failure();
    Type type;
    LocationAttr location = UnknownLoc::get(context);
    if (failed(table.typeAt(start, number, type)) ||
        (hasLocation && failed(table.readAs(bytes, location, "a location"))) ||
        failed(define(start, scope, block.addArgument(type, Location(location)))))
      return failure();
  }
  uint8_t hasUseOrders = 0;
  if (container.encoding >= kUseOrders && failed(bytes.readByte(hasUseOrders)))
    return failure();
  return hasUseOrders ? skipUseOrders(bytes, count) : success();
}

LogicalResult OperationReader::readRegion(Bytes &bytes, Region &region, Scope &scope) {
  Bytes start = bytes;
  uint64_t blocks, values, operations;
  bool hasArguments;
  if (failed(bytes.readVarInt(blocks)))
    return failure();
  if (blocks == 0)
    return success();
  if (blocks > 1)
    return start.refuse("a region with " + Twine(blocks) + " blocks, of which " +
                        container.format->name() + " have one");
  start = bytes;
  if (failed(bytes.readCount(values, "values")) ||
      failed(bytes.readCountWithFlag(operations, hasArguments, "operations")))
    return failure();
  size_t outerEnd = scope.values.size(), outerNext = scope.next;
  // Each value takes one more byte, as do those of the enclosing regions yet to come.
  if (outerEnd + values > container.operations->size())
    return start.refuse("more values than there are bytes");
  scope.values.resize(outerEnd + values);
  scope.next = outerEnd;
  Block &block = region.emplaceBlock();
  if (hasArguments && failed(readArguments(bytes, block, scope)))
    return failure();
  for (uint64_t i = 0; i < operations; ++i)
    if (failed(readOperation(bytes, block, scope)))
      return failure();
  if (scope.next != scope.values.size())
    return start.refuse(Twine(values) + " values are declared, there are " +
                        Twine(scope.next - outerEnd));
  scope.values.resize(outerEnd);
  scope.next = outerNext;
  return success();
}

LogicalResult OperationReader::readRegions(Bytes &bytes, Operation *op, uint64_t regions,
                                           Scope &scope) {
  if (depth == kMaxRegions)
    return bytes.refuse("regions nest deeper than " + Twine(kMaxRegions));
  ++depth;
  for (uint64_t i = 0; i < regions; ++i)
    if (failed(readRegion(bytes, op->getRegion(i), scope)))
      return failure();
  --depth;
  return success();
}

LogicalResult OperationReader::readOperation(Bytes &bytes, Block &block, Scope &scope) {
  Bytes start = bytes;
  uint64_t name, count;
  uint8_t parts;
  LocationAttr location;
  if (failed(bytes.readIndex(name, container.operationNames.size(), "name")) ||
      failed(bytes.readByte(parts)) || failed(table.readAs(bytes, location, "a location")))
    return failure();
  const OperationEntry &entry = container.operationNames[name];
  FailureOr<OperationName> known = container.format->operationName(
      container.dialects[entry.dialect], entry.name, Location(location));
  if (failed(known))
    return failure();
  OperationState state(Location(location), *known);
  if (parts & kHasAttributes) {
    DictionaryAttr attributes;
    if (failed(table.readAs(bytes, attributes, "a dictionary")))
      return failure();
    addAttributes(attributes, state);
  }
  if ((parts & kHasProperties) && failed(readProperties(bytes, entry, state)))
    return failure();
  if (parts & kHasResults) {
    if (failed(bytes.readCount(count, "results")))
      return failure();
    for (uint64_t i = 0; i < count; ++i) {
      Type type;
      if (failed(table.readType(bytes, type)))
        return failure();
      state.types.push_back(type);
    }
  }
  if (parts & kHasOperands) {
    if (failed(bytes.readCount(count, "operands")))
      return failure();
    for (uint64_t i = 0; i < count; ++i) {
      Bytes operand = bytes;
      uint64_t value;
      if (failed(bytes.readIndex(value, scope.values.size(), "value")))
        return failure();
      if (!scope.values[value])
        return operand.refuse("value " + Twine(value) + " is used before it is defined");
      state.operands.push_back(scope.values[value]);
    }
  }
  if (parts & kHasSuccessors)
    return start.refuse("an operation with successors, which " + container.format->name() +
                        " do not contain");
  if ((parts & kHasUseOrders) && failed(skipUseOrders(bytes, state.types.size())))
    return failure();
  bool areIsolated = false;
  uint64_t regions = 0;
  if (parts & kHasRegions) {
    if (failed(bytes.readCountWithFlag(regions, areIsolated, "regions")))
      return failure();
    for (uint64_t i = 0; i < regions; ++i)
      state.addRegion();
  }
  FailureOr<Operation *> created = container.format->create(state);
  if (failed(created))
    return failure();
  Operation *op = *created;
  block.push_back(op);
  if (areIsolated && container.encoding < kSectionsOfRegions) {
    Scope own;
    if (failed(readRegions(bytes, op, regions, own)))
      return failure();
  } else if (areIsolated) {
    Section section;
    Bytes content = bytes;
    if (failed(readSection(bytes, section, content)))
      return failure();
    if (section != Section::Operations)
      return content.refuse("the regions of an operation are expected");
    Scope own;
    if (failed(readRegions(content, op, regions, own)) ||
        failed(content.expectEnd("the regions of an operation")))
      return failure();
  } else if (failed(readRegions(bytes, op, regions, scope))) {
    return failure();
  }
  for (Value result : op->getResults())
    if (failed(define(start, scope, result)))
      return failure();
  return success();
}

} // namespace

OwningOpRef<ModuleOp> readOperations(AttributeTable &table) {
  return OperationReader(table).read();
}

} // namespace systole::artifact
