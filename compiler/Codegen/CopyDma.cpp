// Emits the DMAs of a copy between VMEM and HBM, or from HBM to SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CopyDma.h"

#include "mlir/IR/Remarks.h"

#include <cassert>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {
/// A copy in words of 32 bits, in rows of 512 bytes.
struct RowCopy {
  int64_t chunk = 0;                  // words
  SmallVector<CopyDim> levels, loops; // steps in words
  Sum src, dst;                       // rows of 512 bytes
};
} // namespace

/// Logical rows per row of 512 bytes.
static int64_t packing(kernel::BufferType type) { return 32 / type.getStorageBits(); }

/// The row of 512 bytes that starts with logical row `row`; nothing if it may start in the middle
/// of one.
static std::optional<Sum> physicalRow(Emitter &e, const BufferRef &buffer, const Sum &row) {
  int64_t packed = packing(buffer.type);
  auto divided = [&](const Sum &sum) -> std::optional<Sum> {
    if (sum.constant % packed || (sum.value && knownFactor(sum.value) % packed))
      return std::nullopt;
    if (!sum.value || packed == 1)
      return Sum{sum.value, sum.constant / packed};
    Value rows = scalarOp<core::SSraOp>(e, sum.value, e.constant(packed == 2 ? 1 : 2));
    return Sum{rows, sum.constant / packed};
  };
  std::optional<Sum> rows = divided(row);
  if (!rows || !buffer.base)
    return rows;
  // Halves of a double buffer consist of whole groups of rows.
  Value base = buffer.base;
  if (packed != 1)
    base = e.divide(base, packed);
  return plus(e, *rows, toSum(e, base));
}

/// A run that ends with the destination's last logical row may extend to the end of its row of 512
/// bytes, if the source extends as well.
static int64_t roundedRun(const CopyWork &work, const CopyBox &box, int64_t run) {
  int64_t unit = packing(work.source.type) * kLanes, rounded = ceilDiv(run, unit) * unit;
  bool known = box.src.row.isStatic() && box.dst.row.isStatic() && run % kLanes == 0;
  int64_t rows = run / kLanes;
  bool isEnd = known && box.dst.row.constant + rows == work.destination.type.getLogicalRows();
  int64_t srcRows = work.source.type.getPhysicalRows() * packing(work.source.type);
  bool fits = known && box.src.row.constant + rounded / kLanes <= srcRows;
  return isEnd && fits && box.dims.size() == 1 ? rounded : run;
}

static std::optional<RowCopy> rowCopyOf(const CopyWork &work, CopyBox box,
                                        const std::optional<CountedDim> &counted = {}) {
  Emitter &e = work.e;
  int64_t packed = packing(work.source.type), unit = packed * kLanes;
  auto *along =
      llvm::find_if(box.dims, [](const CopyDim &dim) { return dim.src == 1 && dim.dst == 1; });
  bool aligned = box.src.lane.isStatic() && box.dst.lane.isStatic() &&
                 box.src.lane.constant % kLanes == 0 && box.dst.lane.constant % kLanes == 0;
  if (along == box.dims.end() || !aligned)
    return std::nullopt;
  box.src = split(e, box.src);
  box.dst = split(e, box.dst);
  RowCopy copy;
  int64_t run = roundedRun(work, box, along->size);
  if (run % unit)
    return std::nullopt;
  copy.chunk = run / packed;
  assert(copy.chunk > 0 && "a copy moves something");
  std::optional<Sum> src = physicalRow(e, work.source, box.src.row);
  std::optional<Sum> dst = physicalRow(e, work.destination, box.dst.row);
  if (!src || !dst)
    return std::nullopt;
  copy.src = *src;
  copy.dst = *dst;
  for (const CopyDim &dim : box.dims)
    if (&dim != along) {
      if (dim.src % unit || dim.dst % unit)
        return std::nullopt;
      copy.loops.push_back({dim.size, dim.src / packed, dim.dst / packed});
    }
  int level = 1;
  if (counted) {
    const CopyDim &dim = counted->dim;
    if (dim.src % unit || dim.dst % unit || dim.size > INT32_MAX)
      return std::nullopt;
    copy.levels.push_back({dim.size, dim.src / packed, dim.dst / packed});
    ++level;
  }
  // The longest dimensions become strides of the descriptor, the others loops.
  llvm::sort(copy.loops, [](const CopyDim &a, const CopyDim &b) { return isShorter(b, a); });
  for (; level < e.machine.dmaDimensions && !copy.loops.empty(); ++level) {
    auto *forwards = llvm::find_if(copy.loops, [](const CopyDim &dim) { return dim.src > 0; });
    if (forwards == copy.loops.end())
      break;
    assert(forwards->size > 0 && "a level repeats the copy");
    copy.levels.push_back(*forwards);
    copy.loops.erase(forwards);
  }
  return copy;
}

/// The part of a copy that all its DMAs have in common.
static core::DmaAttr descriptorOf(const CopyWork &work, const RowCopy &copy,
                                  bool countsWords = false) {
  auto space = [](const BufferRef &buffer) {
    return buffer.type.getSpace() == kernel::Space::hbm ? core::MemorySpace::hbm
                                                        : core::MemorySpace::vmem;
  };
  SmallVector<int64_t> counts, srcStrides, dstStrides;
  for (const CopyDim &dim : copy.levels) {
    counts.push_back(dim.size);
    srcStrides.push_back(dim.src);
    dstStrides.push_back(dim.dst);
  }
  return core::DmaAttr::get(work.e.b.getContext(), space(work.source), space(work.destination),
                            copy.chunk, counts, srcStrides, dstStrides, /*arrivalFlag=*/-1,
                            countsWords);
}

