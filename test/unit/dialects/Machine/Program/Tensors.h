// Tensors of a program's header, by their fields.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TENSORS_H
#define SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TENSORS_H

#include <string>
#include <vector>

#include "dialects/Machine/Program/program.pb.h"

namespace systole {

inline program::Tensor makeTensor(const std::string &dtype, const std::vector<int64_t> &dims,
                                  const std::vector<int64_t> &minorToMajor, int64_t rowTile = 1) {
  program::Tensor tensor;
  tensor.set_dtype(dtype);
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.mutable_layout()->mutable_minor_to_major()->Assign(minorToMajor.begin(),
                                                            minorToMajor.end());
  if (rowTile != 1)
    tensor.mutable_layout()->set_row_tile(rowTile);
  return tensor;
}

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_DIALECTS_MACHINE_PROGRAM_TENSORS_H
