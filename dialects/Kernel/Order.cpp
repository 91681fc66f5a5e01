// The order in which a reduction combines its elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace systole;
using namespace systole::kernel;

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                DenseI64ArrayAttr rows, int64_t tree, int64_t partials,
                                DenseI64ArrayAttr chunked, DenseI64ArrayAttr chunk, bool any) {
  if (partials != kLanes && partials != kSublanes * kLanes)
    return emitError() << "expects 128 or 1024 partial results, found " << partials;
  if (tree < -1)
    return emitError() << "expects a dimension or -1 as the tree, found " << tree;
  auto values = [](DenseI64ArrayAttr list) {
    return list ? list.asArrayRef() : ArrayRef<int64_t>();
  };
  if (values(chunked).size() != values(chunk).size())
    return emitError() << "expects the size of a chunk for each dimension in chunks, found "
                       << values(chunk).size() << " for " << values(chunked).size();
  for (auto [dim, size] : llvm::zip_equal(values(chunked), values(chunk)))
    if (dim < 0 || size <= 0 || llvm::count(values(chunked), dim) > 1)
      return emitError() << "expects chunks of at least one index of distinct dimensions, found "
                         << size << " of dimension " << dim;
  return success();
}
