// Contractions over linear index maps, compared with sums by definition. All values are small
// integers, so that every sum is exact.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace systole::test;

namespace {

/// A linear map: for each result the coefficient of each dimension.
using Map = std::vector<Dims>;

struct Contraction {
  std::string name;
  Dims sizes, lhs, rhs, out;
  Map lhsMap, rhsMap, outMap;
};

std::string text(const Map &map, size_t dims) {
  std::ostringstream s;
  s << "affine_map<(";
  for (size_t d = 0; d < dims; ++d)
    s << (d ? ", " : "") << "d" << d;
  s << ") -> (";
  for (size_t r = 0; r < map.size(); ++r) {
    s << (r ? ", " : "") << "0";
    for (size_t d = 0; d < dims; ++d)
      if (map[r][d])
        s << " + d" << d << " * " << map[r][d];
  }
  s << ")>";
  return s.str();
}

int64_t offsetOf(const Map &map, const Dims &index, const Dims &shape) {
  int64_t offset = 0;
  for (size_t r = 0; r < shape.size(); ++r) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += map[r][d] * index[d];
    offset = offset * shape[r] + at;
  }
  return offset;
}

std::vector<float> numbers(int64_t size, int seed) {
  std::vector<float> values(size);
  for (int64_t i = 0; i < size; ++i)
    values[i] = float((i * 7 + i / 5 * seed) % 9 - 4);
  return values;
}

std::vector<float> expected(const Contraction &c, const std::vector<float> &lhs,
                            const std::vector<float> &rhs, std::vector<float> out) {
  Dims index(c.sizes.size(), 0);
  for (int64_t i = 0; i < count(c.sizes); ++i) {
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = rest % c.sizes[d];
      rest /= c.sizes[d];
    }
    out[offsetOf(c.outMap, index, c.out)] +=
        lhs[offsetOf(c.lhsMap, index, c.lhs)] * rhs[offsetOf(c.rhsMap, index, c.rhs)];
  }
  return out;
}

std::string stage(const Contraction &c, bool accumulate, int precision) {
  std::ostringstream s;
  s << "  kernel.contract %a0, %a1 into %a2 " << (accumulate ? "accumulate " : "") << "sizes = [";
  for (size_t d = 0; d < c.sizes.size(); ++d)
    s << (d ? ", " : "") << c.sizes[d];
  s << "] lhs " << text(c.lhsMap, c.sizes.size()) << " rhs " << text(c.rhsMap, c.sizes.size())
    << " out " << text(c.outMap, c.sizes.size()) << " {precision = " << precision
    << " : i32} : " << buffer(c.lhs, "f32") << ", " << buffer(c.rhs, "f32") << ", "
    << buffer(c.out, "f32") << "\n";
  return s.str();
}

/// n x h x w x ci with windows of kh x kw, strides and dilations of rows and columns.
Contraction convolution(std::string name, Dims image, Dims window, int64_t co, Dims stride,
                        Dims dilation, bool transposed = false) {
  Dims result = {image[0], 0, 0, co};
  for (int d = 0; d < 2; ++d)
    result[d + 1] = (image[d + 1] - (window[d] - 1) * dilation[d] - 1) / stride[d] + 1;
  Dims rhs = {window[0], window[1], image[3], co};
  // d: n, oh, ow, kh, kw, ci, co
  Map rhsMap = {
      {0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1}};
  if (transposed) {
    std::swap(rhs[2], rhs[3]);
    std::swap(rhsMap[2], rhsMap[3]);
  }
  return {
      std::move(name),
      {image[0], result[1], result[2], window[0], window[1], image[3], co},
      image,
      rhs,
      result,
      {{1, 0, 0, 0, 0, 0, 0},
       {0, stride[0], 0, dilation[0], 0, 0, 0},
       {0, 0, stride[1], 0, dilation[1], 0, 0},
       {0, 0, 0, 0, 0, 1, 0}},
      rhsMap,
      {{1, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1}}};
}

