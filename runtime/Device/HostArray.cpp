// Names of arrays and signature entries in messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/HostArray.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

template <typename Array> static std::string format(const std::string &dtype, const Array &dims) {
  return absl::StrCat("tensor<", absl::StrJoin(dims, "x"), dims.empty() ? "" : "x", dtype, ">");
}

std::string typeString(const HostArray &array) { return format(array.dtype, array.dims); }

std::string typeString(const program::Tensor &tensor) {
  return format(tensor.dtype(), tensor.dims());
}

} // namespace systole
