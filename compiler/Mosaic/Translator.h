// Translates the body of a Mosaic kernel to that of a kernel over stages
// (docs/decisions/pallas.md).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_TRANSLATOR_H
#define SYSTOLE_COMPILER_MOSAIC_TRANSLATOR_H

#include "compiler/Mosaic/Segment.h"
#include "compiler/Mosaic/TensorOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace systole::mosaic {

/// The mapping of the values of a Mosaic kernel. Integers and indices that are no vectors are on
/// the scalar unit; vectors, and floats, are tensors, in the present segment or in VMEM.
struct Values {
  /// i32, or i1.
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// Floats of 32 bits that are words of the scalar unit.
  llvm::DenseMap<mlir::Value, mlir::Value> words;
  llvm::MapVector<mlir::Value, mlir::Value> tensors;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Value, Ref> refs;
};

/// Whether a value is on the scalar unit.
bool isScalar(mlir::Type type);

class Translator {
public:
  /// Emits at the insertion point of `b`. `precision`: bf16 passes of a product of f32 that asks
  /// for the default. `grid`: the extents of the grid.
  Translator(mlir::OpBuilder &b, int precision, llvm::ArrayRef<mlir::Value> grid);

  void bind(mlir::Value memref, const Ref &ref) { values.refs[memref] = ref; }
  void bindScalar(mlir::Value value, mlir::Value scalar) { values.scalars[value] = scalar; }
  /// Two words of SMEM for the generator of random bits.
  void bindRandomState(mlir::Value buffer) { randomState = buffer; }
  const Ref &refOf(mlir::Value memref) { return values.refs.find(memref)->second; }

  /// Translates the operations of a block but its terminator, for which `atEnd` stands, if given.
  mlir::LogicalResult translate(mlir::Block &block,
                                llvm::function_ref<mlir::LogicalResult()> atEnd = nullptr);
  /// Stages what is left. If `mayShare`, values that have been stored in refs stand there, where a
  /// later store finds them read.
  mlir::LogicalResult flush(mlir::Location loc, bool mayShare = false);
  /// A value as a scalar, i32 or i1; null after an error.
  mlir::Value scalar(mlir::Value value);
  /// A value as a tensor of the present segment; null after an error.
  mlir::Value tensor(mlir::Value value);
  /// Whether an operation that is still to be translated uses a value.
  bool isNeeded(mlir::Value value) const;
  /// Useful arithmetic of what has been staged. Loops count as often as they run, if that is known,
  /// branches as if they were taken.
  int64_t flops() const { return staged; }
  /// Nothing uses the operands of `op` for it any more.
  void finish(mlir::Operation *op) { done.insert(op); }

private:
  friend class TranslatorPart;

  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitTensor(mlir::Operation *op, Translation translation);
  /// Emits `op`, arithmetic of integers, on the scalar unit; false if that has no such instruction
  /// (Scalars.cpp).
  bool visitScalar(mlir::Operation *op);
  /// Whether computing the value again costs less than keeping it.
  bool isRecomputed(mlir::Value value) const;

  mlir::OpBuilder &b;
  llvm::SmallVector<mlir::Value> grid;
  Segment segment;
  Values values;
  BufferParts parts;
  llvm::DenseSet<mlir::Operation *> done;
  mlir::Value randomState;
  int64_t staged = 0;
  mlir::Block *current = nullptr;
};

/// The base class of translators of some operations.
class TranslatorPart {
public:
  explicit TranslatorPart(Translator &translator)
      : translator(translator), b(translator.b), segment(translator.segment),
        values(translator.values), parts(translator.parts) {}

protected:
  using Value = mlir::Value;
  using Operation = mlir::Operation;

  /// Builds tensor operations of the segment.
  Tensors tensors(mlir::Location loc) {
    Tensors t(segment.end());
    t.loc = loc;
    return t;
  }
  Value scalar(Value value) { return translator.scalar(value); }
  Value tensor(Value value) { return translator.tensor(value); }
  mlir::LogicalResult flush(mlir::Location loc, bool mayShare = false) {
    return translator.flush(loc, mayShare);
  }
  Value randomState() const { return translator.randomState; }

