// A routine of an emitted program as a tree of its blocks, with what concerns copies in flight:
// scalar arithmetic, copies, sync flags, and accesses to memories that copies use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_ROUTINETREE_H
#define SYSTOLE_COMPILER_VERIFY_ROUTINETREE_H

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Program.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <span>
#include <type_traits>
#include <vector>

namespace systole::verify {

/// An operand of an instruction: a constant, or a scalar of the routine by its number. The scalars
/// are the registers (vectors and masks as below), then the words of SMEM to which registers are
/// spilled.
struct Source {
  bool isConstant = true;
  int32_t value = 0;
  bool isVector = false;
};

inline constexpr int32_t kVectorScalars = isa::kScalarRegisters,
                         kMaskScalars = kVectorScalars + isa::kVectorRegisters,
                         kRegisterScalars = kMaskScalars + isa::kMaskRegisters;

/// The value of a vector register, if it is known: the number of each cell's sublane or lane.
inline constexpr uint32_t kSublaneNumbers = 1, kLaneNumbers = 2;

/// The value of a mask register, if it is known: the sublanes in which it has bits.
struct SublaneRange {
  int32_t first = 0, end = isa::kSublanes;

  uint32_t encode() const { return uint32_t(first) << 4 | uint32_t(end); }
  static SublaneRange decode(uint32_t bits) { return {int32_t(bits >> 4), int32_t(bits & 15)}; }
};

/// `opcode` is scalar arithmetic (s_mov for spills and reloads), a comparison
/// or conjunction that makes a mask, or none if the result is unknown.
struct ScalarInst {
  isa::Opcode opcode = isa::Opcode::none;
  int32_t result = 0;
  Source sources[3];
  /// Set by RelevantScalars: whether copies and flags depend on the result, and whether addresses
  /// within a segment do.
  bool isControl = false, isAddress = false;
};

/// A load or store of rows of VMEM (`pack` logical ones in one of the machine's), or of a word of
/// SMEM.
struct Access {
  program::Space space = program::VMEM;
  Source address, stride, mask;
  int32_t offset = 0, pack = 1, region = 0;
  bool writes = false;
};

/// A region of VMEM or SMEM that code or copies of a routine use.
struct RegionUse {
  int32_t region = 0;
  bool writes = false;

  bool operator==(const RegionUse &) const = default;
};

struct Event {
  enum class Kind { Wait, Add, Start };
  Kind kind = Kind::Wait;
  int32_t flag = 0;
  /// The count of a wait, what is added, or the innermost count of a copy (-1: the descriptor's).
  Source amount;
  /// Of a copy: source and destination.
  Source address[2], region[2];
  int32_t descriptor = 0;
};

/// A bundle with the blocks that belong to it, or a segment: consecutive nodes without events.
struct CodeNode {
  enum class Kind { Step, Loop, While, If, Exit, Call, Segment };
  Kind kind = Kind::Step;
  int64_t bundle = 0;
  llvm::SmallVector<ScalarInst, 2> scalars;
  llvm::SmallVector<Access, 1> accesses;
  llvm::SmallVector<Event, 1> events;
  /// The count of a loop, or the condition.
  Source operand;
  int32_t callee = 0;
  std::vector<CodeNode> body, orElse;
  /// Of the node and its blocks. Tracked are accesses to memory of copies of the routine.
  bool hasEventsOrCalls = false, hasEvents = false, hasTracked = false;
  /// Whether it is a node of its own between segments.
  bool isApart = false;
  /// Whether scalars of the blocks are relevant (see ScalarInst).
  bool hasControl = false, hasAddress = false;
  /// Relevant scalars at the head of a loop, and behind the node; of a segment, what its addresses
  /// depend on.
  llvm::BitVector atHead, after, addressInputs;
  /// Those of `scalars` that have isControl are the first ones.
  uint32_t controlScalars = 0;
  /// Of a segment: the nodes that have control, and the regions of tracked accesses.
  std::vector<const CodeNode *> controlled;
  std::vector<int32_t> regions;
  /// addressInputs as a list, with the bits of each that count.
  struct Input {
    int32_t scalar;
    uint32_t bits;
  };
  std::vector<Input> inputs;

  CodeNode() = default;
  CodeNode(const CodeNode &) = default;
  CodeNode &operator=(const CodeNode &) = default;
  // Vectors that grow copy elements whose move may throw, as that of a SmallVector.
  CodeNode(CodeNode &&) noexcept = default;
  CodeNode &operator=(CodeNode &&) noexcept = default;

  llvm::ArrayRef<ScalarInst> control() const {
    return llvm::ArrayRef(scalars).take_front(controlScalars);
  }
  /// Whether it does not matter to copies which of its blocks are executed, and how often: a call
  /// leaves flags and copies as they were.
  bool isIndifferent() const { return !hasEvents && !hasControl && !hasTracked; }
  /// Whether nothing in it concerns copies and flags.
  bool isIdle() const {
    return !hasEventsOrCalls && !hasControl && kind != Kind::Exit && controlScalars == 0;
  }
};

static_assert(std::is_nothrow_move_constructible_v<CodeNode>);

struct RoutineTree {
  std::vector<CodeNode> nodes;
  int32_t scalars = 0;
  std::vector<bool> isRegister; ///< by scalar; the others are spilled words
  std::vector<RegionUse> regions;
};

/// The tree of a routine of a program whose structure verifyProgram has checked.
RoutineTree buildRoutineTree(const Program &program, std::span<const isa::Bundle> bundles,
                             const program::Routine &routine);

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_ROUTINETREE_H
