// Pieces of operands, against times added up by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Pieces.h"
#include "compiler/Planning/Cost/ContractionCost.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

struct PiecesTest : testing::Test {
  MachineModel model{*Target::load("v3")};
  mlir::MLIRContext context;

  /// `rows` x 512 @ 512 x 256.
  ProductStage product(int64_t rows) {
    mlir::Type f32 = mlir::Float32Type::get(&context);
    VmemBlock lhs({rows, 512}, f32), rhs({512, 256}, f32), sums({rows, 256}, f32);
    ProductStage stage;
    stage.shape = shapeOfProduct(lhs, rhs, sums, /*rhsTransposed=*/false);
    stage.lhs = stage.rhs = f32;
    stage.lhsRows = lhs.logicalRows();
    stage.rhsRows = rhs.logicalRows();
    stage.outRows = sums.logicalRows();
    return stage;
  }
  double cyclesOf(int64_t rows) { return costOf(product(rows), model).cycles; }
  Pieces best(int64_t rows, double copyCycles, double startCycles = 0) {
    return bestPieces(product(rows), copyCycles, startCycles, [](int64_t) { return true; }, model);
  }
};

// Of what is there at once, each piece only adds a pipeline to fill.
TEST_F(PiecesTest, OneOfWhatTakesNoTime) { EXPECT_EQ(best(1024, 0).count, 1); }

TEST_F(PiecesTest, TheFirstArrivesEarlierWhereWorkIsLonger) {
  double copy = cyclesOf(1024) / 4;
  Pieces pieces = best(1024, copy);
  ASSERT_GT(pieces.count, 1);
  EXPECT_EQ(pieces.cycles, cyclesOf(1024 / pieces.count));
  // The first copy, and then the work of all pieces.
  auto finish = [&](int64_t count) { return copy / count + count * cyclesOf(1024 / count); };
  for (int64_t count = 1; 1024 % (8 * count) == 0; count *= 2)
    EXPECT_LE(finish(pieces.count), finish(count));
}

TEST_F(PiecesTest, TheLastIsShortWhereCopiesAreLonger) {
  // Behind the last copy its own work remains, which falls with each further piece that hides the
  // weights of the next tiles.
  Pieces pieces = best(1024, 100 * cyclesOf(1024));
  EXPECT_GT(pieces.count, 1);
  EXPECT_LT(pieces.cycles, cyclesOf(1024) / 2);
  // Unless starting the copies takes longer than that.
  EXPECT_EQ(best(1024, 100 * cyclesOf(1024), cyclesOf(1024)).count, 1);
}

TEST_F(PiecesTest, AreWholeGroupsOfEightRowsThatTheArrayHas) {
  double copy = cyclesOf(1040);
  EXPECT_EQ(1040 % (8 * best(1040, copy).count), 0);
  EXPECT_EQ(best(1032, copy).count, 3); // of 129 groups; 43 pieces would be too many
  Pieces refused = bestPieces(product(1024), copy, 0, [](int64_t) { return false; }, model);
  EXPECT_EQ(refused.count, 1);
}

} // namespace
} // namespace systole
