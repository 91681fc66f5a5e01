// Commands about what a program exchanges with the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/TransferArrays.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Device/PrintArray.h"
#include "llvm/ADT/STLExtras.h"

namespace systole::debugger {

absl::Status addHostBreakpoint(Console &console, const HostBreakpoint &given) {
  const program::ProgramHeader &header = console.program.header;
  auto unknown = [&](int64_t channel) {
    return absl::InvalidArgumentError(absl::StrCat("a breakpoint at ", given.line,
                                                   " sends over channel ", channel,
                                                   ", which the program does not"));
  };
  if (given.channels.empty() || given.names.size() > given.channels.size())
    return absl::InvalidArgumentError(
        absl::StrCat("a breakpoint at ", given.line, " has no channel for each name"));
  const std::vector<int64_t> bundles =
      copiesOfArray(console.program, sentOver(header, given.channels.back()));
  if (bundles.empty())
    return unknown(given.channels.back());
  for (size_t i = 0; i < given.names.size(); ++i) {
    const std::string array = sentOver(header, given.channels[i]);
    if (array.empty())
      return unknown(given.channels[i]);
    // Frames further out may have variables of the same names.
    const bool isKnown = llvm::any_of(console.locals, [&](const Local &local) {
      return local.bundles == bundles && local.name == given.names[i];
    });
    if (!given.names[i].empty() && !isKnown)
      console.locals.push_back({bundles, given.names[i], array});
  }
  // A line that is traced several times has one breakpoint.
  const auto present = llvm::find_if(console.breakpoints, [&](const Breakpoint &breakpoint) {
    return breakpoint.text == given.line;
  });
  Breakpoint &breakpoint =
      present == console.breakpoints.end() ? console.breakpoints.emplace_back() : *present;
  if (breakpoint.number == 0)
    breakpoint.number = ++console.lastNumber;
  breakpoint.text = given.line;
  llvm::append_range(breakpoint.bundles, bundles);
  return absl::OkStatus();
}

static bool isBefore(const Local &local, const std::vector<int64_t> &bundles) {
  return llvm::any_of(bundles,
                      [&](int64_t bundle) { return llvm::is_contained(local.bundles, bundle); });
}

// Whether a text is the name of a variable, or elements of it.
static bool names(const Local &local, absl::string_view text) {
  if (!absl::ConsumePrefix(&text, local.name))
    return false;
  text = absl::StripLeadingAsciiWhitespace(text);
  return text.empty() || text.front() == '[';
}

std::string withLocals(const Console &console, absl::string_view text,
                       const std::vector<int64_t> &bundles) {
  const Local *found = nullptr;
  // The longest name: "p['w']" is no element of p.
  for (const Local &local : console.locals)
    if (isBefore(local, bundles) && names(local, text) &&
        (!found || local.name.size() > found->name.size()))
      found = &local;
  return found ? absl::StrCat(found->array, text.substr(found->name.size())) : std::string(text);
}

std::string withLocals(const Console &console, absl::string_view text) {
  return withLocals(console, text, {console.session.core().point().bundle});
}

std::string whereLocalIs(const Console &console, absl::string_view text) {
  for (const Local &local : console.locals)
    if (names(local, text))
      for (const Breakpoint &breakpoint : console.breakpoints)
        if (isBefore(local, breakpoint.bundles))
          return absl::StrCat(local.name, " is a variable at breakpoint ", breakpoint.number, ", ",
                              breakpoint.text, ", at which this core is not");
  return "";
}

absl::Status infoLocals(Console &console) {
  for (const Local &local : console.locals) {
    if (!isBefore(local, {console.session.core().point().bundle}))
      continue;
    absl::StatusOr<HostArray> array = valueOf(console, local.array);
    if (!array.ok())
      return array.status();
    console.out << local.name << ' ' << typeString(*array);
    if (array->dims.empty())
      console.out << ' ' << formatArray(*array);
    console.out << '\n';
  }
  return absl::OkStatus();
}

void infoTransfers(Console &console) {
  for (const program::HostTransfer &transfer : console.program.header.transfers())
    for (const program::Tensor &tensor : transfer.tensors())
      console.out << tensor.name() << ' ' << typeString(tensor)
                  << (transfer.to_host() ? " to " : " from ")
                  << (transfer.queued() ? transfer.to_host() ? "the outfeed" : "the infeed"
                                        : absl::StrCat("channel ", transfer.channel()))
                  << (transfer.source().empty() ? "" : ", at ") << transfer.source() << '\n';
}

} // namespace systole::debugger
