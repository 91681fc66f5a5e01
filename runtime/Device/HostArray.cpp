// How arrays and signature entries are named in messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/HostArray.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/Program/program.pb.h"

namespace systole {

std::string typeString(const HostArray &array) {
  return absl::StrCat(array.dtype, "[", absl::StrJoin(array.dims, ","), "]");
}

std::string typeString(const program::Tensor &tensor) {
  return absl::StrCat(tensor.dtype(), "[", absl::StrJoin(tensor.dims(), ","), "]");
}

} // namespace systole
