// How the arrays of a program for several devices are divided, as XLA writes it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_SHARDINGS_H
#define SYSTOLE_RUNTIME_PJRT_SHARDINGS_H

#include <string>
#include <vector>

#include "dialects/Machine/Program/Program.h"

namespace systole::pjrt {

// How an argument or result is divided among so many cores, as XLA writes shardings: by the numbers
// of partitions, "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}". The parts of
// `tensor` are valid.
std::string shardingOf(const program::Tensor &tensor, int cores);

std::vector<std::string>
shardingsOf(const google::protobuf::RepeatedPtrField<program::Tensor> &tensors, int cores);

// That of all results: a list for several of them, empty without results.
std::string outputSharding(const program::ProgramHeader &header);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_SHARDINGS_H
