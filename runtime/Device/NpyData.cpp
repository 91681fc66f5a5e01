// The elements of a .npy file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dialects/Layout/ElementTypes.h"
#include "runtime/Device/Npy.h"

namespace systole {
namespace {

// The size that a file claims is only allocated chunk by chunk, as data arrives.
constexpr size_t kChunk = size_t(64) << 20;

absl::Status readAll(ByteSource &source, size_t size, std::vector<uint8_t> &bytes) {
  size_t have = 0;
  while (have < size) {
    if (have == bytes.size())
      bytes.resize(std::min(size, have + std::max(kChunk, have)));
    absl::StatusOr<size_t> got = source.read(bytes.data() + have, bytes.size() - have);
    if (!got.ok())
      return got.status();
    if (*got == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("it holds ", have, " bytes of data where its shape needs ", size));
    have += *got;
  }
  uint8_t extra;
  absl::StatusOr<size_t> got = source.read(&extra, 1);
  if (!got.ok())
    return got.status();
  if (*got != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("it holds more than the ", size, " bytes of data that its shape needs"));
  return absl::OkStatus();
}

// Column-major to row-major: the reversed dims are the shape in memory.
std::vector<uint8_t> toRowMajor(const std::vector<uint8_t> &from, const std::vector<int64_t> &dims,
                                size_t elementBytes) {
  std::vector<uint8_t> to(from.size());
  std::vector<int64_t> index(dims.size()), strides(dims.size());
  int64_t stride = 1;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    strides[dim] = stride;
    stride *= dims[dim];
  }
  int64_t offset = 0;
  for (size_t at = 0; at < to.size(); at += elementBytes) {
    std::memcpy(&to[at], &from[offset * elementBytes], elementBytes);
    for (size_t dim = dims.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < dims[dim])
        break;
      offset -= strides[dim] * dims[dim];
      index[dim] = 0;
    }
  }
  return to;
}

} // namespace

absl::StatusOr<HostArray> readNpyData(ByteSource &source, const NpyHeader &header,
                                      std::string_view dtype) {
  std::optional<int> bits = elementBits(dtype);
  std::optional<int64_t> count = elementCount(header.dims);
  if (!bits || !descrHolds(header.descr, dtype))
    return absl::InvalidArgumentError(absl::StrCat("its elements are ", describeDescr(header.descr),
                                                   ", not ", std::string(dtype)));
  if (!count)
    return absl::InvalidArgumentError("its shape has more elements than any memory");
  HostArray array{std::string(dtype), header.dims, {}};
  size_t elementBytes = *bits / 8;
  if (absl::Status status = readAll(source, *count * elementBytes, array.bytes); !status.ok())
    return status;
  if (header.fortranOrder && header.dims.size() > 1)
    array.bytes = toRowMajor(array.bytes, header.dims, elementBytes);
  return array;
}

} // namespace systole
