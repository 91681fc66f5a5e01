// One core: its registers, units, memories and clock, and the interpreter that
// executes blocks on it.
//
// Timing and data are separate: the same code checks every hazard and counts every cycle, whether
// it computes all values, only scalars, or vectors as far as they are known.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_CORE_H
#define SYSTOLE_RUNTIME_EMULATOR_CORE_H

#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

#include "runtime/Emulator/Code.h"
#include "runtime/Emulator/Demand.h"
#include "runtime/Emulator/Dma.h"
#include "runtime/Emulator/InstructionMemory.h"
#include "runtime/Emulator/Memory.h"
#include "runtime/Emulator/Trap.h"

namespace systole::emulation {

// Results of a unit in the order of their pushes.
struct Fifo {
  int depth = 0;
  int head = 0, count = 0;
  std::vector<int64_t> ready;  // cycle from which each may be popped
  std::vector<Origin> origins; // timing only
  Reservation cells;           // registers of results, depth of them

  uint32_t *slot(int index) {
    assert(index >= 0 && index < depth && "no such place");
    return reinterpret_cast<uint32_t *>(cells.data()) + int64_t(index) * kCells;
  }
  int place(int ahead) const {
    assert(ahead >= 0 && ahead < depth && "results that the FIFO can hold");
    int index = head + ahead;
    return index < depth ? index : index - depth;
  }
};

// A tile of an MXU: current weights and the shadow latch.
struct MxuTile {
  Reservation weights[2];
  // Groups of eight rows, or of eight columns, that the shadow latch holds. A
  // cell outside both is zero, though memory may hold an older weight there.
  uint32_t rowGroups = 0, columnGroups = 0;
};

// An MXU: tiles in the order of columns, then of rows.
struct MxuState {
  std::vector<MxuTile> tiles;
  int current = 0;
  int k = 0, n = 0;
  bool integers = false;  // type of the weights in the shadow latch
  int64_t latchReady = 0; // cycle from which the latched rows may be swapped in

  void *latched(MxuTile &tile) { return tile.weights[current].data(); }
  void *shadow(MxuTile &tile) { return tile.weights[1 - current].data(); }
  void forgetLatches() {
    for (MxuTile &tile : tiles)
      tile.rowGroups = tile.columnGroups = 0;
  }
};

// Values that the emulator computes in a run for timing.
enum class Mode : uint8_t {
  Full,  // everything
  Clock, // scalars alone, with their origins
  Known, // everything whose operands are known, but for products; with origins
};
constexpr bool computes(Mode mode) { return mode != Mode::Clock; }
constexpr bool tracks(Mode mode) { return mode != Mode::Full; }

enum class RunState : uint8_t { Running, Waiting, Halted, Trapped };

// A message from one core to another.
struct Outgoing {
  int core;
  Message message;
};

// Fields stand by subject: there are few cores, and 32 bytes of padding in each do not matter.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class Core {
public:
  Core(const Program &program, const Code &code, const Target &target, int index, bool timingOnly,
       int64_t maxCycles, int64_t assumedTrips, Memory memory);

  // Allocates registers and memories. ResourceExhausted if the host lacks memory.
  absl::Status allocate();
  // `demand` for timing only, else null.
  void reset(Demand *demand, bool trace, bool countCopies, HostPort *port,
             const std::atomic<bool> *cancel);

  // Executes up to `blocks` blocks with the control transfers after them, or
  // fewer if the core stops running or has sent something.
  void run(int64_t blocks) {
    timingOnly ? runWith<Mode::Clock>(blocks) : runWith<Mode::Full>(blocks);
  }
  // Continues a wait after the next event.
  void resume();

  void receive(Message message);
  // Receives messages after the core has halted.
  void settle();
  bool fail(TrapKind kind, const std::string &text);

