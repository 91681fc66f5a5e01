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
                                int64_t chunked, int64_t chunk, bool any) {
  if (partials != kLanes && partials != kSublanes * kLanes)
    return emitError() << "expects 128 or 1024 partial results, found " << partials;
  if (tree < -1 || chunked < -1)
    return emitError() << "expects dimensions or -1, found " << tree << " and " << chunked;
  if ((chunked >= 0) != (chunk > 0))
    return emitError() << "expects the size of a chunk where a dimension is chunked, found "
                       << chunk;
  return success();
}
