// The number of devices of an HLO sharding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Sharding.h"

#include "llvm/Support/MathExtras.h"

namespace systole::hlo {

static uint64_t times(uint64_t devices, int64_t size) {
  return llvm::SaturatingMultiply<uint64_t>(devices, size > 0 ? size : 1);
}

static uint64_t devicesOf(const NamedShardingProto &sharding) {
  uint64_t devices = 1;
  for (const MeshProto::Axis &axis : sharding.mesh().axes())
    devices = times(devices, axis.size());
  for (const NamedShardingProto &part : sharding.tuple_shardings())
    devices = std::max(devices, devicesOf(part));
  return devices;
}

uint64_t devicesOf(const OpSharding &sharding) {
  uint64_t devices = 1;
  for (int64_t size : sharding.tile_assignment_dimensions())
    devices = times(devices, size);
  for (const OpSharding &part : sharding.tuple_shardings())
    devices = std::max(devices, devicesOf(part));
  return std::max(devices, devicesOf(sharding.named_sharding()));
}

} // namespace systole::hlo
