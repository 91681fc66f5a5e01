// Structured control: nested blocks, routines without recursion.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <vector>

#include "dialects/Machine/Program/VerifyParts.h"

namespace systole::verify {

using isa::Opcode;

// Nesting of blocks of any kind in one routine, which is walked recursively
// here and by every reader of the program. Loops have the machine's own, lower
// limit.
static constexpr int kMaxBlockDepth = 64;
static constexpr int kMaxCallDepth = 256;

Blocks blocksOf(const isa::Bundle &bundle) {
  Blocks blocks;
  if (bundle.insts.empty())
    return blocks;
  const isa::Inst &inst = bundle.insts[0];
  blocks.opcode = inst.opcode;
  switch (inst.opcode) {
  case Opcode::loop:
    blocks.count = 1;
    blocks.lengths[0] = inst.operands[1].value;
    break;
  case Opcode::while_:
    blocks.count = 1;
    blocks.lengths[0] = inst.operands[0].value;
    break;
  case Opcode::if_:
    blocks.count = 2;
    blocks.lengths[0] = inst.operands[1].value;
    blocks.lengths[1] = inst.operands[2].value;
    break;
  default:
    break;
  }
  return blocks;
}

namespace {

struct Call {
  int32_t routine;
  int64_t bundle;
  int loops; // around it in its own routine
};

struct RoutineShape {
  std::vector<Call> calls;
  int loops = 0; // nested in it, without its callees'
  // Filled in by depth-first search: loops and calls with callees.
  bool visiting = false, done = false;
  int totalLoops = 0, totalCalls = 0;
};

class StructureChecker {
public:
  explicit StructureChecker(const Context &context) : context(context) {}

  absl::Status run() {
    const auto &routines = context.program.header.routines();
    shapes.resize(size_t(routines.size()));
    for (int i = 0; i < routines.size(); ++i) {
      current = i;
      const program::Range &range = routines.Get(i).bundles();
      if (auto status = checkEnd(range.end() - 1); !status.ok())
        return status;
      int exits = 0;
      if (auto status = block({range.begin(), range.end(), Opcode::none, 0, 0}, exits);
          !status.ok())
        return status;
    }
    for (int i = 0; i < routines.size(); ++i)
      if (auto status = visit(i, 0, routines.Get(i).bundles().begin()); !status.ok())
        return status;
    return absl::OkStatus();
  }

private:
  struct Block {
    int64_t begin, end;
    Opcode kind; // loop, if_, while_, or none for a routine
    int depth;   // of blocks around it
    int loops;   // among those and itself
  };

  bool isEntry() const { return current == context.program.header.entry(); }

  absl::Status checkEnd(int64_t last) {
    const Opcode wanted = isEntry() ? Opcode::halt : Opcode::ret;
    const isa::Bundle &bundle = context.bundles[size_t(last)];
    if (bundle.insts.empty() || bundle.insts[0].opcode != wanted)
      return context.error(last, "the last bundle of ", isEntry() ? "the entry" : "a",
                           " routine needs `", isEntry() ? "halt" : "ret", "`");
    return absl::OkStatus();
  }

  // Counts the exits directly in the block.
  absl::Status block(const Block &where, int &exits) {
    if (where.depth > kMaxBlockDepth)
      return context.error(where.begin, "blocks nest deeper than ", kMaxBlockDepth);
    RoutineShape &shape = shapes[size_t(current)];
    shape.loops = std::max(shape.loops, where.loops);
    for (int64_t at = where.begin; at < where.end; ++at) {
      const isa::Bundle &bundle = context.bundles[size_t(at)];
      const Blocks blocks = blocksOf(bundle);
      switch (blocks.opcode) {
      case Opcode::exit:
        if (where.kind != Opcode::while_)
          return context.error(at, "`exit` is not directly in the body of a `while`");
        ++exits;
        break;
      case Opcode::ret:
      case Opcode::halt:
        if (where.kind != Opcode::none || at != where.end - 1)
          return context.error(at, blocks.opcode == Opcode::ret ? "`ret`" : "`halt`",
                               " is not the last bundle of its routine");
        break;
      case Opcode::call: {
        const int32_t routine = bundle.insts[0].operands[0].value;
        if (routine < 0 || routine >= context.program.header.routines_size())
          return context.error(at, "call of routine ", routine, " of ",
                               context.program.header.routines_size());
        if (routine == context.program.header.entry())
          return context.error(at, "call of the entry routine");
        shape.calls.push_back({routine, at, where.loops});
        break;
      }
      default:
        break;
      }
      int64_t next = at;
      for (int i = 0; i < blocks.count; ++i) {
        const int32_t length = blocks.lengths[i];
        const bool isIf = blocks.opcode == Opcode::if_;
        if (length < (isIf ? 0 : 1) || length > where.end - 1 - next)
          return context.error(at, "a block of ", length, " bundles where ", where.end - 1 - next,
                               " are left");
        int innerExits = 0;
        const Block inner{next + 1, next + 1 + length, blocks.opcode, where.depth + 1,
                          where.loops + (blocks.opcode == Opcode::loop)};
        if (auto status = block(inner, innerExits); !status.ok())
          return status;
        if (blocks.opcode == Opcode::while_ && innerExits != 1)
          return context.error(at, "the body of `while` has ", innerExits,
                               " `exit`s directly in it; it needs one");
        next += length;
      }
      at = next;
    }
    return absl::OkStatus();
  }

  // Searches from every routine, so that uncalled ones are bounded, too.
  absl::Status visit(int routine, int depth, int64_t site) {
    RoutineShape &shape = shapes[size_t(routine)];
    const int callDepth = std::min(context.limits.callDepth, kMaxCallDepth);
    if (shape.visiting)
      return context.error(site, "routine `", context.program.header.routines(routine).name(),
                           "` calls itself");
    if (depth > callDepth)
      return context.error(site, "calls nest deeper than ", callDepth);
    if (shape.done)
      return absl::OkStatus();
    shape.visiting = true;
    shape.totalLoops = shape.loops;
    for (const Call &call : shape.calls) {
      if (auto status = visit(call.routine, depth + 1, call.bundle); !status.ok())
        return status;
      const RoutineShape &callee = shapes[size_t(call.routine)];
      shape.totalCalls = std::max(shape.totalCalls, callee.totalCalls + 1);
      shape.totalLoops = std::max(shape.totalLoops, callee.totalLoops + call.loops);
    }
    shape.visiting = false;
    shape.done = true;
    if (shape.totalCalls > callDepth)
      return context.error(site, "calls nest deeper than ", callDepth);
    if (shape.totalLoops > context.limits.loopDepth)
      return context.error(site, "loops nest deeper than ", context.limits.loopDepth,
                           shape.calls.empty() ? "" : ", with those of called routines");
    return absl::OkStatus();
  }

  const Context &context;
  std::vector<RoutineShape> shapes;
  int current = 0;
};

} // namespace

absl::Status checkStructure(const Context &context) { return StructureChecker(context).run(); }

} // namespace systole::verify
