// Expands random bit generators to integer arithmetic on counters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/EntryLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDRANDOM
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

// The state is a key of 64 bits and a counter of 64 or 128, in words, the lowest first. The order
// of the numbers in the result, and the new state, are those of XLA.
class Expander {
public:
  Expander(RngBitGeneratorOp op, Value words)
      : op(op), t(op), element(t.b.getIntegerType(32, /*isSigned=*/false)),
        shape(op.getOutput().getType().getShape()) {
    int64_t count = typeOf(words).getNumElements();
    Value flat = t.reshape(t.bitcast(words, element), {count});
    auto take = [&](int64_t word) { return t.take(flat, 0, word); };
    key = llvm::map_to_vector(llvm::seq<int64_t>(0, 2), take);
    counter = llvm::map_to_vector(llvm::seq<int64_t>(2, count), take);
  }

  /// Returns the words of the new state and sets `bits`.
  Value run(Value &bits) {
    Type type = op.getOutput().getType().getElementType();
    int64_t steps = 0;
    if (op.getOutput().getType().getNumElements() == 0)
      bits = t.number(element, 0, shape);
    else if (op.getRngAlgorithm() == RngAlgorithm::THREE_FRY)
      bits = threeFry(steps);
    else
      bits = philox(steps);
    bits =
        typeOf(bits).getElementTypeBitWidth() == 64 ? t.bitcast(bits, type) : t.convert(bits, type);
    Numbers next = key;
    llvm::append_range(next, addTo(counter, t.number(element, steps)));
    return t.reshape(t.stack(next, 0), {static_cast<int64_t>(next.size() / 2), 2});
  }

private:
  using Numbers = SmallVector<Value>;

  Value number(uint32_t value, Value like) { return t.number(element, value, shapeOf(like)); }
  Value add(Value x, Value y) { return t.apply<AddOp>(x, y); }
  Value exclusiveOr(Value x, Value y) { return t.apply<XorOp>(x, y); }
  Value shiftRight(Value x, uint32_t by) { return t.apply<ShiftRightLogicalOp>(x, number(by, x)); }
  /// Adds a single-word number to one of several words.
  Numbers addTo(ArrayRef<Value> words, Value x) {
    Numbers sum;
    for (Value word : words) {
      if (!sum.empty())
        x = t.convert(t.compare(ComparisonDirection::LT, sum.back(), x), element);
      sum.push_back(add(word, x));
    }
    return sum;
  }
  Numbers fill(ArrayRef<Value> scalars, ArrayRef<int64_t> sizes) {
    return llvm::map_to_vector(scalars, [&](Value scalar) { return t.fill(scalar, sizes); });
  }
  /// The row-major index of each element, where pairs of neighbours along dimension `pairs` have
  /// the same index.
  Value positions(ArrayRef<int64_t> sizes, int64_t pairs = -1);
  /// Selects by bit `bit` of numbers.
  Value pick(Value numbers, uint32_t bit, Value ifZero, Value ifOne) {
    Value isOne = t.apply<AndOp>(numbers, number(1u << bit, numbers));
    return t.select(t.compare(ComparisonDirection::NE, isOne, number(0, isOne)), ifOne, ifZero);
  }

  /// Encrypts block numbers, which are offsets from the state's counter, with its key.
  std::pair<Value, Value> threeFry(Value blocks);
  Value threeFry(int64_t &steps);
  Value philox(int64_t &steps);
  bool isWide() { return op.getOutput().getType().getElementTypeBitWidth() == 64; }
  /// 64-bit numbers from words.
  Value join(Value low, Value high) {
    Type wide = t.b.getIntegerType(64, /*isSigned=*/false);
    Value upper = t.convert(high, wide);
    upper = t.apply<ShiftLeftOp>(upper, t.number(wide, 32, shapeOf(upper)));
    return t.apply<OrOp>(upper, t.convert(low, wide));
  }

  RngBitGeneratorOp op;
  Tensors t;
  Type element;
  ArrayRef<int64_t> shape;
  Numbers key, counter;
};

Value Expander::positions(ArrayRef<int64_t> sizes, int64_t pairs) {
  Value result;
  int64_t inside = 1;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    if (sizes[dim] == 1)
      continue;
    Value index = t.iota(element, sizes, dim);
    if (dim == pairs)
      index = shiftRight(index, 1);
    if (inside != 1)
      index = t.apply<MulOp>(index, number(inside, index));
    result = result ? add(result, index) : index;
    inside *= dim == pairs ? llvm::divideCeil(sizes[dim], 2) : sizes[dim];
  }
  return result ? result : t.number(element, 0, sizes);
}

// Both words of a block form one 64-bit element, or are neighbours along one dimension: the first
// one of even size, or else the largest one, where one word may be unused.
Value Expander::threeFry(int64_t &steps) {
  if (isWide()) {
    steps = op.getOutput().getType().getNumElements();
    auto [low, high] = threeFry(positions(shape));
    return join(low, high);
  }
  SmallVector<int64_t> full(shape);
  if (full.empty())
    full.push_back(1);
  auto split = llvm::find_if(full, [](int64_t size) { return size % 2 == 0; });
  if (split == full.end())
    split = llvm::max_element(full);
  int64_t dim = split - full.begin(), size = full[dim];
  SmallVector<int64_t> half(full);
  half[dim] = llvm::divideCeil(size, 2);
  steps = 1;
  for (int64_t blocks : half)
    steps *= blocks;

  // Interleaving words along the lanes takes longer than computing them twice.
  if (dim == entryOrder(full).front()) {
    auto [x, y] = threeFry(positions(full, dim));
    return t.reshape(pick(t.iota(element, full, dim), 0, x, y), shape);
  }
  auto [x, y] = threeFry(positions(half));
  SmallVector<int64_t> even(half);
  even[dim] *= 2;
  Value both = t.reshape(t.stack({x, y}, dim + 1), even);
  return t.reshape(t.slice(both, dim, 0, size), shape);
}

