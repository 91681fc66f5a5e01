// The rows of VMEM, or words of SMEM, that a copy uses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/CopyRange.h"

#include "dialects/Machine/InstructionSet/Isa.h"

#include <algorithm>
#include <cstdlib>

namespace systole::verify {

int64_t CopyRange::end() const {
  int64_t end = base + chunk;
  for (size_t i = 0; i < counts.size(); ++i)
    end += (counts[i] - 1) * strides[i];
  return end;
}

/// Whether [first, end) from the range's base has a unit of the levels from `level` on.
static bool meets(const CopyRange &range, size_t level, int64_t first, int64_t end) {
  if (level == range.counts.size())
    return first < range.chunk && end > 0;
  int64_t stride = range.strides[level];
  if (stride == 0)
    return meets(range, level + 1, first, end);
  int64_t span = range.chunk;
  for (size_t i = level + 1; i < range.counts.size(); ++i)
    span += (range.counts[i] - 1) * range.strides[i];
  int64_t from = std::max<int64_t>(0, first < span ? 0 : (first - span) / stride + 1);
  int64_t to = std::min<int64_t>(range.counts[level] - 1, end <= 0 ? -1 : (end - 1) / stride);
  for (int64_t i = from; i <= to; ++i)
    if (meets(range, level + 1, first - i * stride, end - i * stride))
      return true;
  return false;
}

bool CopyRange::isLarge() const {
  return double(counts[0]) * double(counts[1]) * double(counts[2]) > double(1 << 20);
}

CopyChannel channelOf(const program::Descriptor &d) {
  if (d.dst() == program::PINNED || d.dst() == program::HOST)
    return CopyChannel::toHost;
  if (d.src() == program::PINNED || d.src() == program::HOST)
    return CopyChannel::fromHost;
  return d.src() == program::HBM || d.dst() == program::HBM ? CopyChannel::hbm : CopyChannel::local;
}

bool CopyRange::contains(int64_t unit) const {
  return !isEmpty() && unit >= base && unit < end() &&
         (isLarge() || meets(*this, 0, unit - base, unit + 1 - base));
}

bool CopyRange::overlaps(const CopyRange &other) const {
  if (space != other.space || isEmpty() || other.isEmpty() || base >= other.end() ||
      other.base >= end())
    return false;
  if (isLarge() || other.isLarge())
    return true;
  for (int64_t i = 0; i < other.counts[0]; ++i)
    for (int64_t j = 0; j < other.counts[1]; ++j)
      for (int64_t k = 0; k < other.counts[2]; ++k) {
        int64_t first =
            other.base + i * other.strides[0] + j * other.strides[1] + k * other.strides[2] - base;
        if (meets(*this, 0, first, first + other.chunk))
          return true;
      }
  return false;
}

/// More than any memory has, so that sums of a few are no overflow.
static constexpr int64_t kMostWords = int64_t(1) << 48;

CopyRange rangeOf(const program::Descriptor &d, bool isSource, const program::Region &region,
                  int64_t address, int64_t count) {
  CopyRange range;
  range.space = isSource ? d.src() : d.dst();
  const int64_t unit = range.space == program::SMEM ? 1 : isa::kLanes;
  // A source whose destination is SMEM counts words.
  const int64_t words =
      region.base() * unit + address * (isSource && d.dst() == program::SMEM ? 1 : unit);
  int levels = count >= 0 ? std::max(d.counts_size(), 1) : d.counts_size();
  int64_t first = words, end = words + d.chunk();
  bool isWhole = true;
  for (int i = 0; i < levels; ++i) {
    int64_t times = i == 0 && count >= 0 ? count : d.counts(i);
    int64_t stride = i >= d.counts_size() ? 0 : isSource ? d.src_strides(i) : d.dst_strides(i);
    if (times == 0)
      return range;
    if (std::abs(stride) > kMostWords / times) {
      range.base = 0;
      range.chunk = kMostWords;
      range.counts.fill(1);
      return range;
    }
    (stride < 0 ? first : end) += (times - 1) * stride;
    isWhole &= stride % unit == 0;
    range.counts[size_t(2 - i)] = stride == 0 ? 1 : times;
    range.strides[size_t(2 - i)] = std::abs(stride) / unit;
  }
  range.base = first / unit;
  range.chunk = (first % unit + d.chunk() + unit - 1) / unit;
  if (!isWhole) {
    range.counts.fill(1);
    range.chunk = (end + unit - 1) / unit - range.base;
  }
  return range;
}

} // namespace systole::verify
