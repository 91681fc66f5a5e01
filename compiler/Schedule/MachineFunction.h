// A routine of the machine: instructions on virtual registers in a tree of blocks, loops and
// conditionals. Flat vectors with indices, without MLIR.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_MACHINEFUNCTION_H
#define SYSTOLE_COMPILER_SCHEDULE_MACHINEFUNCTION_H

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole::machine {

enum class RegClass : uint8_t { V, M, S };
inline constexpr int kRegClasses = 3;

/// The number of machine registers of a class. m0 is constant and not allocatable.
int registerCount(RegClass cls);

using RegId = uint32_t;
using InstId = uint32_t;
using NodeId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t(0);

/// A virtual register. It has one definition in SSA form, and any number after control flow is
/// lowered to copies.
struct RegInfo {
  RegClass cls = RegClass::S;
  /// The machine register, or -1 before allocation.
  int8_t phys = -1;
  /// The machine register is given (an argument, m0), not chosen.
  bool fixed = false;
  /// A short-lived register of spill code, which must not be spilled again.
  bool temporary = false;
  /// The register of the unscheduled function of which this one is a copy.
  RegId origin = kNone;
  /// The pipelined loop that the register belongs to.
  NodeId loop = kNone;
};

struct Operand {
  enum class Kind : uint8_t { None, Reg, Imm };
  Kind kind = Kind::None;
  int32_t value = 0;

  static Operand reg(RegId r) { return {Kind::Reg, int32_t(r)}; }
  static Operand imm(int32_t v) { return {Kind::Imm, v}; }
  bool isReg() const { return kind == Kind::Reg; }
  bool isImm() const { return kind == Kind::Imm; }
  RegId regId() const {
    assert(isReg() && "an immediate is no register");
    return RegId(value);
  }
  bool operator==(const Operand &) const = default;
};

/// Where a load or store of a loop comes from, of which several have become one: loops of
/// interleaved streams (Interleave.h), or fused loops (LoopFusion.h).
struct StreamOrder {
  /// 2k and 2k + 1 are two streams that were interleaved, whose accesses are disjoint; 0: none.
  uint16_t stream = 0;
  /// The loop in which both streams have iterations, or the part of a fused loop; 0: none.
  uint16_t loop = 0;
  /// As those of the loop that it was in (Node).
  bool independent = false, equalOrDisjoint = false;

  bool isApartFrom(const StreamOrder &other) const {
    return stream && other.stream && (stream ^ other.stream) == 1;
  }
  bool sharesLoopWith(const StreamOrder &other) const {
    return loop && loop == other.loop && stream == other.stream;
  }
};

/// An instruction; its operands, in the order of isa::InstInfo::fields (results first), are `count`
/// entries of Function::operands from `first`.
struct Inst {
  isa::Opcode opcode = isa::Opcode::none;
  uint8_t count = 0;
  uint32_t first = 0;
  uint32_t loc = kNone; // index into Module::sources
  StreamOrder order;
};

/// A loop-carried value: `phi` is `init` in the first iteration and the previous iteration's `next`
/// in the others. After the loop `result`, if it is used, is the last `next` (or `init` if there
/// was no iteration).
struct Carried {
  RegId phi = kNone;
  Operand init;
  Operand next;
  RegId result = kNone;
};

/// One node of the control tree.
///   Block  insts (with their cycles once scheduled)
///   Loop   operand = trip count, body; carried values until they are copies
///   If     operand = condition, body = then, orElse = else
///   While  body, with exactly one Exit directly in it
///   Exit   operand = condition to stay
///   Interleave  two lists of nodes, `body` and `orElse`, that may run in any order
///   Call   callee = routine
struct Node {
  enum class Kind : uint8_t { Block, Loop, If, While, Exit, Call, Interleave };
  Kind kind = Kind::Block;
  /// Loop: iterations access disjoint memory.
  bool independent = false;
  /// Loop: an access whose address differs between two iterations does not overlap itself, or
  /// another access of the same form, in these iterations.
  bool equalOrDisjoint = false;
  /// Loop: of iterations of two streams, numbered in its function (see Interleave.h); -1: not.
  int32_t shared = -1;
  /// Loop: not pipelined, since loop-carried values are lowered to copies.
  bool plain = false;
  /// Block: the next bundle may issue `length` cycles after the first one; set together with
  /// `cycles`.
  bool scheduled = false;
  /// Block: a part of a pipelined loop; its results may be in flight when it ends.
  bool pipelined = false;
  /// Block: the kernel of a pipelined loop follows and relies on its cycles, counted from the end.
  bool fillsPipeline = false;
  Operand operand;
  uint32_t callee = kNone;
  uint32_t loc = kNone;
  int32_t kernel = -1; // Call: index into Module::kernels, or -1
  int32_t length = 0;
  std::vector<InstId> insts;
  std::vector<int32_t> cycles;
  std::vector<NodeId> body, orElse;
  std::vector<Carried> carried;
  std::vector<RegId> arguments; // Call: the fixed registers that the callee reads
};

struct Function {
  std::string name;
  int32_t kernel = -1; // index into Module::kernels, or -1
  uint32_t loc = kNone;
  std::vector<RegInfo> regs; // regs[0] is m0, the mask of all ones
  std::vector<Inst> insts;
  std::vector<Operand> operands;
  std::vector<Node> nodes;
  std::vector<NodeId> body;
  std::vector<RegId> params; // passed in s0, s1, ...; others are loaded (core::kRegisterArguments)
  /// Rows of VMEM and words of SMEM of the spill frame.
  int32_t spillRows = 0;
  int32_t spillWords = 0;

  Function();

  RegId newReg(RegClass cls);
  RegId cloneReg(RegId r);
  /// The register that is bound to machine register `phys`.
  RegId fixedReg(RegClass cls, int phys);
  NodeId newNode(Node::Kind kind);
  InstId newInst(isa::Opcode opcode, std::span<const Operand> ops, uint32_t loc);
  InstId newInst(isa::Opcode opcode, std::initializer_list<Operand> ops, uint32_t loc) {
    return newInst(opcode, std::span<const Operand>(ops.begin(), ops.size()), loc);
  }
  std::span<Operand> ops(InstId i) {
    assert(i < insts.size() && "no such instruction");
    return {operands.data() + insts[i].first, insts[i].count};
  }
  std::span<const Operand> ops(InstId i) const {
    assert(i < insts.size() && "no such instruction");
    return {operands.data() + insts[i].first, insts[i].count};
  }
  /// The number of results, which are the first operands of an instruction.
  int resultCount(InstId i) const;
};

inline constexpr RegId kAllOnes = 0; // m0

bool callsOthers(const Function &f);

/// Placeholders for a routine's spill frames in VMEM and SMEM, in the region field of spill code,
/// until emission assigns each routine its own regions.
inline constexpr int32_t kSpillRowsRegion = 4094;
inline constexpr int32_t kSpillWordsRegion = 4095;

/// The report data of a routine or a call.
struct KernelInfo {
  std::string name, source, kind;
  std::string user, nameStack; // as program.proto's Location
  int64_t flops = 0, bytes = 0;
  int64_t estimate = 0; // cycles of a call, or 0
  int64_t step = 0;
};

struct RegionInfo {
  std::string name;
  int32_t space = 0; // as program.proto's Space
  int64_t base = 0, size = 0;
  std::string owner;
};

/// The static part of a DMA, as in core.dma.
struct DescriptorInfo {
  int32_t src = 0, dst = 0;
  int64_t chunk = 0;
  std::vector<int64_t> counts, srcStrides, dstStrides;
  int64_t arrivalFlag = -1; ///< of copies to other cores
  bool countsWords = false;
};

struct Module {
  std::vector<Function> functions;
  std::vector<std::string> sources;
  std::vector<KernelInfo> kernels;
  std::vector<RegionInfo> regions;
  std::vector<DescriptorInfo> descriptors;
  uint32_t main = kNone;
};

/// Static properties of an opcode that the scheduler queries often.
struct OpTraits {
  bool vectorLoad = false, vectorStore = false;
  bool scalarLoad = false, scalarStore = false;
  bool push = false;    // adds results to a FIFO (including xlu.tr, which adds none itself)
  bool pop = false;     // takes a result from a FIFO
  bool barrier = false; // wait, flags, trap, log, DMA
  bool transposePart = false, transposeEnd = false;
  int8_t pack = 1; // logical rows per physical row of a load or store
  int8_t results = 0;
  int8_t mxuField = -1; // index of the operand that selects the MXU
  int8_t addressField = -1, strideField = -1, offsetField = -1, regionField = -1;
  bool isMemory() const { return vectorLoad || vectorStore || scalarLoad || scalarStore; }
  bool isStore() const { return vectorStore || scalarStore; }
};
const OpTraits &traits(isa::Opcode opcode);

/// The class of a register operand in `field`; VS fields accept V or S.
inline RegClass fieldClass(isa::FieldKind kind) {
  return kind == isa::FieldKind::V   ? RegClass::V
         : kind == isa::FieldKind::M ? RegClass::M
                                     : RegClass::S;
}
/// Whether an immediate in this field takes one of the bundle's shared words.
inline bool takesSharedImmediate(isa::FieldKind kind) {
  return kind == isa::FieldKind::S || kind == isa::FieldKind::VS || kind == isa::FieldKind::L;
}

/// Calls `fn` for every node of `body` and its descendants, parents first.
template <typename Fn>
void forEachNode(const Function &f, const std::vector<NodeId> &body, Fn &&fn) {
  for (NodeId n : body) {
    fn(n);
    forEachNode(f, f.nodes[n].body, fn);
    forEachNode(f, f.nodes[n].orElse, fn);
  }
}

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MACHINEFUNCTION_H
