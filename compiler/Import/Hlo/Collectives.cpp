// Collective operations of HLO, in a program for one device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// The devices of a group, of which all have the same number.
int64_t devicesOfGroup(const HloInstructionProto &proto) {
  int64_t devices = 1;
  auto take = [&](const auto &groups) {
    for (const ReplicaGroup &group : groups)
      devices = std::max<int64_t>(devices, group.replica_ids_size());
  };
  take(proto.replica_groups());
  take(proto.collective_device_list().replica_groups());
  return std::max(devices,
                  proto.collective_device_list().iota_replica_group_list().num_devices_per_group());
}

/// With itself alone a device has all there is to combine, gather or exchange.
FailureOr<Values> buildAlone(Emitter &emitter, const Node &node) {
  const int64_t devices = devicesOfGroup(node.proto);
  Values values = node.leaves();
  if (devices > 1 || TypeRange(ValueRange(values)) != TypeRange(node.types))
    return emitter.lack(node) << "'" << node.opcode.name
                              << "' of several devices is not supported yet";
  return values;
}

/// A device that nothing is sent to receives zeros.
FailureOr<Values> buildPermute(Emitter &emitter, const Node &node) {
  for (const SourceTarget &pair : node.proto.source_target_pairs())
    if (pair.source() != 0 || pair.target() != 0)
      return emitter.lack(node) << "'" << node.opcode.name
                                << "' of several devices is not supported yet";
  if (node.proto.source_target_pairs_size() == 1)
    return node.leaves();
  return emitter.lack(node) << "'" << node.opcode.name << "' from nowhere is not supported";
}

/// The number of the one device.
FailureOr<Values> buildNumber(Emitter &emitter, const Node &node) {
  auto type = node.types.size() == 1 ? dyn_cast<RankedTensorType>(node.types[0]) : nullptr;
  if (!type || type.getRank() != 0 || !type.getElementType().isUnsignedInteger(32))
    return emitter.error(node) << "its result is no u32";
  return emitter.make(
      node, "stablehlo.constant", {},
      emitter.builder.getNamedAttr("value", DenseElementsAttr::get(type, ArrayRef<uint32_t>(0u))));
}

constexpr Opcode kOpcodes[] = {
    {"all-gather", buildAlone, Opcode::kAny, 0},
    {"all-reduce", buildAlone, Opcode::kAny, 1},
    {"all-reduce-done", buildAlone, 1, 0},
    {"all-reduce-start", buildAlone, Opcode::kAny, 1},
    {"all-to-all", buildAlone, Opcode::kAny, 0},
    {"collective-broadcast", buildAlone, Opcode::kAny, 0},
    {"collective-permute", buildPermute, 1, 0},
    {"partition-id", buildNumber, 0},
    {"reduce-scatter", buildAlone, Opcode::kAny, 1},
    {"replica-id", buildNumber, 0},
};

} // namespace

ArrayRef<Opcode> collectiveOpcodes() { return kOpcodes; }

} // namespace systole::hlo
