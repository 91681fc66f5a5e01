// The data side of vector instructions: functions over whole registers, in
// variants for the host's SIMD instructions with bit-identical results.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_VECTOR_KERNELS_H
#define SYSTOLE_RUNTIME_EMULATOR_VECTOR_KERNELS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole {

inline constexpr int kCells = isa::kSublanes * isa::kLanes;

// Rows and columns of the tiles of weights that an MXU consists of.
inline constexpr int kTileSize = 128;

// Registers of rows that are multiplied together. With their eight rows they are a multiple of the
// rows of which a host's accumulators hold the results.
inline constexpr int kRegistersAtOnce = 6;

// The eight rows of a register, or rows of memory: `step` cells from each to the next.
struct CellRows {
  const uint32_t *first = nullptr;
  int64_t step = isa::kLanes;

  // In line in each variant of the kernels: others may lack a variant's instructions.
  [[gnu::always_inline]] CellRows() {}
  [[gnu::always_inline]] CellRows(const uint32_t *first, int64_t step = isa::kLanes)
      : first(first), step(step) {}
  [[gnu::always_inline]] const uint32_t *row(int number) const { return first + number * step; }
};

// Pointers to cells are to registers of kCells cells, aligned to 64 bytes; a mask's cell
// is all ones or 0. Denormals are flushed: run them under FlushDenormals.
struct KernelTable {
  const char *name;

  // Functions of sublanes get the cells of some of them, from `first` on.
  struct Sublanes {
    int first = 0, count = isa::kSublanes;
  };

  // Lane by lane; `d` may be one of the operands. Bit i of the second index says
  // that operand i is a single cell for all lanes. Null for other instructions.
  using Lanes = void (*)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                         Sublanes sublanes);
  Lanes lanes[size_t(isa::Opcode::count_)][8];

  // Transcendentals and reductions; `d` is none of the operands.
  using Push = void (*)(uint32_t *d, const uint32_t *a, const uint32_t *b, Sublanes sublanes);
  Push eup[size_t(isa::Opcode::count_)];
  Push reduce[size_t(isa::Opcode::count_)];

  // d(s, l) = a(s, index(s, l) mod 128); `d` is none of the operands.
  Push gatherLanes;
  // d(s, l) = a(index(s, l) mod 8, l) of all sublanes; `d` is none of the operands.
  void (*gatherSublanes)(uint32_t *d, const uint32_t *a, const uint32_t *index);

  // Rows of a load or store, widened or narrowed between cells and the `part`th
  // field of the packed cells in memory.
  using Row = void (*)(uint32_t *to, const uint32_t *from, int part);
  Row loadRow[size_t(isa::Opcode::count_)];
  Row storeRow[size_t(isa::Opcode::count_)];

  // Bit s: whether the mask has a cell of sublane s.
  uint32_t (*rowsOfMask)(const uint32_t *mask);
  // to = from in the cells of a row that the mask enables.
  void (*mergeRow)(uint32_t *to, const uint32_t *from, const uint32_t *mask);

  // Weights of a tile of an MXU, 128 x 128 cells of 32 bits in an order specific to the
  // variant.
  void (*latch)(void *weights, CellRows a, int group);
  void (*latchTransposed)(void *weights, CellRows a, int group);
  // a = eight rows of weights, as they were latched and rounded.
  void (*readWeights)(uint32_t *a, const void *weights, int group);
  // Zeroes the weights of `kCount` rows from `k` and `nCount` columns from `n`.
  void (*clear)(void *weights, int k, int kCount, int n, int nCount);
  // Registers that are multiplied by the same weights: `rows` of each, of which the others are 0.
  struct Rows {
    uint32_t *const *d;
    const CellRows *a;
    int count;
    int rows = isa::kSublanes;
  };
  // d = the rows of bf16(a) times the weights below k and n.
  void (*push)(const Rows &registers, const void *weights, int k, int n);
  // The same with 8-bit integers.
  void (*latchS8)(void *weights, CellRows a, int group);
  void (*readWeightsS8)(uint32_t *a, const void *weights, int group);
  void (*clearS8)(void *weights, int k, int kCount, int n, int nCount);
  void (*pushS8)(const Rows &registers, const void *weights, int k, int n);
};

// The best variant that this host can run.
const KernelTable &kernels();
// All variants that this host can run, the best first.
std::span<const KernelTable *const> runnableKernels();

// Sets the host's floating point to flush denormals to zero, in and out, round
// to nearest even; restores the previous mode.
class FlushDenormals {
public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals &) = delete;

private:
  uint64_t saved;
};

// Sets the host's floating point to the C++ default, for code outside of the emulator;
// restores the previous mode.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint();
  ~DefaultFloatingPoint();
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;

private:
  uint64_t saved;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_VECTOR_KERNELS_H
