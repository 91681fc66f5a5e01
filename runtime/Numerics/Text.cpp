// Reports of numerics as text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/Numerics/Reason.h"
#include "runtime/Numerics/Report.h"
#include "runtime/Report/Table.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::numerics {

static std::string shortNumber(double x) {
  if (std::isinf(x))
    return "inf";
  return x == 0 ? "0" : llvm::formatv("{0:e1}", x).str();
}

// "+1.5%"
static std::string changeText(int64_t before, int64_t after) {
  const double change = 100.0 * double(after - before) / double(std::max<int64_t>(before, 1));
  return llvm::formatv("{0}{1:f1}%", change < 0 ? "-" : "+", std::fabs(change));
}

std::string indexText(const std::vector<int64_t> &index) {
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

std::string adviceFor(const OperationNumerics &numerics) {
  const TappedOperation &operation = numerics.operation;
  if (!numerics.hasOwn || numerics.own.norm() == 0)
    return "";
  if (numerics.own.saturated > 0)
    return absl::StrCat("values exceed the range of ", numerics.dtype,
                        ": scale them, or use a type with more exponents");
  if (operation.isContraction && numerics.dtype == "f32")
    return "precision=HIGHEST of the product";
  if (operation.isContraction)
    return absl::StrCat("preferred_element_type=float32 of the product");
  if (operation.isReduction)
    return absl::StrCat("a sum in f32 instead of ", numerics.dtype);
  if (operation.isConversion)
    return absl::StrCat("a wider type than ", numerics.dtype);
  return numerics.dtype == "f32" || numerics.dtype == "f64"
             ? ""
             : absl::StrCat("f32 instead of ", numerics.dtype);
}

// Of its numbers that are not ordinary.
static std::string oddities(const OperationNumerics &numerics) {
  std::vector<std::string> found;
  auto note = [&](int64_t count, const char *name) {
    if (count > 0)
      found.push_back(absl::StrCat(grouped(count), " ", name));
  };
  note(numerics.nans, "NaN");
  note(numerics.infinities, "inf");
  note(numerics.own.saturated, "saturated");
  note(numerics.own.flushed, "flushed");
  return absl::StrJoin(found, ", ");
}

static std::string lineOf(const TappedOperation &operation) {
  return operation.user.empty() ? operation.source : operation.user;
}

std::string toText(const Numerics &numerics, size_t most) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const std::vector<const OperationNumerics *> ranked = numerics.ranked();
  out << "Where digits go: the program's values against those in " << numerics.wide << '\n';
  if (!numerics.areResultsEqual)
    out << "The results differ from those without taps: values in loops were summed in another "
           "order.\n";
  if (!numerics.divergence.empty())
    out << "Not all values were compared: " << numerics.divergence << ".\n";
  out << '\n';
  if (ranked.empty()) {
    out << "no operation loses digits\n";
  } else {
    Table table({"operation", "own error", "total", "ulps", "type", "line", "name stack", "notes"},
                4);
    for (size_t i = 0; i < ranked.size() && (most == 0 || i < most); ++i) {
      const OperationNumerics &each = *ranked[i];
      table.add({each.operation.name, shortNumber(each.own.norm()), shortNumber(each.total.norm()),
                 shortNumber(each.own.largestUlps), each.operation.type, lineOf(each.operation),
                 each.operation.nameStack, oddities(each)});
    }
    table.print(out);
    if (most > 0 && ranked.size() > most)
      out << "and " << ranked.size() - most << " more\n";
    if (const std::string advice = adviceFor(*ranked.front()); !advice.empty())
      out << "\nto try at " << ranked.front()->operation.name << ": " << advice << '\n';
  }
  if (!numerics.results.empty()) {
    out << '\n';
    Table table({"result", "error", "max relative", "ulps"}, 4);
    for (const ResultNumerics &result : numerics.results)
      table.add({result.name, shortNumber(result.errors.norm()),
                 shortNumber(result.errors.largestRelative),
                 shortNumber(result.errors.largestUlps)});
    table.print(out);
  }
  return text;
}

std::string toText(const Numerics &numerics, const std::vector<Remedy> &remedies) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "\nTried, each by itself: the error of all results together, and cycles\n";
  Table table({"operation in " + numerics.wide, "error", "cycles", "change", "advice"}, 4);
  table.add({"none", shortNumber(numerics.error()), grouped(numerics.cycles), "", ""});
  for (const Remedy &remedy : remedies)
    table.add({remedy.operation->operation.name, shortNumber(remedy.error), grouped(remedy.cycles),
               changeText(numerics.cycles, remedy.cycles), adviceFor(*remedy.operation)});
  table.print(out);
  return text;
}

