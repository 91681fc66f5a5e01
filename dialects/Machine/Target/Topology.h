// The chips of a slice and the links between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_TOPOLOGY_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_TOPOLOGY_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/Machine/Target/Target.h"

namespace systole {

// A slice as it is rented: chips in a mesh or torus of up to three dimensions.
struct SliceDescription {
  std::string_view target;    // "v3"
  std::array<int, 3> extents; // chips along x, y, z
  std::array<bool, 3> wraps;  // whether a dimension is a ring
  int hosts;                  // machines that the chips are attached to
  target::Confidence confidence;
  std::string_view source;
};

// All that are known.
std::span<const SliceDescription> slices();

// Where the cores of a slice are. Cores are numbered by chip, and chips with x the fastest.
class Topology {
public:
  static constexpr int kDimensions = 3;
  using Coordinates = std::array<int, kDimensions>;

  // Of the smallest known slice of the target with at least so many cores. Where there is none, the
  // chips are a line along x.
  Topology(const Target &target, int cores);

  int chips() const { return extents[0] * extents[1] * extents[2]; }
  int chipOf(int core) const { return core / coresPerChip; }
  Coordinates coordinatesOf(int chip) const;
  int hosts() const { return hostCount; }

  // Links are directed: of each chip one to its neighbours along each dimension, down and up.
  int links() const { return chips() * 2 * kDimensions; }
  // "chip 2 +x"
  std::string nameOf(int link) const;
  // The links from chip to chip: dimension by dimension, x first, the shorter way around a ring, up
  // where both are equal. None from a chip to itself.
  std::vector<int> route(int from, int to) const;

private:
  int linkOf(int chip, int dimension, bool up) const {
    return (chip * kDimensions + dimension) * 2 + up;
  }

  Coordinates extents{1, 1, 1};
  std::array<bool, kDimensions> wraps{};
  int coresPerChip = 1, hostCount = 1;
};

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_TOPOLOGY_H
