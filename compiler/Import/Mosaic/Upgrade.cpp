// Older versions of Mosaic's serialized form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Upgrade.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace systole {

namespace {

constexpr StringLiteral kSegments = "operandSegmentSizes";

/// One change of an operation's form.
struct Upgrade {
  StringLiteral operation;
  int64_t version; ///< the first one with the new form
  LogicalResult (*apply)(OperationState &state);
};

LogicalResult refuse(OperationState &state, const Twine &reason) {
  return emitError(state.location) << "'" << state.name << "' of an older version " << reason;
}

void setSegments(OperationState &state, ArrayRef<int32_t> sizes) {
  state.attributes.set(kSegments, DenseI32ArrayAttr::get(state.getContext(), sizes));
}

/// Operands of a new kind were added behind all others.
template <unsigned Before> LogicalResult addSegment(OperationState &state) {
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(state.attributes.get(kSegments));
  if (!sizes || sizes.size() != Before)
    return refuse(state, "expects " + Twine(Before) + " sizes of operands' segments");
  SmallVector<int32_t> more(sizes.asArrayRef());
  more.push_back(0);
  setSegments(state, more);
  return success();
}

/// The kinds of operands followed from their number.
LogicalResult splitDma(OperationState &state) {
  if (state.operands.size() == 3)
    setSegments(state, {1, 0, 1, 1, 0, 0});
  else if (state.operands.size() == 5)
    setSegments(state, {1, 1, 1, 1, 1, 0});
  else
    return refuse(state, "expects 3 or 5 operands, found " + Twine(state.operands.size()));
  return success();
}

LogicalResult splitSignal(OperationState &state) {
  if (state.operands.size() == 2)
    setSegments(state, {1, 1, 0, 0});
  else if (state.operands.size() == 3)
    setSegments(state, {1, 1, 1, 0});
  else
    return refuse(state, "expects 2 or 3 operands, found " + Twine(state.operands.size()));
  return success();
}

/// A wait for a semaphore and the memory that a copy fills, whose name now is that of another form.
LogicalResult renameWait(OperationState &state) {
  if (state.attributes.get(kSegments) || state.operands.size() != 2)
    return success();
  state.name = OperationName("tpu.wait_dma2", state.getContext());
  state.operands.push_back(state.operands[1]);
  setSegments(state, {1, 1, 1, 0, 0});
  return success();
}

LogicalResult splitWait(OperationState &state) {
  if (state.operands.size() != 3)
    return refuse(state, "expects 3 operands, found " + Twine(state.operands.size()));
  setSegments(state, {1, 1, 1, 0, 0});
  return success();
}

LogicalResult splitCast(OperationState &state) {
  if (state.operands.empty() || state.operands.size() > 2)
    return refuse(state, "expects 1 or 2 operands, found " + Twine(state.operands.size()));
  setSegments(state, {1, int32_t(state.operands.size()) - 1, 0});
  return success();
}

/// One dimension became a list.
LogicalResult listDimension(OperationState &state) {
  auto dimension = dyn_cast_or_null<IntegerAttr>(state.attributes.get("dimension"));
  if (!dimension || !dimension.getType().isInteger(32))
    return refuse(state, "expects a dimension of type i32");
  int32_t number = dimension.getInt();
  state.attributes.erase("dimension");
  state.attributes.set("dimensions", DenseI32ArrayAttr::get(state.getContext(), {number}));
  return success();
}

/// A list of attributes became an array of integers.
LogicalResult flattenDimensions(OperationState &state) {
  auto list = dyn_cast_or_null<ArrayAttr>(state.attributes.get("reduction_dims"));
  SmallVector<int64_t> dims;
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>())
    if (auto dim = dyn_cast<IntegerAttr>(each); dim && dim.getType().isInteger(64))
      dims.push_back(dim.getInt());
  if (!list || dims.size() != list.size())
    return refuse(state, "expects reduction_dims of type i64");
  state.attributes.set("reduction_dims", DenseI64ArrayAttr::get(state.getContext(), dims));
  return success();
}

/// Attributes that an older version does not have are optional in the dialect, and have there the
/// value that it stood for. Those of one operation are in the order of versions.
constexpr Upgrade kUpgrades[] = {
    {"tpu.dynamic_gather", 5, listDimension},
    {"tpu.enqueue_dma", 2, splitDma},
    {"tpu.enqueue_dma", 14, addSegment<6>},
    {"tpu.iota", 6, listDimension},
    {"tpu.reinterpret_cast", 15, splitCast},
    {"tpu.sem_signal", 2, splitSignal},
    {"tpu.sem_signal", 14, addSegment<4>},
    {"tpu.wait_dma", 12, renameWait},
    {"tpu.wait_dma", 14, addSegment<6>},
    {"tpu.wait_dma2", 7, splitWait},
    {"vector.multi_reduction", 3, flattenDimensions},
};

} // namespace

LogicalResult upgradeMosaic(OperationState &state, int64_t version) {
  for (const Upgrade &upgrade : kUpgrades)
    if (version < upgrade.version && state.name.getStringRef() == upgrade.operation &&
        failed(upgrade.apply(state)))
      return failure();
  return success();
}

} // namespace systole
