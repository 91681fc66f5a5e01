// The bytecode of attributes and types of a dialect that is defined by its encoding. A length
// allocates nothing before its elements have been read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Coded/Coded.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole::coded {

namespace {

/// Reads the fields of one kind in order.
class Reader {
public:
  Reader(const CodedDialect &dialect, DialectBytecodeReader &in) : dialect(dialect), in(in) {}

  LogicalResult read(const KindInfo *kind) {
    node.kind = kind;
    for (FieldKind field : kind->fields)
      if (failed(read(field)))
        return failure();
    return success();
  }

  NodeBuilder node;

private:
  LogicalResult readList(function_ref<LogicalResult()> element, unsigned each = 1) {
    uint64_t count;
    if (failed(in.readVarInt(count)))
      return failure();
    node.ints.push_back(count);
    for (uint64_t i = 0; i < count; ++i)
      for (unsigned j = 0; j < each; ++j)
        if (failed(element()))
          return failure();
    return success();
  }
  LogicalResult readInt() { return in.readSignedVarInt(node.ints.emplace_back()); }
  LogicalResult readUInt(uint64_t &value) {
    if (failed(in.readVarInt(value)))
      return failure();
    node.ints.push_back(value);
    return success();
  }
  LogicalResult readAttribute() { return in.readAttribute(node.attributes.emplace_back()); }
  LogicalResult readType() { return in.readType(node.types.emplace_back()); }

  LogicalResult readEnum() {
    uint64_t value;
    if (failed(readUInt(value)))
      return failure();
    if (value >= node.kind->cases.size() || node.kind->cases[value].empty())
      return in.emitError() << node.kind->name << " has no value " << value;
    return success();
  }
  LogicalResult readFlaggedInt() {
    uint64_t value;
    bool present;
    if (failed(in.readVarIntWithFlag(value, present)))
      return failure();
    node.ints.append({present, present ? static_cast<int64_t>(value) : 0});
    return success();
  }
  LogicalResult readFloat(const llvm::fltSemantics &semantics) {
    FailureOr<APFloat> value = in.readAPFloatWithKnownSemantics(semantics);
    if (failed(value))
      return failure();
    node.ints.push_back(value->bitcastToAPInt().getZExtValue());
    return success();
  }
  LogicalResult readFloatOfType() {
    auto type = dyn_cast_or_null<FloatType>(dialect.numberType(node.types.back()));
    if (!type || type.getWidth() > 64)
      return in.emitError() << node.types.back() << " is no type of a floating-point number";
    return readFloat(type.getFloatSemantics());
  }
  LogicalResult readIntegerOfType() {
    Type type = dialect.numberType(node.types.back());
    if (!isa_and_nonnull<IntegerType, IndexType>(type))
      return in.emitError() << node.types.back() << " is no type of an integer";
    FailureOr<APInt> value =
        in.readAPIntWithKnownWidth(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
    if (failed(value))
      return failure();
    node.ints.push_back(value->getSExtValue());
    return success();
  }
  LogicalResult readString() {
    StringRef string;
    if (failed(in.readString(string)))
      return failure();
    node.bytes = string.str();
    return success();
  }
  LogicalResult readBlob() {
    ArrayRef<char> blob;
    if (failed(in.readBlob(blob)))
      return failure();
    node.bytes.assign(blob.begin(), blob.end());
    return success();
  }
  LogicalResult readFlaggedAttribute() {
    uint64_t present;
    if (failed(in.readVarInt(present)))
      return failure();
    if (present > 1)
      return in.emitError() << "a flag is " << present;
    if (present)
      return readAttribute();
    node.attributes.push_back({});
    return success();
  }
  LogicalResult readBool() {
    bool value;
    if (failed(in.readBool(value)))
      return failure();
    node.ints.push_back(value);
    return success();
  }

  LogicalResult read(FieldKind field) {
    switch (field) {
    case FieldKind::UInt: {
      uint64_t value;
      return readUInt(value);
    }
    case FieldKind::Int:
      return readInt();
    case FieldKind::Ints:
      return readList([this] { return readInt(); });
    case FieldKind::Bool:
      return readBool();
    case FieldKind::Enum:
      return readEnum();
    case FieldKind::FlaggedInt:
      return readFlaggedInt();
    case FieldKind::Double:
      return readFloat(APFloat::IEEEdouble());
    case FieldKind::Doubles:
      return readList([this] { return readFloat(APFloat::IEEEdouble()); });
    case FieldKind::FloatOfType:
      return readFloatOfType();
    case FieldKind::IntegerOfType:
      return readIntegerOfType();
    case FieldKind::String:
      return readString();
    case FieldKind::Blob:
      return readBlob();
    case FieldKind::Attribute:
      return readAttribute();
    case FieldKind::OptionalAttribute:
      return in.readOptionalAttribute(node.attributes.emplace_back());
    case FieldKind::FlaggedAttribute:
      return readFlaggedAttribute();
    case FieldKind::Attributes:
      return readList([this] { return readAttribute(); });
    case FieldKind::Pairs:
      return readList([this] { return readAttribute(); }, 2);
    case FieldKind::Type:
      return readType();
    case FieldKind::Types:
      return readList([this] { return readType(); });
    }
    llvm_unreachable("unknown kind of field");
  }

  const CodedDialect &dialect;
  DialectBytecodeReader &in;
};

/// Writes the fields of one kind in order, the inverse of Reader.
class Writer {
public:
  Writer(const CodedDialect &dialect, const Node &node, DialectBytecodeWriter &out)
      : dialect(dialect), node(node), out(out) {}

