// Commands that show the state of the machine and of the session.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/Operand.h"
#include "runtime/Debugger/TransferArrays.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PrintArray.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole::debugger {

// Words that are shown at once.
static constexpr int64_t kMostWords = 4096;

// The cells of a register in a type. Those of narrow types have 2 or 4 numbers, of as many rows.
static absl::Status printCells(Console &console, absl::Span<const uint32_t> cells,
                               absl::string_view dtype) {
  constexpr absl::string_view integers[] = {"i8", "ui8", "i16", "ui16", "i32", "ui32"};
  const bool isInteger = llvm::is_contained(integers, dtype);
  int bits = 0;
  absl::string_view digits = dtype;
  while (!digits.empty() && !absl::ascii_isdigit(digits.front()))
    digits.remove_prefix(1);
  if (!absl::SimpleAtoi(digits, &bits) ||
      (!isInteger && dtype != "f32" && dtype != "bf16" && dtype != "f16"))
    return absl::InvalidArgumentError(absl::StrCat(
        "'", dtype,
        "' is no type of a register's numbers: f32, bf16, f16, or integers of 8 to 32 bits"));
  const int packed = 32 / bits, bytes = bits / 8;
  HostArray array{std::string(dtype), {isa::kSublanes * packed, isa::kLanes}, {}};
  array.bytes.resize(cells.size() * sizeof(uint32_t));
  for (int row = 0; row < isa::kSublanes * packed; ++row)
    for (int lane = 0; lane < isa::kLanes; ++lane) {
      const auto *cell =
          reinterpret_cast<const uint8_t *>(&cells[size_t(row / packed * isa::kLanes + lane)]);
      std::memcpy(&array.bytes[size_t(row * isa::kLanes + lane) * size_t(bytes)],
                  cell + row % packed * bytes, size_t(bytes));
    }
  console.out << typeString(array) << '\n' << formatArray(array) << '\n';
  return absl::OkStatus();
}

// A whole tensor or value, and the text behind its name.
struct Named {
  HostArray array;
  absl::string_view rest;
};

// An array as it was sent to the host the last time: its memory may hold something else by now.
static absl::StatusOr<HostArray> lastSent(const Console &console, const SentArray &sent) {
  Session &session = console.session;
  const int core = session.chosenCore();
  // Of the copy that starts next.
  auto read = [&]() -> absl::StatusOr<HostArray> {
    const int64_t bundle = session.emulator().core(core).point().bundle;
    const auto copy = llvm::find_if(
        sent.copies, [&](const ArrayCopy &candidate) { return candidate.bundle == bundle; });
    if (copy == sent.copies.end())
      return absl::InvalidArgumentError("the program has not sent it yet");
    return readTensor(session.emulator(), copy->onDevice, core);
  };
  absl::StatusOr<HostArray> array = read();
  if (array.ok())
    return array;
  PausePoints points;
  points.core = core;
  points.bundles.resize(console.program.code.size());
  for (const ArrayCopy &copy : sent.copies)
    points.bundles[size_t(copy.bundle)] = true;
  absl::Status status = visit(session, [&] {
    absl::StatusOr<Stop> stop = session.runBack(points);
    if (stop.ok() && stop->kind == Stop::Kind::Cancel)
      return absl::CancelledError("interrupted");
    if (stop.ok() && stop->kind == Stop::Kind::Point)
      array = read();
    return stop.status();
  });
  return status.ok() ? std::move(array) : status;
}

static absl::StatusOr<Named> wholeValueOf(const Console &console, absl::string_view text) {
  if (std::optional<SentArray> sent = findSent(console.program, text)) {
    absl::StatusOr<HostArray> array = lastSent(console, *sent);
    if (!array.ok())
      return array.status();
    return Named{*std::move(array), absl::StripAsciiWhitespace(sent->rest)};
  }
  absl::StatusOr<NamedTensor> named = findTensor(console.program, text);
  if (named.ok()) {
    absl::StatusOr<HostArray> array =
        readTensor(console.session.emulator(), named->tensor, console.session.chosenCore());
    if (!array.ok())
      return array.status();
    return Named{*std::move(array), named->rest};
  }
  std::optional<ValueName> value = console.values ? parseValueName(text) : std::nullopt;
  if (const std::string where = whereLocalIs(console, text); !value && !where.empty())
    return absl::InvalidArgumentError(where);
  if (!value)
    return named.status();
  absl::StatusOr<HostArray> array = console.values->read(value->name, value->execution);
  if (!array.ok())
    return array.status();
  return Named{*std::move(array), value->rest};
}

