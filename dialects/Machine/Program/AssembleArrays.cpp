// Directives of the arrays of a program in the machine's text form: its arguments, its results, and
// what it exchanges with the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"

#include "dialects/Machine/Program/AsmParser.h"
#include "dialects/Machine/Program/AsmSyntax.h"

namespace systole::assembly {

// NAME DTYPE[DIM, ...] [layout [DIM, ...]] [tile N] in REGION [and REGION]... [dynamic N in
// REGION]... [of MEMORY] [whole [DIM, ...] at [INDEX, ...]...]; the last dimension is minor-most
// unless the layout, from minor to major, says otherwise. Of a tile, N positions of the second-last
// dimension share each row. Elements of more than 32 bits have a region for each of their words.
// The sizes of dynamic dimensions have regions of their own. The whole array has the position of a
// part for each core.
bool Parser::parseTensor(program::Tensor &tensor) {
  int64_t region;
  if (!parseText(*tensor.mutable_name()) || !parseText(*tensor.mutable_dtype()) ||
      !parseIntegers(*tensor.mutable_dims()))
    return false;
  auto *order = tensor.mutable_layout()->mutable_minor_to_major();
  if (acceptWord("layout")) {
    if (!parseIntegers(*order))
      return false;
  } else {
    for (int dim = tensor.dims_size(); dim-- > 0;)
      order->Add(dim);
  }
  if (acceptWord("tile")) {
    int64_t tile;
    if (!parseInteger(tile))
      return false;
    tensor.mutable_layout()->set_row_tile(tile);
  }
  if (!expectWord("in") || !parseRegion(region))
    return false;
  tensor.set_region(int32_t(region));
  while (acceptWord("and")) {
    if (!parseRegion(region))
      return false;
    tensor.add_high_regions(int32_t(region));
  }
  while (acceptWord("dynamic")) {
    int64_t dim;
    if (!parseInteger(dim) || !expectWord("in") || !parseRegion(region))
      return false;
    program::DynamicDim &size = *tensor.add_dynamic_dims();
    size.set_dim(dim);
    size.set_region(int32_t(region));
  }
  if (acceptWord("of") && !parseArrayMemory(tensor))
    return false;
  const bool isDivided = acceptWord("whole");
  if (isDivided && (!parseIntegers(*tensor.mutable_whole_dims()) || !expectWord("at")))
    return false;
  while (isDivided && token.is('[')) {
    const Position position = token.position;
    const int before = tensor.core_positions_size();
    if (!parseIntegers(*tensor.mutable_core_positions()))
      return false;
    const int indices = tensor.core_positions_size() - before;
    if (indices != tensor.whole_dims_size())
      return fail(position,
                  absl::StrCat(indices, " indices of ", tensor.whole_dims_size(), " dimensions"));
  }
  return !acceptWord("terms") || parseIntegers(*tensor.mutable_core_terms());
}

// pinned_host or unpinned_host: the memory of the host that the caller has an array in.
bool Parser::parseArrayMemory(program::Tensor &tensor) {
  for (program::Memory memory : {program::PINNED_HOST, program::UNPINNED_HOST})
    if (acceptWord(memoryKind(memory))) {
      tensor.set_memory(memory);
      return true;
    }
  return unexpected("`pinned_host` or `unpinned_host`");
}

bool Parser::parseArgument() {
  program::Tensor &argument = *program.header.add_arguments();
  if (!parseTensor(argument))
    return false;
  argument.set_donated(acceptWord("donated"));
  return true;
}

bool Parser::parseResult() {
  program::Tensor &result = *program.header.add_results();
  if (!parseTensor(result))
    return false;
  int64_t argument;
  if (acceptWord("alias")) {
    if (!parseInteger(argument, 0, program.header.arguments_size() - 1))
      return false;
    result.set_aliased_input(int32_t(argument) + 1);
  }
  return true;
}

// TENSOR {, TENSOR} channel N [source TEXT]
bool Parser::parseTransfer(bool toHost, bool queued) {
  program::HostTransfer &transfer = *program.header.add_transfers();
  transfer.set_to_host(toHost);
  transfer.set_queued(queued);
  int64_t channel;
  do {
    if (!parseTensor(*transfer.add_tensors()))
      return false;
  } while (accept(','));
  if (!expectWord("channel") || !parseInteger(channel, 0, INT64_MAX))
    return false;
  transfer.set_channel(channel);
  return !acceptWord("source") || parseText(*transfer.mutable_source());
}

} // namespace systole::assembly
