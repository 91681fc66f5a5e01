// Contractions of 64-bit integers as contractions of their bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Wide64/Elementwise.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

class Contraction {
public:
  Contraction(Splitter &s, DotGeneralOp op)
      : s(s), op(op), e(op), u8(e.t.b.getIntegerType(8, /*isSigned=*/false)),
        lhsDims(op.getLhsContractingDims()), rhsDims(op.getRhsContractingDims()) {}

  LogicalResult run();

private:
  /// The bytes of each element, the lowest first.
  SmallVector<Value> bytesOf(Value value);
  /// The sum over `count` elements of the first contracting dimension, from `start`.
  Words product(ArrayRef<Value> lhs, ArrayRef<Value> rhs, int64_t start, int64_t count);
  /// A product of bytes, as ui32.
  Value multiply(Value lhs, Value rhs);

  Splitter &s;
  DotGeneralOp op;
  Expressions e;
  Type u8;
  SmallVector<int64_t> lhsDims, rhsDims;
};

SmallVector<Value> Contraction::bytesOf(Value value) {
  Words is = s.wide(e, value);
  int64_t bits = 64;
  if (s.ranges.isNonNegative(value))
    bits = std::max(1u, s.ranges.of(value).getUnsignedMax().getActiveBits());
  SmallVector<Value> bytes;
  for (int64_t low = 0; low < bits; low += 8) {
    Value word = low < 32 ? is.low : is.high;
    Value byte = e.shiftRight(word, e.number(low % 32, word));
    bytes.push_back(e.t.convert(e.bitAnd(byte, e.number(255, word)), u8));
  }
  return bytes;
}

Value Contraction::multiply(Value lhs, Value rhs) {
  auto numbers = DotDimensionNumbersAttr::get(op.getContext(), op.getLhsBatchingDims(),
                                              op.getRhsBatchingDims(), lhsDims, rhsDims);
  return DotGeneralOp::create(e.t.b, e.t.loc, typeOf(op.getResult()).clone(e.u32), lhs, rhs,
                              numbers, nullptr, nullptr);
}

// All pairs of bytes whose product starts at the same byte of the result form one contraction: they
// are concatenated along the contracting dimension, those of one side in reverse.
Words Contraction::product(ArrayRef<Value> lhs, ArrayRef<Value> rhs, int64_t start, int64_t count) {
  int64_t lhsDim = lhsDims.front(), rhsDim = rhsDims.front();
  int64_t lhsBytes = lhs.size(), rhsBytes = rhs.size();
  auto join = [&](auto bytes, int64_t dim) {
    return e.t.concatenate(
        llvm::map_to_vector(bytes, [&](Value byte) { return e.t.slice(byte, dim, start, count); }),
        dim);
  };
  Value left = join(lhs, lhsDim), right = join(llvm::reverse(rhs), rhsDim);
  Value none = e.t.number(e.u32, 0, shapeOf(op.getResult()));
  Words sum = {none, none};
  for (int64_t byte = 0; byte < std::min<int64_t>(8, lhsBytes + rhsBytes - 1); ++byte) {
    int64_t first = std::max<int64_t>(0, byte - rhsBytes + 1);
    int64_t pairs = std::min(byte, lhsBytes - 1) - first + 1;
    Value here =
        multiply(e.t.slice(left, lhsDim, first * count, pairs * count),
                 e.t.slice(right, rhsDim, (rhsBytes - 1 - (byte - first)) * count, pairs * count));
    sum = e.add(sum, e.shiftLeft(Words{here, none}, e.number(8 * byte, none)));
  }
  return sum;
}

LogicalResult Contraction::run() {
  Value sides[] = {op.getLhs(), op.getRhs()};
  for (Value side : sides)
    if (typeOf(side).getElementType() != typeOf(op).getElementType())
      return emitUnsupported(op, " for a mixture of 64-bit integers and other types");
  SmallVector<Value> lhs = bytesOf(sides[0]), rhs = bytesOf(sides[1]);
  if (lhsDims.empty()) {
    // Adds a contracting dimension of size 1.
    for (auto [bytes, dims] : {std::pair(&lhs, &lhsDims), std::pair(&rhs, &rhsDims)}) {
      dims->push_back(shapeOf(bytes->front()).size());
      for (Value &byte : *bytes) {
        SmallVector<int64_t> shape(shapeOf(byte));
        shape.push_back(1);
        byte = e.t.reshape(byte, shape);
      }
    }
  }
  int64_t size = shapeOf(lhs.front())[lhsDims.front()], others = 1;
  for (int64_t dim : ArrayRef(lhsDims).drop_front())
    others *= shapeOf(lhs.front())[dim];
  int64_t part = kMaxDepth / std::max<int64_t>(others, 1);
  if (part == 0 || llvm::divideCeil(size, part) > kMaxParts)
    return emitUnimplemented(op) << "sums of " << size * others
                                 << " products of 64-bit integers are not supported";
  Value none = e.t.number(e.u32, 0, shapeOf(op.getResult()));
  Words sum = {none, none};
  for (int64_t start = 0; start < size; start += part)
    sum = e.add(sum, product(lhs, rhs, start, std::min(part, size - start)));
  setResult(s, e, op, sum);
  return success();
}

LogicalResult contract(Splitter &s, Operation *op) {
  return Contraction(s, cast<DotGeneralOp>(op)).run();
}

} // namespace

void addProducts(RewriteTable &table) { table.add<DotGeneralOp>(contract); }

} // namespace systole::wide64
