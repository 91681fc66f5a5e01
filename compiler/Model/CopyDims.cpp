// The dimensions of a copy within VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyDims.h"

#include <tuple>

namespace systole {

bool isShorter(const CopyDim &a, const CopyDim &b) {
  return std::tie(a.size, a.src, a.dst) < std::tie(b.size, b.src, b.dst);
}

void mergeDims(llvm::SmallVectorImpl<CopyDim> &dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t j = 0; j < dims.size(); ++j)
      if (i != j && dims[i].src == dims[j].src * dims[j].size &&
          dims[i].dst == dims[j].dst * dims[j].size) {
        dims[j].size *= dims[i].size;
        dims.erase(dims.begin() + i);
        i = size_t(-1); // restart: a merged dimension may continue another one
        break;
      }
}

} // namespace systole
