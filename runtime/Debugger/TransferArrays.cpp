// The device's side of copies from and to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/TransferArrays.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Debugger/Instructions.h"

namespace systole::debugger {

// A copy between HBM and a region of the host.
struct HostCopy {
  int64_t bundle;
  int32_t device; // region of HBM
  bool isWhole;   // it begins where that does
};

static std::vector<HostCopy> copiesOfRegion(const Program &program, int32_t host) {
  std::vector<HostCopy> copies;
  forEachInstruction(program, [&](int64_t bundle, const isa::Inst &inst) {
    if (inst.opcode != isa::Opcode::dma_start)
      return;
    const auto &[dst, src, dstRegion, srcRegion] =
        std::tie(inst.operands[0], inst.operands[1], inst.operands[2], inst.operands[3]);
    const bool isSend = dstRegion.value == host;
    if (!isSend && srcRegion.value != host)
      return;
    const isa::Operand &begin = isSend ? src : dst;
    copies.push_back({bundle, isSend ? srcRegion.value : dstRegion.value,
                      begin.kind == isa::Operand::Kind::Immediate && begin.value == 0});
  });
  return copies;
}

std::vector<ArrayCopy> copiesOf(const Program &program, const program::Tensor &transferred) {
  const Planes planes = planesOf(transferred);
  std::vector<ArrayCopy> found;
  for (int plane = 0; plane < planes.count; ++plane) {
    const std::vector<HostCopy> copies = copiesOfRegion(program, planes.regions[size_t(plane)]);
    if (plane == 0)
      for (const HostCopy &copy : copies)
        found.push_back({copy.bundle, transferred});
    // Each place copies all planes.
    if (copies.size() != found.size() || !std::ranges::all_of(copies, &HostCopy::isWhole))
      return {};
    for (size_t i = 0; i < found.size(); ++i)
      if (plane == 0)
        found[i].onDevice.set_region(copies[i].device);
      else
        found[i].onDevice.set_high_regions(plane - 1, copies[i].device);
  }
  return found;
}

std::optional<SentArray> findSent(const Program &program, absl::string_view text) {
  const absl::string_view name = text.substr(0, text.find_first_of(" ["));
  for (const program::HostTransfer &transfer : program.header.transfers())
    for (const program::Tensor &tensor : transfer.tensors())
      if (transfer.to_host() && tensor.name() == name)
        if (std::vector<ArrayCopy> copies = copiesOf(program, tensor); !copies.empty())
          return SentArray{std::move(copies), text.substr(name.size())};
  return std::nullopt;
}

std::vector<int64_t> copiesOfArray(const Program &program, absl::string_view name) {
  std::vector<int64_t> bundles;
  for (const program::HostTransfer &transfer : program.header.transfers())
    for (const program::Tensor &tensor : transfer.tensors())
      if (tensor.name() == name)
        for (const HostCopy &copy : copiesOfRegion(program, planesOf(tensor).all().back()))
          bundles.push_back(copy.bundle);
  return bundles;
}

std::string sentOver(const program::ProgramHeader &header, int64_t channel) {
  for (const program::HostTransfer &transfer : header.transfers())
    if (transfer.to_host() && !transfer.queued() && transfer.channel() == channel &&
        transfer.tensors_size() == 1)
      return transfer.tensors(0).name();
  return "";
}

} // namespace systole::debugger
