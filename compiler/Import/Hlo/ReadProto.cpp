// Parses the bytes of HLO protos.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/ReadProto.h"

#include "compiler/Import/Hlo/ReadHlo.h"

#include "google/protobuf/unknown_field_set.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace systole::hlo;
using llvm::StringRef;
using namespace google::protobuf;

namespace systole {

namespace {

/// The next varint; nothing at the end or if it overflows.
std::optional<uint64_t> takeVarint(StringRef &bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const uint8_t byte = bytes.front();
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

/// Consumes a field of a message.
bool skipField(StringRef &bytes) {
  std::optional<uint64_t> tag = takeVarint(bytes);
  if (!tag || *tag < 8 || *tag >> 3 > 0x1fffffff)
    return false;
  std::optional<uint64_t> length;
  switch (*tag & 7) {
  case 0:
    return takeVarint(bytes).has_value();
  case 1:
    length = 8;
    break;
  case 2:
    length = takeVarint(bytes);
    break;
  case 5:
    length = 4;
    break;
  }
  if (!length || *length > bytes.size())
    return false;
  bytes = bytes.drop_front(*length);
  return true;
}

bool parseMessage(StringRef bytes, Message &message) {
  return bytes.size() <= INT32_MAX && message.ParseFromArray(bytes.data(), int(bytes.size()));
}

/// Whether a message is a module: it has instructions, each with an opcode.
bool isModule(const HloModuleProto &module) {
  for (const HloComputationProto &computation : module.computations())
    for (const HloInstructionProto &instruction : computation.instructions())
      return !instruction.opcode().empty() && llvm::all_of(instruction.opcode(), [](char c) {
        return c == '-' || llvm::isLower(c) || llvm::isDigit(c);
      });
  return false;
}

/// Describes the first field that is neither read nor known to have no effect; "" if there is none.
std::string unknownField(const Message &message) {
  const Descriptor &type = *message.GetDescriptor();
  const Reflection &reflection = *message.GetReflection();
  const UnknownFieldSet &fields = reflection.GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField &field = fields.field(i);
    const int number = field.number();
    // An empty message or string means the same as an absent one.
    const bool isEmpty =
        field.type() == UnknownField::TYPE_LENGTH_DELIMITED && field.length_delimited().empty();
    if (isEmpty || type.IsReservedNumber(number))
      continue;
    std::string where = type.name();
    if (auto *instruction = dynamic_cast<const HloInstructionProto *>(&message))
      where += " '" + instruction->name() + "'";
    const FieldDescriptor *known = type.FindFieldByNumber(number);
    return known ? "field '" + known->name() + "' of " + where + " has another type than it should"
                 : "field " + std::to_string(number) + " of " + where + " is not known";
  }
  std::vector<const FieldDescriptor *> present;
  reflection.ListFields(message, &present);
  for (const FieldDescriptor *field : present) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string unknown =
          unknownField(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                            : reflection.GetMessage(message, field));
      if (!unknown.empty())
        return unknown;
    }
  }
  return "";
}

} // namespace

bool isHloProto(StringRef bytes) {
  // The first field of a module or of its container: a name, a message, or a computation.
  if (bytes.empty() || !StringRef("\x0a\x12\x1a").contains(bytes.front()))
    return false;
  while (!bytes.empty())
    if (!skipField(bytes))
      return false;
  return true;
}

std::string hlo::parseProto(StringRef bytes, Source &source) {
  // Snapshots contain an HloProto, which contains the module.
  constexpr int kMaxEnvelopes = 2;
  Envelope envelope;
  for (int depth = 0; depth <= kMaxEnvelopes; ++depth) {
    source.module.Clear();
    if (parseMessage(bytes, source.module) && isModule(source.module)) {
      HloModuleConfigProto config;
      if (depth == 1 && parseMessage(envelope.config(), config)) {
        source.replicas = config.replica_count();
        source.partitions = config.num_partitions();
      }
      return unknownField(source.module);
    }
    Envelope outer;
    if (!parseMessage(bytes, outer))
      break;
    envelope = std::move(outer);
    bytes = envelope.content();
  }
  return "it holds no HLO module";
}

std::optional<std::string> hloWithConfig(StringRef proto) {
  Source source;
  if (!parseProto(proto, source).empty())
    return std::nullopt;
  HloModuleConfigProto config;
  config.set_replica_count(1);
  config.set_num_partitions(1);
  config.set_entry_computation_layout(source.module.host_program_shape());
  HloModuleProtoWithConfig result;
  *result.mutable_hlo_module() = std::move(source.module);
  *result.mutable_config() = std::move(config);
  return result.SerializeAsString();
}

} // namespace systole
