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
  Machine machine{.vmemRows = 200, .budget = {.spillRows = 40}, .smemWords = 100, .mxu = {}};
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

TEST_F(KernelMemoryTest, BuffersOfDisjointTimesShareRowsIfTheyHaveTo) {
  // 160 rows are left of 200, and all together have 192.
  int32_t first = rows(64, {0, 1}), second = rows(64, {2, 3}), both = rows(64, {0, 3});
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(first), 0);
  EXPECT_EQ(base(second), 0);
  EXPECT_EQ(base(both), 64);
}

TEST_F(KernelMemoryTest, BuffersHaveRowsOfTheirOwnIfThereIsRoom) {
  int32_t first = rows(32, {0, 1}), second = rows(32, {2, 3}), both = rows(64, {0, 3});
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(both), 0);
  EXPECT_EQ(base(first), 64);
  EXPECT_EQ(base(second), 96);
}

TEST_F(KernelMemoryTest, BuffersOfOneStageLieApart) {
  // Both ends of a live range are included.
  int32_t first = rows(32, {0, 2}), second = rows(32, {2, 3});
  ASSERT_TRUE(memory.assignAddresses());
  EXPECT_EQ(base(first), 0);
  EXPECT_EQ(base(second), 32);
}

TEST_F(KernelMemoryTest, ScratchLivesForItsStage) {
  memory.setStage({1, 1}, loc);
  int32_t first = memory.allocate(type({96, 128}, f32)).region;
  memory.setStage({2, 2}, loc);
  int32_t second = memory.allocate(type({96, 128}, f32)).region;
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

// A routine of operations that name regions.
mlir::OwningOpRef<mlir::func::FuncOp> routine(mlir::OpBuilder b,
                                              std::initializer_list<int32_t> regions) {
  auto function =
      mlir::func::FuncOp::create(b.getUnknownLoc(), "routine", b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  for (int32_t region : regions) {
    mlir::OperationState state(b.getUnknownLoc(), "test.load");
    state.addAttribute("region", b.getI32IntegerAttr(region));
    b.create(state);
  }
  return function;
}

std::vector<int64_t> regionsOf(mlir::func::FuncOp function) {
  std::vector<int64_t> regions;
  for (mlir::Operation &op : function.getBody().front())
    regions.push_back(op.getAttrOfType<mlir::IntegerAttr>("region").getInt());
  return regions;
}

TEST(RegionTable, RoutinesShareEqualRanges) {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<mlir::func::FuncDialect>();
  constexpr auto vmem = core::MemorySpace::vmem, smem = core::MemorySpace::smem;
  RegionTable table;
  const auto first = int32_t(table.size());
  table.add({"x", vmem, 0, 8, "k1"});
  table.add({"y", vmem, 8, 4, "k1"});
  auto one = routine(mlir::OpBuilder(&context), {first, first + 1, first});
  table.share(size_t(first), *one);
  EXPECT_EQ(regionsOf(*one), (std::vector<int64_t>{first, first + 1, first}));

  // The second kernel has the range of `y`, one of another size, and one of another memory.
  const auto second = int32_t(table.size());
  ASSERT_EQ(second, first + 2);
  table.add({"a", vmem, 8, 4, "k2"});
  table.add({"b", vmem, 8, 5, "k2"});
  table.add({"c", smem, 8, 4, "k2"});
  auto two = routine(mlir::OpBuilder(&context), {second + 2, second + 1, second});
  table.share(size_t(second), *two);
  EXPECT_EQ(regionsOf(*two), (std::vector<int64_t>{second + 1, second, first + 1}));
  ASSERT_EQ(table.size(), size_t(second) + 2);
  EXPECT_EQ(table[first].owner, "k1");
  EXPECT_EQ(table[first + 1].owner, "");
  EXPECT_EQ(table[first + 1].name, "shared");
  EXPECT_EQ(table[second].size, 5);
  EXPECT_EQ(table[second + 1].space, smem);
}

TEST_F(KernelMemoryTest, SaysWhichMemoryIsTooSmall) {
  memory.addSmem(type({101}, i32, kernel::Space::smem), "indices", loc, {0, 0});
  EXPECT_FALSE(memory.assignAddresses());
  EXPECT_TRUE(memory.exceedsSmem());
}

} // namespace
} // namespace systole::codegen
