// Orders of dimensions: bytes counted by hand, and which reshapes keep them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Order.h"

#include "compiler/Layout/OperandOrders.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::ElementsAre;

struct OrderTest : testing::Test {
  mlir::MLIRContext context;
  mlir::Type f32 = mlir::Float32Type::get(&context), bf16 = mlir::BFloat16Type::get(&context);

  static mlir::RankedTensorType tensor(std::initializer_list<int64_t> shape, mlir::Type element) {
    return mlir::RankedTensorType::get(llvm::ArrayRef(shape.begin(), shape.end()), element);
  }
};

TEST_F(OrderTest, CountsBytesWithPadding) {
  // 1,000 rows of 512 bytes, or 3 of 8 groups of 128 lanes; two bf16 share a cell.
  EXPECT_EQ(bytesIn(tensor({1000, 3}, f32), {0, 1}), 512000);
  EXPECT_EQ(bytesIn(tensor({1000, 3}, f32), {1, 0}), 3 * 8 * 512);
  EXPECT_EQ(bytesIn(tensor({1000, 3}, bf16), {1, 0}), 3 * 8 * 256);
  // Eight rows at least, of bytes a quarter each.
  EXPECT_EQ(bytesIn(tensor({}, f32), {}), 8 * 512);
  EXPECT_EQ(bytesIn(tensor({3}, mlir::IntegerType::get(&context, 1)), {0}), 8 * 128);
}

TEST_F(OrderTest, ChargesARelayoutWhatItReadsAndWrites) {
  auto type = tensor({1000, 3}, f32);
  EXPECT_EQ(relayoutBytes(type, {0, 1}, {0, 1}), 0);
  EXPECT_EQ(relayoutBytes(type, {0, 1}, {1, 0}), 512000 + 12288);
  // A dimension of size 1 between others moves for nothing, from the lanes it does not.
  auto unit = tensor({1, 8, 128}, f32);
  EXPECT_EQ(relayoutBytes(unit, {0, 1, 2}, {1, 0, 2}), 0);
  EXPECT_EQ(relayoutBytes(unit, {0, 1, 2}, {1, 2, 0}), 8 * 512 + 1024 * 512);
}

TEST_F(OrderTest, GivesTheLastTrueDimensionTheLanes) {
  EXPECT_THAT(compactRowMajor(tensor({4, 5}, f32)), ElementsAre(0, 1));
  EXPECT_THAT(compactRowMajor(tensor({4, 5, 1, 1}, f32)), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(compactRowMajor(tensor({1, 1}, f32)), ElementsAre(0, 1));
}

TEST_F(OrderTest, CarriesOrdersThroughReshapes) {
  auto through = [&](mlir::RankedTensorType from, Order order, mlir::RankedTensorType to) {
    return throughReshape({from, order}, to);
  };
  auto x = tensor({1000, 3}, f32);
  // Split, with dimensions of size 1 outermost, and merged again.
  EXPECT_THAT(*through(x, {1, 0}, tensor({10, 100, 3}, f32)), ElementsAre(2, 0, 1));
  EXPECT_THAT(*through(x, {1, 0}, tensor({1000, 1, 3}, f32)), ElementsAre(1, 2, 0));
  EXPECT_THAT(*through(tensor({10, 100, 3}, f32), {2, 0, 1}, x), ElementsAre(1, 0));
  // Row-major stays row-major whatever happens.
  EXPECT_THAT(*through(x, {0, 1}, tensor({3, 1000}, f32)), ElementsAre(0, 1));
  // Merged dimensions do not lie together, or not in their order; 3,000 is torn elsewhere.
  EXPECT_FALSE(through(tensor({10, 100, 3}, f32), {1, 2, 0}, x));
  EXPECT_FALSE(through(tensor({10, 100, 3}, f32), {2, 1, 0}, x));
  EXPECT_FALSE(through(x, {1, 0}, tensor({3, 1000}, f32)));
}

} // namespace
} // namespace systole
