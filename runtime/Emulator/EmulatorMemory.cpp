// Access to HBM and pinned memory between runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "runtime/Emulator/EmulatorImpl.h"

namespace systole {

absl::StatusOr<std::pair<size_t, size_t>> Emulator::Impl::rangeOf(program::Space space, int region,
                                                                  int core) const {
  const program::ProgramHeader &header = program->header;
  if (core < 0 || core >= header.cores())
    return absl::NotFoundError(absl::StrCat("there is no core ", core));
  if (region < 0 || region >= header.regions_size() || header.regions(region).space() != space)
    return absl::NotFoundError(
        absl::StrCat("there is no region ", region, " in ", program::Space_Name(space)));
  const program::Region &r = header.regions(region);
  return std::pair(size_t(r.base()) * isa::kRowBytes, size_t(r.size()) * isa::kRowBytes);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::Impl::bytesOf(program::Space space, int region,
                                                            int core, bool isWritten) const {
  auto range = rangeOf(space, region, core);
  if (!range.ok())
    return range.status();
  if (options.timingOnly && !(isWritten && demand && demand->loads(region)))
    return noData();
  uint32_t *words = cores[size_t(core)]->memory.find(space, int64_t(range->first / 4),
                                                     int64_t(range->second / 4), isWritten);
  if (!words)
    return absl::FailedPreconditionError(
        absl::StrCat("the rows of region ", region, " are not side by side"));
  return absl::MakeSpan(reinterpret_cast<uint8_t *>(words), range->second);
}

absl::StatusOr<absl::Span<const uint8_t>> Emulator::readHbm(int region, int core) const {
  return impl->bytesOf(program::HBM, region, core, false);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::pinned(int region, int core) const {
  return impl->options.timingOnly ? Impl::noData()
                                  : impl->bytesOf(program::PINNED, region, core, true);
}

absl::StatusOr<absl::Span<uint8_t>> Emulator::writeHbm(int region, int core) {
  auto bytes = impl->bytesOf(program::HBM, region, core, true);
  if (int64_t cap = impl->options.memoryCapBytes;
      bytes.ok() && cap > 0 && impl->touchedBytes() > cap)
    return absl::ResourceExhaustedError(absl::StrCat(
        "HBM in use on the host is ", impl->touchedBytes(), " bytes; the cap is ", cap));
  return bytes;
}

absl::StatusOr<std::pair<program::Space, int64_t>> Emulator::Impl::beginOf(int region, size_t bytes,
                                                                           int core) const {
  for (const program::Space space : {program::HBM, program::PINNED})
    if (auto range = rangeOf(space, region, core); range.ok()) {
      if (bytes <= range->second)
        return std::pair(space, int64_t(range->first / 4));
      return absl::InvalidArgumentError(
          absl::StrCat("region ", region, " has no room for ", bytes, " bytes"));
    }
  return absl::NotFoundError(absl::StrCat("there is no region ", region, " to copy"));
}

absl::Status Emulator::copyIn(int region, absl::Span<const uint8_t> from, int core) {
  auto begin = impl->beginOf(region, from.size(), core);
  if (!begin.ok())
    return begin.status();
  impl->cores[size_t(core)]->memory.write(begin->first, begin->second,
                                          reinterpret_cast<const char *>(from.data()), from.size());
  return absl::OkStatus();
}

absl::Status Emulator::copyOut(int region, absl::Span<uint8_t> to, int core) const {
  auto begin = impl->beginOf(region, to.size(), core);
  if (!begin.ok())
    return begin.status();
  impl->cores[size_t(core)]->memory.read(begin->first, begin->second,
                                         reinterpret_cast<char *>(to.data()), to.size());
  return absl::OkStatus();
}

int64_t Emulator::Impl::touchedBytes() const {
  int64_t bytes = 0;
  for (const auto &core : cores)
    bytes += core->memory.touchedBytes();
  return bytes;
}

} // namespace systole
