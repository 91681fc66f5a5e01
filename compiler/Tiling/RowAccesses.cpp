// The rows of memory that operations of the program around kernels read and write.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/RowAccesses.h"

#include "compiler/Tiling/RowOwners.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {

RowAccessFinder::RowAccessFinder(ModuleOp module) : module(module), symbols(module) {}

RowAccess RowAccessFinder::region(StringRef plan, RowAccess::Memory memory, int32_t number,
                                  bool writes) const {
  auto regions = module->getAttrOfType<ArrayAttr>(plan);
  if (!regions || number < 0 || size_t(number) >= regions.size())
    return {memory, 0, 0, number, writes};
  auto rows = cast<kernel::HbmRegionAttr>(regions[number]);
  return {memory, rows.getBase(), rows.getBase() + rows.getRows(), number, writes};
}

RowAccess RowAccessFinder::inHbm(Value buffer, bool writes) const {
  auto op = buffer.getDefiningOp<kernel::HbmOp>();
  // What has no elements has no contents.
  if (cast<kernel::BufferType>(buffer.getType()).getLogicalRows() == 0)
    return {RowAccess::hbm, 0, 0, RowOwners::kNobody, writes};
  return region(kernel::kHbmPlanAttr, RowAccess::hbm, op ? int32_t(op.getRegion()) : -1, writes);
}

RowAccess RowAccessFinder::inVmem(kernel::PlacementAttr placement, int32_t number,
                                  bool writes) const {
  if (!placement)
    return {RowAccess::vmem, 0, 0, number, writes};
  return {RowAccess::vmem, placement.firstRow(), placement.endRow(), number, writes};
}

/// How stages use an array that they copy from or to by themselves.
static std::pair<bool, bool> usesOf(BlockArgument raw) {
  bool isRead = false, isWritten = false;
  for (OpOperand &use : raw.getUses()) {
    if (isa<kernel::WaitCopyOp>(use.getOwner()))
      continue;
    if (auto start = dyn_cast<kernel::StartCopyOp>(use.getOwner())) {
      isWritten |= start.getDestination() == raw;
      isRead |= start.getSource() == raw;
      continue;
    }
    auto copy = dyn_cast<kernel::CopyOp>(use.getOwner());
    isWritten |= !copy || copy.getDestination() == raw;
    isRead |= !copy || copy.getSource() == raw;
  }
  return {isRead, isWritten};
}

void RowAccessFinder::addCall(kernel::CallOp call, RowAccesses &reads, RowAccesses &writes) {
  auto callee = symbols.lookup<kernel::FuncOp>(call.getCallee());
  std::optional<ArrayRef<int32_t>> placements = call.getPlacements();
  ValueRange arguments = callee.getBody().getArguments().drop_front(callee.getGrid().size());
  for (auto [index, buffer] : llvm::enumerate(call.getBuffers())) {
    const int32_t number = index;
    auto attr = cast<kernel::OperandAttr>(callee.getOperands()[number]);
    const int32_t entry = placements ? (*placements)[number] : -1;
    kernel::PlacementAttr placement = call.placementOf(number);
    auto add = [&](RowAccess access) {
      access.operand = number;
      (access.writes ? writes : reads).push_back(access);
    };
    auto argument = cast<BlockArgument>(arguments[number]);
    const kernel::Role role = attr.getRole();
    bool isRead = role != kernel::Role::out;
    bool isWritten = role == kernel::Role::out || role == kernel::Role::inout;
    if (role == kernel::Role::raw)
      std::tie(isRead, isWritten) = usesOf(argument);
    if (buffer.getDefiningOp<kernel::VmemOp>()) {
      if (isRead && !argument.use_empty())
        add(inVmem(placement, entry, /*writes=*/false));
      if (isWritten)
        add(inVmem(placement, entry, /*writes=*/true));
      continue;
    }
    // Blocks that nothing uses are copied only if VMEM keeps them.
    if (isRead && (!argument.use_empty() || placement))
      add(inHbm(buffer, /*writes=*/false));
    if (isWritten)
      add(inHbm(buffer, /*writes=*/true));
    if (!placement)
      continue;
    if (attr.isPrefetched()) {
      add(inVmem(placement, entry, /*writes=*/false));
      add(inVmem(placement, RowOwners::kNobody, /*writes=*/true));
    } else {
      add(inVmem(placement, entry, /*writes=*/true));
    }
  }
  writes.push_back(
      {RowAccess::vmem, int64_t(callee.getReserved()), INT64_MAX, RowOwners::kNobody, true});
}

