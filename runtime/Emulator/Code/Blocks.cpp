// Basic blocks and the edges between them, from the structure of the routines.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/Code.h"

namespace systole::emulation {

using isa::Opcode;

namespace {

constexpr size_t kMaxNesting = 256;

struct BlockBuilder {
  const Program &program;
  const std::vector<isa::Bundle> &bundles;
  Code &code;

  // A range of bundles that is still open.
  struct Range {
    enum class Kind { Routine, Loop, Then, Else, While } kind;
    int32_t begin, end;
    int32_t opener = -1; // bundle of the control instruction
    int32_t after = -1;  // of a then: the end of its else
    int32_t exits = 0;
  };
  std::vector<Range> open{};

  // The end actions before each bundle, from the innermost.
  struct Pending {
    EndAction::Kind kind;
    int32_t bundle; // target of Goto-like actions; for Jump the end of the else
    int32_t opener;
  };
  std::map<std::pair<int32_t, bool>, std::vector<Pending>> ends{}; // (bundle, end of routine)

  // A control-flow edge out of a bundle, as a bundle and positions in lists of end actions.
  struct Way {
    int32_t bundle = -1;
    bool routineEnd = false;
    size_t skip = 0; // end actions of ranges that it skips
  };
  struct Exits {
    Transfer transfer = Transfer::Next;
    int32_t callee = -1;
    Way next, taken, other;
    bool takenJumps = false, otherJumps = false;
  };
  std::map<int32_t, Exits> transfers{}; // by bundle
  std::vector<bool> leaders{};
  std::vector<int32_t> blockOf{};      // of each leader
  std::vector<int32_t> endOfRoutine{}; // of each bundle's; -1 outside all
  int32_t routineEnd = 0;              // of the current routine

  absl::Status at(int32_t bundle, const std::string &text) const {
    return absl::InvalidArgumentError(
        absl::StrCat("bundle ", bundle, " (", describeBundle(program.header, bundle), "): ", text));
  }

  Way way(int32_t bundle) const { return {bundle, bundle == routineEnd, 0}; }

  static const isa::Inst *control(const isa::Bundle &bundle) {
    for (const isa::Inst &inst : bundle.insts)
      if (isa::info(inst.opcode).sequencer)
        return &inst;
    return nullptr;
  }

  // Ends the ranges that end before a bundle. The edges that skip a range
  // are those of its opener, and of the exit of a while.
  absl::Status close(int32_t bundle) {
    auto &actions = ends[{bundle, bundle == routineEnd}];
    while (open.size() > 1 && open.back().end == bundle) {
      Range range = open.back();
      open.pop_back();
      Exits &opener = transfers[range.opener];
      leaders[size_t(bundle)] = true;
      switch (range.kind) {
      case Range::Kind::Loop:
        actions.push_back({EndAction::Kind::LoopEnd, range.begin, range.opener});
        opener.next = {bundle, bundle == routineEnd, actions.size()};
        break;
      case Range::Kind::Then:
        if (range.after != bundle) {
          actions.push_back({EndAction::Kind::Jump, range.after, range.opener});
          opener.other = {bundle, false, actions.size()};
          open.push_back({Range::Kind::Else, bundle, range.after, range.opener, -1});
          return absl::OkStatus(); // an else is not empty
        }
        opener.other = {bundle, bundle == routineEnd, actions.size()};
        break;
      case Range::Kind::Else:
        // The target of a then's jump, and the range of an empty one: past the
        // ranges inside the else.
        opener.next = {bundle, bundle == routineEnd, actions.size()};
        if (range.begin == range.opener + 1)
          opener.taken = opener.next;
        break;
      case Range::Kind::While:
        if (range.exits != 1)
          return at(range.opener, absl::StrCat("while has ", range.exits, " exits, not one"));
        actions.push_back({EndAction::Kind::Back, range.begin, range.opener});
        opener.next = {bundle, bundle == routineEnd, actions.size()};
        break;
      case Range::Kind::Routine:
        break;
      }
    }
    if (actions.empty())
      ends.erase({bundle, bundle == routineEnd});
    return absl::OkStatus();
  }

  absl::Status enter(Range::Kind kind, int32_t opener, int64_t begin, int64_t length,
                     int64_t elseLength = 0) {
    int64_t end = begin + length + elseLength;
    if (length < 0 || elseLength < 0 || end > open.back().end)
      return at(opener, absl::StrCat("a range of ", length + elseLength,
                                     " bundles does not fit into the one around it"));
    if (open.size() >= kMaxNesting)
      return at(opener, "ranges nest too deep");
    open.push_back({kind, int32_t(begin), int32_t(begin + length), opener, int32_t(end)});
    leaders[size_t(begin)] = true;
    return absl::OkStatus();
  }

