// Bundles that access a register or a flag.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/RegisterAccess.h"

#include "runtime/Debugger/Instructions.h"
#include "runtime/Debugger/Operand.h"

namespace systole::debugger {

using Kind = isa::Operand::Kind;

namespace {

struct Resource {
  Kind kind; // Immediate: a flag
  int number;
};

std::optional<Resource> resourceIn(absl::string_view text) {
  if (auto number = registerIn(text, "s", isa::kScalarRegisters))
    return Resource{Kind::Scalar, *number};
  if (auto number = registerIn(text, "v", isa::kVectorRegisters))
    return Resource{Kind::Vector, *number};
  if (auto number = registerIn(text, "m", isa::kMaskRegisters))
    return Resource{Kind::Mask, *number};
  if (auto number = registerIn(text, "flag", isa::kSyncFlags))
    return Resource{Kind::Immediate, *number};
  return std::nullopt;
}

bool accesses(const isa::Inst &inst, const Resource &resource, bool reads) {
  const isa::InstInfo &info = isa::info(inst.opcode);
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const bool isFlag = info.fields[i].name == "flag";
    if (inst.operands[i].kind != resource.kind || inst.operands[i].value != resource.number)
      continue;
    if (resource.kind == Kind::Immediate ? isFlag : reads || info.fields[i].isResult)
      return true;
  }
  return false;
}

} // namespace

std::optional<std::vector<int64_t>> registerAccesses(const Program &program, absl::string_view text,
                                                     bool reads) {
  const std::optional<Resource> resource = resourceIn(text);
  if (!resource)
    return std::nullopt;
  std::vector<int64_t> found;
  forEachInstruction(program, [&](int64_t bundle, const isa::Inst &inst) {
    if (accesses(inst, *resource, reads) && (found.empty() || found.back() != bundle))
      found.push_back(bundle);
  });
  return found;
}

} // namespace systole::debugger
