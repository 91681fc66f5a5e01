// Reductions must have the bits of the order that kernel.reduce specifies, for every shape and
// every mapping to sublanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <random>

using namespace systole::test;

namespace {

using Combine = std::function<float(float, float)>;

// The order of kernel.reduce's description, step by step.
class Order {
public:
  Order(Combine combine, int slots) : combine(std::move(combine)), cells(slots) {}

  // Values are added in order of rows, and of one row in order of lanes.
  void add(int64_t row, int64_t lane, float value) {
    put(cells[row % cells.size()][lane % 128], value);
  }
  float result(float init) {
    for (size_t distance = cells.size() / 2; distance > 0; distance /= 2)
      for (size_t s = 0; s < distance; ++s)
        for (int l = 0; l < 128; ++l)
          if (cells[s + distance][l])
            put(cells[s][l], *cells[s + distance][l]);
    for (int distance : {64, 32, 16, 8, 4, 2, 1})
      for (int l = 0; l < distance; ++l)
        if (cells[0][l + distance])
          put(cells[0][l], *cells[0][l + distance]);
    return cells[0][0] ? combine(init, *cells[0][0]) : init;
  }

private:
  void put(std::optional<float> &cell, float value) { cell = cell ? combine(*cell, value) : value; }
  Combine combine;
  std::vector<std::array<std::optional<float>, 128>> cells;
};

std::string reduceStage(const Dims &sizes, const Dims &dims, int partials, const Dims &outDims,
                        const std::string &combiner) {
  std::string identity, sizeList, dimList;
  for (size_t d = 0; d < sizes.size(); ++d) {
    identity += (d ? ", d" : "d") + std::to_string(d);
    sizeList += (d ? ", " : "") + std::to_string(sizes[d]);
  }
  for (size_t i = 0; i < dims.size(); ++i)
    dimList += (i ? ", " : "") + std::to_string(dims[i]);
  return "  kernel.reduce ins(%a0 : " + buffer(sizes, "f32") +
         ") inits(%a1 : " + buffer({}, "f32") + ") outs(%a2 : " + buffer(outDims, "f32") +
         ") sizes = [" + sizeList + "] dims = [" + dimList +
         "] partials = " + std::to_string(partials) + " maps = [affine_map<(" + identity +
         ") -> (" + identity +
         ")>] {\n  ^bb0(%x: tensor<f32>):\n    kernel.yield %x : tensor<f32>\n  } combine {\n" +
         "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + combiner +
         "    kernel.yield %r : tensor<f32>\n  }\n";
}

struct ReduceCase {
  Dims sizes, dims;
  int partials = 8;
};
void PrintTo(const ReduceCase &c, std::ostream *os) {
  *os << testing::PrintToString(c.sizes) << " over " << testing::PrintToString(c.dims) << " in "
      << c.partials;
}

class ReduceOrder : public testing::TestWithParam<ReduceCase> {
protected:
  void check(const std::string &combiner, const Combine &combine) {
    const auto &[sizes, dims, partials] = GetParam();
    std::mt19937 random(7);
    std::vector<float> x(count(sizes));
    // Magnitudes so different that another order would change the result.
    for (float &value : x)
      value = std::ldexp(float(random() % 1000) - 500, int(random() % 12));
    Dims outDims;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (std::find(dims.begin(), dims.end(), int64_t(d)) == dims.end())
        outDims.push_back(sizes[d]);
    auto results =
        runKernel({},
                  {{"in", Array::of("f32", sizes, x), {}, ""},
                   {"in", Array::of("f32", {}, std::vector<float>{0.625f}), {}, ""},
                   {"out", Array::of("f32", outDims, std::vector<float>(count(outDims))), {}, ""}},
                  reduceStage(sizes, dims, partials, outDims, combiner));
    auto y = results[2].values<float>();

    std::vector<Order> orders(count(outDims), Order(combine, partials == 128 ? 128 : 8));
    Dims index(sizes.size(), 0);
    for (float value : x) {
      int64_t out = 0, row = 0, lane = 0;
      for (size_t d = 0; d < sizes.size(); ++d) {
        bool isReduced = std::find(dims.begin(), dims.end(), int64_t(d)) != dims.end();
        if (!isReduced)
          out = out * sizes[d] + index[d];
        else if (d + 1 == sizes.size())
          lane = index[d];
        else
          row = row * sizes[d] + index[d];
      }
      // A vector in 1,024 partial results is as many rows as it has groups of lanes.
      if (partials == 1024)
        row = lane / 128;
      orders[out].add(row, lane, value);
      for (int d = int(sizes.size()) - 1; d >= 0 && ++index[d] == sizes[d]; --d)
        index[d] = 0;
    }
    for (size_t i = 0; i < orders.size(); ++i)
      ASSERT_EQ(y[i], orders[i].result(0.625f)) << "output " << i;
  }
};

TEST_P(ReduceOrder, Sum) {
  check("    %r = stablehlo.add %a, %b : tensor<f32>\n", [](float a, float b) { return a + b; });
}

// Neither associative nor commutative, and not a single instruction.
TEST_P(ReduceOrder, GeneralCombiner) {
  check("    %h = stablehlo.constant dense<0.5> : tensor<f32>\n"
        "    %s = stablehlo.multiply %a, %h : tensor<f32>\n"
        "    %r = stablehlo.add %s, %b : tensor<f32>\n",
        [](float a, float b) { return a * 0.5f + b; });
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReduceOrder,
    testing::Values(ReduceCase{{1}, {0}}, ReduceCase{{7}, {0}}, ReduceCase{{100}, {0}},
                    ReduceCase{{128}, {0}}, ReduceCase{{129}, {0}}, ReduceCase{{3000}, {0}},
                    ReduceCase{{1024}, {0}, 1024}, ReduceCase{{1025}, {0}, 1024},
                    ReduceCase{{5000}, {0}, 1024}, ReduceCase{{1, 2944}, {1}, 1024},
                    ReduceCase{{1, 2944}, {1}}, ReduceCase{{1, 1, 2945}, {0, 1, 2}, 1024},
                    ReduceCase{{64, 200}, {1}}, ReduceCase{{64, 200}, {0}},
                    ReduceCase{{64, 100}, {0, 1}}, ReduceCase{{3, 5}, {0}}, ReduceCase{{3, 5}, {1}},
                    ReduceCase{{3, 5}, {0, 1}}, ReduceCase{{300, 3}, {0}},
                    ReduceCase{{300, 3}, {1}}, ReduceCase{{13, 2600}, {1}},
                    ReduceCase{{13, 128}, {0, 1}}, ReduceCase{{200, 1}, {0}},
                    ReduceCase{{200, 1}, {1}}, ReduceCase{{1, 200}, {0}},
                    ReduceCase{{5, 17, 130}, {0}}, ReduceCase{{5, 17, 130}, {1}},
                    ReduceCase{{5, 17, 130}, {2}}, ReduceCase{{5, 17, 130}, {0, 1}},
                    ReduceCase{{5, 17, 127}, {0, 2}}, ReduceCase{{5, 17, 127}, {1, 2}},
                    ReduceCase{{5, 17, 127}, {0, 1, 2}}, ReduceCase{{64, 9, 3}, {1}},
                    ReduceCase{{4, 6, 3, 40}, {0, 2}}, ReduceCase{{4, 6, 3, 40}, {1, 3}},
                    ReduceCase{{4, 6, 3, 40}, {0, 2, 3}}, ReduceCase{{3, 2, 16, 9}, {0, 2}},
                    ReduceCase{{2, 40, 2, 5}, {1}}, ReduceCase{{140, 3, 20}, {1, 2}},
                    ReduceCase{{6, 140, 4}, {2}}, ReduceCase{{6, 140, 4}, {0, 2}}));

INSTANTIATE_TEST_SUITE_P(
    Trees, ReduceOrder,
    testing::Values(ReduceCase{{1, 5}, {0}, 128}, ReduceCase{{7, 300}, {0}, 128},
                    ReduceCase{{16, 20, 30}, {0}, 128}, ReduceCase{{17, 20, 30}, {0}, 128},
                    ReduceCase{{20, 17, 30}, {1}, 128}, ReduceCase{{100, 130}, {0}, 128},
                    ReduceCase{{127, 5}, {0}, 128}, ReduceCase{{128, 5}, {0}, 128},
                    ReduceCase{{129, 5}, {0}, 128}, ReduceCase{{133, 5}, {0}, 128},
                    ReduceCase{{256, 5}, {0}, 128}, ReduceCase{{1001, 3}, {0}, 128},
                    ReduceCase{{3, 1030, 200}, {1}, 128}));

// Sums whose factors are broadcast along the lanes are accumulated in several passes over the
// slots, each of which has elements of its own: the order is the same.
TEST(Reduce, PassesOverSlotsKeepTheOrder) {
  constexpr int n = 100, m = 1024;
  std::mt19937 random(11);
  auto draw = [&] { return std::ldexp(float(random() % 1000) - 500, int(random() % 12)); };
  std::vector<float> x(n * m), z(n);
  std::generate(x.begin(), x.end(), draw);
  std::generate(z.begin(), z.end(), draw);
  std::string f = buffer({}, "f32"), out = buffer({m}, "f32");
  std::string stage =
      "  kernel.reduce ins(%a0, %a1 : " + buffer({n, m}, "f32") + ", " + buffer({n}, "f32") +
      ") inits(%a2, %a2 : " + f + ", " + f + ") outs(%a3, %a4 : " + out + ", " + out +
      ") sizes = [100, 1024] dims = [0] maps = [affine_map<(d0, d1) -> (d0, d1)>, "
      "affine_map<(d0, d1) -> (d0)>] {\n"
      "  ^bb0(%x: tensor<f32>, %z: tensor<f32>):\n"
      "    %0 = stablehlo.multiply %x, %z : tensor<f32>\n"
      "    kernel.yield %0, %x : tensor<f32>, tensor<f32>\n  } combine {\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
      "    %0 = stablehlo.add %a, %c : tensor<f32>\n"
      "    %1 = stablehlo.add %b, %d : tensor<f32>\n"
      "    kernel.yield %0, %1 : tensor<f32>, tensor<f32>\n  }\n";
  auto results = runKernel({},
                           {{"in", Array::of("f32", {n, m}, x), {}, ""},
                            {"in", Array::of("f32", {n}, z), {}, ""},
                            {"in", Array::of("f32", {}, std::vector<float>{0.0f}), {}, ""},
                            {"out", Array::of("f32", {m}, std::vector<float>(m)), {}, ""},
                            {"out", Array::of("f32", {m}, std::vector<float>(m)), {}, ""}},
                           stage);
  auto products = results[3].values<float>(), sums = results[4].values<float>();
  auto add = [](float a, float b) { return a + b; };
  for (int c = 0; c < m; ++c) {
    Order ofProducts(add, 8), ofSums(add, 8);
    for (int r = 0; r < n; ++r) {
      ofProducts.add(r, 0, x[r * m + c] * z[r]);
      ofSums.add(r, 0, x[r * m + c]);
    }
    ASSERT_EQ(products[c], ofProducts.result(0)) << c;
    ASSERT_EQ(sums[c], ofSums.result(0)) << c;
  }
}

// Rows of several dimensions are numbered as one where the innermost has no whole vectors, and the
// body's indices follow from the number.
TEST(Reduce, IndicesOfMergedRows) {
  for (const Dims &sizes : {Dims{3, 5, 7, 10}, Dims{2, 9, 15, 130}, Dims{4, 1, 3, 200}}) {
    std::vector<int32_t> x(count(sizes)), expected(sizes[3], 0);
    size_t place = 0;
    for (int i = 0; i < sizes[0]; ++i)
      for (int j = 0; j < sizes[1]; ++j)
        for (int k = 0; k < sizes[2]; ++k)
          for (int c = 0; c < sizes[3]; ++c, ++place) {
            x[place] = int32_t(place * 31 % 977);
            expected[c] += x[place] + i * 1000 + j * 100 + k;
          }
    std::string list = std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
                       std::to_string(sizes[2]) + ", " + std::to_string(sizes[3]);
    std::string stage =
        "  kernel.reduce ins(%a0 : " + buffer(sizes, "i32") + ") inits(%a1 : " + buffer({}, "i32") +
        ") outs(%a2 : " + buffer({sizes[3]}, "i32") + ") sizes = [" + list +
        "] dims = [0, 1, 2] maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {\n"
        "  ^bb0(%x: tensor<i32>):\n"
        "    %i = kernel.index 0 : tensor<i32>\n    %j = kernel.index 1 : tensor<i32>\n"
        "    %k = kernel.index 2 : tensor<i32>\n"
        "    %t = stablehlo.constant dense<1000> : tensor<i32>\n"
        "    %h = stablehlo.constant dense<100> : tensor<i32>\n"
        "    %0 = stablehlo.multiply %i, %t : tensor<i32>\n"
        "    %1 = stablehlo.multiply %j, %h : tensor<i32>\n"
        "    %2 = stablehlo.add %0, %1 : tensor<i32>\n"
        "    %3 = stablehlo.add %2, %k : tensor<i32>\n"
        "    %4 = stablehlo.add %x, %3 : tensor<i32>\n"
        "    kernel.yield %4 : tensor<i32>\n  } combine {\n"
        "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
        "    %0 = stablehlo.add %a, %b : tensor<i32>\n    kernel.yield %0 : tensor<i32>\n  }\n";
    auto results =
        runKernel({},
                  {{"in", Array::of("i32", sizes, x), {}, ""},
                   {"in", Array::of("i32", {}, std::vector<int32_t>{0}), {}, ""},
                   {"out", Array::of("i32", {sizes[3]}, std::vector<int32_t>(sizes[3])), {}, ""}},
                  stage);
    EXPECT_EQ(results[2].values<int32_t>(), expected) << list;
  }
}

// The reduction's own body: inputs that are broadcast along reduced and kept dimensions.
TEST(Reduce, BodyWithBroadcastsAndIndices) {
  constexpr int n = 20, m = 120;
  std::vector<int32_t> x(n * m), row(m), column(n);
  for (int i = 0; i < n * m; ++i)
    x[i] = i * 31 % 977;
  for (int c = 0; c < m; ++c)
    row[c] = c * 5 - 60;
  for (int r = 0; r < n; ++r)
    column[r] = r * r;
  auto stage = [&](const std::string &dims, const std::string &out) {
    return "  kernel.reduce ins(%a0, %a1, %a2 : " + buffer({n, m}, "i32") + ", " +
           buffer({m}, "i32") + ", " + buffer({n}, "i32") + ") inits(%a3 : " + buffer({}, "i32") +
           ") outs(%a4 : " + out + ") sizes = [20, 120] dims = [" + dims +
           "] maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, "
           "affine_map<(d0, d1) -> (d0)>] {\n"
           "  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %z: tensor<i32>):\n"
           "    %i = kernel.index 0 : tensor<i32>\n    %j = kernel.index 1 : tensor<i32>\n"
           "    %0 = stablehlo.multiply %x, %y : tensor<i32>\n"
           "    %1 = stablehlo.multiply %z, %j : tensor<i32>\n"
           "    %2 = stablehlo.add %0, %1 : tensor<i32>\n"
           "    %3 = stablehlo.subtract %2, %i : tensor<i32>\n"
           "    kernel.yield %3 : tensor<i32>\n  } combine {\n"
           "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
           "    %0 = stablehlo.add %a, %b : tensor<i32>\n    kernel.yield %0 : tensor<i32>\n  }\n";
  };
  auto element = [&](int r, int c) { return x[r * m + c] * row[c] + column[r] * c - r; };
  for (std::string dims : {"0", "1", "0, 1"}) {
    bool overRows = dims != "1", overColumns = dims != "0";
    Dims out;
    if (!overRows)
      out.push_back(n);
    if (!overColumns)
      out.push_back(m);
    auto results =
        runKernel({},
                  {{"in", Array::of("i32", {n, m}, x), {}, ""},
                   {"in", Array::of("i32", {m}, row), {}, ""},
                   {"in", Array::of("i32", {n}, column), {}, ""},
                   {"in", Array::of("i32", {}, std::vector<int32_t>{11}), {}, ""},
                   {"out", Array::of("i32", out, std::vector<int32_t>(count(out))), {}, ""}},
                  stage(dims, buffer(out, "i32")));
    std::vector<int32_t> expected(count(out), 11);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < m; ++c)
        expected[!overRows ? r : !overColumns ? c : 0] += element(r, c);
    EXPECT_EQ(results[4].values<int32_t>(), expected) << dims;
  }
}

