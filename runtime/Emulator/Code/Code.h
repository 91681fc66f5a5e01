// A program decoded for the interpreter: flat arrays of operations, bundles and
// basic blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_CODE_CODE_H
#define SYSTOLE_RUNTIME_EMULATOR_CODE_CODE_H

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/State/Registers.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::emulation {

// The interpreter's handler of an operation.
enum class Handler : uint8_t {
  Scalar,
  SmemLoad,
  SmemStore,
  CoreNumber,
  FlagRead,
  FlagAdd,
  FlagSignal,
  LogWord,
  Trap,
  ControlValue, // evaluates the operand of the bundle's control instruction
  Lanes,
  RotateSublanes,
  GatherSublanes,
  Load,
  Store,
  Rotate,
  Broadcast,
  GatherLanes,
  Reduce,
  Transpose,
  TransposeEnd,
  Eup,
  ToScalar,
  Latch,
  LatchTransposed,
  LatchS8,
  Swap,
  Push,
  PushS8,
  PushWide,
  PopVector,
  PopScalar,
  Copy,
  CommitVector,
  CommitMask,
  CommitScalar,
};

using RegisterSet = std::bitset<kRegisters>;

// When the cells of an operation may be computed (Execution/CellUnits.h).
enum class CellTime : uint8_t {
  None,  // it has none
  Later, // what it checks depends on none, but for the mask of a load or store
  Now,   // a scalar depends on them, or they move between memories
};

struct Op {
  Handler handler;
  CellTime cellTime = CellTime::None;
  uint8_t numReads = 0; // registers whose readiness is checked
  uint8_t dest = kNoRegister;
  uint8_t operandCount = 0;
  uint8_t literals = 0; // bit i: operand i is the value itself
  uint8_t scalars = 0;  // bit i: operand i is a scalar register, or a value
  isa::Opcode opcode;
  uint8_t unit = 0;  // FIFO or busy unit
  uint8_t count = 0; // results that a push adds; the sync flag of others
  std::array<uint8_t, 6> reads{};
  uint16_t latency = 0;
  uint16_t interval = 0;
  // Byte offsets into Registers, or literal values.
  std::array<int32_t, 5> operands{};
  int32_t destOffset = 0;
  int32_t aux = 0;                  // region; descriptor; trap code; log message
  int16_t offset = 0;               // of a load or store
  uint8_t packShift = 0;            // log2 of the logical rows in a row
  bool allCells = false;            // a load or store under m0
  uint8_t rowMask = kNoRegister;    // the mask under which a load or store is, but for m0
  uint8_t maskResult = kNoRegister; // the mask that is written
  union {
    KernelTable::Lanes lanes = nullptr;
    KernelTable::Push push;
    KernelTable::Row row;
  };
};

// Whether it writes a whole vector or mask register, at destOffset.
bool writesVectorOrMask(const Op &op);
// Whether it multiplies rows by an MXU's weights.
bool isProduct(const Op &op);
// The results that it adds to the FIFO of its unit.
int resultCount(const Op &op);
// The most of them: the groups of eight lanes of a transposition.
inline constexpr int kMostResults = isa::kLanes / isa::kSublanes;

struct BundleInfo {
  uint32_t firstOp;
  uint32_t cycles; // 1 and the delay
};

// An action when control falls through to a bundle: ends of loops and
// branches, from the innermost, up to a block.
struct EndAction {
  enum class Kind : uint8_t {
    Goto,    // block `target`
    LoopEnd, // again from block `target`, or continue
    Jump,    // over an else: continuation `target`
    Back,    // a while: block `target`
    Fall,    // off the end of a routine
  };
  Kind kind;
  int32_t target;
};
// Index of the first of a sequence of end actions.
using Continuation = int32_t;

enum class Transfer : uint8_t {
  Next,
  Loop,
  If,
  Exit,
  Call,
  Return,
  Halt,
  Overlay,
  OverlayStart,
  Wait
};

struct Block {
  int32_t begin, end; // bundles
  int32_t kernel = -1;
  int32_t overlay = -1;
  int64_t lastCycles = 1; // of the last bundle
  Transfer transfer = Transfer::Next;
  int32_t callee = -1;         // routine or overlay, or the flag of a wait
  Continuation next = -1;      // after the block, or the structure it opens
  Continuation taken = -1;     // of an `if` that holds, of a loop that runs, of a call
  Continuation other = -1;     // of an `if` that does not hold, of an exit
  bool takenJumps = false;     // whether `taken` and `other` of an `if` skip
  bool otherJumps = false;     // bundles
  bool thenIsCostlier = false; // of an `if`, by an estimate
  UnitUse use;                 // of one execution
  int64_t cycles = 0;          // of one execution, without stalls
};

struct Code {
  std::vector<Op> ops;
  std::vector<BundleInfo> bundles; // one more than there are: the end
  std::vector<Block> blocks;
  std::vector<EndAction> ends;
  Continuation entry = -1;
  std::vector<int32_t> kernelFirst; // block of each kernel's first bundle, or -1
  // Byte offsets into Registers of the vectors and masks that operations write, and of v0.
  std::vector<int32_t> written;
  std::vector<RegisterSet> liveOut; // by block (Liveness.h)
};

// InvalidArgument, naming the bundle, for programs that the interpreter could
// not execute safely: unknown regions and routines, ranges that do not nest, two
// results in one register, MXUs and features that the target does not have. It
// does not replace the program verifier: it does not check timing.
absl::StatusOr<Code> decodeProgram(const Program &program, const Target &target);

// The steps of decodeProgram.
absl::Status decodeBundles(const Program &program, const Target &target,
                           std::vector<isa::Bundle> &bundles, Code &code);
absl::Status buildBlocks(const Program &program, const std::vector<isa::Bundle> &bundles,
                         Code &code);

CellTime cellTimeOf(const Op &op);

// Adds one instruction's operations to those of a bundle.
absl::Status decodeInst(const Program &program, const Target &target, const isa::Inst &inst,
                        std::vector<Op> &ops);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_CODE_CODE_H
