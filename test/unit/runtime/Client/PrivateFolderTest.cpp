// Files of a folder that only this user writes to; attacks by others are in ProgramCacheTest.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/PrivateFolder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

class PrivateFolderTest : public testing::Test {
protected:
  void SetUp() override {
    path = fs::path(testing::TempDir()) / absl::StrCat("private-folder.", ::getpid());
    fs::remove_all(path);
  }
  void TearDown() override { fs::remove_all(path); }

  fs::path path;
};

TEST_F(PrivateFolderTest, WritesReadsAndRemoves) {
  auto folder = PrivateFolder::open(path);
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_TRUE(absl::IsNotFound(folder->read("a", 10).status()));
  EXPECT_TRUE(folder->write("a", "one"));
  EXPECT_TRUE(folder->write("a", "second"));
  EXPECT_EQ(*folder->read("a", 6), "second");
  EXPECT_TRUE(absl::IsFailedPrecondition(folder->read("a", 5).status()));
  folder->remove("a");
  EXPECT_TRUE(fs::is_empty(path));
}

TEST_F(PrivateFolderTest, EvictsLeastRecentlyUsed) {
  auto folder = PrivateFolder::open(path);
  ASSERT_TRUE(folder.ok()) << folder.status();
  // The last one belongs to another program.
  const char *const names[] = {"k0", "k1", "k2", "k3", "other"};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(folder->write(names[i], std::string(100, 'x')));
    const timespec used[] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (path / names[i]).c_str(), used, 0), 0);
  }
  ASSERT_TRUE(folder->read("k0", 100).ok()); // used now
  const auto ours = [](std::string_view name) { return name.starts_with('k'); };
  folder->trim(400, ours);
  EXPECT_TRUE(fs::exists(path / "k1"));
  folder->trim(399, ours);
  EXPECT_TRUE(fs::exists(path / "k0"));
  EXPECT_FALSE(fs::exists(path / "k1"));
  EXPECT_FALSE(fs::exists(path / "k2"));
  EXPECT_FALSE(fs::exists(path / "k3"));
  EXPECT_TRUE(fs::exists(path / "other"));
}

} // namespace
} // namespace systole
