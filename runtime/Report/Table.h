// Tables and numbers as aligned text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_TABLE_H
#define SYSTOLE_RUNTIME_REPORT_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

// Rows of cells under a head. The first column and those from `leftFrom` on are
// left-aligned, the others right-aligned.
class Table {
public:
  Table(std::vector<std::string> head, size_t leftFrom);
  // A row of as many cells as the head has.
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &out) const;

private:
  std::vector<std::vector<std::string>> rows;
  size_t leftFrom;
};

// "1,234,567"
std::string grouped(int64_t value);

// Four significant digits with the prefix from n to P that leaves one to three
// of them before the point: "1.235 MB" for 1234567 and "B". For values >= 0.
std::string scaled(double value, llvm::StringRef unit);

// "12.3%"; 0.0% of nothing.
std::string percent(double part, double whole);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_TABLE_H
