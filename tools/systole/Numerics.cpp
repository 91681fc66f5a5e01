// `systole numerics`: where a program loses digits, and where its first NaN arises.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Npz.h"
#include "runtime/Numerics/Report.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Interrupt.h"
#include "tools/systole/Transfers.h"
#include "tools/systole/Values.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// Which values are dumped unless others are named.
constexpr const char *kComputed = "computed";

struct Options {
  BuildOptions build;
  std::vector<std::string> arguments;
  TransferOptions transfers;
  std::string wide = "f32", report = "text", jsonFile;
  std::string dump; // "" if not given
  std::string values = kComputed;
  int most = 20, checked = 0;
  bool findsNan = false, findsNonfinite = false, findsIndices = false;
  // The other side of a comparison of two runs; "" if not given.
  std::string otherInput, otherTarget, otherPrecision;
  double bound = 0;

  bool comparesRuns() const {
    return !(otherInput.empty() && otherTarget.empty() && otherPrecision.empty());
  }
};

// The program, the machine and the arguments.
struct Task {
  numerics::Compile compile;
  Target target;
  std::vector<HostArray> arguments;
  TransferOptions transfers;

  numerics::RunInputs inputs() const {
    return {arguments, hostOf(transfers), &CancelOnInterrupt::flag()};
  }
};

numerics::Compile compilerOf(const BuildOptions &base) {
  return [base](const std::optional<TapOptions> &taps,
                const std::optional<RaiseOptions> &raise) -> absl::StatusOr<Program> {
    BuildOptions next = base;
    next.taps = taps;
    next.raise = raise;
    absl::StatusOr<Built> built = build(next);
    if (!built.ok())
      return built.status();
    return std::move(built->program);
  };
}

absl::StatusOr<Task> prepare(const Options &options) {
  const BuildOptions base = withShapesOf(options.build, options.arguments);
  BuildOptions first = base;
  first.taps.emplace().only.emplace(); // none, but of a source
  absl::StatusOr<Built> built = build(first);
  if (!built.ok())
    return built.status();
  absl::StatusOr<std::vector<HostArray>> arguments =
      readArguments(built->program.header, options.arguments);
  if (!arguments.ok())
    return arguments.status();
  return Task{compilerOf(base), std::move(built->target), *std::move(arguments), options.transfers};
}

absl::StatusOr<numerics::DifferenceReport> compareRuns(const Options &options, const Task &task) {
  BuildOptions other = withShapesOf(options.build, options.arguments);
  if (!options.otherInput.empty())
    other.input = options.otherInput;
  if (!options.otherTarget.empty())
    other.target = options.otherTarget;
  if (!options.otherPrecision.empty())
    other.precision = options.otherPrecision;
  absl::StatusOr<Target> target = Target::load(other.target.empty() ? "v3" : other.target);
  if (!target.ok())
    return target.status();
  return numerics::findFirstDifference({task.compile, task.target},
                                       {compilerOf(other), *std::move(target)}, task.inputs(),
                                       options.bound);
}

absl::Status deliver(const Options &options, const std::string &text, llvm::json::Object json) {
  const std::string asJson = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(json)));
  if (!options.jsonFile.empty())
    if (absl::Status status = writeWholeFile(options.jsonFile, asJson); !status.ok())
      return status;
  llvm::outs() << (options.report == "json" ? asJson : text);
  return absl::OkStatus();
}

// Writes the values of operations, of those in loops by execution: "add.12", "add.12@1", ...
absl::Status dumpValues(const Options &options, const Task &task) {
  std::vector<TappedOperation> operations;
  TapOptions taps;
  taps.operations = &operations;
  if (options.values != kComputed) {
    taps.only.emplace();
    if (absl::StatusOr<Program> program = task.compile(taps, std::nullopt); !program.ok())
      return program.status();
    for (absl::string_view name : absl::StrSplit(options.values, ',')) {
      const size_t before = taps.only->size();
      for (const TappedOperation &operation : operations)
        if (name == "all" || name == operation.name)
          taps.only->push_back(operation.number);
      if (name != "all" && taps.only->size() == before)
        return absl::InvalidArgumentError(
            absl::StrCat("--values: the program has no operation '", name, "'"));
    }
  }
  absl::StatusOr<Program> program = task.compile(taps, std::nullopt);
  if (!program.ok())
    return program.status();
  std::map<int64_t, std::string> names;
  for (const TappedOperation &operation : operations)
    if (operation.value >= 0)
      names[operation.value] = operation.name;
  std::map<std::pair<int64_t, int>, int64_t> executions; // by channel and core
  std::vector<std::pair<std::string, std::unique_ptr<HostArray>>> values;
  absl::StatusOr<RunResult> run = numerics::runTapped(
      *program, task.target, task.inputs(), [&](const numerics::TapMessage &message) {
        auto name = names.find(message.channel);
        if (name == names.end())
          return absl::OkStatus();
        const int64_t execution = executions[{message.channel, message.core}]++;
        std::string entry = name->second;
        if (execution > 0)
          absl::StrAppend(&entry, "@", execution);
        if (message.core > 0)
          absl::StrAppend(&entry, "@core", message.core);
        values.emplace_back(
            std::move(entry),
            std::make_unique<HostArray>(HostArray{
                message.dtype, message.dims, {message.bytes.begin(), message.bytes.end()}}));
        return absl::OkStatus();
      });
  if (!run.ok())
    return run.status();
  std::vector<NpzEntry> entries;
  for (const auto &[name, array] : values)
    entries.push_back({name, array.get()});
  return writeNpz(options.dump, entries);
}

