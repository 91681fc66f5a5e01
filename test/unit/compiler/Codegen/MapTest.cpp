// Maps with all combinations of shapes, broadcasts and indices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

#include <random>

using namespace systole::test;

namespace {

struct Input {
  Dims dims;
  std::vector<int> from; // dimension of the space by dimension of the input; -1 for index 0
  std::string dtype;
  std::vector<int32_t> values;
};

std::string affineMap(size_t rank, const std::vector<int> &from) {
  std::string dims, results;
  for (size_t d = 0; d < rank; ++d)
    dims += (d ? ", d" : "d") + std::to_string(d);
  for (size_t i = 0; i < from.size(); ++i)
    results += (i ? ", " : "") + (from[i] < 0 ? "0" : "d" + std::to_string(from[i]));
  return "affine_map<(" + dims + ") -> (" + results + ")>";
}

Array arrayOf(const Input &input) {
  if (input.dtype == "i32")
    return Array::of(input.dtype, input.dims, input.values);
  if (input.dtype == "i16")
    return Array::of(input.dtype, input.dims,
                     std::vector<int16_t>(input.values.begin(), input.values.end()));
  return Array::of(input.dtype, input.dims,
                   std::vector<int8_t>(input.values.begin(), input.values.end()));
}

// The size of a tensor of 32-bit elements in VMEM, of which a test uses a share.
int64_t paddedBytes(const Dims &dims) {
  int64_t lanes = dims.empty() ? 1 : dims.back();
  return count(dims) / lanes * ((lanes + 127) / 128) * 512;
}
constexpr int64_t maxBytes = 3 << 20;

class RandomMap : public testing::TestWithParam<int> {};

// out(i) = sum over inputs k of (k + 2) * input_k(map_k(i)) + sum over dimensions d of 1000^d * i_d
TEST_P(RandomMap, ReachesEveryElement) {
  std::mt19937 random(GetParam());
  auto pick = [&](int n) { return int(random() % n); };
  const std::vector<int64_t> extents{1, 2, 3, 7, 8, 9, 16, 17, 127, 128, 129, 200, 260};
  Dims shape;
  do {
    shape.assign(pick(5), 1);
    for (int64_t &extent : shape)
      extent = extents[pick(extents.size())];
  } while (count(shape) > 60000 || paddedBytes(shape) > maxBytes);
  int rank = shape.size();

  std::vector<Input> inputs(pick(4));
  for (Input &input : inputs) {
    input.dtype = std::vector<std::string>{"i32", "i16", "i8"}[pick(3)];
    std::vector<int> dims;
    for (int d = 0; d < rank; ++d)
      if (pick(3))
        dims.push_back(d);
    // Outer dimensions in any order; the last one can only remain last.
    bool keepsLast = !dims.empty() && dims.back() == rank - 1;
    std::shuffle(dims.begin(), dims.end() - keepsLast, random);
    for (int d : dims) {
      if (pick(6) == 0) {
        input.from.push_back(-1);
        input.dims.push_back(1 + pick(3));
      }
      input.from.push_back(d);
      input.dims.push_back(shape[d]);
    }
    if (!keepsLast && pick(3) == 0) {
      input.from.push_back(-1);
      input.dims.push_back(1 + pick(130));
    }
    // Without the last dimension another one may be along the lanes, or none.
    if (paddedBytes(input.dims) > maxBytes) {
      input.from.clear();
      input.dims.clear();
    }
    for (int64_t i = 0; i < count(input.dims); ++i)
      input.values.push_back(int8_t(random()));
  }
  std::vector<bool> indexed;
  for (int d = 0; d < rank; ++d)
    indexed.push_back(pick(3) == 0);

  std::string names, types, maps, arguments,
      body = "    %s = stablehlo.constant dense<5> : tensor<i32>\n";
  std::string sum = "%s";
  auto add = [&](const std::string &name, const std::string &value, int64_t factor) {
    body += "    %f" + name + " = stablehlo.constant dense<" + std::to_string(factor) +
            "> : tensor<i32>\n    %m" + name + " = stablehlo.multiply " + value + ", %f" + name +
            " : tensor<i32>\n    %s" + name + " = stablehlo.add " + sum + ", %m" + name +
            " : tensor<i32>\n";
    sum = "%s" + name;
  };
  std::vector<Operand> operands;
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::string n = std::to_string(k), comma = k ? ", " : "";
    names += comma + "%a" + n;
    types += comma + buffer(inputs[k].dims, inputs[k].dtype);
    maps += comma + affineMap(rank, inputs[k].from);
    arguments += comma + "%x" + n + ": tensor<" + inputs[k].dtype + ">";
    body += "    %w" + n + " = stablehlo.convert %x" + n + " : (tensor<" + inputs[k].dtype +
            ">) -> tensor<i32>\n";
    add(n, "%w" + n, k + 2);
    operands.push_back({"in", arrayOf(inputs[k]), {}, ""});
  }
  int64_t factor = 1;
  for (int d = 0; d < rank; ++d, factor *= 1000) {
    if (!indexed[d])
      continue;
    std::string n = "i" + std::to_string(d);
    body += "    %" + n + " = kernel.index " + std::to_string(d) + " : tensor<i32>\n";
    add(n, "%" + n, int32_t(factor));
  }
  body += "    kernel.yield " + sum + " : tensor<i32>\n";
  operands.push_back({"out", Array::of("i32", shape, std::vector<int32_t>(count(shape))), {}, ""});
  std::string ins = inputs.empty() ? "" : names + " : " + types;
  std::string stage = "  kernel.map ins(" + ins + ") outs(%a" + std::to_string(inputs.size()) +
                      " : " + buffer(shape, "i32") + ") maps = [" + maps + "] {\n" +
                      (inputs.empty() ? "" : "  ^bb0(" + arguments + "):\n") + body + "  }\n";
  auto y = runKernel({}, operands, stage).back().values<int32_t>();

