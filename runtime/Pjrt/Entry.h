// Adapters from functions of the C interface to their implementations.
//
// Clients were built against other versions of the header: their structures are
// shorter or longer than ours. Each function works on a copy of ours; the part
// that the caller's version has is copied in and out, the rest reads as zero
// and is not written back.
//
// Structures within these are read differently: clients leave their size uninitialized (PyTorch/XLA
// 2.9 that of a PJRT_Buffer_MemoryLayout), so their first version's fields are read, whatever it
// is.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_ENTRY_H
#define SYSTOLE_RUNTIME_PJRT_ENTRY_H

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "pjrt_c_api.h"
#include "runtime/Client/Guarded.h"

struct PJRT_Error {
  absl::Status status;
};

namespace systole::pjrt {

// Null for success.
PJRT_Error *toError(absl::Status status);

// The bytes of a nested structure's first version: those of ours unless the interface has added
// fields since.
template <typename T> inline constexpr size_t kFirstSize = sizeof(T);
template <>
inline constexpr size_t kFirstSize<PJRT_ExecuteOptions> =
    PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, num_non_donatable_input_indices);

// A copy of a structure within a caller's arguments, the rest zero.
template <typename T> T nestedCopyOf(const T *from) {
  T copy{};
  if (from)
    std::memcpy(static_cast<void *>(&copy), from, kFirstSize<T>);
  return copy;
}

// A copy of a caller's structure, the rest zero.
template <typename T> T copyOf(const T *from) {
  T copy{};
  if (from)
    std::memcpy(static_cast<void *>(&copy), from, std::min(from->struct_size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

template <typename T> void copyBack(const T &copy, T *to) {
  const size_t known = std::min(to->struct_size, sizeof(T));
  // The caller's own size field is not overwritten.
  constexpr size_t skip = sizeof(size_t);
  if (known > skip)
    std::memcpy(reinterpret_cast<char *>(to) + skip, reinterpret_cast<const char *>(&copy) + skip,
                known - skip);
}

template <auto implementation> struct Entry;

// `&Entry<f>::call` is the C function of an `absl::Status f(Args &)`.
template <typename Args, absl::Status (*implementation)(Args &)> struct Entry<implementation> {
  static PJRT_Error *call(Args *args) {
    return toError(guarded([&] {
      if (!args)
        return absl::InvalidArgumentError("the arguments are null");
      Args copy = copyOf(args);
      absl::Status status = implementation(copy);
      if (status.ok())
        copyBack(copy, args);
      return status;
    }));
  }
};

// The same of a `void f(Args &)`, which cannot fail.
template <typename Args, void (*implementation)(Args &)> struct Entry<implementation> {
  static void call(Args *args) {
    if (!args)
      return;
    Args copy = copyOf(args);
    implementation(copy);
    copyBack(copy, args);
  }
};

// Zeroes the fields after the last one that the caller fills, for functions that do not
// implement all of them: clients do not initialize the fields for results.
template <typename Args, typename Field> void clearBehind(Args &args, const Field &lastInput) {
  char *begin = reinterpret_cast<char *>(&args);
  const size_t kept = size_t(reinterpret_cast<const char *>(&lastInput + 1) - begin);
  std::memset(begin + kept, 0, sizeof(Args) - kept);
}

// InvalidArgument for a list that the caller left out. Empty ones may be null.
#define SYSTOLE_PJRT_REQUIRE_LIST(pointer, count)                                                  \
  if ((count) > 0)                                                                                 \
  SYSTOLE_PJRT_REQUIRE(pointer)

// InvalidArgument for an argument that the caller left out.
#define SYSTOLE_PJRT_REQUIRE(pointer)                                                              \
  if (!(pointer))                                                                                  \
  return absl::InvalidArgumentError("`" #pointer "` is null")

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_ENTRY_H