// The largest element and its index, two outputs that depend on each other.
TEST(Reduce, ArgMax) {
  for (Dims sizes : {Dims{20, 300}, Dims{7, 5}, Dims{1, 128}}) {
    int n = sizes[0], m = sizes[1];
    std::vector<float> x(n * m);
    for (int i = 0; i < n * m; ++i)
      x[i] = float(i * 37 % 101);
    std::string in = buffer(sizes, "f32"), f = buffer({}, "f32"), i = buffer({}, "i32");
    std::string stage =
        "  kernel.reduce ins(%a0 : " + in + ") inits(%a1, %a2 : " + f + ", " + i +
        ") outs(%a3, %a4 : " + buffer({n}, "f32") + ", " + buffer({n}, "i32") + ") sizes = [" +
        std::to_string(n) + ", " + std::to_string(m) +
        "] dims = [1] maps = [affine_map<(d0, d1) -> (d0, d1)>] {\n  ^bb0(%x: tensor<f32>):\n"
        "    %j = kernel.index 1 : tensor<i32>\n"
        "    kernel.yield %x, %j : tensor<f32>, tensor<i32>\n  } combine {\n"
        "  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):\n"
        "    %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    %both = stablehlo.and %eq, %lt : tensor<i1>\n"
        "    %first = stablehlo.or %gt, %both : tensor<i1>\n"
        "    %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>\n"
        "    %k = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>\n"
        "    kernel.yield %v, %k : tensor<f32>, tensor<i32>\n  }\n";
    auto results = runKernel({},
                             {{"in", Array::of("f32", sizes, x), {}, ""},
                              {"in", Array::of("f32", {}, std::vector<float>{-1e30f}), {}, ""},
                              {"in", Array::of("i32", {}, std::vector<int32_t>{0}), {}, ""},
                              {"out", Array::of("f32", {n}, std::vector<float>(n)), {}, ""},
                              {"out", Array::of("i32", {n}, std::vector<int32_t>(n)), {}, ""}},
                             stage);
    auto values = results[3].values<float>();
    auto places = results[4].values<int32_t>();
    for (int r = 0; r < n; ++r) {
      auto row = x.begin() + r * m;
      auto best = std::max_element(row, row + m);
      EXPECT_EQ(values[r], *best);
      EXPECT_EQ(places[r], best - row);
    }
  }
}

} // namespace