std::pair<Value, Value> Expander::threeFry(Value blocks) {
  ArrayRef<int64_t> counts = shapeOf(blocks);
  Numbers words = addTo(fill(counter, counts), blocks);
  Value x = words[0], y = words[1];
  Value parity = exclusiveOr(exclusiveOr(key[0], key[1]), number(0x1bd11bda, key[0]));
  Numbers keys = fill({key[0], key[1], parity}, counts);
  constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  x = add(x, keys[0]);
  y = add(y, keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t by : rotations[group % 2]) {
      x = add(x, y);
      Value left = t.apply<ShiftLeftOp>(y, number(by, y));
      y = exclusiveOr(x, t.apply<OrOp>(left, shiftRight(y, 32 - by)));
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), number(group + 1, y));
  }
  return {x, y};
}

// Each block is four words, or two 64-bit elements, in order. Its number has 128 bits: the
// counter and, above a 64-bit counter, the key. Each element computes its own block: interleaving
// four words along the lanes would take longer. The elements are along one dimension, to avoid
// padding.
Value Expander::philox(int64_t &steps) {
  constexpr uint32_t factors[] = {0xd2511f53, 0xcd9e8d57};
  constexpr uint32_t increments[] = {0x9e3779b9, 0xbb67ae85};
  uint32_t logBlock = isWide() ? 1 : 2; // elements of a block
  int64_t count = op.getOutput().getType().getNumElements();
  steps = llvm::divideCeil(count, int64_t(1) << logBlock);
  Value position = t.iota(element, count, 0);
  Numbers keys = key, first = counter;
  if (first.size() == 2)
    llvm::append_range(first, key);
  Numbers words = addTo(fill(first, count), shiftRight(position, logBlock));
  for (int round = 0; round < 10; ++round) {
    Value highs[2], lows[2];
    for (int i : {0, 1}) {
      Value word = words[2 * i], factor = number(factors[i], word);
      highs[i] = t.apply<kernel::MulHighOp>(word, factor);
      lows[i] = t.apply<MulOp>(word, factor);
    }
    words = {exclusiveOr(exclusiveOr(highs[1], words[1]), t.fill(keys[0], count)), lows[1],
             exclusiveOr(exclusiveOr(highs[0], words[3]), t.fill(keys[1], count)), lows[0]};
    for (int i : {0, 1})
      keys[i] = add(keys[i], number(increments[i], keys[i]));
  }
  Value bits;
  if (isWide())
    bits = join(pick(position, 0, words[0], words[2]), pick(position, 0, words[1], words[3]));
  else
    bits = pick(position, 1, pick(position, 0, words[0], words[1]),
                pick(position, 0, words[2], words[3]));
  return t.reshape(bits, shape);
}

/// The words of a state of two 64-bit integers, [2, 2], or of three if the algorithm has such a
/// state; null for any other state.
Value wordsOf(RngBitGeneratorOp op) {
  Value state = op.getInitialState();
  RankedTensorType type = typeOf(state);
  if (!isa<IntegerType>(type.getElementType()) || type.getElementTypeBitWidth() != 64 ||
      type.getRank() != 1)
    return nullptr;
  int64_t count = type.getDimSize(0);
  bool isThreeFry = op.getRngAlgorithm() == RngAlgorithm::THREE_FRY;
  if (count != 2 && (count != 3 || isThreeFry))
    return nullptr;
  auto read = state.getDefiningOp<BitcastConvertOp>();
  if (read && shapeOf(read.getOperand()) == ArrayRef<int64_t>({count, 2}))
    return read.getOperand();
  OpBuilder b(op);
  auto words = RankedTensorType::get({count, 2}, b.getIntegerType(32, /*isSigned=*/false));
  return BitcastConvertOp::create(b, op.getLoc(), words, state);
}

LogicalResult expand(RngBitGeneratorOp op) {
  Value words = wordsOf(op);
  if (!words)
    return emitUnimplemented(op)
           << "a state other than two 64-bit integers, or three of PHILOX, is not "
              "supported";
  if (!isa<IntegerType>(op.getOutput().getType().getElementType()))
    return emitUnimplemented(op) << "random bits of type " << op.getOutput().getType()
                                 << " are not supported; integers are";
  Value bits;
  Value next = Expander(op, words).run(bits);
  OpBuilder b(op);
  Value state = BitcastConvertOp::create(b, op.getLoc(), op.getOutputState().getType(), next);
  op.replaceAllUsesWith(ValueRange{state, bits});
  op.erase();
  return success();
}

/// Where words are read as a state and that as words, the same words.
void forwardWords(BitcastConvertOp op) {
  auto inner = op.getOperand().getDefiningOp<BitcastConvertOp>();
  if (!inner || typeOf(op.getOperand()).getElementTypeBitWidth() != 64)
    return;
  OpBuilder b(op);
  Value words = inner.getOperand();
  if (words.getType() != op.getType())
    words = BitcastConvertOp::create(b, op.getLoc(), op.getType(), words);
  op.replaceAllUsesWith(words);
  op.erase();
}

struct ExpandRandom : impl::ExpandRandomBase<ExpandRandom> {
  void rewrite() override {
    WalkResult result = getOperation()->walk([](RngBitGeneratorOp op) {
      return failed(expand(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk([](BitcastConvertOp op) { forwardWords(op); });
    getOperation()->walk([](BitcastConvertOp op) {
      if (op->use_empty() && typeOf(op).getElementTypeBitWidth() == 64)
        op->erase();
    });
  }
};

} // namespace
} // namespace systole
