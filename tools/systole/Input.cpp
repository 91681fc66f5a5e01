// The input file of a command: source or program, recognised by its content.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Input.h"

#include <chrono>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Import/ReadArtifact.h"
#include "compiler/Pipeline/CompileProgress.h"
#include "compiler/Pipeline/Compiler.h"
#include "dialects/Machine/Program/Assembler.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Report/ProgressLine.h"
#include "tools/systole/Values.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

enum class Kind { StableHLO, Assembly, Program };

// InvalidArgument for files that no command can read.
absl::StatusOr<Kind> recognise(const std::string &path, llvm::StringRef bytes) {
  auto refuse = [&](const char *why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  if (isProgramFile(absl::string_view(bytes.data(), bytes.size())))
    return Kind::Program;
  if (bytes.trim().empty())
    return refuse("it is empty");
  if (isCutProgramFile(absl::string_view(bytes.data(), bytes.size())))
    return refuse("the program is cut short");
  if (isBytecode(bytes) || isHloProto(bytes))
    return Kind::StableHLO;
  if (bytes.contains('\0'))
    return refuse("it is neither a program (.sysx), a portable artifact, an HLO proto nor text");
  if (isAssemblyText(absl::string_view(bytes.data(), bytes.size())))
    return Kind::Assembly;
  return Kind::StableHLO;
}

absl::StatusOr<Program> load(Kind kind, const std::string &path, const std::string &bytes) {
  if (kind == Kind::Assembly)
    return assemble(bytes, path);
  absl::StatusOr<Program> program = parseProgram(bytes);
  if (!program.ok())
    return absl::Status(program.status().code(),
                        absl::StrCat(path, ": ", program.status().message()));
  return program;
}

// The option, else the environment variable, else the default.
absl::StatusOr<std::string> choosePrecision(const std::string &option) {
  const char *environment = std::getenv("SYSTOLE_PRECISION");
  std::string precision = !option.empty()               ? option
                          : environment && *environment ? std::string(environment)
                                                        : "default";
  if (absl::Status status =
          checkPrecision(precision, option.empty() ? "SYSTOLE_PRECISION" : "--precision");
      !status.ok())
    return status;
  return precision;
}

// Not for text that nests deeper than shapes do, as the parser recurses.
llvm::Expected<std::vector<std::vector<int64_t>>> parseShapes(llvm::StringRef text) {
  int depth = 0;
  for (char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > 2)
      return llvm::createStringError("expected lists of sizes, one for each argument");
  }
  return llvm::json::parse<std::vector<std::vector<int64_t>>>(text);
}

std::string fileName(const std::string &path) { return path == "-" ? "/dev/stdin" : path; }

} // namespace

void addArgumentOption(CLI::App &command, std::vector<std::string> &files) {
  command
      .add_option("--args", files,
                  "The arguments: one .npz with arg0, arg1, ..., or an .npy for each; in an .npz "
                  "also by core, as arg0@0, arg0@1, ...")
      ->check(notEmpty());
}

void addBuildOptions(CLI::App &command, BuildOptions &options) {
  command
      .add_option("IN", options.input,
                  "StableHLO as text or portable artifact, HLO as text or proto, a .sysx or a "
                  ".sysasm; - for "
                  "stdin")
      ->required()
      ->check(notEmpty());
  command
      .add_option("--target", options.target,
                  "Machine: a name (see `systole targets`) or the file of a description")
      ->check(notEmpty());
  command
      .add_option("--precision", options.precision,
                  "How f32 operands of contractions are multiplied: default, high or highest "
                  "[SYSTOLE_PRECISION]")
      ->check(notEmpty())
      ->take_last();
  command
      .add_option(
          "--from", options.from,
          "Level of IN, as systole-opt --systole-pipeline=to=LEVEL writes it: input, graph, "
          "layout or fusion")
      ->check(notEmpty());
  command
      .add_option_function<std::string>(
          "--argument-shapes",
          [&options](const std::string &text) {
            llvm::Expected<std::vector<std::vector<int64_t>>> shapes = parseShapes(text);
            if (!shapes)
              throw CLI::ValidationError("--argument-shapes", llvm::toString(shapes.takeError()));
            options.argumentShapes = *std::move(shapes);
            options.areShapesGiven = true;
          },
          "The shapes of all arguments, such as [[4, 8], []], for a program that leaves sizes open")
      ->check(notEmpty());
  command.add_option("--dump-ir", options.dumpIr, "Write every level's IR into this folder")
      ->check(notEmpty());
  command
      .add_option(
          "--pass-changes", options.passChanges,
          "Write the name of each compiler pass, and whether it changed the IR, into this file")
      ->check(notEmpty());
  command.add_flag("--timing", options.timing, "Print the cost of each compiler pass to stderr");
  command.add_flag("--excess-precision", options.excessPrecision,
                   "Keep bf16 and f16 intermediates in f32 within a fusion");
  command.add_flag("--no-cross-kernel", options.noCrossKernel,
                   "Compile without what lives across kernels: arrays in VMEM, copies and loads of "
                   "code in flight");
  command.add_flag("--no-partition", options.noPartition,
                   "Execute the operations of a sharded program on whole arrays, on each core");
}

