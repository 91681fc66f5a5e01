// Shapes and literals of HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Literals.h"
#include "compiler/Import/Hlo/TextParser.h"
#include "compiler/Import/Hlo/Types.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace systole::hlo {

/// The same nesting limit as for protos.
static constexpr unsigned kMaxTupleDepth = 100;

static bool parseLayout(TextLexer &lexer, LayoutProto &layout) {
  if (!lexer.expect("{"))
    return false;
  while (!lexer.peek(':') && !lexer.peek('}')) {
    int64_t dimension;
    if (!lexer.integer(dimension))
      return false;
    layout.add_minor_to_major(dimension);
    lexer.consume(",");
  }
  if (lexer.consume(":")) {
    StringRef rest;
    if (!lexer.skipValue(&rest))
      return false;
    if (rest.contains("T("))
      layout.add_tiles();
    if (rest.contains("D("))
      layout.add_dim_level_types(1);
    if (StringRef space = rest.split("S(").second; !space.empty()) {
      int64_t number;
      if (space.consumeInteger(10, number) || number < 0)
        return lexer.fail("expected the number of a memory space before this");
      layout.set_memory_space(number);
    }
  }
  return lexer.expect("}");
}

static bool parseDimensions(TextLexer &lexer, ShapeProto &shape) {
  return lexer.list(
      [&] {
        int64_t size = -1;
        const bool isUnbounded = lexer.consume("?");
        const bool isDynamic = lexer.consume("<=") || isUnbounded;
        if (!isUnbounded && !lexer.integer(size))
          return false;
        shape.add_dimensions(size);
        shape.add_is_dynamic_dimension(isDynamic);
        return true;
      },
      "[", "]");
}

static bool parseShape(TextLexer &lexer, ShapeProto &shape, unsigned depth) {
  if (depth > kMaxTupleDepth)
    return lexer.fail("tuples nest deeper than " + Twine(kMaxTupleDepth));
  if (lexer.peek('(')) {
    shape.set_element_type(kTuple);
    return lexer.list([&] { return parseShape(lexer, *shape.add_tuple_shapes(), depth + 1); }, "(",
                      ")");
  }
  const size_t start = lexer.at;
  std::optional<int32_t> type = primitiveNamed(lexer.word());
  if (!type) {
    lexer.at = start;
    return lexer.fail("expected the type of an array or tuple");
  }
  shape.set_element_type(*type);
  return parseDimensions(lexer, shape) &&
         (!lexer.peek('{', /*adjoining=*/true) || parseLayout(lexer, *shape.mutable_layout()));
}

bool parseShape(TextLexer &lexer, ShapeProto &shape) { return parseShape(lexer, shape, 0); }

namespace {

template <typename T> bool fits(int64_t value) {
  return value >= int64_t(std::numeric_limits<T>::min()) &&
         value <= int64_t(std::numeric_limits<T>::max());
}

class LiteralParser {
public:
  LiteralParser(TextLexer &lexer, const ShapeProto &shape, LiteralProto &literal)
      : lexer(lexer), shape(shape), literal(literal) {}

  /// Parses the elements along dimension `dimension` and the inner ones.
  bool parse(int dimension) {
    if (dimension == shape.dimensions_size())
      return element();
    int64_t count = 0;
    if (!lexer.list([&] { return ++count <= shape.dimensions(dimension) && parse(dimension + 1); }))
      return lexer.fail("expected " + Twine(shape.dimensions(dimension)) + " elements");
    return count == shape.dimensions(dimension) ||
           lexer.fail("expected " + Twine(shape.dimensions(dimension)) + " elements before this");
  }

private:
  template <typename T> bool integerBytes(std::string &bytes) {
    int64_t value;
    if (!lexer.integer(value))
      return false;
    if (!fits<T>(value))
      return tooLarge();
    T narrow = T(value);
    bytes.append(reinterpret_cast<const char *>(&narrow), sizeof narrow);
    return true;
  }
  template <typename T, typename Field> bool integerField(Field &field) {
    int64_t value;
    if (!lexer.integer(value))
      return false;
    if (!fits<T>(value))
      return tooLarge();
    field.Add(T(value));
    return true;
  }
  bool tooLarge() { return lexer.fail("the number before this does not fit its type"); }

