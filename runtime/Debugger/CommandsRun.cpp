// Commands that run the program forwards and backwards, and say where it stops.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/Operand.h"
#include "runtime/Debugger/RegisterAccess.h"
#include "llvm/ADT/STLExtras.h"

namespace systole::debugger {

// A number that a command takes, or `otherwise` if it is left out.
static absl::StatusOr<int64_t> numberIn(absl::string_view text, int64_t otherwise) {
  int64_t number = otherwise;
  if (!text.empty() && (!absl::SimpleAtoi(text, &number) || number < 0))
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no number"));
  return number;
}

static absl::Status show(Console &console, const absl::StatusOr<Stop> &stop) {
  if (!stop.ok())
    return stop.status();
  showStop(console, *stop);
  return absl::OkStatus();
}

void showStop(Console &console, const Stop &stop) {
  const ProgramPoint point = console.session.core().point();
  if (!stop.hits.empty())
    console.out << (llvm::any_of(stop.hits, [](const WatchHit &hit) { return hit.isWrite; })
                        ? "written by "
                        : "read by ")
                << console.places.describe(stop.hits.front().bundle) << '\n';
  switch (stop.kind) {
  case Stop::Kind::Trap:
    console.out << "trap: " << std::string(toStatus(*console.session.trap()).message()) << '\n';
    break;
  case Stop::Kind::Start:
    console.out << "the start of the program\n";
    break;
  case Stop::Kind::End:
    break;
  case Stop::Kind::Cancel:
    console.out << "interrupted\n";
    break;
  case Stop::Kind::Point:
  case Stop::Kind::Cycle:
    break;
  }
  if (console.session.stats()) {
    console.out << "the program has halted at cycle " << console.session.stats()->cycles << '\n';
    return;
  }
  if (coresOf(console.session) > 1)
    console.out << "core " << console.session.chosenCore() << ", ";
  if (point.hasHalted) {
    console.out << "which has halted\n";
    return;
  }
  console.out << "cycle " << point.cycle << ", " << console.places.describe(point.bundle)
              << (point.isWaiting ? ", which waits" : "") << '\n';
  showSourceLine(console, point.bundle);
  auto bundle =
      isa::decode(console.program.code[size_t(point.bundle)], formatOf(console.program.header));
  if (bundle.ok())
    console.out << "  " << printBundle(*bundle, &console.program.header) << '\n';
}

// Names the breakpoints at which the run has stopped.
static absl::Status show(Console &console, const absl::StatusOr<BreakpointStop> &stop) {
  if (!stop.ok())
    return stop.status();
  for (const Breakpoint &breakpoint : console.breakpoints)
    if (llvm::is_contained(stop->numbers, breakpoint.number))
      console.out << (breakpoint.words.empty() ? "breakpoint " : "watchpoint ") << breakpoint.number
                  << ", " << breakpoint.text << '\n';
  showStop(console, stop->stop);
  return absl::OkStatus();
}

absl::Status goOn(Console &console, absl::string_view) {
  // A run does not stop where it is, but at the start of the program, at which it waits for the
  // first command.
  const bool isAtStart =
      !std::exchange(console.hasStarted, true) && console.session.core().point().last < 0;
  return show(console, runOn(console.session, console.breakpoints, isAtStart));
}

absl::Status goBack(Console &console, absl::string_view) {
  return show(console, runBack(console.session, console.breakpoints));
}

absl::Status stepBundles(Console &console, absl::string_view text) {
  absl::StatusOr<int64_t> count = numberIn(text, 1);
  return count.ok() ? show(console, console.session.step(*count)) : count.status();
}

absl::Status stepBundlesBack(Console &console, absl::string_view text) {
  absl::StatusOr<int64_t> count = numberIn(text, 1);
  return count.ok() ? show(console, console.session.stepBack(*count)) : count.status();
}

// The bundles of other lines or operations than that of a bundle.
using Others = std::vector<bool> (Places::*)(int64_t bundle) const;

static absl::Status stepTo(Console &console, Others others) {
  const int64_t bundle = console.session.core().point().bundle;
  return show(console, bundle < 0 ? console.session.run({})
                                  : console.session.run({(console.places.*others)(bundle), {}}));
}

static absl::Status stepBackTo(Console &console, Others others) {
  const ProgramPoint point = console.session.core().point();
  const int64_t bundle = point.bundle < 0 ? point.last : point.bundle;
  return show(console, console.session.runBack({(console.places.*others)(bundle), {}}));
}

absl::Status stepLine(Console &console, absl::string_view) {
  return stepTo(console, &Places::otherLines);
}

absl::Status stepLineBack(Console &console, absl::string_view) {
  return stepBackTo(console, &Places::otherLines);
}

absl::Status stepOperation(Console &console, absl::string_view) {
  return stepTo(console, &Places::otherOperations);
}

absl::Status stepOperationBack(Console &console, absl::string_view) {
  return stepBackTo(console, &Places::otherOperations);
}

absl::Status nextGridStep(Console &console, absl::string_view) {
  return show(console, console.session.run({console.places.gridStepBegins(), {}}));
}

absl::Status previousGridStep(Console &console, absl::string_view) {
  return show(console, console.session.runBack({console.places.gridStepBegins(), {}}));
}

absl::Status nextKernel(Console &console, absl::string_view) {
  return show(console, console.session.run({console.places.kernelBegins(), {}}));
}

absl::Status previousKernel(Console &console, absl::string_view) {
  return show(console, console.session.runBack({console.places.kernelBegins(), {}}));
}

absl::Status goTo(Console &console, absl::string_view text) {
  absl::StatusOr<int64_t> cycle = numberIn(text, -1);
  if (!cycle.ok() || *cycle < 0)
    return absl::InvalidArgumentError("goto takes a cycle");
  return show(console, console.session.seek(*cycle));
}

// The accesses to an array, to words of memory, or to a register or flag.
static absl::StatusOr<PausePoints> accessesOf(const Console &console, absl::string_view text,
                                              bool reads) {
  PausePoints points;
  const std::string known = withLocals(console, text);
  if (std::optional<std::vector<int64_t>> bundles =
          registerAccesses(console.program, known, reads)) {
    if (bundles->empty())
      return absl::InvalidArgumentError(absl::StrCat("no bundle accesses ", text));
    points.bundles.resize(console.program.code.size());
    for (const int64_t bundle : *bundles)
      points.bundles[size_t(bundle)] = true;
    return points;
  }
  absl::StatusOr<std::vector<WatchedWords>> words = watchedWords(console.session, known, reads);
  if (!words.ok())
    return words.status();
  points.words = *std::move(words);
  return points;
}

// Runs back to behind the last write, of the chosen core.
static absl::StatusOr<Stop> runBackBehind(Console &console, PausePoints points) {
  Session &session = console.session;
  points.core = session.chosenCore();
  absl::StatusOr<Stop> stop = session.runBack(points, /*withLast=*/true);
  if (!stop.ok() || stop->kind != Stop::Kind::Point || points.bundles.empty())
    return stop;
  // It stops before bundles.
  const int64_t bundle = session.core().point().bundle;
  stop = session.step(1);
  if (stop.ok())
    stop->hits = {{0, bundle, true, points.core}};
  return stop;
}

absl::Status lastWrite(Console &console, absl::string_view text) {
  absl::StatusOr<PausePoints> points = accessesOf(console, text, /*reads=*/false);
  if (!points.ok())
    return points.status();
  absl::StatusOr<Stop> stop = runBackBehind(console, *std::move(points));
  if (stop.ok() && stop->kind == Stop::Kind::Start)
    console.out << "nothing has written it before this place\n";
  return show(console, stop);
}

absl::Status complete(Console &console, absl::string_view text) {
  absl::StatusOr<PausePoints> points = accessesOf(console, text, /*reads=*/false);
  if (!points.ok())
    return points.status();
  const int64_t present = console.session.cycle();
  absl::StatusOr<Stop> stop = console.session.run({});
  // A trap is shown instead, since nobody knows whether writes would follow.
  if (!stop.ok() || stop->kind != Stop::Kind::End)
    return show(console, stop);
  stop = runBackBehind(console, *std::move(points));
  if (stop.ok() && !stop->hits.empty() && console.session.cycle() <= present)
    console.out << "it was complete before\n";
  if (stop.ok() && stop->kind == Stop::Kind::Start)
    console.out << "nothing writes it\n";
  return show(console, stop);
}

static void add(Console &console, Breakpoint breakpoint, absl::string_view text) {
  breakpoint.number = ++console.lastNumber;
  breakpoint.text = std::string(text);
  console.out << (breakpoint.words.empty() ? "breakpoint " : "watchpoint ") << breakpoint.number;
  if (breakpoint.bundles.size() == 1)
    console.out << ": " << console.places.describe(breakpoint.bundles.front());
  else if (!breakpoint.bundles.empty())
    console.out << ": " << breakpoint.bundles.size() << " places";
  console.out << '\n';
  console.breakpoints.push_back(std::move(breakpoint));
}

// A condition, in which variables are those of these bundles.
static absl::StatusOr<Condition> parseCondition(Console &console, absl::string_view text,
                                                const std::vector<int64_t> &bundles) {
  auto read = [&console,
               bundles](const std::string &operand) -> absl::StatusOr<std::optional<HostArray>> {
    const int64_t at = console.session.core().point().bundle;
    const bool isThere = llvm::is_contained(bundles, at);
    const std::string known =
        withLocals(console, operand, isThere ? std::vector<int64_t>{at} : bundles);
    // No number compares in any way at places that do not have the variable.
    const HostArray none{"f32", {0}, {}};
    if (known == operand)
      return withLocals(console, operand, bundles) == operand ? std::nullopt : std::optional(none);
    absl::StatusOr<HostArray> array = valueOf(console, known);
    if (!array.ok() && !isThere)
      return none;
    return array.ok() ? absl::StatusOr<std::optional<HostArray>>(*std::move(array))
                      : array.status();
  };
  return Condition::parse(console.session.emulator(), text, read);
}

// Takes "if CONDITION" off the end of a command's text; "" if there is none.
static absl::string_view takeCondition(absl::string_view &text) {
  const size_t at = absl::StrCat(" ", text).find(" if ");
  if (at == std::string::npos)
    return "";
  const absl::string_view condition = text.substr(at + 3);
  text = absl::StripAsciiWhitespace(text.substr(0, at));
  return condition;
}

// Where a place of the user is, also "op add.12".
static absl::StatusOr<std::vector<int64_t>> placesOf(const Console &console,
                                                     absl::string_view text) {
  absl::string_view name = text;
  if (!absl::ConsumePrefix(&name, "op "))
    return console.places.find(text);
  if (!console.values)
    return absl::InvalidArgumentError("a program without its source has no operations");
  absl::StatusOr<Values::Place> place =
      console.values->placeOf(std::string(absl::StripAsciiWhitespace(name)));
  if (!place.ok())
    return place.status();
  std::vector<int64_t> bundles = console.places.findOperation(place->source, place->nameStack);
  if (bundles.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "no bundle is of ", name, " alone: its kernel has the line of another operation; `print ",
        name, "` shows its result"));
  return bundles;
}

