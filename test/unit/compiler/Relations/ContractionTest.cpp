// Which pairs of elements products and convolutions multiply, and what reductions read, against
// loops over what StableHLO's specification says.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/Contraction.h"

#include "RelationFixture.h"

#include "llvm/ADT/STLExtras.h"

namespace systole::test {
namespace {

struct ContractionTest : RelationFixture {
  using Pairs = std::vector<std::vector<Reads>>;

  /// The pairs that take part, by element of the result. Indices outside of an operand are padding.
  void expectPairs(mlir::Operation *op, Pairs expected) {
    Pairs pairs = readsOf(op);
    ASSERT_EQ(pairs.size(), expected.size());
    for (auto [found, wanted] : llvm::zip_equal(pairs, expected)) {
      llvm::erase_if(found, [](const Reads &pair) { return llvm::is_contained(pair, kNothing); });
      llvm::sort(found);
      llvm::sort(wanted);
      ASSERT_EQ(found, wanted);
    }
    // Each iterator has one role.
    auto contraction = contractionOf(op);
    ASSERT_TRUE(contraction);
    llvm::SmallVector<unsigned> all;
    for (auto *list : {&contraction->batch, &contraction->lhsFree, &contraction->rhsFree,
                       &contraction->contracted, &contraction->taps})
      llvm::append_range(all, *list);
    llvm::sort(all);
    EXPECT_TRUE(llvm::equal(all, llvm::seq<unsigned>(0, contraction->relation.iterators.size())));
  }

  struct Conv {
    Ints image, kernel; ///< [batch, feature, spatial...], [input, output, spatial...]
    Ints strides, low, high, lhsDilation, rhsDilation, reversed;
    int64_t featureGroups = 1, batchGroups = 1;
  };
  void expectConvolution(const Conv &conv);
};

TEST_F(ContractionTest, Dot) {
  for (int round = 0; round < 100; ++round) {
    int64_t batch = random(0, 2), contracted = random(0, 2), left = random(0, 2),
            right = random(0, 2);
    Ints sizes = randomShape(batch + contracted + left + right, 0, 3);
    // The labels of the dimensions, as in einsum, in any order on both sides.
    auto labels = [&](int64_t firstFree, int64_t free) {
      Ints own, order = randomOrder(batch + contracted + free);
      for (int64_t i : order)
        own.push_back(i < batch + contracted ? i : firstFree + i - batch - contracted);
      return own;
    };
    Ints lhs = labels(batch + contracted, left), rhs = labels(batch + contracted + left, right);
    Ints lhsShape, rhsShape, lhsBatch, rhsBatch, lhsContracted, rhsContracted, result;
    for (int64_t label : lhs)
      lhsShape.push_back(sizes[label]);
    for (int64_t label : rhs)
      rhsShape.push_back(sizes[label]);
    auto dimOf = [](const Ints &dims, int64_t label) {
      return llvm::find(dims, label) - dims.begin();
    };
    for (int64_t label = 0; label < batch; ++label) {
      lhsBatch.push_back(dimOf(lhs, label));
      rhsBatch.push_back(dimOf(rhs, label));
      result.push_back(label);
    }
    for (int64_t label = batch; label < batch + contracted; ++label) {
      lhsContracted.push_back(dimOf(lhs, label));
      rhsContracted.push_back(dimOf(rhs, label));
    }
    for (const Ints &side : {lhs, rhs})
      for (int64_t label : side)
        if (label >= batch + contracted)
          result.push_back(label);
    Ints resultShape;
    for (int64_t label : result)
      resultShape.push_back(sizes[label]);

    Pairs pairs(count(resultShape));
    forEachIndex(sizes, [&](const Ints &values) {
      auto at = [&](const Ints &dims) {
        Ints index;
        for (int64_t label : dims)
          index.push_back(values[label]);
        return index;
      };
      pairs[place(resultShape, at(result))].push_back(
          {place(lhsShape, at(lhs)), place(rhsShape, at(rhs))});
    });
    auto numbers = stablehlo::DotDimensionNumbersAttr::get(&context, lhsBatch, rhsBatch,
                                                           lhsContracted, rhsContracted);
    auto dot = stablehlo::DotGeneralOp::create(b, loc, type(resultShape), tensor(lhsShape),
                                               tensor(rhsShape), numbers, nullptr, nullptr);
    expectPairs(dot, pairs);
    auto contraction = contractionOf(dot);
    EXPECT_EQ(contraction->batch.size(), size_t(batch));
    EXPECT_EQ(contraction->lhsFree.size(), size_t(left));
    EXPECT_EQ(contraction->rhsFree.size(), size_t(right));
    EXPECT_EQ(contraction->contracted.size(), size_t(contracted));
  }
}

/// Puts the image, dilated and padded, into an array, and slides the window over it.
void ContractionTest::expectConvolution(const Conv &conv) {
  int64_t spatial = conv.strides.size();
  int64_t batch = conv.image[0] / conv.batchGroups;
  int64_t groups = conv.featureGroups * conv.batchGroups, outputs = conv.kernel[1] / groups;
  int64_t inputs = conv.kernel[0];
  Ints padded, window(conv.kernel.begin() + 2, conv.kernel.end()), positions;
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t size = conv.image[2 + d];
    int64_t dilated = size == 0 ? 0 : (size - 1) * conv.lhsDilation[d] + 1;
    padded.push_back(std::max<int64_t>(0, dilated + conv.low[d] + conv.high[d]));
    int64_t extent = window[d] == 0 ? 0 : (window[d] - 1) * conv.rhsDilation[d] + 1;
    int64_t fitting = 0;
    while (fitting * conv.strides[d] + extent <= padded[d] && window[d] > 0)
      ++fitting;
    positions.push_back(fitting);
  }

