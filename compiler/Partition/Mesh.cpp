// Meshes of cores, and how tensors are divided among them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Mesh.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::partition {

/// The node of an attribute of Shardy of a kind whose name begins so; null for others.
static const coded::Node *nodeOf(Attribute attribute, StringRef kind) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(attribute);
  return coded && coded.node().kind->name.starts_with(kind) ? &coded.node() : nullptr;
}

const Mesh::Axis *Mesh::find(StringRef name) const {
  const auto *axis = llvm::find_if(axes, [&](const Axis &axis) { return axis.name == name; });
  return axis == axes.end() ? nullptr : axis;
}

int64_t Mesh::coordinate(int64_t core, StringRef name) const {
  int64_t position = llvm::find(cores, core) - cores.begin();
  int64_t stride = 1;
  for (const Axis &axis : llvm::reverse(axes)) {
    if (axis.name == name)
      return position / stride % axis.size;
    stride *= axis.size;
  }
  llvm_unreachable("the mesh has the axis");
}

/// The node of a mesh that is given or named.
static FailureOr<const coded::Node *> meshNodeOf(Operation *op, Attribute attribute) {
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute)) {
    Operation *named = SymbolTable::lookupNearestSymbolFrom(op, symbol);
    attribute = named ? named->getAttr("mesh") : Attribute();
    if (!attribute)
      return op->emitError() << "has a sharding on mesh " << symbol << ", which is none";
  }
  const coded::Node *node = nodeOf(attribute, "mesh");
  if (!node || node->kind->name != "mesh" || node->ints.size() < 2)
    return op->emitError() << "has a sharding without a mesh";
  return node;
}

FailureOr<Mesh> meshOf(Operation *op, Attribute attribute) {
  FailureOr<const coded::Node *> found = meshNodeOf(op, attribute);
  if (failed(found))
    return failure();
  const coded::Node *node = *found;
  Mesh mesh;
  int64_t size = 1;
  for (Attribute axis : node->attributes) {
    const coded::Node *named = nodeOf(axis, "mesh_axis");
    if (!named || named->ints.size() != 1 || named->ints[0] < 1)
      return op->emitError() << "has a mesh with an axis that has no size";
    if (llvm::MulOverflow(size, named->ints[0], size))
      return op->emitError() << "has a mesh with more devices than there are numbers";
    if (mesh.find(named->bytes))
      return op->emitError() << "has a mesh with two axes " << named->bytes;
    mesh.axes.push_back({named->bytes, named->ints[0]});
  }
  // The number of axes, the number of devices, and these.
  ArrayRef<int64_t> devices = node->ints.drop_front(2);
  if (!devices.empty() && mesh.axes.empty())
    return emitUnimplemented(op) << "a mesh of one device of several is not supported yet";
  if (!devices.empty() && int64_t(devices.size()) != size)
    return op->emitError() << "has a mesh of " << size << " devices that names " << devices.size();
  if (size > 4096)
    return emitUnimplemented(op) << "a mesh of " << size << " devices is not supported";
  mesh.cores =
      devices.empty() ? llvm::to_vector(llvm::seq<int64_t>(0, size)) : llvm::to_vector(devices);
  SmallVector<int64_t> sorted(mesh.cores);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, size)))
    return op->emitError() << "has a mesh whose devices are not 0 to " << size - 1;
  return mesh;
}

int64_t partsOf(ArrayRef<AxisPart> axes) {
  int64_t parts = 1;
  for (const AxisPart &axis : axes)
    parts *= axis.size;
  return parts;
}

int64_t placeAlong(const Mesh &mesh, ArrayRef<AxisPart> axes, int64_t core) {
  int64_t part = 0;
  for (const AxisPart &axis : axes) {
    const int64_t behind = mesh.find(axis.name)->size / (axis.before * axis.size);
    part = part * axis.size + mesh.coordinate(core, axis.name) / behind % axis.size;
  }
  return part;
}

Sharding Sharding::along(llvm::function_ref<bool(StringRef)> keeps) const {
  Sharding result;
  auto kept = [&](ArrayRef<AxisPart> axes) {
    return llvm::to_vector(
        llvm::make_filter_range(axes, [&](const AxisPart &axis) { return keeps(axis.name); }));
  };
  for (const auto &dim : dims)
    result.dims.push_back(kept(dim));
  result.unreduced = kept(unreduced);
  return result;
}

static FailureOr<AxisPart> axisPart(Operation *op, Attribute attribute, const Mesh &mesh) {
  const coded::Node *node = nodeOf(attribute, "axis_ref");
  const Mesh::Axis *axis = node ? mesh.find(node->bytes) : nullptr;
  if (!axis)
    return op->emitError() << "has a sharding along an axis that its mesh has not";
  AxisPart part{axis->name, 1, axis->size};
  if (Attribute range = node->attributes.empty() ? Attribute() : node->attributes[0]) {
    const coded::Node *numbers = nodeOf(range, "sub_axis_info");
    if (!numbers || numbers->ints.size() != 2 || numbers->ints[0] < 1 || numbers->ints[1] < 1 ||
        axis->size % numbers->ints[0] != 0 || axis->size / numbers->ints[0] % numbers->ints[1] != 0)
      return op->emitError() << "has a sharding along a part of axis " << axis->name
                             << " that does not divide it";
    part.before = numbers->ints[0];
    part.size = numbers->ints[1];
  }
  return part;
}

