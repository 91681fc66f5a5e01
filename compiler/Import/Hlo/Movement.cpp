// Operations of HLO that move elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Types.h"

using namespace mlir;

namespace systole::hlo {

namespace {

/// Builds an operation that moves elements along the node's list of dimensions.
template <const char *Name> FailureOr<Values> buildAlong(Emitter &emitter, const Node &node) {
  return emitter.make(node, node.opcode.becomes, node.leaves(),
                      numbersAttribute(emitter, Name, node.proto.dimensions()));
}
constexpr char kBroadcast[] = "broadcast_dimensions", kPermutation[] = "permutation",
               kDimensions[] = "dimensions";

FailureOr<Values> buildReshape(Emitter &emitter, const Node &node) {
  return emitter.make(node, "stablehlo.reshape", node.leaves());
}

NamedAttribute dimensionAttribute(Emitter &emitter, int64_t dimension) {
  Builder &b = emitter.builder;
  return b.getNamedAttr("dimension", b.getI64IntegerAttr(dimension));
}

FailureOr<Values> buildConcatenate(Emitter &emitter, const Node &node) {
  if (node.proto.dimensions_size() != 1)
    return emitter.error(node) << "expects one dimension";
  return emitter.make(node, "stablehlo.concatenate", node.leaves(),
                      dimensionAttribute(emitter, node.proto.dimensions(0)));
}

FailureOr<Values> buildSlice(Emitter &emitter, const Node &node) {
  SmallVector<int64_t> starts, limits, strides;
  for (const auto &dimension : node.proto.slice_dimensions()) {
    starts.push_back(dimension.start());
    limits.push_back(dimension.limit());
    strides.push_back(dimension.stride());
  }
  return emitter.make(node, "stablehlo.slice", node.leaves(),
                      {numbersAttribute(emitter, "start_indices", starts),
                       numbersAttribute(emitter, "limit_indices", limits),
                       numbersAttribute(emitter, "strides", strides)});
}

FailureOr<Values> buildPad(Emitter &emitter, const Node &node) {
  SmallVector<int64_t> low, high, interior;
  for (const auto &dimension : node.proto.padding_config().dimensions()) {
    low.push_back(dimension.edge_padding_low());
    high.push_back(dimension.edge_padding_high());
    interior.push_back(dimension.interior_padding());
  }
  return emitter.make(node, "stablehlo.pad", node.leaves(),
                      {numbersAttribute(emitter, "edge_padding_low", low),
                       numbersAttribute(emitter, "edge_padding_high", high),
                       numbersAttribute(emitter, "interior_padding", interior)});
}

/// Transposes an array to the order of its layout, major to minor, or back.
FailureOr<Value> transpose(Emitter &emitter, const Node &node, Value value,
                           ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  if (llvm::is_sorted(permutation))
    return value;
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(permutation, [&](int64_t from) { return type.getDimSize(from); });
  return emitter.makeOne(node, "stablehlo.transpose", value,
                         RankedTensorType::get(sizes, type.getElementType()),
                         numbersAttribute(emitter, "permutation", permutation));
}

/// Converts to an element type of another width: several elements become one, or one becomes
/// several, along a new innermost dimension.
FailureOr<Value> convertBits(Emitter &emitter, const Node &node, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  auto bitsOf = [](Type type) -> int64_t {
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  };
  const int64_t from = bitsOf(type.getElementType()), to = bitsOf(element);
  if (from == 0 || to == 0 || std::max(from, to) % std::min(from, to) != 0)
    return emitter.unimplemented(node) << "a bitcast between " << type.getElementType() << " and "
                                       << element << " is not supported";
  SmallVector<int64_t> sizes(type.getShape());
  if (from > to) {
    sizes.push_back(from / to);
  } else if (from < to) {
    // Splits the innermost dimension into groups of elements.
    int64_t elements = 1;
    for (int64_t size : sizes)
      if (llvm::MulOverflow(elements, size, elements))
        return emitter.error(node) << "its operand has too many elements";
    sizes = {elements / (to / from), to / from};
    FailureOr<Value> grouped = emitter.makeOne(node, "stablehlo.reshape", value,
                                               RankedTensorType::get(sizes, type.getElementType()));
    if (failed(grouped))
      return failure();
    value = *grouped;
    sizes.pop_back();
  }
  return emitter.makeOne(node, "stablehlo.bitcast_convert", value,
                         RankedTensorType::get(sizes, element));
}

/// Reinterprets the operand's bytes with the result's type and layout.
FailureOr<Values> buildBitcast(Emitter &emitter, const Node &node) {
  if (node.types.size() != 1 || node.proto.shape().element_type() == kTuple)
    return emitter.error(node) << "its result is not an array";
  auto to = cast<RankedTensorType>(node.types[0]);
  if (!to.hasStaticShape() || !cast<RankedTensorType>(node.array(0).getType()).hasStaticShape())
    return emitter.unimplemented(node) << "bitcasts of dynamic dimensions are not supported";
  const ShapeProto &fromShape = *node.shapes[0], &toShape = node.proto.shape();
  if (fromShape.layout().tiles_size() > 0 || toShape.layout().tiles_size() > 0)
    return emitter.unimplemented(node) << "bitcasts between tiled layouts are not supported";
  auto fromOrder = majorToMinor(fromShape), toOrder = majorToMinor(toShape);
  if (!fromOrder || !toOrder)
    return emitter.error(node) << "a layout is not a permutation of the dimensions";
  FailureOr<Value> value = transpose(emitter, node, node.array(0), *fromOrder);
  if (succeeded(value) &&
      cast<RankedTensorType>(value->getType()).getElementType() != to.getElementType())
    value = convertBits(emitter, node, *value, to.getElementType());
  if (failed(value))
    return failure();
  SmallVector<int64_t> sizes, inverse(to.getRank());
  for (auto [position, dimension] : llvm::enumerate(*toOrder)) {
    sizes.push_back(to.getDimSize(dimension));
    inverse[dimension] = position;
  }
  auto lying = RankedTensorType::get(sizes, to.getElementType());
  if (value->getType() != lying)
    value = emitter.makeOne(node, "stablehlo.reshape", *value, lying);
  if (succeeded(value))
    value = transpose(emitter, node, *value, inverse);
  if (failed(value))
    return failure();
  return Values{*value};
}

FailureOr<Values> buildSetDimensionSize(Emitter &emitter, const Node &node) {
  auto type = cast<RankedTensorType>(node.array(0).getType());
  if (node.proto.dimensions_size() != 1 || node.proto.dimensions(0) < 0 ||
      node.proto.dimensions(0) >= type.getRank())
    return emitter.error(node) << "expects one dimension of its operand";
  return emitter.make(node, "stablehlo.set_dimension_size", node.leaves(),
                      dimensionAttribute(emitter, node.proto.dimensions(0)));
}

/// The sizes of the result are scalars.
FailureOr<Values> buildDynamicReshape(Emitter &emitter, const Node &node) {
  Values operands = node.leaves();
  if (operands.size() < 2)
    return emitter.error(node) << "expects an array and its sizes";
  auto sizeType = RankedTensorType::get({1}, emitter.builder.getI32Type());
  Values sizes;
  for (Value size : ArrayRef(operands).drop_front()) {
    FailureOr<Value> one = emitter.makeOne(node, "stablehlo.reshape", size, sizeType);
    if (failed(one))
      return failure();
    sizes.push_back(*one);
  }
  auto shapeType = sizeType.clone(ArrayRef(int64_t(sizes.size())));
  FailureOr<Value> shape = emitter.makeOne(node, "stablehlo.concatenate", sizes, shapeType,
                                           dimensionAttribute(emitter, 0));
  if (failed(shape))
    return failure();
  return emitter.make(node, "stablehlo.dynamic_reshape", {operands.front(), *shape});
}

FailureOr<Values> buildGetDimensionSize(Emitter &emitter, const Node &node) {
  auto type = cast<RankedTensorType>(node.array(0).getType());
  if (node.proto.dimensions_size() != 1 || node.proto.dimensions(0) < 0 ||
      node.proto.dimensions(0) >= type.getRank() || node.types.size() != 1)
    return emitter.error(node) << "expects one dimension of its operand";
  auto result = cast<RankedTensorType>(node.types[0]);
  if (result.getRank() != 0 || !result.getElementType().isInteger(32))
    return emitter.error(node) << "its result is no 32-bit integer";
  if (type.isDynamicDim(node.proto.dimensions(0)))
    return emitter.make(node, "stablehlo.get_dimension_size", node.leaves(),
                        dimensionAttribute(emitter, node.proto.dimensions(0)));
  auto size =
      IntegerAttr::get(result.getElementType(), APInt(32, type.getDimSize(node.proto.dimensions(0)),
                                                      /*isSigned=*/false, /*implicitTrunc=*/true));
  return emitter.make(node, "stablehlo.constant", {},
                      emitter.builder.getNamedAttr(
                          "value", DenseElementsAttr::get(result, ArrayRef<Attribute>(size))));
}

constexpr Opcode kOpcodes[] = {
    {"bitcast", buildBitcast},
    {"broadcast", buildAlong<kBroadcast>, 1, 0, "stablehlo.broadcast_in_dim"},
    {"concatenate", buildConcatenate, Opcode::kAny},
    {"dynamic-reshape", buildDynamicReshape, Opcode::kAny},
    {"get-dimension-size", buildGetDimensionSize},
    {"pad", buildPad, 2},
    {"reshape", buildReshape},
    {"reverse", buildAlong<kDimensions>, 1, 0, "stablehlo.reverse"},
    {"set-dimension-size", buildSetDimensionSize, 2},
    {"slice", buildSlice},
    {"transpose", buildAlong<kPermutation>, 1, 0, "stablehlo.transpose"},
};

} // namespace

ArrayRef<Opcode> movementOpcodes() { return kOpcodes; }

} // namespace systole::hlo
