// The subcommands of `systole`, and their shared parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_COMMANDS_H
#define SYSTOLE_TOOLS_SYSTOLE_COMMANDS_H

#include <CLI/CLI.hpp>

#include "absl/status/status.h"

namespace systole {

// Each adds its subcommand to `app`. When the command line names it, it runs as
// the subcommand's callback and leaves the exit code in `exitCode`.
void addCompile(CLI::App &app, int &exitCode);
void addDebug(CLI::App &app, int &exitCode);
void addExplain(CLI::App &app, int &exitCode);
void addNumerics(CLI::App &app, int &exitCode);
void addRun(CLI::App &app, int &exitCode);
void addObjdump(CLI::App &app, int &exitCode);
void addTargets(CLI::App &app, int &exitCode);
void addVerify(CLI::App &app, int &exitCode);
void addOperations(CLI::App &app);

// Prints "systole: error: ..." if `status` is an error; returns the exit code.
int finish(const absl::Status &status);

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_COMMANDS_H