absl::StatusOr<Built> build(const BuildOptions &options, Decisions *decisions) {
  absl::StatusOr<std::string> bytes = readWholeFile(fileName(options.input));
  if (!bytes.ok())
    return bytes.status();
  absl::StatusOr<Kind> kind = recognise(options.input, *bytes);
  if (!kind.ok())
    return kind.status();

  if (*kind == Kind::StableHLO) {
    absl::StatusOr<std::string> precision = choosePrecision(options.precision);
    if (!precision.ok())
      return precision.status();
    absl::StatusOr<Target> target = Target::load(options.target.empty() ? "v3" : options.target);
    if (!target.ok())
      return target.status();
    CompileOptions compileOptions;
    compileOptions.precision = *precision;
    if (!options.from.empty())
      compileOptions.from = options.from;
    if (absl::Status status = checkFrom(compileOptions.from, "--from"); !status.ok())
      return status;
    compileOptions.excessPrecision = options.excessPrecision;
    compileOptions.crossKernel = !options.noCrossKernel;
    compileOptions.divideOperations = !options.noPartition;
    compileOptions.dumpIrDir = options.dumpIr;
    compileOptions.passChangesFile = options.passChanges;
    compileOptions.timing = options.timing;
    compileOptions.decisions = decisions;
    compileOptions.argumentShapes = options.argumentShapes;
    compileOptions.taps = options.taps;
    compileOptions.raise = options.raise;
    CompileProgress progress;
    compileOptions.progress = &progress;
    ProgressLine line;
    ProgressLine::Task task(line, [&] { return "compiling " + progress.toString(); });
    const Clock::time_point start = Clock::now();
    absl::StatusOr<Program> program = compile(*bytes, options.input, *target, compileOptions);
    if (!program.ok())
      return program.status();
    if (const std::string &refusal = program->header.verifier_refusal(); !refusal.empty())
      llvm::errs() << "systole: warning: compiled without optimizations across kernels, which the "
                      "verifier refused: "
                   << refusal << '\n';
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    // The same source gives the same file, however long that took.
    program->header.clear_compile_seconds();
    return Built{*std::move(program), *std::move(target), seconds, /*isSource=*/true};
  }

  if (options.taps || options.raise)
    return absl::InvalidArgumentError(
        absl::StrCat(options.input, ": a program has lost the values of its operations; this takes "
                                    "its source"));
  for (auto [given, option] : {std::pair(!options.precision.empty(), "--precision"),
                               {!options.from.empty(), "--from"},
                               {!options.dumpIr.empty(), "--dump-ir"},
                               {!options.passChanges.empty(), "--pass-changes"},
                               {options.timing, "--timing"},
                               {options.excessPrecision, "--excess-precision"},
                               {options.noCrossKernel, "--no-cross-kernel"},
                               {options.areShapesGiven, "--argument-shapes"}})
    if (given)
      return absl::InvalidArgumentError(absl::StrCat(
          options.input, ": ", option, " is for compiling, but this is a program already"));
  absl::StatusOr<Program> program = load(*kind, options.input, *bytes);
  if (!program.ok())
    return program.status();
  const program::ProgramHeader &header = program->header;
  std::string name = !options.target.empty()    ? options.target
                     : !header.target().empty() ? header.target()
                                                : "v3";
  absl::StatusOr<Target> target = Target::load(name);
  if (!target.ok())
    return target.status();
  if (!header.target_hash().empty() && header.target_hash() != target->hash())
    llvm::errs() << "systole: warning: " << options.input
                 << ": compiled for another description of the machine (" << header.target() << ' '
                 << llvm::StringRef(header.target_hash()).take_front(16) << ", not "
                 << target->name() << ' ' << target->hash().substr(0, 16) << ")\n";
  const double compileSeconds = header.compile_seconds();
  return Built{*std::move(program), *std::move(target), compileSeconds};
}

BuildOptions withShapesOf(BuildOptions options, std::span<const std::string> files) {
  if (!files.empty() && !options.areShapesGiven)
    if (auto shapes = readShapes(files); shapes.ok())
      options.argumentShapes = *std::move(shapes);
  return options;
}

absl::StatusOr<Program> loadProgram(const std::string &path) {
  absl::StatusOr<std::string> bytes = readWholeFile(fileName(path));
  if (!bytes.ok())
    return bytes.status();
  absl::StatusOr<Kind> kind = recognise(path, *bytes);
  if (!kind.ok())
    return kind.status();
  if (*kind == Kind::StableHLO)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": it is no program; `systole compile` makes one"));
  return load(*kind, path, *bytes);
}

} // namespace systole
