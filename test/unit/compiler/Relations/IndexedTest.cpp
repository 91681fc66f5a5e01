// Elements that operations at computed positions read, given their starts, against moving slices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RelationFixture.h"

#include "llvm/ADT/STLExtras.h"

namespace systole::test {
namespace {

struct IndexedTest : RelationFixture {
  llvm::SmallVector<mlir::Value> indices(size_t count) {
    return llvm::map_to_vector(llvm::seq<size_t>(0, count), [&](size_t) { return index(); });
  }
};

TEST_F(IndexedTest, DynamicSlice) {
  for (int round = 0; round < 50; ++round) {
    Ints from = randomShape(random(1, 3), 1, 4), sizes, starts;
    for (int64_t size : from) {
      sizes.push_back(random(0, size));
      starts.push_back(random(0, size - sizes.back()));
    }
    auto op =
        stablehlo::DynamicSliceOp::create(b, loc, tensor(from), indices(from.size()), ref(sizes));
    auto reads = readsOf(op, [&](unsigned, int64_t dim, const Ints &) { return starts[dim]; });
    forEachIndex(sizes, [&](const Ints &target) {
      Ints source = target;
      for (size_t d = 0; d < from.size(); ++d)
        source[d] += starts[d];
      EXPECT_EQ(reads[place(sizes, target)].front()[0], place(from, source));
    });
  }
}

TEST_F(IndexedTest, DynamicUpdateSlice) {
  for (int round = 0; round < 50; ++round) {
    Ints shape = randomShape(random(1, 3), 1, 4), sizes, starts;
    for (int64_t size : shape) {
      sizes.push_back(random(0, size));
      starts.push_back(random(0, size - sizes.back()));
    }
    auto op = stablehlo::DynamicUpdateSliceOp::create(b, loc, tensor(shape), tensor(sizes),
                                                      indices(shape.size()));
    // The update's index is the result's less the start.
    auto reads = readsOf(op, [&](unsigned, int64_t dim, const Ints &) { return -starts[dim]; });
    std::vector<int64_t> updates(count(shape), kNothing);
    forEachIndex(sizes, [&](const Ints &source) {
      Ints target = source;
      for (size_t d = 0; d < shape.size(); ++d)
        target[d] += starts[d];
      updates[place(shape, target)] = place(sizes, source);
    });
    for (int64_t element = 0; element < count(shape); ++element) {
      EXPECT_EQ(reads[element].front()[0], element);
      EXPECT_EQ(reads[element].front()[1], updates[element]);
    }
  }
}

/// Positions of a gather or scatter: [batch, 4] of indices into [batch, rows, columns], whose
/// vectors lie along dimension `vectorDim`.
struct Batched {
  int64_t batch = 3, rows = 5, columns = 6, positions = 4;
};

TEST_F(IndexedTest, Gather) {
  Batched sizes;
  Ints operand = {sizes.columns, sizes.batch, sizes.rows}, slice = {2, 1, 1};
  // indices[batch, position, vector of (row, column)]; result[offset, batch, position].
  Ints indexShape = {sizes.batch, sizes.positions, 2}, result = {2, sizes.batch, sizes.positions};
  std::vector<int64_t> rows, columns;
  for (int64_t i = 0; i < sizes.batch * sizes.positions; ++i) {
    rows.push_back(random(0, sizes.rows - 1));
    columns.push_back(random(0, sizes.columns - 2));
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      &context, /*offsetDims=*/{0}, /*collapsedSliceDims=*/{2}, /*operandBatchingDims=*/{1},
      /*startIndicesBatchingDims=*/{0}, /*startIndexMap=*/{2, 0}, /*indexVectorDim=*/2);
  auto positions = block.addArgument(mlir::RankedTensorType::get(indexShape, b.getI32Type()), loc);
  auto op = stablehlo::GatherOp::create(b, loc, tensor(operand), positions, numbers, ref(slice));
  auto position = [&](const Ints &point) { return point[1] * sizes.positions + point[2]; };
  auto reads = readsOf(op, [&](unsigned number, int64_t dim, const Ints &point) {
    EXPECT_EQ(number, 0u);
    EXPECT_NE(dim, 1);
    return dim == 2 ? rows[position(point)] : columns[position(point)];
  });
  forEachIndex(result, [&](const Ints &target) {
    Ints source = {columns[position(target)] + target[0], target[1], rows[position(target)]};
    EXPECT_EQ(reads[place(result, target)].front()[0], place(operand, source));
  });
  auto relation = relationOf(op);
  EXPECT_EQ(relation->dimOf(1, 1), 0);
  EXPECT_EQ(relation->dimOf(1, 2), 1);
  EXPECT_EQ(relation->operands[1].dims[2].kind, IndexRelation::Whole);
}

TEST_F(IndexedTest, GatherOfWholeSlicesHasNoStartThere) {
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(&context, {1}, {0}, {}, {}, {0, 1}, 1);
  auto positions = block.addArgument(mlir::RankedTensorType::get({7, 2}, b.getI32Type()), loc);
  auto relation = relationOf(
      stablehlo::GatherOp::create(b, loc, tensor({5, 6}), positions, numbers, ref(Ints{1, 6})));
  EXPECT_EQ(relation->operands[0].dims[0].kind, IndexRelation::Computed);
  EXPECT_EQ(relation->dimOf(0, 1), 1);
}

TEST_F(IndexedTest, Scatter) {
  Batched sizes;
  Ints input = {sizes.columns, sizes.batch, sizes.rows};
  // updates[position, window along the columns, batch], of one row each; the dimensions that
  // enumerate positions are, in order, those of the indices.
  Ints update = {sizes.positions, 2, sizes.batch}, indexShape = {sizes.positions, 2, sizes.batch};
  std::vector<int64_t> rows, columns;
  for (int64_t i = 0; i < sizes.batch * sizes.positions; ++i) {
    rows.push_back(random(0, sizes.rows - 1));
    columns.push_back(random(0, sizes.columns - 2));
  }
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      &context, /*updateWindowDims=*/{1}, /*insertedWindowDims=*/{2}, /*inputBatchingDims=*/{1},
      /*scatterIndicesBatchingDims=*/{2}, /*scatterDimsToOperandDims=*/{2, 0},
      /*indexVectorDim=*/1);
  auto positions = block.addArgument(mlir::RankedTensorType::get(indexShape, b.getI32Type()), loc);
  mlir::Type types[] = {type(input)};
  auto op = stablehlo::ScatterOp::create(b, loc, types, mlir::ValueRange{tensor(input)}, positions,
                                         mlir::ValueRange{tensor(update)}, numbers);
  auto reads = readsOf(op, [&](unsigned number, int64_t dim, const Ints &point) {
    EXPECT_EQ(number, 2u);
    EXPECT_EQ(dim, 1);
    return -columns[point[1] * sizes.positions + point[3]];
  });
  // Where the row is that of the update, the window meets the element.
  std::vector<std::vector<int64_t>> expected(count(input)), found(count(input));
  forEachIndex(update, [&](const Ints &source) {
    int64_t position = source[2] * sizes.positions + source[0];
    Ints target = {columns[position] + source[1], source[2], rows[position]};
    expected[place(input, target)].push_back(place(update, source));
  });
  forEachIndex(input, [&](const Ints &target) {
    int64_t element = place(input, target);
    ASSERT_EQ(reads[element].size(), size_t(sizes.positions));
    for (int64_t p = 0; p < sizes.positions; ++p) {
      EXPECT_EQ(reads[element][p][0], element);
      if (rows[target[1] * sizes.positions + p] == target[2] && reads[element][p][2] != kNothing)
        found[element].push_back(reads[element][p][2]);
    }
    llvm::sort(expected[element]);
    llvm::sort(found[element]);
  });
  EXPECT_EQ(found, expected);
}

} // namespace
} // namespace systole::test
