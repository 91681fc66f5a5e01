// Sizes of tiles, and the search for the blocking with the smallest estimate, against brute force.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Search.h"

#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/Legality.h"
#include "compiler/Planning/Tiles.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Machine/Target/Target.h"
#include "test/unit/compiler/Planning/PlanningTest.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;

namespace systole {
namespace {

/// The operations of a fusion as the search sees them.
struct Group {
  explicit Group(kernel::FusionOp fusion)
      : ops(operationsOf(fusion)), axes(ops), bytes(ops, axes.groupTensors(), /*passes=*/1) {}

  SmallVector<Operation *> ops;
  Axes axes;
  StepBytes bytes;
};

struct SearchTest : PlanningTest {
  /// The fusion of `body`, which computes %r of `result` from %a and %b of `operands`.
  kernel::FusionOp fusionOf(std::string body, std::string result,
                            std::vector<std::string> operands) {
    std::string outer, names, types;
    for (auto [number, type] : llvm::enumerate(operands)) {
      std::string separator = number ? ", " : "", letter(1, "ab"[number]);
      outer += separator + "%" + letter + letter + ": " + type;
      names += separator + "%" + letter + " = %" + letter + letter;
      types += separator + type;
    }
    auto fusions = parse("func.func @f(" + outer + ") {\n  %0 = kernel.fusion \"loop\" (" + names +
                         ") : (" + types + ") -> " + result + " {\n" + body +
                         "\n    kernel.fused %r : " + result + "\n  }\n  return\n}\n");
    EXPECT_EQ(fusions.size(), 1u);
    return fusions[0];
  }
  kernel::FusionOp negate(std::string shape) {
    std::string type = "tensor<" + shape + ">";
    return fusionOf("    %r = stablehlo.negate %a : " + type, type, {type});
  }
  kernel::FusionOp add(std::string shape) {
    std::string type = "tensor<" + shape + ">";
    return fusionOf("    %r = stablehlo.add %a, %b : " + type, type, {type, type});
  }
  kernel::FusionOp product(int rows, int depth, int columns) {
    std::string left = llvm::formatv("tensor<{0}x{1}xf32>", rows, depth);
    std::string right = llvm::formatv("tensor<{0}x{1}xf32>", depth, columns);
    std::string result = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
    return fusionOf("    %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" +
                        left + ", " + right + ") -> " + result,
                    result, {left, right});
  }
  /// A sum over dimension `dim` of two.
  kernel::FusionOp sum(int rows, int columns, int dim) {
    std::string operand = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
    std::string result = llvm::formatv("tensor<{0}xf32>", dim ? rows : columns);
    return fusionOf("    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = "
                    "stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [" +
                        std::to_string(dim) + "] : (" + operand + ", tensor<f32>) -> " + result,
                    result, {operand});
  }

  std::optional<Choice> search(Group &group) {
    return searchBlocking(group.axes, group.bytes, machine, VmemShare{machine.vmemBytes});
  }
  double cyclesOf(Group &group, const Blocking &blocking) {
    return estimateOf(group.ops, blocking, machine.model, machine.precision).cycles;
  }

  /// The smallest estimate of the group in one step, and in all numbers of steps along one axis
  /// that are powers of two, in tiles of whole groups of `kLanes` elements of the last dimension
  /// of any value and of single ones of the others; the chunks of sums are innermost.
  std::optional<double> bruteForce(Group &group) {
    std::optional<double> best;
    auto consider = [&](const Blocking &blocking) {
      if (violationOf(blocking, group.axes) || group.bytes.footprint(blocking) > machine.vmemBytes)
        return;
      double cycles = cyclesOf(group, blocking);
      best = std::min(best.value_or(cycles), cycles);
    };
    SmallVector<Blocking, 0> bases = group.axes.chunkings();
    llvm::for_each(bases, consider);
    llvm::SetVector<Value> values;
    for (Operation *op : group.ops) {
      values.insert_range(op->getOperands());
      values.insert_range(op->getResults());
    }
    for (Value value : values)
      for (int64_t dim = 0; dim < typeOf(value).getRank(); ++dim) {
        std::optional<Cut> cut = group.axes.cutAlong(value, dim);
        if (!cut || !cut->map->accumulating.empty())
          continue;
        for (int64_t unit : {int64_t(1), kLanes})
          for (int64_t steps = 2; steps < 2 * cut->size; steps *= 2) {
            cut->blockSize = llvm::alignTo(llvm::divideCeil(cut->size, steps), unit);
            if (cut->blockSize >= cut->size)
              continue;
            for (Blocking blocking : bases) {
              blocking.cuts.insert(blocking.cuts.begin(), *cut);
              consider(blocking);
            }
          }
      }
    return best;
  }

  /// Checks the blocking that is found, if brute force finds any.
  void check(kernel::FusionOp fusion) {
    SCOPED_TRACE(llvm::formatv("{0}", fusion).str());
    Group group(fusion);
    std::optional<double> least = bruteForce(group);
    std::optional<Choice> choice = search(group);
    ASSERT_EQ(choice.has_value(), least.has_value());
    if (!choice)
      return;
    EXPECT_FALSE(violationOf(choice->blocking, group.axes));
    EXPECT_FALSE(orderViolationOf(choice->blocking, group.axes));
    EXPECT_LE(group.bytes.footprint(choice->blocking), machine.vmemBytes);
    EXPECT_EQ(choice->cycles, cyclesOf(group, choice->blocking));
    // The search stops within two percent of what the busiest unit needs.
    EXPECT_LE(choice->cycles, 1.02 * *least);
  }

