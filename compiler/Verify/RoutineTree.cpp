// Builds the tree of a routine from its bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/RoutineTree.h"

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Layout/PeerFlags.h"
#include "dialects/Machine/InstructionSet/Scalars.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace systole::verify {
namespace {

using isa::FieldKind;
using isa::Inst;
using isa::InstInfo;
using isa::Opcode;

/// The operand of a field by its name.
const isa::Operand &operandOf(const Inst &inst, std::string_view name) {
  const InstInfo &info = isa::info(inst.opcode);
  for (size_t i = 0; i < info.fields.size(); ++i)
    if (info.fields[i].name == name)
      return inst.operands[i];
  llvm_unreachable("the instruction has no such field");
}

Source sourceOf(const isa::Operand &operand) {
  switch (operand.kind) {
  case isa::Operand::Kind::Scalar:
    return {false, operand.value};
  case isa::Operand::Kind::Vector:
    return {false, kVectorScalars + operand.value, /*isVector=*/true};
  case isa::Operand::Kind::Mask:
    if (operand.value == 0)
      return {true, int32_t(SublaneRange().encode())};
    return {false, kMaskScalars + operand.value};
  default:
    return {true, operand.value};
  }
}
Source sourceOf(const Inst &inst, std::string_view name) { return sourceOf(operandOf(inst, name)); }

bool isCopy(const Inst &inst) {
  return inst.opcode == Opcode::dma_start || inst.opcode == Opcode::dma_send;
}

class TreeBuilder {
public:
  TreeBuilder(const Program &program, std::span<const isa::Bundle> bundles)
      : header(program.header), bundles(bundles) {}

  RoutineTree build(const program::Range &range) {
    for (int64_t at = range.begin(); at < range.end(); ++at)
      for (const Inst &inst : bundles[size_t(at)].insts)
        note(inst);
    RoutineTree tree;
    tree.nodes = inSegments(list(range.begin(), range.end()));
    tree.scalars = kRegisterScalars + int32_t(words.size());
    tree.regions = std::move(uses);
    return tree;
  }

private:
  /// Notes the regions of copies, and the vectors from which masks are made.
  void note(const Inst &inst) {
    if (inst.opcode == Opcode::v_sublane || inst.opcode == Opcode::v_lane)
      numbers.set(unsigned(inst.operands[0].value));
    if (!isCopy(inst))
      return;
    const program::Descriptor &d = header.descriptors(operandOf(inst, "descriptor").value);
    auto note = [&](program::Space space, Source region, bool writes) {
      if ((space != program::VMEM && space != program::SMEM) || !region.isConstant)
        return;
      noteUse({region.value, writes});
      if (!is_contained(copied, region.value))
        copied.push_back(region.value);
    };
    if (inst.opcode == Opcode::dma_start)
      note(d.dst(), sourceOf(inst, "dstRegion"), true);
    note(d.src(), sourceOf(inst, "srcRegion"), false);
  }

  void noteUse(RegionUse use) {
    if (!is_contained(uses, use))
      uses.push_back(use);
  }

