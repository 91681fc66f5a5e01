// Replaces generators of random bits by integer arithmetic on counters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDRANDOM
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

// The state is two numbers of 64 bits, a key and a counter, each of two words, the low one
// first. Which numbers go where in the result, and what becomes of the state, is XLA's choice.
class Expander {
public:
  Expander(RngBitGeneratorOp op, Value words)
      : op(op), t(op), element(t.b.getIntegerType(32, /*isSigned=*/false)),
        shape(op.getOutput().getType().getShape()) {
    Value flat = t.reshape(t.bitcast(words, element), {4});
    for (int64_t word = 0; word < 4; ++word)
      state.push_back(t.take(flat, 0, word));
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
    auto [low, high] = addTo(state[2], state[3], t.number(element, steps));
    return t.reshape(t.stack({state[0], state[1], low, high}, 0), {2, 2});
  }

private:
  using Numbers = SmallVector<Value>;

  Value number(uint32_t value, Value like) { return t.number(element, value, shapeOf(like)); }
  Value add(Value x, Value y) { return t.apply<AddOp>(x, y); }
  Value exclusiveOr(Value x, Value y) { return t.apply<XorOp>(x, y); }
  Value shiftRight(Value x, uint32_t by) { return t.apply<ShiftRightLogicalOp>(x, number(by, x)); }
  /// A number of two words and one of one word.
  std::pair<Value, Value> addTo(Value low, Value high, Value x) {
    Value sum = add(low, x);
    Value carry = t.convert(t.compare(ComparisonDirection::LT, sum, x), element);
    return {sum, add(high, carry)};
  }
  /// The index of each element in row-major order.
  Value positions(ArrayRef<int64_t> sizes);

  /// The cipher of counters [counts...], under the state's key.
  std::pair<Value, Value> threeFry(ArrayRef<int64_t> counts);
  Value threeFry(int64_t &steps);
  Value philox(int64_t &steps);
  bool isWide() { return op.getOutput().getType().getElementTypeBitWidth() == 64; }
  /// Numbers of 64 bits.
  Value join(Value low, Value high) {
    Type wide = t.b.getIntegerType(64, /*isSigned=*/false);
    Value upper = t.convert(high, wide);
    upper = t.apply<ShiftLeftOp>(upper, t.number(wide, 32, shapeOf(upper)));
    return t.apply<OrOp>(upper, t.convert(low, wide));
  }
  /// The high word of x * factor.
  Value multiplyHigh(Value x, uint32_t factor);

  RngBitGeneratorOp op;
  Tensors t;
  Type element;
  ArrayRef<int64_t> shape;
  Numbers state;
};

Value Expander::positions(ArrayRef<int64_t> sizes) {
  Value result;
  int64_t inside = 1;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    if (sizes[dim] == 1)
      continue;
    Value index = t.iota(element, sizes, dim);
    if (inside != 1)
      index = t.apply<MulOp>(index, number(inside, index));
    result = result ? add(result, index) : index;
    inside *= sizes[dim];
  }
  return result ? result : t.number(element, 0, sizes);
}