  void write() {
    out.writeVarInt(node.kind->code);
    for (FieldKind field : node.kind->fields)
      write(field);
  }

private:
  int64_t takeInt() { return node.ints[nextInt++]; }
  void writeList(function_ref<void()> element, unsigned each = 1) {
    int64_t count = takeInt();
    out.writeVarInt(count);
    for (int64_t i = 0; i < count * each; ++i)
      element();
  }
  void writeFloat(const llvm::fltSemantics &semantics) {
    out.writeAPFloatWithKnownSemantics(
        APFloat(semantics, APInt(APFloat::getSizeInBits(semantics), takeInt(), false, true)));
  }

  void write(FieldKind field) {
    switch (field) {
    case FieldKind::UInt:
    case FieldKind::Enum:
      return out.writeVarInt(takeInt());
    case FieldKind::Int:
      return out.writeSignedVarInt(takeInt());
    case FieldKind::Ints:
      return writeList([this] { out.writeSignedVarInt(takeInt()); });
    case FieldKind::Bool:
      return out.writeOwnedBool(takeInt());
    case FieldKind::FlaggedInt: {
      bool present = takeInt();
      return out.writeVarIntWithFlag(takeInt(), present);
    }
    case FieldKind::Double:
      return writeFloat(APFloat::IEEEdouble());
    case FieldKind::Doubles:
      return writeList([this] { writeFloat(APFloat::IEEEdouble()); });
    case FieldKind::FloatOfType:
      return writeFloat(
          cast<FloatType>(dialect.numberType(node.types[nextType - 1])).getFloatSemantics());
    case FieldKind::IntegerOfType: {
      Type type = dialect.numberType(node.types[nextType - 1]);
      return out.writeAPIntWithKnownWidth(APInt(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(),
                                                takeInt(), /*isSigned=*/true, true));
    }
    case FieldKind::String:
      return out.writeOwnedString(node.bytes);
    case FieldKind::Blob:
      return out.writeOwnedBlob(ArrayRef<char>(node.bytes.data(), node.bytes.size()));
    case FieldKind::Attribute:
      return out.writeAttribute(node.attributes[nextAttribute++]);
    case FieldKind::OptionalAttribute:
      return out.writeOptionalAttribute(node.attributes[nextAttribute++]);
    case FieldKind::FlaggedAttribute: {
      Attribute attribute = node.attributes[nextAttribute++];
      out.writeVarInt(attribute ? 1 : 0);
      if (attribute)
        out.writeAttribute(attribute);
      return;
    }
    case FieldKind::Attributes:
      return writeList([this] { out.writeAttribute(node.attributes[nextAttribute++]); });
    case FieldKind::Pairs:
      return writeList([this] { out.writeAttribute(node.attributes[nextAttribute++]); }, 2);
    case FieldKind::Type:
      return out.writeType(node.types[nextType++]);
    case FieldKind::Types:
      return writeList([this] { out.writeType(node.types[nextType++]); });
    }
  }

  const CodedDialect &dialect;
  const Node &node;
  DialectBytecodeWriter &out;
  size_t nextInt = 0, nextAttribute = 0, nextType = 0;
};

struct Interface : BytecodeDialectInterface {
  explicit Interface(Dialect *dialect)
      : BytecodeDialectInterface(dialect), dialect(*codedDialect(*dialect)) {}

  Attribute readAttribute(DialectBytecodeReader &in) const override {
    Reader reader(dialect, in);
    uint64_t code;
    if (failed(in.readVarInt(code)))
      return {};
    if (const KindInfo *kind = dialect.attributeKind(code))
      return succeeded(reader.read(kind)) ? dialect.attribute(reader.node.node()) : Attribute();
    in.emitError() << dialect.getNamespace() << " has no attribute with code " << code;
    return {};
  }
  Type readType(DialectBytecodeReader &in) const override {
    Reader reader(dialect, in);
    uint64_t code;
    if (failed(in.readVarInt(code)))
      return {};
    if (const KindInfo *kind = dialect.typeKind(code))
      return succeeded(reader.read(kind)) ? dialect.type(reader.node.node()) : Type();
    in.emitError() << dialect.getNamespace() << " has no type with code " << code;
    return {};
  }
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &out) const override {
    Writer(dialect, dialect.nodeOf(attribute), out).write();
    return success();
  }
  LogicalResult writeType(Type type, DialectBytecodeWriter &out) const override {
    Writer(dialect, dialect.nodeOf(type), out).write();
    return success();
  }

  const CodedDialect &dialect;
};

} // namespace

void addBytecodeInterface(CodedDialect &dialect) { dialect.addInterfaces<Interface>(); }

} // namespace systole::coded
