// The program verifier: limits of the machine, and the order of the checks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Verify.h"

#include <algorithm>

#include "dialects/Machine/Program/AsmSyntax.h"
#include "dialects/Machine/Program/VerifyParts.h"

namespace systole {
namespace verify {

template <typename... Parts> static absl::Status invalid(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

static absl::Status checkBundleFormat(const Context &context) {
  const isa::BundleFormat format = formatOf(context.program.header);
  for (int slot = 0; slot < isa::kSlotKinds; ++slot)
    if (format.slots[size_t(slot)] != context.limits.bundle.slots[size_t(slot)])
      return invalid("the program's bundles have ", format.slots[size_t(slot)], " ",
                     assembly::toAbsl(isa::name(isa::Slot(slot))), " slots, the machine's ",
                     context.limits.bundle.slots[size_t(slot)]);
  if (format.immediates != context.limits.bundle.immediates)
    return invalid("the program's bundles have ", format.immediates,
                   " shared immediates, the machine's ", context.limits.bundle.immediates);
  return absl::OkStatus();
}

static absl::Status checkMemories(const Context &context) {
  const program::ProgramHeader &header = context.program.header;
  const struct {
    program::Space space;
    int64_t used, available;
    const char *unit;
  } memories[] = {
      {program::HBM, header.hbm_rows(), context.limits.hbmRows, "rows"},
      {program::VMEM, header.vmem_rows(), context.limits.vmemRows, "rows"},
      {program::SMEM, header.smem_words(), context.limits.smemWords, "words"},
  };
  for (const auto &memory : memories)
    if (memory.used > memory.available)
      return invalid("the program uses ", memory.used, " ", memory.unit, " of ",
                     assembly::spaceName(memory.space), "; the machine has ", memory.available);
  return absl::OkStatus();
}

static absl::Status checkDescriptors(const Context &context) {
  const auto &descriptors = context.program.header.descriptors();
  for (int i = 0; i < descriptors.size(); ++i) {
    int levels = 1; // the chunk
    for (int level = 0; level < descriptors.Get(i).counts_size(); ++level)
      if (descriptors.Get(i).counts(level) > 1)
        levels = level + 2;
    if (levels > context.limits.dmaDimensions)
      return invalid("descriptor ", i, " has ", levels, " dimensions; the machine's copies have ",
                     context.limits.dmaDimensions);
  }
  return absl::OkStatus();
}

// Every bundle belongs to one routine; routines may be in any order.
static absl::Status checkRoutines(const Context &context) {
  std::vector<const program::Routine *> routines;
  for (const program::Routine &routine : context.program.header.routines())
    routines.push_back(&routine);
  std::sort(routines.begin(), routines.end(), [](const auto *a, const auto *b) {
    return a->bundles().begin() < b->bundles().begin();
  });
  int64_t next = 0;
  for (const program::Routine *routine : routines) {
    if (routine->bundles().begin() != next)
      return invalid("routine `", routine->name(), "` begins at bundle ",
                     routine->bundles().begin(), ", the code before it ends at ", next);
    next = routine->bundles().end();
  }
  if (next != int64_t(context.program.code.size()))
    return invalid("bundles from ", next, " belong to no routine");
  return absl::OkStatus();
}

// Overlay 0 is resident in instruction memory; the others lie behind it.
static absl::Status checkOverlays(const Context &context) {
  const program::ProgramHeader &header = context.program.header;
  const int64_t memory = context.limits.instructionMemoryBundles;
  const int64_t bundles = int64_t(context.program.code.size());
  if (header.overlays().empty()) {
    if (bundles > memory)
      return invalid("a program of ", bundles, " bundles without overlays; instruction memory has ",
                     memory);
    return absl::OkStatus();
  }
  auto size = [](const program::Range &range) { return range.end() - range.begin(); };
  const int64_t resident = size(header.overlays(0));
  for (int i = 0; i < header.overlays_size(); ++i) {
    const int64_t address = addressOfOverlay(header, i);
    if (i == 0 ? address != 0 : address < resident)
      return invalid("overlay ", i, " is at address ", address,
                     " of instruction memory; overlay 0 ",
                     i == 0 ? "begins at 0" : absl::StrCat("ends at ", resident));
    if (size(header.overlays(i)) > memory - address)
      return invalid("overlay ", i, " of ", size(header.overlays(i)), " bundles is at address ",
                     address, "; instruction memory has ", memory);
  }
  const int64_t start = header.routines(header.entry()).bundles().begin();
  if (start < header.overlays(0).begin() || start >= header.overlays(0).end())
    return invalid("the entry routine does not begin in overlay 0");
  std::vector<program::Range> ranges(header.overlays().begin(), header.overlays().end());
  std::sort(ranges.begin(), ranges.end(),
            [](const auto &a, const auto &b) { return a.begin() < b.begin(); });
  int64_t covered = 0;
  for (const program::Range &range : ranges) {
    if (range.begin() > covered)
      break;
    covered = std::max(covered, range.end());
  }
  if (covered != bundles)
    return context.error(covered, "is in no overlay");
  return absl::OkStatus();
}

absl::Status checkMachine(const Context &context) {
  for (auto check :
       {checkBundleFormat, checkMemories, checkDescriptors, checkRoutines, checkOverlays})
    if (absl::Status status = check(context); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace verify

absl::StatusOr<std::vector<isa::Bundle>> decodeProgram(const Program &program) {
  std::vector<isa::Bundle> bundles;
  bundles.reserve(program.code.size());
  const isa::BundleFormat format = formatOf(program.header);
  for (const isa::EncodedBundle &code : program.code) {
    auto bundle = isa::decode(code, format);
    if (!bundle.ok())
      return verify::Context{program, {}, {}}.error(int64_t(bundles.size()),
                                                    bundle.status().message());
    bundles.push_back(*std::move(bundle));
  }
  return bundles;
}

absl::Status verifyProgram(const Program &program, const Limits &limits) {
  auto bundles = decodeProgram(program);
  if (!bundles.ok())
    return bundles.status();
  return verifyProgram(program, limits, *bundles);
}

absl::Status verifyProgram(const Program &program, const Limits &limits,
                           std::span<const isa::Bundle> bundles) {
  const verify::Context context{program, limits, bundles};
  if (absl::Status status = checkHeader(program); !status.ok())
    return status;
  if (bundles.size() != program.code.size())
    return absl::InvalidArgumentError("the bundles are not those of the program");
  if (absl::Status status = verify::checkMachine(context); !status.ok())
    return status;
  for (size_t i = 0; i < bundles.size(); ++i)
    if (absl::Status status = verify::checkBundle(context, int64_t(i)); !status.ok())
      return status;
  if (absl::Status status = verify::checkStructure(context); !status.ok())
    return status;
  for (const program::Routine &routine : program.header.routines())
    if (absl::Status status = verify::checkFlow(context, routine); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace systole