  static int64_t length(const isa::Inst &inst, int field) {
    return uint32_t(inst.operands[size_t(field)].value);
  }

  absl::Status controlAt(int32_t bundle, const isa::Inst &inst) {
    int32_t after = bundle + 1;
    Exits exits;
    exits.next = way(after);
    switch (inst.opcode) {
    case Opcode::loop: {
      int64_t n = length(inst, 1);
      exits.transfer = n == 0 ? Transfer::Next : Transfer::Loop;
      exits.taken = way(after);
      transfers[bundle] = exits;
      return n == 0 ? absl::OkStatus() : enter(Range::Kind::Loop, bundle, after, n);
    }
    case Opcode::if_: {
      int64_t thenLength = length(inst, 1), elseLength = length(inst, 2);
      exits.transfer = Transfer::If;
      exits.taken = exits.other = way(after);
      exits.takenJumps = thenLength == 0 && elseLength > 0;
      exits.otherJumps = thenLength > 0;
      transfers[bundle] = exits;
      if (thenLength > 0)
        return enter(Range::Kind::Then, bundle, after, thenLength, elseLength);
      if (elseLength == 0)
        return absl::OkStatus();
      return enter(Range::Kind::Else, bundle, after, elseLength);
    }
    case Opcode::while_:
      if (length(inst, 0) == 0)
        return at(bundle, "an empty while has no exit");
      transfers[bundle] = exits;
      return enter(Range::Kind::While, bundle, after, length(inst, 0));
    case Opcode::exit:
      if (open.back().kind != Range::Kind::While)
        return at(bundle, "exit is not directly in a while");
      ++open.back().exits;
      exits.transfer = Transfer::Exit;
      exits.callee = open.back().opener;
      break;
    case Opcode::call:
      exits.transfer = Transfer::Call;
      exits.callee = inst.operands[0].value;
      if (exits.callee < 0 || exits.callee >= program.header.routines_size())
        return at(bundle,
                  absl::StrCat("routine ", exits.callee, " of ", program.header.routines_size()));
      break;
    case Opcode::overlay:
    case Opcode::overlay_start:
      exits.transfer = inst.opcode == Opcode::overlay ? Transfer::Overlay : Transfer::OverlayStart;
      exits.callee = inst.operands[0].value;
      if (exits.callee < 0 || exits.callee >= program.header.overlays_size())
        return at(bundle,
                  absl::StrCat("overlay ", exits.callee, " of ", program.header.overlays_size()));
      break;
    case Opcode::ret:
      exits.transfer = Transfer::Return;
      break;
    case Opcode::halt:
      exits.transfer = Transfer::Halt;
      break;
    case Opcode::wait:
      exits.transfer = Transfer::Wait;
      exits.callee = inst.operands[1].value;
      break;
    default:
      return absl::OkStatus();
    }
    transfers[bundle] = exits;
    return absl::OkStatus();
  }

  absl::Status routine(const program::Range &range) {
    routineEnd = int32_t(range.end());
    open = {{Range::Kind::Routine, int32_t(range.begin()), routineEnd}};
    leaders[size_t(range.begin())] = true;
    for (int32_t bundle = int32_t(range.begin()); bundle < routineEnd; ++bundle) {
      if (absl::Status status = close(bundle); !status.ok())
        return status;
      const isa::Inst *inst = control(bundles[size_t(bundle)]);
      if (!inst)
        continue;
      if (inst->opcode == Opcode::flag_add || inst->opcode == Opcode::flag_signal ||
          inst->opcode == Opcode::trap || inst->opcode == Opcode::log_word)
        continue;
      if (absl::Status status = controlAt(bundle, *inst); !status.ok())
        return status;
      leaders[size_t(bundle) + 1] = true;
      if (inst->opcode == Opcode::wait && program.header.cores() > 1)
        leaders[size_t(bundle)] = true;
    }
    if (absl::Status status = close(routineEnd); !status.ok())
      return status;
    ends[{routineEnd, true}].push_back({EndAction::Kind::Fall, -1, -1});
    return absl::OkStatus();
  }

  // For each bundle the index of the narrowest entry of `ranges` around it; -1 for none.
  template <typename Ranges, typename Get>
  std::vector<int32_t> narrowest(const Ranges &ranges, Get get) const {
    std::vector<int32_t> order(size_t(ranges.size()));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = int32_t(i);
    auto size = [&](int32_t i) { return get(ranges.Get(i)).end() - get(ranges.Get(i)).begin(); };
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return size(a) < size(b); });
    // Narrow ranges claim their bundles first; `next` skips claimed bundles.
    std::vector<int32_t> owner(bundles.size(), -1), next(bundles.size() + 1);
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = int32_t(i);
    auto free = [&](int32_t i) {
      while (next[size_t(i)] != i)
        i = next[size_t(i)] = next[size_t(next[size_t(i)])];
      return i;
    };
    for (int32_t entry : order)
      for (int32_t i = free(int32_t(get(ranges.Get(entry)).begin()));
           i < get(ranges.Get(entry)).end(); i = free(i + 1)) {
        owner[size_t(i)] = entry;
        next[size_t(i)] = i + 1;
      }
    return owner;
  }

