// The .sysx container: layout, checksum, reading and writing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Program.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "google/protobuf/stubs/logging.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

#include "dialects/Machine/Program/WholeFile.h"

namespace systole {
namespace {

constexpr absl::string_view kMagic = "SYSTOLE\n";
constexpr uint32_t kVersion = 2;
constexpr size_t kHashBytes = 32;
constexpr size_t kHashOffset = 16;
constexpr size_t kHeaderOffset = kHashOffset + kHashBytes;
constexpr size_t kAlignment = 64;
// A header is mostly names and ranges; this is far above the largest model's and
// bounds the allocations of the protobuf parser.
constexpr size_t kMaxHeaderBytes = size_t(32) << 20;

uint64_t alignUp(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

uint32_t readU32(absl::string_view bytes, size_t offset) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | uint8_t(bytes[offset + i]);
  return value;
}

void appendU32(std::string &out, uint32_t value) {
  for (int i = 0; i < 4; ++i, value >>= 8)
    out.push_back(char(value));
}

std::string sha256(absl::string_view bytes) {
  const auto digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return std::string(digest.begin(), digest.end());
}

// The sections' offsets depend on the header's length, which depends on the offsets,
// whose encoding has a variable length: a few iterations reach a fixed point.
std::string layOut(program::ProgramHeader &header, const Program &program) {
  std::string text = header.SerializeAsString();
  for (size_t length = 0; length != text.size();) {
    length = text.size();
    uint64_t offset = alignUp(kHeaderOffset + length);
    auto place = [&](program::Section *section, uint64_t bytes) {
      section->set_offset(offset);
      section->set_bytes(bytes);
      offset = alignUp(offset + bytes);
    };
    place(header.mutable_code(), program.code.size() * uint64_t(formatOf(header).bytes()));
    for (size_t i = 0; i < program.constants.size(); ++i)
      place(header.mutable_constants(int(i))->mutable_data(), program.constants[i].size());
    text = header.SerializeAsString();
  }
  return text;
}

absl::Status checkSections(const program::ProgramHeader &header, size_t fileBytes,
                           size_t headerEnd) {
  // Writers lay sections out in this order, so one comparison detects overlap.
  uint64_t free = headerEnd;
  auto check = [&](const program::Section &section, absl::string_view what) -> absl::Status {
    if (section.offset() % kAlignment != 0)
      return absl::InvalidArgumentError(
          absl::StrCat(what, " section is not aligned to ", kAlignment, " bytes"));
    if (section.offset() < free)
      return absl::InvalidArgumentError(
          absl::StrCat(what, " section overlaps the one before it in the file"));
    if (section.offset() > fileBytes || section.bytes() > fileBytes - section.offset())
      return absl::InvalidArgumentError(absl::StrCat(what, " section exceeds the file"));
    free = section.offset() + section.bytes();
    return absl::OkStatus();
  };
  if (auto status = check(header.code(), "code"); !status.ok())
    return status;
  const isa::BundleFormat format = formatOf(header);
  if (auto status = isa::checkFormat(format); !status.ok())
    return status;
  if (header.code().bytes() % uint64_t(format.bytes()) != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("code section is not whole bundles of ", format.bytes(), " bytes"));
  for (int i = 0; i < header.constants_size(); ++i)
    if (auto status = check(header.constants(i).data(), absl::StrCat("constant ", i)); !status.ok())
      return status;
  if (free != fileBytes)
    return absl::InvalidArgumentError("the file goes on after its last section");
  return absl::OkStatus();
}

} // namespace

int64_t addressOfOverlay(const program::ProgramHeader &header, int overlay) {
  assert(overlay < header.overlays_size() && "no such overlay");
  if (overlay < header.overlay_addresses_size())
    return header.overlay_addresses(overlay);
  return overlay == 0 ? 0 : header.overlays(0).end() - header.overlays(0).begin();
}

isa::BundleFormat formatOf(const program::ProgramHeader &header) {
  isa::BundleFormat format;
  if (!header.has_bundle_format())
    return format;
  const program::BundleFormat &given = header.bundle_format();
  auto small = [](int32_t value) { return uint8_t(std::clamp(value, 0, 255)); };
  format.slots.fill(0);
  if (given.slots_size() == isa::kSlotKinds)
    std::transform(given.slots().begin(), given.slots().end(), format.slots.begin(), small);
  format.immediates = small(given.immediates());
  return format;
}

void setFormat(program::ProgramHeader &header, const isa::BundleFormat &format) {
  header.clear_bundle_format();
  if (format == isa::BundleFormat())
    return;
  header.mutable_bundle_format()->mutable_slots()->Add(format.slots.begin(), format.slots.end());
  header.mutable_bundle_format()->set_immediates(format.immediates);
}

absl::string_view memoryKind(program::Memory memory) {
  switch (memory) {
  case program::PINNED_HOST:
    return "pinned_host";
  case program::UNPINNED_HOST:
    return "unpinned_host";
  default:
    return "device";
  }
}

std::optional<program::Memory> memoryOfKind(absl::string_view kind) {
  for (program::Memory memory : {program::DEVICE, program::PINNED_HOST, program::UNPINNED_HOST})
    if (memoryKind(memory) == kind)
      return memory;
  return std::nullopt;
}

bool isProgramFile(absl::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

bool isCutProgramFile(absl::string_view bytes) {
  return !bytes.empty() && bytes.size() < kMagic.size() && kMagic.substr(0, bytes.size()) == bytes;
}

absl::StatusOr<std::string> serializeProgram(const Program &program) {
  if (auto status = checkHeader(program); !status.ok())
    return status;
  program::ProgramHeader header = program.header;
  const std::string text = layOut(header, program);
  if (text.size() > kMaxHeaderBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("program header of ", text.size(), " bytes; the most is ", kMaxHeaderBytes));

  std::string out(kMagic);
  appendU32(out, kVersion);
  appendU32(out, uint32_t(text.size()));
  out.append(kHashBytes, '\0');
  out += text;
  out.resize(header.code().offset());
  const auto bundleBytes = size_t(formatOf(header).bytes());
  for (const isa::EncodedBundle &bundle : program.code)
    out.append(reinterpret_cast<const char *>(bundle.data()), bundleBytes);
  for (size_t i = 0; i < program.constants.size(); ++i) {
    out.resize(header.constants(int(i)).data().offset());
    out += program.constants[i];
  }
  out.replace(kHashOffset, kHashBytes,
              sha256(absl::string_view(out).substr(kHashOffset + kHashBytes)));
  return out;
}

absl::StatusOr<Program> parseProgram(absl::string_view bytes) {
  if (!isProgramFile(bytes))
    return absl::InvalidArgumentError("not a Systole program: it does not start with SYSTOLE");
  if (bytes.size() < kHeaderOffset)
    return absl::InvalidArgumentError("the program is cut short");
  if (const uint32_t version = readU32(bytes, kMagic.size()); version != kVersion)
    return absl::InvalidArgumentError(absl::StrCat("program format version ", version,
                                                   "; this Systole reads version ", kVersion));
  const size_t headerBytes = readU32(bytes, kMagic.size() + 4);
  if (headerBytes > kMaxHeaderBytes || headerBytes > bytes.size() - kHeaderOffset)
    return absl::InvalidArgumentError("the program header exceeds the file");
  if (sha256(bytes.substr(kHeaderOffset)) != bytes.substr(kHashOffset, kHashBytes))
    return absl::InvalidArgumentError("the program is damaged: its checksum does not match");

  Program program;
  // Protobuf would log its own messages.
  google::protobuf::LogSilencer silence;
  if (!program.header.ParseFromArray(bytes.data() + kHeaderOffset, int(headerBytes)))
    return absl::InvalidArgumentError("the program header cannot be parsed");
  if (auto status = checkSections(program.header, bytes.size(), kHeaderOffset + headerBytes);
      !status.ok())
    return status;

  const program::Section &code = program.header.code();
  const auto bundleBytes = size_t(formatOf(program.header).bytes());
  program.code.resize(code.bytes() / bundleBytes);
  for (size_t i = 0; i < program.code.size(); ++i)
    std::memcpy(program.code[i].data(), bytes.data() + code.offset() + i * bundleBytes,
                bundleBytes);
  for (const program::Constant &constant : program.header.constants())
    program.constants.emplace_back(bytes.substr(constant.data().offset(), constant.data().bytes()));
  if (auto status = checkHeader(program); !status.ok())
    return status;
  return program;
}

absl::Status writeProgram(const Program &program, const std::string &path) {
  auto bytes = serializeProgram(program);
  if (!bytes.ok())
    return bytes.status();
  return writeWholeFile(path, *bytes);
}

absl::StatusOr<Program> readProgram(const std::string &path) {
  auto bytes = readWholeFile(path);
  if (!bytes.ok())
    return bytes.status();
  auto program = parseProgram(*bytes);
  if (!program.ok())
    return absl::Status(program.status().code(),
                        absl::StrCat(path, ": ", program.status().message()));
  return program;
}

const program::Location &locationOf(const program::ProgramHeader &header, int32_t location) {
  return location >= 1 && location <= header.locations_size()
             ? header.locations(location - 1)
             : program::Location::default_instance();
}

const std::string &shownLine(const program::Location &location) {
  return location.user().empty() ? location.source() : location.user();
}

std::string describeBundle(const program::ProgramHeader &header, int64_t bundle) {
  auto contains = [&](const program::Range &range) {
    return range.begin() <= bundle && bundle < range.end();
  };
  // The narrowest range is the most specific one.
  auto narrowest = [&](const auto &entries) {
    decltype(&entries.Get(0)) best = nullptr;
    for (const auto &entry : entries)
      if (contains(entry.bundles()) &&
          (!best || entry.bundles().end() - entry.bundles().begin() <
                        best->bundles().end() - best->bundles().begin()))
        best = &entry;
    return best;
  };
  const program::Kernel *kernel = narrowest(header.kernels());
  const program::SourceRange *source = narrowest(header.sources());
  std::string text;
  if (kernel)
    absl::StrAppend(&text, "kernel `", kernel->name(), "`");
  else if (const program::Routine *routine = narrowest(header.routines()))
    absl::StrAppend(&text, "routine `", routine->name(), "`");
  const std::string &place = locationOf(header, source   ? source->location()
                                                : kernel ? kernel->location()
                                                         : 0)
                                 .source();
  if (!place.empty())
    absl::StrAppend(&text, text.empty() ? "at " : ", at ", place);
  return text;
}

std::string argumentName(const program::ProgramHeader &header, int argument) {
  // The first allocation of its rows: those of arguments come before others.
  const int32_t region = header.arguments(argument).region();
  if (region >= 0 && region < header.regions_size())
    for (const program::Allocation &allocation : header.allocations())
      if (allocation.space() == header.regions(region).space() &&
          allocation.base() == header.regions(region).base() && !allocation.name().empty())
        return allocation.name();
  return absl::StrCat("arg", argument);
}

} // namespace systole
