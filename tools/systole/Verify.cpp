// `systole verify`: whether a program's copies are right on all paths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include "absl/strings/str_cat.h"
#include "compiler/Verify/VerifyCopies.h"
#include "dialects/Machine/Program/Verify.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Input.h"
#include "tools/systole/Values.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

namespace {

struct Options {
  std::string input, target;
};

absl::Status verify(const Options &options) {
  const std::string &input = options.input;
  absl::StatusOr<Program> program = loadProgram(input);
  if (!program.ok())
    return program.status();
  absl::StatusOr<Target> target =
      Target::load(options.target.empty() ? program->header.target() : options.target);
  if (!target.ok())
    return target.status();
  const Limits limits = target->limits();
  auto report = [&](const absl::Status &status) {
    return absl::InvalidArgumentError(absl::StrCat(input, ": ", status.message()));
  };
  absl::StatusOr<std::vector<isa::Bundle>> bundles = decodeProgram(*program);
  if (!bundles.ok())
    return report(bundles.status());
  if (absl::Status status = verifyProgram(*program, limits, *bundles); !status.ok())
    return report(status);
  absl::StatusOr<CopyVerification> verified = verifyCopies(*program, limits, *bundles);
  if (!verified.ok())
    return report(verified.status());
  for (const std::string &routine : verified->unverified)
    llvm::outs() << "routine `" << routine << "`: no verdict, too much depends on data\n";
  return absl::OkStatus();
}

} // namespace

void addVerify(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand(
      "verify", "Check a compiled program: the machine's rules, and its copies on all paths");
  auto options = std::make_shared<Options>();
  command->add_option("IN", options->input, "A .sysx or a .sysasm; - for stdin")
      ->required()
      ->check(notEmpty());
  command
      ->add_option("--target", options->target,
                   "Machine: a name or the file of a description; if absent, the program's")
      ->check(notEmpty());
  command->callback([options, &exitCode] { exitCode = finish(verify(*options)); });
}

} // namespace systole
