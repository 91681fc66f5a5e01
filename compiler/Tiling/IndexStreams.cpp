// How a kernel's arrays of indices share SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/IndexStreams.h"

#include "compiler/Model/MachineModel.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

IndexStreams::IndexStreams(Block &body, int64_t smemWords) : most(indexWords(smemWords)) {
  int64_t residentWords = 0, chunk = 0;
  for (Operation &op : body)
    for (Value value : indexOperands(&op)) {
      // Positions of rank 0 are scalars of the kernel, others from inside it are constants.
      if (!isa<BlockArgument>(value) || typeOf(value).getRank() == 0)
        continue;
      int64_t words = typeOf(value).getNumElements();
      if (words > most) {
        staged.insert(value);
        chunk = most;
      } else if (resident.insert(value)) {
        residentWords += words;
      }
    }
  // The largest ones gain the least by being there at the start.
  SmallVector<Value> bySize(resident.begin(), resident.end());
  llvm::stable_sort(bySize, [](Value a, Value b) {
    return typeOf(a).getNumElements() < typeOf(b).getNumElements();
  });
  while (residentWords + chunk > smemWords && !bySize.empty()) {
    Value largest = bySize.pop_back_val();
    int64_t words = typeOf(largest).getNumElements();
    residentWords -= words;
    chunk = std::max(chunk, words);
    resident.remove(largest);
    staged.insert(largest);
  }
}

int64_t IndexStreams::chunkDimOf(RankedTensorType indices) const {
  int64_t dim = indices.getRank() - 1, words = 1;
  while (dim > 0 && words * indices.getDimSize(dim) <= most)
    words *= indices.getDimSize(dim--);
  return dim;
}

} // namespace systole
