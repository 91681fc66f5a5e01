// Shardy's text, as JAX writes it into the text of programs with shardings.
//
// Elements of lists may also have the form of coded dialects, in which all of them are printed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingRule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace systole::sdy {

using namespace coded;

namespace {

using Delimiter = AsmParser::Delimiter;

/// How axes along which a tensor is unreduced are to be reduced, as in artifacts.
enum Reduction : int64_t { kSum, kMax, kMin };

/// Parses attributes behind their names. Each function returns null after a diagnostic.
class Reader {
public:
  Reader(const SdyDialect &dialect, AsmParser &in) : dialect(dialect), in(in) {}

  /// `<["x"=2, "y"=4], device_ids=[1, 0, ...]>`
  Attribute mesh();
  /// `<@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"z"}, unreduced=max{"w"}>`
  Attribute sharding();
  /// `[<...>, <...>]`, of which each is a sharding.
  Attribute shardings();
  /// `{"x", "y"}`
  Attribute manualAxes();
  /// The fields behind the name of an attribute; nothing for names without a form of their own.
  std::optional<Attribute> parse(StringRef name);

private:
  /// Appends a list to a node.
  ParseResult list(Delimiter delimiter, NodeBuilder &node, function_ref<Attribute()> element);
  ParseResult ints(NodeBuilder &node);
  Attribute coded() {
    Attribute attribute;
    return in.parseAttribute(attribute) ? Attribute() : attribute;
  }
  Attribute made(const NodeBuilder &node) const { return dialect.attribute(node.node()); }

  Attribute meshAxis();
  Attribute axis();
  Attribute dimension();
  ParseResult axes(NodeBuilder &node) {
    return list(Delimiter::Braces, node, [this] { return axis(); });
  }

  const SdyDialect &dialect;
  AsmParser &in;
};

ParseResult Reader::list(Delimiter delimiter, NodeBuilder &node,
                         function_ref<Attribute()> element) {
  size_t place = node.ints.size();
  node.ints.push_back(0);
  return in.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    ++node.ints[place];
    return success(node.attributes.emplace_back(element()) != nullptr);
  });
}

ParseResult Reader::ints(NodeBuilder &node) {
  size_t place = node.ints.size();
  node.ints.push_back(0);
  return in.parseCommaSeparatedList(Delimiter::Square, [&]() -> ParseResult {
    ++node.ints[place];
    int64_t value;
    if (in.parseInteger(value))
      return failure();
    node.ints.push_back(value);
    return success();
  });
}

Attribute Reader::meshAxis() {
  NodeBuilder node = dialect.builder("mesh_axis");
  if (failed(in.parseOptionalString(&node.bytes)))
    return coded();
  return in.parseEqual() || in.parseInteger(node.ints.emplace_back()) ? Attribute() : made(node);
}

Attribute Reader::mesh() {
  NodeBuilder node = dialect.builder("mesh");
  if (in.parseLess() || list(Delimiter::Square, node, [this] { return meshAxis(); }))
    return {};
  if (failed(in.parseOptionalComma()))
    node.ints.push_back(0);
  else if ((succeeded(in.parseOptionalKeyword("device_ids")) && in.parseEqual()) || ints(node))
    return {};
  return in.parseGreater() ? Attribute() : made(node);
}

/// `"x"`, or a part of an axis, `"x":(1)2`.
Attribute Reader::axis() {
  NodeBuilder node = dialect.builder("axis_ref");
  if (failed(in.parseOptionalString(&node.bytes)))
    return coded();
  Attribute &part = node.attributes.emplace_back();
  if (succeeded(in.parseOptionalColon())) {
    NodeBuilder range = dialect.builder("sub_axis_info");
    range.ints.resize(2);
    if (in.parseLParen() || in.parseInteger(range.ints[0]) || in.parseRParen() ||
        in.parseInteger(range.ints[1]))
      return {};
    part = made(range);
  }
  return made(node);
}

