// The folder of compiled programs: foreign files, damaged entries, processes that are
// killed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ProgramCache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Client.h"

namespace systole {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string multiply(int factor) {
  return absl::StrCat("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                      "  %f = stablehlo.constant dense<",
                      factor,
                      ".0> : tensor<3xf32>\n"
                      "  %0 = stablehlo.multiply %x, %f : tensor<3xf32>\n"
                      "  return %0 : tensor<3xf32>\n}\n");
}

std::string contentsOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class ProgramCacheTest : public testing::Test {
protected:
  void SetUp() override {
    const testing::TestInfo &test = *testing::UnitTest::GetInstance()->current_test_info();
    root =
        fs::path(testing::TempDir()) / absl::StrCat("program-cache-", test.name(), ".", getpid());
    fs::remove_all(root);
    fs::create_directories(root);
    folder = root / "cache";
  }
  void TearDown() override { fs::remove_all(root); }

  // [1, 2, 3] times `factor`, by a client of its own that uses the folder.
  std::vector<float> run(int factor) {
    auto client = *Client::create(ClientOptions{.cacheDir = folder});
    auto program = client->compile(multiply(factor), "");
    EXPECT_TRUE(program.ok()) << program.status();
    ClientDevice &device = *client->devices()[0];
    const float values[] = {1, 2, 3};
    const int64_t dims[] = {3};
    auto argument = *device.hbm().allocate(*ArrayType::create("f32", dims));
    argument->fill(reinterpret_cast<const uint8_t *>(values));
    auto result = (*program)->run({argument}, {}, {&device.memories}, client->cancelFlag());
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<float> numbers(3);
    result->results[0]->fetch(reinterpret_cast<uint8_t *>(numbers.data()));
    return numbers;
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto &entry : fs::directory_iterator(folder))
      paths.push_back(entry.path());
    return paths;
  }

  // Runs, then has `damage` change the entry: the next run computes the same and replaces the
  // entry.
  void expectHealed(absl::FunctionRef<void(const fs::path &)> damage) {
    EXPECT_THAT(run(7), ElementsAre(7, 14, 21));
    ASSERT_EQ(entries().size(), 1u);
    const fs::path entry = entries()[0];
    damage(entry);
    EXPECT_THAT(run(7), ElementsAre(7, 14, 21));
    ASSERT_THAT(entries(), ElementsAre(entry));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry)));
    EXPECT_TRUE(ProgramCache(folder).read(entry.stem(), Target::load("v3")->limits()).ok());
  }

  // Runs with an untrusted folder: the result is right, stderr has `why` once, and nothing is
  // written.
  void expectRefused(const char *why) {
    auto client = *Client::create(ClientOptions{.cacheDir = folder});
    testing::internal::CaptureStderr();
    EXPECT_TRUE(client->compile(multiply(7), "").ok());
    EXPECT_TRUE(client->compile(multiply(8), "").ok());
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("systole: warning: programs are not kept in '" + folder.string()));
    EXPECT_THAT(said, HasSubstr(why));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  }

  fs::path root, folder;
};

