// Shardings while they are propagated: with all that Shardy's attributes say.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/TensorSharding.h"

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole::partition {

TensorSharding TensorSharding::open(const NamedMesh *mesh, size_t rank) {
  TensorSharding sharding;
  sharding.mesh = mesh;
  sharding.dims.resize(rank);
  return sharding;
}

static const coded::Node *nodeOf(Attribute attribute, StringRef kind) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(attribute);
  return coded && coded.node().kind->name == kind ? &coded.node() : nullptr;
}

FailureOr<const NamedMesh *> ShardingCoder::meshOf(Operation *op, Attribute name) {
  if (const NamedMesh *mesh = known.lookup(name))
    return mesh;
  Attribute attribute = name;
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(name)) {
    Operation *named = SymbolTable::lookupNearestSymbolFrom(op, symbol);
    attribute = named ? named->getAttr("mesh") : Attribute();
  }
  const coded::Node *node = nodeOf(attribute, "mesh");
  if (!node || node->ints.size() < 2)
    return op->emitError() << "has a sharding on a mesh that is none";
  NamedMesh mesh{{}, name};
  for (Attribute axis : node->attributes) {
    const coded::Node *named = nodeOf(axis, "mesh_axis");
    if (!named || named->ints.size() != 1 || named->ints[0] < 1)
      return op->emitError() << "has a mesh with an axis that has no size";
    mesh.mesh.axes.push_back({named->bytes, named->ints[0]});
  }
  mesh.mesh.cores.assign(node->ints.drop_front(2));
  auto same = llvm::find_if(meshes, [&](const NamedMesh &other) {
    return other.mesh.cores == mesh.mesh.cores &&
           llvm::equal(other.mesh.axes, mesh.mesh.axes, [](const auto &a, const auto &b) {
             return a.name == b.name && a.size == b.size;
           });
  });
  return known[name] = same == meshes.end() ? &meshes.emplace_back(std::move(mesh)) : &*same;
}

static FailureOr<AxisList> axesOf(Operation *op, ArrayRef<Attribute> axes, const Mesh &mesh) {
  AxisList list;
  for (Attribute attribute : axes) {
    const coded::Node *node = nodeOf(attribute, "axis_ref");
    const Mesh::Axis *axis = node ? mesh.find(node->bytes) : nullptr;
    if (!axis)
      return op->emitError() << "has a sharding along an axis that its mesh has not";
    AxisPart part{axis->name, 1, axis->size};
    if (const coded::Node *range = nodeOf(node->attributes[0], "sub_axis_info")) {
      part.before = range->ints[0];
      part.size = range->ints[1];
      if (part.before < 1 || part.size < 1 || axis->size % part.before != 0 ||
          axis->size / part.before % part.size != 0)
        return op->emitError() << "has a sharding along a part of axis " << axis->name
                               << " that does not divide it";
    }
    if (axis->size != 1)
      list.push_back(part);
  }
  return list;
}

FailureOr<TensorSharding> ShardingCoder::decode(Operation *op, Attribute attribute) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(attribute);
  if (!coded ||
      !llvm::is_contained({"sharding", "sharding_v2", "sharding_v3"}, coded.node().kind->name))
    return op->emitError() << "has an attribute that is no sharding";
  const coded::Node &node = coded.node();
  FailureOr<const NamedMesh *> mesh = meshOf(op, node.attributes[0]);
  if (failed(mesh))
    return failure();
  TensorSharding sharding;
  sharding.mesh = *mesh;
  // Lists of dimensions, of replicated and of unreduced axes, each behind its length.
  ArrayRef<Attribute> rest = node.attributes.drop_front();
  ArrayRef<int64_t> counts = node.ints;
  auto take = [&] {
    ArrayRef<Attribute> list = rest.take_front(size_t(counts.empty() ? 0 : counts.front()));
    rest = rest.drop_front(list.size());
    counts = counts.drop_front(counts.empty() ? 0 : 1);
    return list;
  };
  for (Attribute attribute : take()) {
    const coded::Node *dim = nodeOf(attribute, "dimension_sharding");
    if (!dim || dim->ints.size() != 4)
      return op->emitError() << "has an attribute that is no sharding of a dimension";
    FailureOr<AxisList> axes = axesOf(op, dim->attributes, (*mesh)->mesh);
    if (failed(axes))
      return failure();
    DimSharding &decoded = sharding.dims.emplace_back();
    decoded.axes = *std::move(axes);
    decoded.isClosed = dim->ints[1] != 0;
    // A closed dimension without axes has nothing that could have a priority.
    if (dim->ints[2] != 0 && !(decoded.isClosed && decoded.axes.empty()))
      decoded.priority = dim->ints[3];
  }
  FailureOr<AxisList> replicated = axesOf(op, take(), (*mesh)->mesh);
  FailureOr<AxisList> unreduced = axesOf(op, take(), (*mesh)->mesh);
  if (failed(replicated) || failed(unreduced))
    return failure();
  sharding.replicated = *std::move(replicated);
  sharding.unreduced = *std::move(unreduced);
  if (!counts.empty())
    sharding.reduction = counts.front();
  return sharding;
}

Attribute ShardingCoder::encode(const TensorSharding &sharding, MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<sdy::SdyDialect>();
  auto made = [&](const coded::NodeBuilder &node) { return dialect->attribute(node.node()); };
  auto axis = [&](const AxisPart &part) {
    coded::NodeBuilder node = dialect->builder("axis_ref");
    node.bytes = part.name.str();
    Attribute &range = node.attributes.emplace_back();
    if (part.before != 1 || part.size != sharding.mesh->mesh.find(part.name)->size) {
      coded::NodeBuilder numbers = dialect->builder("sub_axis_info");
      numbers.ints = {part.before, part.size};
      range = made(numbers);
    }
    return made(node);
  };
  const bool isSum = sharding.reduction == 0;
  coded::NodeBuilder node = dialect->builder(sharding.unreduced.empty() ? "sharding"
                                             : isSum                    ? "sharding_v2"
                                                                        : "sharding_v3");
  node.attributes.push_back(sharding.mesh->name);
  node.ints.push_back(int64_t(sharding.dims.size()));
  for (const DimSharding &dim : sharding.dims) {
    coded::NodeBuilder parts = dialect->builder("dimension_sharding");
    for (const AxisPart &part : dim.axes)
      parts.attributes.push_back(axis(part));
    parts.ints = {int64_t(dim.axes.size()), dim.isClosed, dim.priority.has_value(),
                  dim.priority.value_or(0)};
    node.attributes.push_back(made(parts));
  }
  auto append = [&](const AxisList &axes) {
    node.ints.push_back(int64_t(axes.size()));
    for (const AxisPart &part : axes)
      node.attributes.push_back(axis(part));
  };
  append(sharding.replicated);
  if (!sharding.unreduced.empty()) {
    append(sharding.unreduced);
    if (!isSum)
      node.ints.push_back(sharding.reduction);
  }
  return made(node);
}

Attribute ShardingCoder::encode(ArrayRef<TensorSharding> perValue, MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<sdy::SdyDialect>();
  coded::NodeBuilder node = dialect->builder("sharding_per_value");
  node.ints.push_back(int64_t(perValue.size()));
  for (const TensorSharding &sharding : perValue)
    node.attributes.push_back(encode(sharding, context));
  return dialect->attribute(node.node());
}

} // namespace systole::partition
