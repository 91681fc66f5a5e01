// The timeline around the present cycle.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "runtime/Debugger/Console.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole::debugger {

namespace {

constexpr int64_t kColumns = 64, kMostCycles = 65'536;

// The activity of one core in the cycles from `begin` to `end`.
class Timeline {
public:
  Timeline(int64_t begin, int64_t end, isa::BundleFormat format)
      : begin(begin), end(end), perColumn((end - begin + kColumns - 1) / kColumns), format(format) {
  }

  int64_t columns() const { return (end - begin + perColumn - 1) / perColumn; }
  int64_t cyclesOfColumn() const { return perColumn; }

  void addBundle(const isa::EncodedBundle &code, int64_t cycle) {
    auto bundle = isa::decode(code, format);
    if (bundle.ok())
      for (const isa::Inst &inst : bundle->insts)
        mark(slots[size_t(isa::info(inst.opcode).slot)], cycle, cycle + 1, '#');
  }
  void addWait(int64_t from, int64_t to) { mark(waits, from, to, 'w'); }
  // A copy that is in flight at `now`.
  void addCopy(const CopyView &copy, int64_t now) {
    std::string &row = copies[{copy.begin, copy.flag, copy.from, copy.firstFrom, copy.to,
                               copy.firstTo, copy.words}];
    // It waits for its latency or the copies before it, then it moves data.
    mark(row, now, copy.begin, '-');
    mark(row, copy.begin, copy.finish, '=');
  }

  void print(llvm::raw_ostream &out, int64_t present) const {
    auto line = [&](const std::string &name, const std::string &row) {
      out << llvm::formatv("{0,-9} ", name) << padded(row) << '\n';
    };
    std::string cursor;
    mark(cursor, present, present + 1, 'v');
    line("", cursor.substr(0, cursor.find_last_not_of(' ') + 1));
    for (int slot = 0; slot < isa::kSlotKinds; ++slot)
      line(std::string(isa::name(isa::Slot(slot))), slots[size_t(slot)]);
    std::string idle = padded(waits);
    for (const std::string &slot : slots)
      for (size_t column = 0; column < slot.size(); ++column)
        if (slot[column] != ' ')
          idle[column] = ' ';
    line("wait", idle);
    for (const auto &[key, row] : copies) {
      if (row.empty())
        continue;
      out << llvm::formatv("{0,-9} ", absl::StrCat("flag", std::get<1>(key))) << padded(row) << "  "
          << program::Space_Name(std::get<2>(key)) << ':' << std::get<3>(key) << " to "
          << program::Space_Name(std::get<4>(key)) << ':' << std::get<5>(key) << ", "
          << std::get<6>(key) << " words\n";
    }
  }

private:
  void mark(std::string &row, int64_t from, int64_t to, char sign) const {
    from = std::max(from, begin);
    to = std::min(to, end);
    if (from >= to)
      return;
    if (row.empty())
      row.assign(size_t(columns()), ' ');
    for (int64_t column = (from - begin) / perColumn; column <= (to - 1 - begin) / perColumn;
         ++column)
      row[size_t(column)] = sign;
  }
  std::string padded(std::string row) const {
    row.resize(size_t(columns()), ' ');
    return row;
  }

  const int64_t begin, end, perColumn;
  const isa::BundleFormat format;
  std::array<std::string, isa::kSlotKinds> slots;
  std::string waits;
  using Copy = std::tuple<int64_t, int, program::Space, int64_t, program::Space, int64_t, int64_t>;
  std::map<Copy, std::string> copies;
};

// Takes the session through the cycles, bundle by bundle.
absl::Status fill(Console &console, int64_t begin, int64_t end, Timeline &timeline) {
  Session &session = console.session;
  absl::StatusOr<Stop> stop = session.seek(begin);
  while (stop.ok()) {
    if (stop->kind == Stop::Kind::Cancel)
      return absl::CancelledError("interrupted");
    const ProgramPoint point = session.core().point();
    for (const CopyView &copy : session.core().copies())
      timeline.addCopy(copy, std::max(begin, point.lastCycle));
    if (session.stats() || point.hasHalted || point.lastCycle >= end ||
        stop->kind == Stop::Kind::Trap)
      break;
    const int64_t last = point.last < 0 ? -1 : point.lastCycle;
    stop = session.step(1);
    const ProgramPoint next = session.core().point();
    if (next.last < 0 || next.lastCycle == last)
      continue;
    timeline.addBundle(console.program.code[size_t(next.last)], next.lastCycle);
    // Empty cycles behind a bundle are a wait, or results that are on their way.
    if (last >= 0)
      timeline.addWait(std::max(begin, last + 1), next.lastCycle);
  }
  return stop.status();
}

} // namespace

absl::Status showTimeline(Console &console, absl::string_view text) {
  int64_t cycles = kColumns;
  if (!text.empty() && (!absl::SimpleAtoi(text, &cycles) || cycles < 1 || cycles > kMostCycles))
    return absl::InvalidArgumentError(
        absl::StrCat("timeline takes a number of cycles up to ", kMostCycles));
  Session &session = console.session;
  const int64_t present = session.cycle(), begin = std::max<int64_t>(0, present - cycles / 2),
                end = begin + cycles;
  Timeline timeline(begin, end, formatOf(console.program.header));
  if (absl::Status status = visit(session, [&] { return fill(console, begin, end, timeline); });
      !status.ok())
    return status;
  console.out << "cycles " << begin << " to " << end - 1;
  if (timeline.cyclesOfColumn() > 1)
    console.out << ", " << timeline.cyclesOfColumn() << " in each column";
  console.out << '\n';
  timeline.print(console.out, present);
  return absl::OkStatus();
}

} // namespace systole::debugger
