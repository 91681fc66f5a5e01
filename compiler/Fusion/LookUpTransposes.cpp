// Moves lanes by lookups where a transposition would move them one by one.
// See docs/decisions/reshapes-and-transpositions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/GatherAccess.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Tensor/OrderedWords.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Remarks.h"

namespace systole {
#define GEN_PASS_DEF_LOOKUPTRANSPOSES
#include "compiler/Fusion/Passes.h.inc"

using namespace mlir;
using namespace stablehlo;
using namespace expansion;

namespace {

/// Lanes of a row, each 128 of which are gathered for each vector of the result.
constexpr int64_t kMostLanes = 8192;

/// A transposition of [.., a, b] to [.., b, a] and a reshape whose rows hold all a x b elements: a
/// arrays of b elements that are interleaved.
class Interleaving {
public:
  Interleaving(ReshapeOp op, Planner &planner) : t(op), op(op), planner(planner) {}

  bool matches();
  /// The result as lookups in rows of all a x b elements; plans the transposition first, while its
  /// result has readers.
  Value build();
  /// Whether `operations`, which make the result by lookups, are faster.
  bool pays(ArrayRef<Operation *> operations);

private:
  Tensors t;
  ReshapeOp op;
  Planner &planner;
  TransposeOp transpose;
  std::optional<Plan> moves; ///< of the transposition
};

bool Interleaving::matches() {
  transpose = op.getOperand().getDefiningOp<TransposeOp>();
  Type element = op.getType().getElementType();
  // A kernel that converts words to 16-bit floats flushes denormals.
  if (element.isF16() || element.isBF16() || !hasOrderedWords(element))
    return false;
  if (!transpose || transpose->getBlock() != op->getBlock() || !transpose->hasOneUse() ||
      op.getType().getNumElements() == 0)
    return false;
  int64_t rank = transpose.getType().getRank();
  ArrayRef<int64_t> shape = transpose.getType().getShape(), merged = op.getType().getShape();
  return rank >= 2 && !merged.empty() && transpose.getPermutation()[rank - 2] == rank - 1 &&
         shape[rank - 1] > 1 && shape[rank - 2] > 1 &&
         shape[rank - 1] * shape[rank - 2] <= kMostLanes &&
         merged.back() % (shape[rank - 1] * shape[rank - 2]) == 0;
}

Value Interleaving::build() {
  moves = planner.plan({transpose, op});
  int64_t rank = transpose.getType().getRank();
  const int64_t a = transpose.getType().getDimSize(rank - 1),
                b = transpose.getType().getDimSize(rank - 2);
  SmallVector<int64_t> order(transpose.getPermutation());
  std::swap(order[rank - 1], order[rank - 2]);
  // Short rows share lanes.
  int64_t rows = op.getType().getNumElements() / (a * b), together = 1;
  while (2 * together * a * b <= kLanes && rows % (2 * together) == 0)
    together *= 2;
  rows /= together;
  const int64_t width = together * a * b;
  SmallVector<int32_t> places(width);
  for (int64_t place = 0; place < width; ++place) {
    int64_t inRow = place % (a * b);
    places[place] = static_cast<int32_t>(place - inRow + inRow % a * b + inRow / a);
  }
  Value table = t.reshape(t.transpose(transpose.getOperand(), order), {rows, width});
  auto type = RankedTensorType::get({width}, t.b.getI32Type());
  Value index = ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(type, ArrayRef(places)));
  index = t.spread(index, {rows, width}, {1});
  Value words = wordsOf(t, table);
  Value found = kernel::LookupOp::create(t.b, t.loc, words.getType(), words, index);
  return t.reshape(elementsOf(t, found, op.getType().getElementType()), op.getType().getShape());
}

bool Interleaving::pays(ArrayRef<Operation *> operations) {
  std::optional<Plan> lookups = planner.plan(operations);
  constexpr auto remarkOf = [](StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-look-up-transposes");
  };
  bool pays = lookups && (!moves || isFaster(planner, *lookups, *moves));
  auto found = pays ? remark::passed(t.loc, remarkOf("Lookup"))
                    : remark::missed(t.loc, remarkOf("Transposition"));
  if (found && lookups)
    found << remark::metric("LookupCycles", lookups->cycles);
  if (found && moves)
    found << remark::metric("TranspositionCycles", moves->cycles);
  return pays;
}

struct LookUpTransposes : PlanningPass<impl::LookUpTransposesBase<LookUpTransposes>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    getOperation().walk([&](ReshapeOp op) {
      Interleaving interleaving(op, planner());
      if (!interleaving.matches())
        return;
      Operation *before = op->getPrevNode();
      Value result = interleaving.build();
      SmallVector<Operation *> built;
      for (Operation *made = before->getNextNode(); made != op; made = made->getNextNode())
        built.push_back(made);
      // The planner asks who reads a result.
      op.replaceAllUsesWith(result);
      bool pays = interleaving.pays(built);
      if (!pays)
        result.replaceAllUsesWith(op);
      for (Operation *vain : pays ? SmallVector<Operation *>{op, op.getOperand().getDefiningOp()}
                                  : llvm::to_vector(llvm::reverse(built)))
        vain->erase();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createLookUpTransposes(std::shared_ptr<Planner> planner) {
  return std::make_unique<LookUpTransposes>(std::move(planner));
}

} // namespace systole
