// The planes of a tensor in HBM, in order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_PLANES_H
#define SYSTOLE_RUNTIME_DEVICE_PLANES_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Device/HostArray.h"

namespace systole {

// Calls `copy(bytes, plane, planes)` for each of a tensor's planes with its memory, which
// `memoryOf(region)` returns as a span or a status. Stops at the first error. `tensor` has
// passed checkTensor.
template <typename MemoryOf, typename Copy>
absl::Status forEachPlane(const program::Tensor &tensor, MemoryOf memoryOf, Copy copy) {
  const Planes planes = planesOf(tensor);
  for (int plane = 0; plane < planes.count; ++plane) {
    const int32_t region = planes.regions[size_t(plane)];
    auto memory = memoryOf(region);
    if (!memory.ok())
      return memory.status();
    if (int64_t(memory->size()) < planes.rows * isa::kRowBytes)
      return absl::InvalidArgumentError(
          absl::StrCat("region ", region, " is too small for ", typeString(tensor)));
    copy(memory->data(), plane, planes);
  }
  return absl::OkStatus();
}

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_PLANES_H
