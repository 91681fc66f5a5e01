// Chooses in which order the dimensions of each tensor lie.
// See docs/decisions/layout-assignment.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/OperandOrders.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/Layout/Passes.h.inc"

namespace {

class Assigner {
public:
  LogicalResult run(func::FuncOp function) {
    Block &body = function.getBody().front();
    auto emitError = [&] { return function.emitError(); };
    // All at once: each change of one entry's attributes copies the list of all.
    SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
    for (BlockArgument argument : body.getArguments()) {
      DictionaryAttr given = function.getArgAttrDict(argument.getArgNumber());
      FailureOr<Order> order = entryOrderOf(given, typeOf(argument), emitError);
      if (failed(order))
        return failure();
      argumentAttrs.push_back(withLayout(given, layoutOf(argument, *order)));
      orders[argument] = *std::move(order);
    }
    for (OpOperand &result : body.getTerminator()->getOpOperands()) {
      DictionaryAttr given = function.getResultAttrDict(result.getOperandNumber());
      FailureOr<Order> order = entryOrderOf(given, typeOf(result.get()), emitError);
      if (failed(order))
        return failure();
      resultAttrs.push_back(withLayout(given, layoutOf(result.get(), *order)));
      leaving.try_emplace(result.get(), *std::move(order));
    }
    function.setAllArgAttrs(argumentAttrs);
    function.setAllResultAttrs(resultAttrs);
    visit(body);
    return success();
  }

private:
  static DictionaryAttr withLayout(DictionaryAttr attributes, kernel::LayoutAttr layout) {
    NamedAttrList list(attributes);
    list.set(kernel::kLayoutAttr, layout);
    return list.getDictionary(layout.getContext());
  }

  static kernel::LayoutAttr layoutOf(Value value, const Order &order) {
    return kernel::LayoutAttr::inOrder(typeOf(value).getElementType(), order);
  }

  void visit(Block &block) {
    noteLeaving(block);
    for (Operation &op : block.without_terminator()) {
      if (isSequenced(&op))
        visitSequenced(&op);
      else if (isa<stablehlo::OptimizationBarrierOp>(op))
        passThrough(&op);
      else
        choose(&op);
    }
  }

