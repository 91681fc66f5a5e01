// Lowers kernel.reduce: the choice between its two strategies, and the code that they
// share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Reduce.h"
#include "dialects/StableHLO/Reducers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

ReducePlan codegen::planReduce(kernel::ReduceOp op, ArrayRef<BufferRef> inputs,
                               ArrayRef<BufferRef> outputs) {
  ReducePlan plan;
  ArrayRef<int64_t> sizes = op.getSizes();
  for (auto [buffer, map] : llvm::zip_equal(inputs, op.getMaps().getAsValueRange<AffineMapAttr>()))
    plan.accesses.push_back(accessOf(buffer, map, sizes));
  SmallVector<AffineExpr> kept;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(d)))
      kept.push_back(getAffineDimExpr(d, op.getContext()));
  AffineMap keptMap = AffineMap::get(sizes.size(), 0, kept, op.getContext());
  for (const BufferRef &buffer : outputs)
    plan.accesses.push_back(accessOf(buffer, keptMap, sizes));

  SmallVector<bool> pinned(sizes.size(), false);
  for (auto index : op.getBody().getOps<kernel::IndexOp>())
    pinned[index.getDim()] = true;
  auto rows = llvm::map_to_vector(
      plan.accesses, [](const Access &access) -> const RowAccess * { return &access; });
  static_cast<ReduceLoops &>(plan) =
      reduceLoops(sizes, op.getDims(), op.getPartials(), rows, inputs.size(), pinned);
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

ReduceLowering::ReduceLowering(kernel::ReduceOp op, ArrayRef<BufferRef> outputs,
                               const ReducePlan &plan, Emitter &emitter,
                               const StageOptions &options)
    : op(op), outputs(outputs), plan(plan), e(emitter),
      base(e, plan.accesses, op.getInputs().size(), plan.dims, plan.sublaneDim),
      index([this](int64_t dim) { return walker->index(dim); }),
      body(e, options.excessPrecision, index, options.scalar), combiner(op, body) {}

Values ReduceLowering::evaluate() {
  FailureOr<SmallVector<Value>> results = body.emit(op.getBody().front(), walker->inputs());
  if (failed(results)) {
    combiner.hasFailed = true;
    Values nothing;
    for (const BufferRef &output : outputs)
      nothing.push_back(fromMemory(e, e.splatBits(0), output.type.getElementType()));
    return nothing;
  }
  Values values;
  for (Value value : *results)
    values.push_back(body.vector(value));
  return values;
}

Value ReduceLowering::validLanes(Value group) {
  // Lanes beyond the first group are never read.
  if (!plan.numbersGroups || plan.laneCount % kLanes == 0)
    return nullptr;
  return e.laneMask(nullptr, e.sub(e.constant(plan.laneCount), e.mul(group, kLanes)));
}

SmallVector<Value>
ReduceLowering::steps(int64_t from, int64_t to, bool unrolled, ValueRange inits,
                      llvm::function_ref<SmallVector<Value>(Value, ValueRange)> step) {
  if (!unrolled)
    return e.loop(from, to, 1, inits, step);
  SmallVector<Value> carried(inits);
  for (int64_t i = from; i < to; ++i)
    carried = step(e.constant(i), carried);
  return carried;
}

void ReduceLowering::store(const Values &values) {
  bool oneSublane = plan.sublanes != ReducePlan::Sublanes::kept;
  Value sublaneMask = oneSublane ? e.sublaneMask(nullptr, e.constant(1)) : walker->sublaneLimit();
  for (auto [number, value] : llvm::enumerate(values)) {
    size_t access = plan.accesses.size() - outputs.size() + number;
    const Access &out = plan.accesses[access];
    Value row = walker->row(access);
    Value stride = oneSublane ? e.constant(0) : walker->stride(access);
    Value mask = sublaneMask;
    // All lanes contain the result of reduced ones.
    bool isPlain = !plan.reducesLanes || outputs[number].type.getReplicated();
    if (!isPlain && out.laneDim < 0) {
      mask = e.maskAnd(mask, e.laneMask(nullptr, e.constant(1)));
    } else if (!isPlain) {
      // The index of the kept dimension selects the result's lane.
      Value index = walker->scalarIndex(out.laneDim);
      row = e.add(row, e.divide(index, kLanes));
      Value lane = e.remainder(index, kLanes);
      bool diagonal = !oneSublane && walker->find(out.laneDim) == plan.sublaneDim;
      Value ids = diagonal ? lanesMinusSublanes() : e.laneId();
      mask = e.maskAnd(mask, core::VEqOp::create(e.b, e.loc, e.maskType(), ids, lane));
    }
    Type element = outputs[number].type.getElementType();
    e.store(toMemory(e, value, element), outputs[number], row, stride, mask);
  }
}

// Sublane s of a vector of eight results belongs to the s-th lane after the first.
Value ReduceLowering::lanesMinusSublanes() {
  if (!diagonalIds) {
    Value lanes = e.laneId(), sublanes = e.sublaneId();
    diagonalIds = e.hoisted(
        [&] { return core::VSubOp::create(e.b, e.loc, e.vectorType(), lanes, sublanes); });
  }
  return diagonalIds;
}

