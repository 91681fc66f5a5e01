// Reports of numerics as JSON.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "runtime/Device/PrintArray.h"
#include "runtime/Numerics/Reason.h"
#include "runtime/Numerics/Report.h"

namespace systole::numerics {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// JSON has no infinity.
static Value number(double x) { return std::isfinite(x) ? Value(x) : Value(nullptr); }

static Object toJson(const ErrorSums &errors) {
  return Object{{"elements", errors.elements},
                {"compared", errors.compared},
                {"norm", number(errors.norm())},
                {"max_absolute", number(errors.largestAbsolute)},
                {"max_relative", number(errors.largestRelative)},
                {"mean_relative", number(errors.meanRelative())},
                {"max_ulps", number(errors.largestUlps)},
                {"mean_ulps", number(errors.meanUlps())},
                {"nans", errors.nans},
                {"infinities", errors.infinities},
                {"flushed", errors.flushed},
                {"saturated", errors.saturated}};
}

static Object toJson(const TappedOperation &operation) {
  return Object{{"name", operation.name},           {"operation", operation.operation},
                {"type", operation.type},           {"source", operation.source},
                {"user_source", operation.user},    {"name_stack", operation.nameStack},
                {"loop_depth", operation.loopDepth}};
}

static Object toJson(const Exponents &exponents) {
  Object counts;
  for (size_t i = 0; i < exponents.counts.size(); ++i)
    if (exponents.counts[i] > 0)
      counts[std::to_string(int(i) + Exponents::kLeast)] = exponents.counts[i];
  return Object{{"zeros", exponents.zeros}, {"counts", std::move(counts)}};
}

static Object toJson(const OperationNumerics &numerics) {
  Object object = toJson(numerics.operation);
  object["dtype"] = numerics.dtype;
  object["executions"] = numerics.executions;
  object["total"] = toJson(numerics.total);
  object["own"] = numerics.hasOwn ? Value(toJson(numerics.own)) : Value(nullptr);
  object["nans"] = numerics.nans;
  object["infinities"] = numerics.infinities;
  object["exponents"] = toJson(numerics.exponents);
  if (numerics.cancellation.elements > 0)
    object["cancelled_bits"] = Object{{"max", number(numerics.cancellation.largest)},
                                      {"mean", number(numerics.cancellation.mean())}};
  if (numerics.executions > 1) {
    Array steps;
    for (double step : numerics.steps)
      steps.push_back(number(step));
    object["steps"] = std::move(steps);
  }
  object["advice"] = adviceFor(numerics);
  return object;
}

Object toJson(const Numerics &numerics) {
  Array operations, results;
  for (const OperationNumerics &each : numerics.operations) {
    if (each.executions == 0)
      continue;
    Object object = toJson(each);
    Array operands;
    for (int64_t operand : each.operation.operands)
      operands.push_back(operand >= 0 ? numerics.operations[size_t(operand)].operation.name
                                      : "arg" + std::to_string(-1 - operand));
    object["operands"] = std::move(operands);
    operations.push_back(std::move(object));
  }
  for (const ResultNumerics &each : numerics.results) {
    Object object = toJson(each.errors);
    object["name"] = each.name;
    results.push_back(std::move(object));
  }
  return Object{{"wide", numerics.wide},
                {"cycles", numerics.cycles},
                {"error", number(numerics.error())},
                {"results_equal", numerics.areResultsEqual},
                {"divergence", numerics.divergence},
                {"results", std::move(results)},
                {"operations", std::move(operations)}};
}

Array toJson(const std::vector<Remedy> &remedies) {
  Array array;
  for (const Remedy &remedy : remedies)
    array.push_back(Object{{"name", remedy.operation->operation.name},
                           {"advice", adviceFor(*remedy.operation)},
                           {"error", number(remedy.error)},
                           {"cycles", remedy.cycles}});
  return array;
}

static Array toJson(const std::vector<std::pair<std::string, int64_t>> &counts) {
  Array array;
  for (const auto &[name, count] : counts)
    array.push_back(Object{{"name", name}, {"count", count}});
  return array;
}

Object toJson(const FiniteReport &report, Nonfinite kind) {
  Object object{{"looked_for", kind == Nonfinite::NaN ? "nan" : "nonfinite"},
                {"arguments", toJson(report.arguments)},
                {"results", toJson(report.results)},
                {"dropped", report.isDropped},
                {"cut", report.isCut},
                {"first", nullptr}};
  if (!report.first)
    return object;
  const FirstNonfinite &first = *report.first;
  Object found = toJson(first.operation);
  found["execution"] = first.execution;
  found["core"] = first.core;
  found["nans"] = first.nans;
  found["infinities"] = first.infinities;
  Array elements, operands;
  for (const std::vector<int64_t> &index : first.elements)
    elements.push_back(Array(index));
  for (const NonfiniteOperand &operand : first.operands)
    operands.push_back(Object{{"name", operand.name},
                              {"type", typeString(operand.array)},
                              {"text", formatArray(operand.array)}});
  found["elements"] = std::move(elements);
  found["operands"] = std::move(operands);
  found["reason"] = reasonOf(first);
  object["first"] = std::move(found);
  return object;
}

Object toJson(const DifferenceReport &report) {
  Object object{{"compared", report.compared},
                {"structure", report.structure},
                {"of_other", report.isOfOther},
                {"first", nullptr}};
  if (!report.first)
    return object;
  Object found = toJson(report.first->operation);
  found["execution"] = report.first->execution;
  found["core"] = report.first->core;
  found["errors"] = toJson(report.first->errors);
  found["element"] = Array(report.first->element);
  found["value"] = number(report.first->value);
  found["other"] = number(report.first->other);
  object["first"] = std::move(found);
  return object;
}

Object toJson(const std::optional<FirstOutOfBounds> &first) {
  if (!first)
    return Object{{"first", nullptr}};
  Object found = toJson(first->operation);
  found["execution"] = first->execution;
  found["core"] = first->core;
  found["operand"] = int64_t(first->operand);
  found["element"] = Array(first->element);
  found["index"] = first->index;
  found["least"] = first->least;
  found["most"] = first->most;
  found["count"] = first->count;
  found["all"] = first->all;
  return Object{{"first", std::move(found)}};
}

} // namespace systole::numerics