  /// Finds the values that leave `block`, themselves or after elementwise work of which nothing
  /// else is read on the way: they come to lie as the caller asks, or as their shapes decide.
  void noteLeaving(Block &block) {
    auto note = [&](Value value) { leaving.try_emplace(value, preferredOrder(typeOf(value))); };
    auto pass = [&](Value result, Value operand) {
      if (auto it = leaving.find(result); operand.hasOneUse() && it != leaving.end())
        leaving.try_emplace(operand, Order(it->second));
    };
    llvm::for_each(block.getTerminator()->getOperands(), note);
    for (Operation &op : block)
      if (kindOf(&op) == OpKind::Transfer && op.getNumResults() == 0)
        note(op.getOperand(0));
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (isa<stablehlo::OptimizationBarrierOp>(op))
        for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults()))
          pass(result, operand);
      if (kindOf(&op) == OpKind::Elementwise)
        for (Value operand : op.getOperands())
          if (typeOf(operand).getShape() == typeOf(op.getResult(0)).getShape())
            pass(op.getResult(0), operand);
    }
  }

  /// A barrier's results are its operands, where these lie.
  void passThrough(Operation *op) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      orders[result] = Order(orders.lookup(operand));
    record(op);
  }

  /// Values that loops carry, branches yield or the host sends lie as their shapes decide:
  /// producers and readers on all ways agree on that.
  void visitSequenced(Operation *op) {
    // Blocks of an exchange are rows of memory, one behind the other.
    const bool isRowMajor = takesRowMajor(op);
    for (Value result : op->getResults())
      orders[result] =
          isRowMajor ? rowMajor(typeOf(result).getRank()) : preferredOrder(typeOf(result));
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        orders[argument] = preferredOrder(typeOf(argument));
      visit(region.front());
    }
    record(op);
  }

  void choose(Operation *op) {
    // What the program says itself stays.
    if (auto stated = op->getAttrOfType<ArrayAttr>(kernel::kLayoutsAttr)) {
      for (Value result : op->getResults())
        orders[result] = Order(cast<kernel::LayoutAttr>(stated[0]).getOrder());
      return record(op);
    }
    SmallVector<Placed> operands;
    for (Value operand : op->getOperands())
      operands.push_back({typeOf(operand), orders.lookup(operand)});
    RankedTensorType type = typeOf(op->getResult(0));
    if (auto number = op->getAttrOfType<IntegerAttr>(kernel::kExpandedAttr)) {
      if (unit.number != number || unit.shape != type.getShape())
        unit = {number, type.getShape(), orderOfUnit(op, number)};
      orders[op->getResult(0)] = unit.order;
      return record(op);
    }
    SmallVector<Order> candidates = suggestedOrders(op, operands);
    if (!leavesOrderToReader(op)) {
      candidates.push_back(rowMajor(type.getRank()));
      candidates.push_back(preferredOrder(type));
      // The caller's, where that is another one.
      if (auto it = leaving.find(op->getResult(0)); it != leaving.end())
        candidates.push_back(it->second);
    }
    // A transposition is carried out where it is written unless that costs padding:
    // only those that save bytes are left to their readers.
    if (isa<stablehlo::TransposeOp>(op) &&
        bytesIn(type, candidates.front()) >= bytesIn(type, rowMajor(type.getRank())))
      candidates.erase(candidates.begin());
    const Order *best = nullptr;
    int64_t least = INT64_MAX;
    for (const Order &candidate : candidates)
      if (int64_t bytes = cost(op, operands, candidate); bytes < least) {
        least = bytes;
        best = &candidate;
      }
    for (Value result : op->getResults())
      orders[result] = *best;
    record(op);
  }

  /// The order that moves the fewest bytes in and out of the parts with `number` from `first` on,
  /// which share a kernel: transpositions in between would divide it.
  Order orderOfUnit(Operation *first, Attribute number) const {
    llvm::SetVector<Value> outer, results;
    for (Operation *op = first; isSplatConstant(op) || op->getAttr(kernel::kExpandedAttr) == number;
         op = op->getNextNode()) {
      if (isSplatConstant(op) ||
          typeOf(op->getResult(0)).getShape() != typeOf(first->getResult(0)).getShape())
        continue;
      for (Value operand : op->getOperands())
        if (typeOf(operand).getShape() == typeOf(first->getResult(0)).getShape() &&
            !isRematerializable(operand.getDefiningOp()) && !results.contains(operand))
          outer.insert(operand);
      results.insert(op->getResult(0));
    }
    results.remove_if([&](Value result) {
      return llvm::all_of(result.getUsers(), [&](Operation *user) {
        return user->getAttr(kernel::kExpandedAttr) == number;
      });
    });
    RankedTensorType type = typeOf(first->getResult(0));
    SmallVector<Order> candidates;
    for (Value value : outer)
      candidates.push_back(orders.lookup(value));
    candidates.push_back(rowMajor(type.getRank()));
    candidates.push_back(preferredOrder(type));
    for (Value result : results)
      if (auto it = leaving.find(result); it != leaving.end())
        candidates.push_back(it->second);
    auto bytes = [&](const Order &order) {
      int64_t sum = 0;
      for (Value value : outer)
        sum += relayoutBytes(typeOf(value), orders.lookup(value), order);
      for (Value result : results)
        sum += leavingBytes(result, order);
      return sum;
    };
    return *std::min_element(candidates.begin(), candidates.end(),
                             [&](const Order &a, const Order &b) { return bytes(a) < bytes(b); });
  }

  /// Whether a written transposition, which knows what comes next, is all that reads a product.
  static bool leavesOrderToReader(Operation *op) {
    OpKind kind = kindOf(op);
    return (kind == OpKind::Convolution || kind == OpKind::Dot) && op->hasOneUse() &&
           isa<stablehlo::TransposeOp>(*op->user_begin());
  }

  /// Bytes moved because of `op` if its results lie in `order`.
  int64_t cost(Operation *op, ArrayRef<Placed> operands, const Order &order) const {
    OperandOrders chosen = operandOrdersOf(op, operands, order);
    int64_t bytes = chosen.hiddenBytes;
    for (auto [i, operand] : llvm::enumerate(operands))
      // Any order of what each reader has a copy of comes for nothing.
      if (!isRematerializable(op->getOperand(i).getDefiningOp()))
        bytes += relayoutBytes(operand.type, operand.order, chosen.operands[i]);
    for (Value result : op->getResults())
      bytes += relayoutBytes(typeOf(result), chosen.result, order) + leavingBytes(result, order);
    return bytes;
  }

  /// Bytes moved because of `result` behind its operation, if it lies in `order`.
  int64_t leavingBytes(Value result, const Order &order) const {
    RankedTensorType type = typeOf(result);
    int64_t bytes = 2 * bytesIn(type, order);
    if (auto it = leaving.find(result); it != leaving.end())
      bytes += relayoutBytes(type, order, it->second);
    for (const Order &met : ordersMet(result))
      bytes += relayoutBytes(type, order, met);
    return bytes;
  }

  /// The orders of arrays that elementwise work reads together with `value` and that lie already:
  /// where it lies in another order, one of both is relaid.
  SmallVector<Order, 2> ordersMet(Value value) const {
    SmallVector<Order, 2> met;
    for (Operation *user : value.getUsers()) {
      if (kindOf(user) != OpKind::Elementwise)
        continue;
      for (Value other : user->getOperands()) {
        auto it = orders.find(other);
        if (other != value && it != orders.end() &&
            typeOf(other).getShape() == typeOf(value).getShape() &&
            !isRematerializable(other.getDefiningOp()) && !llvm::is_contained(met, it->second))
          met.push_back(it->second);
      }
    }
    return met;
  }

  void record(Operation *op) {
    SmallVector<Attribute> layouts;
    bool needed = false;
    for (Value result : op->getResults()) {
      layouts.push_back(layoutOf(result, orders[result]));
      needed |= !isRowMajor(orders[result]);
    }
    if (needed)
      op->setAttr(kernel::kLayoutsAttr, ArrayAttr::get(op->getContext(), layouts));
  }

  llvm::DenseMap<Value, Order> orders;
  /// The parts of one operation that were visited last.
  struct {
    Attribute number;
    ArrayRef<int64_t> shape;
    Order order;
  } unit;
  /// How values that leave their block have to lie.
  llvm::DenseMap<Value, Order> leaving;
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    auto entry = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!entry) {
      getOperation().emitError("expects a function '@main'");
      return signalPassFailure();
    }
    if (failed(Assigner().run(entry)))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
