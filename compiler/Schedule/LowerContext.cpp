// Tables shared by the lowering of all routines of a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/LowerContext.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace systole::machine {

isa::Opcode LowerContext::opcode(OperationName name) {
  auto [it, isNew] = opcodes.try_emplace(name.getAsOpaquePointer(), isa::Opcode::none);
  if (isNew) {
    StringRef text = name.getStringRef();
    if (text.consume_front("core."))
      it->second = isa::opcodeFromMnemonic({text.data(), text.size()}).value_or(isa::Opcode::none);
  }
  return it->second;
}

static FileLineColLoc fileLocation(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto name = dyn_cast<NameLoc>(loc))
    return fileLocation(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return fileLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto file = fileLocation(part))
        return file;
  return nullptr;
}

uint32_t LowerContext::source(Location loc) {
  auto [it, isNew] = locations.try_emplace(loc.getAsOpaquePointer(), kNone);
  if (!isNew)
    return it->second;
  if (auto file = fileLocation(loc)) {
    std::string text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
                        Twine(file.getColumn()))
                           .str();
    auto [entry, isNewText] = sources.try_emplace(text, uint32_t(module.sources.size()));
    if (isNewText)
      module.sources.push_back(text);
    it->second = entry->second;
  }
  return it->second;
}

int32_t LowerContext::kernel(Operation *op) {
  auto dict = op->getAttrOfType<DictionaryAttr>("core.kernel");
  if (!dict)
    return -1;
  KernelInfo info;
  auto text = [&](StringRef key) {
    auto attr = dict.getAs<StringAttr>(key);
    return attr ? attr.str() : std::string();
  };
  auto number = [&](StringRef key) {
    auto attr = dict.getAs<IntegerAttr>(key);
    return attr ? attr.getInt() : 0;
  };
  info.name = text("name");
  info.source = text("source");
  info.user = text("user");
  info.nameStack = text("name_stack");
  info.kind = text("kind");
  info.flops = number("flops");
  info.bytes = number("bytes");
  info.estimate = number("estimate");
  info.step = number("step");
  module.kernels.push_back(std::move(info));
  return int32_t(module.kernels.size()) - 1;
}

int32_t LowerContext::descriptor(core::DmaAttr attr) {
  auto [it, isNew] = descriptors.try_emplace(attr, int32_t(module.descriptors.size()));
  if (isNew) {
    DescriptorInfo d;
    d.src = int32_t(attr.getSrc());
    d.dst = int32_t(attr.getDst());
    d.chunk = attr.getChunk();
    d.counts = attr.getCounts().vec();
    d.srcStrides = attr.getSrcStrides().vec();
    d.dstStrides = attr.getDstStrides().vec();
    d.arrivalFlag = attr.getArrivalFlag();
    d.countsWords = attr.getCountsWords();
    module.descriptors.push_back(std::move(d));
  }
  return it->second;
}

FailureOr<int32_t> LowerContext::argumentWord(Operation *op, int64_t number) const {
  assert(number >= core::kRegisterArguments && "the first arguments are in registers");
  int64_t word = number - core::kRegisterArguments;
  if (argumentRegion < 0 || word >= module.regions[size_t(argumentRegion)].size)
    return op->emitError() << "has an argument " << number << ", and core.regions has no word "
                           << word << " of SMEM for it in a region named \""
                           << core::kArgumentRegion << "\"";
  return int32_t(word);
}

LogicalResult LowerContext::readRegions(ModuleOp op) {
  Attribute attr = op->getAttr("core.regions");
  if (!attr)
    return success();
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return op.emitError("core.regions is an array of #core.region");
  for (Attribute entry : array) {
    auto region = dyn_cast<core::RegionAttr>(entry);
    if (!region)
      return op.emitError() << "core.regions is an array of #core.region, found " << entry;
    if (region.getName() == core::kArgumentRegion && region.getSpace() == core::MemorySpace::smem)
      argumentRegion = int32_t(module.regions.size());
    module.regions.push_back({region.getName().str(), int32_t(region.getSpace()), region.getBase(),
                              region.getSize(), region.getOwner().str()});
  }
  return success();
}

} // namespace systole::machine
