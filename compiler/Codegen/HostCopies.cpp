// Emits DMAs between HBM and the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/HostCopies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// Rows of 512 bytes with elements; one for an empty tensor, so that the host receives the
/// transfer.
static int64_t rowsOf(RankedTensorType type) {
  auto buffer = kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                        kernel::Space::hbm);
  return std::max<int64_t>(1,
                           llvm::divideCeil(buffer.getLogicalRows(), 32 / buffer.getStorageBits()));
}

static std::string nameOf(kernel::TransferAttr transfer) {
  std::string name = kernel::nameOfTransfer(transfer);
  if (kernel::WordsAttr words = transfer.getWords())
    name += (".plane" + Twine(words.getPlane())).str();
  return name;
}

void codegen::addHostRegions(ModuleOp module, RegionTable &regions) {
  auto transfers = module->getAttrOfType<ArrayAttr>(kernel::kTransfersAttr);
  if (!transfers)
    return;
  for (auto transfer : transfers.getAsRange<kernel::TransferAttr>())
    regions.add({nameOf(transfer), core::MemorySpace::host, 0,
                 rowsOf(cast<RankedTensorType>(transfer.getType().getValue())), ""});
}

bool HostCopies::conflicts(const Pending &copy) const {
  const RegionTable::Region &rows = regions[copy.hbm];
  return llvm::any_of(pending, [&](const Pending &other) {
    const RegionTable::Region &others = regions[other.hbm];
    return (copy.writes || other.writes) && rows.base < others.base + others.size &&
           others.base < rows.base + rows.size;
  });
}

void HostCopies::flush() {
  if (!pending.empty())
    e.wait(e.constant(pending.size()), kernel::kStageFlag);
  pending.clear();
}

LogicalResult HostCopies::copy(Operation *op, kernel::Direction direction, int32_t hbm,
                               int32_t transfer) {
  if (transfer < 0 || static_cast<size_t>(transfer) >= regions.size() - firstHost)
    return op->emitOpError() << "names transfer " << transfer
                             << ", which is not in kernel.transfers";
  int32_t host = transfer + static_cast<int32_t>(firstHost);
  int64_t rows = regions[host].size;
  if (rows > regions[hbm].size)
    return op->emitOpError() << "copies " << rows << " rows, and the buffer's region has "
                             << regions[hbm].size;
  bool isSend = direction == kernel::Direction::send;
  Pending copy{hbm, !isSend};
  // Half of the queue is left to other copies.
  if (conflicts(copy) ||
      pending.size() >= static_cast<size_t>(std::max(1, e.machine.dmaQueueDepth / 2)))
    flush();
  auto hostSpace = core::MemorySpace::host, hbmSpace = core::MemorySpace::hbm;
  auto descriptor = core::DmaAttr::get(e.b.getContext(), isSend ? hbmSpace : hostSpace,
                                       isSend ? hostSpace : hbmSpace, rows * kLanes, {}, {}, {},
                                       /*arrivalFlag=*/-1);
  Value zero = e.constant(0);
  e.startDma(descriptor, e.constant(isSend ? host : hbm), zero, e.constant(isSend ? hbm : host),
             zero, kernel::kStageFlag);
  pending.push_back(copy);
  // A buffer operation immediately precedes the copy that uses it.
  Operation *next = op->getNextNode();
  while (isa_and_nonnull<kernel::HbmOp>(next))
    next = next->getNextNode();
  if (!isa_and_nonnull<kernel::ToHostOp, kernel::FromHostOp>(next))
    flush();
  return success();
}
