// Addresses of a kernel's buffers in VMEM and SMEM, placed by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Memory.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace systole::codegen {
namespace {

struct KernelMemoryTest : testing::Test {
  KernelMemoryTest() { context.loadDialect<kernel::KernelDialect>(); }

  kernel::BufferType type(std::initializer_list<int64_t> shape, mlir::Type element,
                          kernel::Space space = kernel::Space::vmem) {
    return kernel::BufferType::get(&context, llvm::ArrayRef(shape.begin(), shape.end()), element,
                                   space);
  }
  /// The region of a buffer of so many rows of VMEM.
  int32_t rows(int64_t count, LiveRange range) {
    return memory.addVmem(type({count, 128}, f32), "buffer", loc, range).region;
  }
  int64_t base(int32_t region) const { return table[region].base; }

  mlir::MLIRContext context;
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  mlir::Type f32 = mlir::Float32Type::get(&context), i32 = mlir::IntegerType::get(&context, 32);
  Machine machine{.vmemRows = 200, .spillRows = 40, .smemWords = 100};
  RegionTable table;
  KernelMemory memory{table, "k", machine};
};

TEST_F(KernelMemoryTest, TakesTheRowsOfTheLayout) {
  EXPECT_EQ(table[rows(64, {0, 1})].size, 64);
  mlir::Type bf16 = mlir::BFloat16Type::get(&context);
  // 9 rows of three tiles are 27, rounded up to 32, of which two bf16 share a row.
  EXPECT_EQ(table[memory.addVmem(type({9, 300}, bf16), "b", loc, {0, 0}).region].size, 16);
  // A double buffer.
  EXPECT_EQ(table[memory.addVmem(type({8, 128}, f32), "b", loc, {0, 0}, 2).region].size, 16);
  // An array without elements still has an address.
  EXPECT_EQ(table[memory.addVmem(type({0, 128}, f32), "b", loc, {0, 0}).region].size, 1);
  // Words of SMEM, dense.
  auto words = type({5, 3}, i32, kernel::Space::smem);
  EXPECT_EQ(table[memory.addSmem(words, "b", loc, {0, 0}).region].size, 15);
}

TEST_F(KernelMemoryTest, BuffersOfDisjointTimesShareRows) {
  int32_t first = rows(32, {0, 1}), second = rows(32, {2, 3}), both = rows(64, {0, 3});
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(both), 0);
  EXPECT_EQ(base(first), 64);
  EXPECT_EQ(base(second), 64);
}

TEST_F(KernelMemoryTest, BuffersOfOneStageLieApart) {
  // Both ends of a live range are included.
  int32_t first = rows(32, {0, 2}), second = rows(32, {2, 3});
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(first), 0);
  EXPECT_EQ(base(second), 32);
}

TEST_F(KernelMemoryTest, ScratchLivesForItsStage) {
  memory.setStage(1, loc);
  int32_t first = memory.allocate(type({16, 128}, f32)).region;
  memory.setStage(2, loc);
  int32_t second = memory.allocate(type({16, 128}, f32)).region;
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(first), 0);
  EXPECT_EQ(base(second), 0);
}

TEST_F(KernelMemoryTest, LeavesRowsForSpills) {
  // 160 rows are left of 200.
  rows(160, {0, 1});
  EXPECT_TRUE(memory.assignAddresses());
  rows(8, {1, 1});
  EXPECT_FALSE(memory.assignAddresses());
}

TEST_F(KernelMemoryTest, SaysWhichMemoryIsTooSmall) {
  memory.addSmem(type({101}, i32, kernel::Space::smem), "indices", loc, {0, 0});
  EXPECT_FALSE(memory.assignAddresses());
  EXPECT_TRUE(memory.exceedsSmem());
}

} // namespace
} // namespace systole::codegen
