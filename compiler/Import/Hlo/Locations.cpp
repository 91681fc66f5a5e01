// Source locations of HLO instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace systole::hlo {

/// Outer frames beyond this depth are dropped.
static constexpr unsigned kMaxFrames = 64;

Locations::Locations(const StackFrameIndexProto &frames, MLIRContext *context)
    : frames(frames), context(context), known(frames.stack_frames_size()) {}

static Location line(StringRef file, int32_t line, int32_t column, MLIRContext *context) {
  return FileLineColLoc::get(context, file, std::max(line, 0), std::max(column, 0));
}

/// Element `id` of a table whose ids start at 1, or null.
template <typename Table> static auto *entry(const Table &table, int32_t id) {
  return id > 0 && id <= table.size() ? &table.Get(id - 1) : nullptr;
}

Location Locations::ofFrame(int32_t frame) {
  if (known[frame - 1])
    return cast<LocationAttr>(known[frame - 1]);
  // From the innermost frame outwards.
  SmallVector<Location> stack;
  for (int32_t id = frame; stack.size() < kMaxFrames;) {
    const auto *each = entry(frames.stack_frames(), id);
    const auto *fileLocation =
        each ? entry(frames.file_locations(), each->file_location_id()) : nullptr;
    const auto *file =
        fileLocation ? entry(frames.file_names(), fileLocation->file_name_id()) : nullptr;
    if (!file)
      break;
    Location location = line(*file, fileLocation->line(), fileLocation->column(), context);
    if (const auto *function = entry(frames.function_names(), fileLocation->function_name_id());
        function && !function->empty())
      location = NameLoc::get(StringAttr::get(context, *function), location);
    stack.push_back(location);
    id = each->parent_frame_id();
  }
  Location result = stack.empty() ? Location(UnknownLoc::get(context)) : stack.back();
  for (size_t i = stack.size(); i-- > 1;)
    result = CallSiteLoc::get(stack[i - 1], result);
  known[frame - 1] = result;
  return result;
}

Location Locations::of(const HloInstructionProto &instruction) {
  const OpMetadata &metadata = instruction.metadata();
  Location source = UnknownLoc::get(context);
  if (!metadata.source_file().empty())
    source =
        line(metadata.source_file(), metadata.source_line(), metadata.source_column(), context);
  else if (entry(frames.stack_frames(), metadata.stack_frame_id()))
    source = ofFrame(metadata.stack_frame_id());
  const std::string &name = metadata.op_name().empty() ? instruction.name() : metadata.op_name();
  return name.empty() ? source : NameLoc::get(StringAttr::get(context, name), source);
}

} // namespace systole::hlo
