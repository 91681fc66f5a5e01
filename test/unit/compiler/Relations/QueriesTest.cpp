// Queries of relations: equal dimensions, and the blocks of operands that blocks of an
// iterator read, against all points of the block.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RelationFixture.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

namespace systole::test {
namespace {

struct QueriesTest : RelationFixture {
  /// The indices along dimension `dim` of operand 0 that the elements [begin, end) of an iterator
  /// meet, beyond its ends too.
  static std::set<int64_t> indicesOf(const OperandRelation &relation, int64_t dim,
                                     unsigned iterator, int64_t begin, int64_t end) {
    Ints extents;
    for (const Iterator &it : relation.iterators)
      extents.push_back(it.extent);
    extents[iterator] = end - begin;
    const IndexRelation &index = relation.operands[0].dims[dim];
    std::set<int64_t> indices;
    forEachIndex(extents, [&](Ints point) {
      point[iterator] += begin;
      int64_t place = evaluate(index.expr, point);
      if (place % index.dilation == 0)
        indices.insert(place / index.dilation);
    });
    return indices;
  }

  /// Blocks of an iterator read the elements that `blockOf` says: all of them and, where one
  /// element of the iterator stands for whole elements of the operand, no more.
  void expectBlocks(mlir::Operation *op, int64_t dim, unsigned iterator) {
    auto relation = relationOf(op);
    auto block = relation->blockOf(0, dim, iterator);
    ASSERT_TRUE(block);
    int64_t size = 2 * block->den, step = std::abs(block->num);
    for (int64_t begin = 0; begin + size <= relation->iterators[iterator].extent; begin += size) {
      auto indices = indicesOf(*relation, dim, iterator, begin, begin + size);
      int64_t from = block->num < 0 ? begin + size - 1 : begin;
      int64_t first = llvm::divideFloorSigned(from * block->num, block->den) + block->offset();
      int64_t end = first + size * step / block->den + block->extra();
      if (block->den == 1) {
        EXPECT_EQ(*indices.begin(), first);
        EXPECT_EQ(*indices.rbegin(), end - 1);
      } else if (!indices.empty()) {
        EXPECT_GE(*indices.begin(), first);
        EXPECT_LT(*indices.rbegin(), end);
        // One more at each end would do for any.
        EXPECT_LE(end - first, *indices.rbegin() - *indices.begin() + 3);
      }
    }
  }

  mlir::Operation *convolution(int64_t image, stablehlo::Window window) {
    auto numbers =
        stablehlo::ConvDimensionNumbersAttr::get(&context, 0, 2, {1}, 1, 2, {0}, 0, 2, {1});
    auto padding = mlir::DenseIntElementsAttr::get(
        mlir::RankedTensorType::get({1, 2}, b.getI64Type()), {window.low, window.high});
    return stablehlo::ConvolutionOp::create(
        b, loc, type({2, *window.positionsOn(image), 4}), tensor({2, image, 3}),
        tensor({window.size, 3, 4}), b.getDenseI64ArrayAttr({window.stride}), padding,
        b.getDenseI64ArrayAttr({window.lhsDilation}), b.getDenseI64ArrayAttr({window.rhsDilation}),
        nullptr, numbers, 1, 1, nullptr);
  }
};

TEST_F(QueriesTest, BlocksOfSlicesAndReversals) {
  for (int64_t stride : {1, 2, 5})
    for (int64_t start : {0, 3})
      expectBlocks(
          stablehlo::SliceOp::create(b, loc, tensor({64}), ref({start}), ref({60}), ref({stride})),
          0, 0);
  expectBlocks(stablehlo::ReverseOp::create(b, loc, tensor({3, 11}), ref({1})), 1, 1);
}

TEST_F(QueriesTest, BlocksOfPaddings) {
  for (int64_t low : {-3, -1, 0, 1, 4})
    for (int64_t interior : {0, 1, 3})
      expectBlocks(stablehlo::PadOp::create(b, loc, tensor({9}), tensor({}), ref({low}), ref({2}),
                                            ref({interior})),
                   0, 0);
}

TEST_F(QueriesTest, BlocksOfReshapesAreRuns) {
  auto reshape = [&](const Ints &from, const Ints &to) {
    return stablehlo::ReshapeOp::create(b, loc, type(to), tensor(from));
  };
  expectBlocks(reshape({24}, {6, 4}), 0, 0);
  expectBlocks(reshape({6, 4}, {24}), 0, 0);
  expectBlocks(reshape({2, 12}, {8, 3}), 0, 0);
  expectBlocks(reshape({6, 10}, {15, 4}), 0, 0);
  EXPECT_EQ(relationOf(reshape({24}, {6, 4}))->blockOf(0, 0, 0)->extra(), 0);
  EXPECT_EQ(relationOf(reshape({2, 12}, {8, 3}))->blockOf(0, 0, 0)->extra(), 0);
  // Inner dimensions of a run meet what is apart, or depend on a remainder.
  EXPECT_EQ(relationOf(reshape({24}, {6, 4}))->blockOf(0, 0, 1)->extra(), 20);
  EXPECT_FALSE(relationOf(reshape({6, 4}, {24}))->blockOf(0, 1, 0));
}

TEST_F(QueriesTest, BlocksOfConvolutionsHaveAHalo) {
  for (int64_t size : {1, 2, 3})
    for (int64_t stride : {1, 2})
      for (int64_t low : {0, 1, 2})
        for (int64_t dilation : {1, 2})
          expectBlocks(convolution(40, {size, stride, low, 2, 1, dilation}), 1, 1);
  for (int64_t size : {2, 3})
    for (int64_t low : {0, 1, 2})
      expectBlocks(convolution(20, {size, 1, low, 2, 2, 1}), 1, 1);
  // 3 taps see one element more on each side; a step of 2 leaves one out behind a single tap.
  EXPECT_EQ(relationOf(convolution(40, {3, 1, 1, 1}))->blockOf(0, 1, 1)->offset(), -1);
  EXPECT_EQ(relationOf(convolution(40, {3, 1, 1, 1}))->blockOf(0, 1, 1)->extra(), 2);
  EXPECT_EQ(relationOf(convolution(40, {1, 2, 0, 0}))->blockOf(0, 1, 1)->extra(), -1);
}

TEST_F(QueriesTest, EqualDimensions) {
  // A single tap in its place moves nothing; a padded or strided one does.
  EXPECT_EQ(relationOf(convolution(40, {1, 1, 0, 0}))->iteratorOf(0, 1), 1u);
  EXPECT_FALSE(relationOf(convolution(40, {1, 1, 1, 0}))->iteratorOf(0, 1));
  EXPECT_FALSE(relationOf(convolution(40, {1, 2, 0, 0}))->iteratorOf(0, 1));
  EXPECT_FALSE(relationOf(convolution(40, {3, 1, 1, 1}))->iteratorOf(0, 1));
  auto relation = relationOf(convolution(40, {3, 1, 1, 1}));
  EXPECT_EQ(relation->dimOf(0, 0), 0);
  EXPECT_EQ(relation->dimOf(1, 2), 2);
  EXPECT_FALSE(relation->dimOf(1, 0));
  auto pad =
      stablehlo::PadOp::create(b, loc, tensor({9}), tensor({}), ref({0}), ref({0}), ref({1}));
  EXPECT_FALSE(relationOf(pad)->iteratorOf(0, 0));
}

} // namespace
} // namespace systole::test
