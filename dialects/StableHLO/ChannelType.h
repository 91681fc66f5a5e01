// The kinds of channels of transfers and collective operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_STABLEHLO_CHANNELTYPE_H
#define SYSTOLE_DIALECTS_STABLEHLO_CHANNELTYPE_H

#include <cstdint>

namespace systole::stablehlo {

/// The `type` of a channel handle.
enum ChannelType : int64_t { kUnspecified, kDeviceToDevice, kDeviceToHost, kHostToDevice };

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_CHANNELTYPE_H
