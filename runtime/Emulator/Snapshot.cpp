// Files of snapshots.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Snapshot.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Emulator/State/Archive.h"
#include "llvm/Support/BLAKE3.h"

namespace systole {

using emulation::ArchiveReader;
using emulation::ArchiveWriter;
using emulation::MemoryImage;

namespace {

// A file is the magic, an archive, and the digest of what is before it.
constexpr std::string_view kMagic = "SYSNAP03";

std::string_view view(const std::array<uint8_t, Snapshot::kDigestBytes> &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

// The memory's pages that are not zero: their numbers and, as one value each, their contents.
bool writePages(const MemoryImage::Contents &memory, const FileSink &sink) {
  std::vector<uint64_t> numbers;
  for (const MemoryImage::Page &page : memory.pages)
    numbers.push_back(page.number);
  ArchiveWriter archive;
  archive.value("bytes", memory.bytes);
  archive.value("pages", numbers);
  if (!sink(std::move(archive).take()))
    return false;
  return std::ranges::all_of(memory.pages, [&](const MemoryImage::Page &page) {
    ArchiveWriter contents;
    contents.value("contents", *page.contents);
    return sink(std::move(contents).take());
  });
}

// False if the pages are not in order.
bool readPages(ArchiveReader &archive, MemoryImage::Contents &memory) {
  std::vector<uint64_t> numbers;
  archive.value("bytes", memory.bytes);
  archive.value("pages", numbers);
  if (!std::ranges::is_sorted(numbers, std::ranges::less_equal()))
    return false;
  for (const uint64_t number : numbers) {
    auto contents = std::make_shared<std::vector<uint8_t>>();
    archive.value("contents", *contents);
    if (!archive.ok())
      return true;
    memory.pages.push_back({number, std::move(contents)});
  }
  return true;
}

} // namespace

bool Snapshot::writeTo(FileSink file) const {
  llvm::BLAKE3 hash;
  auto sink = [&](std::string_view bytes) {
    hash.update(llvm::StringRef(bytes.data(), bytes.size()));
    return file(bytes);
  };
  ArchiveWriter archive;
  archive.value("program", program);
  archive.value("stoppedAt", stoppedAt);
  archive.value("network", network);
  archive.value("cores", uint64_t(cores.size()));
  if (!sink(kMagic) || !sink(std::move(archive).take()))
    return false;
  for (const Core &core : cores) {
    ArchiveWriter state;
    state.value("state", core.state);
    if (!sink(std::move(state).take()))
      return false;
    for (const program::Space space : emulation::kCopiedSpaces)
      if (!writePages(core.memory.of(space), sink))
        return false;
  }
  return file(view(hash.final<kDigestBytes>()));
}

absl::Status Snapshot::write(const std::string &path) const {
  return writeWholeFile(path, [&](FileSink file) { return writeTo(file); });
}

std::string Snapshot::serialize() const {
  std::string bytes;
  writeTo([&](std::string_view more) {
    bytes += more;
    return true;
  });
  return bytes;
}

absl::StatusOr<Snapshot> Snapshot::read(const std::string &path) {
  absl::StatusOr<std::string> bytes = readWholeFile(path);
  if (!bytes.ok())
    return bytes.status();
  absl::StatusOr<Snapshot> snapshot = parse(*bytes);
  if (!snapshot.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", snapshot.status().message()));
  return snapshot;
}

absl::StatusOr<Snapshot> Snapshot::parse(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return absl::InvalidArgumentError("not a snapshot of this version");
  if (bytes.size() < kMagic.size() + kDigestBytes)
    return absl::InvalidArgumentError("the snapshot is truncated");
  const std::string_view digest = bytes.substr(bytes.size() - kDigestBytes);
  bytes.remove_suffix(kDigestBytes);
  if (view(llvm::BLAKE3::hash<kDigestBytes>(
          llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()))) != digest)
    return absl::InvalidArgumentError("the snapshot is damaged");
  bytes.remove_prefix(kMagic.size());

  Snapshot snapshot;
  ArchiveReader archive(bytes);
  uint64_t cores = 0;
  archive.value("program", snapshot.program);
  archive.value("stoppedAt", snapshot.stoppedAt);
  archive.value("network", snapshot.network);
  archive.value("cores", cores);
  for (uint64_t i = 0; i < cores && archive.ok(); ++i) {
    Core &core = snapshot.cores.emplace_back();
    archive.value("state", core.state);
    for (const program::Space space : emulation::kCopiedSpaces)
      if (!readPages(archive, core.memory.of(space)))
        return absl::InvalidArgumentError("pages of a memory are not in order");
  }
  if (absl::Status status = archive.finish(); !status.ok())
    return status;
  return snapshot;
}

std::string Snapshot::firstDifference(const Snapshot &other) const {
  if (program != other.program || cores.size() != other.cores.size())
    return "program";
  if (const std::string place = emulation::firstDifference(network, other.network); !place.empty())
    return absl::StrCat("network: ", place);
  for (size_t i = 0; i < cores.size(); ++i) {
    std::string place = emulation::firstDifference(cores[i].state, other.cores[i].state);
    if (place.empty())
      place = cores[i].memory.firstDifference(other.cores[i].memory);
    if (!place.empty())
      return absl::StrCat("core ", i, ": ", place);
  }
  return "";
}

} // namespace systole
