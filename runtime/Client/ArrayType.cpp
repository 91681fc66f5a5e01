// Sizes of arrays on the host and on a device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayType.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Device/HostArray.h"

namespace systole {

int64_t elementBytes(std::string_view dtype) { return elementBits(dtype).value_or(0) / 8; }

absl::StatusOr<std::shared_ptr<const ArrayType>>
ArrayType::create(std::string_view dtype, std::span<const int64_t> dims,
                  std::optional<std::span<const int64_t>> minorToMajor) {
  std::shared_ptr<ArrayType> type(new ArrayType);
  program::Tensor &tensor = type->tensor;
  tensor.set_dtype(std::string(dtype));
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  const int64_t bytes = elementBytes(dtype);
  if (bytes == 0)
    return absl::UnimplementedError(
        absl::StrCat("arrays of ", tensor.dtype(), " are not supported"));
  std::optional<int64_t> count = elementCount(dims);
  if (!count)
    return absl::InvalidArgumentError(
        absl::StrCat("shape [", absl::StrJoin(dims, ","), "] is not one of an array"));
  type->bytesOnHost = *count * bytes;
  const std::vector<int64_t> chosen = entryOrder(dims);
  const std::span<const int64_t> order = minorToMajor.value_or(chosen);
  tensor.mutable_layout()->mutable_minor_to_major()->Add(order.begin(), order.end());
  type->isChosen = !std::ranges::equal(order, chosen);
  if (const int64_t tile = entryTile(dims); tile > 1 && !type->isChosen)
    tensor.mutable_layout()->set_row_tile(tile);
  if (absl::Status status = checkTensor(tensor); !status.ok())
    return status;
  type->bytesOnDevice = deviceRows(tensor) * isa::kRowBytes;
  return type;
}

bool ArrayType::liesAs(const program::Tensor &other) const {
  return deviceRows(other) * isa::kRowBytes == bytesOnDevice &&
         std::max<int64_t>(1, other.layout().row_tile()) ==
             std::max<int64_t>(1, tensor.layout().row_tile()) &&
         std::ranges::equal(other.layout().minor_to_major(), minorToMajor());
}

std::string ArrayType::toString() const {
  return isChosen ? absl::StrCat(typeString(tensor), "{", absl::StrJoin(minorToMajor(), ","), "}")
                  : typeString(tensor);
}

void ArrayType::toDevice(const uint8_t *host, uint8_t *device) const {
  if (bytesOnDevice != 0)
    systole::toDevice(tensor, host, device);
}

void ArrayType::fromDevice(const uint8_t *device, uint8_t *host) const {
  if (bytesOnDevice != 0)
    systole::fromDevice(tensor, device, host);
}

} // namespace systole
