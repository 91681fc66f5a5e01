// Lowers kernel.map.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Access.h"
#include "compiler/Codegen/Body.h"
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/Pairs.h"
#include "compiler/Model/OpCosts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {
class MapLowering {
public:
  MapLowering(kernel::MapOp op, ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs, Emitter &e,
              const StageOptions &options)
      : op(op), inputs(inputs), outputs(outputs), e(e), options(options),
        sizes(outputs[0].type.getShape()) {
    if (isReplicated())
      sizes.push_back(1);
  }

  LogicalResult lower();

private:
  /// Whether the outputs have each element in all lanes of a row: then no dimension is along these.
  bool isReplicated() const { return outputs[0].type.getReplicated(); }
  /// How a buffer is accessed under a map from the outputs' shape.
  Access accessOf(const BufferRef &buffer, AffineMap map) const;
  LogicalResult checkOverlap();
  /// Whether no iteration accesses a row of 512 bytes that another one
  /// writes.
  bool hasIndependentIterations() const;
  void emitGroups(Walker &walker, int64_t first, int64_t groups);

  kernel::MapOp op;
  ArrayRef<BufferRef> inputs, outputs;
  Emitter &e;
  const StageOptions &options;
  SmallVector<int64_t> sizes;
  SmallVector<Access> accesses; // inputs, then outputs
  SmallVector<LoopDim> dims;
  size_t sublaneDim = 0;
  bool hasPairs = false; // each cell holds two rows of bf16
  bool hasFailed = false;
};
} // namespace

Access MapLowering::accessOf(const BufferRef &buffer, AffineMap map) const {
  map = AffineMap::get(sizes.size(), 0, map.getResults(), map.getContext());
  Access access = codegen::accessOf(buffer, map, sizes);
  // All lanes of the outputs need what is in one.
  if (isReplicated() && !buffer.type.getReplicated() && access.lanes == Access::Lanes::along)
    access.lanes = Access::Lanes::first;
  return access;
}

// An output may alias an input if each element is written where it was read; views can hide that it
// is not.
LogicalResult MapLowering::checkOverlap() {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t o = 0; o < outputs.size(); ++o)
      if (inputs[i].region == outputs[o].region && inputs[i].base == outputs[o].base &&
          (accesses[i].strides != accesses[inputs.size() + o].strides || accesses[i].first != 0 ||
           accesses[i].lanes != Access::Lanes::along))
        return op.emitOpError() << "input " << i << " and output " << o
                                << " share memory, but not element by element";
  return success();
}

bool MapLowering::hasIndependentIterations() const {
  for (const BufferRef &input : inputs)
    for (auto [output, buffer] : llvm::enumerate(outputs)) {
      if (input.region != buffer.region || input.base != buffer.base)
        continue;
      int64_t packing = 32 / buffer.type.getStorageBits();
      if (packing > 1 && buffer.isPart)
        return false;
      for (auto [number, dim] : llvm::enumerate(dims)) {
        int64_t stride = dim.strides[inputs.size() + output];
        if (packing > 1 && (number == sublaneDim ? stride != 1 : stride % packing != 0))
          return false;
      }
    }
  return true;
}

void MapLowering::emitGroups(Walker &walker, int64_t first, int64_t groups) {
  SmallVector<size_t> order;
  SmallVector<int64_t> firsts(dims.size(), 0), trips, steps(dims.size(), 1);
  for (auto [number, dim] : llvm::enumerate(dims)) {
    order.push_back(number);
    trips.push_back(dim.extent);
  }
  firsts[sublaneDim] = first;
  trips[sublaneDim] = groups;
  steps[sublaneDim] = kSublanes;
  auto rows = llvm::map_to_vector(
      accesses, [](const Access &access) -> const RowAccess * { return &access; });
  int64_t instructions = 0;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (!isa<kernel::IndexOp, kernel::ScalarOp>(inner))
      instructions += opCost(&inner).all.vector();
  LoopPlan plan = planLoops(order, trips, e.machine.budget.mostCopies(mostCopies(inputs.size())),
                            loopInputs(dims, rows, inputs.size(), sublaneDim), instructions);
  auto index = [&](int64_t dim) { return walker.index(dim); };
  Body body(e, options.excessPrecision, index, options.scalar);
  emitLoops(walker, plan, firsts, trips, steps, hasIndependentIterations(), [&] {
    if (hasFailed)
      return;
    Block &block = op.getBody().front();
    FailureOr<SmallVector<Value>> results =
        hasPairs ? emitPairs(e, block, walker.inputs()) : body.emit(block, walker.inputs());
    if (failed(results)) {
      hasFailed = true;
      return;
    }
    for (auto [number, value] : llvm::enumerate(*results)) {
      size_t access = inputs.size() + number;
      const BufferRef &output = accesses[access].buffer;
      Type element = output.type.getElementType();
      e.store(toMemory(e, value, element), output, walker.row(access), walker.stride(access),
              walker.sublaneLimit());
    }
  });
}

LogicalResult MapLowering::lower() {
  if (llvm::is_contained(sizes, 0))
    return success();
  for (auto [buffer, map] : llvm::zip_equal(inputs, op.getMaps().getAsValueRange<AffineMapAttr>()))
    accesses.push_back(accessOf(buffer, map));
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(outputs[0].type.getRank(), op.getContext());
  for (const BufferRef &buffer : outputs)
    accesses.push_back(accessOf(buffer, identity));
  if (failed(checkOverlap()))
    return failure();

  SmallVector<bool> pinned(sizes.size(), false), reduced(sizes.size(), false);
  for (auto index : op.getBody().getOps<kernel::IndexOp>())
    pinned[index.getDim()] = true;
  dims = loopDims(sizes, accesses, pinned, reduced);
  if (dims.empty()) {
    // One row: a group of eight of which the others are padding.
    LoopDim single;
    single.strides.assign(inputs.size(), 0);
    single.strides.append(outputs.size(), 1);
    dims.push_back(single);
  }
  sublaneDim = densestDim(dims);
  hasPairs = e.machine.bf16Pairs && !options.excessPrecision &&
             worksOnPairs(op.getBody().front()) &&
             pairRows(e, accesses, inputs.size(), dims, sublaneDim);

  Walker walker(e, accesses, inputs.size(), dims, sublaneDim);
  walker.start();
  int64_t extent = dims[sublaneDim].extent;
  // Blocks end at eight logical rows, which may be in the middle of a group of pairs.
  if (extent % kSublanes && !hasPairs &&
      paddingTakesLastGroup(dims, sublaneDim, accesses, inputs.size())) {
    emitGroups(walker, 0, llvm::divideCeil(extent, kSublanes));
  } else {
    int64_t whole = extent / kSublanes;
    if (whole)
      emitGroups(walker, 0, whole);
    if (extent % kSublanes) {
      walker.setSublanes(extent % kSublanes);
      emitGroups(walker, whole * kSublanes, 1);
    }
  }
  return failure(hasFailed);
}

LogicalResult codegen::lowerMap(kernel::MapOp op, ArrayRef<BufferRef> inputs,
                                ArrayRef<BufferRef> outputs, Emitter &emitter,
                                const StageOptions &options) {
  return MapLowering(op, inputs, outputs, emitter, options).lower();
}
