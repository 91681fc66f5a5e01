// Parts of arrays at computed positions, which kernels read and write where they are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Residency/ResidentArrays.h"
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

/// Rows that a kernel takes as scalars, beside its operands, and those of them that may be of
/// results: a routine has few registers for arguments.
static constexpr size_t kMostRows = 4;
static constexpr size_t kMostResultRows = 2;

static int64_t physicalRows(Value value) {
  RankedTensorType type = typeOf(value);
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 kernel::Space::hbm)
      .getPhysicalRows();
}

Value ProgramBuilder::firstRow(Value array, ArrayRef<int64_t> sizes, ValueRange starts,
                               Location loc) {
  KnownRow wanted{b.getInsertionBlock(), parts.lookup(array), {}, {}, {}, {}};
  for (auto [d, pitch] : llvm::enumerate(*kernel::pitchesOfPart(typeOf(array), sizes)))
    if (pitch != 0) {
      wanted.starts.push_back(starts[d]);
      wanted.last.push_back(shapeOf(array)[d] - sizes[d]);
      wanted.pitches.push_back(pitch);
    }
  // Equal rows are one argument of a kernel.
  for (const KnownRow &known : knownRows)
    if (known.block == wanted.block && known.base == wanted.base && known.starts == wanted.starts &&
        known.last == wanted.last && known.pitches == wanted.pitches)
      return known.row;
  wanted.row = rowOf(array, sizes, loc,
                     [&](size_t dim) { return toWord(b, loc, scalar(starts[dim], loc)); });
  knownRows.push_back(wanted);
  return wanted.row;
}

Value ProgramBuilder::rowOf(Value array, ArrayRef<int64_t> sizes, Location loc,
                            llvm::function_ref<Value(size_t)> word) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  // The array may be a part of another one.
  Value row = parts.lookup(array);
  for (auto [dim, pitch] : llvm::enumerate(*kernel::pitchesOfPart(typeOf(array), sizes))) {
    if (pitch == 0)
      continue;
    Value start = arith::MaxSIOp::create(b, loc, word(dim), constant(0));
    start = arith::MinSIOp::create(b, loc, start, constant(shapeOf(array)[dim] - sizes[dim]));
    start = arith::MulIOp::create(b, loc, start, constant(pitch));
    row = row ? arith::AddIOp::create(b, loc, row, start).getResult() : start;
  }
  return row ? row : constant(0);
}

void ProgramBuilder::emitPart(kernel::PartOp op) {
  buffers[op.getResult()] = read(op.getSource());
  parts[op.getResult()] = firstRow(op.getSource(), op.getSizes(), op.getStarts(), op.getLoc());
}

void ProgramBuilder::emitReplacePart(kernel::ReplacePartOp op) {
  Location loc = op.getLoc();
  Value result = op.getResult(), update = op.getUpdate();
  auto it = destinations.find(result);
  Buffer target = it == destinations.end() ? newBuffer(result, "value") : it->second;
  buffers[result] = target;
  if (replacing.lookup(update) != op) {
    copy(read(op.getSource()), target, loc);
    copyRows(physicalRows(update), read(update), parts.lookup(update), target,
             firstRow(op.getSource(), shapeOf(update), op.getStarts(), loc), loc);
  }
  touch(target);
}

/// Whether a reader finds a value at a computed row of another array: kernels that read it in
/// blocks take that row as a scalar, and rows of parts are added to it.
static bool isReadAtRow(OpOperand &use, Block *block) {
  Operation *user = use.getOwner();
  if (isa<kernel::ReinterpretOp>(user))
    return user->getBlock() == block &&
           llvm::all_of(user->getUses(), [&](OpOperand &read) { return isReadAtRow(read, block); });
  if (auto replace = dyn_cast<kernel::ReplacePartOp>(user))
    return use.get() == replace.getUpdate();
  return isa<kernel::PartOp>(user) || isReadInBlocks(use);
}

void ProgramBuilder::chooseDestination(kernel::ReplacePartOp op, Buffer target) {
  auto update = dyn_cast<OpResult>(op.getUpdate());
  auto fusion = update ? dyn_cast<kernel::FusionOp>(update.getOwner()) : nullptr;
  // An update in place begins with a copy of its operand, at the first row.
  if (!fusion || fusion->getBlock() != op->getBlock() || destinations.contains(update) ||
      !isWrittenInBlocks(update))
    return;
  if (!llvm::all_of(update.getUses(),
                    [&](OpOperand &use) { return isReadAtRow(use, op->getBlock()); }))
    return;
  // Kernels have read what it replaces.
  auto hasRead = [&](Operation *user) {
    return user == op || (isa<kernel::FusionOp>(user) && user->getBlock() == op->getBlock() &&
                          user->isBeforeInBlock(fusion));
  };
  if (!llvm::all_of(op.getSource().getUsers(), hasRead))
    return;
  // The kernel must know the place.
  auto isKnown = [&](Value start) {
    Operation *producer = start.getDefiningOp();
    return !producer || isa<stablehlo::ConstantOp>(producer) ||
           producer->getBlock() != fusion->getBlock() || producer->isBeforeInBlock(fusion);
  };
  if (!llvm::all_of(op.getStarts(), isKnown))
    return;
  size_t others = llvm::count_if(fusion.getResults(), [&](Value result) {
    kernel::ReplacePartOp other = replacing.lookup(result);
    return other && !llvm::equal(other.getStarts(), op.getStarts());
  });
  if (others >= kMostResultRows)
    return;
  destinations[update] = target;
  replacing[update] = op;
}

llvm::DenseMap<Value, int64_t> ProgramBuilder::rowsOf(kernel::FusionOp op,
                                                      SmallVectorImpl<Value> &firstRows) {
  llvm::DenseMap<Value, int64_t> rows;
  auto add = [&](Value value, Value row) {
    auto *known = llvm::find(firstRows, row);
    rows[value] = known - firstRows.begin();
    if (known == firstRows.end())
      firstRows.push_back(row);
  };
  for (Value result : op.getResults())
    if (kernel::ReplacePartOp replace = replacing.lookup(result)) {
      parts[result] =
          firstRow(replace.getSource(), shapeOf(result), replace.getStarts(), op.getLoc());
      add(result, parts[result]);
    }
  for (Value input : op.getInputs()) {
    Value row = parts.lookup(input);
    if (!row)
      continue;
    if (llvm::is_contained(firstRows, row) || firstRows.size() < kMostRows) {
      add(input, row);
      continue;
    }
    Buffer own = newBuffer(input, "part");
    copyRows(physicalRows(input), read(input), row, own, nullptr, op.getLoc());
    localCopies.push_back({input, buffers.at(input), row});
    buffers[input] = own;
    parts.erase(input);
  }
  return rows;
}

void ProgramBuilder::copyRows(int64_t rows, Buffer from, Value fromRow, Buffer to, Value toRow,
                              Location loc) {
  ++time;
  touch(from);
  touch(to);
  kernel::FuncOp func = kernels.buildCopy(rows, loc, fromRow != nullptr, toRow != nullptr);
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(func.getOperandTypes()[0]).getValue());
  CallOperands operands;
  for (Value row : {fromRow, toRow})
    if (row)
      operands.words.push_back(row);
  operands.add(hbm(from, type, loc));
  operands.add(hbm(to, type, loc));
  call(func, operands, loc, reservedRows);
}

} // namespace systole
