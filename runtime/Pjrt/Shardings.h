// What clients read of a program for several devices: a core's program as a module, with shardings.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_SHARDINGS_H
#define SYSTOLE_RUNTIME_PJRT_SHARDINGS_H

#include <string>
#include <string_view>

#include "runtime/Client/LoadedProgram.h"

namespace systole::pjrt {

// How an argument or result is divided among so many cores, as XLA writes shardings: by the numbers
// of partitions, "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}". The parts of
// `tensor` are valid.
std::string shardingOf(const program::Tensor &tensor, int cores);

// A StableHLO module as text: a function of the types that one core has, whose body is one custom
// call. Attributes of the module are layouts and shardings of its arguments and results, by XLA's
// names, which clients ask for.
std::string partitionedModule(const LoadedProgram &program, std::string_view name);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_SHARDINGS_H