  RunState state() const { return runState; }
  int64_t now() const { return clock; }
  // The cycle at which this core can continue; INT64_MAX if nothing will wake it.
  int64_t due() const { return runState == RunState::Waiting ? nextEvent : clock; }
  const TrapInfo &trap() const { return trapInfo; }
  Memory &memories() { return memory; }
  std::vector<Outgoing> &outbox() { return outgoing; }

  // Adds the counts of the run to the statistics.
  void collect(RunStats &stats) const;

private:
  static constexpr size_t kMaxTraceEvents = 1 << 20;

  template <Mode mode> void runWith(int64_t blocks);
  // Timing only: whether the kernel of the block that control has reached is computed.
  bool isComputed(const Block &b);
  template <Mode mode> bool executeBundles(const Block &b);
  template <Mode mode> bool execute(const Op &op);
  template <Mode mode> bool vectorOp(const Op &op);
  template <Mode mode> bool scalarMemory(const Op &op);
  template <Mode mode> bool flagOrTrap(const Op &op);
  template <Mode mode> bool load(const Op &op);
  template <Mode mode> bool store(const Op &op);
  // Whether it is unknown where a store writes: its region is unknown from then on.
  bool storesAnywhere(const Op &op);
  template <Mode mode> bool pushXlu(const Op &op);
  template <Mode mode> bool pushCells(const Op &op);
  template <Mode mode> bool pushArray(const Op &op);
  template <Mode mode> bool latch(const Op &op);
  template <Mode mode> bool swapWeights(const Op &op);
  MxuTile &tileOf(MxuState &mxu, int depth, int column) {
    return mxu.tiles[size_t(column * tilesPerSide + depth)];
  }
  // Zeroes cells of a tile's shadow latch.
  void clearWeights(MxuState &mxu, MxuTile &tile, int k, int kCount, int n, int nCount);
  // Zeroes the cells of a tile's shadow latch below k and n that were not written.
  void clearRest(MxuState &mxu, MxuTile &tile, int k, int n);
  // Called before rows are latched over columns, or the other way round.
  void mixLatches(MxuState &mxu, MxuTile &tile, bool columns);
  template <Mode mode> bool pop(const Op &op);
  template <Mode mode> bool startCopy(const Op &op);

  // Hazards. All return false after a trap.
  bool checkBusy(const Op &op);
  bool reserve(const Op &op, int results);
  bool checkRows(const Op &op, int64_t address, int64_t stride, uint32_t touched, bool write);
  void completeCopies();

  // Control.
  bool transfer(const Block &b);
  // Timing only: assumes a value for a condition or an iteration count that is unknown.
  bool assumeControl(const Block &b);
  bool follow(Continuation at);
  bool endWait();
  bool startOverlay(const Block &b);
  bool endOverlay(const Block &b);
  void spend(int64_t cycles, int64_t KernelStats::*what);
  void traceKernel(int kernel);
  void countCopy(const CopyRequest &request, int kernel);
  void addTrace(const TraceEvent &event);
  int kernelOf(const Block &b) const { return b.kernel >= 0 ? b.kernel : inherited; }
  KernelStats &statsOf(int kernel) {
    assert(kernel + 1 < int(kernelStats.size()) && "no such kernel");
    return kernelStats[kernel >= 0 ? size_t(kernel) : kernelStats.size() - 1];
  }

