// What the plugin calls itself, and what clients are created with.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_PLATFORM_H
#define SYSTOLE_RUNTIME_PJRT_PLATFORM_H

#include <string_view>

#include "absl/status/statusor.h"
#include "pjrt_c_api.h"
#include "runtime/Client/Client.h"

namespace systole::pjrt {

// By this name JAX chooses how it lowers: under one that it does not know it drops donation, the
// compilation cache and more.
inline constexpr std::string_view kPlatformName = "tpu";
inline constexpr std::string_view kMemoryKind = "device";

// Options `target`, `precision`, `report` and `cache`, else the environment's SYSTOLE_TARGET and so
// on, else defaults. Options of other names are other plugins'.
absl::StatusOr<ClientOptions> clientOptions(const PJRT_NamedValue *options, size_t count);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_PLATFORM_H
