// Shardings and sharding rules in Shardy's own text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_SDY_PRINTTEXT_H
#define SYSTOLE_DIALECTS_SDY_PRINTTEXT_H

#include "dialects/Sdy/Sdy.h"

namespace systole::sdy {

/// Whether it is a sharding of one tensor, of any version.
bool isSharding(const coded::Node &node);

/// Shardy's text of a sharding, of those of several values, or of a sharding rule; nothing for
/// others, and for a structure that the text does not have.
std::optional<std::string> textOf(const coded::Node &node);

} // namespace systole::sdy

#endif // SYSTOLE_DIALECTS_SDY_PRINTTEXT_H