  void countUse(Block &block) {
    for (int32_t i = block.begin; i < block.end; ++i) {
      const BundleInfo &bundle = code.bundles[size_t(i)];
      ++block.use.bundles;
      block.use.delayCycles += bundle.cycles - 1;
      block.cycles += bundle.cycles;
      block.lastCycles = bundle.cycles;
      bool isScalar = !bundles[size_t(i)].insts.empty();
      for (const isa::Inst &inst : bundles[size_t(i)].insts) {
        const isa::InstInfo &info = isa::info(inst.opcode);
        countSlot(block.use, info.slot);
        isScalar &= info.slot == isa::Slot::Scalar || info.sequencer;
      }
      block.use.scalarBundles += isScalar;
      for (size_t op = bundle.firstOp; op < code.bundles[size_t(i) + 1].firstOp; ++op)
        countPush(block, code.ops[op]);
    }
  }
  static void countSlot(UnitUse &use, isa::Slot slot) {
    use.scalarOps += slot == isa::Slot::Scalar;
    use.valuOps += slot == isa::Slot::Vector;
    use.loads += slot == isa::Slot::Load;
    use.stores += slot == isa::Slot::Store;
    use.pops += slot == isa::Slot::Pop;
  }
  static void countPush(Block &block, const Op &op) {
    UnitUse &use = block.use;
    switch (op.handler) {
    case Handler::Push:
    case Handler::PushS8:
    case Handler::PushWide:
      ++use.mxuPushes;
      use.mxuCycles += op.interval;
      break;
    case Handler::Latch:
    case Handler::LatchTransposed:
    case Handler::LatchS8:
      ++use.mxuLatches;
      use.mxuLatchCycles += op.interval;
      break;
    case Handler::Eup:
      use.eupCycles += op.interval;
      break;
    case Handler::Rotate:
    case Handler::Broadcast:
    case Handler::GatherLanes:
    case Handler::Reduce:
    case Handler::Transpose:
    case Handler::TransposeEnd:
      use.xluCycles += op.interval;
      break;
    case Handler::Copy:
      ++use.copies;
      break;
    default:
      break;
    }
  }

  bool readsFlag(int32_t bundle) const {
    for (const isa::Inst &inst : bundles[size_t(bundle)].insts)
      if (inst.opcode == Opcode::flag_read || inst.opcode == Opcode::wait)
        return true;
    return false;
  }

  Continuation resolve(const Way &way,
                       const std::map<std::pair<int32_t, bool>, Continuation> &starts) {
    return starts.at({way.bundle, way.routineEnd}) + Continuation(way.skip);
  }

  absl::Status run() {
    const auto &header = program.header;
    leaders.assign(bundles.size() + 1, false);
    endOfRoutine.assign(bundles.size(), -1);
    for (const program::Routine &entry : header.routines()) {
      for (int64_t i = entry.bundles().begin(); i < entry.bundles().end(); ++i) {
        if (endOfRoutine[size_t(i)] >= 0)
          return at(int32_t(i), "two routines have this bundle");
        endOfRoutine[size_t(i)] = int32_t(entry.bundles().end());
      }
      if (absl::Status status = routine(entry.bundles()); !status.ok())
        return status;
    }
    for (const program::Kernel &kernel : header.kernels())
      leaders[size_t(kernel.bundles().begin())] = leaders[size_t(kernel.bundles().end())] = true;
    for (const program::Range &overlay : header.overlays())
      leaders[size_t(overlay.begin())] = leaders[size_t(overlay.end())] = true;
    if (header.cores() > 1)
      for (size_t i = 0; i < bundles.size(); ++i)
        if (readsFlag(int32_t(i)))
          leaders[i] = true;
    for (const auto &[place, actions] : ends)
      leaders[size_t(place.first)] = true;
    makeBlocks();
    return link();
  }

