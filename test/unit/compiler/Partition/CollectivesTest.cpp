// Collective operations on cores of a v3-8: all kinds, groups, element types and odd sizes, against
// what they mean. Sums are in the order of ranks, from the left.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <complex>
#include <functional>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "test/unit/compiler/Partition/SliceRun.h"
#include "gtest/gtest.h"

namespace systole::test {
namespace {

using Groups = std::vector<std::vector<int>>;

const Groups kAll = {{0, 1, 2, 3, 4, 5, 6, 7}};
const Groups kPairs = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
const Groups kColumns = {{0, 2, 4, 6}, {1, 3, 5, 7}};
const Groups kUnordered = {{5, 0, 3, 6}, {7, 1, 2, 4}};
const Groups kThree = {{2, 0, 1}};

template <typename T> struct Element;
template <> struct Element<float> {
  static constexpr const char *name = "f32";
};
template <> struct Element<double> {
  static constexpr const char *name = "f64";
};
template <> struct Element<int32_t> {
  static constexpr const char *name = "i32";
};
template <> struct Element<int64_t> {
  static constexpr const char *name = "i64";
};
template <> struct Element<int8_t> {
  static constexpr const char *name = "i8";
};
template <> struct Element<int16_t> {
  static constexpr const char *name = "i16";
};
template <> struct Element<std::complex<float>> {
  static constexpr const char *name = "complex<f32>";
};

int coresOf(const Groups &groups) {
  int cores = 0;
  for (const auto &group : groups)
    cores += int(group.size());
  return cores;
}

std::string listOf(const Groups &groups) {
  std::vector<std::string> rows;
  for (const auto &group : groups)
    rows.push_back(absl::StrCat("[", absl::StrJoin(group, ", "), "]"));
  return absl::StrCat("replica_groups = dense<[", absl::StrJoin(rows, ", "), "]> : tensor<",
                      groups.size(), "x", groups[0].size(),
                      "xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>");
}

// By core.
template <typename T> using Arrays = std::vector<std::vector<T>>;

template <typename T> Arrays<T> inputs(int cores, size_t size) {
  std::mt19937 random(unsigned(cores) * 1000 + unsigned(size));
  Arrays<T> arrays;
  arrays.resize(size_t(cores), std::vector<T>(size));
  for (auto &array : arrays)
    for (T &value : array)
      if constexpr (std::is_integral_v<T>)
        value = T(random());
      else
        value = T(float(int32_t(random()) >> 8) * 0x1p-12f);
  return arrays;
}

template <typename T>
Arrays<T> run(const std::string &text, const Arrays<T> &arrays, SliceResult *details = nullptr) {
  std::vector<std::vector<Bytes>> arguments;
  for (const auto &array : arrays)
    arguments.push_back({bytesOf(array)});
  SliceResult result = runOnSlice(text, arguments);
  Arrays<T> results;
  for (const auto &core : result.results)
    results.push_back(valuesOf<T>(core[0]));
  if (details)
    *details = std::move(result);
  return results;
}

std::string shaped(std::vector<int64_t> dims, const char *element) {
  return absl::StrCat(absl::StrJoin(dims, "x"), "x", element);
}

template <typename T> void testGather(const Groups &groups, int64_t rows, int64_t columns) {
  SCOPED_TRACE(absl::StrCat(Element<T>::name, " ", rows, "x", columns, " ", listOf(groups)));
  const auto ranks = int64_t(groups[0].size());
  const Arrays<T> x = inputs<T>(coresOf(groups), size_t(rows * columns));
  const std::string in = shaped({rows, columns}, Element<T>::name),
                    out = shaped({rows, ranks * columns}, Element<T>::name);
  const Arrays<T> y = run(
      manualProgram(coresOf(groups), in, out,
                    absl::StrCat("%r = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 1 : i64, ",
                                 listOf(groups), ", use_global_device_ids}> : (tensor<", in,
                                 ">) -> tensor<", out, ">")),
      x);
  ASSERT_EQ(y.size(), x.size());
  for (const auto &group : groups)
    for (int core : group)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t rank = 0; rank < ranks; ++rank)
          for (int64_t column = 0; column < columns; ++column)
            ASSERT_EQ(y[size_t(core)][size_t((row * ranks + rank) * columns + column)],
                      x[size_t(group[size_t(rank)])][size_t(row * columns + column)]);
}

TEST(Collectives, AllGather) {
  testGather<float>(kAll, 8, 128);
  testGather<float>(kAll, 1, 1);
  testGather<float>(kPairs, 3, 7);
  testGather<int32_t>(kColumns, 129, 127);
  testGather<int8_t>(kUnordered, 5, 33);
  testGather<int16_t>(kThree, 7, 1000);
  testGather<int64_t>(kColumns, 4, 5);
  testGather<double>(kPairs, 4, 130);
  testGather<std::complex<float>>(kColumns, 9, 3);
  testGather<float>(kAll, 256, 256); // large: by doubling
}

template <typename T>
void testReduce(const Groups &groups, std::vector<int64_t> dims, const std::string &op = "add") {
  SCOPED_TRACE(absl::StrCat(Element<T>::name, " [", absl::StrJoin(dims, ","), "] ", op, " ",
                            listOf(groups)));
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= dim;
  const Arrays<T> x = inputs<T>(coresOf(groups), size_t(size));
  const std::string type = shaped(dims, Element<T>::name), scalar = Element<T>::name;
  const Arrays<T> y = run(
      manualProgram(coresOf(groups), type, type,
                    absl::StrCat("%r = \"stablehlo.all_reduce\"(%x) <{", listOf(groups),
                                 ", use_global_device_ids}> ({\n^bb0(%p: tensor<", scalar,
                                 ">, %q: tensor<", scalar, ">):\n%s = stablehlo.", op,
                                 " %p, %q : tensor<", scalar, ">\nstablehlo.return %s : tensor<",
                                 scalar, ">\n}) : (tensor<", type, ">) -> tensor<", type, ">")),
      x);
  ASSERT_EQ(y.size(), x.size());
  for (const auto &group : groups) {
    std::vector<T> expected = x[size_t(group[0])];
    for (size_t rank = 1; rank < group.size(); ++rank)
      for (size_t i = 0; i < expected.size(); ++i) {
        const T value = x[size_t(group[rank])][i];
        if (op == "add") {
          if constexpr (std::is_integral_v<T>)
            expected[i] = T(std::make_unsigned_t<T>(expected[i]) + std::make_unsigned_t<T>(value));
          else
            expected[i] = expected[i] + value;
        } else if constexpr (!std::is_same_v<T, std::complex<float>>) {
          expected[i] = op == "maximum" ? std::max(expected[i], value) : expected[i] - value;
        }
      }
    for (int core : group)
      ASSERT_EQ(y[size_t(core)], expected);
  }
}

TEST(Collectives, AllReduce) {
  testReduce<float>(kAll, {8, 128});
  testReduce<float>(kAll, {1});
  testReduce<float>(kPairs, {3, 7});
  testReduce<int32_t>(kColumns, {129, 127});
  testReduce<int8_t>(kUnordered, {5, 33});
  testReduce<int64_t>(kColumns, {4, 5});
  testReduce<double>(kPairs, {4, 130});
  testReduce<std::complex<float>>(kColumns, {9, 3});
  testReduce<float>(kThree, {7, 100}, "maximum");
  // The order of ranks shows.
  testReduce<float>(kUnordered, {4, 6}, "subtract");
  // Large: each core reduces a part, along a dimension or of all elements.
  testReduce<float>(kAll, {256, 256});
  testReduce<float>(kAll, {127, 333}, "subtract");
  testReduce<int32_t>(kThree, {99, 257});
}

// Sums of large arrays are made by halves: by `orders`, of each part of the array, the bits in
// which the ranks differ that add up.
void testHalving(const Groups &groups, std::vector<int64_t> dims,
                 const std::vector<std::vector<int>> &orders) {
  SCOPED_TRACE(absl::StrCat("[", absl::StrJoin(dims, ","), "] ", listOf(groups)));
  const size_t size = size_t(dims[0] * dims[1]), ranks = groups[0].size(),
               blocks = ranks * orders.size();
  const Arrays<float> x = inputs<float>(coresOf(groups), size);
  const std::string type = shaped(dims, "f32");
  const Arrays<float> y =
      run(manualProgram(coresOf(groups), type, type,
                        absl::StrCat("%r = \"stablehlo.all_reduce\"(%x) <{", listOf(groups),
                                     ", use_global_device_ids}> ({\n^bb0(%p: tensor<f32>, %q: "
                                     "tensor<f32>):\n%s = stablehlo.add %p, %q : tensor<f32>\n"
                                     "stablehlo.return %s : tensor<f32>\n}) : (tensor<",
                                     type, ">) -> tensor<", type, ">")),
          x);
  ASSERT_EQ(y.size(), x.size());
  const size_t unit = blocks * 8 * 128, padded = (size + unit - 1) / unit * unit;
  const size_t block = (size_t(dims[0]) % blocks == 0 ? size : padded) / blocks;
  for (const auto &group : groups)
    for (size_t i = 0; i < size; ++i) {
      const std::vector<int> &order = orders[i / block / ranks];
      const size_t place = i / block % ranks;
      size_t owner = 0;
      for (size_t k = 0; k < order.size(); ++k)
        owner |= (place >> (order.size() - 1 - k) & 1) << order[k];
      std::function<float(size_t, size_t)> sum = [&](size_t rank, size_t bits) {
        return bits == 0
                   ? x[size_t(group[rank])][i]
                   : sum(rank, bits - 1) + sum(rank ^ (size_t(1) << order[bits - 1]), bits - 1);
      };
      const float expected = sum(owner, order.size());
      for (int core : group)
        ASSERT_EQ(y[size_t(core)][i], expected) << "core " << core << ", element " << i;
    }
}

TEST(Collectives, AllReduceByHalves) {
  // Cores of a chip first, then along both orders of links.
  testHalving(kAll, {512, 512}, {{0, 2, 1}, {0, 1, 2}});
  testHalving(kAll, {519, 513}, {{0, 2, 1}, {0, 1, 2}});
  testHalving(kColumns, {512, 256}, {{1, 0}, {0, 1}});
  testHalving(kPairs, {256, 256}, {{0}});
  // Exact, so in any order.
  testReduce<int32_t>(kUnordered, {300, 520});
  testReduce<int8_t>(kAll, {1024, 640});
  testReduce<int16_t>(kAll, {700, 770}, "maximum");
  testReduce<float>(kAll, {512, 513}, "maximum");
  testReduce<int64_t>(kColumns, {400, 330});
  testReduce<int32_t>(kThree, {700, 300});
}

template <typename T> void testScatter(const Groups &groups, int64_t rows, int64_t columns) {
  SCOPED_TRACE(absl::StrCat(Element<T>::name, " ", rows, "x", columns, " ", listOf(groups)));
  const auto ranks = int64_t(groups[0].size());
  const Arrays<T> x = inputs<T>(coresOf(groups), size_t(rows * ranks * columns));
  const std::string in = shaped({rows, ranks * columns}, Element<T>::name),
                    out = shaped({rows, columns}, Element<T>::name), scalar = Element<T>::name;
  const Arrays<T> y =
      run(manualProgram(
              coresOf(groups), in, out,
              absl::StrCat("%r = \"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 1 : i64, ",
                           listOf(groups), ", use_global_device_ids}> ({\n^bb0(%p: tensor<", scalar,
                           ">, %q: tensor<", scalar, ">):\n%s = stablehlo.add %p, %q : tensor<",
                           scalar, ">\nstablehlo.return %s : tensor<", scalar, ">\n}) : (tensor<",
                           in, ">) -> tensor<", out, ">")),
          x);
  ASSERT_EQ(y.size(), x.size());
  for (const auto &group : groups)
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          const auto from = size_t((row * ranks + rank) * columns + column);
          T expected = x[size_t(group[0])][from];
          for (size_t other = 1; other < group.size(); ++other)
            expected = T(expected + x[size_t(group[other])][from]);
          ASSERT_EQ(y[size_t(group[size_t(rank)])][size_t(row * columns + column)], expected);
        }
}