  Translator &translator;
  mlir::OpBuilder &b;
  Segment &segment;
  Values &values;
  BufferParts &parts;
};

/// Loads and stores, and the refs that they name (Accesses.cpp).
class AccessTranslator : TranslatorPart {
public:
  using TranslatorPart::TranslatorPart;

  mlir::LogicalResult visit(Operation *op);
  /// An operation whose result is a memref.
  mlir::LogicalResult visitRef(Operation *op);

private:
  /// The part of `memref` from `indices` on that has `sizes`, of its last dimensions.
  std::optional<Ref> boxOf(Operation *op, Value memref, mlir::ValueRange indices,
                           llvm::ArrayRef<int64_t> sizes);
  /// The elements of a box, each `strides`-th along its dimensions, as a tensor of `type`.
  Value read(mlir::Location loc, const Ref &box, llvm::ArrayRef<int64_t> strides,
             mlir::RankedTensorType type);
  /// The reverse, of a tensor that holds a vector of `element`.
  mlir::LogicalResult write(mlir::Location loc, Value tensor, mlir::Type element, const Ref &box,
                            llvm::ArrayRef<int64_t> strides);
  /// Stores the elements of a box by way of a buffer of their own.
  mlir::LogicalResult copyOut(mlir::Location loc, Value elements, const Ref &box,
                              llvm::ArrayRef<int64_t> strides);
  Value allocate(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::LogicalResult loadElement(Operation *op);
  mlir::LogicalResult storeElement(Operation *op);
};

/// Control flow: on the sequencer, with vectors in VMEM (Control.cpp).
class ControlTranslator : TranslatorPart {
public:
  using TranslatorPart::TranslatorPart;

  mlir::LogicalResult visit(Operation *op);

private:
  mlir::LogicalResult visitFor(mlir::scf::ForOp op);
  mlir::LogicalResult visitIf(mlir::scf::IfOp op);
  mlir::LogicalResult visitWhile(mlir::scf::WhileOp op);
  /// Translates a block, and stores what its terminator passes on: its scalars, behind the
  /// condition of a loop if there is one.
  mlir::FailureOr<llvm::SmallVector<Value>> translateBlock(mlir::Block &block,
                                                           llvm::ArrayRef<Value> buffers);
  /// Buffers for values of control flow that are not on the scalar unit; null for those that are.
  llvm::SmallVector<Value> allocate(mlir::ValueRange range);
  /// Stores the tensors among `from` in their `buffers`, all at once; the scalars among them.
  mlir::FailureOr<llvm::SmallVector<Value>> assign(mlir::Location loc, mlir::ValueRange from,
                                                   llvm::ArrayRef<Value> buffers);
  /// Lets values stand for what control flow gives: buffers, and scalars in their order.
  void define(mlir::ValueRange range, llvm::ArrayRef<Value> buffers, mlir::ValueRange scalars);
};

/// Messages to the host (Messages.cpp).
class MessageTranslator : TranslatorPart {
public:
  using TranslatorPart::TranslatorPart;

  mlir::LogicalResult visit(Operation *op);

private:
  mlir::LogicalResult log(Operation *op);
  /// A scalar as a word of a message; null after an error.
  Value wordOf(Value input);
  /// An array, element by element.
  mlir::LogicalResult logBuffer(Operation *op);
};

/// DMAs and semaphores (Transfers.cpp), random bits (Random.cpp), rotations (Rotate.cpp).
struct TransferTranslator : TranslatorPart {
  using TranslatorPart::TranslatorPart;
  mlir::LogicalResult visit(Operation *op);
};
struct RandomTranslator : TranslatorPart {
  using TranslatorPart::TranslatorPart;
  mlir::LogicalResult visit(Operation *op);
};
struct RotateTranslator : TranslatorPart {
  using TranslatorPart::TranslatorPart;
  mlir::LogicalResult visit(Operation *op);
};

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_TRANSLATOR_H
