// Host memory that reads as zero and costs nothing until it is written.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_RESERVATION_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_RESERVATION_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace systole::emulation {

// A range of the host's addresses.
class Reservation {
public:
  Reservation() = default;
  // ResourceExhausted if the host has not that much address space.
  static absl::StatusOr<Reservation> create(size_t bytes);
  Reservation(Reservation &&other) noexcept;
  Reservation &operator=(Reservation &&other) noexcept;
  ~Reservation();

  uint8_t *data() const { return base; }
  size_t size() const { return bytes; }
  // Releases whole pages inside a range; they read as zero again.
  void release(size_t offset, size_t count);
  // Zeroes all of it.
  void clear();
  // Lets the host give all pages of a range now, where it can: cheaper than one by one.
  void populate(size_t offset, size_t count);
  // Leaves the memory to the caller, who gives it back with `deallocate`.
  uint8_t *leak() && { return std::exchange(base, nullptr); }
  static void deallocate(void *base, size_t bytes);

private:
  uint8_t *base = nullptr;
  size_t bytes = 0;
};

// Elements of a vector that are zero, and take memory once they are written.
template <typename T> struct LazyZeros {
  using value_type = T;
  LazyZeros() = default;
  template <typename U> LazyZeros(const LazyZeros<U> &) {}
  bool operator==(const LazyZeros &) const = default;

  T *allocate(size_t count) {
    absl::StatusOr<Reservation> memory = Reservation::create(count * sizeof(T));
    if (!memory.ok())
      throw std::bad_alloc();
    return reinterpret_cast<T *>((*std::move(memory)).leak());
  }
  void deallocate(T *base, size_t count) { Reservation::deallocate(base, count * sizeof(T)); }
  // Fresh memory is zero.
  template <typename U> void construct(U *) {}
  template <typename U, typename... Args> void construct(U *at, Args &&...args) {
    ::new (static_cast<void *>(at)) U(std::forward<Args>(args)...);
  }
};
// Sized once: elements that `resize` adds behind others may not be zero.
template <typename T> using LazyVector = std::vector<T, LazyZeros<T>>;

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_RESERVATION_H
