// The fields of target descriptions by name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/Reflection.h"

#include "dialects/Machine/Target/target.descriptor.h"
#include "google/protobuf/dynamic_message.h"

namespace systole {

using namespace google::protobuf;

std::unique_ptr<Message> emptyDescription() {
  // Lives as long as the descriptor.
  static DynamicMessageFactory *const factory = new DynamicMessageFactory;
  const Descriptor *type = targetDescriptor().FindMessageTypeByName("TargetDescription");
  return std::unique_ptr<Message>(factory->GetPrototype(type)->New());
}

std::vector<NamedConstant> constantsOf(const target::TargetDescription &description) {
  const std::unique_ptr<Message> fields = emptyDescription();
  fields->ParseFromString(description.SerializeAsString());
  const Descriptor &type = *fields->GetDescriptor();
  const Reflection &reflection = *fields->GetReflection();
  std::vector<NamedConstant> constants;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor *field = type.field(i);
    if (field->is_repeated() ||
        field->message_type() != targetDescriptor().FindMessageTypeByName("Constant"))
      continue;
    NamedConstant &constant = constants.emplace_back(field->name());
    if (reflection.HasField(*fields, field))
      constant.value.emplace().ParseFromString(
          reflection.GetMessage(*fields, field).SerializeAsString());
  }
  return constants;
}

} // namespace systole
