// DMAs of one block: contiguous runs and strides counted by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/BlockCopy.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace systole::codegen {
namespace {

using Dims = std::vector<int64_t>;

struct BlockCopyTest : testing::Test {
  BlockCopyTest() { context.loadDialect<kernel::KernelDialect>(); }

  /// Pieces of the blocks of an array under a grid that moves along the first dimension.
  int64_t pieces(const Dims &shape, const Dims &block) {
    auto type = kernel::BufferType::get(&context, shape, mlir::Float32Type::get(&context),
                                        kernel::Space::hbm);
    llvm::SmallVector<mlir::AffineExpr> indices(shape.size(),
                                                mlir::getAffineConstantExpr(0, &context));
    indices[0] = mlir::getAffineDimExpr(0, &context);
    auto map = mlir::AffineMap::get(1, 0, indices, &context);
    return BlockCopy(type, kernel::OperandAttr::get(&context, kernel::Role::in, block, map))
        .dmaCount();
  }

  mlir::MLIRContext context;
};

TEST_F(BlockCopyTest, WholeRowsAreOneRun) { EXPECT_EQ(pieces({2048, 128}, {256, 128}), 1); }

TEST_F(BlockCopyTest, OneStrideIsTheCountOfADma) {
  // 64 rows, each eight groups of 128 lanes after the one before.
  EXPECT_EQ(pieces({64, 1024}, {64, 128}), 1);
  // The second dimension goes on where the first ends: 128 rows with one stride.
  EXPECT_EQ(pieces({4, 64, 1024}, {2, 64, 128}), 1);
}

TEST_F(BlockCopyTest, EachFurtherStrideIsALoopOfDmas) {
  // Two times 16 rows; behind 16 of 64 rows there is a gap.
  EXPECT_EQ(pieces({4, 64, 1024}, {2, 16, 128}), 2);
  // Three times two.
  EXPECT_EQ(pieces({3, 4, 64, 1024}, {3, 2, 16, 128}), 6);
}

TEST_F(BlockCopyTest, TheLongestLevelIsTheCount) {
  // 20 times two rows, not two times 20.
  EXPECT_EQ(pieces({20, 64, 1024}, {20, 2, 128}), 2);
}

TEST_F(BlockCopyTest, ABlockThatOverhangsIsOneDmaOfRows) {
  // The last block has 36 rows of 64.
  EXPECT_EQ(pieces({100, 128}, {64, 128}), 1);
}

TEST_F(BlockCopyTest, WaitsForNoMoreThanAreInFlight) {
  auto type = kernel::BufferType::get(&context, {4, 64, 1024}, mlir::Float32Type::get(&context),
                                      kernel::Space::hbm);
  auto map = mlir::AffineMap::get(
      0, 0, llvm::SmallVector<mlir::AffineExpr>(3, mlir::getAffineConstantExpr(0, &context)),
      &context);
  BlockCopy copy(type, kernel::OperandAttr::get(&context, kernel::Role::in, {4, 16, 128}, map));
  EXPECT_EQ(copy.dmaCount(), 4);
  EXPECT_EQ(copy.waitCount(8), 4);
  EXPECT_EQ(copy.waitCount(3), 3);
}

} // namespace
} // namespace systole::codegen
