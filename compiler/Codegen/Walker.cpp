// Loads a stage's inputs as the indices of its loops are bound.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Access.h"
#include "compiler/Codegen/Body.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

Walker::Walker(Emitter &emitter, ArrayRef<Access> accesses, size_t inputs, ArrayRef<LoopDim> dims,
               size_t sublaneDim)
    : e(emitter), accesses(accesses), dims(dims), sublaneDim(sublaneDim), inputCount(inputs),
      rank(accesses.empty() ? 0 : accesses[0].strides.size()) {
  indices.resize(dims.size());
  loaded.resize(inputs);
  lastRows.resize(inputs);
  for (size_t a = 0; a < accesses.size(); ++a) {
    auto *same = llvm::find_if(keys, [&](size_t other) {
      return llvm::all_of(dims,
                          [&](const LoopDim &dim) { return dim.strides[a] == dim.strides[other]; });
    });
    keyOf.push_back(same - keys.begin());
    if (same == keys.end()) {
      keys.push_back(a);
      rows.push_back(e.constant(0));
    }
  }
}

void Walker::setSublanes(int64_t sublanesInUse) {
  count = sublanesInUse;
  limit = count < kSublanes ? e.sublaneMask(nullptr, e.constant(count)) : nullptr;
}

std::optional<size_t> Walker::find(int64_t spaceDim) const {
  for (auto [number, dim] : llvm::enumerate(dims))
    if (llvm::is_contained(dim.parts, spaceDim))
      return number;
  return std::nullopt;
}

void Walker::start() { loadReady(); }

void Walker::bind(size_t dim, Value index, llvm::function_ref<void()> body) {
  SmallVector<Value> savedRows = rows, savedLoaded = loaded;
  indices[dim] = index;
  for (auto [key, access] : llvm::enumerate(keys))
    if (int64_t stride = dims[dim].strides[access])
      rows[key] = e.add(rows[key], e.mul(index, stride));
  loadReady();
  body();
  indices[dim] = nullptr;
  rows = std::move(savedRows);
  loaded = std::move(savedLoaded);
}

Value Walker::row(size_t access) { return e.add(rows[keyOf[access]], accesses[access].first); }

Value Walker::stride(size_t access) { return e.constant(dims[sublaneDim].strides[access]); }

Value Walker::scalarIndex(int64_t spaceDim) {
  std::optional<size_t> dim = find(spaceDim);
  return dim ? indices[*dim] : e.constant(0);
}

Value Walker::plus(Value cells, Value scalar) {
  if (e.constantValue(scalar) == 0)
    return cells;
  return core::VAddOp::create(e.b, e.loc, e.vectorType(), cells, scalar);
}

Value Walker::index(int64_t spaceDim) {
  Value scalar = scalarIndex(spaceDim);
  bool isLanes = spaceDim + 1 == rank;
  Value cells = isLanes ? plus(e.laneId(), e.mul(scalar, kLanes)) : scalar;
  std::optional<size_t> dim = find(spaceDim);
  if (dim && dims[*dim].parts.size() > 1 && !isLanes)
    return partOfIndex(*dim, spaceDim);
  if (!dim || *dim != sublaneDim)
    return cells;
  // Sublanes count groups of lanes if they run along the last dimension.
  if (!isLanes)
    return plus(e.sublaneId(), scalar);
  Value groups = core::VShlOp::create(e.b, e.loc, e.vectorType(), e.sublaneId(), e.constant(7));
  return core::VAddOp::create(e.b, e.loc, e.vectorType(), cells, groups);
}

Value Walker::partOfIndex(size_t dim, int64_t spaceDim) {
  const LoopDim &merged = dims[dim];
  size_t place = llvm::find(merged.parts, spaceDim) - merged.parts.begin();
  int64_t inside = 1;
  for (int64_t extent : ArrayRef(merged.extents).drop_front(place + 1))
    inside *= extent;
  // Nothing is around the outermost part.
  int64_t extent = place > 0 ? merged.extents[place] : 0;
  if (dim != sublaneDim) {
    Value number = e.divide(indices[dim], inside);
    return extent ? e.remainder(number, extent) : number;
  }
  Value number = e.divideCells(plus(e.sublaneId(), indices[dim]), inside);
  return extent ? e.remainderOfCells(number, extent) : number;
}

