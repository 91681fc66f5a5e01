// The chips of a slice and the links between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/Topology.h"

#include <algorithm>
#include <cassert>

#include "absl/strings/str_cat.h"

namespace systole {

// Larger slices are entries of their own: a dimension of a slice that is a whole ring of the pod
// wraps, others do not.
static constexpr SliceDescription kSlices[] = {
    {"v2",
     {2, 2, 1},
     {},
     1,
     target::DERIVED,
     "Cloud TPU documentation, system architecture of TPU v2: four chips on a board with one host; "
     "that links inside of the board alone are used is an assumption"},
    {"v3",
     {2, 2, 1},
     {},
     1,
     target::DERIVED,
     "Cloud TPU documentation, system architecture of TPU v3: four chips on a board with one host; "
     "that links inside of the board alone are used is an assumption"},
    {"v4",
     {2, 2, 1},
     {},
     1,
     target::PUBLISHED,
     "Cloud TPU documentation, TPU v4: the smallest slice is 2x2x1; only whole cubes of 4x4x4 "
     "wrap"},
    {"v5e", {2, 2, 1}, {}, 1, target::PUBLISHED, "Cloud TPU documentation, TPU v5e: 2x2"},
    {"v5e",
     {2, 4, 1},
     {},
     1,
     target::PUBLISHED,
     "Cloud TPU documentation, TPU v5e: 2x4; only 16x16 wraps"},
    {"v6e", {2, 2, 1}, {}, 1, target::PUBLISHED, "Cloud TPU documentation, TPU v6e: 2x2"},
    {"v6e",
     {2, 4, 1},
     {},
     1,
     target::PUBLISHED,
     "Cloud TPU documentation, TPU v6e: 2x4; only 16x16 wraps"},
};

std::span<const SliceDescription> slices() { return kSlices; }

Topology::Topology(const Target &target, int cores)
    : coresPerChip(int(target.description().cores_per_chip().value())) {
  assert(cores > 0 && "a slice has cores");
  const int needed = (cores + coresPerChip - 1) / coresPerChip;
  extents[0] = needed;
  int most = INT32_MAX;
  for (const SliceDescription &slice : kSlices) {
    const int chips = slice.extents[0] * slice.extents[1] * slice.extents[2];
    if (slice.target != target.description().name() || chips < needed || chips >= most)
      continue;
    most = chips;
    extents = slice.extents;
    wraps = slice.wraps;
    hostCount = slice.hosts;
  }
}

Topology::Coordinates Topology::coordinatesOf(int chip) const {
  return {chip % extents[0], chip / extents[0] % extents[1], chip / (extents[0] * extents[1])};
}

std::string Topology::nameOf(int link) const {
  assert(link >= 0 && link < links() && "a link of the slice");
  static constexpr const char *kNames[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
  return absl::StrCat("chip ", link / (2 * kDimensions), " ", kNames[link % (2 * kDimensions)]);
}

std::vector<int> Topology::route(int from, int to) const {
  assert(from >= 0 && from < chips() && to >= 0 && to < chips() && "chips of the slice");
  std::vector<int> links;
  Coordinates at = coordinatesOf(from);
  const Coordinates end = coordinatesOf(to);
  for (int d = 0; d < kDimensions; ++d) {
    const int up = (end[d] - at[d] + extents[d]) % extents[d];
    const bool goesUp = wraps[d] ? 2 * up <= extents[d] : end[d] > at[d];
    while (at[d] != end[d]) {
      links.push_back(linkOf(at[0] + extents[0] * (at[1] + extents[1] * at[2]), d, goesUp));
      at[d] = (at[d] + (goesUp ? 1 : extents[d] - 1)) % extents[d];
    }
  }
  return links;
}

} // namespace systole