static absl::Status add(Console &console, Breakpoint breakpoint, absl::string_view text,
                        absl::string_view condition) {
  if (!condition.empty()) {
    absl::StatusOr<Condition> parsed = parseCondition(console, condition, breakpoint.bundles);
    if (!parsed.ok())
      return parsed.status();
    breakpoint.condition = *std::move(parsed);
  }
  add(console, std::move(breakpoint), text);
  return absl::OkStatus();
}

absl::Status setBreakpoint(Console &console, absl::string_view text) {
  const absl::string_view whole = text, condition = takeCondition(text);
  if (text.empty())
    return absl::InvalidArgumentError("break takes a place; see help");
  absl::StatusOr<std::vector<int64_t>> bundles = placesOf(console, text);
  if (!bundles.ok())
    return bundles.status();
  Breakpoint breakpoint;
  breakpoint.bundles = *std::move(bundles);
  return add(console, std::move(breakpoint), whole, condition);
}

static absl::Status addWatch(Console &console, absl::string_view text, bool reads) {
  const absl::string_view whole = text, condition = takeCondition(text);
  absl::StatusOr<PausePoints> points = accessesOf(console, text, reads);
  if (!points.ok())
    return points.status();
  Breakpoint breakpoint;
  breakpoint.words = points->words;
  for (size_t bundle = 0; bundle < points->bundles.size(); ++bundle)
    if (points->bundles[bundle])
      breakpoint.bundles.push_back(int64_t(bundle));
  return add(console, std::move(breakpoint), whole, condition);
}

