// Packing of tensors against the definition of the row-linear layout, element by element.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Machine/Program/TensorLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "test/unit/dialects/Machine/Program/Tensors.h"

namespace systole {
namespace {

using program::Tensor;

// The byte of device memory at which an element starts, from the layout's
// definition: by its row and lane, then by the packing of its type.
int64_t bytePosition(const Tensor &tensor, std::vector<int64_t> index, int bytes) {
  const auto &order = tensor.layout().minor_to_major();
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  // Several rows side by side.
  if (const int64_t tile = tensor.layout().row_tile(); tile > 1) {
    int64_t &row = index[order[1]], &lane = index[order[0]];
    lane += row % tile * dims[order[0]];
    row /= tile;
    dims[order[0]] *= tile;
    dims[order[1]] /= tile;
  }
  // Groups of lanes, then the rows' dimensions from the innermost on: their extents and the places.
  int64_t c = order.empty() ? 0 : index[order[0]];
  std::vector<int64_t> extents = {order.empty() ? 1 : (dims[order[0]] + 127) / 128};
  std::vector<int64_t> places = {c / 128};
  for (int level = 1; level < order.size(); ++level) {
    extents.push_back(dims[order[level]]);
    places.push_back(index[order[level]]);
  }
  // One of them is longer in memory, so that what it repeats are whole rows of 512 bytes.
  const int64_t packing = 4 / bytes;
  int64_t inner = 1;
  for (size_t level = 0; level + 1 < extents.size() && inner * extents[level] % packing; ++level) {
    int64_t longer = extents[level];
    while (inner * longer % packing)
      ++longer;
    if (5 * (longer - extents[level]) <= longer) {
      extents[level] = longer;
      break;
    }
    inner *= extents[level];
  }
  int64_t logical = 0;
  for (size_t level = extents.size(); level-- > 0;)
    logical = logical * extents[level] + places[level];
  int64_t lane = c % 128;
  switch (bytes) {
  case 4:
    return logical * 512 + lane * 4;
  case 2:
    return logical / 2 * 512 + lane * 4 + (logical % 2 ? 2 : 0);
  default:
    return logical / 4 * 512 + lane * 4 + logical % 4;
  }
}

std::vector<std::vector<int64_t>> someShapes() {
  return {{},          {1},         {7},         {128},          {129},
          {1000},      {1, 1},      {3, 5},      {8, 128},       {9, 300},
          {200, 7},    {0},         {0, 3},      {3, 0},         {2, 3, 4},
          {5, 1, 129}, {2, 0, 3},   {1, 128, 1}, {2, 3, 2, 130}, {2, 2, 2, 2, 3},
          {17, 256},   {2, 7, 100}, {3, 5, 600}, {2, 9, 3, 40}};
}

class PackTensorOf : public testing::TestWithParam<std::string> {};

// Packs numbered elements and unpacks them again.
void expectDefinition(const Tensor &tensor) {
  const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  const int bytes = *elementBits(tensor.dtype()) / 8;
  ASSERT_TRUE(checkTensor(tensor).ok());
  const int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
  ASSERT_EQ(hostBytes(tensor), count * bytes);

  std::vector<uint8_t> host(count * bytes);
  for (size_t at = 0; at < host.size(); ++at)
    host[at] = tensor.dtype() == "i1" ? at % 3 == 0 : at * 37 + at / 256 + 1;
  std::vector<uint8_t> expected(deviceRows(tensor) * 512, 0);
  std::vector<int64_t> index(dims.size());
  for (int64_t element = 0; element < count; ++element) {
    // Of 64 bits, each word in a plane of its own.
    const int words = bytes == 8 ? 2 : 1, wordBytes = bytes / words;
    for (int word = 0; word < words; ++word) {
      int64_t position = bytePosition(tensor, index, wordBytes) +
                         word * static_cast<int64_t>(expected.size()) / words;
      ASSERT_LE(position + wordBytes, static_cast<int64_t>(expected.size()));
      std::copy_n(&host[element * bytes + word * wordBytes], wordBytes, &expected[position]);
    }
    // The next index, the last dimension first.
    for (size_t dim = dims.size(); dim > 0; --dim) {
      if (++index[dim - 1] < dims[dim - 1])
        break;
      index[dim - 1] = 0;
    }
  }

  std::vector<uint8_t> device(expected.size(), 0xee);
  toDevice(tensor, host.data(), device.data());
  EXPECT_EQ(device, expected);
  std::vector<uint8_t> back(host.size(), 0xee);
  fromDevice(tensor, device.data(), back.data());
  EXPECT_EQ(back, host);
}

TEST_P(PackTensorOf, AgreesWithItsDefinition) {
  for (const std::vector<int64_t> &dims : someShapes()) {
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      SCOPED_TRACE(testing::PrintToString(dims) + " in order " + testing::PrintToString(order));
      expectDefinition(makeTensor(GetParam(), dims, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_P(PackTensorOf, PutsPositionsSideBySide) {
  for (const auto &[dims, tile] : {std::pair<std::vector<int64_t>, int64_t>{{6, 64}, 2},
                                   {{3, 5, 8, 32}, 4},
                                   {{3, 1, 2, 64}, 2},
                                   {{7, 4, 30}, 4},
                                   {{7, 4, 100}, 2},
                                   {{0, 4, 64}, 2}}) {
    SCOPED_TRACE(testing::PrintToString(dims) + " by " + std::to_string(tile));
    std::vector<int64_t> order(dims.size());
    std::iota(order.rbegin(), order.rend(), 0);
    expectDefinition(makeTensor(GetParam(), dims, order, tile));
  }
}

INSTANTIATE_TEST_SUITE_P(ElementTypes, PackTensorOf,
                         testing::Values("f32", "i32", "ui32", "bf16", "f16", "i16", "ui16", "i1",
                                         "i8", "ui8", "i64", "ui64"));

TEST(PackTensor, TurnsTrueBytesIntoOne) {
  Tensor tensor = makeTensor("i1", {3}, {0});
  const uint8_t host[] = {0, 255, 2};
  std::vector<uint8_t> device(deviceRows(tensor) * 512);
  toDevice(tensor, host, device.data());
  EXPECT_EQ(device[0], 0);
  EXPECT_EQ(device[4], 1);
  EXPECT_EQ(device[8], 1);
}

} // namespace
} // namespace systole
