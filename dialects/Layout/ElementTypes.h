// Sizes of elements and shapes, as programs and files name them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_ELEMENTTYPES_H
#define SYSTOLE_DIALECTS_LAYOUT_ELEMENTTYPES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace systole {

// Bits of an element on the device (i1 is stored as 8-bit 0 or 1, other types of less than
// 8 bits as a byte, too); std::nullopt for a type without a layout. The types are those of
// program.proto.
std::optional<int> elementBits(std::string_view dtype);

// The low bits of a byte that are the value, of a type other than i1 with less than 8 bits; 8 for
// all other types. The host leaves the others zero and ignores them; on the device those of
// signed integers are copies of the sign.
int valueBits(std::string_view dtype);

// Product of the dimensions; std::nullopt if one is negative or the product passes 2^48.
std::optional<int64_t> elementCount(std::span<const int64_t> dims);

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_ELEMENTTYPES_H