  void makeBlocks() {
    auto identity = [](const program::Range &range) -> const program::Range & { return range; };
    auto ofKernel = [](const program::Kernel &k) -> const program::Range & { return k.bundles(); };
    std::vector<int32_t> kernels = narrowest(program.header.kernels(), ofKernel);
    std::vector<int32_t> overlays = narrowest(program.header.overlays(), identity);
    blockOf.assign(bundles.size() + 1, -1);
    for (int32_t i = 0; i < int32_t(bundles.size());) {
      int32_t routineEnd = endOfRoutine[size_t(i)];
      if (routineEnd < 0) {
        ++i;
        continue;
      }
      Block block{};
      block.begin = i++;
      while (i < routineEnd && !leaders[size_t(i)])
        ++i;
      block.end = i;
      assert(block.begin < block.end && "a block has bundles");
      block.kernel = kernels[size_t(block.begin)];
      block.overlay = overlays[size_t(block.begin)];
      countUse(block);
      blockOf[size_t(block.begin)] = int32_t(code.blocks.size());
      code.blocks.push_back(block);
    }
    for (const program::Kernel &kernel : program.header.kernels())
      code.kernelFirst.push_back(blockOf[size_t(kernel.bundles().begin())]);
  }

  absl::Status link() {
    // Control may reach the beginning of every block.
    for (const Block &block : code.blocks)
      ends[{block.begin, false}];
    std::map<std::pair<int32_t, bool>, Continuation> starts;
    Continuation size = 0;
    for (const auto &[place, actions] : ends) {
      starts[place] = size;
      size += Continuation(actions.size()) + !place.second;
    }
    for (const auto &[place, actions] : ends) {
      for (const Pending &action : actions) {
        EndAction end{action.kind, -1};
        if (action.kind == EndAction::Kind::Jump)
          end.target = resolve(transfers.at(action.opener).next, starts);
        else if (action.kind != EndAction::Kind::Fall)
          end.target = blockOf[size_t(action.bundle)];
        code.ends.push_back(end);
      }
      if (!place.second)
        code.ends.push_back({EndAction::Kind::Goto, blockOf[size_t(place.first)]});
    }
    for (Block &block : code.blocks) {
      int32_t last = block.end - 1;
      auto found = transfers.find(last);
      if (found == transfers.end()) {
        block.next = resolve(wayAfter(last), starts);
        continue;
      }
      const Exits &exits = found->second;
      block.transfer = exits.transfer;
      block.callee = exits.callee;
      if (exits.transfer == Transfer::Exit) {
        block.next = resolve(wayAfter(last), starts);
        block.other = resolve(transfers.at(exits.callee).next, starts);
        continue;
      }
      if (exits.transfer == Transfer::Return || exits.transfer == Transfer::Halt)
        continue;
      block.next = exits.transfer == Transfer::Next ? resolve(wayAfter(last), starts)
                                                    : resolve(exits.next, starts);
      if (exits.transfer == Transfer::Call) {
        int32_t first = int32_t(program.header.routines(exits.callee).bundles().begin());
        block.taken = starts.at({first, false});
      } else if (exits.transfer == Transfer::Loop) {
        block.taken = resolve(exits.taken, starts);
      } else if (exits.transfer == Transfer::If) {
        block.taken = resolve(exits.taken, starts);
        block.other = resolve(exits.other, starts);
        block.takenJumps = exits.takenJumps;
        block.otherJumps = exits.otherJumps;
      }
    }
    for (size_t i = 0; i < code.blocks.size(); ++i) {
      Block &block = code.blocks[i];
      if (block.transfer != Transfer::Next || block.next < 0)
        continue;
      const EndAction &end = code.ends[size_t(block.next)];
      if (end.kind == EndAction::Kind::LoopEnd && end.target == int32_t(i))
        block.use.loopDelayCycles = block.use.delayCycles;
    }
    [[maybe_unused]] auto isPlace = [&](Continuation at) {
      return at >= -1 && at < Continuation(code.ends.size());
    };
    assert(Continuation(code.ends.size()) == size && "the lists of end actions follow one another");
    assert(std::all_of(code.blocks.begin(), code.blocks.end(),
                       [&](const Block &b) {
                         return isPlace(b.next) && isPlace(b.taken) && isPlace(b.other);
                       }) &&
           "blocks go on at an end action");
    assert(std::all_of(code.ends.begin(), code.ends.end(),
                       [&](const EndAction &end) {
                         return end.kind == EndAction::Kind::Jump
                                    ? isPlace(end.target)
                                    : end.target < int32_t(code.blocks.size());
                       }) &&
           "end actions lead to blocks");
    int32_t first = int32_t(program.header.routines(program.header.entry()).bundles().begin());
    code.entry = starts.at({first, false});
    return absl::OkStatus();
  }

  Way wayAfter(int32_t bundle) const {
    return {bundle + 1, endOfRoutine[size_t(bundle)] == bundle + 1, 0};
  }
};

} // namespace

absl::Status buildBlocks(const Program &program, const std::vector<isa::Bundle> &bundles,
                         Code &code) {
  return BlockBuilder{program, bundles, code}.run();
}

} // namespace systole::emulation
