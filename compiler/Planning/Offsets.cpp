// Places in one memory for buffers whose lifetimes are known.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Offsets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <map>
#include <vector>

namespace systole {

int64_t mostLive(llvm::ArrayRef<LiveBuffer> buffers) {
  std::map<int64_t, int64_t> changes;
  int64_t separate = 0;
  for (const LiveBuffer &buffer : buffers) {
    changes[buffer.begin] += buffer.size;
    changes[buffer.end + 1] -= buffer.size;
    separate += buffer.isSeparate ? buffer.size : 0;
  }
  int64_t live = 0, most = separate;
  for (auto [time, change] : changes)
    most = std::max(most, live += change);
  return most;
}

namespace {

/// Each at the lowest offset that is free in its time. Adds the pairs that were compared to
/// `comparisons`.
int64_t assignInOrder(llvm::ArrayRef<LiveBuffer *> order, int64_t &comparisons) {
  std::vector<LiveBuffer *> placed; // by their offsets
  int64_t total = 0;
  for (LiveBuffer *buffer : order) {
    int64_t offset = 0;
    for (LiveBuffer *other : placed) {
      ++comparisons;
      if (!(buffer->isSeparate && other->isSeparate) &&
          (other->begin > buffer->end || buffer->begin > other->end))
        continue;
      if (other->offset - offset >= buffer->size)
        break;
      offset = std::max(offset, other->offset + other->size);
    }
    buffer->offset = offset;
    placed.insert(
        llvm::upper_bound(placed, offset,
                          [](int64_t offset, LiveBuffer *other) { return offset < other->offset; }),
        buffer);
    total = std::max(total, offset + buffer->size);
  }
  return total;
}

} // namespace

int64_t assignOffsets(llvm::MutableArrayRef<LiveBuffer> buffers, int64_t capacity) {
  using Key = std::pair<double, double>; // the largest first
  using KeyOf = Key (*)(const LiveBuffer &);
  // The largest first; where that leaves gaps, those that take most for most of the time, those
  // that live longest, or as they come to be.
  const KeyOf keys[] = {
      [](const LiveBuffer &b) { return Key(b.size, 0); },
      [](const LiveBuffer &b) { return Key(double(b.size) * double(b.end - b.begin + 1), 0); },
      [](const LiveBuffer &b) { return Key(b.end - b.begin, b.size); },
      [](const LiveBuffer &b) { return Key(-b.begin, b.size); },
  };
  // A second or so: programs of that many buffers take what the first order finds.
  constexpr int64_t kMostComparisons = int64_t(1) << 28;
  constexpr int kMostRepairs = 64; // of an order
  const int64_t least = mostLive(buffers);
  int64_t comparisons = 0;
  int64_t fewest = INT64_MAX;
  std::vector<int64_t> offsets;
  std::vector<LiveBuffer *> order;
  for (LiveBuffer &buffer : buffers)
    order.push_back(&buffer);
  auto assign = [&] {
    const int64_t total = assignInOrder(order, comparisons);
    if (total < fewest) {
      fewest = total;
      offsets.clear();
      for (const LiveBuffer &buffer : buffers)
        offsets.push_back(buffer.offset);
    }
  };
  auto placeFirst = [&](llvm::function_ref<bool(LiveBuffer *, LiveBuffer *)> isBefore) {
    llvm::stable_sort(order, [&](LiveBuffer *a, LiveBuffer *b) {
      return a->isSeparate != b->isSeparate ? a->isSeparate : isBefore(a, b);
    });
    assign();
  };
  for (KeyOf key : keys) {
    llvm::sort(order); // as they are given
    placeFirst([&](LiveBuffer *a, LiveBuffer *b) { return key(*a) > key(*b); });
    if (fewest <= least || comparisons > kMostComparisons)
      break;
  }
  // Buffers that end beyond the capacity are placed before the others, of each order in turn.
  auto mustGoOn = [&] {
    return least <= capacity && fewest > capacity && comparisons <= kMostComparisons;
  };
  auto isBeyond = [&](LiveBuffer *buffer) { return buffer->offset + buffer->size > capacity; };
  for (KeyOf key : keys) {
    if (!mustGoOn())
      break;
    llvm::sort(order);
    placeFirst([&](LiveBuffer *a, LiveBuffer *b) { return key(*a) > key(*b); });
    for (int repair = 0; repair < kMostRepairs && mustGoOn(); ++repair)
      placeFirst([&](LiveBuffer *a, LiveBuffer *b) { return isBeyond(a) > isBeyond(b); });
  }
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    buffer.offset = offset;
  return fewest;
}

} // namespace systole
