// Operands of one bundle: indices into tables, constants, static addresses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <optional>

#include "dialects/Machine/InstructionSet/Units.h"
#include "dialects/Machine/Program/AsmSyntax.h"
#include "dialects/Machine/Program/VerifyParts.h"

namespace systole::verify {
namespace {

using assembly::spaceName;
using assembly::toAbsl;
using isa::FieldInfo;
using isa::FieldKind;
using isa::Inst;
using isa::InstInfo;
using isa::Opcode;
using isa::Operand;

class InstChecker {
public:
  InstChecker(const Context &context, int64_t bundle, const Inst &inst)
      : context(context), header(context.program.header), bundle(bundle), inst(inst),
        info(isa::info(inst.opcode)) {}

  absl::Status run() const {
    const absl::string_view feature = toAbsl(info.feature);
    if (!feature.empty() && !context.limits.features.contains(std::string(feature)))
      return error("the machine has no `", feature, "`");
    for (size_t i = 0; i < info.fields.size(); ++i)
      if (auto status = field(info.fields[i], inst.operands[i]); !status.ok())
        return status;
    if (inst.opcode == Opcode::dma_start || inst.opcode == Opcode::dma_send)
      return copy();
    if (elementsPerCell(inst.opcode) != 0)
      return vectorAccess();
    return absl::OkStatus();
  }

private:
  template <typename... Parts> absl::Status error(const Parts &...parts) const {
    return context.error(bundle, toAbsl(info.mnemonic), ": ", parts...);
  }

  const Operand &operand(absl::string_view name) const {
    size_t i = 0;
    while (toAbsl(info.fields[i].name) != name)
      ++i;
    return inst.operands[i];
  }
  // The operand's value if it is a constant.
  std::optional<int64_t> constant(absl::string_view name) const {
    const Operand &value = operand(name);
    return value.kind == Operand::Kind::Immediate ? std::optional<int64_t>(value.value)
                                                  : std::nullopt;
  }

  absl::Status range(absl::string_view what, int64_t value, int64_t low, int64_t high) const {
    if (value < low || value > high)
      return error(what, " ", value, " is not in ", low, " to ", high);
    return absl::OkStatus();
  }

  absl::Status field(const FieldInfo &field, const Operand &operand) const {
    const absl::string_view name = toAbsl(field.name);
    const int64_t value = operand.value;
    if (field.kind == FieldKind::R)
      return region(value, info.slot == isa::Slot::Scalar ? program::SMEM : program::VMEM);
    if (field.kind == FieldKind::D && value >= header.descriptors_size())
      return error("descriptor ", value, " of ", header.descriptors_size());
    if (operand.kind != Operand::Kind::Immediate)
      return absl::OkStatus();
    switch (inst.opcode) {
    case Opcode::overlay:
    case Opcode::overlay_start:
      return range("overlay", value, 0, header.overlays_size() - 1);
    case Opcode::trap:
      return name == "code" ? range("message", value, 0, header.traps_size() - 1)
                            : absl::OkStatus();
    case Opcode::log_word:
      return name == "message" ? range("log message", value, 0, header.log_messages_size() - 1)
                               : absl::OkStatus();
    case Opcode::flag_add:
      return name == "core" ? range("core", value, -1, header.cores() - 1) : absl::OkStatus();
    case Opcode::dma_send:
      return name == "core" ? range("core", value, 0, header.cores() - 1) : absl::OkStatus();
    case Opcode::flag_signal:
      if (name == "flag")
        return range("flag", value, 0, isa::kSyncFlags - 1);
      return name == "core" ? range("core", value, 0, header.cores() - 1) : absl::OkStatus();
    case Opcode::xlu_tr_end:
      return range("results", value, 1, isa::kLanes / isa::kSublanes);
    case Opcode::s_ld:
    case Opcode::s_st:
      if (name == "address")
        return scalarAccess(value);
      return absl::OkStatus();
    default:
      break;
    }
    if (info.unit != isa::Unit::Mxu)
      return absl::OkStatus();
    if (name == "mxu")
      return range("MXU", value, 0, std::min(context.limits.mxus, kMaxMxus) - 1);
    const int tiles = context.limits.mxuSize / isa::kLanes;
    if (name == "group")
      return range("group", value, 0, isa::kLanes / isa::kSublanes * tiles * tiles - 1);
    if (name == "depths" || name == "columns")
      return range(name, value, 1, tiles);
    if (name == "rows")
      return range("rows", value, 0, isa::kSublanes);
    return range(name, value, 0, context.limits.mxuSize); // k and n
  }

  absl::Status region(int64_t index, program::Space wanted) const {
    if (index < 0 || index >= header.regions_size())
      return error("region ", index, " of ", header.regions_size());
    const program::Region &region = header.regions(int(index));
    if (region.space() != wanted)
      return error("region `", region.name(), "` is in ", spaceName(region.space()), ", not in ",
                   spaceName(wanted));
    return absl::OkStatus();
  }

