// Rewrites gathers of single elements as lookups by the cross-lane unit.
// See docs/decisions/gathers-scatters-and-sorts.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/GatherAccess.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Tensor/Indices.h"
#include "compiler/Tensor/OrderedWords.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Remarks.h"

namespace systole {
#define GEN_PASS_DEF_LOOKUPGATHERS
#include "compiler/Fusion/Passes.h.inc"

using namespace mlir;
using namespace stablehlo;
using namespace expansion;

namespace {

using Dims = SmallVector<int64_t>;

/// A gather of elements: along some dimensions of the operand, the batches, positions count, others
/// are taken whole, each index of which is a table of its own. The rest is one table.
class Lookup {
public:
  Lookup(GatherOp op, Planner &planner) : op(op), planner(planner), t(op), i32(t.b.getI32Type()) {}
  /// The result; null if the gather takes more than elements, or if a loop takes fewer cycles.
  Value build();

private:
  bool findStarts();
  bool pays(Operation *lookup);
  /// Start indices as one index of the table.
  Value linearIndex();

  GatherOp op;
  Planner &planner;
  Tensors t;
  Type i32;
  Dims shape, positions;
  SmallVector<Value> starts;    ///< by dimension of the operand; null if always 0
  Dims batches, batchPositions; ///< dimensions of the operand, and of the positions that count
  Dims wholes;                  ///< dimensions of the operand that slices take whole
  Dims tables, others;          ///< the other ones
};

Dims pick(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t d) { return sizes[d]; });
}

int64_t countOf(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dims) {
  return ShapedType::getNumElements(pick(sizes, dims));
}

bool Lookup::findStarts() {
  shape = Dims(shapeOf(op.getOperand()));
  if (!hasOrderedWords(op.getType().getElementType()))
    return false;
  auto numbers = op.getDimensionNumbers();
  positions = positionsOf(op.getStartIndices(), numbers.getIndexVectorDim());
  starts = startsOf(t.b, t.loc, op.getStartIndices(), numbers.getIndexVectorDim(), shape.size(),
                    numbers.getStartIndexMap(), numbers.getOperandBatchingDims(),
                    numbers.getStartIndicesBatchingDims());
  for (auto [d, start] : llvm::enumerate(starts)) {
    if (int64_t size = op.getSliceSizes()[d]; size != 1) {
      // It can only start at 0.
      if (size != shape[d])
        return false;
      wholes.push_back(d);
      continue;
    }
    auto counted = start ? progressionOf(start) : std::nullopt;
    bool isBatch = counted && counted->first == 0 && counted->step == 1 &&
                   positions[counted->dim] == shape[d] &&
                   !llvm::is_contained(batchPositions, counted->dim);
    (isBatch ? batches : tables).push_back(d);
    if (isBatch)
      batchPositions.push_back(counted->dim);
  }
  for (int64_t p = 0, end = positions.size(); p < end; ++p)
    if (!llvm::is_contained(batchPositions, p))
      others.push_back(p);
  return true;
}

bool Lookup::pays(Operation *lookup) {
  // Compared with the loop over an array in VMEM, which fuses with its readers as a lookup does;
  // windows of an array in HBM do not, though they may take fewer cycles alone.
  std::optional<Plan> ofLookup = planner.plan({lookup}), ofLoop = planner.plan({op});
  if (!ofLoop)
    ofLoop = planWithAccess(planner, op);
  // Layouts are not known yet, so that the access is not either.
  op->removeAttr(kernel::kAccessAttr);
  constexpr auto remarkOf = [](StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-look-up-gathers");
  };
  auto report = [&](remark::detail::InFlightRemark found) {
    if (ofLookup)
      found << remark::metric("LookupCycles", ofLookup->cycles);
    if (ofLoop)
      found << remark::metric("LoopCycles", ofLoop->cycles);
  };
  bool pays = ofLookup && (!ofLoop || isFaster(planner, *ofLookup, *ofLoop));
  if (pays)
    report(remark::passed(op.getLoc(), remarkOf("Lookup")));
  else
    report(remark::missed(op.getLoc(), remarkOf("Loop")));
  return pays;
}

Value Lookup::linearIndex() {
  Value index = t.number(i32, 0, positions);
  for (int64_t d : tables) {
    Value start = starts[d] ? starts[d] : t.number(i32, 0, positions);
    start = t.apply<MaxOp>(start, t.number(i32, 0, positions));
    start = t.apply<MinOp>(start, t.number(i32, shape[d] - 1, positions));
    index = t.apply<AddOp>(t.apply<MulOp>(index, t.number(i32, shape[d], positions)), start);
  }
  return index;
}

Value Lookup::build() {
  if (!findStarts() || tables.empty())
    return nullptr;
  Dims operandOrder(batches), positionOrder(batchPositions);
  llvm::append_range(operandOrder, wholes);
  llvm::append_range(operandOrder, tables);
  llvm::append_range(positionOrder, others);
  const int64_t count = countOf(shape, batches), width = countOf(shape, wholes);
  const int64_t size = countOf(positions, others);
  Value words = wordsOf(t, op.getOperand());
  Value table =
      t.reshape(t.transpose(words, operandOrder), {count * width, countOf(shape, tables)});
  Value index = t.reshape(t.transpose(linearIndex(), positionOrder), {count, size});
  index = t.reshape(t.spread(index, {count, width, size}, {0, 2}), {count * width, size});
  Type type = typeOf(table).clone(shapeOf(index));
  auto lookup = kernel::LookupOp::create(t.b, t.loc, type, table, index);
  // The dimensions of the result, and which of what has been found each is.
  Dims found = pick(positions, batchPositions), order;
  llvm::append_range(found, pick(shape, wholes));
  llvm::append_range(found, pick(positions, others));
  auto placeOf = [](const Dims &dims, int64_t dim) { return llvm::find(dims, dim) - dims.begin(); };
  auto numbers = op.getDimensionNumbers();
  const int64_t batchRank = batchPositions.size(), wholeRank = wholes.size();
  int64_t position = 0, kept = 0;
  for (int64_t d = 0; d < op.getType().getRank(); ++d) {
    if (!llvm::is_contained(numbers.getOffsetDims(), d)) {
      int64_t place = placeOf(batchPositions, position);
      order.push_back(place < batchRank ? place
                                        : batchRank + wholeRank + placeOf(others, position));
      ++position;
      continue;
    }
    while (llvm::is_contained(numbers.getCollapsedSliceDims(), kept) ||
           llvm::is_contained(numbers.getOperandBatchingDims(), kept))
      ++kept;
    if (int64_t place = placeOf(wholes, kept++); place < wholeRank)
      order.push_back(batchRank + place);
  }
  Value result = t.transpose(t.reshape(lookup, found), order);
  result = t.reshape(elementsOf(t, result, op.getType().getElementType()), op.getType().getShape());
  // The planner asks who reads a result.
  return pays(lookup) ? result : nullptr;
}

struct LookUpGathers : PlanningPass<impl::LookUpGathersBase<LookUpGathers>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    getOperation().walk([&](GatherOp op) {
      if (op.getType().getNumElements() == 0)
        return;
      Operation *before = op->getPrevNode();
      if (Value result = Lookup(op, planner()).build()) {
        op.replaceAllUsesWith(result);
        op.erase();
        return;
      }
      // The lookup is not used: users before producers.
      while (op->getPrevNode() != before)
        op->getPrevNode()->erase();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createLookUpGathers(std::shared_ptr<Planner> planner) {
  return std::make_unique<LookUpGathers>(std::move(planner));
}

} // namespace systole
