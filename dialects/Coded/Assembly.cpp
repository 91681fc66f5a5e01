// The text of attributes and types of a dialect that is defined by its encoding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Coded/Coded.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole::coded {

namespace {

constexpr StringRef kMissing = "none";

/// Prints the fields of a node in order.
class Printer {
public:
  Printer(const Node &node, AsmPrinter &out) : node(node), out(out) {}

  void print() {
    out << node.kind->name;
    if (node.kind->fields.empty())
      return;
    out << '<';
    llvm::interleaveComma(node.kind->fields, out, [this](FieldKind kind) { print(kind); });
    out << '>';
  }

private:
  void printList(function_ref<void()> element, unsigned each = 1) {
    out << '[';
    int64_t count = node.ints[nextInt++] * each;
    for (int64_t i = 0; i < count; ++i) {
      if (i)
        out << ", ";
      element();
    }
    out << ']';
  }
  void printInt() { out << node.ints[nextInt++]; }
  void printAttribute() {
    if (Attribute attribute = node.attributes[nextAttribute++])
      out << attribute;
    else
      out << kMissing;
  }
  void printType() { out << node.types[nextType++]; }

  void print(FieldKind kind) {
    switch (kind) {
    case FieldKind::Enum:
      out << node.kind->cases[node.ints[nextInt++]];
      return;
    case FieldKind::FlaggedInt:
      if (node.ints[nextInt++])
        printInt();
      else
        out << kMissing, ++nextInt;
      return;
    case FieldKind::Ints:
    case FieldKind::Doubles:
      return printList([this] { printInt(); });
    case FieldKind::String:
      return out.printString(node.bytes);
    case FieldKind::Blob:
      out << "\"0x" << llvm::toHex(node.bytes) << '"';
      return;
    case FieldKind::Attribute:
    case FieldKind::OptionalAttribute:
    case FieldKind::FlaggedAttribute:
      return printAttribute();
    case FieldKind::Attributes:
      return printList([this] { printAttribute(); });
    case FieldKind::Pairs:
      return printList([this] { printAttribute(); }, 2);
    case FieldKind::Type:
      return printType();
    case FieldKind::Types:
      return printList([this] { printType(); });
    default:
      return printInt();
    }
  }

  const Node &node;
  AsmPrinter &out;
  size_t nextInt = 0, nextAttribute = 0, nextType = 0;
};

/// Parses the text that Printer prints.
class Parser {
public:
  Parser(const CodedDialect &dialect, const KindInfo *kind, AsmParser &in)
      : dialect(dialect), in(in) {
    node.kind = kind;
  }

  ParseResult parse() {
    if (node.kind->fields.empty())
      return success();
    if (in.parseLess())
      return failure();
    for (auto [i, kind] : llvm::enumerate(node.kind->fields))
      if ((i && in.parseComma()) || parse(kind))
        return failure();
    return in.parseGreater();
  }