TEST_F(ProgramCacheTest, FolderAndEntriesArePrivate) {
  folder = root / "a" / "b" / "cache";
  run(7);
  const auto mode = [](const fs::path &path) { return fs::status(path).permissions(); };
  EXPECT_EQ(mode(root / "a"), fs::perms::owner_all);
  EXPECT_EQ(mode(folder), fs::perms::owner_all);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(mode(entries()[0]), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ProgramCacheTest, AnEntryIsOfItsKeyOnly) {
  run(2);
  const std::string twice = contentsOf(entries()[0]);
  fs::remove_all(folder);
  expectHealed([&](const fs::path &entry) { put(entry, twice); });
}

TEST_F(ProgramCacheTest, DamageIsHealed) {
  expectHealed([](const fs::path &entry) { fs::resize_file(entry, fs::file_size(entry) - 7); });
  fs::remove_all(folder);
  expectHealed([](const fs::path &entry) { fs::resize_file(entry, 0); });
  fs::remove_all(folder);
  expectHealed([](const fs::path &entry) {
    std::string bytes = contentsOf(entry);
    bytes[bytes.size() / 2] ^= 4;
    put(entry, bytes);
  });
}

// Sparse: it takes no room, but reading it would.
TEST_F(ProgramCacheTest, AHugeEntryIsNotRead) {
  expectHealed([](const fs::path &entry) { fs::resize_file(entry, uint64_t(1) << 40); });
}

TEST_F(ProgramCacheTest, LinksAreReplacedAndNotWrittenThrough) {
  const fs::path precious = root / "precious";
  put(precious, "precious");
  expectHealed([&](const fs::path &entry) {
    fs::remove(entry);
    fs::create_symlink(precious, entry);
  });
  EXPECT_EQ(contentsOf(precious), "precious");
  // Links are not followed, though their target is a valid entry.
  fs::copy(entries()[0], root / "good");
  expectHealed([&](const fs::path &entry) {
    fs::remove(entry);
    fs::create_symlink(root / "good", entry);
  });
}

TEST_F(ProgramCacheTest, AFifoIsNotWaitedFor) {
  expectHealed([](const fs::path &entry) {
    fs::remove(entry);
    ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  });
}

TEST_F(ProgramCacheTest, AFolderInTheEntrysPlaceIsRemovedIfItIsEmpty) {
  expectHealed([](const fs::path &entry) {
    fs::remove(entry);
    fs::create_directory(entry);
  });
}

TEST_F(ProgramCacheTest, AnEntryThatOthersMayWriteIsReplaced) {
  expectHealed([](const fs::path &entry) {
    fs::permissions(entry, fs::perms::group_write | fs::perms::others_write, fs::perm_options::add);
  });
}

TEST_F(ProgramCacheTest, AFolderThatOthersMayWriteToIsRefused) {
  fs::create_directory(folder);
  for (unsigned mode : {0777u, 0702u, 0720u, 01777u}) {
    fs::permissions(folder, fs::perms(mode));
    expectRefused("others may write to it");
    EXPECT_THAT(entries(), ElementsAre());
  }
}

TEST_F(ProgramCacheTest, AFolderOfAnotherUserIsRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(folder);
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  expectRefused("it belongs to the user with id 12345");
  EXPECT_THAT(entries(), ElementsAre());
}

TEST_F(ProgramCacheTest, ALinkToAFolderIsRefused) {
  fs::create_directory(root / "other");
  fs::create_directory_symlink(root / "other", folder);
  expectRefused("it is a symbolic link");
  folder += "/";
  expectRefused("it is a symbolic link");
  EXPECT_TRUE(fs::is_empty(root / "other"));
}

TEST_F(ProgramCacheTest, AFileOrFifoIsNoFolder) {
  put(folder, "a file");
  expectRefused("it is not a folder");
  EXPECT_EQ(contentsOf(folder), "a file");
  fs::remove(folder);
  ASSERT_EQ(::mkfifo(folder.c_str(), 0600), 0);
  expectRefused("it is not a folder");
}

TEST_F(ProgramCacheTest, AFolderThatIsRemovedIsMadeAgain) {
  auto client = *Client::create(ClientOptions{.cacheDir = folder});
  ASSERT_TRUE(client->compile(multiply(2), "").ok());
  fs::remove_all(folder);
  ASSERT_TRUE(client->compile(multiply(7), "").ok());
  EXPECT_EQ(entries().size(), 1u);
}

// Runs `work` in a process of its own, which is killed before its system call number `last`. False
// if it ends before that.
bool runAndKill(int last, absl::FunctionRef<void()> work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      ::_exit(99);
    ::raise(SIGSTOP);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  // A system call stops the process twice, when it begins and when it ends.
  for (int stops = 0; WIFSTOPPED(status); ++stops) {
    if (stops == 2 * last + 1) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return true;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return false;
}

bool mayTrace() {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 99);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// At each system call of writing a new entry, and of replacing a damaged one.
TEST_F(ProgramCacheTest, AProcessThatIsKilledLeavesNothingWrong) {
  if (!mayTrace())
    GTEST_SKIP() << "processes may not be traced here";
  auto client = *Client::create(ClientOptions{});
  auto compiled = client->compile(multiply(7), "");
  ASSERT_TRUE(compiled.ok());
  const Program &program = (*compiled)->program();
  const Limits limits = client->target().limits();
  const std::string key = ProgramCache::keyOf(multiply(7), client->target().hash(), "default");
  const std::string bytes = *serializeProgram(program);
  int places = 0;
  for (bool replace : {false, true}) {
    for (int call = 0;; ++call) {
      fs::remove_all(folder);
      if (replace) {
        ProgramCache(folder).write(key, program);
        put(entries()[0], "damaged");
      }
      const bool killed = runAndKill(call, [&] {
        ProgramCache cache(folder);
        if (!cache.read(key, limits).ok())
          cache.write(key, program);
      });
      // An entry is complete or missing, with nothing beside it, and the next process finds
      // or creates it.
      ProgramCache cache(folder);
      auto found = cache.read(key, limits);
      EXPECT_TRUE(!found.ok() || *serializeProgram(*found) == bytes) << call;
      EXPECT_EQ(entries().size(), found.ok() ? 1u : 0u) << call;
      cache.write(key, program);
      EXPECT_TRUE(cache.read(key, limits).ok()) << call;
      EXPECT_EQ(entries().size(), 1u) << call;
      if (!killed)
        break;
      ++places;
    }
  }
  EXPECT_GE(places, 30);
  RecordProperty("places", places);
}

} // namespace
} // namespace systole
