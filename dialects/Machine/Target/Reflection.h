// The fields of target descriptions by name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_REFLECTION_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_REFLECTION_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dialects/Machine/Target/target.pb.h"
#include "google/protobuf/message.h"

namespace systole {

// An empty TargetDescription that knows its fields, which the generated class does not.
std::unique_ptr<google::protobuf::Message> emptyDescription();

struct NamedConstant {
  std::string name;
  std::optional<target::Constant> value; // nothing if it is not set
};

// The constants of a machine in the order of target.proto.
std::vector<NamedConstant> constantsOf(const target::TargetDescription &description);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_REFLECTION_H
