// Finds the scalars of a routine on which copies and sync flags depend.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/RelevantScalars.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace systole::verify {
namespace {

/// The uses for which scalars are relevant: copies and flags, or the addresses within a segment.
enum class Purpose { Control, Address };

class Marker {
public:
  Marker(const Program &program, RoutineTree &tree) : header(program.header), tree(tree) {}

  void run() {
    addressInputs(tree.nodes);
    purpose = Purpose::Control;
    list(tree.nodes, none());
    numbers.assign(size_t(tree.scalars), -1);
    const auto before = unsigned(tree.scalars);
    tree.scalars = 0;
    renumber(tree.nodes);
    renumberSets(tree.nodes, before);
    noteControlled(tree.nodes);
  }

private:
  BitVector none() const { return BitVector(unsigned(tree.scalars)); }

  void addressInputs(std::vector<CodeNode> &nodes) {
    purpose = Purpose::Address;
    for (CodeNode &node : nodes) {
      if (node.kind == CodeNode::Kind::Segment) {
        if (node.hasTracked)
          node.addressInputs = list(node.body, none());
        continue;
      }
      addressInputs(node.body);
      addressInputs(node.orElse);
    }
  }

  BitVector list(std::vector<CodeNode> &nodes, BitVector live) {
    for (CodeNode &node : llvm::reverse(nodes))
      live = transfer(node, std::move(live));
    return live;
  }

  BitVector transfer(CodeNode &node, BitVector live) {
    const bool isPlain =
        node.kind == CodeNode::Kind::Step && node.scalars.empty() && node.events.empty();
    if (!isPlain && purpose == Purpose::Control)
      node.after = live;
    switch (node.kind) {
    case CodeNode::Kind::Segment:
      live = list(node.body, std::move(live));
      if (node.hasTracked)
        live |= node.addressInputs;
      node.hasControl = anyRelevant(node.body);
      return live;
    case CodeNode::Kind::Step:
      return issue(node, std::move(live));
    case CodeNode::Kind::Exit:
      live |= behindWhile;
      return issue(node, std::move(live));
    case CodeNode::Kind::Call:
      // The callee has the registers.
      live.reset(0, kRegisterScalars);
      return issue(node, std::move(live));
    case CodeNode::Kind::If: {
      BitVector other = list(node.orElse, live);
      live = list(node.body, std::move(live));
      live |= other;
      return control(node, std::move(live));
    }
    case CodeNode::Kind::Loop:
    case CodeNode::Kind::While: {
      BitVector outer = std::move(behindWhile);
      behindWhile = live;
      node.atHead.resize(unsigned(tree.scalars));
      node.atHead |= live;
      for (;;) {
        BitVector before = list(node.body, node.atHead);
        if (!before.test(node.atHead))
          break;
        node.atHead |= before;
      }
      behindWhile = std::move(outer);
      return control(node, node.atHead);
    }
    }
    llvm_unreachable("unknown kind of node");
  }

  /// A bundle whose blocks depend on its operand, if they have anything relevant.
  BitVector control(CodeNode &node, BitVector live) {
    bool &isRelevant = purpose == Purpose::Control ? node.hasControl : node.hasAddress;
    isRelevant = anyRelevant(node.body) || anyRelevant(node.orElse);
    bool depends = isRelevant || (purpose == Purpose::Control ? node.hasEvents : node.hasTracked);
    live = issue(node, std::move(live));
    if (depends && node.kind != CodeNode::Kind::While)
      read(node.operand, live);
    return live;
  }

  bool anyRelevant(const std::vector<CodeNode> &nodes) const {
    return any_of(nodes, [&](const CodeNode &node) {
      return (purpose == Purpose::Control ? node.hasControl : node.hasAddress) ||
             any_of(node.scalars, [&](const ScalarInst &inst) { return isMarked(inst); });
    });
  }

  bool isMarked(const ScalarInst &inst) const {
    return purpose == Purpose::Control ? inst.isControl : inst.isAddress;
  }

  static void read(Source source, BitVector &live) {
    if (!source.isConstant)
      live.set(unsigned(source.value));
  }

  BitVector issue(CodeNode &node, BitVector live) {
    BitVector before = live;
    for (ScalarInst &inst : node.scalars)
      if (live[unsigned(inst.result)]) {
        (purpose == Purpose::Control ? inst.isControl : inst.isAddress) = true;
        before.reset(unsigned(inst.result));
      }
    for (const ScalarInst &inst : node.scalars)
      if (isMarked(inst))
        for (Source source : inst.sources)
          read(source, before);
    for (const Event &event : node.events)
      readEvent(event, before);
    if (purpose == Purpose::Address || node.isApart)
      for (const Access &access : node.accesses) {
        read(access.address, before);
        read(access.stride, before);
        read(access.mask, before);
      }
    return before;
  }

