// Collective operations of HLO. Those of several devices are rejected after the import, together
// with StableHLO's own.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// The device groups of an instruction, flattened.
struct Groups {
  SmallVector<int64_t> devices;
  int64_t count = 0, size = 0;
};

constexpr int64_t kMaxDevices = 1 << 20;

FailureOr<Groups> tooMany(Emitter &emitter, const Node &node, const Groups &groups) {
  return emitter.error(node) << "expects groups of 1 to " << kMaxDevices
                             << " devices in all, but has " << groups.count << " of "
                             << groups.size;
}

/// Smaller groups are padded.
template <typename List>
FailureOr<Groups> listed(Emitter &emitter, const Node &node, const List &lists) {
  constexpr int64_t kNoDevice = -1;
  Groups groups;
  groups.count = lists.size();
  for (const ReplicaGroup &group : lists)
    groups.size = std::max<int64_t>(groups.size, group.replica_ids_size());
  if (groups.size > 0 && groups.count > kMaxDevices / groups.size)
    return tooMany(emitter, node, groups);
  for (const ReplicaGroup &group : lists) {
    groups.devices.append(group.replica_ids().begin(), group.replica_ids().end());
    groups.devices.append(groups.size - group.replica_ids_size(), kNoDevice);
  }
  return groups;
}

/// An iota list divides all devices into groups; their order does not matter, since several devices
/// are rejected.
FailureOr<Groups> groupsOf(Emitter &emitter, const Node &node) {
  const HloInstructionProto &proto = node.proto;
  const CollectiveDeviceListProto &list = proto.collective_device_list();
  if (proto.replica_groups_size() > 0)
    return listed(emitter, node, proto.replica_groups());
  if (!list.has_iota_replica_group_list())
    return listed(emitter, node, list.replica_groups());
  Groups groups;
  groups.count = list.iota_replica_group_list().num_replica_groups();
  groups.size = list.iota_replica_group_list().num_devices_per_group();
  if (groups.count < 1 || groups.size < 1 || groups.count > kMaxDevices / groups.size)
    return tooMany(emitter, node, groups);
  groups.devices = llvm::to_vector(llvm::seq<int64_t>(groups.count * groups.size));
  return groups;
}

NamedAttribute pairsAttribute(Emitter &emitter, StringRef name, ArrayRef<int64_t> numbers,
                              int64_t rows, int64_t columns) {
  Builder &b = emitter.builder;
  auto type = RankedTensorType::get({rows, columns}, b.getI64Type());
  return b.getNamedAttr(name, DenseIntElementsAttr::get(type, numbers));
}

NamedAttribute groupsAttribute(Emitter &emitter, const Groups &groups) {
  return pairsAttribute(emitter, "replica_groups", groups.devices, groups.count, groups.size);
}

NamedAttribute numberAttribute(Emitter &emitter, StringRef name, int64_t number) {
  return emitter.builder.getNamedAttr(name, emitter.builder.getI64IntegerAttr(number));
}

FailureOr<int64_t> dimensionOf(Emitter &emitter, const Node &node) {
  if (node.proto.dimensions_size() != 1)
    return emitter.error(node) << "expects one dimension";
  return node.proto.dimensions(0);
}

FailureOr<Values> buildGrouped(Emitter &emitter, const Node &node) {
  FailureOr<Groups> groups = groupsOf(emitter, node);
  if (failed(groups))
    return failure();
  return emitter.makeWithRegions(node, node.opcode.becomes, node.leaves(),
                                 groupsAttribute(emitter, *groups));
}

FailureOr<Values> buildAllGather(Emitter &emitter, const Node &node) {
  FailureOr<Groups> groups = groupsOf(emitter, node);
  FailureOr<int64_t> dim = dimensionOf(emitter, node);
  if (failed(groups) || failed(dim))
    return failure();
  return emitter.make(
      node, "stablehlo.all_gather", node.leaves(),
      {groupsAttribute(emitter, *groups), numberAttribute(emitter, "all_gather_dim", *dim)});
}

FailureOr<Values> buildReduceScatter(Emitter &emitter, const Node &node) {
  FailureOr<Groups> groups = groupsOf(emitter, node);
  FailureOr<int64_t> dim = dimensionOf(emitter, node);
  if (failed(groups) || failed(dim))
    return failure();
  return emitter.makeWithRegions(
      node, "stablehlo.reduce_scatter", node.leaves(),
      {groupsAttribute(emitter, *groups), numberAttribute(emitter, "scatter_dimension", *dim)});
}

/// Without a dimension each operand is the block for one device of the group.
FailureOr<Values> buildAllToAll(Emitter &emitter, const Node &node) {
  FailureOr<Groups> groups = groupsOf(emitter, node);
  if (failed(groups))
    return failure();
  const bool isDivided = node.proto.dimensions_size() == 0;
  if (isDivided && node.operands.size() == 1)
    return node.leaves();
  if (isDivided)
    return emitter.unimplemented(node) << "'" << node.opcode.name << "' of " << node.operands.size()
                                       << " devices is not supported yet";
  FailureOr<int64_t> dim = dimensionOf(emitter, node);
  if (failed(dim))
    return failure();
  if (groups->count == 0) // all devices form one group
    *groups = {{0}, 1, 1};
  return emitter.make(node, "stablehlo.all_to_all", node.leaves(),
                      {groupsAttribute(emitter, *groups),
                       numberAttribute(emitter, "split_dimension", *dim),
                       numberAttribute(emitter, "concat_dimension", *dim),
                       numberAttribute(emitter, "split_count", groups->size)});
}

FailureOr<Values> buildPermute(Emitter &emitter, const Node &node) {
  SmallVector<int64_t> pairs;
  for (const SourceTarget &pair : node.proto.source_target_pairs())
    pairs.append({pair.source(), pair.target()});
  return emitter.make(node, "stablehlo.collective_permute", node.leaves(),
                      pairsAttribute(emitter, "source_target_pairs", pairs,
                                     node.proto.source_target_pairs_size(), 2));
}

FailureOr<Values> buildNumber(Emitter &emitter, const Node &node) {
  return emitter.make(node, node.opcode.becomes, {});
}

FailureOr<Values> buildDone(Emitter &emitter, const Node &node) { return node.leaves(); }

constexpr Opcode kOpcodes[] = {
    {"all-gather", buildAllGather, Opcode::kAny},
    {"all-reduce", buildGrouped, Opcode::kAny, 1, "stablehlo.all_reduce"},
    {"all-reduce-done", buildDone, 1, 0, "", /*takesTuples=*/true},
    {"all-reduce-start", buildGrouped, Opcode::kAny, 1, "stablehlo.all_reduce"},
    {"all-to-all", buildAllToAll, Opcode::kAny},
    {"collective-broadcast", buildGrouped, Opcode::kAny, 0, "stablehlo.collective_broadcast"},
    {"collective-permute", buildPermute, 1},
    {"partition-id", buildNumber, 0, 0, "stablehlo.partition_id"},
    {"reduce-scatter", buildReduceScatter, Opcode::kAny, 1},
    {"replica-id", buildNumber, 0, 0, "stablehlo.replica_id"},
};

} // namespace

ArrayRef<Opcode> collectiveOpcodes() { return kOpcodes; }

} // namespace systole::hlo
