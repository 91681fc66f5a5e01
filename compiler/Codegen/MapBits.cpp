// Lets maps move narrow numbers as bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "compiler/Codegen/Codegen.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

namespace {

bool isElement(Type type, ElementClass cls) {
  Type element = cast<RankedTensorType>(type).getElementType();
  return element.getIntOrFloatBitWidth() == 16 && classOf(element) == cls;
}

/// A reinterpretation between narrow numbers and integers of their width.
bool isBitcast(Operation *op) {
  return isa<hlo::BitcastConvertOp>(op) &&
         (isElement(op->getOperand(0).getType(), ElementClass::Int) ||
          isElement(op->getResult(0).getType(), ElementClass::Int));
}

/// The narrow numbers of a body that nothing computes and nothing computes with.
class MovedNumbers {
public:
  explicit MovedNumbers(Block &body) : body(body) {
    auto add = [&](Value value) {
      if (isElement(value.getType(), ElementClass::Float))
        moved.insert(value);
    };
    llvm::for_each(body.getArguments(), add);
    for (Operation &op : body.without_terminator())
      llvm::for_each(op.getResults(), add);
    while (moved.remove_if([&](Value value) { return !isMoved(value); }))
      ;
  }

  bool contains(Value value) const { return moved.contains(value); }
  ArrayRef<Value> values() const { return moved.getArrayRef(); }

private:
  bool isMoved(Value value) const {
    auto passes = [&](Operation *op) {
      if (auto select = dyn_cast<hlo::SelectOp>(op))
        return contains(select.getOnTrue()) && contains(select.getOnFalse()) &&
               contains(select.getResult());
      // Of one element, a change of shape is none.
      if (isa<hlo::ReshapeOp, hlo::BroadcastInDimOp>(op))
        return contains(op->getOperand(0)) && contains(op->getResult(0));
      return isBitcast(op);
    };
    Operation *producer = value.getDefiningOp();
    return (!producer || isa<hlo::ConstantOp>(producer) || passes(producer)) &&
           llvm::all_of(value.getUsers(), [&](Operation *user) {
             return user == body.getTerminator() || passes(user);
           });
  }

  Block &body;
  llvm::SetVector<Value> moved;
};

} // namespace

void codegen::moveAsBits(kernel::MapOp op, MutableArrayRef<BufferRef> inputs,
                         MutableArrayRef<BufferRef> outputs) {
  Block &body = op.getBody().front();
  MovedNumbers moved(body);
  auto element = IntegerType::get(op.getContext(), 16, IntegerType::Unsigned);
  auto type = RankedTensorType::get({}, element);
  auto hold = [&](BufferRef &buffer) {
    buffer.type = kernel::BufferType::get(op.getContext(), buffer.type.getShape(), element,
                                          buffer.type.getSpace());
  };
  for (OpOperand &yielded : body.getTerminator()->getOpOperands())
    if (moved.contains(yielded.get()))
      hold(outputs[yielded.getOperandNumber()]);
  for (Value value : moved.values()) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      hold(inputs[argument.getArgNumber()]);
    if (auto constant = value.getDefiningOp<hlo::ConstantOp>()) {
      APInt bits =
          cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APFloat>().bitcastToAPInt();
      constant.setValueAttr(DenseElementsAttr::get(type, bits));
    }
    value.setType(type);
  }
}
