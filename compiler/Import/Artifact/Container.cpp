// The sections of a bytecode file, located and validated before they are used.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Container.h"

using namespace llvm;

namespace systole::artifact {

namespace {

constexpr size_t kSections = static_cast<size_t>(Section::Count_);

/// The lengths of all strings in reverse order, then the null-terminated strings.
LogicalResult readStrings(Bytes bytes, std::vector<StringRef> &strings) {
  uint64_t count;
  if (failed(bytes.readCount(count, "strings")))
    return failure();
  std::vector<uint64_t> sizes(count);
  for (uint64_t &size : sizes)
    if (failed(bytes.readVarInt(size)))
      return failure();
  for (uint64_t size : llvm::reverse(sizes)) {
    Bytes string = bytes;
    if (failed(bytes.take(size, string)))
      return failure();
    if (string.empty() || string.text().back())
      return string.refuse("a string is not terminated");
    strings.push_back(string.text().drop_back());
  }
  return bytes.expectEnd("the strings");
}

/// Groups of entries that belong to the same dialect.
LogicalResult readGroup(Bytes &bytes, size_t dialects, uint64_t &dialect, uint64_t &entries) {
  return failure(failed(bytes.readIndex(dialect, dialects, "dialect")) ||
                 failed(bytes.readCount(entries, "entries of a dialect")));
}

LogicalResult readDialects(Bytes bytes, Container &container) {
  uint64_t count;
  if (failed(bytes.readCount(count, "dialects")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    Bytes start = bytes;
    uint64_t name;
    bool hasVersion = false;
    if (failed(container.encoding < kVersionedDialects
                   ? bytes.readVarInt(name)
                   : bytes.readVarIntWithFlag(name, hasVersion)))
      return failure();
    if (name >= container.strings.size())
      return start.refuse("string " + Twine(name) + " of " + Twine(container.strings.size()));
    container.dialects.push_back(container.strings[name]);
    Section section;
    Bytes version = bytes;
    if (hasVersion && (failed(readSection(bytes, section, version))))
      return failure();
    if (hasVersion && section != Section::DialectVersion)
      return start.refuse("a dialect's version is expected");
  }
  uint64_t operations = 0;
  bool isCounted = container.encoding >= kPlainArguments;
  if (isCounted && failed(bytes.readCount(operations, "names of operations")))
    return failure();
  while (!bytes.empty()) {
    uint64_t dialect, entries;
    if (failed(readGroup(bytes, container.dialects.size(), dialect, entries)))
      return failure();
    for (uint64_t i = 0; i < entries; ++i) {
      Bytes start = bytes;
      uint64_t name;
      bool registered = false;
      if (failed(container.encoding < kProperties ? bytes.readVarInt(name)
                                                  : bytes.readVarIntWithFlag(name, registered)))
        return failure();
      if (name >= container.strings.size())
        return start.refuse("string " + Twine(name) + " of " + Twine(container.strings.size()));
      container.operationNames.push_back({dialect, container.strings[name], registered});
    }
  }
  if (isCounted && operations != container.operationNames.size())
    return bytes.refuse(Twine(operations) + " names of operations are declared, there are " +
                        Twine(container.operationNames.size()));
  return success();
}

/// The sizes of all attributes, then of all types, which are stored in this order in `data`.
LogicalResult readEntries(Bytes sizes, Bytes data, Container &container) {
  uint64_t attributes, types;
  if (failed(sizes.readCount(attributes, "attributes")) || failed(sizes.readCount(types, "types")))
    return failure();
  for (auto [count, entries] :
       {std::pair(attributes, &container.attributes), {types, &container.types}})
    while (entries->size() < count) {
      Bytes start = sizes;
      uint64_t dialect, group;
      if (failed(readGroup(sizes, container.dialects.size(), dialect, group)))
        return failure();
      if (group > count - entries->size())
        return start.refuse("more attributes or types than are declared");
      for (uint64_t i = 0; i < group; ++i) {
        uint64_t size;
        bool isEncoded;
        Bytes entry = data;
        if (failed(sizes.readVarIntWithFlag(size, isEncoded)) || failed(data.take(size, entry)))
          return failure();
        entries->push_back({dialect, !isEncoded, entry});
      }
    }
  return failure(failed(sizes.expectEnd("the sizes of attributes and types")) ||
                 failed(data.expectEnd("the attributes and types")));
}

LogicalResult readProperties(Bytes bytes, std::vector<Bytes> &properties) {
  uint64_t count;
  if (failed(bytes.readCount(count, "properties")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t size;
    Bytes piece = bytes;
    if (failed(bytes.readVarInt(size)) || failed(bytes.take(size, piece)))
      return failure();
    properties.push_back(piece);
  }
  return bytes.expectEnd("the properties");
}

} // namespace

LogicalResult readSection(Bytes &bytes, Section &section, Bytes &content) {
  constexpr uint8_t kAligned = 0x80;
  Bytes start = bytes;
  uint8_t id;
  uint64_t size, alignment;
  if (failed(bytes.readByte(id)) || failed(bytes.readVarInt(size)))
    return failure();
  if ((id & kAligned) && (failed(bytes.readVarInt(alignment)) || failed(bytes.align(alignment))))
    return failure();
  section = static_cast<Section>(id & ~kAligned);
  if (section >= Section::Count_)
    return start.refuse("there is no section " + Twine(id & ~kAligned));
  return bytes.take(size, content);
}

LogicalResult Container::read(Bytes file, Format &kind) {
  format = &kind;
  Bytes magic = file;
  if (failed(file.take(kMagic.size(), magic)))
    return failure();
  if (magic.text() != kMagic)
    return magic.refuse("it is not MLIR bytecode");
  Bytes start = file;
  if (failed(file.readVarInt(encoding)))
    return failure();
  if (encoding > kNewestEncoding)
    return start.refuse("its encoding is version " + Twine(encoding) + " of MLIR's; that of " +
                        kind.name() + " is at most " + Twine(uint64_t(kNewestEncoding)));
  start = file;
  if (failed(file.readTerminated(producer)) || failed(kind.checkProducer(start, producer)))
    return failure();

  std::optional<Bytes> sections[kSections];
  while (!file.empty()) {
    start = file;
    Section section;
    Bytes content = file;
    if (failed(readSection(file, section, content)))
      return failure();
    std::optional<Bytes> &found = sections[static_cast<size_t>(section)];
    if (found)
      return start.refuse("section " + Twine(static_cast<unsigned>(section)) + " occurs twice");
    found = content;
  }
  auto get = [&](Section section) { return sections[static_cast<size_t>(section)]; };
  for (Section section : {Section::Strings, Section::Dialects, Section::Entries,
                          Section::EntrySizes, Section::Operations})
    if (!get(section))
      return file.refuse("section " + Twine(static_cast<unsigned>(section)) + " is missing");
  if (std::optional<Bytes> resources = get(Section::Resources); resources && !resources->empty())
    return resources->refuse("resources, which " + kind.name() + " do not have");
  operations = get(Section::Operations);
  return failure(
      failed(readStrings(*get(Section::Strings), strings)) ||
      failed(readDialects(*get(Section::Dialects), *this)) ||
      failed(readEntries(*get(Section::EntrySizes), *get(Section::Entries), *this)) ||
      (get(Section::Properties) && failed(readProperties(*get(Section::Properties), properties))));
}

} // namespace systole::artifact
