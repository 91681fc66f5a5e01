// The region table of a program, and the allocation of a kernel's buffers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Memory.h"

#include "compiler/Diagnostics/Overflow.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

#include <cassert>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

RegionTable::RegionTable() {
  constexpr int depths = 2;
  for (int depth = 0; depth < depths; ++depth)
    for (core::MemorySpace space : {core::MemorySpace::vmem, core::MemorySpace::smem})
      add({"spill", space, 0, 0, ""});
}

int32_t RegionTable::add(Region region) {
  regions.push_back(std::move(region));
  return static_cast<int32_t>(regions.size()) - 1;
}

void RegionTable::share(size_t first, func::FuncOp routine) {
  assert(first <= regions.size() && "regions of this routine come last");
  SmallVector<int32_t> numbers;
  size_t kept = first;
  for (size_t i = first; i < regions.size(); ++i) {
    const Region &region = regions[i];
    auto [known, isNew] = byRange.try_emplace({region.space, region.base, region.size}, kept);
    numbers.push_back(known->second);
    Region &shared = regions[known->second];
    if (isNew) {
      if (kept != i)
        shared = region;
      ++kept;
    } else if (shared.owner != region.owner) {
      shared.owner.clear();
      if (shared.name != region.name)
        shared.name = "shared";
    }
  }
  regions.resize(kept);

  routine.walk([&](Operation *op) {
    if (auto region = op->getAttrOfType<IntegerAttr>("region")) {
      assert(size_t(region.getInt()) >= first && "a routine names its own regions");
      int32_t number = numbers[region.getInt() - first];
      op->setAttr("region", IntegerAttr::get(region.getType(), number));
      return;
    }
    auto copy = dyn_cast<core::DmaStartOp>(op);
    if (!copy)
      return;
    core::DmaAttr ends = copy.getDescriptor();
    auto rename = [&](core::MemorySpace space, OpOperand &operand) {
      APInt number;
      if (space == core::MemorySpace::hbm || !matchPattern(operand.get(), m_ConstantInt(&number)))
        return;
      OpBuilder b(op);
      operand.set(arith::ConstantIntOp::create(b, op->getLoc(),
                                               numbers[number.getZExtValue() - first], 32));
    };
    rename(ends.getDst(), copy.getDstRegionMutable());
    rename(ends.getSrc(), copy.getSrcRegionMutable());
  });
}

ArrayAttr RegionTable::toAttribute(MLIRContext *context) const {
  SmallVector<Attribute> attributes;
  for (const Region &region : regions)
    attributes.push_back(core::RegionAttr::get(context, StringAttr::get(context, region.name),
                                               region.space, region.base, region.size,
                                               StringAttr::get(context, region.owner)));
  return ArrayAttr::get(context, attributes);
}

BufferRef KernelMemory::addVmem(kernel::BufferType type, StringRef name, Location loc,
                                LiveRange range, int64_t copies) {
  assert(copies > 0 && range.first <= range.last && "a buffer that lives for some time");
  // An empty tensor still needs an address.
  int64_t rows = std::max<int64_t>(type.getPhysicalRows(), 1) * copies;
  int32_t region = table.add({name.str(), core::MemorySpace::vmem, 0, rows, kernel});
  vmem.buffers.push_back({region, type, loc, range, rows, 0});
  BufferRef ref;
  ref.type = type;
  ref.region = region;
  return ref;
}

BufferRef KernelMemory::addResident(kernel::BufferType type, int64_t rows, int64_t place) {
  BufferRef ref;
  ref.type = type;
  ref.region = table.add({"kept", core::MemorySpace::vmem, vmemEnd() - place, rows, kernel});
  return ref;
}

BufferRef KernelMemory::addSmem(kernel::BufferType type, StringRef name, Location loc,
                                LiveRange range) {
  int64_t words = std::max<int64_t>(type.getRows() * type.getLaneCount(), 1);
  BufferRef ref;
  ref.type = type;
  ref.region = table.add({name.str(), core::MemorySpace::smem, 0, words, kernel});
  smem.buffers.push_back({ref.region, type, loc, range, words, 0});
  return ref;
}

BufferRef KernelMemory::allocate(kernel::BufferType type) {
  assert(stageLoc && "scratch belongs to a stage");
  return addVmem(type, "scratch", *stageLoc, stage);
}