absl::StatusOr<HostArray> valueOf(const Console &console, absl::string_view text) {
  const std::string known = withLocals(console, text);
  absl::StatusOr<Named> named = wholeValueOf(console, known);
  return named.ok() ? sliced(named->array, named->rest) : named.status();
}

absl::StatusOr<std::string> nameOfElement(const Console &console, absl::string_view text,
                                          int64_t index) {
  absl::StatusOr<Named> named = wholeValueOf(console, text);
  if (!named.ok())
    return named.status();
  absl::StatusOr<std::string> indices = elementOf(named->array.dims, named->rest, index);
  if (!indices.ok())
    return indices.status();
  const absl::string_view name =
      absl::StripTrailingAsciiWhitespace(text.substr(0, text.size() - named->rest.size()));
  return absl::StrCat(name, *indices);
}

static absl::Status printArray(Console &console, absl::string_view text) {
  absl::StatusOr<HostArray> array = valueOf(console, text);
  if (!array.ok())
    return array.status();
  console.out << typeString(*array) << '\n' << formatArray(*array) << '\n';
  return absl::OkStatus();
}

absl::Status print(Console &console, absl::string_view text) {
  // A variable may have the name of a register.
  if (withLocals(console, text) != text)
    return printArray(console, text);
  const CoreView core = console.session.core();
  if (auto number = registerIn(text, "s", isa::kScalarRegisters)) {
    const uint32_t bits = core.scalar(*number);
    console.out << int32_t(bits) << llvm::formatv(" ({0:x8}, ", bits) << std::bit_cast<float>(bits)
                << ")\n";
    return absl::OkStatus();
  }
  if (auto number = registerIn(text, "flag", isa::kSyncFlags)) {
    console.out << core.flag(*number) << '\n';
    return absl::OkStatus();
  }
  if (text == "cycle") {
    console.out << console.session.cycle() << '\n';
    return absl::OkStatus();
  }
  // "v3" as f32, "v3 bf16" as numbers of another type.
  const std::pair<absl::string_view, absl::string_view> words =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  if (auto number = registerIn(words.first, "v", isa::kVectorRegisters))
    return printCells(console, core.vector(*number), words.second.empty() ? "f32" : words.second);
  if (auto number = registerIn(words.first, "m", isa::kMaskRegisters))
    return printCells(console, core.mask(*number), words.second.empty() ? "ui32" : words.second);
  return printArray(console, text);
}

absl::Status printWords(Console &console, absl::string_view text) {
  std::optional<WatchedWords> range = parseWords(text);
  if (!range || range->count > kMostWords)
    return absl::InvalidArgumentError(
        absl::StrCat("x takes words of memory such as vmem:128+8, at most ", kMostWords));
  std::vector<uint32_t> words(size_t(range->count));
  if (absl::Status status =
          console.session.core().read(range->space, range->first, absl::MakeSpan(words));
      !status.ok())
    return status;
  constexpr size_t perLine = 4;
  for (size_t i = 0; i < words.size(); i += perLine) {
    console.out << range->first + int64_t(i) << ':';
    for (size_t k = i; k < std::min(i + perLine, words.size()); ++k)
      console.out << llvm::formatv("  {0:x8} {1,12}", words[k], std::bit_cast<float>(words[k]));
    console.out << '\n';
  }
  return absl::OkStatus();
}

absl::Status saveState(Console &console, absl::string_view file) {
  if (file.empty())
    return absl::InvalidArgumentError("save takes a file");
  if (console.program.header.transfers_size() > 0)
    return absl::UnimplementedError(
        "a run of a program that exchanges data with the host cannot be "
        "resumed from a state without what the host has said");
  absl::StatusOr<Snapshot> snapshot = console.session.snapshot();
  return snapshot.ok() ? snapshot->write(std::string(file)) : snapshot.status();
}

absl::Status chooseCore(Console &console, absl::string_view text) {
  Session &session = console.session;
  int number;
  if (!text.empty()) {
    if (!absl::SimpleAtoi(text, &number) || number < 0 || number >= coresOf(session))
      return absl::InvalidArgumentError(
          absl::StrCat("there is no core '", text, "'; the program has ", coresOf(session)));
    session.chooseCore(number);
    return where(console, "");
  }
  for (int core = 0; core < coresOf(session); ++core) {
    const ProgramPoint point = session.emulator().core(core).point();
    console.out << (core == session.chosenCore() ? "* " : "  ") << "core " << core << ", ";
    if (point.hasHalted)
      console.out << "has halted\n";
    else
      console.out << "cycle " << point.cycle << ", " << console.places.describe(point.bundle)
                  << (point.isWaiting ? ", which waits" : "") << '\n';
  }
  return absl::OkStatus();
}

