// Programs on a machine that others use, too: arrays where they are, and rows that nobody else has.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Machine.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dialects/Machine/Program/Assembler.h"
#include "runtime/Emulator/Emulator.h"
#include "gtest/gtest.h"

namespace systole {
namespace {

using emulation::AddressMap;
using emulation::RowAllocator;
using Rows = MachineMemory::Rows;

// Copies 16 rows of x to y by way of VMEM, and the rows of VMEM that were there before to z.
const char *kCopy = R"(
.program copy
.region x hbm 16
.region y hbm 16
.region z hbm 8
.region a vmem 16
.region b vmem 8
.descriptor in hbm to vmem chunk 2048
.descriptor out vmem to hbm chunk 2048
.descriptor left vmem to hbm chunk 1024
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=z, srcRegion=b, descriptor=left, flag=0
  wait 1, flag=0
  halt
}
)";

std::shared_ptr<const DecodedProgram> decode(const char *text, const Target &target) {
  absl::StatusOr<Program> program = assemble(text, "test.sysasm");
  EXPECT_TRUE(program.ok()) << program.status();
  auto decoded =
      DecodedProgram::create(std::make_shared<const Program>(*std::move(program)), target);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return *decoded;
}

void fill(const Rows &rows, int32_t first) {
  auto *words = reinterpret_cast<int32_t *>(rows.write());
  for (int64_t i = 0; i < rows.count() * 128; ++i)
    words[i] = first + int32_t(i);
}

int32_t at(const Rows &rows, int64_t word) {
  return reinterpret_cast<const int32_t *>(rows.read())[word];
}

struct MachineTest : testing::Test {
  absl::Status run(AddressMap map) {
    auto emulator = Emulator::create(program, *machine, {0});
    EXPECT_TRUE(emulator.ok()) << emulator.status();
    (*emulator)->place(program::HBM, std::move(map));
    (*emulator)->place(program::PINNED, AddressMap::identity(0));
    absl::StatusOr<RunStats> stats = (*emulator)->run();
    cycles = stats.ok() ? stats->cycles : -1;
    return stats.status();
  }
  Rows rows(int64_t count) { return *machine->hbm(0).allocate(count); }

  const Target target = *Target::load("v2");
  std::unique_ptr<Machine> machine = std::make_unique<Machine>(target);
  std::shared_ptr<const DecodedProgram> program = decode(kCopy, target);
  int64_t cycles = 0;
};

TEST_F(MachineTest, ArraysAreWhereTheyAre) {
  const Rows other = rows(3), x = rows(16), y = rows(16), z = rows(8);
  fill(x, 100);
  const AddressMap map({{0, 16, x.base(), true}, {16, 32, y.base()}, {32, 40, z.base()}});
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(run(map).ok());
    EXPECT_EQ(at(y, 0), 100);
    EXPECT_EQ(at(y, 16 * 128 - 1), 100 + 16 * 128 - 1);
  }
  const int64_t placed = cycles;
  // The same cycles as on a machine of its own.
  auto alone = Emulator::create(program);
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ((*alone)->run()->cycles, placed);
}

// The rows of x are in three places, and a copy from or to them is divided.
TEST_F(MachineTest, CopiesAreDividedWhereRowsAreApart) {
  const Rows c = rows(6), a = rows(5), b = rows(5), tail = rows(3), y = rows(21);
  fill(a, 0);
  fill(b, 5 * 128);
  fill(c, 10 * 128);
  const AddressMap map({{0, 5, a.base()},
                        {5, 10, b.base()},
                        {10, 16, c.base()},
                        {16, 19, tail.base()},
                        {19, 40, y.base()}});
  ASSERT_TRUE(run(map).ok());
  for (int64_t word = 0; word < 16 * 128; ++word)
    ASSERT_EQ(word < 3 * 128 ? at(tail, word) : at(y, word - 3 * 128), word);
}

TEST_F(MachineTest, AnArgumentThatTheCallerKeepsIsNotWritten) {
  const Rows x = rows(16), y = rows(16), z = rows(8);
  fill(y, 7);
  const absl::Status status =
      run(AddressMap({{0, 16, x.base()}, {16, 32, y.base(), true}, {32, 40, z.base()}}));
  EXPECT_NE(status.message().find("writes region `y`, an argument that the caller keeps"),
            std::string::npos)
      << status;
  EXPECT_EQ(at(y, 0), 7);
  // The next program finds nothing in flight.
  EXPECT_TRUE(run(AddressMap({{0, 16, x.base()}, {16, 32, y.base()}, {32, 40, z.base()}})).ok());
}

