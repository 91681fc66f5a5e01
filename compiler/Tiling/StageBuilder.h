// Turns the tensor operations of a fusion into the stages of a kernel's body.
//
// Elementwise work is kept as expressions over tensors until some stage needs
// the elements in a buffer; then one `kernel.map` computes them, whole chains
// and broadcasts included. Everything else becomes a stage where it stands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_STAGEBUILDER_H
#define SYSTOLE_COMPILER_TILING_STAGEBUILDER_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/ReduceSteps.h"
#include "compiler/Planning/StepChunks.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tiling/IndexStreams.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

struct WindowPhase;

class StageBuilder {
public:
  /// `precision`: bf16 passes of a contraction that asks for the default.
  /// `steps`: the grid indices, one per cut.
  StageBuilder(mlir::OpBuilder &builder, const Blocking &blocking, const IndexStreams &indexStreams,
               mlir::ValueRange steps, int precision)
      : b(builder), blocking(blocking), indexStreams(indexStreams), steps(steps),
        precision(precision) {}

  /// The VMEM buffer that holds `value` before the body starts.
  void bindInput(mlir::Value value, mlir::Value buffer) { buffers[value] = buffer; }
  /// The HBM buffer of which windows of `value` or chunks of indices are read.
  void bindWindowed(mlir::Value value, mlir::Value buffer) { windowed[value] = buffer; }
  /// The VMEM buffer that holds the block of an operand that no other operation reads.
  void bindOwn(mlir::OpOperand &operand, mlir::Value buffer) { ownBlocks[&operand] = buffer; }
  /// The SMEM buffer that holds `value` for the scalar unit.
  void bindStream(mlir::Value value, mlir::Value buffer) { streams[value] = buffer; }
  /// The i32 that holds `value`, an integer of rank 0.
  void bindScalar(mlir::Value value, mlir::Value scalar) { scalars[value] = scalar; }
  /// The VMEM buffer into which `value` is to be computed; the HBM buffer that holds the
  /// operand of which `value` is an update in HBM. Of several for one value, it is computed into
  /// the first.
  void bindOutput(mlir::Value value, mlir::Value buffer) {
    destinations.try_emplace(value, buffer);
    outputs.emplace_back(value, buffer);
  }

  /// `sum` is the elements of `buffer`, an input that nothing else reads, plus those of `product`,
  /// which nothing else uses: the stage of the product adds to the buffer, in the order of
  /// `kernel.dot accumulate`, and `sum` stands there.
  struct AddedProduct {
    mlir::Value product, sum, buffer;
  };
  /// Emits the stages for the operations of `body` and fills the outputs.
  mlir::LogicalResult build(mlir::Block &body, llvm::ArrayRef<AddedProduct> added = {});

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using OpOperand = mlir::OpOperand;

  // Buffers and types (StageBuilder.cpp).
  llvm::SmallVector<int64_t> shapeOf(Value value) const { return blocking.blockShape(value); }
  kernel::BufferType bufferType(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                                kernel::Space space = kernel::Space::vmem) const;
  kernel::BufferType bufferType(Value value) const;
  /// The buffer into which a stage computes `value`: its output, or a new one.
  Value destination(Value value);
  /// The buffer with the elements of `value`, computed now if need be.
  Value buffer(Value value);
  /// The buffer with what an operation reads of an operand.
  Value buffer(OpOperand &operand);
  bool isZeroSized(Value value) const;
  mlir::LogicalResult visit(Operation *op);
  /// Outputs that are inputs, views, or other outputs' buffers: copies.
  void fillOutputs(mlir::ValueRange values);

  // Expressions (StageMap.cpp).
  /// Computes the buffer of `value`, its halo included.
  void emitMap(Value value, mlir::Location loc);
  /// Computes blocks of one shape of results that leave the kernel.
  void emitResults(llvm::ArrayRef<Value> values, mlir::Location loc);