TEST(Collectives, ReduceScatter) {
  testScatter<float>(kAll, 16, 128);
  testScatter<float>(kPairs, 1, 1);
  testScatter<float>(kUnordered, 5, 37);
  testScatter<int32_t>(kThree, 100, 200);
}

template <typename T> void testTranspose(const Groups &groups, int64_t rows, int64_t columns) {
  SCOPED_TRACE(absl::StrCat(Element<T>::name, " ", rows, "x", columns, " ", listOf(groups)));
  const auto ranks = int64_t(groups[0].size());
  const Arrays<T> x = inputs<T>(coresOf(groups), size_t(rows * ranks * columns));
  const std::string in = shaped({ranks * rows, columns}, Element<T>::name),
                    out = shaped({rows, ranks * columns}, Element<T>::name);
  const Arrays<T> y = run(
      manualProgram(coresOf(groups), in, out,
                    absl::StrCat("%r = \"stablehlo.all_to_all\"(%x) <{split_dimension = 0 : i64, "
                                 "concat_dimension = 1 : i64, split_count = ",
                                 ranks, " : i64, ", listOf(groups), "}> : (tensor<", in,
                                 ">) -> tensor<", out, ">")),
      x);
  ASSERT_EQ(y.size(), x.size());
  for (const auto &group : groups)
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t other = 0; other < ranks; ++other)
          for (int64_t column = 0; column < columns; ++column)
            ASSERT_EQ(
                y[size_t(group[size_t(rank)])][size_t((row * ranks + other) * columns + column)],
                x[size_t(group[size_t(other)])][size_t((rank * rows + row) * columns + column)]);
}

