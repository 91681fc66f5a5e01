// Keys of groups of operations; groups with equal keys have the same plan.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GroupKey.h"

#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace systole {

namespace {

/// Writes operations as a sequence of words. Types, attributes and names are unique in their
/// context, so their addresses stand for them.
class KeyWriter {
public:
  explicit KeyWriter(ArrayRef<Operation *> ops) : inside(ops.begin(), ops.end()) {
    for (Operation *op : ops)
      write(op, /*isMember=*/true);
  }
  std::string take() const {
    return {reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint64_t)};
  }

private:
  void add(const void *pointer) { words.push_back(reinterpret_cast<uintptr_t>(pointer)); }
  void add(uint64_t number) { words.push_back(number); }

  /// Numbers values in the order in which they are met.
  void addValue(Value value) {
    auto [it, isNew] = numbers.try_emplace(value, numbers.size());
    add(it->second);
    if (isNew)
      add(value.getType().getAsOpaquePointer());
  }

  /// Plans depend on which integer constants are 0 and which are equal, not on their values: such
  /// as the numbers that layers fold into a random key.
  std::optional<uint64_t> constantNumber(Operation *op) {
    if (!isSplatConstant(op) || !typeOf(op->getResult(0)).getElementType().isInteger())
      return std::nullopt;
    auto value = cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(op).getValue());
    if (value.getSplatValue<APInt>().isZero())
      return 0;
    return constants.try_emplace(value, constants.size() + 1).first->second;
  }

  void write(Operation *op, bool isMember) {
    add(op->getName().getAsOpaquePointer());
    if (std::optional<uint64_t> number = constantNumber(op)) {
      add(*number);
    } else {
      add(op->getRawDictionaryAttrs().getAsOpaquePointer());
      add(op->getPropertiesAsAttribute().getAsOpaquePointer());
    }
    add(op->getNumOperands());
    for (Value operand : op->getOperands())
      addValue(operand);
    add(op->getNumResults());
    for (Value result : op->getResults()) {
      addValue(result);
      if (isMember)
        add(llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !inside.contains(user); }));
    }
    add(op->getNumRegions());
    for (Region &region : op->getRegions()) {
      add(std::distance(region.begin(), region.end()));
      for (Block &block : region) {
        add(block.getNumArguments());
        for (Value argument : block.getArguments())
          addValue(argument);
        add(std::distance(block.begin(), block.end()));
        for (Operation &inner : block)
          write(&inner, /*isMember=*/false);
      }
    }
  }

  llvm::SmallPtrSet<Operation *, 32> inside;
  llvm::DenseMap<Value, uint64_t> numbers;
  llvm::DenseMap<Attribute, uint64_t> constants;
  SmallVector<uint64_t, 0> words;
};

} // namespace

std::string groupKey(ArrayRef<Operation *> ops) { return KeyWriter(ops).take(); }

} // namespace systole