  // Stages (StageMovement.cpp, StageReduce.cpp, StageContraction.cpp, StageIndexed.cpp).
  mlir::LogicalResult emitReshape(stablehlo::ReshapeOp op);
  mlir::LogicalResult emitMovement(Operation *op);
  void emitPad(stablehlo::PadOp op);
  /// Fills `target` around the box of `sizes` elements from `first` on, which a copy writes.
  void fillAround(mlir::Location loc, mlir::Value target, llvm::ArrayRef<int64_t> first,
                  llvm::ArrayRef<int64_t> sizes, llvm::function_ref<void(mlir::Value)> fill);
  void emitConcatenate(stablehlo::ConcatenateOp op);
  /// What an operation reads of an operand: its buffer and where in it, by dimension, the
  /// elements begin that belong to the result's block or halo.
  struct Source {
    Value buffer;
    llvm::SmallVector<int64_t> first;
    /// By dimension, the cut along which it is read at an offset, or null.
    llvm::SmallVector<const Cut *> cuts;
    bool hasOffset() const {
      return llvm::any_of(cuts, [](const Cut *cut) { return cut != nullptr; });
    }
  };
  Source sourceOf(OpOperand &operand);
  /// Where in `source` the elements of a slice's block begin.
  static llvm::SmallVector<int64_t> startOf(stablehlo::SliceOp op, const Source &source);
  /// The elements begin <= i < end along `dim` of a tensor whose block begins at element `first`,
  /// or at 0 if that is null.
  struct Range {
    int64_t dim;
    Value first;
    int64_t begin, end;
  };
  /// `output` has the elements of `source` from `first` on within `ranges`, and elsewhere the one
  /// in `edge`, or zero. With one buffer for both an iteration would wait for the one before it.
  void emitSelect(mlir::Location loc, Value source, llvm::ArrayRef<int64_t> first, Value output,
                  llvm::ArrayRef<Range> ranges, Value edge = nullptr);
  /// In a stage's body: whether its element is within all of `ranges`, of which there are some.
  Value isWithin(mlir::Location loc, llvm::ArrayRef<Range> ranges);
  /// The index of the first element of this step's block.
  Value firstOf(mlir::Location loc, const Cut &cut);
  /// The elements of `value`, which `cut` divides, that exist, by index in its buffer.
  Range existing(mlir::Location loc, Value value, const Cut &cut);
  mlir::LogicalResult emitReduce(stablehlo::ReduceOp op);
  /// The reduction of a chunk, or of its rows if there is a second step.
  void emitFirstStep(stablehlo::ReduceOp op, const ReduceSteps &reduction, const StepChunk &chunk,
                     llvm::ArrayRef<Value> inits, llvm::ArrayRef<Value> outputs);
  void takeLanes(mlir::Location loc, llvm::ArrayRef<int64_t> sizes, Value &input,
                 mlir::Attribute &map);
  /// The reduction of the tree: `inputs` are what the first step has left.
  void emitSecondStep(stablehlo::ReduceOp op, const ReduceSteps &reduction,
                      llvm::ArrayRef<Value> inputs, llvm::ArrayRef<Value> inits,
                      llvm::ArrayRef<Value> outputs);
  /// `isAscending`: whether comparisons that say so may rely on ascending elements.
  void cloneCombiner(stablehlo::ReduceOp op, mlir::Region &region, bool isAscending);
  /// Replaces the initial values of a step's first chunk and of later ones.
  void startFromIdentities(stablehlo::ReduceOp op, llvm::MutableArrayRef<Value> first,
                           llvm::MutableArrayRef<Value> later, bool hasLater);
  void addChunk(stablehlo::ReduceOp op, llvm::ArrayRef<Value> parts, bool isFirst);
  mlir::LogicalResult emitDot(stablehlo::DotGeneralOp op);
  /// Computes the sums of a product by `create(sums, rounded, accumulate)` and gives the result
  /// its element type. `isOnePass`: they may be rounded as they are stored.
  void emitSums(Operation *op, bool isOnePass,
                llvm::function_ref<void(Value sums, Value rounded, bool accumulate)> create);
  /// Whether the matrix unit takes both operands of `op` as they are, or in one of `passes`.
  // Convolutions (StageConvolution.cpp, StageFolded.cpp, StageFilter.cpp, StageChannels.cpp).
  mlir::LogicalResult emitConvolution(stablehlo::ConvolutionOp op);
  void emitPositions(stablehlo::ConvolutionOp op, int passes);
  /// The sums of one phase of the positions.
  void contractPhase(stablehlo::ConvolutionOp op, llvm::ArrayRef<WindowPhase> phase, Value image,
                     Value kernel, Value target, Value rounded, bool accumulate, int passes);
  /// The features along the lanes of `source`, G groups of them, as G rows each.
  Value splitGroups(mlir::Location loc, Value source, int64_t dim, int64_t groups);
  void emitFolded(stablehlo::ConvolutionOp op, int passes);
  /// The image before elements of the outermost folded dimension lie side by side, and with them.
  std::pair<Value, Value> foldedImage(stablehlo::ConvolutionOp op, Value image);
  /// The kernel as [0.., i, o], not reversed.
  Value foldableKernel(stablehlo::ConvolutionOp op);
  Value roundedGradient(stablehlo::ConvolutionOp op, int passes);
  void emitFilter(stablehlo::ConvolutionOp op, int passes);
  void unfoldSums(stablehlo::ConvolutionOp op, Value folded, Value rest, Value sums,
                  bool accumulate);
  void emitChannels(stablehlo::ConvolutionOp op);
  void emitChannelFilter(stablehlo::ConvolutionOp op);
  /// `source` with the dimensions `first` and `first` + 1 exchanged.
  Value exchanged(mlir::Location loc, Value source, int64_t first);
  /// The block of the image with the zeros that windows see around it.
  Value paddedImage(stablehlo::ConvolutionOp op);
  Value maskDepth(OpOperand &operand, const Cut &chunks);
  // Chunks (StageReduce.cpp).
  /// In a stage's body: whether this step's chunk is the first one.
  Value isFirstChunk(mlir::Location loc, const Cut &chunks);
  /// The same of all the cuts along which `op` adds up chunks.
  Value isFirstOfChunks(Operation *op);
  /// The elements of the cut dimension from this step's first one on, as a scalar.
  Value elementsLeft(mlir::Location loc, const Cut &chunks);
  /// In a stage's body: whether the index along `dim` is one of the `left` elements.
  Value existsInChunk(mlir::Location loc, int64_t dim, Value left);
  void emitIndexed(Operation *op);
  void emitUpdate(stablehlo::DynamicUpdateSliceOp op, mlir::ValueRange offsets);
  void selectUpdate(stablehlo::DynamicUpdateSliceOp op, Value box, Value moved,
                    mlir::ValueRange rest);
  void emitScatter(stablehlo::ScatterOp op);
  class Gather;
  /// Where a slice at `offsets` is: where its box starts, and from there.
  struct Position {
    llvm::SmallVector<Value> start, rest;
  };
  Position positionOf(mlir::Location loc, const CopyWindow &window, mlir::ValueRange offsets);
  /// dst[dstMap(i) + dstOffsets] = src[srcMap(i) + srcOffsets] over `sizes`.
  void emitCopy(mlir::Location loc, Value source, Value destination, llvm::ArrayRef<int64_t> sizes,
                mlir::AffineMap srcMap, mlir::AffineMap dstMap, mlir::ValueRange srcOffsets = {},
                mlir::ValueRange dstOffsets = {});
  /// Whether some stage reads `value` from a buffer.
  bool wantsElements(Value value) const;
  /// The elements of `source` in row-major order under the shape of `destination`.
  void emitReshapeCopy(mlir::Location loc, Value source, Value destination);
  /// `source` as a buffer of `type`: a view where the rows of both lie at the same places.
  Value reshaped(mlir::Location loc, kernel::BufferType type, Value source);
  /// max(0, min(index, limit)), where the index is the element of `indices`, a tensor or a
  /// chunk of one in SMEM, at `position`.
  Value clampedIndex(mlir::Location loc, Value indices, mlir::ValueRange position, int64_t limit);
  Value constantIndex(mlir::Location loc, int64_t value);
  /// SMEM for a chunk of indices; the copy of `indices` from `offsets` on into it.
  Value allocIndices(mlir::Location loc, llvm::ArrayRef<int64_t> shape);
  void loadIndices(mlir::Location loc, Value indices, Value chunk, mlir::ValueRange offsets);

  mlir::OpBuilder &b;
  const Blocking &blocking;
  const IndexStreams &indexStreams;
  llvm::SmallVector<Value, 2> steps;
  int precision;
  llvm::DenseMap<Value, Value> buffers, scalars, windowed, streams, destinations;
  llvm::ArrayRef<AddedProduct> addedProducts;
  /// Values that leave the kernel, and where to.
  llvm::SmallVector<std::pair<Value, Value>> outputs;
  /// Operations whose results one stage computes for all others.
  llvm::SmallDenseSet<Value, 4> shared;
  llvm::DenseMap<OpOperand *, Value> ownBlocks;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_STAGEBUILDER_H