// The operand's elements at an index, or its range if it has another shape.
static std::string elementText(const NonfiniteOperand &operand, const FirstNonfinite &first) {
  const std::vector<double> numbers = toDoubles(operand.array.dtype, operand.array.bytes);
  if (numbers.empty())
    return typeString(operand.array);
  if (const std::optional<double> number = numberAt(operand, first, first.elements.front()))
    return absl::StrCat(typeString(operand.array), " has ", *number);
  const auto [least, largest] = std::ranges::minmax_element(
      numbers, [](double a, double b) { return std::isnan(b) || a < b; });
  const int64_t nans = std::ranges::count_if(numbers, [](double x) { return std::isnan(x); });
  return absl::StrCat(typeString(operand.array), " from ", *least, " to ", *largest, ", ", nans,
                      " NaN");
}

static void writePlace(llvm::raw_ostream &out, const TappedOperation &operation, int64_t execution,
                       int core) {
  if (!operation.source.empty())
    out << "  at " << operation.source
        << (operation.user.empty() || operation.user == operation.source
                ? ""
                : ", called at " + operation.user)
        << '\n';
  if (!operation.nameStack.empty())
    out << "  in " << operation.nameStack << '\n';
  if (operation.loopDepth > 0)
    out << "  in execution " << execution << " (from 0) of the operation in its loop\n";
  if (core > 0)
    out << "  on core " << core << '\n';
}

std::string toText(const FiniteReport &report, Nonfinite kind) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const char *name = kind == Nonfinite::NaN ? "NaN" : "number that is not finite";
  for (const auto &[argument, count] : report.arguments)
    out << "argument " << argument << " has " << count << ' ' << name
        << (count > 1 && kind != Nonfinite::NaN ? "s" : "") << " before the program begins\n";
  if (!report.first) {
    out << "no operation has a result with a " << name << '\n';
    for (const auto &[result, count] : report.results)
      out << "result " << result << " has " << count << " from constants or arguments\n";
    return text;
  }
  const FirstNonfinite &first = *report.first;
  // It may be that of an argument.
  out << "the first " << name
      << (report.arguments.empty() ? " is in " : " that an operation computes is in ")
      << first.operation.name << ", " << first.operation.type << '\n';
  writePlace(out, first.operation, first.execution, first.core);
  out << "  " << first.nans << " NaN and " << first.infinities << " infinite of "
      << toDoubles(first.result.dtype, first.result.bytes).size() << " numbers, the first at "
      << indexText(first.elements.front()) << '\n';
  for (const NonfiniteOperand &operand : first.operands)
    out << "  operand " << operand.name << ": " << elementText(operand, first) << '\n';
  if (const std::string reason = reasonOf(first); !reason.empty())
    out << "  " << reason << '\n';
  if (report.isCut)
    out << "the run was ended behind it: the results may have others\n";
  if (report.isDropped)
    out << "no result has one: operations behind it drop it\n";
  return text;
}

std::string toText(const DifferenceReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!report.first) {
    out << "no value differs, of " << grouped(report.compared) << '\n';
    return text;
  }
  const FirstDifference &first = *report.first;
  if (!report.structure.empty()) {
    out << "the programs are the same up to " << first.operation.name << ", "
        << first.operation.type << (report.isOfOther ? " of the other one" : "") << ", where "
        << (report.isOfOther ? "this one" : "the other one") << " has " << report.structure << '\n';
    writePlace(out, first.operation, first.execution, first.core);
    return text;
  }
  out << "the first value that differs is that of " << first.operation.name << ", "
      << first.operation.type << '\n';
  writePlace(out, first.operation, first.execution, first.core);
  out << "  error " << shortNumber(first.errors.norm()) << ", " << indexText(first.element)
      << " is " << absl::StrCat(first.value, " and ", first.other, "; ") << grouped(report.compared)
      << " values before it are alike\n";
  return text;
}

std::string toText(const std::optional<FirstOutOfBounds> &first) {
  if (!first)
    return "no index is out of bounds\n";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "the first index out of bounds is that of " << first->operation.name << ", "
      << first->operation.type << '\n';
  writePlace(out, first->operation, first->execution, first->core);
  out << "  operand " << first->operand << indexText(first->element) << " is " << first->index
      << ", which may be " << first->least << " to " << first->most << "; " << first->count
      << " of " << first->all << " are out of bounds\n";
  return text;
}

} // namespace systole::numerics
