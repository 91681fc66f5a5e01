// The cost of work that is divided among the cores of a slice, and of what moves between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_SLICEMODEL_H
#define SYSTOLE_COMPILER_MODEL_SLICEMODEL_H

namespace systole {

class Target;

/// Cycles at peak rates, before anything is tiled. Every coefficient is a field of the target
/// description.
class SliceModel {
public:
  explicit SliceModel(const Target &target);

  /// Of a link between chips for `bytes`; 0 without links.
  double link(double bytes) const { return linkRate > 0 ? bytes / linkRate : 0; }
  /// Of a collective that sends next to nothing: a core says that it is ready, and is sent a copy.
  double emptyCollective() const { return 2 * linkLatency + dmaStart; }
  /// Of a core's HBM for `bytes`.
  double hbm(double bytes) const { return bytes / hbmRate; }
  /// Of a core's MXUs for so many multiply-adds.
  double multiplyAdds(double count) const { return count / multiplyAddRate; }

private:
  double linkRate, linkLatency, dmaStart, hbmRate, multiplyAddRate;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_SLICEMODEL_H
