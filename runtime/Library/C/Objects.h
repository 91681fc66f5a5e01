// The objects behind the handles of the C interface, and helpers of its functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_LIBRARY_C_OBJECTS_H
#define SYSTOLE_RUNTIME_LIBRARY_C_OBJECTS_H

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/Client/Guarded.h"
#include "systole/compiler.h"
#include "systole/systole.h"

struct systole_error {
  absl::StatusCode code;
  std::string message;
};

struct systole_event {
  systole::v0::Event event;
};

struct systole_cancellation {
  systole::v0::Cancellation cancellation;
};

struct systole_device {
  systole::v0::Device device;
};

struct systole_buffer {
  systole::v0::Buffer buffer;
};

struct systole_executable {
  systole::v0::Executable executable;
};

struct systole_execution {
  systole::v0::Execution execution;
};

struct systole_report {
  systole::v0::Report report;
};

namespace systole::c {

// Null for success.
systole_error *toError(const absl::Status &status);

// The error of `call()`, which returns an absl::Status; exceptions are errors, too.
template <typename Call> systole_error *guard(Call call) { return toError(guarded(call)); }

// More than any version's structure, so that a wild size is not read.
inline constexpr size_t kMaxStructBytes = 4096;

// InvalidArgument if a structure of the caller is null, or its size is not one of a version's:
// those end with a whole field.
template <typename T> absl::Status checkStruct(const T *given, const char *name) {
  if (!given)
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` is null"));
  if (given->struct_size < sizeof(given->struct_size) || given->struct_size > kMaxStructBytes ||
      given->struct_size % alignof(T) != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("struct_size of `", name, "` is ", given->struct_size));
  return absl::OkStatus();
}

// A copy of a caller's structure. Fields that a smaller one lacks are zero; InvalidArgument if a
// larger one sets fields that this version does not know.
template <typename T> absl::StatusOr<T> copyIn(const T *given, const char *name) {
  if (absl::Status status = checkStruct(given, name); !status.ok())
    return status;
  const auto *bytes = reinterpret_cast<const unsigned char *>(given);
  if (given->struct_size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + given->struct_size,
                                                    [](auto byte) { return byte != 0; }))
    return absl::InvalidArgumentError(
        absl::StrCat("`", name, "` sets fields of a later version of the interface than ",
                     SYSTOLE_API_VERSION_MAJOR, ".", SYSTOLE_API_VERSION_MINOR));
  T copy{};
  std::memcpy(static_cast<void *>(&copy), given, std::min(given->struct_size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

// The same of options, which may be null.
template <typename T> absl::StatusOr<T> copyOptions(const T *given, const char *name) {
  return given ? copyIn(given, name) : T{};
}

// Fills in a caller's structure, as far as it goes.
template <typename T> void copyOut(const T &from, T *to) {
  const size_t known = std::min(to->struct_size, sizeof(T));
  constexpr size_t skip = sizeof(to->struct_size);
  std::memcpy(reinterpret_cast<char *>(to) + skip, reinterpret_cast<const char *>(&from) + skip,
              known - skip);
}

// Points into `type`.
inline systole_tensor_type cType(const v0::TensorType &type) {
  return {sizeof(systole_tensor_type), systole_element_type(type.elementType), type.dims.size(),
          type.dims.data(), type.minorToMajor.data()};
}

// InvalidArgument for an argument that the caller left out.
#define SYSTOLE_REQUIRE(pointer)                                                                   \
  if (!(pointer))                                                                                  \
  return absl::InvalidArgumentError("`" #pointer "` is null")

} // namespace systole::c

#endif // SYSTOLE_RUNTIME_LIBRARY_C_OBJECTS_H
