// Builds `core` instructions: vectors, masks, loads, stores, copies, loops.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emitter.h"

#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cassert>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

Emitter::Emitter(OpBuilder &builder, Location loc, const Machine &machine)
    : b(builder), loc(loc), machine(machine) {
  auto function = b.getInsertionBlock()->getParentOp();
  if (!isa<func::FuncOp>(function))
    function = function->getParentOfType<func::FuncOp>();
  entry = &cast<func::FuncOp>(function).getBody().front();
  // The first operation of the entry block: a stage that begins there is emitted after it, and so
  // after all constants.
  constant(0);
  beginStage(loc);
}

void Emitter::beginStage(Location stageLoc) {
  loc = stageLoc;
  stageBlock = b.getInsertionBlock();
  Block::iterator point = b.getInsertionPoint();
  stageStart = point == stageBlock->begin() ? nullptr : &*std::prev(point);
  splats.clear();
  masks.clear();
  lanes = sublanes = all = nullptr;
}

Value Emitter::hoisted(llvm::function_ref<Value()> create) {
  OpBuilder::InsertionGuard guard(b);
  if (stageStart)
    b.setInsertionPointAfter(stageStart);
  else
    b.setInsertionPointToStart(stageBlock);
  Value value = create();
  Block::iterator point = b.getInsertionPoint();
  stageStart = point == stageBlock->begin() ? nullptr : &*std::prev(point);
  return value;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using LoopBody = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

SmallVector<Value> Emitter::loop(Value lower, Value upper, int64_t step, ValueRange inits,
                                 LoopBody body, bool independent) {
  std::optional<int32_t> from = constantValue(lower), to = constantValue(upper);
  if (from && to && *from >= *to)
    return SmallVector<Value>(inits);
  if (from && to && *from + step >= *to)
    return body(lower, inits);
  assert(step > 0 && "loops count upwards");
  auto loop = scf::ForOp::create(b, loc, lower, upper, constant(step), inits);
  if (independent)
    loop->setAttr("core.noalias_iterations", b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = loop.getBody();
    // Without loop-carried values the builder has created the terminator.
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    b.setInsertionPointToStart(block);
    SmallVector<Value> carried = body(loop.getInductionVar(), loop.getRegionIterArgs());
    assert(ValueRange(carried).getTypes() == inits.getTypes() &&
           "loop-carried values keep their types");
    scf::YieldOp::create(b, loc, carried);
  }
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Emitter::loop(int64_t lower, int64_t upper, int64_t step, ValueRange inits,
                                 LoopBody body, bool independent) {
  return loop(constant(lower), constant(upper), step, inits, body, independent);
}

void Emitter::loop(int64_t lower, int64_t upper, int64_t step, llvm::function_ref<void(Value)> body,
                   bool independent) {
  loop(
      lower, upper, step, ValueRange(),
      [&](Value index, ValueRange) {
        body(index);
        return SmallVector<Value>();
      },
      independent);
}

void Emitter::ifElse(Value condition, llvm::function_ref<void()> thenBody,
                     llvm::function_ref<void()> elseBody) {
  if (std::optional<int32_t> known = constantValue(condition)) {
    if (*known != 0)
      thenBody();
    else if (elseBody)
      elseBody();
    return;
  }
  Value flag = core::CondOp::create(b, loc, b.getI1Type(), condition);
  auto branch = scf::IfOp::create(b, loc, flag, /*withElseRegion=*/static_cast<bool>(elseBody));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  thenBody();
  if (!elseBody)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  elseBody();
}

void Emitter::ifNonZero(Value condition, llvm::function_ref<void()> body) {
  ifElse(condition, body, nullptr);
}

//===----------------------------------------------------------------------===//
// Vectors and masks
//===----------------------------------------------------------------------===//

Value Emitter::splatBits(uint32_t bits) {
  // Not a reference into the map: `constant` may only modify other maps.
  if (Value known = splats.lookup(bits))
    return known;
  Value scalar = constant(static_cast<int32_t>(bits));
  Value splat = hoisted([&] { return core::VMovOp::create(b, loc, vectorType(), scalar); });
  splats[bits] = splat;
  return splat;
}

Value Emitter::laneId() {
  if (!lanes)
    lanes = hoisted([&] { return core::VLaneIdOp::create(b, loc, vectorType()); });
  return lanes;
}

Value Emitter::sublaneId() {
  if (!sublanes)
    sublanes = hoisted([&] { return core::VSublaneIdOp::create(b, loc, vectorType()); });
  return sublanes;
}

Value Emitter::allMask() {
  if (!all)
    all = hoisted([&] { return core::AllMaskOp::create(b, loc, maskType()); });
  return all;
}

// Cells whose coordinate, in 0 .. extent - 1, is in [lower, upper).
Value Emitter::rangeMask(Value lower, Value upper, int64_t extent,
                         llvm::function_ref<Value()> coordinate) {
  std::optional<int32_t> from = lower ? constantValue(lower) : 0;
  std::optional<int32_t> to = upper ? constantValue(upper) : static_cast<int32_t>(extent);
  bool hasLower = !from || *from > 0, hasUpper = !to || *to < extent;
  if (!hasLower && !hasUpper)
    return nullptr;
  Value ids = coordinate();
  auto build = [&]() -> Value {
    Value above, below;
    if (hasLower)
      above = core::VLeOp::create(b, loc, maskType(), lower, ids);
    if (hasUpper)
      below = core::VLtOp::create(b, loc, maskType(), ids, upper);
    return maskAnd(above, below);
  };
  if ((hasLower && !from) || (hasUpper && !to))
    return build();
  Value &known = masks[{extent, hasLower ? *from : 0, hasUpper ? *to : extent}];
  if (!known)
    known = hoisted(build);
  return known;
}

Value Emitter::laneMask(Value lower, Value upper) {
  return rangeMask(lower, upper, kLanes, [&] { return laneId(); });
}

Value Emitter::sublaneMask(Value lower, Value upper) {
  return rangeMask(lower, upper, kSublanes, [&] { return sublaneId(); });
}

Value Emitter::maskAnd(Value x, Value y) {
  if (!x || x == all)
    return y;
  if (!y || y == all || x == y)
    return x;
  return core::MAndOp::create(b, loc, maskType(), x, y);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

std::pair<Value, int32_t> Emitter::address(const BufferRef &buffer, Value row) {
  auto [rowValue, rowOffset] = split(row);
  auto [baseValue, baseOffset] = buffer.base ? split(buffer.base) : split(constant(0));
  int64_t offset = rowOffset + baseOffset;
  Value sum = rowValue;
  if (baseValue)
    sum = rowValue ? add(baseValue, rowValue) : baseValue;
  if (!sum)
    sum = constant(0);
  if (llvm::isInt<16>(offset))
    return {sum, static_cast<int32_t>(offset)};
  return {add(sum, offset), 0};
}

Value Emitter::load(const BufferRef &buffer, Value row, Value stride, Value mask) {
  assert(buffer.type.getSpace() == kernel::Space::vmem && "vectors are loaded from VMEM");
  auto [base, offset] = address(buffer, row);
  if (!mask)
    mask = allMask();
  auto emit = [&, base = base, offset = offset](auto op) -> Value {
    return decltype(op)::create(b, loc, vectorType(), base, stride, mask,
                                b.getI32IntegerAttr(offset), b.getI32IntegerAttr(buffer.region));
  };
  Type element = buffer.type.getElementType();
  bool isUnsigned = element.isUnsignedInteger();
  if (element.isBF16())
    return emit(core::LoadBf16Op());
  if (element.isF16())
    return emit(core::LoadF16Op());
  switch (buffer.type.getStorageBits()) {
  case 8:
    return isUnsigned || element.isInteger(1) ? emit(core::LoadU8Op()) : emit(core::LoadS8Op());
  case 16:
    return isUnsigned ? emit(core::LoadU16Op()) : emit(core::LoadS16Op());
  default:
    return emit(core::LoadB32Op());
  }
}

void Emitter::store(Value value, const BufferRef &buffer, Value row, Value stride, Value mask) {
  assert(buffer.type.getSpace() == kernel::Space::vmem && "vectors are stored to VMEM");
  auto [base, offset] = address(buffer, row);
  if (!mask)
    mask = allMask();
  auto emit = [&, base = base, offset = offset](auto op) {
    decltype(op)::create(b, loc, value, base, stride, mask, b.getI32IntegerAttr(offset),
                         b.getI32IntegerAttr(buffer.region));
  };
  Type element = buffer.type.getElementType();
  if (element.isBF16())
    return emit(core::StoreBf16Op());
  if (element.isF16())
    return emit(core::StoreF16Op());
  switch (buffer.type.getStorageBits()) {
  case 8:
    return emit(core::StoreB8Op());
  case 16:
    return emit(core::StoreB16Op());
  default:
    return emit(core::StoreB32Op());
  }
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

Value Emitter::regionOf(const BufferRef &buffer) {
  return buffer.hbmRegion ? buffer.hbmRegion : constant(buffer.region);
}

void Emitter::startDma(core::DmaAttr descriptor, Value dstRegion, Value dst, Value srcRegion,
                       Value src, int flag, Value count) {
  assert(flag >= 0 && "no such flag");
  core::DmaStartOp::create(b, loc, dst, src, dstRegion, srcRegion, count ? count : constant(-1),
                           descriptor, b.getI32IntegerAttr(flag));
}

void Emitter::wait(Value copies, int flag) {
  assert(flag >= 0 && "no such flag");
  core::WaitOp::create(b, loc, copies, b.getI32IntegerAttr(flag));
}
