// Files read and written in one piece.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/WholeFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace systole {
namespace {

// Owners of a file descriptor, and of a file that is removed unless kept.
class Descriptor {
public:
  Descriptor(int number, std::string path) : number(number), temporary(std::move(path)) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }

  int get() const { return number; }
  bool close() {
    int closing = number;
    number = -1;
    return ::close(closing) == 0;
  }
  void keep() { temporary.clear(); }

private:
  int number;
  std::string temporary;
};

absl::Status because(const std::string &path, const char *what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0)
      bytes.remove_prefix(written);
  }
  return true;
}

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The path to which links resolve, whether a file exists or not; "" for names in /proc that
// denote open files of a process, as /dev/stdout does.
std::string resolve(std::string path) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    char folder[PATH_MAX];
    if (::realpath(folderOf(path).c_str(), folder) &&
        absl::StartsWith(absl::StrCat(folder, "/"), "/proc/"))
      return "";
    char target[PATH_MAX];
    ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size < 0)
      return path;
    const std::string next(target, size_t(size));
    path = next.starts_with('/') ? next : folderOf(path) + "/" + next;
  }
  return ""; // the error is reported when it is opened
}

// Whether a path is written in place instead of being replaced.
bool isWrittenDirectly(const std::string &path) {
  struct stat info;
  return path.empty() || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
}

// Opens an unnamed file for writing, so that nothing is left if the process is killed; -1 if the
// file system does not support this.
int openNameless(const std::string &path) {
  return ::open(folderOf(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

// Links an open unnamed file under an unused name; "" on failure.
std::string giveName(int descriptor, const std::string &path) {
  const std::string file = absl::StrCat("/proc/self/fd/", descriptor);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = absl::StrCat(path, ".", ::getpid(), ".", attempt);
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return name;
    if (errno != EEXIST)
      break;
  }
  return "";
}

} // namespace

absl::StatusOr<std::string> readWholeFile(const std::string &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "");
  if (file.get() < 0)
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  std::string bytes;
  size_t have = 0;
  struct stat info;
  if (::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode))
    bytes.resize(info.st_size + 1);
  while (true) {
    if (have == bytes.size())
      bytes.resize(have + std::max<size_t>(have, 1 << 16));
    ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return because(path, "cannot be read");
    if (got == 0)
      break;
    have += got;
  }
  bytes.resize(have);
  return bytes;
}

absl::Status checkWritable(const std::string &path) {
  struct stat info;
  const std::string target = resolve(path);
  if (isWrittenDirectly(target)) {
    errno = EISDIR;
    const bool isFolder = ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    return isFolder || ::access(path.c_str(), W_OK) != 0 ? because(path, "cannot be written")
                                                         : absl::OkStatus();
  }
  std::string name = target + ".XXXXXX";
  int number = ::mkostemp(name.data(), O_CLOEXEC);
  Descriptor file(number, number < 0 ? "" : name);
  return number < 0 ? because(path, "cannot be written") : absl::OkStatus();
}

absl::Status writeWholeFile(const std::string &path, absl::FunctionRef<bool(FileSink)> produce) {
  auto write = [&](int number) {
    return produce([number](std::string_view bytes) { return writeAll(number, bytes); });
  };
  const std::string target = resolve(path);
  if (isWrittenDirectly(target)) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC), "");
    if (file.get() < 0 || !write(file.get()) || !file.close())
      return because(path, "cannot be written");
    return absl::OkStatus();
  }
  struct stat info;
  const bool exists = ::stat(target.c_str(), &info) == 0;
  // Temporary files are private; the result has the mode that open() would give.
  mode_t mask = ::umask(0);
  ::umask(mask);
  mode_t mode = exists ? info.st_mode & 0777 : 0666 & ~mask;
  auto fill = [&](int number) { return write(number) && ::fchmod(number, mode) == 0; };
  if (int number = openNameless(target); number >= 0) {
    Descriptor file(number, "");
    if (!fill(number))
      return because(path, "cannot be written");
    if (std::string name = giveName(number, target); !name.empty()) {
      Descriptor named(-1, name);
      if (!file.close() || ::rename(name.c_str(), target.c_str()) != 0)
        return because(path, "cannot be written");
      named.keep();
      return absl::OkStatus();
    }
  }
  std::string name = target + ".XXXXXX";
  int number = ::mkostemp(name.data(), O_CLOEXEC);
  Descriptor file(number, number < 0 ? "" : name);
  if (number < 0 || !fill(number) || !file.close() || ::rename(name.c_str(), target.c_str()) != 0)
    return because(path, "cannot be written");
  file.keep();
  return absl::OkStatus();
}

absl::Status writeWholeFile(const std::string &path, std::string_view bytes) {
  return writeWholeFile(path, [bytes](FileSink sink) { return sink(bytes); });
}

} // namespace systole
