// Einstein's notation for sums of products.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Einsum.h"

#include "dialects/StableHLO/Traits.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole::stablehlo {

/// The labels of one operand or the result, of `rank` dimensions; of `ellipsis` dimensions without
/// a letter if the rank is not known.
static FailureOr<Einsum::Labels> parseLabels(const Refusal &refuse, StringRef text,
                                             std::optional<int64_t> rank, int64_t ellipsis) {
  constexpr StringLiteral dots = "...";
  Einsum::Labels labels;
  auto letters =
      static_cast<int64_t>(llvm::count_if(text, [](char c) { return llvm::isAlpha(c); }));
  bool hasEllipsis = text.contains(dots);
  if (letters + (hasEllipsis ? static_cast<int64_t>(dots.size()) : 0) !=
      static_cast<int64_t>(text.size()))
    return refuse("requires letters, and '...' at most once, but found '", text, "'");
  if (hasEllipsis && rank)
    ellipsis = *rank - letters;
  if (rank && (hasEllipsis ? ellipsis < 0 : letters != *rank))
    return refuse("requires a letter for each of ", *rank, " dimensions, but found '", text, "'");
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') {
      labels.push_back(text[i]);
      continue;
    }
    for (int64_t d = ellipsis; d > 0; --d)
      labels.push_back(-d);
    i += dots.size() - 1;
  }
  return labels;
}

FailureOr<Einsum> Einsum::parse(const Refusal &refuse, StringRef text, TypeRange operandTypes) {
  auto [inputs, output] = text.split("->");
  if (inputs.size() == text.size())
    return refuse("requires '->' in the equation, but it is '", text, "'");
  SmallVector<StringRef, 2> parts;
  inputs.split(parts, ',');
  if (parts.size() != operandTypes.size())
    return refuse("requires letters for ", operandTypes.size(), " operands, but the equation is '",
                  text, "'");
  Einsum einsum;
  int64_t ellipsis = 0;
  for (auto [part, type] : llvm::zip_equal(parts, operandTypes)) {
    FailureOr<Labels> labels =
        parseLabels(refuse, part.trim(), cast<RankedTensorType>(type).getRank(), 0);
    if (failed(labels))
      return failure();
    for (int64_t label : *labels)
      ellipsis = std::max(ellipsis, -label);
    einsum.operands.push_back(*labels);
  }
  FailureOr<Labels> labels = parseLabels(refuse, output.trim(), std::nullopt, ellipsis);
  if (failed(labels))
    return failure();
  einsum.result = *labels;
  return einsum;
}

int64_t Einsum::sizeOf(int64_t label, TypeRange operandTypes) const {
  for (auto [labels, type] : llvm::zip_equal(operands, operandTypes))
    for (auto [d, other] : llvm::enumerate(labels))
      if (int64_t size = cast<RankedTensorType>(type).getDimSize(d);
          other == label && ShapedType::isStatic(size))
        return size;
  return ShapedType::kDynamic;
}

LogicalResult Einsum::check(const Refusal &refuse, TypeRange operandTypes,
                            RankedTensorType resultType) const {
  auto name = [](int64_t label) {
    return label < 0 ? std::string("...") : std::string(1, static_cast<char>(label));
  };
  for (auto [labels, type] : llvm::zip_equal(operands, operandTypes))
    for (auto [d, label] : llvm::enumerate(labels)) {
      int64_t size = cast<RankedTensorType>(type).getDimSize(d);
      if (!areCompatibleSizes(size, sizeOf(label, operandTypes)))
        return refuse("requires one size for all dimensions '", name(label), "', but they are ",
                      sizeOf(label, operandTypes), " and ", size);
    }
  SmallVector<int64_t> shape;
  for (auto [d, label] : llvm::enumerate(result)) {
    if (llvm::none_of(operands,
                      [&](const Labels &labels) { return llvm::is_contained(labels, label); }))
      return refuse("has a result dimension '", name(label), "' that no operand has");
    if (llvm::is_contained(ArrayRef(result).take_front(d), label))
      return refuse("has two result dimensions '", name(label), "'");
    shape.push_back(sizeOf(label, operandTypes));
  }
  if (!areCompatibleShapes(resultType.clone(shape), resultType))
    return refuse("requires a result of type ", resultType.clone(shape), ", but it is ",
                  resultType);
  return success();
}

} // namespace systole::stablehlo
