// Directives of the machine's text form, which make up the header of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "dialects/Machine/Program/AsmParser.h"
#include "dialects/Machine/Program/AsmSyntax.h"

namespace systole::assembly {

//===----------------------------------------------------------------------===//
// Parts of directives
//===----------------------------------------------------------------------===//

bool Parser::parseInteger(int64_t &value) {
  if (token.kind == Token::Kind::Identifier) {
    auto it = defines.find(token.text);
    if (it != defines.end() && it->second.kind == Token::Kind::Integer) {
      value = it->second.integer;
      return advance();
    }
  }
  if (token.kind != Token::Kind::Integer)
    return unexpected("an integer");
  value = token.integer;
  return advance();
}

bool Parser::parseInteger(int64_t &value, int64_t low, int64_t high) {
  const Position position = token.position;
  if (!parseInteger(value))
    return false;
  if (value < low || value > high)
    return fail(position, absl::StrCat(value, " is not in ", low, " to ", high));
  return true;
}

bool Parser::parseString(std::string &text) {
  if (token.kind != Token::Kind::String)
    return unexpected("a string");
  text = token.text;
  return advance();
}

bool Parser::parseText(std::string &text) {
  if (token.kind != Token::Kind::Identifier && token.kind != Token::Kind::String)
    return unexpected("a name");
  text = token.text;
  return advance();
}

template <typename T> bool Parser::parseIntegers(google::protobuf::RepeatedField<T> &values) {
  if (!expect('['))
    return false;
  skipNewlines();
  while (!token.is(']')) {
    int64_t value = 0;
    if (!parseInteger(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()))
      return false;
    values.Add(T(value));
    skipNewlines();
    if (!accept(',') && !token.is(']'))
      return unexpected("`,` or `]`");
    skipNewlines();
  }
  return advance();
}

template bool Parser::parseIntegers(google::protobuf::RepeatedField<int32_t> &);
template bool Parser::parseIntegers(google::protobuf::RepeatedField<int64_t> &);

bool Parser::parseSpace(program::Space &space) {
  const auto found =
      token.kind == Token::Kind::Identifier ? assembly::parseSpace(token.text) : std::nullopt;
  if (!found)
    return unexpected("`hbm`, `vmem`, `smem` or `host`");
  space = *found;
  return advance();
}

bool Parser::parseRegion(int64_t &index) {
  if (token.kind == Token::Kind::Identifier)
    if (auto it = regions.find(token.text); it != regions.end()) {
      index = it->second;
      return advance();
    }
  return unexpected("the name of a region declared above");
}

bool Parser::declare(std::map<std::string, int, std::less<>> &names, const std::string &name,
                     int index, Position position) {
  if (parseRegister(name))
    return fail(position, absl::StrCat("`", name, "` is a register"));
  if (!names.emplace(name, index).second)
    return fail(position, absl::StrCat("`", name, "` is declared twice"));
  return true;
}

//===----------------------------------------------------------------------===//
// The program as a whole
//===----------------------------------------------------------------------===//

bool Parser::parseDirective() {
  static constexpr struct {
    absl::string_view name;
    bool (Parser::*parse)();
  } kDirectives[] = {
      {"producer", &Parser::parseProducer},
      {"target", &Parser::parseTarget},
      {"cores", &Parser::parseCores},
      {"precision", &Parser::parsePrecision},
      {"flops", &Parser::parseFlops},
      {"compile_seconds", &Parser::parseCompileSeconds},
      {"memory", &Parser::parseMemory},
      {"bundle", &Parser::parseBundleFormat},
      {"define", &Parser::parseDefine},
      {"region", &Parser::parseRegionDirective},
      {"descriptor", &Parser::parseDescriptor},
      {"trap", &Parser::parseTrap},
      {"message", &Parser::parseMessage},
      {"argument", &Parser::parseArgument},
      {"result", &Parser::parseResult},
      {"send", &Parser::parseSend},
      {"recv", &Parser::parseRecv},
      {"outfeed", &Parser::parseOutfeed},
      {"infeed", &Parser::parseInfeed},
      {"constant", &Parser::parseConstant},
      {"allocation", &Parser::parseAllocation},
      {"entry", &Parser::parseEntry},
      {"routine", &Parser::parseRoutineDirective},
      {"kernel", &Parser::parseKernelDirective},
      {"source", &Parser::parseSourceDirective},
      {"overlay", &Parser::parseOverlay},
  };
  // Those of one name.
  static constexpr struct {
    absl::string_view name;
    std::string *(program::ProgramHeader::*field)();
  } kNames[] = {{"program", &program::ProgramHeader::mutable_name},
                {"module", &program::ProgramHeader::mutable_module}};
  for (const auto &directive : kNames)
    if (directive.name == token.text) {
      advance();
      return parseText(*(program.header.*directive.field)()) && endOfLine();
    }
  for (const auto &directive : kDirectives)
    if (directive.name == token.text) {
      advance();
      return (this->*directive.parse)() && endOfLine();
    }
  return failHere(absl::StrCat("unknown directive `.", token.text, "`"));
}

bool Parser::parseProducer() { return parseText(*program.header.mutable_producer()); }
bool Parser::parsePrecision() { return parseText(*program.header.mutable_precision()); }

bool Parser::parseTarget() {
  return parseText(*program.header.mutable_target()) &&
         (!acceptWord("hash") || parseText(*program.header.mutable_target_hash()));
}

// .cores N [of SLICE] [at [PLACE, ...]]
bool Parser::parseCores() {
  int64_t cores, slice;
  if (!parseInteger(cores, 1, INT32_MAX))
    return false;
  program.header.set_cores(int32_t(cores));
  if (acceptWord("of")) {
    if (!parseInteger(slice, 1, INT32_MAX))
      return false;
    program.header.set_slice_cores(int32_t(slice));
  }
  return !acceptWord("at") || parseIntegers(*program.header.mutable_core_places());
}

bool Parser::parseFlops() {
  int64_t flops = 0;
  if (!parseInteger(flops))
    return false;
  program.header.set_flops(flops);
  return true;
}

// As a string, since a duration is a double and numbers here are f32.
bool Parser::parseCompileSeconds() {
  double seconds;
  if (token.kind != Token::Kind::String || !absl::SimpleAtod(token.text, &seconds))
    return unexpected("a decimal number in a string");
  program.header.set_compile_seconds(seconds);
  return advance();
}

// The size that the program uses of a memory: at least to the end of its regions.
static void useMemory(program::ProgramHeader &header, program::Space space, int64_t end) {
  if (space == program::HBM)
    header.set_hbm_rows(std::max(header.hbm_rows(), end));
  else if (space == program::VMEM)
    header.set_vmem_rows(std::max(header.vmem_rows(), end));
  else if (space == program::SMEM)
    header.set_smem_words(std::max(header.smem_words(), end));
  else if (space == program::PINNED)
    header.set_pinned_rows(std::max(header.pinned_rows(), end));
}

bool Parser::parseMemory() {
  while (token.kind == Token::Kind::Identifier) {
    program::Space space{};
    int64_t size = 0;
    if (!parseSpace(space) || !parseInteger(size))
      return false;
    useMemory(program.header, space, size);
  }
  return true;
}

bool Parser::parseBundleFormat() {
  const Position position = token.position;
  isa::BundleFormat format;
  constexpr int64_t most = UINT8_MAX;
  auto parseCount = [&](uint8_t &count) {
    int64_t value = 0;
    advance();
    if (!parseInteger(value, 0, most))
      return false;
    count = uint8_t(value);
    return true;
  };
  while (token.kind == Token::Kind::Identifier) {
    uint8_t *count = token.text == "immediates" ? &format.immediates : nullptr;
    for (int slot = 0; slot < isa::kSlotKinds; ++slot)
      if (token.text == isa::name(isa::Slot(slot)))
        count = &format.slots[size_t(slot)];
    if (!count)
      return unexpected("a slot or `immediates`");
    if (!parseCount(*count))
      return false;
  }
  if (absl::Status status = isa::checkFormat(format); !status.ok())
    return fail(position, status.message());
  setFormat(program.header, format);
  return true;
}

bool Parser::parseDefine() {
  const Token name = token;
  if (token.kind != Token::Kind::Identifier)
    return unexpected("a name");
  advance();
  if (token.kind != Token::Kind::Integer && token.kind != Token::Kind::Float)
    return unexpected("a number");
  if (parseRegister(name.text) || !defines.emplace(name.text, token).second)
    return fail(name.position, absl::StrCat("`", name.text, "` cannot be defined again"));
  return advance();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// .region NAME SPACE SIZE [at BASE] [owner TEXT] [named TEXT]: without a base it
// follows the regions that its memory has already.
bool Parser::parseRegionDirective() {
  const Token name = token;
  program::Region region;
  program::Space space{};
  int64_t size = 0;
  if (name.kind != Token::Kind::Identifier)
    return unexpected("the region's name");
  advance();
  if (!parseSpace(space) || !parseInteger(size, 0, int64_t(1) << 40))
    return false;
  int64_t base = regionEnd[space];
  if (acceptWord("at") && !parseInteger(base, 0, int64_t(1) << 40))
    return false;
  region.set_name(name.text);
  if (acceptWord("owner") && !parseText(*region.mutable_owner()))
    return false;
  if (acceptWord("named") && !parseString(*region.mutable_name()))
    return false;
  region.set_space(space);
  region.set_base(base);
  region.set_size(size);
  regionEnd[space] = std::max(regionEnd[space], base + size);
  useMemory(program.header, space, base + size);
  const int index = program.header.regions_size();
  *program.header.add_regions() = std::move(region);
  return declare(regions, name.text, index, name.position);
}

// .descriptor NAME SPACE to SPACE chunk WORDS [counts [..] src [..] dst [..]]
// [arrival_flag N] [counts_words]
bool Parser::parseDescriptor() {
  const Token name = token;
  program::Space src{}, dst{};
  int64_t chunk = 0, flag = -1;
  if (name.kind != Token::Kind::Identifier)
    return unexpected("the descriptor's name");
  advance();
  if (!parseSpace(src) || !expectWord("to") || !parseSpace(dst) || !expectWord("chunk") ||
      !parseInteger(chunk))
    return false;
  program::Descriptor descriptor;
  descriptor.set_src(src);
  descriptor.set_dst(dst);
  descriptor.set_chunk(chunk);
  if (acceptWord("counts") &&
      !(parseIntegers(*descriptor.mutable_counts()) && expectWord("src") &&
        parseIntegers(*descriptor.mutable_src_strides()) && expectWord("dst") &&
        parseIntegers(*descriptor.mutable_dst_strides())))
    return false;
  if (acceptWord("arrival_flag") && !parseInteger(flag, 0, isa::kSyncFlags - 1))
    return false;
  descriptor.set_arrival_flag(int32_t(flag + 1));
  descriptor.set_counts_words(acceptWord("counts_words"));
  const int index = program.header.descriptors_size();
  *program.header.add_descriptors() = std::move(descriptor);
  return declare(descriptors, name.text, index, name.position);
}

bool Parser::parseTrap() { return parseString(*program.header.add_traps()); }

// .message [typed] STRING (DTYPE [DIMS] STRING)*
bool Parser::parseMessage() {
  program::LogMessage &message = *program.header.add_log_messages();
  message.set_typed(acceptWord("typed"));
  if (!parseString(*message.add_texts()))
    return false;
  while (token.kind == Token::Kind::Identifier) {
    program::LogValue &value = *message.add_values();
    if (!parseText(*value.mutable_dtype()) || !parseIntegers(*value.mutable_dims()) ||
        !parseString(*message.add_texts()))
      return false;
  }
  return true;
}

// .allocation NAME SPACE SIZE at BASE payload BYTES [source TEXT] [user TEXT] [name_stack TEXT]
// [live STEP STEP]
bool Parser::parseAllocation() {
  program::Allocation &allocation = *program.header.add_allocations();
  program::Space space;
  int64_t size, base, payload;
  if (!parseText(*allocation.mutable_name()) || !parseSpace(space) || !parseInteger(size) ||
      !expectWord("at") || !parseInteger(base) || !expectWord("payload") || !parseInteger(payload))
    return false;
  allocation.set_space(space);
  allocation.set_size(size);
  allocation.set_base(base);
  allocation.set_payload_bytes(payload);
  program::Location location;
  for (bool found = true; found;)
    if (!parseLocationOption(location, found))
      return false;
  allocation.set_location(locations.add(program.header, location));
  int64_t begin, end;
  if (acceptWord("live")) {
    if (!parseInteger(begin) || !parseInteger(end))
      return false;
    allocation.set_begin(begin);
    allocation.set_end(end);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Ranges of code
//===----------------------------------------------------------------------===//

bool Parser::parseEntry() {
  entryName = token;
  std::string name;
  return parseText(name);
}

// .routine NAME: the next number among routines, for a routine whose block
// comes later.
bool Parser::parseRoutineDirective() {
  const Token name = token;
  if (name.kind != Token::Kind::Identifier)
    return unexpected("the routine's name");
  advance();
  if (!declare(routines, name.text, program.header.routines_size(), name.position))
    return false;
  program.header.add_routines();
  declaredRoutines.push_back(name);
  return true;
}

bool Parser::parseBundleRange(program::Range &range) {
  int64_t begin, end;
  if (!parseInteger(begin, 0, INT32_MAX) || !parseInteger(end, 0, INT32_MAX))
    return false;
  range.set_begin(begin);
  range.set_end(end);
  return true;
}

bool Parser::parseLocationOption(program::Location &location, bool &found) {
  found = true;
  if (acceptWord("source"))
    return parseText(*location.mutable_source());
  if (acceptWord("user"))
    return parseText(*location.mutable_user());
  if (acceptWord("name_stack"))
    return parseText(*location.mutable_name_stack());
  found = false;
  return true;
}

bool Parser::parseKernelOptions(program::Kernel &kernel) {
  program::Location location;
  while (token.kind == Token::Kind::Identifier) {
    int64_t number;
    bool found;
    if (!parseLocationOption(location, found))
      return false;
    if (found)
      continue;
    if (acceptWord("kind")) {
      if (!parseText(*kernel.mutable_kind()))
        return false;
    } else if (acceptWord("flops")) {
      if (!parseInteger(number))
        return false;
      kernel.set_flops(number);
    } else if (acceptWord("bytes")) {
      if (!parseInteger(number))
        return false;
      kernel.set_bytes(number);
    } else if (acceptWord("estimate")) {
      if (!parseInteger(number))
        return false;
      kernel.set_estimated_cycles(number);
    } else if (acceptWord("step")) {
      if (!parseInteger(number))
        return false;
      kernel.set_step(number);
    } else if (acceptWord("part_of")) {
      if (!parseInteger(number, 0, INT32_MAX - 1))
        return false;
      kernel.set_part_of(int32_t(number) + 1);
    } else {
      return unexpected("`source`, `user`, `name_stack`, `kind`, `flops`, `bytes`, `estimate`, "
                        "`step` or `part_of`");
    }
  }
  kernel.set_location(locations.add(program.header, location));
  return true;
}

// .kernel NAME bundles BEGIN END OPTIONS, for ranges that are not a block.
bool Parser::parseKernelDirective() {
  program::Kernel &kernel = *program.header.add_kernels();
  return parseText(*kernel.mutable_name()) && expectWord("bundles") &&
         parseBundleRange(*kernel.mutable_bundles()) && parseKernelOptions(kernel);
}

bool Parser::parseSourceDirective() {
  program::SourceRange &source = *program.header.add_sources();
  program::Location location;
  bool found = true;
  if (!parseText(*location.mutable_source()) || !expectWord("bundles") ||
      !parseBundleRange(*source.mutable_bundles()))
    return false;
  while (found)
    if (!parseLocationOption(location, found))
      return false;
  source.set_location(locations.add(program.header, location));
  return true;
}

bool Parser::parseOverlay() {
  program::ProgramHeader &header = program.header;
  if (!expectWord("bundles") || !parseBundleRange(*header.add_overlays()))
    return false;
  // The first one is resident, and the others lie behind it, if nothing else is said.
  int64_t address = addressOfOverlay(header, header.overlays_size() - 1);
  if (acceptWord("at") && !parseInteger(address, 0, INT32_MAX))
    return false;
  header.add_overlay_addresses(address);
  return true;
}

} // namespace systole::assembly
