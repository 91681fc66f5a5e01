// Conversion between dense row-major arrays and the device's row-linear layout.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/PackTensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "dialects/Layout/ElementTypes.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {
namespace {

// The dimensions of a tensor, minor-most first, and their strides in the dense
// row-major array, in elements of `words` words each.
struct HostStrides {
  std::vector<int64_t> extents, strides;

  explicit HostStrides(const program::Tensor &tensor, int64_t words = 1) {
    const std::vector<int64_t> dims = lyingDims(tensor);
    std::vector<int64_t> hostStrides(dims.size());
    int64_t stride = words;
    for (size_t dim = dims.size(); dim-- > 0;) {
      hostStrides[dim] = stride;
      stride *= dims[dim];
    }
    assert(tensor.layout().minor_to_major_size() == tensor.dims_size() && "a tensor's layout");
    for (int64_t dim : tensor.layout().minor_to_major()) {
      extents.push_back(dims[dim]);
      strides.push_back(hostStrides[dim]);
    }
    // A scalar is a row of one lane.
    if (extents.empty()) {
      extents.push_back(1);
      strides.push_back(words);
    }
  }

  // Whether elements along the lanes are adjacent on the host.
  bool lanesAreNeighbours() const { return extents[0] == 1 || strides[0] == 1; }
};

// Visits the logical rows of a tensor in order with the positions of their
// elements, which are adjacent there, in the dense row-major array.
class RowWalk {
public:
  RowWalk(const program::Tensor &tensor, const HostStrides &host)
      : shape(rowShapeOf(tensor)), extents(host.extents), strides(host.strides),
        index(extents.size()), logicalRows(shape.logicalRows()) {}

  int64_t rows() const { return logicalRows; }

  struct Row {
    int64_t offset = 0; // of lane 0, in elements of the host array
    int count = 0;      // lanes that hold elements
  };

  // The next logical row; rows of padding have no elements.
  Row next() {
    const RowPadding &padding = shape.padding;
    if (row == shape.rows || number++ % padding.period >= padding.used)
      return {};
    assert(row < shape.rows && "rows behind the last are padding");
    Row result{base + column, static_cast<int>(std::min<int64_t>(kLanes, shape.columns - column))};
    column += kLanes;
    if (column >= shape.columns) {
      column = 0;
      ++row;
      advance();
    }
    return result;
  }

private:
  void advance() {
    for (size_t dim = 1; dim < extents.size(); ++dim) {
      base += strides[dim];
      if (++index[dim] < extents[dim])
        return;
      base -= strides[dim] * extents[dim];
      index[dim] = 0;
    }
  }

  RowShape shape;
  const std::vector<int64_t> &extents, &strides;
  std::vector<int64_t> index;
  int64_t logicalRows = 0;
  int64_t number = 0; // of the logical row
  int64_t row = 0, column = 0, base = 0;
};

// The position of one group of lanes, on the device and on the host.
struct LaneGroup {
  int64_t logicalRow;
  int64_t offset; // of lane 0, in elements of the host array
  int count;      // lanes that hold elements
};

// Visits all groups of lanes of a tensor whose lanes are `host.strides[0]` apart on the
// host. Groups that read adjacent elements there follow each other, so that they share cache
// lines.
template <typename Visit>
void visitAcross(const program::Tensor &tensor, const HostStrides &host, Visit visit) {
  const RowShape shape = rowShapeOf(tensor);
  const auto &[extents, strides] = host;
  if (shape.rows == 0 || shape.columns == 0)
    return;
  // The dimension of adjacent elements, and the number of rows between indices of each dimension.
  size_t near = 0;
  std::vector<int64_t> rowSteps(extents.size(), 1);
  for (size_t dim = 1; dim < extents.size(); ++dim) {
    if (dim > 1)
      rowSteps[dim] = rowSteps[dim - 1] * extents[dim - 1];
    if (extents[dim] > 1 && (near == 0 || strides[dim] < strides[near]))
      near = dim;
  }
  const int64_t neighbours = near ? extents[near] : 1;
  const int64_t nearRows = near ? rowSteps[near] : 0, nearStride = near ? strides[near] : 0;
  assert(shape.rows % neighbours == 0 && "a dimension divides the rows");
  const int64_t groups = shape.rowsPerRow();
  std::vector<int64_t> index(extents.size());
  for (int64_t row = 0, base = 0, left = shape.rows / neighbours; left > 0; --left) {
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t column = group * kLanes;
      const int count = static_cast<int>(std::min<int64_t>(kLanes, shape.columns - column));
      for (int64_t i = 0; i < neighbours; ++i)
        visit(LaneGroup{shape.padding.rowOf((row + i * nearRows) * groups + group),
                        base + column * strides[0] + i * nearStride, count});
    }
    for (size_t dim = 1; dim < extents.size(); ++dim) {
      if (dim == near)
        continue;
      row += rowSteps[dim];
      base += strides[dim];
      if (++index[dim] < extents[dim])
        break;
      row -= rowSteps[dim] * extents[dim];
      base -= strides[dim] * extents[dim];
      index[dim] = 0;
    }
  }
}