  absl::Status outside(const program::Region &region, int64_t first, int64_t last, int64_t size,
                       absl::string_view unit) const {
    if (first >= 0 && last < size)
      return absl::OkStatus();
    return error(unit, " ", first, first == last ? "" : absl::StrCat(" to ", last), " of region `",
                 region.name(), "`, which has ", size);
  }

  absl::Status scalarAccess(int64_t address) const {
    const int64_t index = operand("region").value;
    if (auto status = region(index, program::SMEM); !status.ok())
      return status;
    const program::Region &where = header.regions(int(index));
    return outside(where, address, address, where.size(), "word");
  }

  // Rows of an unmasked access whose address and stride are constants.
  absl::Status vectorAccess() const {
    const auto address = constant("address"), stride = constant("stride");
    if (!address || !stride || operand("mask").value != 0)
      return absl::OkStatus();
    const program::Region &where = header.regions(operand("region").value);
    const int64_t first = *address + operand("offset").value;
    const int64_t last = first + (isa::kSublanes - 1) * *stride;
    return outside(where, std::min(first, last), std::max(first, last),
                   where.size() * elementsPerCell(inst.opcode), "row");
  }

  absl::Status copy() const {
    const program::Descriptor &descriptor = header.descriptors(operand("descriptor").value);
    for (bool isSource : {false, true})
      if (auto status = copySide(descriptor, isSource); !status.ok())
        return status;
    const bool isSend = inst.opcode == Opcode::dma_send;
    if (isSend != (descriptor.arrival_flag() != 0))
      return error(isSend ? "a copy to a core needs" : "only a copy to a core has",
                   " a descriptor with an arrival flag");
    if (const auto count = countOf(); count && *count < -1)
      return error("count ", *count);
    return absl::OkStatus();
  }

  // The count that replaces the descriptor's, which is -1 for none, if it is a constant.
  std::optional<int64_t> countOf() const {
    return inst.opcode == Opcode::dma_send ? -1 : constant("count");
  }

  absl::Status copySide(const program::Descriptor &d, bool isSource) const {
    const program::Space space = isSource ? d.src() : d.dst();
    const auto index = constant(isSource ? "srcRegion" : "dstRegion");
    if (!index)
      return absl::OkStatus();
    if (auto status = region(*index, space); !status.ok())
      return status;
    const auto start = constant(isSource ? "src" : "dst"), count = countOf();
    if (!start || !count || *count == 0 || space == program::HOST)
      return absl::OkStatus();
    // Index streams count words on both sides.
    const bool words = space == program::SMEM || (isSource && d.dst() == program::SMEM);
    int64_t first = *start * (words ? 1 : kRowWords), last = first + d.chunk() - 1;
    for (int level = 0; level < d.counts_size(); ++level) {
      const int64_t steps = (level == 0 && *count > 0 ? *count : d.counts(level)) - 1;
      const int64_t stride = isSource ? d.src_strides(level) : d.dst_strides(level);
      int64_t reach;
      if (__builtin_mul_overflow(steps, stride, &reach) ||
          __builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last))
        return error("the copy reaches beyond any memory");
    }
    const program::Region &where = header.regions(int(*index));
    const int64_t size = where.size() * (space == program::SMEM ? 1 : kRowWords);
    return outside(where, first, last, size, isSource ? "source words" : "destination words");
  }

  const Context &context;
  const program::ProgramHeader &header;
  const int64_t bundle;
  const Inst &inst;
  const InstInfo &info;
};

} // namespace

// Instructions that would have no order within a bundle.
static absl::Status checkPair(const Context &context, int64_t bundle, const Inst &first,
                              const Inst &second) {
  const InstInfo &a = isa::info(first.opcode), &b = isa::info(second.opcode);
  if (!a.fields.empty() && a.fields[0].isResult && !b.fields.empty() && b.fields[0].isResult &&
      first.operands[0] == second.operands[0])
    return context.error(bundle, assembly::registerName(first.operands[0]),
                         " is written by two instructions");
  if (a.slot != b.slot || a.unit != b.unit || mxuOf(first) != mxuOf(second))
    return absl::OkStatus();
  if (a.slot == isa::Slot::Pop)
    return context.error(bundle, "two results are popped from the FIFO of ", toAbsl(b.mnemonic));
  if (first.opcode == Opcode::mxu_swap || second.opcode == Opcode::mxu_swap)
    return context.error(bundle, toAbsl(a.mnemonic), " and ", toAbsl(b.mnemonic), " of MXU ",
                         mxuOf(first));
  return absl::OkStatus();
}

absl::Status checkBundle(const Context &context, int64_t bundle) {
  const auto &insts = context.bundles[size_t(bundle)].insts;
  for (size_t i = 0; i < insts.size(); ++i) {
    if (auto status = InstChecker(context, bundle, insts[i]).run(); !status.ok())
      return status;
    for (size_t j = 0; j < i; ++j)
      if (auto status = checkPair(context, bundle, insts[j], insts[i]); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

} // namespace systole::verify
