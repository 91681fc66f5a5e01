// Lists of devices that StableHLO's communication names.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Devices.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::stablehlo {

/// Pads the rows of smaller groups.
static constexpr int64_t kNoDevice = -1;

SmallVector<int64_t> numbersOf(DenseIntElementsAttr list) {
  int64_t count = list.isSplat() ? std::min<int64_t>(list.size(), 4) : list.size();
  auto values = list.value_begin<int64_t>();
  return SmallVector<int64_t>(values, values + count);
}

FailureOr<int64_t> checkDevices(const Refusal &refuse, StringRef name, ArrayRef<int64_t> devices,
                                bool isFilledUp) {
  llvm::DenseSet<int64_t> seen;
  for (int64_t device : devices) {
    if (isFilledUp && device == kNoDevice)
      continue;
    if (device < 0)
      return refuse("cannot name device ", device, " in ", name);
    if (!seen.insert(device).second)
      return refuse("names device ", device, " twice in ", name);
  }
  return seen.size();
}

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   int64_t size) {
  if (size > 0)
    return success();
  return emitError() << "axis '" << name << "' of a mesh has size " << size;
}

/// The size of an axis of a mesh, or of the part that is named; unknown if it has none.
static std::optional<int64_t> sizeOf(AxisRefAttr axis, MeshAttr mesh) {
  const auto *named = llvm::find_if(
      mesh.getAxes(), [&](MeshAxisAttr each) { return each.getName() == axis.getName(); });
  if (named == mesh.getAxes().end())
    return std::nullopt;
  return axis.getSubAxisInfo() ? axis.getSubAxisInfo().getSize() : named->getSize();
}

LogicalResult ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               Attribute mesh, ArrayAttr axes) {
  if (!isa<FlatSymbolRefAttr, MeshAttr>(mesh))
    return emitError() << "requires a mesh or the symbol of one, but it is " << mesh;
  for (Attribute each : axes) {
    auto axis = dyn_cast<AxisRefAttr>(each);
    if (!axis)
      return emitError() << "requires names of axes, but one is " << each;
    if (auto of = dyn_cast<MeshAttr>(mesh); of && !sizeOf(axis, of))
      return emitError() << "names the axis '" << axis.getName() << "', which the mesh lacks";
  }
  return success();
}

uint64_t devicesOf(MeshAttr mesh) {
  uint64_t devices = 1;
  for (MeshAxisAttr axis : mesh.getAxes())
    devices = llvm::SaturatingMultiply<uint64_t>(devices, axis.getSize());
  return devices;
}

std::optional<int64_t> groupSizeOf(Attribute groups) {
  if (auto lists = dyn_cast<DenseIntElementsAttr>(groups))
    return lists.getType().getDimSize(1);
  auto along = cast<ReplicaGroupMeshAxesAttr>(groups);
  auto mesh = dyn_cast<MeshAttr>(along.getMesh());
  if (!mesh)
    return std::nullopt;
  int64_t size = 1;
  for (auto axis : along.getAxes().getAsRange<AxisRefAttr>())
    if (llvm::MulOverflow(size, *sizeOf(axis, mesh), size))
      return std::nullopt;
  return size;
}

LogicalResult checkMeshSymbol(Operation *op, Attribute groups, SymbolTableCollection &symbols) {
  auto along = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  auto symbol = along ? dyn_cast<FlatSymbolRefAttr>(along.getMesh()) : FlatSymbolRefAttr();
  if (!symbol || symbols.lookupNearestSymbolFrom(op, symbol))
    return success();
  return Refusal(op)("names the mesh ", symbol, " in replica_groups, which there is not");
}

LogicalResult checkDevicePairs(const Refusal &refuse, DenseIntElementsAttr pairs) {
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return refuse("requires source_target_pairs to have two columns, but they are of type ", type);
  SmallVector<int64_t> ends[2];
  for (auto [i, device] : llvm::enumerate(numbersOf(pairs)))
    ends[i % 2].push_back(device);
  for (int i : {0, 1})
    if (failed(checkDevices(
            refuse, i == 0 ? "sources of source_target_pairs" : "targets of source_target_pairs",
            ends[i], /*isFilledUp=*/false)))
      return failure();
  return success();
}

} // namespace systole::stablehlo
