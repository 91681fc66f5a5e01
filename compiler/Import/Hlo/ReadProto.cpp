// Parses the bytes of HLO protos.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/ReadProto.h"

#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Import/Hlo/hlo.descriptor.h"

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

/// A field of a message as its bytes have it.
struct RawField {
  int number = 0, wireType = 0;
  StringRef content; ///< of a string or message

  bool isDelimited() const { return wireType == 2; }
};

/// The next field; nothing where the bytes are malformed or begin a group.
std::optional<RawField> takeField(StringRef &bytes) {
  std::optional<uint64_t> tag = takeVarint(bytes);
  if (!tag || *tag < 8 || *tag >> 3 > 0x1fffffff)
    return std::nullopt;
  RawField field{int(*tag >> 3), int(*tag & 7), {}};
  std::optional<uint64_t> length;
  switch (field.wireType) {
  case 0:
    return takeVarint(bytes) ? std::optional(field) : std::nullopt;
  case 1:
    length = 8;
    break;
  case 2:
    length = takeVarint(bytes);
    break;
  case 5:
    length = 4;
    break;
  default:
    break;
  }
  if (!length || *length > bytes.size())
    return std::nullopt;
  field.content = field.isDelimited() ? bytes.take_front(*length) : StringRef();
  bytes = bytes.drop_front(*length);
  return field;
}

bool parseMessage(StringRef bytes, MessageLite &message) {
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

/// Whether a field is written as its type is: an array of numbers also as one string of them.
bool hasTypeOf(const RawField &field, const FieldDescriptor &type) {
  switch (type.type()) {
  case FieldDescriptor::TYPE_STRING:
  case FieldDescriptor::TYPE_BYTES:
  case FieldDescriptor::TYPE_MESSAGE:
    return field.isDelimited();
  case FieldDescriptor::TYPE_DOUBLE:
  case FieldDescriptor::TYPE_FIXED64:
  case FieldDescriptor::TYPE_SFIXED64:
    return field.wireType == 1 || (type.is_repeated() && field.isDelimited());
  case FieldDescriptor::TYPE_FLOAT:
  case FieldDescriptor::TYPE_FIXED32:
  case FieldDescriptor::TYPE_SFIXED32:
    return field.wireType == 5 || (type.is_repeated() && field.isDelimited());
  default:
    return field.wireType == 0 || (type.is_repeated() && field.isDelimited());
  }
}

/// The message, and of instructions the name.
std::string describe(StringRef message, const Descriptor &type) {
  HloInstructionProto instruction;
  if (type.name() == "HloInstructionProto" && parseMessage(message, instruction))
    return type.name() + " '" + instruction.name() + "'";
  return type.name();
}

/// Describes the first field that is neither read nor known to have no effect; "" if there is none.
/// The message has been parsed, which bounds its depth.
std::string unknownField(StringRef message, const Descriptor &type) {
  StringRef bytes = message;
  while (!bytes.empty()) {
    const std::optional<RawField> field = takeField(bytes);
    if (!field)
      return describe(message, type) + " has a group";
    const FieldDescriptor *known = type.FindFieldByNumber(field->number);
    if (known && hasTypeOf(*field, *known)) {
      if (known->type() != FieldDescriptor::TYPE_MESSAGE)
        continue;
      std::string unknown = unknownField(field->content, *known->message_type());
      if (!unknown.empty())
        return unknown;
      continue;
    }
    // An empty message or string means the same as an absent one.
    const bool isEmpty = field->isDelimited() && field->content.empty();
    if (isEmpty || type.IsReservedNumber(field->number))
      continue;
    const std::string where = describe(message, type);
    return known ? "field '" + known->name() + "' of " + where + " has another type than it should"
                 : "field " + std::to_string(field->number) + " of " + where + " is not known";
  }
  return "";
}

} // namespace

bool isHloProto(StringRef bytes) {
  // The first field of a module or of its container: a name, a message, or a computation.
  if (bytes.empty() || !StringRef("\x0a\x12\x1a").contains(bytes.front()))
    return false;
  while (!bytes.empty())
    if (!takeField(bytes))
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
      return unknownField(bytes, *hloDescriptor().FindMessageTypeByName("HloModuleProto"));
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