  std::vector<CodeNode> list(int64_t begin, int64_t end) {
    std::vector<CodeNode> nodes;
    for (int64_t at = begin; at < end;) {
      CodeNode node;
      node.bundle = at;
      for (const Inst &inst : bundles[size_t(at++)].insts)
        add(node, inst, at);
      node.hasEvents = !node.events.empty();
      node.hasEventsOrCalls |= node.hasEvents;
      for (const std::vector<CodeNode> *block : {&node.body, &node.orElse})
        for (const CodeNode &inner : *block) {
          node.hasEventsOrCalls |= inner.hasEventsOrCalls;
          node.hasEvents |= inner.hasEvents;
          node.hasTracked |= inner.hasTracked;
        }
      node.hasTracked |= !node.accesses.empty();
      if (node.hasEventsOrCalls) {
        node.body = inSegments(std::move(node.body));
        node.orElse = inSegments(std::move(node.orElse));
      }
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  /// Groups consecutive nodes without events.
  std::vector<CodeNode> inSegments(std::vector<CodeNode> nodes) {
    std::vector<CodeNode> result;
    for (CodeNode &node : nodes) {
      if (node.hasEventsOrCalls || node.kind == CodeNode::Kind::Exit) {
        node.isApart = true;
        result.push_back(std::move(node));
        continue;
      }
      if (result.empty() || result.back().kind != CodeNode::Kind::Segment) {
        CodeNode segment;
        segment.kind = CodeNode::Kind::Segment;
        segment.bundle = node.bundle;
        result.push_back(std::move(segment));
      }
      result.back().hasTracked |= node.hasTracked;
      noteRegions(node, result.back().regions);
      result.back().body.push_back(std::move(node));
    }
    return result;
  }

  static void noteRegions(const CodeNode &node, std::vector<int32_t> &regions) {
    for (const Access &access : node.accesses)
      if (!is_contained(regions, access.region))
        regions.push_back(access.region);
    for (const std::vector<CodeNode> *block : {&node.body, &node.orElse})
      for (const CodeNode &inner : *block)
        noteRegions(inner, regions);
  }

  /// `at` is the bundle behind the instruction's, and is moved behind its blocks.
  void add(CodeNode &node, const Inst &inst, int64_t &at) {
    auto block = [&](int length) {
      std::vector<CodeNode> nodes = list(at, at + length);
      at += length;
      return nodes;
    };
    switch (inst.opcode) {
    case Opcode::loop:
      node.kind = CodeNode::Kind::Loop;
      node.operand = sourceOf(inst.operands[0]);
      node.body = block(inst.operands[1].value);
      return;
    case Opcode::while_:
      node.kind = CodeNode::Kind::While;
      node.body = block(inst.operands[0].value);
      return;
    case Opcode::if_: {
      node.kind = CodeNode::Kind::If;
      node.operand = sourceOf(inst.operands[0]);
      node.body = block(inst.operands[1].value);
      node.orElse = block(inst.operands[2].value);
      return;
    }
    case Opcode::exit:
      node.kind = CodeNode::Kind::Exit;
      return;
    case Opcode::call:
      node.kind = CodeNode::Kind::Call;
      node.callee = inst.operands[0].value;
      node.hasEventsOrCalls = true;
      return;
    case Opcode::wait:
      // Peers add to theirs, whose counts the schedules of collective operations prove.
      if (operandOf(inst, "flag").value >= kLocalFlags)
        return;
      node.events.push_back(
          {Event::Kind::Wait, operandOf(inst, "flag").value, sourceOf(inst, "value"), {}, {}, 0});
      return;
    case Opcode::flag_add:
      node.events.push_back(
          {Event::Kind::Add, operandOf(inst, "flag").value, sourceOf(inst, "value"), {}, {}, 0});
      return;
    case Opcode::flag_signal:
    case Opcode::log_word:
      return;
    case Opcode::dma_start:
    case Opcode::dma_send: {
      // Of a copy to another core, this one's memory is the source. A descriptor's counts are -1.
      const bool isSend = inst.opcode == Opcode::dma_send;
      const Source none{true, -1};
      // Behind it a wait may stand in the same bundle, which holds after the rest has issued.
      node.events.insert(
          node.events.begin(),
          {Event::Kind::Start,
           operandOf(inst, "flag").value,
           isSend ? none : sourceOf(inst, "count"),
           {sourceOf(inst, "src"), isSend ? none : sourceOf(inst, "dst")},
           {sourceOf(inst, "srcRegion"), isSend ? none : sourceOf(inst, "dstRegion")},
           operandOf(inst, "descriptor").value});
      return;
    }
    default:
      addData(node, inst);
    }
  }

  void addData(CodeNode &node, const Inst &inst) {
    const InstInfo &info = isa::info(inst.opcode);
    if (info.slot == isa::Slot::Load || info.slot == isa::Slot::Store)
      addAccess(node, program::VMEM, inst, info.slot == isa::Slot::Store);
    if (inst.opcode == Opcode::s_ld || inst.opcode == Opcode::s_st)
      addAccess(node, program::SMEM, inst, inst.opcode == Opcode::s_st);
    if (inst.opcode == Opcode::s_st) {
      if (std::optional<int32_t> word = spilledWord(inst))
        node.scalars.push_back({Opcode::s_mov, *word, {sourceOf(inst, "value"), {}, {}}});
      return;
    }
    if (!info.fields.empty() && info.fields[0].isResult)
      addResult(node, inst, info);
  }

  void addResult(CodeNode &node, const Inst &inst, const InstInfo &info) {
    // Vectors that are never numbers of cells make no masks.
    if (info.fields[0].kind == FieldKind::V && !numbers[unsigned(inst.operands[0].value)])
      return;
    ScalarInst scalar{Opcode::none, sourceOf(inst.operands[0]).value, {}};
    switch (inst.opcode) {
    case Opcode::v_sublane:
    case Opcode::v_lane:
      scalar.opcode = Opcode::s_mov;
      scalar.sources[0].value = inst.opcode == Opcode::v_sublane ? kSublaneNumbers : kLaneNumbers;
      break;
    case Opcode::s_ld:
      if (std::optional<int32_t> word = spilledWord(inst)) {
        scalar.opcode = Opcode::s_mov;
        scalar.sources[0] = {false, *word};
      }
      break;
    case Opcode::v_lt:
    case Opcode::v_le:
    case Opcode::m_and:
      scalar.opcode = inst.opcode;
      break;
    default:
      if (isScalarArithmetic(inst.opcode))
        scalar.opcode = inst.opcode;
    }
    if (scalar.opcode == inst.opcode)
      for (size_t i = 1; i < info.fields.size(); ++i)
        scalar.sources[i - 1] = sourceOf(inst.operands[i]);
    node.scalars.push_back(scalar);
  }

  /// Accesses to memory that no copy of the routine uses are left out.
  void addAccess(CodeNode &node, program::Space space, const Inst &inst, bool writes) {
    Access access;
    access.space = space;
    access.address = sourceOf(inst, "address");
    access.region = operandOf(inst, "region").value;
    access.writes = writes;
    if (space == program::VMEM) {
      access.stride = sourceOf(inst, "stride");
      access.mask = sourceOf(inst, "mask");
      access.offset = operandOf(inst, "offset").value;
      access.pack = machine::traits(inst.opcode).pack;
    }
    const program::Region &region = header.regions(access.region);
    noteUse({access.region, writes});
    const bool isTracked = any_of(copied, [&](int32_t number) {
      const program::Region &other = header.regions(number);
      return other.space() == region.space() && other.base() < region.base() + region.size() &&
             region.base() < other.base() + other.size();
    });
    if (isTracked)
      node.accesses.push_back(access);
  }

  /// The scalar of the word of a spill frame that a load or store names.
  std::optional<int32_t> spilledWord(const Inst &inst) {
    const program::Region &region = header.regions(operandOf(inst, "region").value);
    Source address = sourceOf(inst, "address");
    if (region.name() != "spill" || !address.isConstant)
      return std::nullopt;
    auto number = kRegisterScalars + int32_t(words.size());
    return words.try_emplace(region.base() + address.value, number).first->second;
  }

  const program::ProgramHeader &header;
  std::span<const isa::Bundle> bundles;
  std::vector<int32_t> copied; // regions of copies
  std::vector<RegionUse> uses;
  BitVector numbers{isa::kVectorRegisters}; // vectors that have numbers of cells somewhere
  std::map<int64_t, int32_t> words;
};

} // namespace

RoutineTree buildRoutineTree(const Program &program, std::span<const isa::Bundle> bundles,
                             const program::Routine &routine) {
  return TreeBuilder(program, bundles).build(routine.bundles());
}

} // namespace systole::verify
