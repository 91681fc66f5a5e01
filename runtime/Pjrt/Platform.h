// The names of the plugin's platform, and the options of clients.
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

// JAX chooses lowering rules by this name: for an unknown one it disables donation, the
// compilation cache and more.
inline constexpr std::string_view kPlatformName = "tpu";

// Options `target`, `precision`, `report` and `cache`, else the environment's SYSTOLE_TARGET and so
// on, else defaults. Other options are ignored: they are for other plugins.
absl::StatusOr<ClientOptions> clientOptions(const PJRT_NamedValue *options, size_t count);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_PLATFORM_H
