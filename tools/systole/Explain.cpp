// `systole explain`: why a program takes its cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Explain.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Device.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Interrupt.h"
#include "tools/systole/Values.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

struct Options {
  BuildOptions build;
  std::vector<std::string> arguments;
  std::string report = "text";
  std::string jsonFile; // "" if not given
  int64_t assumedTrips = 1;
  int kernels = 10;
};

absl::Status explainProgram(const Options &options) {
  if (options.report != "text" && options.report != "json")
    return absl::InvalidArgumentError(
        absl::StrCat("--report is '", options.report, "'; it can be text or json"));
  if (!options.jsonFile.empty())
    if (absl::Status status = checkWritable(options.jsonFile); !status.ok())
      return status;
  Decisions decisions;
  absl::StatusOr<Built> built = build(options.build, &decisions);
  if (!built.ok())
    return built.status();
  std::vector<HostArray> arguments;
  if (!options.arguments.empty()) {
    absl::StatusOr<std::vector<HostArray>> read =
        readArguments(built->program.header, options.arguments);
    if (!read.ok())
      return read.status();
    arguments = *std::move(read);
  }
  CancelOnInterrupt interrupt;
  EmulatorOptions emulatorOptions;
  emulatorOptions.timingOnly = true;
  emulatorOptions.assumedTrips = options.assumedTrips;
  emulatorOptions.countCopies = true;
  emulatorOptions.cancel = &CancelOnInterrupt::flag();
  absl::StatusOr<Executable> executable =
      Device(built->target, emulatorOptions).load(built->program);
  if (!executable.ok())
    return executable.status();
  absl::StatusOr<RunResult> run = executable->run(arguments);
  if (!run.ok())
    return absl::Status(run.status().code(),
                        absl::StrCat(options.build.input, ": ", run.status().message()));
  Explanation explanation = explain(built->program, run->stats, built->target, decisions);
  explanation.report.timingOnly = true;
  explanation.report.compileSeconds = built->compileSeconds;
  explanation.report.emulateSeconds = run->emulateSeconds;
  const std::string json = llvm::formatv("{0:2}\n", llvm::json::Value(toJson(explanation)));
  if (!options.jsonFile.empty())
    if (absl::Status status = writeWholeFile(options.jsonFile, json); !status.ok())
      return status;
  if (options.report == "json")
    llvm::outs() << json;
  else
    llvm::outs() << toText(explanation, size_t(options.kernels));
  return absl::OkStatus();
}

} // namespace

void addExplain(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand(
      "explain", "Say what bounds each kernel, what its copies are for, and what else was tried");
  auto options = std::make_shared<Options>();
  addBuildOptions(*command, options->build);
  command
      ->add_option("--args", options->arguments,
                   "The arguments, if control depends on them: one .npz or an .npy for each")
      ->check(notEmpty());
  command->add_option("--report", options->report, "Its form: text or json")->check(notEmpty());
  command->add_option("--json", options->jsonFile, "Write it to this file as JSON, too")
      ->check(notEmpty());
  command->add_option("--kernels", options->kernels, "How many kernels, the costliest (0: all)")
      ->check(wholeNumber(INT32_MAX));
  command
      ->add_option("--assume-trips", options->assumedTrips,
                   "The iterations of loops whose number depends on data that is not known")
      ->check(wholeNumber(INT32_MAX));
  command->callback([options, &exitCode] {
    const absl::Status status = explainProgram(*options);
    exitCode = finish(status);
    if (status.code() == absl::StatusCode::kCancelled)
      exitCode = 130; // of shells for an interrupt
  });
}

} // namespace systole
