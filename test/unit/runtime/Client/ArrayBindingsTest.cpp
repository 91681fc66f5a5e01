// Rows of a plan that belong to arrays, laid out by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayBindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using Place = ArrayBindings::Place;

// Arguments and results of f32[N], which take N / 128 rows, in regions by number.
struct Plan {
  explicit Plan(int64_t rows) { header.set_hbm_rows(rows); }

  int region(int64_t base, int64_t rows) {
    program::Region &region = *header.add_regions();
    region.set_space(program::HBM);
    region.set_base(base);
    region.set_size(rows);
    return header.regions_size() - 1;
  }
  static void set(program::Tensor &tensor, int64_t elements, int region) {
    tensor.set_dtype("f32");
    tensor.add_dims(elements);
    tensor.mutable_layout()->add_minor_to_major(0);
    tensor.set_region(region);
  }
  void argument(int64_t elements, int region, bool isDonated = false) {
    set(*header.add_arguments(), elements, region);
    header.mutable_arguments()->rbegin()->set_donated(isDonated);
  }
  void result(int64_t elements, int region, int aliased = 0) {
    set(*header.add_results(), elements, region);
    header.mutable_results()->rbegin()->set_aliased_input(aliased);
  }
  ArrayBindings bindings() const { return *ArrayBindings::create(header); }

  program::ProgramHeader header;
};

// The rows of a memory for rows of the plan.
std::vector<int64_t> rowsOf(const emulation::AddressMap &map, std::initializer_list<int64_t> rows) {
  std::vector<int64_t> places;
  for (const int64_t row : rows)
    places.push_back(map.at(row).place + row - map.at(row).begin);
  return places;
}

TEST(ArrayBindings, ArraysAreWhereTheyAreAndTheRestIsTheRuns) {
  Plan plan(64);
  plan.argument(1024, plan.region(0, 8));
  plan.argument(2048, plan.region(16, 16));
  plan.result(1024, plan.region(40, 8));
  const ArrayBindings bindings = plan.bindings();
  const std::vector<Place> arguments = {{1000, true}, {2000, true}}, results = {{3000}};
  EXPECT_EQ(bindings.ownRows(program::HBM, arguments), 32);
  const emulation::AddressMap map = bindings.map(program::HBM, arguments, results, 5000);
  EXPECT_EQ(rowsOf(map, {0, 7, 8, 15, 16, 31, 32, 39, 40, 47, 48, 63}),
            (std::vector<int64_t>{1000, 1007, 5000, 5007, 2000, 2015, 5008, 5015, 3000, 3007, 5016,
                                  5031}));
  EXPECT_TRUE(map.at(0).isReadOnly);
  EXPECT_FALSE(map.at(8).isReadOnly);
  EXPECT_FALSE(map.at(40).isReadOnly);
}

TEST(ArrayBindings, AProgramWithoutTemporariesNeedsNoRows) {
  Plan plan(16);
  plan.argument(1024, plan.region(0, 8));
  plan.result(1024, plan.region(8, 8));
  EXPECT_EQ(plan.bindings().ownRows(program::HBM, {{1000, true}}), 0);
}

TEST(ArrayBindings, AnArgumentWithoutAPlaceIsWithTheRowsOfTheRun) {
  Plan plan(24);
  plan.argument(1024, plan.region(8, 8), true);
  const ArrayBindings bindings = plan.bindings();
  EXPECT_TRUE(bindings.arguments()[0].isDonated);
  const emulation::AddressMap map = bindings.map(program::HBM, {Place()}, {}, 100);
  EXPECT_EQ(rowsOf(map, {0, 8, 23}), (std::vector<int64_t>{100, 108, 123}));
}

TEST(ArrayBindings, AnAliasedResultIsItsArgument) {
  Plan plan(8);
  const int region = plan.region(0, 8);
  plan.argument(1024, region, true);
  plan.result(1024, region, 1);
  const ArrayBindings bindings = plan.bindings();
  EXPECT_TRUE(bindings.arguments()[0].isBound);
  EXPECT_TRUE(bindings.results()[0].isBound);
  EXPECT_EQ(bindings.results()[0].aliased, 0u);
}

TEST(ArrayBindings, ArraysThatShareRowsAreCopied) {
  Plan plan(64);
  const int same = plan.region(0, 8);
  plan.argument(1024, same);
  plan.argument(2048, plan.region(16, 16));
  plan.argument(1024, plan.region(48, 8));
  plan.result(1024, same);               // an argument that is a result, too
  plan.result(1024, plan.region(24, 8)); // over a part of an argument
  plan.result(1024, plan.region(40, 8));
  const ArrayBindings bindings = plan.bindings();
  EXPECT_FALSE(bindings.arguments()[0].isBound);
  EXPECT_FALSE(bindings.arguments()[1].isBound);
  EXPECT_TRUE(bindings.arguments()[2].isBound);
  EXPECT_FALSE(bindings.results()[0].isBound);
  EXPECT_FALSE(bindings.results()[1].isBound);
  EXPECT_TRUE(bindings.results()[2].isBound);
}

TEST(ArrayBindings, OneResultIsOverAnArgument) {
  Plan plan(8);
  const int region = plan.region(0, 8);
  plan.argument(1024, region, true);
  plan.result(1024, region, 1);
  plan.result(1024, region, 1);
  const ArrayBindings bindings = plan.bindings();
  EXPECT_TRUE(bindings.results()[0].isBound);
  EXPECT_FALSE(bindings.results()[1].isBound);
}

TEST(ArrayBindings, ArraysOverConstantsAndSizesAreCopied) {
  Plan plan(64);
  plan.argument(1024, plan.region(0, 8));
  plan.argument(1024, plan.region(16, 8));
  plan.header.add_constants()->set_region(plan.region(4, 8));
  plan.result(1024, plan.region(32, 8));
  program::DynamicDim &dim = *plan.header.mutable_results(0)->add_dynamic_dims();
  dim.set_region(plan.region(16, 8));
  const ArrayBindings bindings = plan.bindings();
  EXPECT_FALSE(bindings.arguments()[0].isBound);
  EXPECT_FALSE(bindings.arguments()[1].isBound);
  EXPECT_TRUE(bindings.results()[0].isBound);
}

TEST(ArrayBindings, ArraysWithoutElementsHaveNoRows) {
  Plan plan(8);
  plan.argument(0, plan.region(0, 8));
  EXPECT_FALSE(plan.bindings().arguments()[0].isBound);
}

TEST(ArrayBindings, ARegionHasRoomForItsArray) {
  Plan plan(8);
  plan.argument(2048, plan.region(0, 8));
  EXPECT_EQ(ArrayBindings::create(plan.header).status().code(), absl::StatusCode::kInvalidArgument);
}

} // namespace
} // namespace systole
