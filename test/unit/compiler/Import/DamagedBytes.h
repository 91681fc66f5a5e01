// Damage for readers of untrusted bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_IMPORT_DAMAGEDBYTES_H
#define SYSTOLE_TEST_UNIT_COMPILER_IMPORT_DAMAGEDBYTES_H

#include <random>
#include <string>

namespace systole::test {

/// The bytes with one to three flipped bits.
inline std::string withFlippedBits(std::string bytes, std::mt19937 &random) {
  for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
    bytes[random() % bytes.size()] ^= 1 << random() % 8;
  return bytes;
}

/// The bytes without a few of them, or with a few twice.
inline std::string withBytesMissingOrTwice(std::string bytes, bool isMissing,
                                           std::mt19937 &random) {
  size_t place = random() % bytes.size(), size = 1 + random() % 8;
  if (isMissing)
    bytes.erase(place, size);
  else
    bytes.insert(place, bytes.substr(random() % bytes.size(), size));
  return bytes;
}

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_COMPILER_IMPORT_DAMAGEDBYTES_H
