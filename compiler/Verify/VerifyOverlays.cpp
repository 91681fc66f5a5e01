// Verifies that overlays are in instruction memory when their code is called: a forward data-flow
// analysis over the entry routine, whose value is the set of overlays that are there on all paths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/VerifyOverlays.h"

#include "dialects/Machine/Program/VerifyParts.h"

#include "llvm/ADT/BitVector.h"

#include "absl/strings/str_cat.h"

#include <map>

using llvm::BitVector;

namespace systole::verify {
namespace {

using isa::Opcode;

class OverlayVerifier {
public:
  OverlayVerifier(const program::ProgramHeader &header, std::span<const isa::Bundle> bundles)
      : header(header), bundles(bundles), overlayOf(bundles.size()) {
    for (int overlay = 0; overlay < header.overlays_size(); ++overlay)
      for (int64_t at = header.overlays(overlay).begin(); at < header.overlays(overlay).end(); ++at)
        overlayOf[size_t(at)] = overlay;
  }

  absl::Status run() {
    BitVector resident(unsigned(header.overlays_size()));
    resident.set(0);
    for (int32_t number = 0; number < header.routines_size(); ++number)
      if (number != header.entry())
        verifyCallee(header.routines(number).bundles());
    const program::Range &entry = header.routines(header.entry()).bundles();
    block(entry.begin(), entry.end(), resident);
    return status;
  }

private:
  /// Routines that the entry calls load no overlays, and call only what comes with them.
  void verifyCallee(const program::Range &range) {
    for (int64_t at = range.begin(); at < range.end(); ++at) {
      const Opcode opcode = blocksOf(bundles[size_t(at)]).opcode;
      if (opcode == Opcode::overlay || opcode == Opcode::overlay_start)
        fail(at, "a routine beside the entry loads an overlay");
      if (opcode != Opcode::call)
        continue;
      const int32_t callee = overlayOfCallee(at);
      if (callee != 0 && callee != overlayOf[size_t(at)])
        fail(at, "a routine of overlay ", overlayOf[size_t(at)], " calls one of overlay ", callee);
    }
  }

  int32_t overlayOfCallee(int64_t at) const {
    const int32_t callee = bundles[size_t(at)].insts[0].operands[0].value;
    return overlayOf[size_t(header.routines(callee).bundles().begin())];
  }

  void block(int64_t begin, int64_t end, BitVector &resident) {
    for (int64_t at = begin; at < end && status.ok();) {
      const int64_t here = at++;
      const Blocks blocks = blocksOf(bundles[size_t(here)]);
      const int64_t second = at + blocks.lengths[0];
      switch (blocks.opcode) {
      case Opcode::call:
        if (const int32_t callee = overlayOfCallee(here); !resident[unsigned(callee)])
          fail(here, "calls a routine of overlay ", callee, ", which may not have been waited for");
        break;
      case Opcode::overlay:
      case Opcode::overlay_start:
        load(bundles[size_t(here)].insts[0].operands[0].value, blocks.opcode == Opcode::overlay,
             resident);
        break;
      case Opcode::exit:
        behindWhile &= resident;
        break;
      case Opcode::if_: {
        BitVector other = resident;
        block(at, second, resident);
        block(second, second + blocks.lengths[1], other);
        resident &= other;
        break;
      }
      case Opcode::loop:
      case Opcode::while_:
        repeated(at, second, blocks.opcode == Opcode::while_, resident);
        break;
      default:
        break;
      }
      for (int i = 0; i < blocks.count; ++i)
        at += blocks.lengths[i];
    }
  }

  void repeated(int64_t begin, int64_t end, bool isWhile, BitVector &resident) {
    BitVector outer = behindWhile;
    // The set shrinks from one iteration of the loops around it to the next.
    auto [head, isNew] = atHead.try_emplace(begin, resident);
    resident &= head->second;
    for (BitVector next = resident;; next = resident) {
      behindWhile = BitVector(resident.size(), true);
      // Faults count only once it is known with which overlays iterations begin.
      absl::Status before = status;
      block(begin, end, next);
      next &= resident;
      if (next == resident)
        break;
      status = before;
      resident = next;
    }
    atHead[begin] = resident;
    if (isWhile)
      resident = behindWhile;
    behindWhile = outer;
  }

  void load(int32_t overlay, bool waits, BitVector &resident) const {
    if (!waits && resident[unsigned(overlay)])
      return;
    const int64_t first = addressOfOverlay(header, overlay), end = endOf(overlay);
    for (int32_t other = 1; other < header.overlays_size(); ++other)
      if (other != overlay && addressOfOverlay(header, other) < end && first < endOf(other))
        resident.reset(unsigned(other));
    if (waits)
      resident.set(unsigned(overlay));
  }

  int64_t endOf(int32_t overlay) const {
    const program::Range &range = header.overlays(overlay);
    return addressOfOverlay(header, overlay) + range.end() - range.begin();
  }

  template <typename... Parts> void fail(int64_t bundle, const Parts &...parts) {
    if (!status.ok())
      return;
    const std::string where = describeBundle(header, bundle);
    status = absl::InternalError(absl::StrCat(
        "bundle ", bundle, where.empty() ? "" : absl::StrCat(" (", where, ")"), ": ", parts...));
  }

  const program::ProgramHeader &header;
  std::span<const isa::Bundle> bundles;
  std::vector<int32_t> overlayOf;      // by bundle
  std::map<int64_t, BitVector> atHead; // resident where iterations begin, by the first bundle
  BitVector behindWhile;               // resident where the innermost `while` is left
  absl::Status status;
};

} // namespace

absl::Status verifyOverlays(const Program &program, std::span<const isa::Bundle> bundles) {
  if (program.header.overlays_size() < 2)
    return absl::OkStatus();
  return OverlayVerifier(program.header, bundles).run();
}

} // namespace systole::verify
