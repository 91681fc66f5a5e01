// The least recently used programs make room, in memory and on disk.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ProgramCache.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/Program/Verify.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMemoryBytes = 256 << 20;
constexpr int64_t kDiskBytes = int64_t(1) << 30;

// The compiler that is running: the file that holds this function, its size and age.
std::string buildIdentity() {
  Dl_info info;
  struct stat file;
  if (!dladdr(reinterpret_cast<void *>(&buildIdentity), &info) ||
      ::stat(info.dli_fname, &file) != 0)
    return "";
  return absl::StrCat(file.st_size, ".", file.st_mtim.tv_sec, ".", file.st_mtim.tv_nsec);
}

// What a small program takes beside its code: an emulator, and memory that it keeps between runs.
// Measured over 600 of them.
constexpr int64_t kBytesPerProgram = 300 * 1024;

int64_t bytesOf(const Program &program) {
  int64_t bytes = kBytesPerProgram + int64_t(program.code.size() * sizeof(program.code[0]));
  for (const std::string &constant : program.constants)
    bytes += int64_t(constant.size());
  return bytes + int64_t(program.header.ByteSizeLong());
}

void removeOldest(const std::string &folder) {
  struct File {
    fs::file_time_type used;
    int64_t bytes;
    fs::path path;
  };
  std::error_code none;
  std::vector<File> files;
  int64_t total = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() != ".sysx")
      continue;
    files.push_back({entry.last_write_time(none), int64_t(entry.file_size(none)), entry.path()});
    total += files.back().bytes;
  }
  if (total <= kDiskBytes)
    return;
  std::sort(files.begin(), files.end(),
            [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= kDiskBytes / 2)
      break;
    fs::remove(file.path, none);
    total -= file.bytes;
  }
}

} // namespace

std::string ProgramCache::keyOf(std::string_view source, const std::string &targetHash,
                                const std::string &precision) {
  static const std::string build = buildIdentity();
  llvm::SHA256 hash;
  for (std::string_view part : {std::string_view(build), std::string_view(targetHash),
                                std::string_view(precision), source}) {
    hash.update(absl::StrCat(part.size(), ":"));
    hash.update(llvm::StringRef(part.data(), part.size()));
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::shared_ptr<LoadedProgram> ProgramCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto place = places.find(key);
  if (place == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, place->second);
  return entries.front().program;
}

std::shared_ptr<LoadedProgram> ProgramCache::insert(const std::string &key,
                                                    std::shared_ptr<LoadedProgram> program) {
  std::lock_guard lock(mutex);
  if (auto place = places.find(key); place != places.end())
    return place->second->program;
  const int64_t size = bytesOf(program->program());
  entries.push_front({key, std::move(program), size});
  places[key] = entries.begin();
  bytes += size;
  while (bytes > kMemoryBytes && entries.size() > 1) {
    bytes -= entries.back().bytes;
    places.erase(entries.back().key);
    entries.pop_back();
  }
  return entries.front().program;
}

absl::StatusOr<Program> ProgramCache::read(const std::string &key, const Limits &limits) const {
  if (folder.empty())
    return absl::NotFoundError("there is no folder");
  const fs::path path = fs::path(folder) / (key + ".sysx");
  std::error_code none;
  if (!fs::is_regular_file(path, none))
    return absl::NotFoundError("there is no file");
  absl::StatusOr<Program> program = readProgram(path);
  absl::Status status = program.ok() ? verifyProgram(*program, limits) : program.status();
  if (!status.ok())
    return absl::NotFoundError(status.message());
  fs::last_write_time(path, fs::file_time_type::clock::now(), none);
  return program;
}

void ProgramCache::write(const std::string &key, const Program &program) const {
  if (folder.empty())
    return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !writeProgram(program, fs::path(folder) / (key + ".sysx")).ok())
    return;
  removeOldest(folder);
}

} // namespace systole