template <typename Buffers> static auto largestFirst(Buffers &buffers) {
  std::vector<decltype(&buffers[0])> order;
  for (auto &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](auto *a, auto *b) {
    return std::pair(b->size, a->region) < std::pair(a->size, b->region);
  });
  return order;
}

void KernelMemory::assignAddresses(Space &space, bool isShared, int64_t base) {
  std::vector<Placed *> order = largestFirst(space.buffers);
  std::vector<const Placed *> placed;
  space.needed = 0;
  for (Placed *buffer : order) {
    buffer->base = 0;
    SmallVector<std::pair<int64_t, int64_t>> busy;
    for (const Placed *other : placed)
      if (!isShared || buffer->range.overlaps(other->range))
        busy.push_back({other->base, other->base + other->size});
    llvm::sort(busy);
    for (auto [from, to] : busy) {
      if (from - buffer->base >= buffer->size)
        break;
      buffer->base = std::max(buffer->base, to);
    }
    assert(llvm::none_of(placed,
                         [&](const Placed *other) {
                           return buffer->range.overlaps(other->range) &&
                                  buffer->base < other->base + other->size &&
                                  other->base < buffer->base + buffer->size;
                         }) &&
           "buffers that live at the same time share no row");
    placed.push_back(buffer);
    space.needed = std::max(space.needed, buffer->base + buffer->size);
    table[buffer->region].base = base + buffer->base;
  }
}

bool KernelMemory::assignAddresses() {
  // Loops of stages whose buffers have rows of their own can become one (LoopFusion).
  assignAddresses(vmem, /*isShared=*/false, /*base=*/0);
  if (vmem.needed > vmemEnd() - reserved)
    assignAddresses(vmem, /*isShared=*/true, /*base=*/0);
  assignAddresses(smem, /*isShared=*/true, machine.argumentWords);
  return vmem.needed <= vmemEnd() - reserved && !exceedsSmem();
}

int64_t KernelMemory::elementBytes(const Placed &buffer, bool isSmem) {
  // Each element takes a word of SMEM, whatever its type.
  if (isSmem)
    return buffer.size * kCellBytes;
  int64_t rows = std::max<int64_t>(buffer.type.getPhysicalRows(), 1), elements = 1;
  for (int64_t size : buffer.type.getShape())
    elements *= size;
  int64_t bits = std::max<int64_t>(8, buffer.type.getElementType().getIntOrFloatBitWidth());
  return buffer.size / rows * elements * bits / 8;
}

LogicalResult KernelMemory::reportOverflow(Location loc) const {
  bool isSmem = exceedsSmem();
  const Space &space = isSmem ? smem : vmem;
  int64_t unit = isSmem ? kCellBytes : kRowBytes;
  int64_t free = isSmem ? freeSmem() : vmemEnd() - reserved;
  // The buffers that are live at the peak, which is at the start of a live range.
  auto liveAt = [&](int64_t position) {
    std::vector<const Placed *> live;
    for (const Placed &buffer : space.buffers)
      if (buffer.range.overlaps({position, position}))
        live.push_back(&buffer);
    return live;
  };
  std::vector<const Placed *> peak;
  int64_t most = 0;
  for (const Placed &begin : space.buffers) {
    std::vector<const Placed *> live = liveAt(begin.range.first);
    int64_t taken = 0;
    for (const Placed *buffer : live)
      taken += buffer->size;
    if (taken > std::exchange(most, std::max(most, taken)))
      peak = std::move(live);
  }
  std::vector<MemoryUser> users;
  for (const Placed *buffer : peak)
    users.push_back({ownerAt("'" + table[buffer->region].name + "'", buffer->loc), buffer->type,
                     buffer->loc, buffer->size * unit, elementBytes(*buffer, isSmem)});
  return emitOverflow(
      loc, ownerAt("kernel @" + kernel, loc), isSmem ? "SMEM" : "VMEM", space.needed * unit,
      free * unit, std::move(users),
      isSmem ? "indices and scalars that a kernel reads are words of SMEM: gather or scatter fewer "
               "at a time, with jax.lax.map"
             : "give the operation a part of the data at a time (a smaller batch, jax.lax.map), or "
               "keep its neighbours out of the kernel with jax.lax.optimization_barrier");
}
