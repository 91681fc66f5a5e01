// Files written whole.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/WholeFile.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <filesystem>

namespace systole {
namespace {

class WholeFile : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "systole-wholefile";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  int filesInFolder() const {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }

  std::string folder;
};

TEST_F(WholeFile, ReplacesAnExistingFile) {
  const std::string path = folder + "/file";
  auto parts = [](FileSink sink) { return sink("one ") && sink("") && sink("two"); };
  ASSERT_TRUE(writeWholeFile(path, parts).ok());
  EXPECT_EQ(*readWholeFile(path), "one two");
  ::chmod(path.c_str(), 0640);
  ASSERT_TRUE(writeWholeFile(path, std::string(100000, 'x')).ok());
  EXPECT_EQ(*readWholeFile(path), std::string(100000, 'x'));
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u) << "the file keeps its mode";
  EXPECT_EQ(filesInFolder(), 1) << "no temporary file stays";
}

TEST_F(WholeFile, LeavesNothingWhenItIsKilled) {
  const std::string path = folder + "/file";
  ASSERT_TRUE(writeWholeFile(path, "old").ok());
  auto killed = [&] {
    // The write that passes this limit ends the process.
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    (void)writeWholeFile(path, std::string(100000, 'x'));
  };
  EXPECT_EXIT(killed(), testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_EQ(*readWholeFile(path), "old");
  EXPECT_EQ(filesInFolder(), 1);
}

TEST_F(WholeFile, LeavesNothingWhenItCannotWrite) {
  EXPECT_THAT(writeWholeFile(folder + "/absent/file", "text").message(),
              testing::HasSubstr("absent/file: cannot be written: No such file"));
  EXPECT_EQ(filesInFolder(), 0);
}

TEST_F(WholeFile, LeavesNothingWhenItsContentsEnd) {
  const std::string path = folder + "/file";
  ASSERT_TRUE(writeWholeFile(path, "old").ok());
  auto broken = [](FileSink sink) { return sink("new") && false; };
  EXPECT_FALSE(writeWholeFile(path, broken).ok());
  EXPECT_EQ(*readWholeFile(path), "old");
  EXPECT_EQ(filesInFolder(), 1);
}

TEST_F(WholeFile, WritesToDevicesDirectly) {
  EXPECT_TRUE(writeWholeFile("/dev/null", "text").ok());
  struct stat info;
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(WholeFile, FollowsLinks) {
  const std::string file = folder + "/file", link = folder + "/link";
  std::filesystem::create_symlink("file", link);
  ASSERT_TRUE(writeWholeFile(link, "new").ok()) << "a file that is not there yet";
  EXPECT_EQ(*readWholeFile(file), "new");
  ASSERT_TRUE(writeWholeFile(link, "newer").ok());
  EXPECT_EQ(*readWholeFile(file), "newer");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(filesInFolder(), 2);
}

TEST_F(WholeFile, RefusesLinksWithoutEnd) {
  const std::string link = folder + "/link";
  std::filesystem::create_symlink("link", link);
  for (const absl::Status &status : {checkWritable(link), writeWholeFile(link, "text")})
    EXPECT_THAT(status.message(), testing::HasSubstr("Too many levels of symbolic links"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(filesInFolder(), 1);
}

TEST_F(WholeFile, WritesToOpenFilesDirectly) {
  const std::string path = folder + "/file", link = folder + "/link";
  int open = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(open, 0);
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(open), link);
  EXPECT_TRUE(checkWritable(link).ok());
  ASSERT_TRUE(writeWholeFile(link, "text").ok());
  char text[8] = {};
  EXPECT_EQ(::pread(open, text, sizeof text, 0), 4) << "the same file, not another of its name";
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  ::close(open);
}

TEST_F(WholeFile, NamesUnreadableFiles) {
  EXPECT_THAT(readWholeFile(folder + "/absent").status().message(),
              testing::HasSubstr("/absent: No such file"));
  EXPECT_FALSE(readWholeFile(folder).ok()) << "a folder has no bytes";
}

TEST_F(WholeFile, ReadsFilesWithoutASize) {
  EXPECT_FALSE(readWholeFile("/proc/self/maps")->empty());
}

} // namespace
} // namespace systole