static bool haveOverlap(ArrayRef<AxisPart> axes) {
  for (auto [number, a] : llvm::enumerate(axes))
    for (const AxisPart &b : axes.drop_front(number + 1))
      if (a.overlaps(b))
        return true;
  return false;
}

FailureOr<Mesh> meshOfSharding(Operation *op, Attribute attribute) {
  const coded::Node *node = nodeOf(attribute, "sharding");
  if (!node || node->attributes.empty())
    return op->emitError() << "has an attribute that is no sharding";
  return meshOf(op, node->attributes[0]);
}

FailureOr<std::optional<int64_t>> onlyDeviceOf(Operation *op, Attribute sharding) {
  const coded::Node *node = nodeOf(sharding, "sharding");
  if (!node || node->attributes.empty())
    return op->emitError() << "has an attribute that is no sharding";
  FailureOr<const coded::Node *> mesh = meshNodeOf(op, node->attributes[0]);
  if (failed(mesh))
    return failure();
  // The number of axes, the number of devices, and these.
  ArrayRef<int64_t> numbers = (*mesh)->ints;
  return (*mesh)->attributes.empty() && numbers.size() == 3 ? std::optional(numbers[2])
                                                            : std::nullopt;
}

FailureOr<MeshSharding> shardingOf(Operation *op, Attribute attribute, int64_t rank) {
  const coded::Node *node = nodeOf(attribute, "sharding");
  // The numbers of dimensions, of replicated and of unreduced axes, and how these are reduced.
  if (!node || node->kind->name.starts_with("sharding_per") || node->attributes.empty() ||
      node->ints.empty())
    return op->emitError() << "has an attribute that is no sharding";
  auto count = [&](size_t number) { return node->ints.size() > number ? node->ints[number] : 0; };
  if (count(3) != 0)
    return emitUnimplemented(op) << "unreduced axes of another reduction than a sum are not"
                                    " supported yet";
  FailureOr<Mesh> mesh = meshOf(op, node->attributes[0]);
  if (failed(mesh))
    return failure();
  MeshSharding result{*std::move(mesh), {}};
  ArrayRef<Attribute> rest = node->attributes.drop_front();
  auto take = [&](int64_t number) {
    ArrayRef<Attribute> list = rest.take_front(std::min(size_t(number), rest.size()));
    rest = rest.drop_front(list.size());
    return list;
  };
  SmallVector<AxisPart> used;
  auto add = [&](ArrayRef<Attribute> axes, SmallVectorImpl<AxisPart> &to) {
    for (Attribute axis : axes) {
      FailureOr<AxisPart> part = axisPart(op, axis, result.mesh);
      if (failed(part))
        return failure();
      to.push_back(*part);
      used.push_back(*part);
    }
    return success();
  };
  ArrayRef<Attribute> dims = take(count(0));
  if (int64_t(dims.size()) != rank)
    return op->emitError() << "has a sharding of " << dims.size()
                           << " dimensions for a tensor of rank " << rank;
  for (Attribute dim : dims) {
    const coded::Node *parts = nodeOf(dim, "dimension_sharding");
    if (!parts)
      return op->emitError() << "has an attribute that is no sharding of a dimension";
    if (failed(add(parts->attributes, result.sharding.dims.emplace_back())))
      return failure();
  }
  SmallVector<AxisPart> replicated;
  if (failed(add(take(count(1)), replicated)) ||
      failed(add(take(count(2)), result.sharding.unreduced)))
    return failure();
  if (haveOverlap(used))
    return op->emitError() << "has a sharding along one axis twice";
  return result;
}

ArrayRef<Attribute> shardingsOf(Attribute perValue) {
  const coded::Node *node = nodeOf(perValue, "sharding_per_value");
  return node ? node->attributes : ArrayRef<Attribute>();
}

SmallVector<StringRef> axisNamesOf(Attribute manualAxes) {
  SmallVector<StringRef> names;
  if (const coded::Node *node = nodeOf(manualAxes, "manual_axes"))
    for (Attribute name : node->attributes)
      if (auto text = dyn_cast<StringAttr>(name))
        names.push_back(text.getValue());
  return names;
}

std::optional<RankedTensorType> paddedPart(RankedTensorType whole, const Sharding &sharding) {
  if (!whole.hasStaticShape() || int64_t(sharding.dims.size()) != whole.getRank())
    return std::nullopt;
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [d, size] : llvm::enumerate(shape))
    size = int64_t(llvm::divideCeil(uint64_t(size), uint64_t(sharding.parts(d))));
  return whole.clone(shape);
}

FailureOr<RankedTensorType> partType(Operation *op, RankedTensorType whole,
                                     const Sharding &sharding) {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [d, size] : llvm::enumerate(shape)) {
    const int64_t parts = sharding.parts(d);
    if (ShapedType::isDynamic(size) && parts > 1)
      return op->emitError() << "divides dimension " << d << " of " << whole
                             << ", whose size is not known";
    if (!ShapedType::isDynamic(size) && size % parts != 0)
      return op->emitError() << "divides dimension " << d << " of " << whole << " into " << parts
                             << " parts, which are not equal";
    size = parts > 1 ? size / parts : size;
  }
  return whole.clone(shape);
}

} // namespace systole::partition
