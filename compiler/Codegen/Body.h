// Lane-wise evaluation of a stage's body: StableHLO operations on rank-0 tensors become vector
// instructions on 8 x 128 elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_BODY_H
#define SYSTOLE_COMPILER_CODEGEN_BODY_H

#include "compiler/Codegen/Emitter.h"
#include "llvm/ADT/StringMap.h"

#include <array>

namespace systole::codegen {

/// How elements of a type are held while they are computed with.
///   Float  f32 cells; bf16 and f16 as the f32 of the same value
///   Int    32-bit cells; narrow integers extended by their signedness
///   Pred   masks
/// A Float or Int may also be a scalar, which stands for all cells.
enum class ElementClass { Float, Int, Pred };
constexpr size_t elementClasses = 3;
ElementClass classOf(mlir::Type element);

/// The element type of a rank-0 tensor.
mlir::Type elementOf(mlir::Value value);

class Body;

/// An operation of a body that is being emitted.
struct BodyOp {
  mlir::Operation *op;
  llvm::ArrayRef<mlir::Value> args;
  Body &body;
  Emitter &e;
  mlir::Type in;  // element type of the first operand, or of the result without operands
  mlir::Type out; // element type of the result

  /// An instruction of two (one, three) operands.
  template <typename Op> mlir::Value v(mlir::Value a, mlir::Value b) const {
    return Op::create(e.b, e.loc, e.vectorType(), a, b);
  }
  template <typename Op> mlir::Value v(mlir::Value a) const {
    return Op::create(e.b, e.loc, e.vectorType(), a);
  }
  template <typename Op> mlir::Value v(mlir::Value a, mlir::Value b, mlir::Value c) const {
    return Op::create(e.b, e.loc, e.vectorType(), a, b, c);
  }
  /// An instruction with a mask as its result.
  template <typename Op> mlir::Value m(mlir::Value a, mlir::Value b) const {
    return Op::create(e.b, e.loc, e.maskType(), a, b);
  }
  mlir::Value bits(uint32_t value) const { return e.constant(static_cast<int32_t>(value)); }
  mlir::Value f32(float value) const;
  mlir::Value select(mlir::Value mask, mlir::Value a, mlir::Value b) const;
  mlir::Value notMask(mlir::Value mask) const;
};

/// Emits an operation; null after a diagnostic.
using EmitElement = mlir::Value (*)(const BodyOp &);

/// The final conversion of an emitted value: none, or rounding (Float) or wrapping (Int) to the
/// result's type.
enum class Finish { exact, wrap };

class BodyTable {
public:
  void add(llvm::StringRef name, ElementClass cls, EmitElement emit, Finish finish);
  template <typename Op> void add(ElementClass cls, EmitElement emit, Finish finish) {
    add(Op::getOperationName(), cls, emit, finish);
  }
  struct Entry {
    EmitElement emit = nullptr;
    Finish finish = Finish::exact;
  };
  using Entries = std::array<Entry, elementClasses>;
  const Entries *find(llvm::StringRef name) const;

  /// Every operation that a body may contain.
  static const BodyTable &get();

private:
  llvm::StringMap<Entries> entries;
};

void addFloatOps(BodyTable &table);
void addIntegerOps(BodyTable &table);
void addPredicateOps(BodyTable &table);
void addComparisonOps(BodyTable &table);
void addConversionOps(BodyTable &table);

/// The unsigned 32-bit quotient, rounded down; unspecified if `d` is 0.
mlir::Value emitUnsignedDivision(const BodyOp &op, mlir::Value n, mlir::Value d);
/// The exact remainder of two f32, as C's fmod.
mlir::Value emitFloatRemainder(const BodyOp &op);

/// Emits the bodies of one stage.
class Body {
public:
  /// `index` gives the cells' index along a dimension of the iteration space, `scalar` the lowered
  /// value of a captured i32.
  Body(Emitter &emitter, bool excessPrecision, llvm::function_ref<mlir::Value(int64_t dim)> index,
       llvm::function_ref<mlir::Value(mlir::Value)> scalar)
      : e(emitter), excessPrecision(excessPrecision), index(index), scalar(scalar) {}

  Emitter &e;
  const bool excessPrecision;

  /// Emits `block` for the given arguments and returns the values that it yields.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> emit(mlir::Block &block, mlir::ValueRange args);

  /// A Float or Int as a vector register.
  mlir::Value vector(mlir::Value value);
  /// Rounds or wraps `value` to `type`.
  mlir::Value wrap(mlir::Value value, mlir::Type type);

  mlir::Value indexOf(int64_t dim) { return index(dim); }
  mlir::Value scalarOf(mlir::Value captured) { return scalar(captured); }

private:
  mlir::Value emitOp(mlir::Operation &op, llvm::ArrayRef<mlir::Value> args);

  llvm::function_ref<mlir::Value(int64_t)> index;
  llvm::function_ref<mlir::Value(mlir::Value)> scalar;
};

/// Converts elements between their forms in memory and in bodies: an i1 is 0 or 1 in memory, a mask
/// in a body.
mlir::Value fromMemory(Emitter &emitter, mlir::Value loaded, mlir::Type element);
mlir::Value toMemory(Emitter &emitter, mlir::Value value, mlir::Type element);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_BODY_H