static int64_t transfersOf(const RowCopy &copy) {
  int64_t transfers = 1;
  for (const CopyDim &dim : copy.loops)
    transfers *= dim.size;
  return transfers;
}

Value codegen::wordsOf(const CopyWork &work, CopyBox box,
                       const std::optional<CountedDim> &counted) {
  Emitter &e = work.e;
  std::optional<RowCopy> copy = rowCopyOf(work, std::move(box), counted);
  if (!copy)
    return nullptr;
  int64_t words = copy->chunk * transfersOf(*copy);
  for (const CopyDim &dim : ArrayRef(copy->levels).drop_front(counted ? 1 : 0))
    words *= dim.size;
  return counted ? e.mul(counted->count, words) : e.constant(words);
}

LogicalResult codegen::startDmaCopy(const CopyWork &work, CopyBox box,
                                    const std::optional<CountedDim> &counted, int flag) {
  Emitter &e = work.e;
  std::optional<RowCopy> copy = rowCopyOf(work, std::move(box), counted);
  if (!copy)
    return failure();
  core::DmaAttr descriptor = descriptorOf(work, *copy, /*countsWords=*/true);
  Value srcRegion = e.regionOf(work.source), dstRegion = e.regionOf(work.destination);
  forEachRow(e, copy->loops, copy->src, copy->dst, 1, [&](const Sum &src, const Sum &dst) {
    e.startDma(descriptor, dstRegion, toValue(e, dst), srcRegion, toValue(e, src), flag,
               counted ? counted->count : Value());
  });
  return success();
}

LogicalResult codegen::emitDmaCopy(const CopyWork &work, kernel::CopyOp op, CopyBox box) {
  Emitter &e = work.e;
  std::optional<RowCopy> copy = rowCopyOf(work, std::move(box));
  if (!copy)
    return op.emitOpError("between hbm and vmem expects to move whole rows of 512 bytes: a run "
                          "along the last dimension that begins and ends with them on both sides");
  core::DmaAttr descriptor = descriptorOf(work, *copy);
  remark::analysis(op.getLoc(), remark::RemarkOpts::name("Copy").category("systole-codegen"))
      << remark::metric("ChunkWords", copy->chunk)
      << remark::metric("StridedDims", int64_t(copy->levels.size()))
      << remark::metric("Transfers", transfersOf(*copy));
  Value srcRegion = e.regionOf(work.source), dstRegion = e.regionOf(work.destination);
  auto start = [&](const Sum &src, const Sum &dst) {
    e.startDma(descriptor, dstRegion, toValue(e, dst), srcRegion, toValue(e, src),
               kernel::kStageFlag);
  };
  if (e.overlapsCopies) {
    forEachRow(e, copy->loops, copy->src, copy->dst, 1, [&](const Sum &src, const Sum &dst) {
      e.wait(e.constant(1), kernel::kStageFlag);
      start(src, dst);
    });
    return success();
  }
  if (copy->loops.empty()) {
    start(copy->src, copy->dst);
    e.wait(e.constant(1), kernel::kStageFlag);
    return success();
  }
  // The flag counts how many more copies may be in flight.
  Value inFlight = e.constant(std::max(e.machine.dmaQueueDepth / 4, 1));
  core::FlagAddOp::create(e.b, e.loc, inFlight, e.constant(-1), uint32_t(kernel::kStageFlag));
  forEachRow(e, copy->loops, copy->src, copy->dst, 1, [&](const Sum &src, const Sum &dst) {
    e.wait(e.constant(1), kernel::kStageFlag);
    start(src, dst);
  });
  e.wait(inFlight, kernel::kStageFlag);
  return success();
}

LogicalResult codegen::emitStreamCopy(const CopyWork &work, kernel::CopyOp op, ValueRange offsets) {
  Emitter &e = work.e;
  kernel::BufferType from = work.source.type, to = work.destination.type;
  // Rows of the tensor are padded to whole groups of 128 words in HBM.
  int64_t pitch = from.getLaneTiles() * kLanes;
  if (from.getRows() > INT32_MAX / pitch)
    return op.emitOpError() << "expects a source of at most " << INT32_MAX << " words, found "
                            << from;
  Value first = e.constant(0);
  int64_t step = 1;
  for (int64_t d = static_cast<int64_t>(offsets.size()) - 1; d >= 0; --d) {
    first = e.add(first, e.mul(offsets[d], step));
    step = d == from.getRank() - 1 ? pitch : step * from.getShape()[d];
  }
  auto descriptor = core::DmaAttr::get(e.b.getContext(), core::MemorySpace::hbm,
                                       core::MemorySpace::smem, to.getLaneCount(), {to.getRows()},
                                       {pitch}, {to.getLaneCount()}, /*arrivalFlag=*/-1);
  e.startDma(descriptor, e.constant(work.destination.region), e.constant(0),
             e.regionOf(work.source), first, kernel::kStageFlag);
  e.wait(e.constant(1), kernel::kStageFlag);
  return success();
}
