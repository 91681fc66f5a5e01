// System calls relative to an open folder, none of which follows links.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/PrivateFolder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace systole {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

class File {
public:
  explicit File(int number) : number(number) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (number >= 0)
      ::close(number);
  }
  int get() const { return number; }

private:
  int number;
};

// Without trailing slashes, with which a link as last component would be followed.
std::string withoutTrailingSlash(const std::string &path) {
  std::string text = std::filesystem::path(path).lexically_normal();
  while (text.size() > 1 && text.ends_with('/'))
    text.pop_back();
  return text;
}

void makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), 0700);
  ::mkdir(path.c_str(), 0700);
}

absl::Status whyNotOpened(const std::string &path, int error) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0)
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(error)));
  if (S_ISLNK(info.st_mode))
    return absl::PermissionDeniedError("it is a symbolic link; name the folder that it leads to");
  if (!S_ISDIR(info.st_mode))
    return absl::PermissionDeniedError("it is not a folder");
  return absl::PermissionDeniedError(std::strerror(error));
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0)
      bytes.remove_prefix(size_t(written));
  }
  return true;
}

} // namespace

absl::StatusOr<PrivateFolder> PrivateFolder::open(const std::string &path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const std::string place = withoutTrailingSlash(path);
  int descriptor = ::open(place.c_str(), kFlags);
  if (descriptor < 0 && errno == ENOENT) {
    makeFolders(place);
    descriptor = ::open(place.c_str(), kFlags);
  }
  if (descriptor < 0)
    return whyNotOpened(place, errno);
  PrivateFolder folder(descriptor);
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return absl::NotFoundError(std::strerror(errno));
  if (info.st_uid != ::geteuid())
    return absl::PermissionDeniedError(
        absl::StrCat("it belongs to the user with id ", info.st_uid, ", not to ", ::geteuid()));
  if (info.st_mode & kOthersWrite)
    return absl::PermissionDeniedError(
        absl::StrFormat("others may write to it (mode %04o); chmod go-w, and remove what is in it",
                        unsigned(info.st_mode & 07777)));
  return folder;
}

PrivateFolder::~PrivateFolder() {
  if (descriptor >= 0)
    ::close(descriptor);
}

absl::StatusOr<std::string> PrivateFolder::read(const std::string &name, int64_t maxBytes) const {
  const File file(::openat(descriptor, name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0)
    return errno == ENOENT ? absl::NotFoundError(name)
                           : absl::FailedPreconditionError(std::strerror(errno));
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return absl::FailedPreconditionError("no regular file");
  if (info.st_uid != ::geteuid() || (info.st_mode & kOthersWrite))
    return absl::FailedPreconditionError("written by others");
  if (info.st_size > maxBytes)
    return absl::FailedPreconditionError("too large");
  std::string bytes(size_t(info.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return absl::FailedPreconditionError("cannot be read");
    have += size_t(got);
  }
  ::futimens(file.get(), nullptr);
  return bytes;
}

bool PrivateFolder::write(const std::string &name, std::string_view bytes) const {
  // An unnamed file is removed with a process that is killed.
  if (const File file(::openat(descriptor, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
      file.get() >= 0) {
    if (!writeAll(file.get(), bytes))
      return false;
    const std::string open = absl::StrCat("/proc/self/fd/", file.get());
    for (int attempt = 0; attempt < 3; ++attempt) {
      if (::linkat(AT_FDCWD, open.c_str(), descriptor, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return true;
      if (errno != EEXIST)
        break;
      remove(name);
    }
  }
  // The file system does not support unnamed files, or linking them.
  static std::atomic<uint64_t> writes = 0;
  const std::string temporary = absl::StrCat(name, ".", ::getpid(), ".", writes++);
  bool done;
  {
    remove(temporary);
    const File file(::openat(descriptor, temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    done = file.get() >= 0 && writeAll(file.get(), bytes);
  }
  done = done && ::renameat(descriptor, temporary.c_str(), descriptor, name.c_str()) == 0;
  if (!done)
    remove(temporary);
  return done;
}

void PrivateFolder::remove(const std::string &name) const {
  if (::unlinkat(descriptor, name.c_str(), 0) != 0 && errno == EISDIR)
    ::unlinkat(descriptor, name.c_str(), AT_REMOVEDIR);
}

void PrivateFolder::trim(int64_t maxBytes,
                         absl::FunctionRef<bool(std::string_view name)> concerns) const {
  // Reads the folder through a descriptor of its own, with its own position.
  const int copy = ::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR *)> list(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  if (!list) {
    if (copy >= 0)
      ::close(copy);
    return;
  }
  struct Used {
    int64_t seconds, nanoseconds, bytes;
    std::string name;
  };
  std::vector<Used> files;
  int64_t total = 0;
  while (const dirent *entry = ::readdir(list.get())) {
    struct stat info;
    if (!concerns(entry->d_name) ||
        ::fstatat(descriptor, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(info.st_mode))
      continue;
    files.push_back({info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, entry->d_name});
    total += info.st_size;
  }
  if (total <= maxBytes)
    return;
  std::sort(files.begin(), files.end(), [](const Used &a, const Used &b) {
    return std::tie(a.seconds, a.nanoseconds) < std::tie(b.seconds, b.nanoseconds);
  });
  for (const Used &file : files) {
    if (total <= maxBytes / 2)
      break;
    remove(file.name);
    total -= file.bytes;
  }
}

} // namespace systole
