// `systole debug`: a run that goes forwards and backwards, by commands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/Debugger/Adapter/Adapter.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Device.h"
#include "tools/systole/Commands.h"
#include "tools/systole/DebugValues.h"
#include "tools/systole/Input.h"
#include "tools/systole/Interrupt.h"
#include "tools/systole/Transfers.h"
#include "tools/systole/Values.h"
#include "llvm/LineEditor/LineEditor.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

struct Options {
  BuildOptions build;
  std::vector<std::string> arguments, scripts, commands;
  std::string breakpoints; // file, or ""
  TransferOptions transfers;
  bool batch = false, dap = false;
  uint64_t snapshotBytes = debugger::SessionOptions().snapshotBytes;
};

// Sets the breakpoints of a file, which `systole.debug` writes: a list of objects with "line",
// "channels" and "names".
absl::Status setBreakpoints(debugger::Console &console, const std::string &path) {
  auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return wrong(file.getError().message());
  llvm::Expected<llvm::json::Value> list = llvm::json::parse((*file)->getBuffer());
  if (!list)
    return wrong(llvm::toString(list.takeError()));
  if (!list->getAsArray())
    return wrong("it is no list of breakpoints");
  for (const llvm::json::Value &entry : *list->getAsArray()) {
    debugger::HostBreakpoint breakpoint;
    llvm::json::Path::Root root;
    llvm::json::ObjectMapper mapper(entry, root);
    if (!mapper || !mapper.map("line", breakpoint.line) ||
        !mapper.map("channels", breakpoint.channels) || !mapper.map("names", breakpoint.names))
      return wrong(llvm::toString(root.getError()));
    if (absl::Status status = debugger::addHostBreakpoint(console, breakpoint); !status.ok())
      return wrong(status.message());
  }
  return absl::OkStatus();
}

// Executes lines of a script, up to its first mistake.
absl::Status executeLines(debugger::Console &console, std::istream &lines,
                          const std::string &name) {
  std::string line;
  for (int number = 1; !console.hasQuit && std::getline(lines, line); ++number) {
    if (absl::Status status = debugger::execute(console, line); !status.ok())
      return absl::Status(status.code(), absl::StrCat(name, ":", number, ": ", status.message()));
    console.out.flush();
  }
  return absl::OkStatus();
}

absl::Status executeScripts(debugger::Console &console, const Options &options) {
  if (!options.breakpoints.empty())
    if (absl::Status status = setBreakpoints(console, options.breakpoints); !status.ok())
      return status;
  for (const std::string &script : options.scripts) {
    std::ifstream file(script);
    if (!file || std::filesystem::is_directory(script))
      return absl::NotFoundError(absl::StrCat(script, ": cannot be read"));
    if (absl::Status status = executeLines(console, file, script); !status.ok())
      return status;
  }
  for (const std::string &command : options.commands) {
    if (console.hasQuit)
      break;
    if (absl::Status status = debugger::execute(console, command); !status.ok())
      return absl::Status(status.code(), absl::StrCat("'", command, "': ", status.message()));
  }
  return absl::OkStatus();
}

// Commands of the user, until the end of the input. Mistakes are told, and forgotten.
void converse(debugger::Console &console) {
  llvm::LineEditor editor("systole");
  editor.setPrompt("(systole) ");
  editor.setListCompleter([](llvm::StringRef text, size_t position) {
    std::vector<llvm::LineEditor::Completion> found;
    const llvm::StringRef typed = text.substr(0, position);
    for (const std::string &name : debugger::commandsLike({typed.data(), typed.size()}))
      found.emplace_back(name.substr(typed.size()) + " ", name);
    return found;
  });
  std::string last;
  while (!console.hasQuit) {
    std::optional<std::string> line = editor.readLine();
    if (!line)
      break;
    // An empty line repeats the last one, as in gdb.
    if (!line->empty())
      last = *line;
    CancelOnInterrupt interrupt;
    if (absl::Status status = debugger::execute(console, last); !status.ok())
      console.out << "error: " << std::string(status.message()) << '\n';
    console.out.flush();
  }
}

// The host's side of the transfers of a session's program.
struct SessionHost {
  SessionHost(const Program &program, const Transfers &transfers)
      : channels(transfers.channels(program.header)), ports(program, channels) {}

  const std::vector<HostChannels> channels;
  ChannelPorts ports;
};

using WriteLine = std::function<void(const std::string &line)>;

// Each message once, although the run goes back and repeats what it has done; none of a look
// around.
LogSink messagesTo(const WriteLine &write, int cores, std::shared_ptr<const bool> isLooking) {
  return [write, cores, isLooking = std::move(isLooking),
          last = std::map<int, int64_t>()](const LoggedMessage &message) mutable {
    const auto [seen, isFirst] = last.try_emplace(message.core, -1);
    if (*isLooking || message.cycle <= seen->second)
      return;
    seen->second = message.cycle;
    write(lineOf(message, cores));
  };
}

