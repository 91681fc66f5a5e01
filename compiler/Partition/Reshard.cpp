// Between whole tensors, which all cores have, and the parts of cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Reshard.h"

#include "compiler/Partition/PerCore.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include <map>

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

DenseIntElementsAttr groupsAlong(Builder &b, const MeshSharding &sharding, size_t d) {
  const Mesh &mesh = sharding.mesh;
  const int64_t parts = sharding.sharding.parts(d);
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> groups;
  for (int64_t core = 0; core < mesh.size(); ++core) {
    SmallVector<int64_t> others;
    for (const Mesh::Axis &axis : mesh.axes) {
      int64_t coordinate = mesh.coordinate(core, axis.name);
      for (const AxisPart &along : sharding.sharding.dims[d])
        if (along.name == axis.name) {
          const int64_t behind = axis.size / (along.before * along.size);
          coordinate -= coordinate / behind % along.size * behind;
        }
      others.push_back(coordinate);
    }
    auto &group = groups[others];
    group.resize(size_t(parts));
    group[size_t(sharding.sharding.partOf(mesh, core, d))] = core;
  }
  SmallVector<int64_t> numbers;
  for (const auto &[others, group] : groups)
    llvm::append_range(numbers, group);
  return DenseIntElementsAttr::get(
      RankedTensorType::get({int64_t(groups.size()), parts}, b.getI64Type()), numbers);
}

Value gatherParts(OpBuilder &b, Location loc, Value part, const MeshSharding &sharding) {
  for (size_t d = 0; d < sharding.sharding.dims.size(); ++d) {
    const int64_t parts = sharding.sharding.parts(d);
    RankedTensorType type = typeOf(part);
    if (parts == 1 || type.getDimSize(unsigned(d)) == 0)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[d] *= parts;
    part = AllGatherOp::create(b, loc, TypeRange(type.clone(shape)), part, d,
                               groupsAlong(b, sharding, d),
                               ChannelHandleAttr::get(b.getContext(), 1, 1),
                               /*use_global_device_ids=*/true)
               .getResult(0);
  }
  return part;
}

Value takePart(OpBuilder &b, Location loc, Value whole, const MeshSharding &sharding,
               RankedTensorType type) {
  if (!sharding.sharding.isDivided() || typeOf(whole) == type)
    return whole;
  SmallVector<Value> starts;
  for (size_t d = 0; d < sharding.sharding.dims.size(); ++d) {
    SmallVector<int64_t> first;
    for (int64_t core = 0; core < sharding.mesh.size(); ++core)
      first.push_back(sharding.sharding.partOf(sharding.mesh, core, d) *
                      type.getDimSize(unsigned(d)));
    starts.push_back(perCore(b, loc, first));
  }
  return DynamicSliceOp::create(b, loc, type, whole, starts, type.getShape());
}

} // namespace systole::partition
