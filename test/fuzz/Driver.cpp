// The fuzzers without a fuzzer: the corpus, and damage to it that is the same in each run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(SYSTOLE_CORPUS))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const auto &path : paths) {
    std::ifstream stream(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return files;
}

void tryOne(const std::string &bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
}

TEST(Fuzz, Corpus) {
  const std::vector<std::string> files = corpus();
  ASSERT_FALSE(files.empty());
  for (const std::string &file : files)
    tryOne(file);
}

TEST(Fuzz, Damage) {
  const std::vector<std::string> files = corpus();
  std::mt19937 random(1);
  auto below = [&](size_t limit) { return limit ? random() % limit : 0; };
  for (unsigned i = 0; i < SYSTOLE_MUTATIONS; ++i) {
    std::string bytes = files[below(files.size())];
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
      const size_t place = below(bytes.size()), length = 1 + below(12);
      const std::string &other = files[below(files.size())];
      switch (below(5)) {
      case 0:
        bytes[place] ^= char(1 << below(8));
        break;
      case 1:
        bytes[place] = char(below(256));
        break;
      case 2:
        bytes.erase(place, length);
        break;
      case 3:
        bytes.insert(place, other.substr(below(other.size()), length));
        break;
      case 4:
        bytes.resize(std::max<size_t>(place, 1));
        break;
      }
      if (bytes.empty())
        bytes = "x";
    }
    tryOne(bytes);
  }
}

} // namespace