// Both words of a block are one element of 64 bits, or neighbours along one dimension: the first
// of even size, or the largest one, of which the last word may be left over.
Value Expander::threeFry(int64_t &steps) {
  if (isWide()) {
    steps = op.getOutput().getType().getNumElements();
    auto [low, high] = threeFry(shape);
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

  auto [x, y] = threeFry(half);
  SmallVector<int64_t> even(half);
  even[dim] *= 2;
  Value both = t.reshape(t.stack({x, y}, dim + 1), even);
  return t.reshape(t.slice(both, dim, 0, size), shape);
}

std::pair<Value, Value> Expander::threeFry(ArrayRef<int64_t> counts) {
  auto [x, y] = addTo(t.fill(state[2], counts), t.fill(state[3], counts), positions(counts));
  Value parity = exclusiveOr(exclusiveOr(state[0], state[1]), number(0x1bd11bda, state[0]));
  Numbers keys;
  for (Value key : {state[0], state[1], parity})
    keys.push_back(t.fill(key, counts));
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

Value Expander::multiplyHigh(Value x, uint32_t factor) {
  Value mask = number(0xffff, x);
  Value low = t.apply<AndOp>(x, mask), high = shiftRight(x, 16);
  auto times = [&](Value part, uint32_t by) { return t.apply<MulOp>(part, number(by, x)); };
  uint32_t factorLow = factor & 0xffff, factorHigh = factor >> 16;
  Value middle = add(times(high, factorLow), shiftRight(times(low, factorLow), 16));
  Value carried = add(times(low, factorHigh), t.apply<AndOp>(middle, mask));
  return add(add(times(high, factorHigh), shiftRight(middle, 16)), shiftRight(carried, 16));
}

// Each block is four words, or two elements of 64 bits, one behind the other. Its number is of 128
// bits: the counter and, above it, the key.
Value Expander::philox(int64_t &steps) {
  constexpr uint32_t factors[] = {0xd2511f53, 0xcd9e8d57};
  constexpr uint32_t increments[] = {0x9e3779b9, 0xbb67ae85};
  int64_t count = op.getOutput().getType().getNumElements();
  int64_t blockSize = isWide() ? 2 : 4;
  steps = llvm::divideCeil(count, blockSize);
  auto fill = [&](Value scalar) { return t.fill(scalar, steps); };
  Numbers keys = {state[0], state[1]}, words(4);
  std::tie(words[0], words[1]) = addTo(fill(state[2]), fill(state[3]), t.iota(element, steps, 0));
  Value carry = t.compare(ComparisonDirection::LT, words[1], fill(state[3]));
  std::tie(words[2], words[3]) = addTo(fill(state[0]), fill(state[1]), t.convert(carry, element));
  for (int round = 0; round < 10; ++round) {
    Value highs[2], lows[2];
    for (int i : {0, 1}) {
      highs[i] = multiplyHigh(words[2 * i], factors[i]);
      lows[i] = t.apply<MulOp>(words[2 * i], number(factors[i], words[2 * i]));
    }
    words = {exclusiveOr(exclusiveOr(highs[1], words[1]), fill(keys[0])), lows[1],
             exclusiveOr(exclusiveOr(highs[0], words[3]), fill(keys[1])), lows[0]};
    for (int i : {0, 1})
      keys[i] = add(keys[i], number(increments[i], keys[i]));
  }
  if (isWide())
    words = {join(words[0], words[1]), join(words[2], words[3])};
  Value all = t.reshape(t.stack(words, 1), blockSize * steps);
  return t.reshape(t.slice(all, 0, 0, count), shape);
}

/// The words of a state of two 64-bit integers, [2, 2]; null if it is anything else.
Value wordsOf(RngBitGeneratorOp op) {
  Value state = op.getInitialState();
  RankedTensorType type = typeOf(state);
  if (!isa<IntegerType>(type.getElementType()) || type.getElementTypeBitWidth() != 64 ||
      type.getShape() != ArrayRef<int64_t>(2))
    return nullptr;
  auto read = state.getDefiningOp<BitcastConvertOp>();
  if (read && shapeOf(read.getOperand()) == ArrayRef<int64_t>({2, 2}))
    return read.getOperand();
  OpBuilder b(op);
  auto words = RankedTensorType::get({2, 2}, b.getIntegerType(32, /*isSigned=*/false));
  return BitcastConvertOp::create(b, op.getLoc(), words, state);
}

LogicalResult expand(RngBitGeneratorOp op) {
  Value words = wordsOf(op);
  if (!words)
    return emitLack(op) << "a state other than two 64-bit integers is not supported";
  if (!isa<IntegerType>(op.getOutput().getType().getElementType()))
    return emitLack(op) << "random bits of type " << op.getOutput().getType()
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
  void runOnOperation() override {
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
