// The text of sharding rules.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Sdy/ShardingRule.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole::sdy {

using namespace coded;

namespace {

using Delimiter = AsmParser::Delimiter;

class RuleReader {
public:
  RuleReader(const SdyDialect &dialect, AsmParser &in)
      : dialect(dialect), in(in), rule(dialect.builder("op_sharding_rule")) {}

  Attribute parse();

private:
  /// Factors of a rule are i, j, ... z, z_1, z_2, ...: numbers from 0 on.
  ParseResult factor(StringRef &text, SMLoc start, int64_t &number);
  /// `{i, k}`
  ParseResult factors(SmallVectorImpl<int64_t> &numbers);
  /// `{i=2, k=4}`, of all factors in ascending order.
  ParseResult sizes();
  /// `[i, jk]`: of each dimension of a tensor the factors, from major to minor.
  ParseResult tensor(SmallVectorImpl<Attribute> &tensors);
  ParseResult dimension(NodeBuilder &tensor);
  /// `->([i, j]) {i=8, j=16} reduction={k}, custom`, behind the mappings of the operands.
  ParseResult behindOperands(ArrayRef<Attribute> operands);
  /// The factors of a kind, if there are any.
  ParseResult kind(StringRef name);
  ParseResult codedFields();

  /// Appends a list to the rule.
  ParseResult list(Delimiter delimiter, function_ref<ParseResult()> element) {
    size_t place = rule.ints.size();
    rule.ints.push_back(0);
    return in.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
      ++rule.ints[place];
      return element();
    });
  }

  const SdyDialect &dialect;
  AsmParser &in;
  NodeBuilder rule;
};

ParseResult RuleReader::factor(StringRef &text, SMLoc start, int64_t &number) {
  constexpr char kFirst = 'i', kLast = 'z';
  if (text.empty() || text.front() < kFirst || text.front() > kLast)
    return in.emitError(start, "expected factors from i to z, z_1, z_2, ...");
  number = text.front() - kFirst;
  text = text.drop_front();
  if (number < kLast - kFirst || !text.consume_front("_"))
    return success();
  StringRef digits = text.take_while([](char c) { return llvm::isDigit(c); });
  int64_t behind;
  if (digits.getAsInteger(10, behind) || behind < 1 || behind > INT32_MAX)
    return in.emitError(start, "expected factors from i to z, z_1, z_2, ...");
  text = text.drop_front(digits.size());
  number += behind;
  return success();
}

ParseResult RuleReader::factors(SmallVectorImpl<int64_t> &numbers) {
  return in.parseCommaSeparatedList(Delimiter::Braces, [&]() -> ParseResult {
    StringRef text;
    SMLoc start = in.getCurrentLocation();
    if (in.parseKeyword(&text) || factor(text, start, numbers.emplace_back()))
      return failure();
    return text.empty() ? success() : in.emitError(start, "expected one factor");
  });
}

ParseResult RuleReader::sizes() {
  int64_t expected = 0;
  auto size = [&]() -> ParseResult {
    StringRef text;
    SMLoc start = in.getCurrentLocation();
    int64_t number;
    if (in.parseKeyword(&text) || factor(text, start, number))
      return failure();
    if (!text.empty() || number != expected++)
      return in.emitError(start, "expected the sizes of all factors, from i on");
    return failure(in.parseEqual() || in.parseInteger(rule.ints.emplace_back()));
  };
  return list(Delimiter::OptionalBraces, size);
}

ParseResult RuleReader::dimension(NodeBuilder &tensor) {
  NodeBuilder mapping = dialect.builder("dim_mapping");
  mapping.ints.push_back(0);
  StringRef text;
  SMLoc start = in.getCurrentLocation();
  if (in.parseKeyword(&text))
    return failure();
  while (!text.empty()) {
    ++mapping.ints.front();
    if (factor(text, start, mapping.ints.emplace_back()))
      return failure();
  }
  ++tensor.ints.front();
  tensor.attributes.push_back(dialect.attribute(mapping.node()));
  return success();
}

ParseResult RuleReader::tensor(SmallVectorImpl<Attribute> &tensors) {
  NodeBuilder tensor = dialect.builder("tensor_mapping");
  tensor.ints.push_back(0);
  if (in.parseCommaSeparatedList(Delimiter::Square, [&] { return dimension(tensor); }))
    return failure();
  tensors.push_back(dialect.attribute(tensor.node()));
  return success();
}

ParseResult RuleReader::kind(StringRef name) {
  SmallVector<int64_t> numbers;
  if (succeeded(in.parseOptionalKeyword(name)) && (in.parseEqual() || factors(numbers)))
    return failure();
  rule.ints.push_back(numbers.size());
  llvm::append_range(rule.ints, numbers);
  return success();
}

ParseResult RuleReader::codedFields() {
  auto ints = [&] {
    return list(Delimiter::Square, [&] { return in.parseInteger(rule.ints.emplace_back()); });
  };
  auto mappings = [&]() -> ParseResult {
    return failure(in.parseComma() || list(Delimiter::Square, [&] {
                     return in.parseAttribute(rule.attributes.emplace_back());
                   }));
  };
  if (ints() || mappings() || mappings())
    return failure();
  constexpr int kKinds = 4;
  for (int kind = 0; kind < kKinds; ++kind)
    if (in.parseComma() || ints())
      return failure();
  return failure(in.parseComma() || in.parseInteger(rule.ints.emplace_back()));
}

ParseResult RuleReader::behindOperands(ArrayRef<Attribute> operands) {
  SmallVector<Attribute> results;
  if (in.parseCommaSeparatedList(Delimiter::Paren, [&] { return tensor(results); }) || sizes())
    return failure();
  rule.ints.append({static_cast<int64_t>(operands.size()), static_cast<int64_t>(results.size())});
  llvm::append_range(rule.attributes, operands);
  llvm::append_range(rule.attributes, results);
  for (StringRef name : {"reduction", "need_replication", "permutation", "blocked_propagation"})
    if (kind(name))
      return failure();
  bool isCustom = succeeded(in.parseOptionalComma());
  rule.ints.push_back(isCustom);
  return isCustom ? in.parseKeyword("custom") : success();
}

Attribute RuleReader::parse() {
  SmallVector<Attribute> operands;
  if (in.parseLess() ||
      in.parseCommaSeparatedList(Delimiter::OptionalParen, [&] { return tensor(operands); }))
    return {};
  bool isCoded = operands.empty() && failed(in.parseOptionalArrow());
  if (!isCoded && !operands.empty() && in.parseArrow())
    return {};
  if (isCoded ? codedFields() : behindOperands(operands))
    return {};
  return in.parseGreater() ? Attribute() : dialect.attribute(rule.node());
}

} // namespace

Attribute parseShardingRule(const SdyDialect &dialect, AsmParser &parser) {
  return RuleReader(dialect, parser).parse();
}

} // namespace systole::sdy
