// A cache of compiled programs, in this process and on disk.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_PROGRAMCACHE_H
#define SYSTOLE_RUNTIME_CLIENT_PROGRAMCACHE_H

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "runtime/Client/LoadedProgram.h"
#include "runtime/Client/PrivateFolder.h"

namespace systole {

// May be used from any thread. Errors of the folder only cost compile time: it is then treated as
// empty.
class ProgramCache {
public:
  // `folder` has an entry for each program, of which the least recently used are removed beyond a
  // gibibyte; "" for none. A folder that others may write to is not used, with one warning on
  // stderr.
  explicit ProgramCache(std::string folder) : folder(std::move(folder)) {}

  // Everything that a program depends on, this build of the compiler included. `options` is any
  // text that distinguishes the compiler's options.
  static std::string keyOf(std::string_view source, const std::string &targetHash,
                           const std::string &options);

  // Null if there is none.
  std::shared_ptr<LoadedProgram> find(const std::string &key);
  // Returns the entry of that key: another thread may have inserted one before.
  std::shared_ptr<LoadedProgram> insert(const std::string &key,
                                        std::shared_ptr<LoadedProgram> program);

  // NotFound if the folder has no entry. An entry that is damaged, of another key, or fails
  // verification is removed and treated as missing.
  absl::StatusOr<Program> read(const std::string &key, const Limits &limits) const;
  void write(const std::string &key, const Program &program) const;

private:
  struct Entry {
    std::string key;
    std::shared_ptr<LoadedProgram> program;
    int64_t bytes;
  };

  absl::StatusOr<PrivateFolder> open() const;

  std::string folder;
  mutable std::atomic<bool> warned = false;
  std::mutex mutex;
  std::list<Entry> entries; // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> places;
  int64_t bytes = 0;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_PROGRAMCACHE_H
