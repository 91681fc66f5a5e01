// Places of buffers in HBM, laid out by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/HbmPlan.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

struct HbmPlanTest : testing::Test {
  HbmPlanTest() { context.loadDialect<kernel::KernelDialect>(); }

  mlir::RankedTensorType tensor(std::initializer_list<int64_t> shape, mlir::Type element) {
    return mlir::RankedTensorType::get(llvm::ArrayRef(shape.begin(), shape.end()), element);
  }
  /// A buffer of so many rows of 512 bytes, a multiple of 8, live in [begin, end].
  int32_t add(int64_t rows, int64_t begin, int64_t end, HbmUse use = HbmUse::Temporary) {
    int32_t buffer =
        plan.add("b", tensor({rows, 128}, f32), mlir::UnknownLoc::get(&context), begin, use);
    plan.extend(buffer, end);
    return buffer;
  }
  int64_t base(int32_t buffer) const { return plan.buffers()[buffer].base; }

  mlir::MLIRContext context;
  mlir::Type f32 = mlir::Float32Type::get(&context);
  HbmPlan plan;
};

TEST_F(HbmPlanTest, CountsRowsWithPadding) {
  auto rows = [&](std::initializer_list<int64_t> shape, mlir::Type element) {
    HbmPlan plan;
    plan.add("b", tensor(shape, element), mlir::UnknownLoc::get(&context), 0);
    return plan.buffers()[0].rows;
  };
  mlir::Type bf16 = mlir::BFloat16Type::get(&context), i8 = mlir::IntegerType::get(&context, 8);
  EXPECT_EQ(rows({16, 128}, f32), 16);
  // 16 rows of three groups of 128 lanes.
  EXPECT_EQ(rows({16, 300}, f32), 48);
  // 5 rows are padded to 8.
  EXPECT_EQ(rows({5, 128}, f32), 8);
  // Two bf16 rows, or four i8 rows, share one of 512 bytes.
  EXPECT_EQ(rows({32, 128}, bf16), 16);
  EXPECT_EQ(rows({64, 128}, i8), 16);
  // Eight rows at least, also of nothing.
  EXPECT_EQ(rows({8, 128}, i8), 8);
  EXPECT_EQ(rows({}, f32), 8);
  EXPECT_EQ(rows({0, 128}, f32), 8);
}

TEST_F(HbmPlanTest, BuffersOfDisjointTimesShareRows) {
  int32_t a = add(16, 0, 1), b = add(16, 2, 3);
  EXPECT_EQ(plan.place(), 16);
  EXPECT_EQ(base(a), 0);
  EXPECT_EQ(base(b), 0);
}

TEST_F(HbmPlanTest, AnOperationReadsAndWritesDifferentRows) {
  // The operation at time 2 reads `a` and writes `b`.
  int32_t a = add(16, 0, 2), b = add(16, 2, 3);
  EXPECT_EQ(plan.place(), 32);
  EXPECT_EQ(base(a), 0);
  EXPECT_EQ(base(b), 16);
}

TEST_F(HbmPlanTest, FixedBuffersAreAlwaysLive) {
  int32_t argument = add(8, 0, 0, HbmUse::Fixed), temporary = add(16, 5, 6);
  EXPECT_EQ(plan.place(), 24);
  // They come first, though the temporary is larger.
  EXPECT_EQ(base(argument), 0);
  EXPECT_EQ(base(temporary), 8);
}

TEST_F(HbmPlanTest, TemporariesUseResultsAndDonatedArgumentsBeforeAndAfter) {
  int32_t donated = add(16, 0, 2, HbmUse::Donated), result = add(16, 5, 5, HbmUse::Result);
  int32_t first = add(16, 1, 4), second = add(16, 3, 6);
  // `first` is over when the result is written, `second` begins when the argument has been read.
  EXPECT_EQ(plan.place(), 32);
  EXPECT_EQ(base(first), base(result));
  EXPECT_EQ(base(second), base(donated));
  EXPECT_NE(base(result), base(donated));
}

TEST_F(HbmPlanTest, DonatedArgumentsAndResultsShareNoRows) {
  // Each is an array of the caller's, though the one is over when the other begins.
  add(16, 0, 1, HbmUse::Donated);
  add(16, 5, 5, HbmUse::Result);
  EXPECT_EQ(plan.place(), 32);
}

TEST_F(HbmPlanTest, AKeptArgumentIsLiveToTheEnd) {
  int32_t argument = add(16, 0, 2, HbmUse::Donated);
  plan.keep(argument);
  add(16, 5, 6);
  EXPECT_EQ(plan.place(), 32);
}

TEST_F(HbmPlanTest, ExtendsTimesInBothDirections) {
  int32_t a = add(16, 5, 5);
  plan.extend(a, 2);
  plan.extend(a, 7);
  plan.extend(a, 6);
  EXPECT_EQ(plan.buffers()[a].begin, 2);
  EXPECT_EQ(plan.buffers()[a].end, 7);
}

TEST_F(HbmPlanTest, DescribesBuffersToReports) {
  int32_t argument = add(8, 0, 0, HbmUse::Fixed);
  plan.add("t", tensor({16, 300}, f32), mlir::UnknownLoc::get(&context), 3);
  plan.setTitle(argument, "weights");
  plan.place();
  auto regions = plan.toAttribute(&context);
  ASSERT_EQ(regions.size(), 2u);
  auto region = llvm::cast<kernel::HbmRegionAttr>(regions[1]);
  EXPECT_EQ(region.getRows(), 48);
  EXPECT_EQ(region.getBase(), 8);

  auto allocations = plan.allocations(&context);
  auto number = [&](int buffer, llvm::StringRef field) -> std::optional<int64_t> {
    auto entry = llvm::cast<mlir::DictionaryAttr>(allocations[buffer]);
    auto attribute = entry.getAs<mlir::IntegerAttr>(field);
    return attribute ? std::optional(attribute.getInt()) : std::nullopt;
  };
  auto entry = llvm::cast<mlir::DictionaryAttr>(allocations[0]);
  EXPECT_EQ(entry.getAs<mlir::StringAttr>("name").getValue(), "weights");
  // 16 x 300 elements of four bytes, without padding; the times of temporaries alone.
  EXPECT_EQ(number(1, "payload"), 19200);
  EXPECT_EQ(number(1, "begin"), 3);
  EXPECT_EQ(number(1, "end"), 3);
  EXPECT_EQ(number(0, "begin"), std::nullopt);
}

} // namespace
} // namespace systole
