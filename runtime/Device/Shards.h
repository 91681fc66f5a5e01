// Arrays that are divided among the cores of a slice, on the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_SHARDS_H
#define SYSTOLE_RUNTIME_DEVICE_SHARDS_H

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "dialects/Machine/Program/Shards.h"
#include "runtime/Device/HostArray.h"

namespace systole {

// The part of a core, of the whole array of a tensor that is divided.
HostArray shardOf(const HostArray &whole, const program::Tensor &tensor, int core);

// Makes the whole array of the parts that cores have. Of a tensor that is not divided these are the
// array itself.
class ShardAssembler {
public:
  // The tensor must outlive it.
  explicit ShardAssembler(const program::Tensor &tensor) : tensor(tensor) {}

  // The part of the next core. InvalidArgument that names both, if a core before has the same part
  // with other bits.
  absl::Status add(const HostArray &part);
  HostArray take() && { return std::move(whole); }

private:
  const program::Tensor &tensor;
  HostArray whole;
  std::map<std::vector<int64_t>, int> firstCores; // by position
  int nextCore = 0;
};

// Unimplemented for the sum of partial sums that cores have: arrays of files are whole, or parts of
// wholes.
absl::Status checkNoTerms(const program::Tensor &tensor);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_SHARDS_H