  NodeBuilder node;

private:
  ParseResult parseList(function_ref<ParseResult()> element, unsigned each = 1) {
    size_t place = node.ints.size();
    node.ints.push_back(0);
    int64_t count = 0;
    SMLoc start = in.getCurrentLocation();
    if (in.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          ++count;
          return element();
        }))
      return failure();
    if (count % each)
      return in.emitError(start, "expected alternating names and values");
    node.ints[place] = count / each;
    return success();
  }
  ParseResult parseInt() { return in.parseInteger(node.ints.emplace_back()); }
  ParseResult parseAttribute(bool required = true) {
    Attribute &attribute = node.attributes.emplace_back();
    if (!required && succeeded(in.parseOptionalKeyword(kMissing)))
      return success();
    return in.parseAttribute(attribute);
  }
  ParseResult parseType() { return in.parseType(node.types.emplace_back()); }

  ParseResult parseEnum() {
    StringRef name;
    SMLoc start = in.getCurrentLocation();
    if (in.parseKeyword(&name))
      return failure();
    for (auto [value, known] : llvm::enumerate(node.kind->cases))
      if (!known.empty() && known == name) {
        node.ints.push_back(value);
        return success();
      }
    return in.emitError(start, "'") << name << "' is no value of " << node.kind->name;
  }
  ParseResult parseFlaggedInt() {
    if (succeeded(in.parseOptionalKeyword(kMissing))) {
      node.ints.append(2, 0);
      return success();
    }
    node.ints.push_back(1);
    return parseInt();
  }
  ParseResult parseBlob() {
    std::string text;
    SMLoc start = in.getCurrentLocation();
    if (in.parseString(&text))
      return failure();
    StringRef digits = text;
    if (!digits.consume_front("0x") || !llvm::tryGetFromHex(digits, node.bytes))
      return in.emitError(start, "expected a string of hexadecimal digits that starts with 0x");
    return success();
  }

  template <typename... Number> ParseResult parseNumberOfType() {
    if (!isa_and_nonnull<Number...>(dialect.numberType(node.types.back())))
      return in.emitError(in.getCurrentLocation(), "no number has the type ") << node.types.back();
    return parseInt();
  }

  ParseResult parse(FieldKind kind) {
    switch (kind) {
    case FieldKind::FloatOfType:
      return parseNumberOfType<FloatType>();
    case FieldKind::IntegerOfType:
      return parseNumberOfType<IntegerType, IndexType>();
    case FieldKind::Enum:
      return parseEnum();
    case FieldKind::FlaggedInt:
      return parseFlaggedInt();
    case FieldKind::Ints:
    case FieldKind::Doubles:
      return parseList([this] { return parseInt(); });
    case FieldKind::String:
      return in.parseString(&node.bytes);
    case FieldKind::Blob:
      return parseBlob();
    case FieldKind::Attribute:
      return parseAttribute();
    case FieldKind::OptionalAttribute:
    case FieldKind::FlaggedAttribute:
      return parseAttribute(/*required=*/false);
    case FieldKind::Attributes:
      return parseList([this] { return parseAttribute(); });
    case FieldKind::Pairs:
      return parseList([this] { return parseAttribute(); }, 2);
    case FieldKind::Type:
      return parseType();
    case FieldKind::Types:
      return parseList([this] { return parseType(); });
    default:
      return parseInt();
    }
  }

  const CodedDialect &dialect;
  AsmParser &in;
};

/// Parses the fields of the kind with a name that stands at `start`; nothing after a diagnostic.
std::optional<NodeBuilder> parseNode(const CodedDialect &dialect, ArrayRef<KindInfo> kinds,
                                     StringRef name, SMLoc start, AsmParser &in) {
  const auto *kind = llvm::find_if(kinds, [&](const KindInfo &kind) { return kind.name == name; });
  if (kind == kinds.end()) {
    in.emitError(start, "'") << name << "' is not known";
    return std::nullopt;
  }
  Parser parser(dialect, kind, in);
  if (parser.parse())
    return std::nullopt;
  return std::move(parser.node);
}

} // namespace

Attribute CodedDialect::parseFields(StringRef name, SMLoc start, AsmParser &parser) const {
  std::optional<NodeBuilder> parsed = parseNode(*this, tables.attributes, name, start, parser);
  return parsed ? attribute(parsed->node()) : Attribute();
}

Attribute CodedDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef name;
  SMLoc start = parser.getCurrentLocation();
  return parser.parseKeyword(&name) ? Attribute() : parseFields(name, start, parser);
}

Type CodedDialect::parseType(DialectAsmParser &parser) const {
  StringRef name;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  std::optional<NodeBuilder> parsed = parseNode(*this, tables.types, name, start, parser);
  return parsed ? type(parsed->node()) : Type();
}

void CodedDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  Printer(nodeOf(attribute), printer).print();
}

void CodedDialect::printType(Type type, DialectAsmPrinter &printer) const {
  Printer(nodeOf(type), printer).print();
}

} // namespace systole::coded
