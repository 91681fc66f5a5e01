// Requests that show the code, and why it has trapped.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "runtime/Debugger/Adapter/Adapter.h"

namespace systole::debugger {

using llvm::json::Array;
using llvm::json::Object;

// Instructions that are sent at once.
static constexpr int64_t kMostInstructions = 10'000;

static Object instructionAt(const Adapter &adapter, int64_t bundle) {
  const Program &program = adapter.session->emulator().program();
  if (bundle < 0 || bundle >= int64_t(program.code.size()))
    return Object{{"address", referenceTo(std::max<int64_t>(bundle, 0))},
                  {"instruction", ""},
                  {"presentationHint", "invalid"}};
  auto decoded = isa::decode(program.code[size_t(bundle)], formatOf(program.header));
  Object instruction{{"address", referenceTo(bundle)},
                     {"instruction", decoded.ok() ? printBundle(*decoded, &program.header) : "?"}};
  const program::Location &location = adapter.console->places.locationAt(bundle);
  if (std::optional<SourcePlace> place = sourceOf(shownLine(location))) {
    instruction["location"] = std::move(place->source);
    instruction["line"] = place->line;
    instruction["column"] = place->column;
  }
  return instruction;
}

static void answerDisassemble(Adapter &adapter, const Request &request) {
  const std::string reference = request.arguments.getString("memoryReference").value_or("").str();
  const std::optional<int64_t> bundle = bundleOf(reference);
  if (!bundle)
    return adapter.channel.refuse(request, absl::StrCat("'", reference, "' is no instruction"));
  const int64_t first = *bundle + request.arguments.getInteger("offset").value_or(0) +
                        request.arguments.getInteger("instructionOffset").value_or(0);
  const int64_t count = std::clamp<int64_t>(
      request.arguments.getInteger("instructionCount").value_or(0), 0, kMostInstructions);
  Array instructions;
  for (int64_t i = 0; i < count; ++i)
    instructions.push_back(instructionAt(adapter, first + i));
  adapter.channel.respond(request, Object{{"instructions", std::move(instructions)}});
}

bool handleCode(Adapter &adapter, const Request &request) {
  if (request.command == "disassemble") {
    answerDisassemble(adapter, request);
  } else if (request.command == "exceptionInfo") {
    if (!adapter.session->trap()) {
      adapter.channel.refuse(request, "the program has not trapped");
      return true;
    }
    const std::string message =
        llvm::json::fixUTF8(std::string(toStatus(*adapter.session->trap()).message()));
    adapter.channel.respond(request, Object{{"exceptionId", "trap"},
                                            {"description", message},
                                            {"breakMode", "always"},
                                            {"details", Object{{"message", message}}}});
  } else {
    return false;
  }
  return true;
}

} // namespace systole::debugger
