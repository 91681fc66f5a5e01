// The commands of the debugger, in the habits of gdb.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_CONSOLE_H
#define SYSTOLE_RUNTIME_DEBUGGER_CONSOLE_H

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/Debugger/Breakpoints.h"
#include "runtime/Debugger/Places.h"
#include "runtime/Debugger/Session.h"
#include "runtime/Debugger/Values.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::debugger {

// A variable of the source whose array is sent to the host, as `jax.debug.breakpoint` does. It has
// its name before these bundles, which send the last one of such a call.
struct Local {
  std::vector<int64_t> bundles;
  std::string name, array; // "x", "send4"
};

// Where a line of the source sends its variables to the host, over these channels.
struct HostBreakpoint {
  std::string line; // "model.py:12"
  std::vector<int64_t> channels;
  std::vector<std::string> names; // by channel, or ""
};

// State of the console: the session, its program and the breakpoints that the user has set.
struct Console {
  // `values` is null of programs without their source.
  Console(Session &session, const Program &program, llvm::raw_ostream &out,
          Values *values = nullptr)
      : session(session), program(program), places(program), out(out), values(values) {}

  Session &session;
  const Program &program;
  const Places places;
  llvm::raw_ostream &out;
  Values *const values;
  std::vector<Breakpoint> breakpoints;
  std::vector<Local> locals;
  int lastNumber = 0;
  bool hasStarted = false; // a command has run the program, or a breakpoint stopped it at its start
  bool hasQuit = false;
};

// Executes a line, which writes to `out`. InvalidArgument for a mistake in it, after which
// everything is as before; other errors are those of the session.
absl::Status execute(Console &console, absl::string_view line);

// Sets a breakpoint where all variables of such a line have been computed. InvalidArgument if the
// program does not send over these channels.
absl::Status addHostBreakpoint(Console &console, const HostBreakpoint &given);

// Names of commands that begin like `text`.
std::vector<std::string> commandsLike(absl::string_view text);

// Each does one command; `text` is what follows its name. (Commands*.cpp)
using Command = absl::Status(Console &console, absl::string_view text);
Command goOn, goBack, stepBundles, stepBundlesBack, stepLine, stepLineBack, stepOperation,
    stepOperationBack, nextGridStep, previousGridStep, nextKernel, previousKernel, goTo, lastWrite,
    complete, setBreakpoint, setWatchpoint, setReadWatchpoint, deleteBreakpoint, ignoreBreakpoint,
    setCondition;
Command print, printWords, disassembleHere, where, info, saveState, chooseCore, writeValue,
    compareValue, showTimeline, whereIs, listSource, showIr;

// A tensor, the result of an operation of the source, or elements of one: "out0[3, :2]",
// "add.12@5[0]".
absl::StatusOr<HostArray> valueOf(const Console &console, absl::string_view text);

// The text with the name of an array for that of a local variable at its beginning, if there is one
// before some of these bundles.
std::string withLocals(const Console &console, absl::string_view text,
                       const std::vector<int64_t> &bundles);
// The same of the present place.
std::string withLocals(const Console &console, absl::string_view text);
// A sentence about a text that begins with the name of a variable of another place, or "".
std::string whereLocalIs(const Console &console, absl::string_view text);

absl::Status infoLocals(Console &console);
void infoTransfers(Console &console);

// The name of element `index` of the first dimension of such a value.
absl::StatusOr<std::string> nameOfElement(const Console &console, absl::string_view text,
                                          int64_t index);

// Prints the line of the source of a bundle, if its file is there.
void showSourceLine(Console &console, int64_t bundle);

// Prints where the run has stopped, and why.
void showStop(Console &console, const Stop &stop);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_CONSOLE_H
