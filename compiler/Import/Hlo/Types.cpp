// HLO shapes as tensor types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Types.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Rank.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::hlo {

namespace {

struct Kind {
  StringLiteral name;
  int32_t number;
  Type (*type)(Builder &);
};

constexpr Kind kKinds[] = {
    {"pred", kPred, [](Builder &b) -> Type { return b.getI1Type(); }},
    {"s8", 2, [](Builder &b) -> Type { return b.getI8Type(); }},
    {"s16", 3, [](Builder &b) -> Type { return b.getIntegerType(16); }},
    {"s32", kS32, [](Builder &b) -> Type { return b.getI32Type(); }},
    {"s64", 5, [](Builder &b) -> Type { return b.getI64Type(); }},
    {"u8", 6, [](Builder &b) -> Type { return b.getIntegerType(8, false); }},
    {"u16", 7, [](Builder &b) -> Type { return b.getIntegerType(16, false); }},
    {"u32", kU32, [](Builder &b) -> Type { return b.getIntegerType(32, false); }},
    {"u64", 9, [](Builder &b) -> Type { return b.getIntegerType(64, false); }},
    {"f16", 10, [](Builder &b) -> Type { return b.getF16Type(); }},
    {"f32", 11, [](Builder &b) -> Type { return b.getF32Type(); }},
    {"f64", 12, [](Builder &b) -> Type { return b.getF64Type(); }},
    {"c64", 15, [](Builder &b) -> Type { return ComplexType::get(b.getF32Type()); }},
    {"bf16", 16, [](Builder &b) -> Type { return b.getBF16Type(); }},
    {"c128", 18, [](Builder &b) -> Type { return ComplexType::get(b.getF64Type()); }},
    {"s2", 26, [](Builder &b) -> Type { return b.getIntegerType(2); }},
    {"s4", 21, [](Builder &b) -> Type { return b.getIntegerType(4); }},
    {"u2", 27, [](Builder &b) -> Type { return b.getIntegerType(2, false); }},
    {"u4", 22, [](Builder &b) -> Type { return b.getIntegerType(4, false); }},
    {"f8e5m2", 19, [](Builder &b) -> Type { return b.getType<Float8E5M2Type>(); }},
    {"f8e4m3", 28, [](Builder &b) -> Type { return b.getType<Float8E4M3Type>(); }},
    {"f8e4m3fn", 20, [](Builder &b) -> Type { return b.getType<Float8E4M3FNType>(); }},
    {"f8e4m3b11fnuz", 23, [](Builder &b) -> Type { return b.getType<Float8E4M3B11FNUZType>(); }},
    {"f8e3m4", 29, [](Builder &b) -> Type { return b.getType<Float8E3M4Type>(); }},
    {"f8e5m2fnuz", 24, [](Builder &b) -> Type { return b.getType<Float8E5M2FNUZType>(); }},
    {"f8e4m3fnuz", 25, [](Builder &b) -> Type { return b.getType<Float8E4M3FNUZType>(); }},
    {"f4e2m1fn", 32, [](Builder &b) -> Type { return b.getType<Float4E2M1FNType>(); }},
    {"f8e8m0fnu", 33, [](Builder &b) -> Type { return b.getType<Float8E8M0FNUType>(); }},
    // The contents of these are not read.
    {"token", kToken, nullptr},
    {"opaque", 14, nullptr},
    {"s1", 30, nullptr},
    {"u1", 31, nullptr},
};

const Kind *kindOf(int32_t number) {
  const Kind *kind =
      llvm::find_if(kKinds, [number](const Kind &kind) { return kind.number == number; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

/// A dynamic dimension has its bound as the size.
FailureOr<RankedTensorType> arrayType(const ShapeProto &shape, Type element, EmitError emitError) {
  SmallVector<int64_t> sizes, bounds;
  for (auto [dimension, size] : llvm::enumerate(shape.dimensions())) {
    const bool isDynamic = int(dimension) < shape.is_dynamic_dimension_size() &&
                           shape.is_dynamic_dimension(int(dimension));
    if (size < 0 && isDynamic)
      return markUnimplemented(emitError())
             << "dynamic dimensions without a bound are not supported";
    if (size < 0)
      return emitError() << "a dimension has a negative size";
    sizes.push_back(isDynamic ? ShapedType::kDynamic : size);
    bounds.push_back(isDynamic ? size : ShapedType::kDynamic);
  }
  auto encoding = llvm::any_of(sizes, ShapedType::isDynamic)
                      ? stablehlo::BoundsAttr::get(element.getContext(), bounds)
                      : stablehlo::BoundsAttr();
  return RankedTensorType::get(sizes, element, encoding);
}

} // namespace

std::optional<int32_t> primitiveNamed(StringRef name) {
  for (const Kind &kind : kKinds)
    if (kind.name == name)
      return kind.number;
  return std::nullopt;
}

Type elementType(int32_t primitive, MLIRContext *context) {
  Builder builder(context);
  const Kind *kind = kindOf(primitive);
  return kind && kind->type ? kind->type(builder) : Type();
}

LogicalResult appendLeaves(const ShapeProto &shape, MLIRContext *context,
                           SmallVectorImpl<Type> &leaves, EmitError emitError) {
  if (shape.element_type() == kToken)
    return success();
  if (shape.element_type() == kTuple) {
    for (const ShapeProto &part : shape.tuple_shapes())
      if (failed(appendLeaves(part, context, leaves, emitError)))
        return failure();
    return success();
  }
  Type element = elementType(shape.element_type(), context);
  if (!element) {
    const Kind *kind = kindOf(shape.element_type());
    InFlightDiagnostic error = emitError();
    markUnimplemented(error) << "element type ";
    if (kind)
      error << kind->name;
    else
      error << "number " << shape.element_type();
    return error << " is not supported";
  }
  if (llvm::any_of(shape.layout().dim_level_types(), [](int32_t type) { return type != 0; }))
    return markUnimplemented(emitError()) << "sparse arrays are not supported";
  if (shape.dimensions_size() > kMaxRank)
    return emitError() << "a tensor of " << shape.dimensions_size()
                       << " dimensions; the maximum is " << kMaxRank;
  FailureOr<RankedTensorType> type = arrayType(shape, element, emitError);
  if (failed(type))
    return failure();
  leaves.push_back(*type);
  return success();
}

unsigned countLeaves(const ShapeProto &shape) {
  if (shape.element_type() != kTuple)
    return shape.element_type() != kToken;
  unsigned leaves = 0;
  for (const ShapeProto &part : shape.tuple_shapes())
    leaves += countLeaves(part);
  return leaves;
}

std::optional<SmallVector<int64_t>> majorToMinor(const ShapeProto &array) {
  const int64_t rank = array.dimensions_size();
  if (!array.has_layout() || array.layout().minor_to_major().empty())
    return llvm::to_vector(llvm::seq<int64_t>(rank));
  SmallVector<int64_t> order(llvm::reverse(array.layout().minor_to_major()));
  SmallVector<bool> seen(rank, false);
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= rank || seen[dimension])
      return std::nullopt;
    seen[dimension] = true;
  }
  return int64_t(order.size()) == rank ? std::optional(order) : std::nullopt;
}

} // namespace systole::hlo