void Walker::hoist(ArrayRef<size_t> unrolled, ArrayRef<int64_t> firsts, ArrayRef<int64_t> trips,
                   ArrayRef<int64_t> steps) {
  isHoisting = true;
  auto visit = [&](auto &&visit, ArrayRef<size_t> rest) -> void {
    if (rest.empty())
      return;
    size_t dim = rest.front();
    for (int64_t step = 0; step < trips[dim]; ++step)
      bind(dim, e.constant(firsts[dim] + step * steps[dim]),
           [&] { visit(visit, rest.drop_front()); });
  };
  visit(visit, unrolled);
  isHoisting = false;
}

Walker::Hoisted *Walker::findHoisted(size_t access) {
  return llvm::find_if(hoisted, [&](const Hoisted &entry) {
    return entry.access == access && llvm::all_of(entry.at, [&](auto place) {
             return indices[place.first] && e.constantValue(indices[place.first]) == place.second;
           });
  });
}

void Walker::loadReady() {
  for (size_t a = 0; a < inputCount; ++a) {
    if (loaded[a])
      continue;
    bool ready = true;
    Hoisted entry{a, {}, nullptr};
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      if (!dependsOn(a, dim))
        continue;
      ready &= static_cast<bool>(indices[dim]);
      if (std::optional<int32_t> index =
              indices[dim] ? e.constantValue(indices[dim]) : std::nullopt)
        entry.at.emplace_back(dim, *index);
    }
    if (!ready)
      continue;
    if (shared && !dependsOn(a, sharedDim)) {
      loaded[a] = shared->loaded[a];
      continue;
    }
    Hoisted *before = findHoisted(a);
    loaded[a] = before == hoisted.end() ? load(a) : before->vector;
    if (isHoisting && before == hoisted.end()) {
      entry.vector = loaded[a];
      hoisted.push_back(std::move(entry));
    }
  }
}

Value Walker::load(size_t a) {
  const Access &access = accesses[a];
  int64_t sublaneStride = dims.empty() ? 0 : dims[sublaneDim].strides[a];
  Value stride = e.constant(sublaneStride);
  Value mask = sublaneStride ? limit : nullptr;
  Value from = row(a);
  Type element = access.buffer.type.getElementType();
  auto load = [&](Value from) { return e.load(access.buffer, from, stride, mask); };
  // Lanes of one row are chosen again and again in straight-line code.
  auto loadGroup = [&](Value from) {
    LoadedRow &last = lastRows[a];
    bool isLast = last.vector && last.row == from && last.mask == mask &&
                  last.vector.getParentBlock() == e.b.getInsertionBlock();
    if (!isLast)
      last = {from, mask, load(from)};
    return last.vector;
  };
  Value cells;
  switch (access.lanes) {
  case Access::Lanes::along:
    cells = load(from);
    break;
  case Access::Lanes::first:
    cells = e.xlu<core::XluBroadcastOp>(load(from), e.constant(0));
    break;
  case Access::Lanes::chosen: {
    Value chosen = scalarIndex(access.laneDim);
    Value group = loadGroup(e.add(from, e.divide(chosen, kLanes)));
    Value lane = e.remainder(chosen, kLanes);
    if (find(access.laneDim) == sublaneDim) {
      // Groups of eight start at multiples of eight, so they share a row.
      Value lanes = plus(e.sublaneId(), lane);
      cells = e.xlu<core::XluGatherOp>(group, lanes);
    } else {
      cells = e.xlu<core::XluBroadcastOp>(group, lane);
    }
    break;
  }
  }
  if (access.isRepeated) {
    constexpr int half = 16;
    Value low = core::VShrOp::create(e.b, e.loc, e.vectorType(), cells, e.constant(half));
    return core::VOrOp::create(e.b, e.loc, e.vectorType(), cells, low);
  }
  return fromMemory(e, cells, element);
}