/// `{"x", "y"}`, `{"x", ?}` for one that may get more axes, and a priority, `{"x"}p1`.
Attribute Reader::dimension() {
  if (failed(in.parseOptionalLBrace()))
    return coded();
  NodeBuilder node = dialect.builder("dimension_sharding");
  int64_t count = 0, isClosed = 1;
  while (failed(in.parseOptionalRBrace())) {
    if (count > 0 && in.parseComma())
      return {};
    if (succeeded(in.parseOptionalQuestion())) {
      isClosed = 0;
      if (in.parseRBrace())
        return {};
      break;
    }
    if (!node.attributes.emplace_back(axis()))
      return {};
    ++count;
  }
  node.ints = {count, isClosed, 0, 0};
  StringRef priority;
  SMLoc start = in.getCurrentLocation();
  if (succeeded(in.parseOptionalKeyword(&priority))) {
    node.ints[2] = 1;
    if (!priority.consume_front("p") || priority.getAsInteger(10, node.ints[3])) {
      in.emitError(start, "expected a priority, such as p1");
      return {};
    }
  }
  return made(node);
}

Attribute Reader::sharding() {
  NodeBuilder node = dialect.builder("sharding");
  if (in.parseLess())
    return {};
  if (succeeded(in.parseOptionalKeyword("mesh")))
    node.attributes.push_back(mesh());
  else
    node.attributes.push_back(coded());
  if (!node.attributes.front() || in.parseComma() ||
      list(Delimiter::Square, node, [this] { return dimension(); }))
    return {};
  // Axes of which the tensor has copies, and of which it is a part of a sum.
  NodeBuilder replicated, unreduced;
  int64_t reduction = kSum;
  replicated.ints = unreduced.ints = {0};
  while (succeeded(in.parseOptionalComma())) {
    if (succeeded(in.parseOptionalLSquare())) {
      // The coded form has a list without a name here.
      auto element = [&]() -> ParseResult {
        ++replicated.ints[0];
        return success(replicated.attributes.emplace_back(axis()) != nullptr);
      };
      if (failed(in.parseOptionalRSquare()) &&
          (in.parseCommaSeparatedList(element) || in.parseRSquare()))
        return {};
      continue;
    }
    StringRef name;
    SMLoc start = in.getCurrentLocation();
    if (in.parseKeyword(&name) || in.parseEqual())
      return {};
    if (name != "replicated" && name != "unreduced") {
      in.emitError(start, "expected 'replicated' or 'unreduced'");
      return {};
    }
    NodeBuilder &into = name == "replicated" ? replicated : unreduced;
    if (name == "unreduced")
      reduction = succeeded(in.parseOptionalKeyword("max"))   ? kMax
                  : succeeded(in.parseOptionalKeyword("min")) ? kMin
                                                              : kSum;
    into.ints.clear();
    into.attributes.clear();
    if (axes(into))
      return {};
  }
  if (in.parseGreater())
    return {};
  llvm::append_range(node.ints, replicated.ints);
  llvm::append_range(node.attributes, replicated.attributes);
  if (unreduced.ints[0] > 0) {
    node.kind = dialect.builder(reduction == kSum ? "sharding_v2" : "sharding_v3").kind;
    llvm::append_range(node.ints, unreduced.ints);
    llvm::append_range(node.attributes, unreduced.attributes);
    if (reduction != kSum)
      node.ints.push_back(reduction);
  }
  return made(node);
}

Attribute Reader::shardings() {
  NodeBuilder node = dialect.builder("sharding_per_value");
  auto element = [this] {
    // A sharding without its name begins with what its own parser reads.
    Attribute attribute;
    OptionalParseResult isCoded = in.parseOptionalAttribute(attribute);
    return isCoded.has_value() ? attribute : sharding();
  };
  return list(Delimiter::Square, node, element) ? Attribute() : made(node);
}

Attribute Reader::manualAxes() {
  NodeBuilder node = dialect.builder("manual_axes");
  return list(Delimiter::Braces, node, [this] { return coded(); }) ? Attribute() : made(node);
}

std::optional<Attribute> Reader::parse(StringRef name) {
  if (name == "mesh")
    return mesh();
  if (name == "sharding")
    return sharding();
  if (name == "sharding_per_value") {
    if (in.parseLess())
      return Attribute();
    Attribute list = shardings();
    return list && succeeded(in.parseGreater()) ? list : Attribute();
  }
  if (name == "op_sharding_rule")
    return parseShardingRule(dialect, in);
  return std::nullopt;
}

/// Parses operations in Shardy's form, behind their names.
class OperationReader {
public:
  OperationReader(const SdyDialect &dialect, OpAsmParser &in, OperationState &state)
      : reader(dialect, in), in(in), state(state) {}