// Neither in HBM that another array had, nor in VMEM that another program wrote.
TEST_F(MachineTest, NobodyReadsWhatAnotherRunLeft) {
  const Rows x = rows(16);
  fill(x, 1);
  int64_t reused = 0;
  for (const int64_t first : {0, 200, 1000}) {
    const Rows gap = rows(first + 1), other = rows(1000);
    fill(other, 1);
    reused = other.base();
    ASSERT_TRUE(run(AddressMap({{0, 16, x.base()}, {16, 40, other.base()}})).ok());
  }
  const Rows fresh = rows(1300), y = rows(16), z = rows(8);
  EXPECT_LE(fresh.base(), reused);
  // x is in rows that were another's.
  ASSERT_TRUE(
      run(AddressMap({{0, 16, fresh.base() + 8}, {16, 32, y.base()}, {32, 40, z.base()}})).ok());
  for (int64_t word = 0; word < 16 * 128; ++word)
    ASSERT_EQ(at(y, word), 0);
  for (int64_t word = 0; word < 8 * 128; ++word)
    ASSERT_EQ(at(z, word), 0);
}

TEST_F(MachineTest, ThreadsUseTheMemoryAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int32_t number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int32_t time = 0; time < 50; ++time) {
        const Rows mine = rows(1 + (time * 37 + number * 11) % 300);
        fill(mine, number * 1'000'000);
        EXPECT_EQ(at(mine, mine.count() * 128 - 1),
                  number * 1'000'000 + int32_t(mine.count()) * 128 - 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(MachineMemory, RefusesWhatTheHostCouldNotHold) {
  const absl::Status status =
      std::make_shared<MachineMemory>(8, 2)->allocate(int64_t(1) << 42).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "this host has no 2251799813685248 bytes");
}

TEST(MachineMemory, KeepsPagesThatNobodyHasUpToALimit) {
  auto memory = std::make_shared<MachineMemory>(1 << 20, 2);
  // Two ranges share pages of 128 rows at their ends.
  for (const int64_t rows : {int64_t(1 << 19), int64_t(1 << 18), int64_t(72), int64_t(1000)}) {
    std::vector<Rows> all;
    for (int i = 0; i < 3; ++i)
      all.push_back(*memory->allocate(rows));
    for (const Rows &each : all)
      each.write();
    all.clear();
    EXPECT_LE((*memory->space())->touchedBytes(), int64_t(129) << 20);
  }
  EXPECT_GT((*memory->space())->touchedBytes(), 0);
}

std::optional<int64_t> first(RowAllocator &rows, int64_t count, RowAllocator::End end) {
  const auto taken = rows.allocate(count, end);
  return taken ? std::optional(taken->rows.begin) : std::nullopt;
}

TEST(RowAllocator, FindsTheSmallestRangeFromEitherEnd) {
  RowAllocator rows(100);
  EXPECT_EQ(first(rows, 10, RowAllocator::End::Low), 0);
  EXPECT_EQ(first(rows, 10, RowAllocator::End::High), 90);
  EXPECT_EQ(first(rows, 20, RowAllocator::End::Low), 10);
  const emulation::RowRange merged = rows.release({0, 10});
  EXPECT_EQ(merged.begin, 0);
  EXPECT_EQ(merged.end, 10);
  EXPECT_EQ(first(rows, 11, RowAllocator::End::Low), 30);
  EXPECT_EQ(first(rows, 10, RowAllocator::End::High), 0);
  EXPECT_EQ(first(rows, 50, RowAllocator::End::Low), std::nullopt);
  EXPECT_EQ(first(rows, 49, RowAllocator::End::High), 41);
  EXPECT_EQ(first(rows, 1, RowAllocator::End::Low), std::nullopt);
}

TEST(RowAllocator, RangesAreApartAndComeTogetherAgain) {
  std::mt19937 random(11);
  RowAllocator rows(4000);
  std::vector<emulation::RowRange> taken;
  for (int step = 0; step < 5000; ++step) {
    if (taken.empty() || random() % 2) {
      const int64_t count = 1 + int64_t(random() % 90);
      const auto end = random() % 3 ? RowAllocator::End::Low : RowAllocator::End::High;
      if (const auto found = rows.allocate(count, end)) {
        EXPECT_EQ(found->rows.rows(), count);
        for (const emulation::RowRange &other : taken) {
          ASSERT_TRUE(found->rows.end <= other.begin || other.end <= found->rows.begin);
          ASSERT_TRUE(found->from.end <= other.begin || other.end <= found->from.begin);
        }
        taken.push_back(found->rows);
      }
    } else {
      const size_t i = random() % taken.size();
      rows.release(taken[i]);
      taken.erase(taken.begin() + ptrdiff_t(i));
    }
  }
  for (const emulation::RowRange &range : taken)
    rows.release(range);
  EXPECT_EQ(first(rows, 4000, RowAllocator::End::Low), 0);
}

} // namespace
} // namespace systole