  void readEvent(const Event &event, BitVector &live) const {
    read(event.amount, live);
    if (event.kind != Event::Kind::Start)
      return;
    for (int side : {0, 1})
      if (isTracked(event, side)) {
        read(event.address[side], live);
        read(event.region[side], live);
      }
  }

  /// Whether the source (0) or destination of a copy is in a memory of which rows are verified.
  bool isTracked(const Event &event, int side) const {
    const program::Descriptor &d = header.descriptors(event.descriptor);
    const program::Space space = side == 0 ? d.src() : d.dst();
    return space == program::VMEM || space == program::SMEM;
  }

  // Relevant scalars are numbered anew, since states have a value for each.

  void renumber(int32_t &scalar) {
    int32_t &number = numbers[size_t(scalar)];
    if (number < 0) {
      number = tree.scalars++;
      tree.isRegister.push_back(scalar < kRegisterScalars);
    }
    scalar = number;
  }
  void renumber(Source &source) {
    if (!source.isConstant)
      renumber(source.value);
  }

  void renumber(Event &event) {
    renumber(event.amount);
    if (event.kind != Event::Kind::Start)
      return;
    for (int side : {0, 1})
      for (Source *source : {&event.address[side], &event.region[side]}) {
        if (isTracked(event, side))
          renumber(*source);
        else
          *source = {};
      }
  }

  void renumber(std::vector<CodeNode> &nodes) {
    for (CodeNode &node : nodes) {
      llvm::erase_if(node.scalars,
                     [](const ScalarInst &inst) { return !inst.isControl && !inst.isAddress; });
      auto *end = std::stable_partition(node.scalars.begin(), node.scalars.end(),
                                        [](const ScalarInst &inst) { return inst.isControl; });
      node.controlScalars = uint32_t(end - node.scalars.begin());
      for (ScalarInst &inst : node.scalars) {
        renumber(inst.result);
        for (Source &source : inst.sources)
          renumber(source);
      }
      for (Access &access : node.accesses)
        for (Source *source : {&access.address, &access.stride, &access.mask})
          renumber(*source);
      for (Event &event : node.events)
        renumber(event);
      if (node.hasEvents || node.hasTracked || node.hasControl || node.hasAddress)
        renumber(node.operand);
      else
        node.operand = {};
      renumber(node.body);
      renumber(node.orElse);
    }
  }

  void renumberSets(std::vector<CodeNode> &nodes, unsigned before) {
    for (CodeNode &node : nodes) {
      for (BitVector *set : {&node.atHead, &node.after, &node.addressInputs}) {
        if (set->size() != before)
          continue;
        BitVector result(unsigned(tree.scalars));
        for (unsigned scalar : set->set_bits())
          if (numbers[scalar] >= 0)
            result.set(unsigned(numbers[scalar]));
        *set = std::move(result);
      }
      if (node.addressInputs.any())
        listInputs(node);
      renumberSets(node.body, before);
      renumberSets(node.orElse, before);
    }
  }

  /// Of a number of a step mostly the lowest bit counts, by which halves of buffers alternate.
  void listInputs(CodeNode &segment) {
    std::vector<uint32_t> bits(size_t(tree.scalars));
    noteBits(segment.body, bits);
    for (unsigned scalar : segment.addressInputs.set_bits())
      segment.inputs.push_back({int32_t(scalar), bits[scalar]});
  }

  static void noteBits(const std::vector<CodeNode> &nodes, std::vector<uint32_t> &bits) {
    auto all = [&](Source source) {
      if (!source.isConstant)
        bits[size_t(source.value)] = ~0u;
    };
    for (const CodeNode &node : nodes) {
      all(node.operand);
      for (const Access &access : node.accesses)
        for (Source source : {access.address, access.stride, access.mask})
          all(source);
      for (const ScalarInst &inst : node.scalars) {
        if (!inst.isAddress)
          continue;
        bits[size_t(inst.result)] = ~0u;
        const bool isMasked = inst.opcode == isa::Opcode::s_and && inst.sources[1].isConstant;
        if (isMasked && !inst.sources[0].isConstant)
          bits[size_t(inst.sources[0].value)] |= uint32_t(inst.sources[1].value);
        else
          llvm::for_each(inst.sources, all);
      }
      noteBits(node.body, bits);
      noteBits(node.orElse, bits);
    }
  }

  static void noteControlled(std::vector<CodeNode> &nodes) {
    for (CodeNode &node : nodes) {
      noteControlled(node.body);
      noteControlled(node.orElse);
      if (node.kind == CodeNode::Kind::Segment && node.hasControl)
        for (const CodeNode &inner : node.body)
          if (!inner.isIdle())
            node.controlled.push_back(&inner);
    }
  }

  const program::ProgramHeader &header;
  RoutineTree &tree;
  std::vector<int32_t> numbers;
  Purpose purpose = Purpose::Address;
  BitVector behindWhile; // relevant where the innermost `while` is left
};

} // namespace

void markRelevantScalars(const Program &program, RoutineTree &tree) { Marker(program, tree).run(); }

} // namespace systole::verify
