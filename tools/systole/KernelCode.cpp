// The IR of one kernel, from the dumps of a compilation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/KernelCode.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

namespace systole {
namespace {

// A folder for one compilation.
class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> made;
    if (!llvm::sys::fs::createUniqueDirectory("systole-ir", made))
      folder = std::string(made.str());
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    if (!folder.empty())
      llvm::sys::fs::remove_directories(folder);
  }

  const std::string &path() const { return folder; } // "" if it could not be made

private:
  std::string folder;
};

// A line without its locations, which are in parentheses behind " loc".
std::string withoutLocations(const std::string &line) {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    if (line.compare(at, 5, " loc(") != 0) {
      text += line[at++];
      continue;
    }
    int open = 1;
    bool isQuoted = false;
    for (at += 5; at < line.size() && open > 0; ++at) {
      isQuoted ^= line[at] == '"' && line[at - 1] != '\\';
      if (!isQuoted)
        open += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
    }
  }
  return text;
}

// The lines of a function in a file; "" if it does not have it.
std::string functionIn(const std::filesystem::path &path, const std::string &begin) {
  std::ifstream file(path);
  std::string code, line, end;
  while (std::getline(file, line)) {
    if (end.empty() && !absl::StrContains(line, begin))
      continue;
    const std::string plain = withoutLocations(line);
    if (end.empty())
      end = std::string(line.find_first_not_of(' '), ' ') + "}";
    absl::StrAppend(&code, plain, "\n");
    if (plain == end)
      break;
  }
  return code;
}

} // namespace

absl::StatusOr<std::string> kernelCode(BuildOptions options, const std::string &level,
                                       const std::string &kernel) {
  const TemporaryFolder folder;
  if (folder.path().empty())
    return absl::UnavailableError("there is no folder for temporary files");
  options.dumpIr = folder.path();
  if (absl::StatusOr<Built> built = build(options); !built.ok())
    return built.status();
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
    files.push_back(entry.path());
  // The last pass that has the kernel at this level: names begin with a number.
  std::ranges::sort(files, std::greater(), [](const std::filesystem::path &file) {
    int number = -1;
    return absl::SimpleAtoi(file.filename().string().substr(0, file.filename().string().find('-')),
                            &number)
               ? number
               : -1;
  });
  const std::string begin = level == "kernel" ? absl::StrCat("kernel.func @", kernel, " ")
                                              : absl::StrCat("func.func private @", kernel, "(");
  for (const std::filesystem::path &file : files)
    if (std::string code = functionIn(file, begin); !code.empty())
      return code;
  return absl::InvalidArgumentError(
      absl::StrCat("the program has no function `", kernel, "` at the level ", level));
}

} // namespace systole
