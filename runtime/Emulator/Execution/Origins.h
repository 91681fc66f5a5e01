// Where the unknown values of a run for timing come from.
//
// Such a run does not compute everything. A value that it does not know has an origin: the region
// of HBM or the kernel whose contents were not computed, or several of these.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ORIGINS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ORIGINS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace systole::emulation {

// A set of sources, by its number in Origins.
using Origin = uint16_t;
// The empty set: the value is known.
inline constexpr Origin kKnown = 0;
// Unknown whatever is computed, such as data of the host.
inline constexpr Origin kNever = 1;

class Origins {
public:
  struct Source {
    enum class Kind : uint8_t { Region, Kernel };
    Kind kind;
    int32_t index; // of kernels, -1 is control between them
    auto operator<=>(const Source &) const = default;
  };

  Origins();

  Origin ofRegion(int32_t region) { return of(regions, Source::Kind::Region, region); }
  Origin ofKernel(int32_t kernel) { return of(kernels, Source::Kind::Kernel, kernel); }
  // kNever where there are too many sets, or a set is too large.
  Origin join(Origin a, Origin b) {
    if (a == b || b == kKnown)
      return a;
    if (a == kKnown)
      return b;
    return a == kNever || b == kNever ? kNever : joinSets(a, b);
  }

  const std::vector<Source> &sources(Origin origin) const { return sets[origin]; }

private:
  static constexpr size_t kMostSets = UINT16_MAX, kMostSources = 64;

  Origin of(std::vector<Origin> &known, Source::Kind kind, int32_t index);
  Origin joinSets(Origin a, Origin b);
  Origin number(std::vector<Source> set);

  std::vector<std::vector<Source>> sets; // sorted sources, by number
  std::map<std::vector<Source>, Origin> numbers;
  std::map<std::pair<Origin, Origin>, Origin> joined;
  std::vector<Origin> regions, kernels; // the sets of one source, by index + 1
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ORIGINS_H
