// The commands of the debugger, in the habits of gdb.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Console.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole::debugger {

namespace {

absl::Status quit(Console &console, absl::string_view) {
  console.hasQuit = true;
  return absl::OkStatus();
}

Command help;

struct Entry {
  absl::string_view name, alias;
  Command *command;
  absl::string_view arguments, text;
};

constexpr Entry kCommands[] = {
    {"continue", "c", goOn, "", "run to the next breakpoint, trap or end"},
    {"reverse-continue", "rc", goBack, "", "run back to the last breakpoint before this place"},
    {"stepi", "si", stepBundles, "[N]", "issue a bundle, or N"},
    {"reverse-stepi", "rsi", stepBundlesBack, "[N]", "take a bundle back, or N"},
    {"step", "s", stepLine, "", "run to another line of the source"},
    {"reverse-step", "rs", stepLineBack, "", "run back to another line of the source"},
    {"operation", "o", stepOperation, "", "run to another operation of StableHLO"},
    {"reverse-operation", "ro", stepOperationBack, "", "run back to another operation"},
    {"grid", "g", nextGridStep, "", "run to where a step of a kernel's grid begins"},
    {"reverse-grid", "rg", previousGridStep, "", "run back to where a step of a grid begins"},
    {"kernel", "k", nextKernel, "", "run to where the next kernel begins"},
    {"reverse-kernel", "rk", previousKernel, "", "run back to where a kernel begins"},
    {"goto", "", goTo, "CYCLE", "go to a cycle, forwards or backwards"},
    {"last", "", lastWrite, "WORDS", "run back to behind the last write of some of these words"},
    {"complete", "", complete, "WORDS", "run to behind the last write of these words in the run"},
    {"break", "b", setBreakpoint, "PLACE",
     "stop at FILE:LINE, a kernel's name (with * for any text), layer NAME, op add.12, each step "
     "of "
     "grid NAME, transfer send4, or *BUNDLE; each place may have a condition behind it: if "
     "out0[3] > 1 and s1 == 2, if isnan(out0)"},
    {"watch", "", setWatchpoint, "WORDS",
     "stop behind writes of arg0, out0[3, :2], a tensor's name, or vmem:WORD+COUNT; before bundles "
     "that "
     "write s3, v2 or m1, or name flag4"},
    {"awatch", "", setReadWatchpoint, "WORDS", "stop behind reads and writes"},
    {"delete", "d", deleteBreakpoint, "[NUMBER]", "delete a breakpoint, or all"},
    {"condition", "", setCondition, "NUMBER [CONDITION]",
     "change the condition of a breakpoint, or take it away"},
    {"ignore", "", ignoreBreakpoint, "NUMBER COUNT", "go on at the next hits of a breakpoint"},
    {"print", "p", print, "WHAT",
     "show arg0, out0[3, :2], a tensor's name, a register or flag (s1, v2, m1, flag3), or the "
     "result of an operation, add.12, at an execution in a loop add.12@5"},
    {"write", "", writeValue, "WHAT FILE", "write a tensor or a value to an .npy"},
    {"compare", "", compareValue, "WHAT FILE", "compare a tensor or a value with an .npy"},
    {"x", "", printWords, "WORDS", "show words of memory: hbm:, vmem: or smem:WORD+COUNT"},
    {"disassemble", "dis", disassembleHere, "[N]", "show N bundles from the next one on"},
    {"core", "", chooseCore, "[N]", "show another core of a slice, or where all of them are"},
    {"where", "bt", where, "", "show the cycle, the calls and loops that are open, and the layer"},
    {"list", "l", listSource, "", "show the source around this place"},
    {"ir", "", showIr, "[LEVEL]",
     "show the code of this kernel: stablehlo (the operations of this line), kernel or core"},
    {"whereis", "", whereIs, "WHAT",
     "show where an array is in memory, or which kernels have a value"},
    {"timeline", "tl", showTimeline, "[CYCLES]",
     "show which slots issue, waits, and copies in flight around this cycle"},
    {"save", "", saveState, "FILE", "write the state to a file, which systole run --resume takes"},
    {"info", "i", info, "TOPIC",
     "list breakpoints, checkpoints, copies, flags, kernels, locals, registers, tensors, transfers "
     "or values [TEXT]"},
    {"help", "h", help, "", "list the commands"},
    {"quit", "q", quit, "", "end"},
};

absl::Status help(Console &console, absl::string_view) {
  for (const Entry &entry : kCommands) {
    std::string form(entry.name);
    if (!entry.alias.empty())
      absl::StrAppend(&form, ", ", entry.alias);
    if (!entry.arguments.empty())
      absl::StrAppend(&form, " ", entry.arguments);
    console.out << llvm::formatv("{0,-26} {1}\n", form, std::string(entry.text));
  }
  return absl::OkStatus();
}

} // namespace

std::vector<std::string> commandsLike(absl::string_view text) {
  std::vector<std::string> names;
  for (const Entry &entry : kCommands)
    if (absl::StartsWith(entry.name, text))
      names.emplace_back(entry.name);
  return names;
}

absl::Status execute(Console &console, absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line.front() == '#')
    return absl::OkStatus();
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const absl::string_view name = line.substr(0, end),
                          text = absl::StripAsciiWhitespace(line.substr(end));
  const auto *exact = std::ranges::find_if(
      kCommands, [&](const Entry &entry) { return name == entry.name || name == entry.alias; });
  if (exact != std::end(kCommands)) {
    if (exact->arguments.empty() && !text.empty())
      return absl::InvalidArgumentError(absl::StrCat(exact->name, " takes no arguments"));
    return exact->command(console, text);
  }
  // A beginning that only one command has.
  const std::vector<std::string> like = commandsLike(name);
  if (like.size() == 1)
    return execute(console, absl::StrCat(like.front(), " ", text));
  return absl::InvalidArgumentError(
      like.empty() ? absl::StrCat("there is no command '", name, "'; see help")
                   : absl::StrCat("'", name, "' may be ", like[0], " or ", like[1]));
}

} // namespace systole::debugger