RowAccesses RowAccessFinder::of(Operation *op) {
  RowAccesses reads, writes;
  auto host = [&](auto copy, bool isOffload) {
    reads.push_back(isOffload ? inHbm(copy.getBuffer(), false)
                              : region(kernel::kPinnedPlanAttr, RowAccess::pinned,
                                       int32_t(copy.getRegion()), false));
    writes.push_back(isOffload ? region(kernel::kPinnedPlanAttr, RowAccess::pinned,
                                        int32_t(copy.getRegion()), true)
                               : inHbm(copy.getBuffer(), true));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](kernel::CallOp call) { addCall(call, reads, writes); })
      .Case([&](kernel::StartLoadOp load) {
        reads.push_back(inHbm(load.getSource(), false));
        auto target = load.getTarget().getDefiningOp<kernel::VmemOp>();
        const int32_t number = target ? int32_t(target.getPlacement()) : -1;
        writes.push_back(inVmem(kernel::placementAt(load, number), number, true));
      })
      .Case([&](kernel::StartOffloadOp copy) { host(copy, /*isOffload=*/true); })
      .Case([&](kernel::StartFetchOp copy) { host(copy, /*isOffload=*/false); })
      .Case([&](kernel::ReadScalarOp read) { reads.push_back(inHbm(read.getBuffer(), false)); })
      .Case([&](kernel::HbmOp buffer) {
        if (buffer->hasAttr(kernel::kUninitializedAttr))
          writes.push_back(inHbm(buffer, true));
      })
      .Case([&](kernel::WriteScalarOp write) { writes.push_back(inHbm(write.getBuffer(), true)); })
      .Case([&](kernel::ToHostOp copy) { reads.push_back(inHbm(copy.getBuffer(), false)); })
      .Case([&](kernel::FromHostOp copy) { writes.push_back(inHbm(copy.getBuffer(), true)); })
      // Cores have one plan of HBM.
      .Case([&](kernel::CopyToCoresOp copy) {
        reads.push_back(inHbm(copy.getSource(), false));
        writes.push_back(inHbm(copy.getTarget(), true));
      });
  llvm::append_range(reads, writes);
  return reads;
}

RowAccesses RowAccessFinder::atEntry() const {
  RowAccesses contents;
  auto add = [&](int32_t number) {
    contents.push_back(region(kernel::kHbmPlanAttr, RowAccess::hbm, number, true));
  };
  if (auto arguments = module->getAttrOfType<DenseI32ArrayAttr>(kernel::kArgumentsAttr))
    llvm::for_each(arguments.asArrayRef(), add);
  if (auto constants = module->getAttrOfType<ArrayAttr>(kernel::kConstantsAttr))
    for (auto constant : constants.getAsRange<DictionaryAttr>())
      if (auto number = constant.getAs<IntegerAttr>("region"))
        add(int32_t(number.getInt()));
  return contents;
}

RowAccesses RowAccessFinder::atExit() const {
  RowAccesses results;
  auto numbers = module->getAttrOfType<DenseI32ArrayAttr>(kernel::kResultsAttr);
  if (!numbers)
    return results;
  // Nothing is written to those without elements.
  llvm::SmallDenseSet<int32_t> written;
  module->walk([&](kernel::HbmOp buffer) {
    if (!llvm::is_contained(buffer.getType().getShape(), 0))
      written.insert(int32_t(buffer.getRegion()));
  });
  for (int32_t number : numbers.asArrayRef())
    if (written.contains(number))
      results.push_back(region(kernel::kHbmPlanAttr, RowAccess::hbm, number, false));
  return results;
}

} // namespace systole