// Lane 0 of a logical row; the next lane is 4 / sizeof(T) elements further.
template <typename T> T *firstLane(T *device, int64_t logicalRow) {
  constexpr int packing = 4 / sizeof(T);
  return device + logicalRow / packing * kLanes * packing + logicalRow % packing;
}

// Arrays of the host may begin at any byte.
template <typename T>
void writeAcross(const program::Tensor &tensor, const HostStrides &strides, const uint8_t *host,
                 T *device) {
  constexpr int packing = 4 / sizeof(T);
  const bool predicate = tensor.dtype() == "i1";
  const int64_t stride = strides.strides[0];
  std::fill_n(device, planesOf(tensor).rows * kLanes * packing, T(0));
  visitAcross(tensor, strides, [&](const LaneGroup &group) {
    T *to = firstLane(device, group.logicalRow);
    const uint8_t *from = host + group.offset * sizeof(T);
    for (int lane = 0; lane < group.count; ++lane) {
      T value;
      std::memcpy(&value, from + lane * stride * sizeof(T), sizeof(T));
      to[lane * packing] = predicate ? value != 0 : value;
    }
  });
}

template <typename T>
void readAcross(const program::Tensor &tensor, const HostStrides &strides, const T *device,
                uint8_t *host) {
  constexpr int packing = 4 / sizeof(T);
  const int64_t stride = strides.strides[0];
  visitAcross(tensor, strides, [&](const LaneGroup &group) {
    const T *from = firstLane(device, group.logicalRow);
    uint8_t *to = host + group.offset * sizeof(T);
    for (int lane = 0; lane < group.count; ++lane)
      std::memcpy(to + lane * stride * sizeof(T), &from[lane * packing], sizeof(T));
  });
}

// One physical row from the 4 / sizeof(T) logical rows packed in it.
template <typename T> void packTo(std::vector<std::vector<T>> &lanes, uint8_t *device) {
  constexpr int packing = 4 / sizeof(T);
  T cells[kLanes * packing];
  for (int part = 0; part < packing; ++part) {
    const T *from = lanes[part].data();
    for (int lane = 0; lane < kLanes; ++lane)
      cells[lane * packing + part] = from[lane];
  }
  std::memcpy(device, cells, sizeof(cells));
}

template <typename T> void unpackFrom(const uint8_t *device, std::vector<std::vector<T>> &lanes) {
  constexpr int packing = 4 / sizeof(T);
  T cells[kLanes * packing];
  std::memcpy(cells, device, sizeof(cells));
  for (int part = 0; part < packing; ++part) {
    T *to = lanes[part].data();
    for (int lane = 0; lane < kLanes; ++lane)
      to[lane] = cells[lane * packing + part];
  }
}

template <typename T>
void writeRows(const program::Tensor &tensor, const uint8_t *hostBytes, uint8_t *device) {
  constexpr int packing = 4 / sizeof(T);
  const T *host = reinterpret_cast<const T *>(hostBytes);
  const bool predicate = tensor.dtype() == "i1";
  const HostStrides strides(tensor);
  if (!strides.lanesAreNeighbours())
    return writeAcross(tensor, strides, hostBytes, reinterpret_cast<T *>(device));
  RowWalk walk(tensor, strides);
  std::vector<std::vector<T>> lanes(packing, std::vector<T>(kLanes));
  for (int64_t row = 0; row < walk.rows(); row += packing, device += kRowBytes) {
    for (int part = 0; part < packing; ++part) {
      RowWalk::Row where = walk.next();
      const T *from = host + where.offset;
      // A 32-bit row needs no packing and is written in place.
      T *to = packing == 1 ? reinterpret_cast<T *>(device) : lanes[part].data();
      std::memcpy(to, from, where.count * sizeof(T));
      std::memset(to + where.count, 0, (kLanes - where.count) * sizeof(T));
      if (predicate)
        for (int lane = 0; lane < kLanes; ++lane)
          to[lane] = to[lane] != 0;
    }
    if (packing != 1)
      packTo<T>(lanes, device);
  }
}