  // The dimensions of all three arrays in any order.
  Ints imageOrder = randomOrder(2 + spatial), kernelOrder = randomOrder(2 + spatial),
       resultOrder = randomOrder(2 + spatial);
  Ints result = {batch, outputs * groups};
  llvm::append_range(result, positions);
  auto permuted = [](const Ints &values, const Ints &order) {
    Ints permuted;
    for (int64_t d : order)
      permuted.push_back(values[d]);
    return permuted;
  };
  auto dimsOf = [&](const Ints &order) {
    Ints dims(order.size());
    for (size_t place = 0; place < order.size(); ++place)
      dims[order[place]] = place;
    return dims;
  };
  Ints imageShape = permuted(conv.image, imageOrder),
       kernelShape = permuted(conv.kernel, kernelOrder),
       resultShape = permuted(result, resultOrder);
  auto at = [&](const Ints &shape, const Ints &order, const Ints &index) {
    return place(shape, permuted(index, order));
  };

  Pairs pairs(count(result));
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t i = 0; i < inputs; ++i) {
        int64_t image = conv.batchGroups > 1 ? group * batch + n : n;
        int64_t feature = conv.featureGroups > 1 ? group * inputs + i : i;
        std::vector<int64_t> space(count(padded), kNothing);
        forEachIndex(Ints(conv.image.begin() + 2, conv.image.end()), [&](const Ints &source) {
          Ints target, index = {image, feature};
          for (int64_t d = 0; d < spatial; ++d) {
            index.push_back(source[d]);
            target.push_back(conv.low[d] + source[d] * conv.lhsDilation[d]);
            if (target.back() < 0 || target.back() >= padded[d])
              return;
          }
          // Indices of the image are in the order of its dimension numbers.
          space[place(padded, target)] = at(imageShape, imageOrder, index);
        });
        for (int64_t o = 0; o < outputs; ++o)
          forEachIndex(positions, [&](const Ints &position) {
            Ints element = {n, group * outputs + o};
            llvm::append_range(element, position);
            forEachIndex(window, [&](const Ints &tap) {
              Ints where, weight = {i, group * outputs + o};
              for (int64_t d = 0; d < spatial; ++d) {
                where.push_back(position[d] * conv.strides[d] + tap[d] * conv.rhsDilation[d]);
                weight.push_back(conv.reversed[d] ? window[d] - 1 - tap[d] : tap[d]);
              }
              if (int64_t seen = space[place(padded, where)]; seen != kNothing)
                pairs[at(resultShape, resultOrder, element)].push_back(
                    {seen, at(kernelShape, kernelOrder, weight)});
            });
          });
      }

