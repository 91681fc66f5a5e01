// Element type, shape and layout of an array that a client holds.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_ARRAYTYPE_H
#define SYSTOLE_RUNTIME_CLIENT_ARRAYTYPE_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

// Bytes of an element of `dtype` on the host, as MLIR writes types ("f32", "ui8", "i64",
// "complex<f32>", ...); 0 for types that arrays cannot have.
int64_t elementBytes(std::string_view dtype);

// Immutable. Arrays have the compiler's layout on a device.
class ArrayType {
public:
  // InvalidArgument for an invalid shape, Unimplemented for a type that arrays cannot have.
  // `minorToMajor` is the order of dimensions that a caller asks for; without it the shape decides.
  static absl::StatusOr<std::shared_ptr<const ArrayType>>
  create(std::string_view dtype, std::span<const int64_t> dims,
         std::optional<std::span<const int64_t>> minorToMajor = std::nullopt);

  const std::string &dtype() const { return tensor.dtype(); }
  std::span<const int64_t> dims() const {
    return {tensor.dims().data(), size_t(tensor.dims_size())};
  }
  // The physical order of the dimensions on the device, from minor to major.
  std::span<const int64_t> minorToMajor() const {
    const auto &order = tensor.layout().minor_to_major();
    return {order.data(), size_t(order.size())};
  }
  // "tensor<3x4xf32>", with the layout if that is not the one that the shape decides.
  std::string toString() const;

  int64_t hostBytes() const { return bytesOnHost; }     // dense and row-major
  int64_t deviceBytes() const { return bytesOnDevice; } // with padding
  // Whether `other`, which is of the same element type and shape, is laid out like this.
  bool liesAs(const program::Tensor &other) const;

  // Conversion between the dense row-major form and the device's.
  void toDevice(const uint8_t *host, uint8_t *device) const;
  void fromDevice(const uint8_t *device, uint8_t *host) const;

  friend bool operator==(const ArrayType &a, const ArrayType &b) {
    return a.dtype() == b.dtype() && std::ranges::equal(a.dims(), b.dims()) &&
           std::ranges::equal(a.minorToMajor(), b.minorToMajor());
  }

private:
  ArrayType() = default;

  program::Tensor tensor;
  bool isChosen = false; // the layout, by a caller
  int64_t bytesOnHost = 0, bytesOnDevice = 0;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_ARRAYTYPE_H
