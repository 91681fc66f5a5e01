// The cost of work on a machine in cycles, from its target description alone.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_MACHINEMODEL_H
#define SYSTOLE_COMPILER_MODEL_MACHINEMODEL_H

#include "compiler/Model/CodeBudget.h"
#include "compiler/Model/MxuShape.h"

#include <array>
#include <cstdint>

namespace systole {

class Target;

/// Words of a core's SMEM that one array of indices may take at a time: a quarter of it, rounded
/// down to a power of two.
int64_t indexWords(int64_t smemWords);

/// The instructions of straight-line code, such as one iteration of a loop, by slot; the cycles for
/// which they occupy units that take a push only every few cycles; and the latencies along the
/// longest chain of them.
struct Work {
  double scalar = 0, vector = 0, load = 0, store = 0, push = 0, pop = 0;
  double xlu = 0, eup = 0;          ///< cycles
  double mxuPush = 0, mxuLatch = 0; ///< cycles of the busiest MXU
  double chain = 0;                 ///< cycles

  /// Both, one after the other.
  Work &operator+=(const Work &other);
  /// So many copies that do not depend on each other.
  Work operator*(double copies) const;
};

/// Instructions by the latency classes of vector arithmetic.
struct Arithmetic {
  int valu = 0, multiply = 0, convert = 0, eup = 0, eupLong = 0;

  Arithmetic operator+(const Arithmetic &other) const;
  int vector() const { return valu + multiply + convert; }
};

/// The primitives of the estimate. Every coefficient is a field of the target description; all
/// else are counts of instructions, which callers know.
class MachineModel {
public:
  explicit MachineModel(const Target &target, const CodeBudget &budget = {});

  const MxuShape &mxus() const { return mxuShape; }
  int64_t dmaQueueDepth() const { return queueDepth; }

  /// The work of instructions of which those of `chain` depend on each other.
  Work arithmetic(const Arithmetic &all, const Arithmetic &chain) const;
  /// A load or a store of a vector register.
  Work load() const;
  Work store() const;
  /// A cross-lane operation: its push and its pop.
  enum class CrossLane { rotate, gather, reduce };
  Work crossLane(CrossLane what) const;
  /// A block of the cross-lane unit's transposition.
  Work transpose(int64_t pushes, int64_t pops) const;

  /// The cycles of code that issues as soon as slots and units are free, however long it waits.
  double issue(const Work &work) const;
  /// The cycles of straight-line code.
  double once(const Work &work) const;
  /// The cycles of iterations as the software pipeline of a loop: they start as often as slots and
  /// units allow, and at least `recurrence` cycles apart.
  double pipeline(const Work &iteration, double trips, double recurrence = 1) const;
  /// The least distance of iterations that evaluate a body of so many vector instructions: in the
  /// pipelines of long bodies registers run out before slots do.
  double registerBound(const Work &iteration, int bodyInstructions) const;

  /// Cycles between the steps of a product: `groups` of eight rows on each MXU while it latches
  /// `latches` groups of eight rows of the next weights. Each push has `results`.
  double productStep(double groups, double latches, double results = 1) const;
  /// From the first latch until the first push of a product may start, and from the last push until
  /// its result.
  double latchFill(double latches) const;
  double pushDrain() const;

  /// Cycles of HBM's channel for `chunks` of `bytes` each, and those before the first byte.
  double channel(double bytes, double chunks) const;
  double dmaLatency() const { return dmaStart; }
  /// From the start of a copy of `bytes` between HBM and the host until it is complete.
  double hostCopy(double bytes) const;
  /// The same of copies that do not access HBM.
  double localChannel(double bytes, double chunks) const;
  /// To start a copy.
  double dmaIssue() const { return dmaStartInterval; }

  /// Cycles of `instructions` of the scalar unit, of which `chained` depend on each other; of a
  /// conditional that is taken, and one that is not.
  double scalar(double instructions, double chained) const;
  /// Of a kernel that copies next to nothing in and out: those of its call and its copies.
  double emptyKernel() const { return 2 * (dmaStart + dmaStartInterval) + 2 * controlCycles; }
  /// A product of scalars, and a word of SMEM.
  double scalarProduct() const { return scalarMultiplyCycles; }
  double smemLoad() const { return smemLoadCycles; }
  /// Of VMEM for the buffers of a kernel.
  int64_t vmemBytes() const { return vmem; }
  /// Indices that are in SMEM at a time.
  int64_t mostIndices() const { return indexCount; }
  /// Cycles of the vector unit's arithmetic.
  double vectorCycles(const Work &work) const;
  double control() const { return controlCycles; }

private:
  /// Cycles until a result is there, and until the unit takes the next push.
  struct Latency {
    double cycles = 0, interval = 0;
  };
  Latency valu, multiply, convert, eup, eupLong, vload, transposes, mxuLatch, mxuSwap, mxuPush;
  std::array<Latency, 3> crossLanes;
  std::array<double, 6> slots{}; ///< instructions of each slot in a bundle
  MxuShape mxuShape;
  int64_t queueDepth, indexCount, vmem;
  double scalarCycles, scalarMultiplyCycles, smemLoadCycles, controlCycles, dmaStartInterval;
  double hbmRate, localRate, hostRate, dmaStart, hostLatency, minChunk;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_MACHINEMODEL_H