absl::Status setWatchpoint(Console &console, absl::string_view text) {
  return addWatch(console, text, /*reads=*/false);
}

absl::Status setReadWatchpoint(Console &console, absl::string_view text) {
  return addWatch(console, text, /*reads=*/true);
}

static absl::StatusOr<std::vector<Breakpoint>::iterator> numbered(Console &console,
                                                                  absl::string_view text) {
  int number;
  auto it = console.breakpoints.end();
  if (absl::SimpleAtoi(text, &number))
    it = std::ranges::find(console.breakpoints, number, &Breakpoint::number);
  if (it == console.breakpoints.end())
    return absl::InvalidArgumentError(absl::StrCat("there is no breakpoint '", text, "'"));
  return it;
}

absl::Status deleteBreakpoint(Console &console, absl::string_view text) {
  if (text.empty()) {
    console.breakpoints.clear();
    return absl::OkStatus();
  }
  auto it = numbered(console, text);
  if (it.ok())
    console.breakpoints.erase(*it);
  return it.status();
}

absl::Status ignoreBreakpoint(Console &console, absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipWhitespace());
  int64_t count;
  if (words.size() != 2 || !absl::SimpleAtoi(words[1], &count) || count < 0)
    return absl::InvalidArgumentError("ignore takes the number of a breakpoint and a count");
  auto it = numbered(console, words[0]);
  if (it.ok())
    (*it)->ignored = count;
  return it.status();
}

absl::Status setCondition(Console &console, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  auto it = numbered(console, parts.first);
  if (!it.ok())
    return it.status();
  if (parts.second.empty()) {
    (*it)->condition.reset();
    return absl::OkStatus();
  }
  absl::StatusOr<Condition> condition = parseCondition(console, parts.second, (*it)->bundles);
  if (condition.ok())
    (*it)->condition = *std::move(condition);
  return condition.status();
}

} // namespace systole::debugger
