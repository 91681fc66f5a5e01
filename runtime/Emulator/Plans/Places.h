// Where the values of a part are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PLACES_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PLACES_H

#include <vector>

#include "runtime/Emulator/Plans/PartGraph.h"

namespace systole::emulation {

// Live-out values are computed in their registers or FIFO slots if these are free by then, other
// values in temporaries, by linear scan.
class PlaceAssigner {
public:
  // FIFOs have these depths. Values that are only stored are computed in VMEM, if nothing accesses
  // these rows meanwhile: their stores are taken out of the graph's order, into `stores`.
  PlaceAssigner(PartGraph &graph, const ResultCounts &depths, std::vector<RowAccess> &stores);

  // Of operations in the order of the graph: products that are computed together are at the
  // position of the first one, since none may have the place of what another one reads, or of its
  // result.
  int positionOf(size_t index) const { return positions[index]; }
  // Decides the place of a value that the operation at a position computes; with `inPlace` it may
  // be that of an operand.
  void assign(int value, int position, bool inPlace);
  // Whether the value is in a FIFO behind the part.
  bool staysInFifo(int value) const { return stays[size_t(value)]; }
  int temporaries() const { return int(busyUntil.size()); }

private:
  void findPositions();
  void findLastUses();
  void forwardStores(std::vector<RowAccess> &stores);
  bool isFree(const PartGraph::Value &result, int position) const;
  int takeTemporary(int value, int position);

  PartGraph &graph;
  const ResultCounts &depths;
  std::vector<int> positions;       // by index in the order
  std::vector<int> lastUses;        // of values: positions
  std::vector<int> finalRegisterOf; // of values: a register that has it behind the part, or -1
  std::vector<bool> stays;
  std::vector<int> busyUntil; // of temporaries: positions
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PLACES_H