std::vector<Contraction> contractions() {
  std::vector<Contraction> all;
  all.push_back(convolution("plain", {2, 6, 10, 8}, {3, 3}, 16, {1, 1}, {1, 1}));
  all.push_back(convolution("strides", {1, 9, 20, 5}, {2, 3}, 7, {2, 3}, {1, 1}));
  all.push_back(convolution("dilations", {3, 11, 9, 3}, {3, 2}, 130, {1, 2}, {2, 3}));
  all.push_back(convolution("deep", {1, 5, 9, 130}, {3, 1}, 140, {1, 1}, {1, 1}));
  all.push_back(convolution("transposed", {1, 5, 7, 140}, {2, 2}, 150, {1, 1}, {1, 1}, true));
  all.push_back(convolution("batch of eight", {8, 5, 5, 20}, {3, 3}, 40, {1, 1}, {1, 1}));
  all.push_back(convolution("one result", {1, 3, 3, 1}, {3, 3}, 1, {1, 1}, {1, 1}));
  all.push_back(convolution("many rows", {3, 30, 34, 4}, {2, 3}, 5, {1, 1}, {1, 1}));
  // Groups of channels: d: g, row, tap, ci, co.
  all.push_back({"groups",
                 {5, 9, 3, 4, 6},
                 {11, 5, 4},
                 {5, 3, 4, 6},
                 {9, 5, 6},
                 {{0, 1, 1, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}},
                 {{1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}},
                 {{0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}});
  // Batches for the MXUs to divide, nine of them along two dimensions: d: a, b, row, k, n.
  all.push_back({"odd products",
                 {3, 3, 20, 8, 16},
                 {3, 3, 20, 8},
                 {5, 3, 8, 16},
                 {3, 3, 20, 16},
                 {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}},
                 {{2, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}},
                 {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 0, 1}}});
  // A weight gradient: d: box, kh, kw, h, w, co, ci. k is 3 rows of 12, in groups of eight: 16
  // lanes for each.
  all.push_back({"runs of k",
                 {4, 3, 2, 3, 12, 20, 130},
                 {4, 20, 44},
                 {14, 13, 130},
                 {3, 2, 20, 130},
                 {{1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 16, 1, 0, 0}},
                 {{3, 1, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 1}},
                 {{0, 1, 0, 0, 0, 0, 0},
                  {0, 0, 1, 0, 0, 0, 0},
                  {0, 0, 0, 0, 0, 1, 0},
                  {0, 0, 0, 0, 0, 0, 1}}});
  return all;
}

class Contract : public testing::TestWithParam<Contraction> {};

std::vector<float> run(const Contraction &c, const std::vector<float> &lhs,
                       const std::vector<float> &rhs, const std::vector<float> &out,
                       bool accumulate, int precision, const systole::codegen::Machine &machine) {
  std::vector<Operand> operands = {{"in", Array::of("f32", c.lhs, lhs), c.lhs, ""},
                                   {"in", Array::of("f32", c.rhs, rhs), c.rhs, ""},
                                   {"inout", Array::of("f32", c.out, out), c.out, ""}};
  return runKernel({}, operands, stage(c, accumulate, precision), machine)[2].values<float>();
}

TEST_P(Contract, SumsProducts) {
  const Contraction &c = GetParam();
  std::vector<float> lhs = numbers(count(c.lhs), 3), rhs = numbers(count(c.rhs), 2);
  std::vector<float> zeros(count(c.out)), ones(count(c.out), 1);
  std::vector<float> sums = expected(c, lhs, rhs, zeros);
  systole::codegen::Machine two = v3(), one = v3();
  one.mxu.count = 1;
  EXPECT_EQ(run(c, lhs, rhs, ones, false, 1, two), sums);
  EXPECT_EQ(run(c, lhs, rhs, ones, false, 1, one), sums);
  EXPECT_EQ(run(c, lhs, rhs, ones, false, 6, two), sums);
  EXPECT_EQ(run(c, lhs, rhs, ones, true, 1, two), expected(c, lhs, rhs, ones));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Contract, testing::ValuesIn(contractions()), [](const auto &info) {
  std::string name = info.param.name;
  for (char &letter : name)
    letter = letter == ' ' ? '_' : letter;
  return name;
});

} // namespace
