// NumPy's .npy format: one array, a textual header before its bytes.
//
// Versions 1 to 3 are read. The bytes are untrusted: the result is an array
// or an InvalidArgument with the reason.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_NPY_H
#define SYSTOLE_RUNTIME_DEVICE_NPY_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"

namespace systole {

// The source of the bytes of a .npy.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  // Fills `to` with up to `count` bytes; the number read, 0 at the end.
  virtual absl::StatusOr<size_t> read(uint8_t *to, size_t count) = 0;
};

struct NpyHeader {
  std::string descr; // NumPy's type string, "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> dims;
};

// Reads the header; the source is then at the first byte of the data.
absl::StatusOr<NpyHeader> readNpyHeader(ByteSource &source);

// Reads the data that follows `header` as a row-major array of `dtype`, an
// element type whose NumPy type string the header has. Fails if there are fewer
// or more bytes than the shape needs. Column-major data is reordered.
absl::StatusOr<HostArray> readNpyData(ByteSource &source, const NpyHeader &header,
                                      std::string_view dtype);

// Whether a file with type string `descr` can hold elements of `dtype`. NumPy has no name for
// bf16, which ml_dtypes stores as two opaque bytes, nor for other types of at most 8 bits: one.
bool descrHolds(std::string_view descr, std::string_view dtype);

// The element type of a type string if there is one ("f64" too), else the
// string itself; for messages.
std::string describeDescr(std::string_view descr);

// The first bytes of a .npy file of version 1, up to the data of `array`.
std::string npyHeader(const HostArray &array);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_NPY_H
