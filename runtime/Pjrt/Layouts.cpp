// How arrays lie: of buffers, by default, and of an executable's arguments and results.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Layouts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/Pjrt/ElementTypes.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Objects.h"
#include "runtime/Pjrt/Profile.h"

namespace systole::pjrt {

MemoryLayout::MemoryLayout(const ArrayType &type)
    : text(absl::StrCat("{", absl::StrJoin(type.minorToMajor(), ","), "}")) {}

namespace {

absl::Status destroy(LayoutDestroyArgs &args) {
  delete args.layout;
  return absl::OkStatus();
}

absl::Status serialize(LayoutSerializeArgs &args) {
  SYSTOLE_PJRT_REQUIRE(args.layout);
  args.holder = new MemoryLayout(*args.layout);
  args.bytes = args.holder->text.data();
  args.bytesSize = args.holder->text.size();
  args.free = [](MemoryLayout *holder) { delete holder; };
  return absl::OkStatus();
}

// The layout that the shape decides, on every machine.
template <typename Args> absl::Status defaultLayout(Args &args) {
  SYSTOLE_PJRT_REQUIRE_LIST(args.dims, args.rank);
  absl::StatusOr<std::shared_ptr<const ArrayType>> type =
      ArrayType::create(elementTypeName(args.type), {args.dims, args.rank});
  if (!type.ok())
    return type.status();
  args.layout = new MemoryLayout(**type);
  return absl::OkStatus();
}

absl::Status ofBuffer(BufferLayoutArgs &args) {
  SYSTOLE_PJRT_REQUIRE(args.buffer);
  args.layout = new MemoryLayout(*args.buffer->type);
  return absl::OkStatus();
}

void list(const std::vector<MemoryLayout *> &layouts, ExecutableLayoutsArgs &args) {
  args.count = layouts.size();
  args.layouts = layouts.data();
}

absl::Status ofResults(ExecutableLayoutsArgs &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  list(args.executable->program->resultLayouts, args);
  return absl::OkStatus();
}

absl::Status ofArguments(ExecutableLayoutsArgs &args) {
  SYSTOLE_PJRT_REQUIRE(args.executable);
  list(args.executable->program->argumentLayouts, args);
  return absl::OkStatus();
}

} // namespace

LayoutsExtension layoutsExtension = {
    .base = {.struct_size = sizeof(LayoutsExtension),
             .type = PJRT_Extension_Type_Layouts,
             .next = &profilerExtension.base},
    .destroy = &Entry<&destroy>::call,
    .serialize = &Entry<&serialize>::call,
    .clientDefault = &Entry<&defaultLayout<ClientDefaultLayoutArgs>>::call,
    .ofBuffer = &Entry<&ofBuffer>::call,
    .topologyDefault = &Entry<&defaultLayout<TopologyDefaultLayoutArgs>>::call,
    .ofResults = &Entry<&ofResults>::call,
    .ofArguments = &Entry<&ofArguments>::call,
};

} // namespace systole::pjrt
