// Places in a program as its users name them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Places.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Grid.h"
#include "runtime/Debugger/TransferArrays.h"
#include "llvm/Support/GlobPattern.h"

namespace systole::debugger {

// The entries by their number, the longest ranges first: narrower ones are more specific.
template <typename Entries> static std::vector<int> byLength(const Entries &entries) {
  std::vector<int> order(size_t(entries.size()));
  std::iota(order.begin(), order.end(), 0);
  auto length = [&](int i) {
    return entries.Get(i).bundles().end() - entries.Get(i).bundles().begin();
  };
  std::ranges::stable_sort(order, std::ranges::greater(), length);
  return order;
}

Places::Places(const Program &program)
    : program(program), header(program.header), locations(program.code.size(), 0),
      kernels(program.code.size(), -1) {
  for (int i : byLength(header.kernels())) {
    const program::Range &range = header.kernels(i).bundles();
    std::fill(kernels.begin() + range.begin(), kernels.begin() + range.end(), i);
    std::fill(locations.begin() + range.begin(), locations.begin() + range.end(),
              header.kernels(i).location());
  }
  for (int i : byLength(header.sources())) {
    const program::Range &range = header.sources(i).bundles();
    std::fill(locations.begin() + range.begin(), locations.begin() + range.end(),
              header.sources(i).location());
  }
}

bool isAtLine(absl::string_view location, absl::string_view file, int64_t line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(location, ':');
  int64_t number;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[1], &number) || number != line ||
      !absl::EndsWith(parts[0], file))
    return false;
  const size_t rest = parts[0].size() - file.size();
  return rest == 0 || parts[0][rest - 1] == '/';
}

// Whether a location is of a line, or was called from it.
static bool isAtLine(const program::Location &location, absl::string_view file, int64_t line) {
  return isAtLine(location.source(), file, line) || isAtLine(location.user(), file, line);
}

absl::StatusOr<std::vector<int64_t>> Places::find(absl::string_view text) const {
  std::vector<int64_t> found;
  const auto bundles = int64_t(locations.size());
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "*")) {
    // Else it is a kernel's name that ends in some way.
    if (int64_t bundle; absl::SimpleAtoi(rest, &bundle)) {
      if (bundle < 0 || bundle >= bundles)
        return absl::InvalidArgumentError(
            absl::StrCat("'", text, "' is no bundle; the program has ", bundles));
      return std::vector<int64_t>{bundle};
    }
    rest = text;
  }
  const size_t colon = text.rfind(':');
  int64_t line;
  if (colon != absl::string_view::npos && absl::SimpleAtoi(text.substr(colon + 1), &line)) {
    for (int64_t at = 0; at < bundles; ++at) {
      const bool isThere =
          isAtLine(locationOf(header, locations[size_t(at)]), text.substr(0, colon), line);
      const bool continues = at > 0 && locations[size_t(at - 1)] == locations[size_t(at)] &&
                             kernels[size_t(at - 1)] == kernels[size_t(at)];
      if (isThere && !continues)
        found.push_back(at);
    }
    if (found.empty())
      return absl::InvalidArgumentError(absl::StrCat("no code comes from ", text));
    return found;
  }
  if (absl::ConsumePrefix(&rest, "transfer ")) {
    found = copiesOfArray(program, absl::StripAsciiWhitespace(rest));
    if (found.empty())
      return absl::InvalidArgumentError(
          absl::StrCat("no array '", rest, "' is sent or received; `info transfers` lists them"));
    return found;
  }
  const bool isLayer = absl::ConsumePrefix(&rest, "layer ");
  const bool isGrid = !isLayer && absl::ConsumePrefix(&rest, "grid ");
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create({rest.data(), rest.size()});
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no pattern"));
  }
  auto matches = [&](absl::string_view name) { return pattern->match({name.data(), name.size()}); };
  for (const program::Kernel &kernel : header.kernels()) {
    const std::vector<absl::string_view> layers =
        absl::StrSplit(locationOf(header, kernel.location()).name_stack(), '/');
    if (kernel.part_of() > 0 ||
        !(isLayer ? std::ranges::any_of(layers, matches) : matches(kernel.name())))
      continue;
    found.push_back(isGrid ? gridStep(program, kernel) : kernel.bundles().begin());
  }
  if (found.empty())
    return absl::InvalidArgumentError(absl::StrCat("there is no ", isLayer ? "layer" : "kernel",
                                                   " '", rest, "'; `info kernels` lists them"));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<int64_t> Places::findOperation(absl::string_view source,
                                           absl::string_view nameStack) const {
  std::vector<int64_t> found, inStack;
  for (size_t at = 0; at < locations.size() && !source.empty(); ++at) {
    const program::Location &location = locationOf(header, locations[at]);
    const bool continues =
        at > 0 && locations[at - 1] == locations[at] && kernels[at - 1] == kernels[at];
    if (location.source() != source || continues)
      continue;
    found.push_back(int64_t(at));
    // Ranges finer than kernels have lines alone: those of kernels tell a line's operations apart.
    const std::string &stack = location.name_stack();
    if ((stack.empty() ? layerOf(int64_t(at)) : stack) == nameStack)
      inStack.push_back(int64_t(at));
  }
  return inStack.empty() ? found : inStack;
}

std::string Places::describe(int64_t bundle) const {
  const std::string where = describeBundle(header, bundle);
  return absl::StrCat("bundle ", bundle, where.empty() ? "" : ", ", where);
}

const program::Location &Places::locationAt(int64_t bundle) const {
  return locationOf(header, locations.at(size_t(bundle)));
}

std::string Places::layerOf(int64_t bundle) const {
  const int32_t kernel = kernels.at(size_t(bundle));
  return kernel < 0 ? "" : locationOf(header, header.kernels(kernel).location()).name_stack();
}

template <typename TextOf> std::vector<bool> Places::others(int64_t bundle, TextOf textOf) const {
  const std::string own = textOf(locationOf(header, locations.at(size_t(bundle))));
  // Of no place are bundles without a location.
  std::vector<bool> differs(size_t(header.locations_size()) + 1), points(locations.size());
  for (size_t i = 1; i < differs.size(); ++i)
    differs[i] = textOf(locationOf(header, int32_t(i))) != own;
  for (size_t at = 0; at < points.size(); ++at)
    points[at] = differs[size_t(locations[at])];
  return points;
}

std::vector<bool> Places::otherLines(int64_t bundle) const {
  // Without the column.
  return others(bundle, [](const program::Location &location) {
    const std::string line = shownLine(location);
    return line.substr(0, line.rfind(':'));
  });
}

std::vector<bool> Places::otherOperations(int64_t bundle) const {
  return others(bundle, [](const program::Location &location) { return location.source(); });
}

std::vector<bool> Places::kernelBegins() const {
  std::vector<bool> points(locations.size());
  for (const program::Kernel &kernel : header.kernels())
    if (kernel.part_of() == 0)
      points[size_t(kernel.bundles().begin())] = true;
  return points;
}

std::vector<bool> Places::gridStepBegins() const {
  std::vector<bool> points(locations.size());
  for (const program::Kernel &kernel : header.kernels())
    if (kernel.part_of() == 0)
      points[size_t(gridStep(program, kernel))] = true;
  return points;
}

} // namespace systole::debugger
