// The `core` dialect's registration and verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Core/Core.h"

#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole::core;

#include "dialects/Core/CoreDialect.cpp.inc"
#include "dialects/Core/CoreEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Core/CoreTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Core/CoreAttributes.cpp.inc"

void CoreDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Core/CoreTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Core/CoreAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Core/CoreOps.cpp.inc"
      >();
}

LogicalResult DmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, MemorySpace src,
                              MemorySpace dst, int64_t chunk, ArrayRef<int64_t> counts,
                              ArrayRef<int64_t> srcStrides, ArrayRef<int64_t> dstStrides,
                              int64_t arrivalFlag, bool countsWords) {
  constexpr size_t maxLevels = 3;
  if (counts.size() > maxLevels || counts.size() != srcStrides.size() ||
      counts.size() != dstStrides.size())
    return emitError() << "expects up to " << maxLevels
                       << " counts, and as many source and destination strides; found "
                       << counts.size() << ", " << srcStrides.size() << " and "
                       << dstStrides.size();
  if (arrivalFlag < -1 || arrivalFlag >= kSyncFlags)
    return emitError() << "expects an arrival flag of -1 to " << kSyncFlags - 1 << ", found "
                       << arrivalFlag;
  if (arrivalFlag >= 0 && countsWords)
    return emitError() << "expects a copy to another core to count 1 on its flags";
  if (chunk <= 0)
    return emitError() << "expects a positive chunk, found " << chunk;
  for (int64_t count : counts)
    if (count <= 0)
      return emitError() << "expects positive counts, found " << count;
  if (src == MemorySpace::smem || dst == MemorySpace::smem)
    return success();
  auto misaligned = [](int64_t words) { return words % kLanes != 0; };
  if (misaligned(chunk) || llvm::any_of(srcStrides, misaligned) ||
      llvm::any_of(dstStrides, misaligned))
    return emitError() << "expects chunk and strides in multiples of " << kLanes
                       << " words when neither side is SMEM";
  return success();
}

LogicalResult RegionAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 MemorySpace space, int64_t base, int64_t size, StringAttr) {
  if (base < 0 || size < 0)
    return emitError() << "expects base and size of region " << name << " to be at least 0, found "
                       << base << " and " << size;
  return success();
}

#define GET_OP_CLASSES
#include "dialects/Core/CoreOps.cpp.inc"
