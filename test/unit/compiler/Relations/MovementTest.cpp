// Elements that operations without arithmetic of their own read, against writing each operand's
// elements to where the operation puts them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RelationFixture.h"

#include "llvm/ADT/STLExtras.h"

namespace systole::test {
namespace {

struct MovementTest : RelationFixture {
  /// The result of moving one operand: the place of the element that it has everywhere.
  struct Moved {
    Ints shape;
    std::vector<int64_t> elements = std::vector<int64_t>(count(shape), kNothing);
    void put(const Ints &index, int64_t element) { elements[place(shape, index)] = element; }
  };

  void expectReads(mlir::Operation *op, const Moved &expected, unsigned operand = 0) {
    ASSERT_EQ(Ints(mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getShape()),
              expected.shape);
    std::vector<std::vector<Reads>> reads = readsOf(op);
    for (size_t element = 0; element < reads.size(); ++element) {
      ASSERT_EQ(reads[element].size(), 1u);
      ASSERT_EQ(reads[element].front()[operand], expected.elements[element]);
    }
  }
};

TEST_F(MovementTest, Elementwise) {
  mlir::Value x = tensor({3, 1, 4}), y = tensor({3, 1, 4});
  Moved same{{3, 1, 4}};
  llvm::copy(llvm::seq<int64_t>(0, 12), same.elements.begin());
  auto add = stablehlo::AddOp::create(b, loc, x, y);
  expectReads(add, same, 0);
  expectReads(add, same, 1);
  // Bounds of rank 0 apply to all elements.
  auto clamp = stablehlo::ClampOp::create(b, loc, x.getType(), tensor({}), x, tensor({}));
  expectReads(clamp, same, 1);
  expectReads(clamp, Moved{{3, 1, 4}, std::vector<int64_t>(12, 0)}, 0);
}

TEST_F(MovementTest, Broadcast) {
  for (int round = 0; round < 100; ++round) {
    Ints to = randomShape(random(0, 4), 0, 4), dims = randomOrder(to.size()), from;
    dims.resize(random(0, to.size()));
    for (int64_t d : dims)
      from.push_back(random(0, 1) ? to[d] : 1);
    Moved moved{to};
    forEachIndex(from, [&](const Ints &source) {
      forEachIndex(to, [&](const Ints &target) {
        bool takes = true;
        for (size_t i = 0; i < dims.size(); ++i)
          takes &= from[i] == 1 || source[i] == target[dims[i]];
        if (takes)
          moved.put(target, place(from, source));
      });
    });
    expectReads(stablehlo::BroadcastInDimOp::create(b, loc, type(to), tensor(from), ref(dims)),
                moved);
  }
}

TEST_F(MovementTest, Reshape) {
  // The same elements in the same order, whatever the shapes are.
  std::vector<std::pair<Ints, Ints>> shapes = {{{6}, {2, 3}},
                                               {{2, 3}, {6}},
                                               {{4, 6}, {6, 4}},
                                               {{4, 6}, {2, 12}},
                                               {{8, 3}, {2, 4, 3}},
                                               {{2, 4, 3}, {8, 3}},
                                               {{1}, {}},
                                               {{}, {1, 1}},
                                               {{2, 1, 3}, {2, 3}},
                                               {{2, 3}, {1, 2, 1, 3}},
                                               {{6, 10}, {4, 15}},
                                               {{6, 10}, {15, 4}},
                                               {{12, 5}, {4, 3, 5}},
                                               {{4, 9, 2}, {6, 2, 6}},
                                               {{0, 3}, {3, 0}},
                                               {{2, 0}, {0, 5, 7}},
                                               {{16}, {2, 2, 2, 2}},
                                               {{2, 2, 2, 2}, {4, 4}},
                                               {{2, 6, 2}, {4, 6}},
                                               {{4, 6}, {2, 6, 2}},
                                               {{1, 5}, {5, 1}},
                                               {{3, 4, 5}, {3, 2, 10}},
                                               {{30, 2}, {2, 5, 6}},
                                               {{24, 24}, {16, 36}}};
  for (const auto &[from, to] : shapes) {
    Moved moved{to};
    llvm::copy(llvm::seq<int64_t>(0, count(to)), moved.elements.begin());
    expectReads(stablehlo::ReshapeOp::create(b, loc, type(to), tensor(from)), moved);
  }
}

TEST_F(MovementTest, ReshapeHasQuotientsAndRemaindersOfSingleIterators) {
  auto relation = relationOf(stablehlo::ReshapeOp::create(b, loc, type({4, 6}), tensor({24})));
  EXPECT_EQ(relation->operands[0].dims[0].expr, b.getAffineDimExpr(0) * 6 + b.getAffineDimExpr(1));
  relation = relationOf(stablehlo::ReshapeOp::create(b, loc, type({24, 5}), tensor({4, 6, 5})));
  EXPECT_EQ(relation->operands[0].dims[0].expr, b.getAffineDimExpr(0).floorDiv(6));
  EXPECT_EQ(relation->operands[0].dims[1].expr, b.getAffineDimExpr(0) % 6);
  EXPECT_EQ(relation->dimOf(0, 1), 2);
}

TEST_F(MovementTest, Transpose) {
  for (int round = 0; round < 30; ++round) {
    Ints from = randomShape(random(0, 4), 0, 4), permutation = randomOrder(from.size()), to;
    for (int64_t d : permutation)
      to.push_back(from[d]);
    Moved moved{to};
    forEachIndex(from, [&](const Ints &source) {
      Ints target;
      for (int64_t d : permutation)
        target.push_back(source[d]);
      moved.put(target, place(from, source));
    });
    expectReads(stablehlo::TransposeOp::create(b, loc, type(to), tensor(from), ref(permutation)),
                moved);
  }
}

TEST_F(MovementTest, Reverse) {
  for (int round = 0; round < 30; ++round) {
    Ints shape = randomShape(random(1, 3), 0, 5), dims = randomOrder(shape.size());
    dims.resize(random(0, shape.size()));
    Moved moved{shape};
    forEachIndex(shape, [&](const Ints &source) {
      Ints target = source;
      for (int64_t d : dims)
        target[d] = shape[d] - 1 - source[d];
      moved.put(target, place(shape, source));
    });
    expectReads(stablehlo::ReverseOp::create(b, loc, tensor(shape), ref(dims)), moved);
  }
}

TEST_F(MovementTest, Slice) {
  for (int round = 0; round < 100; ++round) {
    Ints from = randomShape(random(1, 3), 0, 7), starts, limits, strides, to;
    for (int64_t size : from) {
      starts.push_back(random(0, size));
      limits.push_back(random(starts.back(), size));
      strides.push_back(random(1, 3));
      int64_t taken = 0;
      for (int64_t i = starts.back(); i < limits.back(); i += strides.back())
        ++taken;
      to.push_back(taken);
    }
    Moved moved{to};
    forEachIndex(from, [&](const Ints &source) {
      Ints target;
      for (size_t d = 0; d < from.size(); ++d) {
        int64_t behind = source[d] - starts[d];
        if (behind < 0 || source[d] >= limits[d] || behind % strides[d] != 0)
          return;
        target.push_back(behind / strides[d]);
      }
      moved.put(target, place(from, source));
    });
    expectReads(
        stablehlo::SliceOp::create(b, loc, tensor(from), ref(starts), ref(limits), ref(strides)),
        moved);
  }
}

TEST_F(MovementTest, Pad) {
  for (int round = 0; round < 200; ++round) {
    Ints from = randomShape(random(1, 3), 0, 4), low, high, interior, to;
    for (int64_t size : from) {
      interior.push_back(random(0, 2));
      int64_t inside = size + std::max<int64_t>(0, size - 1) * interior.back();
      low.push_back(random(-2, 3));
      high.push_back(random(std::max<int64_t>(-2, -inside - low.back()), 3));
      if (inside + low.back() + high.back() < 0)
        high.back() = -inside - low.back();
      to.push_back(inside + low.back() + high.back());
    }
    Moved moved{to};
    forEachIndex(from, [&](const Ints &source) {
      Ints target;
      for (size_t d = 0; d < from.size(); ++d) {
        target.push_back(low[d] + source[d] * (interior[d] + 1));
        if (target.back() < 0 || target.back() >= to[d])
          return;
      }
      moved.put(target, place(from, source));
    });
    auto pad = stablehlo::PadOp::create(b, loc, tensor(from), tensor({}), ref(low), ref(high),
                                        ref(interior));
    expectReads(pad, moved);
    expectReads(pad, Moved{to, std::vector<int64_t>(count(to), 0)}, 1);
  }
}

TEST_F(MovementTest, Concatenate) {
  for (int round = 0; round < 50; ++round) {
    Ints shape = randomShape(random(1, 3), 0, 4);
    int64_t dim = random(0, shape.size() - 1), begin = 0;
    std::vector<Ints> pieces;
    llvm::SmallVector<mlir::Value> inputs;
    for (int64_t i = 0, n = random(1, 4); i < n; ++i) {
      pieces.push_back(shape);
      pieces.back()[dim] = random(0, 3);
      inputs.push_back(tensor(pieces.back()));
      begin += pieces.back()[dim];
    }
    shape[dim] = begin;
    auto op = stablehlo::ConcatenateOp::create(b, loc, inputs, dim);
    begin = 0;
    for (auto [number, piece] : llvm::enumerate(pieces)) {
      Moved moved{shape};
      forEachIndex(piece, [&](const Ints &source) {
        Ints target = source;
        target[dim] += begin;
        moved.put(target, place(piece, source));
      });
      expectReads(op, moved, number);
      begin += piece[dim];
    }
  }
}

TEST_F(MovementTest, SourcesHaveNoOperands) {
  auto iota = stablehlo::IotaOp::create(b, loc, type({2, 3}), 1);
  EXPECT_EQ(relationOf(iota)->iterators.size(), 2u);
  EXPECT_TRUE(relationOf(iota)->operands.empty());
}

TEST_F(MovementTest, UnknownOperationsHaveNone) {
  auto op = stablehlo::OptimizationBarrierOp::create(b, loc, tensor({2}));
  EXPECT_FALSE(relationOf(op));
}

} // namespace
} // namespace systole::test