  // Register operands; literals are stored in the operation.
  uint32_t *registerAt(int32_t offset) {
    assert(offset >= 0 && offset < int32_t(sizeof(Registers)) && offset % 4 == 0 && "a register");
    return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(registers.get()) + offset);
  }
  const uint32_t *operand(const Op &op, int i) {
    const int32_t *literal = &op.operands[size_t(i)];
    return op.literals >> i & 1 ? reinterpret_cast<const uint32_t *>(literal)
                                : registerAt(*literal);
  }
  uint32_t scalar(const Op &op, int i) { return *operand(op, i); }
  int32_t signedScalar(const Op &op, int i) { return int32_t(scalar(op, i)); }
  // The result of a push that `reserve` made room for, counted from the oldest.
  uint32_t *newResult(const Op &op, int i = 0) {
    Fifo &fifo = fifos[op.unit];
    assert(i < op.count && fifo.count >= op.count && "reserve() has made room");
    return fifo.slot(fifo.place(fifo.count - op.count + i));
  }

  // Timing only: the origins of a scalar operand, of all registers that an operation reads, and of
  // the register at an offset.
  Origin originOf(const Op &op, int i) const;
  Origin originOfReads(const Op &op) const;
  Origin &originAt(int32_t offset);
  Origin join(Origin a, Origin b) { return demand->origins().join(a, b); }
  // Marks the results of a push that `reserve` made room for.
  template <Mode mode> void setOrigins(const Op &op, Origin origin);
  TrapInfo describe(TrapKind kind, const std::string &text) const;

  [[gnu::cold, gnu::noinline]] bool readTooEarly(const Op &op);
  [[gnu::cold, gnu::noinline]] bool writeConflict(const Op &op);
  [[gnu::cold, gnu::noinline]] bool failRow(const Op &op, int64_t row, bool write);
  [[gnu::cold, gnu::noinline]] bool failOp(const Op &op, TrapKind kind, const std::string &text);
  std::string unitName(int unit) const;

  const Program &program;
  const Code &code;
  const Target &target;
  const KernelTable &table = kernels();
  int index;
  bool timingOnly;
  Demand *demand = nullptr;
  int64_t maxCycles, assumedTrips;
  int tilesPerSide; // of an MXU
  int64_t controlCycles, iciLatency;
  size_t loopDepth, callDepth;

  // Data.
  struct Free {
    void operator()(Registers *r) const { ::operator delete(r, std::align_val_t(64)); }
  };
  std::unique_ptr<Registers, Free> registers;
  Memory memory;
  std::vector<uint32_t> transposeBlock;
  Reservation scratch; // a register
  std::array<MxuState, kMaxMxus> mxus;
  std::array<Origin, kRegisters> registerOrigins{};
  Origin transposeOrigin = kKnown; // of the open block

  // Time.
  RunState runState = RunState::Running;
  int64_t clock = 0;
  int64_t issued = 0; // cycle of the last bundle
  std::array<int64_t, kRegisters> ready{};
  std::array<Fifo, kFifos> fifos;
  std::array<int64_t, kBusyUnits> freeAt{};
  int transposeRows = 0; // groups of eight collected; 0: no block is open
  DmaEngine dma;
  std::array<int32_t, isa::kSyncFlags> flags{};
  int64_t nextEvent = INT64_MAX; // a copy completes or a message arrives
  std::vector<Message> inbox;
  std::vector<Outgoing> outgoing;
  TrapInfo trapInfo;

  // Control.
  struct Call {
    Continuation back;
    int kernel;
    size_t loops;
  };
  int32_t block = -1;
  int32_t bundle = 0;
  uint32_t controlValue = 0;
  Origin controlOrigin = kKnown;
  int32_t call = -1;          // the call that is running, by its kernel
  std::vector<int32_t> loops; // iterations left
  std::vector<Call> calls;
  int inherited = -1; // the caller's kernel, for blocks that have none
  InstructionMemory instructions;

  // Statistics.
  std::vector<int64_t> executions; // of blocks
  // Timing only, by block: how often its control was assumed; iterations so far of a `while` with
  // its exit there.
  std::map<int32_t, int64_t> assumed, turns;
  std::vector<KernelStats> kernelStats; // the last one is of no kernel
  // By kernel, region, and whether HBM is read.
  std::map<std::tuple<int, int, bool>, CopyStats> copies;
  bool countsCopies = false;
  bool tracing = false;
  std::vector<TraceEvent> trace;
  int tracedKernel = -1;
  int64_t tracedSince = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_CORE_H
