// Tables and numbers as aligned text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Table.h"

#include <algorithm>

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

namespace systole {

Table::Table(std::vector<std::string> head, size_t leftFrom) : leftFrom(leftFrom) {
  rows.push_back(std::move(head));
}

void Table::print(llvm::raw_ostream &out) const {
  std::vector<size_t> widths(rows[0].size());
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      std::string pad(widths[column] - row[column].size(), ' ');
      bool left = column == 0 || column >= leftFrom;
      line += (column ? "  " : "") + (left ? row[column] + pad : pad + row[column]);
    }
    out << llvm::StringRef(line).rtrim() << '\n';
  }
}

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  for (int at = int(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(at, ",");
  return digits;
}

// Four significant digits and the unit that leaves one to three before the point.
std::string scaled(double value, llvm::StringRef unit) {
  static constexpr struct {
    double scale;
    const char *prefix;
  } prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"}, {1e3, "k"},
                  {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  if (value == 0)
    return llvm::StringRef(("0 " + unit).str()).rtrim().str();
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const auto &[scale, prefix] : prefixes)
    if (value >= scale * 0.99995 || scale == 1e-9) {
      out << llvm::format("%.4g ", value / scale) << prefix << unit;
      break;
    }
  return llvm::StringRef(text).rtrim().str();
}

std::string percent(double part, double whole) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f%%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

} // namespace systole
