// Commands that show the code of the present place: Python, IR and bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/SourceText.h"

namespace systole::debugger {

// Lines around the one that `list` shows.
static constexpr int64_t kAround = 5;

void showSourceLine(Console &console, int64_t bundle) {
  if (bundle < 0)
    return;
  for (const SourceLine &line : sourceLines(shownLine(console.places.locationAt(bundle))))
    console.out << line.number << '\t' << line.text << '\n';
}

absl::Status listSource(Console &console, absl::string_view) {
  const ProgramPoint point = console.session.core().point();
  const int64_t bundle = point.bundle < 0 ? point.last : point.bundle;
  const std::string location = bundle < 0 ? "" : shownLine(console.places.locationAt(bundle));
  const std::vector<SourceLine> lines = sourceLines(location, kAround);
  if (lines.empty())
    return absl::InvalidArgumentError(location.empty() ? "this place has no line of a source"
                                                       : absl::StrCat(location, " cannot be read"));
  const std::vector<SourceLine> present = sourceLines(location);
  for (const SourceLine &line : lines)
    console.out << (line.number == present.front().number ? "=> " : "   ") << line.number << '\t'
                << line.text << '\n';
  return absl::OkStatus();
}

absl::Status disassembleHere(Console &console, absl::string_view text) {
  int64_t count = 8;
  if (!text.empty() && (!absl::SimpleAtoi(text, &count) || count < 1))
    return absl::InvalidArgumentError("disassemble takes a number of bundles");
  const int64_t first = console.session.core().point().bundle;
  const auto bundles = int64_t(console.program.code.size());
  std::string shown;
  for (int64_t at = first; first >= 0 && at < bundles && at - first < count; ++at) {
    if (const std::string &line = shownLine(console.places.locationAt(at)); line != shown) {
      showSourceLine(console, at);
      shown = line;
    }
    auto bundle = isa::decode(console.program.code[size_t(at)], formatOf(console.program.header));
    console.out << (at == first ? "=> " : "   ") << at << "  "
                << (bundle.ok() ? printBundle(*bundle, &console.program.header) : "?") << '\n';
  }
  return absl::OkStatus();
}

absl::Status showIr(Console &console, absl::string_view level) {
  if (!console.values)
    return absl::InvalidArgumentError("a program without its source has no IR");
  const ProgramPoint point = console.session.core().point();
  const int64_t bundle = point.bundle < 0 ? point.last : point.bundle;
  const int kernel = bundle < 0 ? -1 : console.places.kernelAt(bundle);
  if (kernel < 0)
    return absl::InvalidArgumentError("this place is in no kernel");
  const program::Kernel &entry = console.program.header.kernels(kernel);
  absl::StatusOr<std::string> text =
      console.values->ir(level.empty() ? "kernel" : std::string(level), entry.name(),
                         console.places.locationAt(bundle).source());
  if (text.ok())
    console.out << *text;
  return text.status();
}

} // namespace systole::debugger