TEST(Collectives, AllToAll) {
  testTranspose<float>(kAll, 8, 128);
  testTranspose<float>(kPairs, 1, 1);
  testTranspose<int32_t>(kUnordered, 3, 130);
  testTranspose<int8_t>(kThree, 10, 12);
}

TEST(Collectives, Permute) {
  for (const std::vector<int64_t> &dims : {std::vector<int64_t>{8, 128}, {1}, {3, 200}}) {
    int64_t size = 1;
    for (int64_t dim : dims)
      size *= dim;
    const Arrays<float> x = inputs<float>(8, size_t(size));
    const std::string type = shaped(dims, "f32");
    // Cores 3 and 5 get nothing, core 4 keeps its own.
    const std::vector<std::pair<int, int>> pairs = {{0, 1}, {1, 2}, {3, 0}, {4, 4}, {6, 7}, {7, 6}};
    const Arrays<float> y =
        run(manualProgram(8, type, type,
                          absl::StrCat("%r = \"stablehlo.collective_permute\"(%x) "
                                       "<{channel_handle = #stablehlo.channel_handle<handle = 1, "
                                       "type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], "
                                       "[3, 0], [4, 4], [6, 7], [7, 6]]> : tensor<6x2xi64>}> : "
                                       "(tensor<",
                                       type, ">) -> tensor<", type, ">")),
            x);
    Arrays<float> expected(8, std::vector<float>(size_t(size), 0));
    for (auto [source, target] : pairs)
      expected[size_t(target)] = x[size_t(source)];
    EXPECT_EQ(y, expected);
  }
}