  ParseResult parse(StringRef name);

private:
  ParseResult mesh();
  /// An operand, an attribute of the operation, and the operand's type, which a result has, too.
  ParseResult unary(StringRef field, function_ref<Attribute()> attribute, bool hasResult);
  ParseResult computation(bool isManual);
  ParseResult end();
  ParseResult set(StringRef field, Attribute value) {
    fields.emplace_back(in.getBuilder().getStringAttr(field), value);
    return success(value != nullptr);
  }
  ParseResult shardings(StringRef field, bool isOptional) {
    if (failed(in.parseOptionalKeyword(field)))
      return isOptional ? success()
                        : in.emitError(in.getCurrentLocation(), "expected '" + field + "'");
    return failure(in.parseEqual() || set(field, reader.shardings()));
  }

  Reader reader;
  OpAsmParser &in;
  OperationState &state;
  SmallVector<NamedAttribute> fields;
};

ParseResult OperationReader::parse(StringRef name) {
  ParseResult result = success();
  if (name == "mesh")
    result = mesh();
  else if (name == "sharding_constraint" || name == "reshard")
    result = unary("sharding", [this] { return reader.sharding(); }, /*hasResult=*/true);
  else if (name == "sharding_group")
    result = unary(
        "group_id",
        [this]() -> Attribute {
          int64_t group;
          if (in.parseKeyword("group_id") || in.parseEqual() || in.parseInteger(group))
            return {};
          return in.getBuilder().getI64IntegerAttr(group);
        },
        /*hasResult=*/false);
  else if (name == "manual_computation" || name == "named_computation")
    result = computation(name == "manual_computation");
  else
    return end();
  if (!fields.empty())
    state.propertiesAttr = in.getBuilder().getDictionaryAttr(fields);
  return result;
}

ParseResult OperationReader::mesh() {
  StringAttr symbol;
  if (in.parseSymbolName(symbol) || in.parseEqual() || set("mesh", reader.mesh()))
    return failure();
  fields.emplace_back(in.getBuilder().getStringAttr("sym_name"), symbol);
  return in.parseOptionalAttrDict(state.attributes);
}

ParseResult OperationReader::unary(StringRef field, function_ref<Attribute()> attribute,
                                   bool hasResult) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  if (in.parseOperand(operand) || set(field, attribute()) ||
      in.parseOptionalAttrDict(state.attributes) || in.parseColonType(type) ||
      in.resolveOperand(operand, type, state.operands))
    return failure();
  if (hasResult)
    state.addTypes(type);
  return success();
}

ParseResult OperationReader::computation(bool isManual) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  std::string name;
  FunctionType type;
  SMLoc start = in.getCurrentLocation();
  if (!isManual) {
    if (in.parseLess() || in.parseString(&name) || in.parseGreater())
      return failure();
    fields.emplace_back(in.getBuilder().getStringAttr("name"), in.getBuilder().getStringAttr(name));
  }
  if (in.parseOperandList(operands, Delimiter::Paren) || shardings("in_shardings", !isManual) ||
      shardings("out_shardings", !isManual))
    return failure();
  if (isManual && (in.parseKeyword("manual_axes") || in.parseEqual() ||
                   set("manual_axes", reader.manualAxes())))
    return failure();
  Region *body = state.addRegion();
  if (in.parseArgumentList(arguments, Delimiter::Paren, /*allowType=*/true) ||
      in.parseRegion(*body, arguments) || in.parseOptionalAttrDict(state.attributes) ||
      in.parseColonType(type) ||
      in.resolveOperands(operands, type.getInputs(), start, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

/// `sdy.return %0, %1 : tensor<...>, tensor<...>`
ParseResult OperationReader::end() {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc start = in.getCurrentLocation();
  return failure(in.parseOperandList(operands) || in.parseOptionalAttrDict(state.attributes) ||
                 (!operands.empty() && in.parseColonTypeList(types)) ||
                 in.resolveOperands(operands, types, start, state.operands));
}

} // namespace

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef name;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  if (std::optional<Attribute> attribute = Reader(*this, parser).parse(name))
    return *attribute;
  return parseFields(name, start, parser);
}

ParseResult SdyDialect::parseOperation(OpAsmParser &parser, OperationState &state) const {
  return OperationReader(*this, parser, state).parse(state.name.stripDialect());
}

} // namespace systole::sdy