// Compiles or loads the program, and starts its run.
absl::StatusOr<debugger::Launched> startSession(const Options &options, const WriteLine &log) {
  const BuildOptions source = withShapesOf(options.build, options.arguments);
  absl::StatusOr<Built> built = build(source);
  if (!built.ok())
    return built.status();
  auto inInput = [&](const absl::Status &status) {
    return absl::Status(status.code(), absl::StrCat(options.build.input, ": ", status.message()));
  };
  absl::StatusOr<std::vector<HostArray>> arguments =
      readArguments(built->program.header, options.arguments);
  if (!arguments.ok())
    return arguments.status();
  EmulatorOptions emulatorOptions;
  emulatorOptions.interprets = true;
  auto isLooking = std::make_shared<bool>(false);
  emulatorOptions.log = messagesTo(log, built->program.header.cores(), isLooking);
  absl::StatusOr<Executable> executable =
      Device(built->target, emulatorOptions).load(built->program);
  if (!executable.ok())
    return inInput(executable.status());
  auto emulator = Executable::prepare(*std::move(executable), *arguments);
  if (!emulator.ok())
    return inInput(emulator.status());
  absl::StatusOr<Transfers> transfers = Transfers::create(built->program.header, options.transfers);
  if (!transfers.ok())
    return inInput(transfers.status());
  auto host = std::make_shared<SessionHost>((*emulator)->program(), *transfers);
  auto session = debugger::Session::create(
      *std::move(emulator),
      {.snapshotBytes = int64_t(options.snapshotBytes), .isLooking = isLooking},
      &CancelOnInterrupt::flag(), host->ports.byCore());
  if (!session.ok())
    return inInput(session.status());
  debugger::Launched launched{std::move(host), *std::move(session), nullptr};
  // Values need another compilation, and standard input is there once.
  if (built->isSource && options.build.input != "-")
    launched.values =
        std::make_unique<DebugValues>(source, *std::move(arguments), options.transfers);
  return launched;
}

// Options of a launch configuration; those of the command line hold where it says nothing.
absl::StatusOr<debugger::Launched> launch(const Options &base, const llvm::json::Object &arguments,
                                          const WriteLine &log) {
  Options options = base;
  auto take = [&](const char *name, std::string &option) {
    if (std::optional<llvm::StringRef> text = arguments.getString(name))
      option = text->str();
  };
  take("program", options.build.input);
  take("target", options.build.target);
  take("precision", options.build.precision);
  take("answers", options.transfers.answers);
  if (options.build.input.empty())
    return absl::InvalidArgumentError("the launch configuration names no \"program\"");
  if (std::optional<llvm::StringRef> file = arguments.getString("args"))
    options.arguments = {file->str()};
  if (const llvm::json::Array *files = arguments.getArray("args")) {
    options.arguments.clear();
    for (const llvm::json::Value &file : *files)
      options.arguments.push_back(file.getAsString().value_or("").str());
  }
  return startSession(options, log);
}

absl::Status serveEditor(const Options &options) {
  debugger::Channel channel(stdin, llvm::outs(), CancelOnInterrupt::flag());
  debugger::Adapter adapter(channel, [&](const llvm::json::Object &arguments) {
    return launch(options, arguments, [&](const std::string &line) {
      channel.event("output", llvm::json::Object{{"category", "stdout"},
                                                 {"output", llvm::json::fixUTF8(line)}});
    });
  });
  debugger::serve(adapter);
  return absl::OkStatus();
}

absl::Status debug(const Options &options) {
  if (options.dap)
    return serveEditor(options);
  if (options.build.input.empty())
    return absl::InvalidArgumentError("IN is required");
  absl::StatusOr<debugger::Launched> launched =
      startSession(options, [](const std::string &line) { llvm::outs() << line; });
  if (!launched.ok())
    return launched.status();
  debugger::Console console(*launched->session, launched->session->emulator().program(),
                            llvm::outs(), launched->values.get());
  {
    CancelOnInterrupt interrupt;
    if (absl::Status status = executeScripts(console, options); !status.ok())
      return status;
    if (console.hasQuit || options.batch)
      return absl::OkStatus();
    if (!isatty(STDIN_FILENO))
      return executeLines(console, std::cin, "standard input");
  }
  converse(console);
  return absl::OkStatus();
}

} // namespace

void addDebug(CLI::App &app, int &exitCode) {
  CLI::App *command =
      app.add_subcommand("debug", "Run a program forwards and backwards, by commands as gdb has");
  auto options = std::make_shared<Options>();
  addBuildOptions(*command, options->build);
  auto add = [&](const char *name, auto &value, const char *help) {
    return command->add_option(name, value, help)->check(notEmpty());
  };
  addArgumentOption(*command, options->arguments);
  addTransferOptions(*command, options->transfers);
  add("--breakpoints", options->breakpoints,
      "Where lines call jax.debug.breakpoint, as systole.debug writes them to this file");
  add("-x,--script", options->scripts, "Execute the commands of this file first");
  add("-e,--execute", options->commands, "Execute this command first, behind scripts");
  command->add_flag("--batch", options->batch,
                    "End behind scripts and commands, instead of reading more");
  command->add_flag("--dap", options->dap,
                    "Serve an editor: the Debug Adapter Protocol on standard input and output, "
                    "whose launch request may name IN and --args");
  command->get_option("IN")->required(false);
  command
      ->add_option("--snapshot-memory", options->snapshotBytes,
                   "Bytes of this host for snapshots, by which it goes back: 2GiB unless given")
      ->transform(byteCount());
  command->callback([options, &exitCode] { exitCode = finish(debug(*options)); });
}

} // namespace systole
