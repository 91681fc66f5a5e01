// Commands about what a program exchanges with the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/TransferArrays.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Device/PrintArray.h"
#include "llvm/ADT/STLExtras.h"

namespace systole::debugger {

absl::Status nameLocals(Console &console, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  const size_t colon = parts.first.rfind(':');
  int64_t line;
  if (colon == absl::string_view::npos || parts.second.empty() ||
      !absl::SimpleAtoi(parts.first.substr(colon + 1), &line))
    return absl::InvalidArgumentError("locals takes FILE:LINE and names: locals model.py:12 x, y");
  const std::vector<std::string> arrays =
      arraysSentFrom(console.program.header, parts.first.substr(0, colon), line);
  const std::vector<std::string> names = absl::StrSplit(parts.second, ',');
  if (names.size() > arrays.size())
    return absl::InvalidArgumentError(
        absl::StrCat(parts.first, " sends ", arrays.size(), " arrays to the host"));
  const std::string file(parts.first.substr(0, colon));
  for (size_t i = 0; i < names.size(); ++i) {
    const absl::string_view name = absl::StripAsciiWhitespace(names[i]);
    // Frames further out may have variables of the same names.
    const bool isKnown = llvm::any_of(console.locals, [&](const Local &local) {
      return local.file == file && local.line == line && local.name == name;
    });
    if (!name.empty() && !isKnown)
      console.locals.push_back({file, line, std::string(name), arrays[i]});
  }
  return absl::OkStatus();
}

static bool isHere(const Console &console, const Local &local) {
  const int64_t bundle = console.session.core().point().bundle;
  if (bundle < 0)
    return false;
  const program::Location &location = console.places.locationAt(bundle);
  return isAtLine(location.source(), local.file, local.line) ||
         isAtLine(location.user(), local.file, local.line);
}

std::string withLocals(const Console &console, absl::string_view text) {
  const Local *found = nullptr;
  for (const Local &local : console.locals) {
    const absl::string_view rest =
        absl::StripPrefix(text, local.name).size() < text.size()
            ? absl::StripAsciiWhitespace(absl::StripPrefix(text, local.name))
            : absl::string_view("?");
    if (!rest.empty() && rest.front() != '[')
      continue;
    // The longest name, of this line if there is one.
    const bool isLonger = !found || local.name.size() > found->name.size();
    if (isLonger ||
        (local.name == found->name && isHere(console, local) && !isHere(console, *found)))
      found = &local;
  }
  return found ? absl::StrCat(found->array, text.substr(found->name.size())) : std::string(text);
}

absl::Status infoLocals(Console &console) {
  for (const Local &local : console.locals) {
    if (!isHere(console, local))
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
