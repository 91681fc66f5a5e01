// Random bits of Mosaic kernels, from a seed and a counter in SMEM.
//
// A TPU has a generator of its own, whose bits are not published. Here each element is a hash of
// the seed, of how many vectors have been drawn since it was set, and of the element's number.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole::mosaic {

using namespace stablehlo;

/// Multipliers and shifts of a hash of 32 bits with little bias (Wellons, Hash Function
/// Prospector).
static constexpr std::pair<int, uint32_t> kRounds[] = {{16, 0x7feb352d}, {15, 0x846ca68b}};
static constexpr int kLastShift = 16;
/// 2^32 divided by the golden ratio: neighbours become far apart.
static constexpr uint32_t kSpread = 0x9e3779b1;

static Value hash(Tensors &t, Value x) {
  RankedTensorType type = typeOf(x);
  auto number = [&](int64_t value) {
    return t.number(type.getElementType(), value, type.getShape());
  };
  auto mix = [&](int shift) {
    return t.apply<XorOp>(x, t.apply<ShiftRightLogicalOp>(x, number(shift)));
  };
  for (auto [shift, factor] : kRounds)
    x = t.apply<MulOp>(mix(shift), number(factor));
  return mix(kLastShift);
}

LogicalResult RandomTranslator::visit(Operation *op) {
  Location loc = op->getLoc();
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, static_cast<int32_t>(value), 32);
  };
  // A seed that nothing draws from.
  if (!randomState())
    return success();
  if (auto set = dyn_cast<tpu::PrngSetSeedOp>(op)) {
    Value seed = word(0);
    for (Value each : set.getSeeds()) {
      Value value = scalar(each);
      if (!value)
        return failure();
      seed = arith::MulIOp::create(b, loc, seed, word(kSpread));
      seed = arith::XOrIOp::create(b, loc, seed, value);
    }
    kernel::StoreScalarOp::create(b, loc, seed, randomState(), word(0));
    kernel::StoreScalarOp::create(b, loc, word(0), randomState(), word(1));
    return success();
  }
  auto bits = cast<tpu::PrngRandomBitsOp>(op);
  RankedTensorType type = tensorType(bits.getOutput().getType());
  if (!type.getElementType().isInteger(32))
    return emitUnsupported(op);
  Value seed = kernel::LoadScalarOp::create(b, loc, b.getI32Type(), randomState(), word(0));
  Value drawn = kernel::LoadScalarOp::create(b, loc, b.getI32Type(), randomState(), word(1));
  kernel::StoreScalarOp::create(b, loc, arith::AddIOp::create(b, loc, drawn, word(1)),
                                randomState(), word(1));
  Tensors t = tensors(loc);
  Type element = IntegerType::get(b.getContext(), 32, IntegerType::Unsigned);
  ArrayRef<int64_t> shape = type.getShape();
  auto spread = [&](Value value) { return t.fill(t.bitcast(segment.read(value), element), shape); };
  // The numbers of elements in row-major order.
  Value place;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    Value index = t.apply<MulOp>(t.iota(element, shape, dim), t.number(element, stride, shape));
    place = place ? t.apply<AddOp>(place, index) : index;
    stride *= shape[dim];
  }
  Value x = hash(t, t.apply<AddOp>(spread(drawn), t.number(element, kSpread, shape)));
  x = hash(t, t.apply<XorOp>(x, spread(seed)));
  x = hash(t, t.apply<AddOp>(x, t.apply<MulOp>(place, t.number(element, kSpread, shape))));
  values.tensors[bits.getOutput()] = t.bitcast(x, type.getElementType());
  return success();
}

} // namespace systole::mosaic