// Elements of several words plane by plane: adjacent words of a plane are that many words apart on
// the host.
void writePlanes(const program::Tensor &tensor, const uint8_t *hostBytes, uint8_t *device) {
  const Planes planes = planesOf(tensor);
  const HostStrides strides = HostStrides(tensor, /*words=*/planes.count);
  for (int plane = 0; plane < planes.count; ++plane, device += planes.rows * kRowBytes)
    writeAcross(tensor, strides, hostBytes + plane * sizeof(uint32_t),
                reinterpret_cast<uint32_t *>(device));
}

void readPlanes(const program::Tensor &tensor, const uint8_t *device, uint8_t *hostBytes) {
  const Planes planes = planesOf(tensor);
  const HostStrides strides = HostStrides(tensor, /*words=*/planes.count);
  for (int plane = 0; plane < planes.count; ++plane, device += planes.rows * kRowBytes)
    readAcross(tensor, strides, reinterpret_cast<const uint32_t *>(device),
               hostBytes + plane * sizeof(uint32_t));
}

template <typename T>
void readRows(const program::Tensor &tensor, const uint8_t *device, uint8_t *hostBytes) {
  constexpr int packing = 4 / sizeof(T);
  T *host = reinterpret_cast<T *>(hostBytes);
  const HostStrides strides(tensor);
  if (!strides.lanesAreNeighbours())
    return readAcross(tensor, strides, reinterpret_cast<const T *>(device), hostBytes);
  RowWalk walk(tensor, strides);
  std::vector<std::vector<T>> lanes(packing, std::vector<T>(kLanes));
  for (int64_t row = 0; row < walk.rows(); row += packing, device += kRowBytes) {
    if (packing != 1)
      unpackFrom<T>(device, lanes);
    for (int part = 0; part < packing; ++part) {
      RowWalk::Row where = walk.next();
      const T *from = packing == 1 ? reinterpret_cast<const T *>(device) : lanes[part].data();
      T *to = host + where.offset;
      std::memcpy(to, from, where.count * sizeof(T));
    }
  }
}

// Bytes as the device has them, of elements of less than 8 bits.
std::vector<uint8_t> extended(const program::Tensor &tensor, const uint8_t *host) {
  std::vector<uint8_t> bytes(host, host + hostBytes(tensor));
  const int unused = 8 - valueBits(tensor.dtype());
  const bool isSigned = tensor.dtype().starts_with('i');
  for (uint8_t &byte : bytes) {
    const auto moved = uint8_t(byte << unused);
    byte = isSigned ? uint8_t(int8_t(moved) >> unused) : uint8_t(moved >> unused);
  }
  return bytes;
}

} // namespace

void toDevice(const program::Tensor &tensor, const uint8_t *host, uint8_t *device) {
  if (deviceRows(tensor) == 0)
    return;
  switch (*elementBits(tensor.dtype())) {
  case 8:
    if (valueBits(tensor.dtype()) < 8)
      return writeRows<uint8_t>(tensor, extended(tensor, host).data(), device);
    return writeRows<uint8_t>(tensor, host, device);
  case 16:
    return writeRows<uint16_t>(tensor, host, device);
  case 32:
    return writeRows<uint32_t>(tensor, host, device);
  default:
    return writePlanes(tensor, host, device);
  }
}

void fromDevice(const program::Tensor &tensor, const uint8_t *device, uint8_t *host) {
  if (deviceRows(tensor) == 0)
    return;
  switch (*elementBits(tensor.dtype())) {
  case 8:
    readRows<uint8_t>(tensor, device, host);
    if (const int bits = valueBits(tensor.dtype()); bits < 8)
      for (int64_t i = 0, count = hostBytes(tensor); i < count; ++i)
        host[i] &= uint8_t((1 << bits) - 1);
    return;
  case 16:
    return readRows<uint16_t>(tensor, device, host);
  case 32:
    return readRows<uint32_t>(tensor, device, host);
  default:
    return readPlanes(tensor, device, host);
  }
}

} // namespace systole