absl::Status runNumerics(const Options &options) {
  if (options.report != "text" && options.report != "json")
    return absl::InvalidArgumentError(
        absl::StrCat("--report is '", options.report, "'; it can be text or json"));
  if (options.wide != "f32" && options.wide != "f64")
    return absl::InvalidArgumentError(
        absl::StrCat("--wide is '", options.wide, "'; it can be f32 or f64"));
  if (!std::isfinite(options.bound))
    return absl::InvalidArgumentError("--bound is no finite number");
  if (options.values != kComputed && options.dump.empty())
    return absl::InvalidArgumentError("--values says what --dump writes, which is not given");
  for (const std::string &file : {options.jsonFile, options.dump})
    if (!file.empty())
      if (absl::Status status = checkWritable(file); !status.ok())
        return status;
  absl::StatusOr<Task> task = prepare(options);
  if (!task.ok())
    return task.status();
  auto inInput = [&](const absl::Status &status) {
    return absl::Status(status.code(), absl::StrCat(options.build.input, ": ", status.message()));
  };
  CancelOnInterrupt interrupt;
  if (!options.dump.empty())
    return dumpValues(options, *task);
  if (options.findsNan || options.findsNonfinite) {
    const auto kind = options.findsNonfinite ? numerics::Nonfinite::Any : numerics::Nonfinite::NaN;
    absl::StatusOr<numerics::FiniteReport> report =
        numerics::findFirstNonfinite(task->compile, task->target, task->inputs(), kind);
    if (!report.ok())
      return inInput(report.status());
    return deliver(options, toText(*report, kind), toJson(*report, kind));
  }
  if (options.findsIndices) {
    auto first = numerics::findFirstOutOfBounds(task->compile, task->target, task->inputs());
    if (!first.ok())
      return inInput(first.status());
    return deliver(options, toText(*first), toJson(*first));
  }
  if (options.comparesRuns()) {
    absl::StatusOr<numerics::DifferenceReport> report = compareRuns(options, *task);
    if (!report.ok())
      return inInput(report.status());
    return deliver(options, toText(*report), toJson(*report));
  }
  numerics::NumericsOptions how;
  how.wide = options.wide;
  absl::StatusOr<numerics::Numerics> found =
      numerics::analyze(task->compile, task->target, task->inputs(), how);
  if (!found.ok())
    return inInput(found.status());
  std::string text = toText(*found, size_t(options.most));
  llvm::json::Object json = toJson(*found);
  if (options.checked > 0) {
    absl::StatusOr<std::vector<numerics::Remedy>> remedies = numerics::tryRemedies(
        *found, task->compile, task->target, task->inputs(), size_t(options.checked));
    if (!remedies.ok())
      return inInput(remedies.status());
    text += toText(*found, *remedies);
    json["tried"] = toJson(*remedies);
  }
  return deliver(options, text, std::move(json));
}

} // namespace

void addNumerics(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand(
      "numerics", "Say which operations lose digits, or where the first NaN arises");
  auto options = std::make_shared<Options>();
  addBuildOptions(*command, options->build);
  auto add = [&](const char *name, auto &value, const char *help) {
    return command->add_option(name, value, help)->check(notEmpty());
  };
  addArgumentOption(*command, options->arguments);
  addTransferOptions(*command, options->transfers);
  add("--wide", options->wide, "The type of the values that it compares with: f32 or f64");
  command->add_flag("--first-nan", options->findsNan,
                    "Find the first operation whose result has a NaN instead");
  command->add_flag("--first-nonfinite", options->findsNonfinite,
                    "The same for NaN and infinities");
  command->add_flag("--first-out-of-bounds", options->findsIndices,
                    "Find the first index of a slice, gather or scatter that is out of bounds: it "
                    "would be clamped, or dropped");
  add("--against", options->otherInput,
      "Find the first value that differs from that of this other version of the program");
  add("--against-target", options->otherTarget, "The same of a run on another machine");
  add("--against-precision", options->otherPrecision, "The same of a run with another precision");
  command
      ->add_option("--bound", options->bound,
                   "A value differs if its error, relative to its norm, is more than this")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--check", options->checked,
                   "Run the program with so many operations, the worst, in the wide type, each by "
                   "itself: what that gives and costs")
      ->check(wholeNumber(1000));
  add("--report", options->report, "Its form: text or json");
  add("--json", options->jsonFile, "Write it to this file as JSON, too");
  command->add_option("--operations", options->most, "How many operations, the worst (0: all)")
      ->check(wholeNumber(INT32_MAX));
  add("--dump", options->dump, "Write the values of operations to this .npz instead");
  add("--values", options->values,
      "With --dump: computed (floating-point numbers that are not just moved), all, or names of "
      "operations");
  command->callback([options, &exitCode] {
    const absl::Status status = runNumerics(*options);
    exitCode = finish(status);
    if (status.code() == absl::StatusCode::kCancelled)
      exitCode = 130; // of shells for an interrupt
  });
}

} // namespace systole
