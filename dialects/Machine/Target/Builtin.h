// The built-in target descriptions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_BUILTIN_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_BUILTIN_H

#include <span>
#include <string_view>

namespace systole {

struct BuiltinTarget {
  std::string_view name;
  std::string_view text;
};

std::span<const BuiltinTarget> builtinTargets();

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_BUILTIN_H