TEST(Collectives, Broadcast) {
  const Arrays<float> x = inputs<float>(8, 500);
  const Arrays<float> y =
      run(manualProgram(8, "5x100xf32", "5x100xf32",
                        absl::StrCat("%r = \"stablehlo.collective_broadcast\"(%x) <{",
                                     listOf(kUnordered),
                                     "}> : (tensor<5x100xf32>) -> tensor<5x100xf32>")),
          x);
  for (const auto &group : kUnordered)
    for (int core : group)
      EXPECT_EQ(y[size_t(core)], x[size_t(group[0])]);
}

// Exchanges of different partners one behind the other, in a loop, while cores are not equally
// fast: what is meant for one is not taken for another.
TEST(Collectives, OneBehindTheOther) {
  const std::string body = R"(
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %times = stablehlo.constant dense<5> : tensor<i32>
      %id = stablehlo.partition_id : tensor<ui32>
      %me = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %loop:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4x32xi32>
      cond {
        %more = stablehlo.compare LT, %i, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        // Core c turns c times.
        %slow:2 = stablehlo.while(%j = %zero, %w = %v) : tensor<i32>, tensor<4x32xi32>
        cond {
          %go = stablehlo.compare LT, %j, %me : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %k = stablehlo.add %j, %one : tensor<i32>
          %u = stablehlo.multiply %w, %w : tensor<4x32xi32>
          stablehlo.return %k, %u : tensor<i32>, tensor<4x32xi32>
        }
        %a = "stablehlo.collective_permute"(%slow#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4], [6, 7], [7, 6]]> : tensor<8x2xi64>}> : (tensor<4x32xi32>) -> tensor<4x32xi32>
        %b = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [6, 0], [1, 3], [3, 5], [5, 7], [7, 1]]> : tensor<8x2xi64>}> : (tensor<4x32xi32>) -> tensor<4x32xi32>
        %c = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%p: tensor<i32>, %q: tensor<i32>):
          %s = stablehlo.add %p, %q : tensor<i32>
          stablehlo.return %s : tensor<i32>
        }) : (tensor<4x32xi32>) -> tensor<4x32xi32>
        %n = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %n, %c : tensor<i32>, tensor<4x32xi32>
      }
      %r = stablehlo.add %loop#1, %x : tensor<4x32xi32>)";
  const Arrays<int32_t> x = inputs<int32_t>(8, 128);
  const Arrays<int32_t> y = run(manualProgram(8, "4x32xi32", "4x32xi32", body), x);
  Arrays<int32_t> v = x;
  for (int i = 0; i < 5; ++i) {
    for (int core = 0; core < 8; ++core)
      for (int32_t &value : v[size_t(core)])
        for (int j = 0; j < core; ++j)
          value = int32_t(uint32_t(value) * uint32_t(value));
    Arrays<int32_t> a(8), b(8), c(8);
    for (size_t core = 0; core < 8; ++core)
      a[core ^ 1] = v[core];
    for (size_t core = 0; core < 8; ++core)
      b[(core + 2) % 8] = a[core];
    for (size_t core = 0; core < 8; ++core) {
      c[core] = b[core % 4];
      for (size_t e = 0; e < 128; ++e)
        c[core][e] = int32_t(uint32_t(c[core][e]) + uint32_t(b[core % 4 + 4][e]));
    }
    v = c;
  }
  for (size_t core = 0; core < 8; ++core)
    for (size_t e = 0; e < 128; ++e)
      ASSERT_EQ(y[core][e], int32_t(uint32_t(v[core][e]) + uint32_t(x[core][e])));
}

} // namespace
} // namespace systole::test
