// The input file of a command: source or program, recognised by its content.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_INPUT_H
#define SYSTOLE_TOOLS_SYSTOLE_INPUT_H

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/Decisions/Decisions.h"
#include "compiler/Numerics/Taps.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

namespace systole {

// Options of `compile` and `run` for compilation.
struct BuildOptions {
  std::string input;
  std::string target;    // "" if not given
  std::string precision; // "" if not given
  std::string from;      // level of the IR in a text, "" if not given
  std::string dumpIr;
  std::string passChanges;
  // Of all arguments, if known: for a program whose types leave sizes open.
  std::optional<std::vector<std::vector<int64_t>>> argumentShapes;
  bool areShapesGiven = false; // as an option
  bool timing = false;
  bool excessPrecision = false;
  bool noCrossKernel = false;
  bool noPartition = false;
  // As in CompileOptions; not of the command line.
  std::optional<TapOptions> taps = std::nullopt;
  std::optional<RaiseOptions> raise = std::nullopt;
};

void addBuildOptions(CLI::App &command, BuildOptions &options);

// Declares --args: the files of the arguments.
void addArgumentOption(CLI::App &command, std::vector<std::string> &files);

// A program and its target machine.
struct Built {
  Program program;
  Target target;
  double compileSeconds = 0; // 0 if the input was compiled already
  bool isSource = false;     // the input was compiled
};

// Reads the input and makes a program of it: compiles StableHLO, assembles the
// machine's text form, loads a .sysx. The target is the option's, else the
// program's own, else v3. A program that was compiled for another description
// of its target runs, with a warning on stderr.
// A compilation fills `decisions` if it is not null (see CompileOptions).
absl::StatusOr<Built> build(const BuildOptions &options, Decisions *decisions = nullptr);

// The options with the shapes of the arguments in these files, for a program that leaves sizes
// open, unless an option gives them. Files that cannot be read are an error once their arrays are
// needed.
BuildOptions withShapesOf(BuildOptions options, std::span<const std::string> files);

// Reads a .sysx or assembles its text form.
absl::StatusOr<Program> loadProgram(const std::string &path);

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_INPUT_H