  Dims index(rank, 0);
  for (int64_t e = 0; e < count(shape); ++e) {
    uint32_t expected = 5;
    for (size_t k = 0; k < inputs.size(); ++k) {
      int64_t at = 0;
      for (size_t i = 0; i < inputs[k].dims.size(); ++i)
        at = at * inputs[k].dims[i] + (inputs[k].from[i] < 0 ? 0 : index[inputs[k].from[i]]);
      expected += uint32_t(k + 2) * uint32_t(inputs[k].values[at]);
    }
    uint32_t weight = 1;
    for (int d = 0; d < rank; ++d, weight *= 1000)
      if (indexed[d])
        expected += weight * uint32_t(index[d]);
    ASSERT_EQ(uint32_t(y[e]), expected) << "element " << e << "\n" << stage;
    for (int d = rank - 1; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMap, testing::Range(0, 150));

// Two results at once, one of them over an input.
TEST(Map, SeveralOutputsAndInPlace) {
  Dims dims{9, 130};
  std::vector<int32_t> x(count(dims));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = i;
  std::string type = buffer(dims, "i32"), identity = "affine_map<(d0, d1) -> (d0, d1)>";
  std::string body = "  kernel.map ins(%a0 : " + type + ") outs(%a0, %a1 : " + type + ", " + type +
                     ") maps = [" + identity +
                     "] {\n  ^bb0(%x: tensor<i32>):\n"
                     "    %d = stablehlo.add %x, %x : tensor<i32>\n"
                     "    %n = stablehlo.negate %x : tensor<i32>\n"
                     "    kernel.yield %d, %n : tensor<i32>, tensor<i32>\n  }\n";
  auto results = runKernel(
      {},
      {{"inout", Array::of("i32", dims, x), {}, ""}, {"out", Array::of("i32", dims, x), {}, ""}},
      body);
  auto doubled = results[0].values<int32_t>(), negated = results[1].values<int32_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(doubled[i], 2 * x[i]);
    ASSERT_EQ(negated[i], -x[i]);
  }
}

// Narrow rows share physical rows: in place, with groups of lanes as iterations, an iteration loads
// next to elements that another one has just stored.
TEST(MapInPlace, NarrowRowsOfSeveralGroups) {
  for (std::string dtype : {"i16", "i8"}) {
    Dims dims{24, 1300};
    std::vector<int8_t> x;
    for (int64_t i = 0; i < count(dims); ++i)
      x.push_back(int8_t(i % 100));
    std::string type = "tensor<" + dtype + ">";
    std::string body = mapStage(dims, {"%a0"}, {dtype}, "%a0", dtype,
                                "    %i = kernel.index 0 : tensor<i32>\n"
                                "    %c = stablehlo.convert %i : (tensor<i32>) -> " +
                                    type + "\n    %r = stablehlo.add %x0, %c : " + type +
                                    "\n    kernel.yield %r : " + type + "\n");
    std::vector<int32_t> expected(x.begin(), x.end());
    for (int64_t i = 0; i < count(dims); ++i)
      expected[i] += i / dims[1];
    auto run = [&]<typename T>(T) {
      auto results = runKernel(
          {}, {{"inout", Array::of(dtype, dims, std::vector<T>(x.begin(), x.end())), dims, ""}},
          body);
      EXPECT_EQ(results[0].template values<T>(), std::vector<T>(expected.begin(), expected.end()));
    };
    dtype == "i16" ? run(int16_t()) : run(int8_t());
  }
}

} // namespace