  bool floatBytes(const fltSemantics &semantics, std::string &bytes) {
    double value;
    if (!lexer.real(value))
      return false;
    APFloat rounded(value);
    bool loses;
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    const uint16_t bits = rounded.bitcastToAPInt().getZExtValue();
    const size_t size = APFloat::semanticsSizeInBits(semantics) > 8 ? 2 : 1;
    bytes.append(reinterpret_cast<const char *>(&bits), size);
    return true;
  }
  bool smallBytes(const SmallElements &small) {
    std::string &bytes = *(literal.*small.mutableBytes)();
    return small.semantics ? floatBytes(small.semantics(), bytes) : integerBytes<int8_t>(bytes);
  }
  template <typename Field> bool realField(Field &field) {
    double value;
    if (!lexer.real(value))
      return false;
    field.Add(value);
    return true;
  }
  template <typename Field> bool complexField(Field &field) {
    return lexer.expect("(") && realField(field) && lexer.expect(",") && realField(field) &&
           lexer.expect(")");
  }

  bool predicate() {
    bool value = lexer.consume("1");
    if (!value && !lexer.consume("0") && !lexer.boolean(value))
      return false;
    literal.add_preds(value);
    return true;
  }
  bool unsigned64() {
    uint64_t value;
    const size_t start = lexer.at;
    if (lexer.word().getAsInteger(10, value)) {
      lexer.at = start;
      return lexer.fail("expected an integer");
    }
    literal.add_u64s(value);
    return true;
  }

  bool element() {
    switch (shape.element_type()) {
    case kPred:
      return predicate();
    case 2:
      return integerBytes<int8_t>(*literal.mutable_s8s());
    case 3:
      return integerBytes<int16_t>(*literal.mutable_s16s());
    case kS32:
      return integerField<int32_t>(*literal.mutable_s32s());
    case 5:
      return integerField<int64_t>(*literal.mutable_s64s());
    case 6:
      return integerBytes<uint8_t>(*literal.mutable_u8s());
    case 7:
      return integerBytes<uint16_t>(*literal.mutable_u16s());
    case kU32:
      return integerField<uint32_t>(*literal.mutable_u32s());
    case 9:
      return unsigned64();
    case 10:
      return floatBytes(APFloat::IEEEhalf(), *literal.mutable_f16s());
    case 11:
      return realField(*literal.mutable_f32s());
    case 12:
      return realField(*literal.mutable_f64s());
    case 15:
      return complexField(*literal.mutable_c64s());
    case 16:
      return floatBytes(APFloat::BFloat(), *literal.mutable_bf16s());
    case 18:
      return complexField(*literal.mutable_c128s());
    default:
      if (const SmallElements *small = smallElements(shape.element_type()))
        return smallBytes(*small);
      return lexer.fail("constants of this type are not supported");
    }
  }

  TextLexer &lexer;
  const ShapeProto &shape;
  LiteralProto &literal;
};

} // namespace

bool parseLiteral(TextLexer &lexer, const ShapeProto &shape, LiteralProto &literal) {
  // Elements are listed in row-major order, whatever the layout.
  *literal.mutable_shape() = shape;
  literal.mutable_shape()->clear_layout();
  if (shape.element_type() == kTuple)
    return lexer.list(
        [&] {
          const int part = literal.tuple_literals_size();
          return (part < shape.tuple_shapes_size() ||
                  lexer.fail("the tuple has no such element")) &&
                 parseLiteral(lexer, shape.tuple_shapes(part), *literal.add_tuple_literals());
        },
        "(", ")");
  if (lexer.consume("{...}"))
    return lexer.fail(
        "the elements of the constant before this were left out; dump large constants, "
        "or the module as a proto");
  return LiteralParser(lexer, shape, literal).parse(0);
}

} // namespace systole::hlo
