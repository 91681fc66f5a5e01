// What the values of command-line options must look like.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_VALUES_H
#define SYSTOLE_TOOLS_SYSTOLE_VALUES_H

#include <CLI/CLI.hpp>

#include <cstdint>

namespace systole {

// Refuses an empty text, which a script makes of a variable that is not set.
CLI::Validator notEmpty();

// Refuses what is not a whole number of at most `most`: signs, fractions,
// exponents, more digits than a number holds.
CLI::Validator wholeNumber(uint64_t most);

// Turns "4096", "512MB" or "4GiB" into a number of bytes of at most 2^63 - 1. All
// units are powers of 1024.
CLI::Validator byteCount();

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_VALUES_H
