// The command line of Systole: compile, run, debug, numerics, explain, objdump, targets,
// operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
#include <sstream>

#include "tools/systole/Commands.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

// One line for a command-line mistake, several where a compiler lists locations.
static int fail(std::string message) {
  while (!message.empty() && message.back() == '\n')
    message.pop_back();
  llvm::errs() << "systole: error: " << message << '\n';
  return 1;
}

// The error for a missing or unknown command.
static std::string whyNoCommand(const CLI::App &app) {
  std::string known;
  for (const CLI::App *command : app.get_subcommands({}))
    known += (known.empty() ? "" : ", ") + command->get_name();
  const std::vector<std::string> left = app.remaining();
  if (left.empty())
    return "a command is missing; there are " + known;
  const bool isOption = left.front().size() > 1 && left.front().front() == '-';
  return std::string("unknown ") + (isOption ? "option" : "command") + " '" + left.front() +
         (isOption ? "' before the command" : "'") + "; the commands are " + known;
}

int finish(const absl::Status &status) {
  return status.ok() ? 0 : fail(std::string(status.message()));
}

} // namespace systole

int main(int argc, char **argv) {
  CLI::App app("Compiles tensor programs for a TPU-like machine and runs them on its emulator.",
               "systole");
  app.set_version_flag("--version", "systole " SYSTOLE_VERSION);
  app.require_subcommand(1);
  int exitCode = 0;
  systole::addCompile(app, exitCode);
  systole::addRun(app, exitCode);
  systole::addDebug(app, exitCode);
  systole::addNumerics(app, exitCode);
  systole::addExplain(app, exitCode);
  systole::addObjdump(app, exitCode);
  systole::addTargets(app, exitCode);
  systole::addVerify(app, exitCode);
  systole::addOperations(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &wanted) {
    std::ostringstream text;
    exitCode = app.exit(wanted, text, text);
    llvm::outs() << text.str();
  } catch (const CLI::RequiredError &error) {
    return systole::fail(app.get_subcommands().empty() ? systole::whyNoCommand(app) : error.what());
  } catch (const CLI::Error &error) {
    return systole::fail(error.what());
  } catch (const std::bad_alloc &) {
    return systole::fail("out of memory");
  }
  // Output may not have been written: a full disk, a closed pipe.
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::outs().clear_error();
    return systole::fail("standard output cannot be written");
  }
  return exitCode;
}