  Ints image = dimsOf(imageOrder), kernel = dimsOf(kernelOrder), output = dimsOf(resultOrder);
  auto spatialOf = [](const Ints &dims) { return mlir::ArrayRef<int64_t>(dims).drop_front(2); };
  auto numbers = stablehlo::ConvDimensionNumbersAttr::get(
      &context, image[0], image[1], spatialOf(image), kernel[0], kernel[1], spatialOf(kernel),
      output[0], output[1], spatialOf(output));
  Ints padding;
  for (int64_t d = 0; d < spatial; ++d)
    padding.insert(padding.end(), {conv.low[d], conv.high[d]});
  auto paddingType = mlir::RankedTensorType::get({spatial, 2}, b.getI64Type());
  llvm::SmallVector<bool> reversed(conv.reversed.begin(), conv.reversed.end());
  auto op = stablehlo::ConvolutionOp::create(
      b, loc, type(resultShape), tensor(imageShape), tensor(kernelShape),
      b.getDenseI64ArrayAttr(conv.strides),
      mlir::DenseIntElementsAttr::get(paddingType, llvm::ArrayRef<int64_t>(padding)),
      b.getDenseI64ArrayAttr(conv.lhsDilation), b.getDenseI64ArrayAttr(conv.rhsDilation),
      b.getDenseBoolArrayAttr(reversed), numbers, conv.featureGroups, conv.batchGroups, nullptr);
  expectPairs(op, pairs);
  auto contraction = contractionOf(op);
  EXPECT_EQ(contraction->taps.size(), size_t(spatial));
  EXPECT_EQ(contraction->contracted.size(), 1u);
  EXPECT_EQ(contraction->batch.size(), size_t(groups > 1));
}

TEST_F(ContractionTest, Convolution) {
  for (int round = 0; round < 300; ++round) {
    int64_t spatial = random(0, 2);
    Conv conv;
    int64_t kind = random(0, 2), groups = kind == 0 ? 1 : random(2, 3);
    (kind == 1 ? conv.featureGroups : conv.batchGroups) = groups;
    int64_t inputs = random(1, 2);
    conv.image = {random(1, 2) * conv.batchGroups, inputs * conv.featureGroups};
    conv.kernel = {inputs, random(1, 2) * groups};
    for (int64_t d = 0; d < spatial; ++d) {
      conv.kernel.push_back(random(1, 3));
      conv.image.push_back(random(0, 6));
      conv.strides.push_back(random(1, 3));
      conv.low.push_back(random(-2, 3));
      conv.high.push_back(random(-2, 3));
      conv.lhsDilation.push_back(random(1, 3));
      conv.rhsDilation.push_back(random(1, 3));
      conv.reversed.push_back(random(0, 1));
    }
    expectConvolution(conv);
  }
}

TEST_F(ContractionTest, DepthwiseFeaturesAreABatch) {
  expectConvolution({{2, 3, 5}, {1, 3, 3}, {1}, {1}, {1}, {1}, {1}, {0}, 3, 1});
  expectConvolution({{6, 1, 5}, {1, 3, 5}, {1}, {0}, {0}, {1}, {1}, {0}, 1, 3});
}

TEST_F(ContractionTest, OtherOperationsAreNone) {
  EXPECT_FALSE(contractionOf(stablehlo::AddOp::create(b, loc, tensor({2}), tensor({2}))));
}

TEST_F(ContractionTest, Reduce) {
  for (int round = 0; round < 50; ++round) {
    Ints shape = randomShape(random(1, 4), 0, 3), dims = randomOrder(shape.size()), kept;
    dims.resize(random(0, shape.size()));
    for (size_t d = 0; d < shape.size(); ++d)
      if (!llvm::is_contained(dims, int64_t(d)))
        kept.push_back(d);
    Ints result;
    for (int64_t d : kept)
      result.push_back(shape[d]);
    Pairs expected(count(result));
    forEachIndex(shape, [&](const Ints &source) {
      Ints target;
      for (int64_t d : kept)
        target.push_back(source[d]);
      // Both inputs at one index, both initial values.
      int64_t element = place(shape, source);
      expected[place(result, target)].push_back({element, element, 0, 0});
    });
    mlir::Type types[] = {type(result), type(result)};
    mlir::Value inputs[] = {tensor(shape), tensor(shape)}, inits[] = {tensor({}), tensor({})};
    auto op = stablehlo::ReduceOp::create(b, loc, types, inputs, inits, ref(dims));
    EXPECT_EQ(readsOf(op), expected);
  }
}

} // namespace
} // namespace systole::test