  static constexpr int64_t kLanes = 128;
  PlanningContext machine{*Target::load("v3")};
};

TEST_F(SearchTest, ElementwiseIsAsFastAsAnyAxis) {
  for (const char *shape :
       {"7x127xf32", "129x1000xf32", "1000x1000xf32", "127x129000xf32", "7x129x1000xf32",
        "1000x127x129xf32", "1000000xf32", "1000x1000xbf16", "127x7x1000xi8", "129001xbf16"})
    check(add(shape));
}

TEST_F(SearchTest, ProductIsAsFastAsAnyAxis) {
  for (int rows : {7, 127, 129, 1000})
    for (int depth : {127, 1000})
      for (int columns : {7, 129, 1000})
        check(product(rows, depth, columns));
}

TEST_F(SearchTest, SumIsAsFastAsAnyAxis) {
  for (int dim : {0, 1})
    for (int rows : {7, 127, 129, 1000, 10000})
      for (int columns : {7, 127, 129, 1000})
        check(sum(rows, columns, dim));
}

TEST_F(SearchTest, FindsTheSameForOtherNames) {
  std::string type = "tensor<1000x1290xf32>";
  auto body = [&](std::string name) {
    return "    %" + name + " = stablehlo.add %a, %b : " + type +
           "\n    %r = stablehlo.multiply %" + name + ", %a : " + type;
  };
  Group first(fusionOf(body("x"), type, {type, type}));
  Choice choice = *search(first);
  auto isSame = [&](const Choice &other) {
    EXPECT_EQ(other.cycles, choice.cycles);
    ASSERT_EQ(other.blocking.cuts.size(), choice.blocking.cuts.size());
    for (auto [cut, known] : llvm::zip_equal(other.blocking.cuts, choice.blocking.cuts)) {
      EXPECT_EQ(cut.seedDim, known.seedDim);
      EXPECT_EQ(cut.blockSize, known.blockSize);
    }
  };
  isSame(*search(first));
  OwningOpRef<ModuleOp> kept = std::move(module);
  Group second(fusionOf(body("other"), type, {type, type}));
  isSame(*search(second));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TEST_F(SearchTest, CoarseTilesAreAboutHalfEach) {
  // Of f32 a row of 512 bytes is 128 lanes, of i8 four logical rows.
  struct Case {
    const char *shape;
    int64_t dim, unit;
  };
  for (Case c : {Case{"1000x512xf32", 0, 1}, Case{"1000x7xf32", 0, 1}, Case{"8x12900xf32", 1, 128},
                 Case{"1000000xf32", 0, 128}, Case{"1000x128xbf16", 0, 2},
                 Case{"1000x128xi8", 0, 4}, Case{"1000x7x127xf32", 0, 1}}) {
    SCOPED_TRACE(c.shape);
    Group group(negate(c.shape));
    Cut cut = *group.axes.cutAlong(group.ops[0]->getResult(0), c.dim);
    SmallVector<int64_t> tiles = coarseTiles(cut, group.axes);
    ASSERT_FALSE(tiles.empty());
    EXPECT_EQ(tiles.back(), c.unit);
    int64_t before = cut.size;
    for (int64_t tile : tiles) {
      EXPECT_LT(tile, before);
      EXPECT_EQ(tile % c.unit, 0) << tile;
      // Whole vector registers are a quarter more at most.
      EXPECT_GE(tile + c.unit, before / 2 * 4 / 5) << tile;
      EXPECT_LE(tile, (before + 1) / 2 * 5 / 4 + c.unit) << tile;
      before = tile;
    }
  }
}

TEST_F(SearchTest, NoTilesWhereDmaCannotStart) {
  // A plane is 3 x 3 rows of 128 of i8, and 512 bytes hold four: planes begin in the middle, so
  // that nothing in all of them begins at 512 bytes; every fourth plane does.
  Group group(negate("5x3x300xi8"));
  Value result = group.ops[0]->getResult(0);
  Cut planes = *group.axes.cutAlong(result, 0), rows = *group.axes.cutAlong(result, 1);
  EXPECT_EQ(coarseTiles(planes, group.axes), SmallVector<int64_t>({4}));
  EXPECT_TRUE(coarseTiles(rows, group.axes).empty());
  EXPECT_TRUE(nearbyTiles(rows, group.axes).empty());
}

TEST_F(SearchTest, NearbyTilesHaveAStepMoreOrLess) {
  auto near = [&](const char *shape, int64_t dim, int64_t tile) {
    Group group(negate(shape));
    Cut cut = *group.axes.cutAlong(group.ops[0]->getResult(0), dim);
    cut.blockSize = tile;
    SmallVector<int64_t> tiles = nearbyTiles(cut, group.axes);
    EXPECT_FALSE(llvm::is_contained(tiles, tile));
    for (int64_t other : tiles) {
      EXPECT_LT(other, cut.size);
      EXPECT_GE(2 * other, tile);
      EXPECT_LE(4 * other, 5 * 2 * tile);
    }
    return std::set<int64_t>(tiles.begin(), tiles.end());
  };
  auto contains = [](const std::set<int64_t> &tiles, std::initializer_list<int64_t> wanted) {
    for (int64_t tile : wanted)
      EXPECT_TRUE(tiles.contains(tile)) << tile;
  };
  // Four steps of 300 of 1,000 rows: three have 334, five 200; 250 and 500 divide.
  contains(near("1000x512xf32", 0, 300), {334, 200, 250, 500});
  // Four steps of 30 x 128 of 100 x 128 lanes: three have 34 x 128, five 20 x 128; 25 and 50 x 128
  // divide.
  contains(near("8x12800xf32", 1, 3840), {4352, 2560, 3200, 6400});
  // A prime number of rows has no divisors: two steps become three, of 43 rows or, as whole vector
  // registers, 44.
  contains(near("127x512xf32", 0, 64), {44});
}

} // namespace
} // namespace systole
