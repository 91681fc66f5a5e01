// Formats of the values of command-line options.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_VALUES_H
#define SYSTOLE_TOOLS_SYSTOLE_VALUES_H

#include <CLI/CLI.hpp>

#include <cstdint>

namespace systole {

// Rejects an empty text, such as the value of an unset variable of a script.
CLI::Validator notEmpty();

// Accepts whole numbers of at most `most`, without signs, fractions and
// exponents.
CLI::Validator wholeNumber(uint64_t most);

// Turns "4096", "512MB" or "4GiB" into a number of bytes of at most 2^63 - 1. All
// units are powers of 1024.
CLI::Validator byteCount();

} // namespace systole

#endif // SYSTOLE_TOOLS_SYSTOLE_VALUES_H
