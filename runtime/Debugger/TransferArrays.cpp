// The device's side of copies from and to the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/TransferArrays.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Debugger/Places.h"

namespace systole::debugger {

// A copy between HBM and a region of the host.
struct HostCopy {
  int64_t bundle;
  int32_t device; // region of HBM
  bool isWhole;   // it begins where that does
};

static std::vector<HostCopy> copiesOf(const Program &program, int32_t host) {
  std::vector<HostCopy> copies;
  for (size_t at = 0; at < program.code.size(); ++at) {
    auto bundle = isa::decode(program.code[at], formatOf(program.header));
    if (!bundle.ok())
      continue;
    for (const isa::Inst &inst : bundle->insts) {
      if (inst.opcode != isa::Opcode::dma_start)
        continue;
      const auto &[dst, src, dstRegion, srcRegion] =
          std::tie(inst.operands[0], inst.operands[1], inst.operands[2], inst.operands[3]);
      const bool isSend = dstRegion.value == host;
      if (!isSend && srcRegion.value != host)
        continue;
      const isa::Operand &begin = isSend ? src : dst;
      copies.push_back({int64_t(at), isSend ? srcRegion.value : dstRegion.value,
                        begin.kind == isa::Operand::Kind::Immediate && begin.value == 0});
    }
  }
  return copies;
}

std::optional<program::Tensor> arrayOnDevice(const Program &program,
                                             const program::Tensor &transferred) {
  program::Tensor array = transferred;
  const Planes planes = planesOf(transferred);
  for (int plane = 0; plane < planes.count; ++plane) {
    const std::vector<HostCopy> copies = copiesOf(program, planes.regions[size_t(plane)]);
    const auto whole = std::ranges::find(copies, true, &HostCopy::isWhole);
    if (whole == copies.end())
      return std::nullopt;
    if (plane == 0)
      array.set_region(whole->device);
    else
      array.set_high_regions(plane - 1, whole->device);
  }
  return array;
}

std::optional<SentArray> findSent(const Program &program, absl::string_view text) {
  const absl::string_view name = text.substr(0, text.find_first_of(" ["));
  for (const program::HostTransfer &transfer : program.header.transfers())
    for (const program::Tensor &tensor : transfer.tensors()) {
      if (!transfer.to_host() || tensor.name() != name)
        continue;
      std::optional<program::Tensor> array = arrayOnDevice(program, tensor);
      if (!array)
        return std::nullopt;
      SentArray sent{*std::move(array), {}, text.substr(name.size())};
      for (const HostCopy &copy : copiesOf(program, planesOf(tensor).regions[0]))
        if (copy.device == sent.onDevice.region())
          sent.bundles.push_back(copy.bundle);
      return sent;
    }
  return std::nullopt;
}

// What a line sends to the host, in the order of channels.
static std::vector<const program::Tensor *> sentFrom(const program::ProgramHeader &header,
                                                     absl::string_view file, int64_t line) {
  std::map<int64_t, std::vector<const program::Tensor *>> byChannel;
  for (const program::HostTransfer &transfer : header.transfers())
    if (transfer.to_host() && !transfer.queued() && isAtLine(transfer.source(), file, line))
      for (const program::Tensor &tensor : transfer.tensors())
        byChannel[transfer.channel()].push_back(&tensor);
  std::vector<const program::Tensor *> sent;
  for (const auto &[channel, arrays] : byChannel)
    sent.insert(sent.end(), arrays.begin(), arrays.end());
  return sent;
}

std::vector<int64_t> lastSendsFrom(const Program &program, absl::string_view file, int64_t line) {
  std::vector<int64_t> bundles;
  const std::vector<const program::Tensor *> sent = sentFrom(program.header, file, line);
  if (sent.empty())
    return bundles;
  for (const HostCopy &copy : copiesOf(program, planesOf(*sent.back()).all().back()))
    bundles.push_back(copy.bundle);
  return bundles;
}

std::vector<std::string> arraysSentFrom(const program::ProgramHeader &header,
                                        absl::string_view file, int64_t line) {
  std::vector<std::string> names;
  for (const program::Tensor *tensor : sentFrom(header, file, line))
    names.push_back(tensor->name());
  return names;
}

} // namespace systole::debugger
