// Puts the dimensions of every tensor into the order in which they lie.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Passes.h"
#include "compiler/Layout/Remap.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MATERIALIZELAYOUTS
#include "compiler/Layout/Passes.h.inc"

namespace {

class Materializer {
public:
  void run(func::FuncOp function) {
    Block &body = function.getBody().front();
    Operation *terminator = body.getTerminator();
    // All at once: each change of one entry's attributes copies the list of all.
    SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
    for (BlockArgument argument : body.getArguments()) {
      kernel::LayoutAttr layout = enter(function.getArgAttrDict(argument.getArgNumber()),
                                        argument.getType(), argumentAttrs);
      place(argument, Order(layout.getOrder()));
    }
    SmallVector<Order> results;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      kernel::LayoutAttr layout = enter(function.getResultAttrDict(i), type, resultAttrs);
      results.push_back(Order(layout.getOrder()));
    }
    function.setAllArgAttrs(argumentAttrs);
    function.setAllResultAttrs(resultAttrs);
    visit(body);
    leave(terminator, results);
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       terminator->getOperandTypes()));
  }

private:
  /// The layout that an entry's attributes give, or row-major, and the attributes with it in the
  /// form of the levels behind.
  static kernel::LayoutAttr enter(DictionaryAttr given, Type type,
                                  SmallVectorImpl<DictionaryAttr> &attributes) {
    auto tensor = cast<RankedTensorType>(type);
    NamedAttrList list(given);
    Attribute chosen = list.erase(kernel::kLayoutAttr);
    auto layout =
        chosen ? cast<kernel::LayoutAttr>(chosen)
               : kernel::LayoutAttr::inOrder(tensor.getElementType(), rowMajor(tensor.getRank()));
    list.set(kernel::kEntryLayoutAttr, layout);
    attributes.push_back(list.getDictionary(type.getContext()));
    return layout;
  }

  /// The value lies in `order` from now on, and its type says so.
  void place(Value value, Order order) {
    value.setType(physicalType(typeOf(value), order));
    chosen[value] = order;
    made[value] = std::move(order);
  }

  RankedTensorType writtenType(Value value) {
    return logicalType(typeOf(value), made.lookup(value));
  }

  /// `value` in `order`: itself, or transposed beside its producer, once.
  Value get(Value value, const Order &order) {
    const Order &own = made[value];
    if (own == order)
      return value;
    Value &relaid = relayouts[{value.getAsOpaquePointer(), order}];
    if (relaid)
      return relaid;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Order places = inverse(own);
    SmallVector<int64_t> permutation;
    for (int64_t d : order)
      permutation.push_back(places[d]);
    relaid = stablehlo::TransposeOp::create(
        builder, value.getLoc(), physicalType(writtenType(value), order), value, permutation);
    return relaid;
  }

  /// The values that leave a block, in the orders that are expected of them.
  void leave(Operation *terminator, ArrayRef<Order> expected) {
    for (auto [operand, order] : llvm::zip_equal(terminator->getOpOperands(), expected))
      operand.set(get(operand.get(), order));
  }

  static SmallVector<Order> takeLayouts(Operation *op) {
    SmallVector<Order> orders;
    if (auto layouts = dyn_cast_or_null<ArrayAttr>(op->removeAttr(kernel::kLayoutsAttr)))
      for (auto layout : layouts.getAsRange<kernel::LayoutAttr>())
        orders.push_back(Order(layout.getOrder()));
    else
      for (Value result : op->getResults())
        orders.push_back(rowMajor(typeOf(result).getRank()));
    return orders;
  }

  void visit(Block &block) {
    for (Operation &op : block.without_terminator()) {
      OpKind kind = kindOf(&op);
      if (kind == OpKind::Control)
        visitControl(&op);
      else if (isa<stablehlo::OptimizationBarrierOp>(op))
        passThrough(&op);
      else if (kind == OpKind::Transfer)
        visitTransfer(&op);
      else
        visit(&op);
    }
  }

  void visit(Operation *op) {
    SmallVector<Placed> operands;
    SmallVector<RankedTensorType> types;
    for (Value operand : op->getOperands()) {
      types.push_back(writtenType(operand));
      operands.push_back({types.back(), chosen.lookup(operand)});
    }
    Order wanted = takeLayouts(op).front();
    OperandOrders run = operandOrdersOf(op, operands, wanted);
    for (auto [operand, order] : llvm::zip_equal(op->getOpOperands(), run.operands))
      operand.set(get(operand.get(), order));
    remap(op, run, types);
    for (Value result : op->getResults()) {
      chosen[result] = wanted;
      made[result] = run.result;
    }
  }

  void passThrough(Operation *barrier) {
    SmallVector<Order> orders = takeLayouts(barrier);
    leave(barrier, orders);
    for (auto [result, order] : llvm::zip_equal(barrier->getResults(), orders))
      place(result, order);
  }

  /// The host, or another core, knows the order in which an array of some shape lies.
  void visitTransfer(Operation *op) {
    SmallVector<Order> orders = takeLayouts(op);
    const bool isRowMajor = takesRowMajor(op);
    auto note = [&](Type written, const Order &order) {
      if (isRowMajor)
        return;
      op->setAttr("layout", kernel::LayoutAttr::inOrder(
                                cast<RankedTensorType>(written).getElementType(), order));
    };
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType written = writtenType(operand.get());
      Order order = isRowMajor ? rowMajor(written.getRank()) : preferredOrder(written);
      operand.set(get(operand.get(), order));
      if (!isIndexOperand(operand))
        note(written, order);
    }
    for (auto [result, order] : llvm::zip_equal(op->getResults(), orders)) {
      note(result.getType(), order);
      place(result, order);
    }
  }

  void visitControl(Operation *op) {
    SmallVector<Order> orders = takeLayouts(op);
    bool isLoop = isa<stablehlo::WhileOp>(op);
    if (isLoop)
      leave(op, orders);
    for (auto [result, order] : llvm::zip_equal(op->getResults(), orders))
      place(result, order);
    for (Region &region : op->getRegions()) {
      for (auto [argument, order] : llvm::zip(region.getArguments(), orders))
        place(argument, order);
      visit(region.front());
      // A loop's condition yields one truth value, all other regions the results.
      const Order truth;
      bool isCondition = isLoop && region.getRegionNumber() == 0;
      leave(region.front().getTerminator(),
            isCondition ? ArrayRef<Order>(truth) : ArrayRef<Order>(orders));
    }
  }

  /// The order that was chosen for a value, and the one in which it is made.
  llvm::DenseMap<Value, Order> chosen, made;
  std::map<std::pair<void *, Order>, Value> relayouts;
};

struct MaterializeLayouts : impl::MaterializeLayoutsBase<MaterializeLayouts> {
  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    auto entry = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!entry) {
      getOperation().emitError("expects a function '@main'");
      return signalPassFailure();
    }
    Materializer().run(entry);
  }
};

} // namespace
} // namespace systole