void ReduceLowering::emitOutputs(const Values &inits, int64_t first, int64_t trips) {
  SmallVector<int64_t> firsts(plan.dims.size(), 0), counts, strides(plan.dims.size(), 1);
  for (const LoopDim &dim : plan.dims)
    counts.push_back(dim.extent);
  SmallVector<size_t> order(plan.kept);
  if (plan.sublanes == ReducePlan::Sublanes::kept) {
    firsts[plan.sublaneDim] = first;
    counts[plan.sublaneDim] = trips;
    strides[plan.sublaneDim] = kSublanes;
  }
  LoopPlan loops = planLoops(order, counts, /*maxCopies=*/1);
  int64_t together = plan.jammedVectors(outputs.size());
  std::optional<size_t> innermost = loops.innermostLoop();
  if (together == 1 || !innermost) {
    emitLoops(base, loops, firsts, counts, strides, /*independent=*/false, [&] {
      startVectors(1);
      emitVectors(inits);
    });
    return;
  }
  size_t dim = loops.levels[*innermost].dim;
  loops.levels.erase(loops.levels.begin() + *innermost);
  int64_t begin = firsts[dim], step = strides[dim], count = counts[dim];
  int64_t rest = count % together, split = begin + (count - rest) * step;
  emitLoops(base, loops, firsts, counts, strides, /*independent=*/false, [&] {
    e.loop(begin, split, step * together,
           [&](Value index) { emitTogether(inits, dim, index, step, together); });
    if (rest)
      emitTogether(inits, dim, e.constant(split), step, rest);
  });
}

void ReduceLowering::startVectors(int64_t count) {
  walkers.clear();
  walkers.reserve(count); // they refer to each other
  for (int64_t number = 0; number < count; ++number)
    walkers.push_back(base);
  walker = &walkers.front();
}

void ReduceLowering::emitTogether(const Values &inits, size_t dim, Value index, int64_t step,
                                  int64_t vectors) {
  startVectors(vectors);
  for (Walker &other : llvm::drop_begin(walkers))
    other.shareLoads(walkers.front(), dim);
  bind(dim, index, [&] { emitVectors(inits); }, step);
}

void ReduceLowering::emitVectors(const Values &inits) {
  SmallVector<Values> results;
  if (plan.sublanes == ReducePlan::Sublanes::rows)
    results.push_back(accumulateVectors());
  else
    results = accumulateSlots();
  for (auto [place, values] : llvm::zip_equal(walkers, results)) {
    walker = &place;
    if (plan.reducesLanes)
      values = combiner.overLanes(values, std::min(plan.laneCount, kLanes));
    store(inits.empty() ? values : combiner.combine(inits, values));
  }
}

LogicalResult ReduceLowering::lower(const Values &inits) {
  base.start();
  if (plan.sublanes == ReducePlan::Sublanes::single) {
    // Every sublane computes the same value; dimension `sublaneDim` has one step.
    base.bind(plan.sublaneDim, e.constant(0), [&] { emitOutputs(inits, 0, 1); });
  } else if (plan.sublanes == ReducePlan::Sublanes::rows) {
    emitOutputs(inits, 0, 1);
  } else {
    int64_t extent = plan.dims[plan.sublaneDim].extent, whole = extent / kSublanes;
    if (extent % kSublanes &&
        paddingTakesLastGroup(plan.dims, plan.sublaneDim, plan.accesses, op.getInputs().size())) {
      emitOutputs(inits, 0, whole + 1);
      return failure(combiner.hasFailed);
    }
    if (whole)
      emitOutputs(inits, 0, whole);
    if (extent % kSublanes) {
      base.setSublanes(extent % kSublanes);
      emitOutputs(inits, whole * kSublanes, 1);
    }
  }
  return failure(combiner.hasFailed);
}

// A reduction over no elements yields the initial value.
static void fill(Emitter &e, const BufferRef &output, Value cells) {
  int64_t rows = llvm::alignTo(output.type.getLogicalRows(), kSublanes);
  e.loop(
      0, rows, kSublanes, [&](Value row) { e.store(cells, output, row, e.constant(1)); },
      /*independent=*/true);
}

static LogicalResult lowerParts(kernel::ReduceOp op, ArrayRef<BufferRef> inputs,
                                ArrayRef<BufferRef> inits, ArrayRef<BufferRef> outputs, size_t most,
                                Emitter &e, const StageOptions &options) {
  for (size_t first = 0; first < outputs.size(); first += most) {
    size_t count = std::min(most, outputs.size() - first);
    ReducePart part = partOf(op, llvm::to_vector(llvm::seq(first, first + count)));
    auto read = llvm::map_to_vector(part.inputs, [&](size_t input) { return inputs[input]; });
    LogicalResult result =
        lowerReduce(part.op, read, inits.empty() ? inits : inits.slice(first, count),
                    outputs.slice(first, count), e, options);
    part.op.erase();
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult codegen::lowerReduce(kernel::ReduceOp op, ArrayRef<BufferRef> inputs,
                                   ArrayRef<BufferRef> inits, ArrayRef<BufferRef> outputs,
                                   Emitter &e, const StageOptions &options) {
  if (outputs[0].type.getLogicalRows() == 0)
    return success();
  Values initCells, initValues;
  for (const BufferRef &init : inits) {
    Value row = e.load(init, e.constant(0), e.constant(0));
    initCells.push_back(e.xlu<core::XluBroadcastOp>(row, e.constant(0)));
    initValues.push_back(fromMemory(e, initCells.back(), init.type.getElementType()));
  }
  if (llvm::is_contained(op.getSizes(), 0)) {
    if (inits.empty())
      return op.emitOpError("expects initial values where there are no elements");
    for (auto [output, cells] : llvm::zip_equal(outputs, initCells))
      fill(e, output, cells);
    return success();
  }
  ReducePlan plan = planReduce(op, inputs, outputs);
  plan.chooseSublanes(plan.accesses.size());
  if (size_t most = plan.resultsAtOnce();
      most < outputs.size() && !combinersOf(op.getCombiner().front()).empty())
    return lowerParts(op, inputs, inits, outputs, most, e, options);
  return ReduceLowering(op, outputs, plan, e, options).lower(initValues);
}