absl::Status where(Console &console, absl::string_view) {
  const ProgramPoint point = console.session.core().point();
  if (point.hasHalted) {
    showStop(console, {Stop::Kind::End});
    return absl::OkStatus();
  }
  showStop(console, {console.session.trap() ? Stop::Kind::Trap : Stop::Kind::Cycle});
  if (const std::string layer = console.places.layerOf(point.bundle); !layer.empty())
    console.out << "layer " << layer << '\n';
  for (int kernel : point.callers)
    if (kernel >= 0)
      console.out << "called by kernel `" << console.program.header.kernels(kernel).name() << "`\n";
  for (size_t i = 0; i < point.loopsLeft.size(); ++i)
    console.out << "loop " << i << ": " << point.loopsLeft[i] << " iterations left\n";
  return absl::OkStatus();
}

static void infoTensors(Console &console) {
  const program::ProgramHeader &header = console.program.header;
  for (int i = 0; i < header.arguments_size(); ++i) {
    const std::string name = argumentName(header, i), &own = header.arguments(i).name();
    console.out << "arg" << i << ' ' << typeString(header.arguments(i)) << ' '
                << (name == absl::StrCat("arg", i) ? own : name) << '\n';
  }
  for (int i = 0; i < header.results_size(); ++i)
    console.out << "out" << i << ' ' << typeString(header.results(i)) << ' '
                << header.results(i).name() << '\n';
}

static absl::Status infoValues(Console &console, absl::string_view text) {
  if (!console.values)
    return absl::InvalidArgumentError("a program without its source has no values of operations");
  absl::StatusOr<std::string> list = console.values->list(absl::StripAsciiWhitespace(text));
  if (list.ok())
    console.out << *list;
  return list.status();
}

absl::Status info(Console &console, absl::string_view topic) {
  if (absl::string_view text = topic;
      absl::ConsumePrefix(&text, "values") && (text.empty() || absl::ascii_isspace(text.front())))
    return infoValues(console, text);
  const CoreView core = console.session.core();
  if (topic == "breakpoints") {
    for (const Breakpoint &b : console.breakpoints)
      console.out << b.number << (b.words.empty() ? " break " : " watch ") << b.text
                  << (b.condition && b.text.find(" if ") == std::string::npos
                          ? absl::StrCat(" if ", b.condition->text())
                          : "")
                  << ", " << b.hits << " hits"
                  << (b.ignored ? absl::StrCat(", ignores ", b.ignored) : "") << '\n';
  } else if (topic == "checkpoints") {
    const Checkpoints &checkpoints = console.session.checkpoints();
    console.out << checkpoints.count() << " snapshots, " << checkpoints.bytes() << " bytes\n";
  } else if (topic == "copies") {
    for (const CopyView &copy : core.copies())
      console.out << program::Space_Name(copy.from) << ':' << copy.firstFrom << " to "
                  << program::Space_Name(copy.to) << ':' << copy.firstTo << ", " << copy.words
                  << " words, flag " << copy.flag << ", cycles " << copy.begin << " to "
                  << copy.finish << '\n';
  } else if (topic == "flags") {
    for (int flag = 0; flag < isa::kSyncFlags; ++flag)
      if (core.flag(flag) != 0)
        console.out << "flag" << flag << ' ' << core.flag(flag) << '\n';
  } else if (topic == "locals") {
    return infoLocals(console);
  } else if (topic == "transfers") {
    infoTransfers(console);
  } else if (topic == "kernels") {
    for (const program::Kernel &kernel : console.program.header.kernels())
      console.out << kernel.name() << ", bundles " << kernel.bundles().begin() << " to "
                  << kernel.bundles().end() - 1 << '\n';
  } else if (topic == "registers") {
    for (int i = 0; i < isa::kScalarRegisters; ++i)
      console.out << 's' << i << ' ' << int32_t(core.scalar(i)) << '\n';
  } else if (topic == "tensors") {
    infoTensors(console);
  } else {
    return absl::InvalidArgumentError("info takes breakpoints, checkpoints, copies, flags, "
                                      "kernels, locals, registers, tensors, transfers or "
                                      "values [TEXT]");
  }
  return absl::OkStatus();
}

} // namespace systole::debugger
