// Eviction of the least recently used programs, in memory and on disk.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ProgramCache.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "dialects/Machine/Program/Verify.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

constexpr int64_t kMemoryBytes = 256 << 20;
constexpr int64_t kDiskBytes = int64_t(1) << 30;

// Identifies the running compiler: the file that contains this function, its size and age.
std::string buildIdentity() {
  Dl_info info;
  struct stat file;
  if (!dladdr(reinterpret_cast<void *>(&buildIdentity), &info) ||
      ::stat(info.dli_fname, &file) != 0)
    return "";
  return absl::StrCat(file.st_size, ".", file.st_mtim.tv_sec, ".", file.st_mtim.tv_nsec);
}

// Memory of a small program besides its code: an emulator, and buffers that it keeps between
// runs. Measured over 600 programs.
constexpr int64_t kBytesPerProgram = 300 * 1024;

int64_t bytesOf(const Program &program) {
  int64_t bytes = kBytesPerProgram + int64_t(program.code.size() * sizeof(program.code[0]));
  for (const std::string &constant : program.constants)
    bytes += int64_t(constant.size());
  return bytes + int64_t(program.header.ByteSizeLong());
}

// An entry of the folder is this, its key, a line break and a .sysx, which has a checksum. Older
// versions wrote the .sysx alone.
constexpr absl::string_view kEntryMagic = "SYSTOLE CACHE 1\n";
constexpr absl::string_view kExtension = ".program";
constexpr size_t kKeyDigits = 64;

std::string entryPrefix(const std::string &key) { return absl::StrCat(kEntryMagic, key, "\n"); }

// Whether a name is that of an entry, of any version.
bool isEntryName(std::string_view name) {
  return name.size() > kKeyDigits && name[kKeyDigits] == '.' &&
         std::all_of(name.begin(), name.begin() + kKeyDigits,
                     [](char c) { return absl::ascii_isxdigit(c); });
}

} // namespace

std::string ProgramCache::keyOf(std::string_view source, const std::string &targetHash,
                                const std::string &options) {
  static const std::string build = buildIdentity();
  llvm::SHA256 hash;
  for (std::string_view part :
       {std::string_view(build), std::string_view(targetHash), std::string_view(options), source}) {
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

absl::StatusOr<PrivateFolder> ProgramCache::open() const {
  if (folder.empty())
    return absl::NotFoundError("there is no folder");
  absl::StatusOr<PrivateFolder> opened = PrivateFolder::open(folder);
  if (absl::IsPermissionDenied(opened.status()) && !warned.exchange(true))
    llvm::errs() << "systole: warning: programs are not kept in '" << folder
                 << "': " << std::string(opened.status().message()) << '\n';
  return opened;
}

absl::StatusOr<Program> ProgramCache::read(const std::string &key, const Limits &limits) const {
  absl::StatusOr<PrivateFolder> files = open();
  if (!files.ok())
    return absl::NotFoundError(files.status().message());
  const std::string name = absl::StrCat(key, kExtension);
  auto parse = [&]() -> absl::StatusOr<Program> {
    absl::StatusOr<std::string> bytes = files->read(name, kDiskBytes / 2);
    if (!bytes.ok())
      return bytes.status();
    absl::string_view rest = *bytes;
    if (!absl::ConsumePrefix(&rest, entryPrefix(key)))
      return absl::FailedPreconditionError("the entry of another key");
    absl::StatusOr<Program> program = parseProgram(rest);
    if (!program.ok())
      return program;
    if (absl::Status status = verifyProgram(*program, limits); !status.ok())
      return status;
    return program;
  };
  absl::StatusOr<Program> program = parse();
  if (program.ok())
    return program;
  if (!absl::IsNotFound(program.status()))
    files->remove(name);
  return absl::NotFoundError(program.status().message());
}

void ProgramCache::write(const std::string &key, const Program &program) const {
  absl::StatusOr<PrivateFolder> files = open();
  if (!files.ok())
    return;
  absl::StatusOr<std::string> bytes = serializeProgram(program);
  if (!bytes.ok())
    return;
  bytes->insert(0, entryPrefix(key));
  if (int64_t(bytes->size()) <= kDiskBytes / 2 &&
      files->write(absl::StrCat(key, kExtension), *bytes))
    files->trim(kDiskBytes, isEntryName);
}

} // namespace systole
