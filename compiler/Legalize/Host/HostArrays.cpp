// The arrays that a program keeps in the memory of the host, while they are found.
// See docs/decisions/host-memory-and-transfers.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Host/HostArrays.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

HostUses hostUsesOf(Value value) {
  HostUses uses;
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen{value};
  auto follow = [&](Value next) {
    if (seen.insert(next).second)
      open.push_back(next);
  };
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      const unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<WhileOp>(op)) {
        follow(loop.getCond().getArgument(number));
        follow(loop.getBody().getArgument(number));
        follow(loop->getResult(number));
      } else if (isa<OptimizationBarrierOp>(op)) {
        follow(op->getResult(number));
      } else if (isa<func::ReturnOp>(op)) {
        uses.result = number;
      } else if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
        Operation *parent = op->getParentOp();
        if (auto loop = dyn_cast<WhileOp>(parent)) {
          follow(loop.getCond().getArgument(number));
          follow(loop.getBody().getArgument(number));
        }
        follow(parent->getResult(number));
      } else if (std::optional<HostPart> part = hostPartOf(op); part && number == 0) {
        uses.parts.push_back(op);
        if (isa<DynamicUpdateSliceOp>(op))
          follow(op->getResult(0));
      } else {
        uses.isWhole = true;
      }
    }
  return uses;
}

std::optional<unsigned> HostArrays::ofResult(unsigned number) const {
  for (auto [i, array] : llvm::enumerate(all))
    if (array.result == number)
      return i;
  return std::nullopt;
}

ArrayAttr HostArrays::toAttribute(MLIRContext *context, ArrayRef<int64_t> arguments,
                                  ArrayRef<int64_t> results) const {
  SmallVector<Attribute> attributes;
  auto entryOf = [](int64_t number, ArrayRef<int64_t> entries) {
    return number < 0 ? number : entries[number];
  };
  for (const Array &array : all)
    attributes.push_back(kernel::HostArrayAttr::get(
        context, array.memory, TypeAttr::get(array.type), entryOf(array.argument, arguments),
        entryOf(array.result, results), array.donated));
  return ArrayAttr::get(context, attributes);
}

bool HostArrays::canAccess(const Array &array, const HostPart &part) {
  return (array.isParted && part.count == 1) || isRunOfRows(array.type, part.count);
}

bool HostArrays::canUse(const Array &array, const HostUses &uses) {
  return !(array.isParted && uses.isWhole) &&
         llvm::all_of(uses.parts, [&](Operation *op) { return canAccess(array, *hostPartOf(op)); });
}

/// Of what has no elements there is nothing to copy.
static Value emptyArray(OpBuilder &b, Location loc, RankedTensorType type) {
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>()));
}

void HostArrays::store(OpBuilder &b, Location loc, Value value, unsigned array) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getNumElements() == 0)
    return;
  if (RankedTensorType lying = lyingType(type); lying != type)
    value = ReshapeOp::create(b, loc, lying, value);
  kernel::OffloadOp::create(b, loc, value, Value(), array, 1, kernel::WordsAttr(),
                            kernel::LayoutAttr());
}

Value HostArrays::load(OpBuilder &b, Location loc, unsigned array) const {
  RankedTensorType type = all[array].type, lying = lyingType(type);
  if (type.getNumElements() == 0)
    return emptyArray(b, loc, type);
  Value value = kernel::FetchOp::create(b, loc, lying, Value(), array, 1, kernel::WordsAttr(),
                                        kernel::LayoutAttr());
  return lying == type ? value : ReshapeOp::create(b, loc, type, value);
}

/// The first position, inside of the array.
static Value positionOf(OpBuilder &b, Location loc, const HostPart &part) {
  auto type = part.start ? cast<RankedTensorType>(part.start.getType())
                         : RankedTensorType::get({}, b.getI32Type());
  auto constant = [&](int64_t value) -> Value {
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(type, ArrayRef<Attribute>{b.getIntegerAttr(
                                                               type.getElementType(), value)}));
  };
  if (!part.start)
    return constant(part.fixedStart);
  Value least = MaxOp::create(b, loc, part.start, constant(0));
  return MinOp::create(b, loc, least, constant(part.of - part.count));
}

void HostArrays::storePart(OpBuilder &b, Location loc, Value value, unsigned array,
                           const HostPart &part) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (RankedTensorType lying = lyingType(type); lying != type)
    value = ReshapeOp::create(b, loc, lying, value);
  kernel::OffloadOp::create(b, loc, value, positionOf(b, loc, part), array, part.of,
                            kernel::WordsAttr(), kernel::LayoutAttr());
}

Value HostArrays::loadPart(OpBuilder &b, Location loc, unsigned array, const HostPart &part) const {
  SmallVector<int64_t> shape(all[array].type.getShape());
  shape.front() = part.count;
  RankedTensorType type = all[array].type.clone(shape), lying = lyingType(type);
  Value value = kernel::FetchOp::create(b, loc, lying, positionOf(b, loc, part), array, part.of,
                                        kernel::WordsAttr(), kernel::LayoutAttr());
  return lying == type ? value : ReshapeOp::create(b, loc, type, value);
}

} // namespace systole
