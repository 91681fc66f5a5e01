// Rewrites a program on tensors as one of the sequencer that calls kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_PROGRAMBUILDER_H
#define SYSTOLE_COMPILER_TILING_PROGRAMBUILDER_H

#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Tiling/CopyFlags.h"
#include "compiler/Tiling/HbmPlan.h"
#include "compiler/Tiling/KernelBuilder.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace systole {

/// Rewrites one program: from `source`, a function on tensors, to `@main`, the
/// sequencer's program.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::ModuleOp module, mlir::func::FuncOp source, const KernelOptions &options)
      : module(module), source(source), kernels(module, options), b(module.getContext()),
        scalars(source.getBody(), SequencerScalars::Operations::given) {}

  mlir::LogicalResult run(int64_t hbmRows);

private:
  using Buffer = int32_t;
  /// In place of a buffer: the sequencer holds the value.
  static constexpr Buffer kHeld = -1;
  /// In place of a loop's buffer: VMEM keeps the value.
  static constexpr Buffer kResident = -2;

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitFusion(kernel::FusionOp op);
  /// The module's attributes that describe its arguments and results.
  void setSignature(llvm::ArrayRef<Buffer> arguments, llvm::ArrayRef<Buffer> results);

  // Parts of arrays (ProgramParts.cpp).
  void emitPart(kernel::PartOp op);
  void emitReplacePart(kernel::ReplacePartOp op);
  /// The row of 512 bytes in `array` at which a part of it of size `sizes` starts.
  mlir::Value firstRow(mlir::Value array, llvm::ArrayRef<int64_t> sizes, mlir::ValueRange starts,
                       mlir::Location loc);
  /// The same of starts that `word` gives as scalars.
  mlir::Value rowOf(mlir::Value array, llvm::ArrayRef<int64_t> sizes, mlir::Location loc,
                    llvm::function_ref<mlir::Value(size_t)> word);
  /// Lets the kernel of `op`'s update, if it can, write it to its place in `target`.
  void chooseDestination(kernel::ReplacePartOp op, Buffer target);
  /// The parts that `op` reads and writes, by their values, as indices into `firstRows`. What is
  /// read at more rows than a kernel takes as scalars is copied to arrays of its own.
  llvm::DenseMap<mlir::Value, int64_t> rowsOf(kernel::FusionOp op,
                                              llvm::SmallVectorImpl<mlir::Value> &firstRows);

  // Arrays that VMEM keeps (ProgramResidency.cpp).
  void findResident();
  void emitResident(kernel::ResidentOp op);
  /// Finds the places of what `loop` carries, and begins the loads of its first iteration.
  void placeResident(stablehlo::WhileOp loop);
  /// Prepares the loads of a part that each iteration of `loop` reads, and loads it for the first
  /// one if iterations load it for the next.
  void addLoad(stablehlo::WhileOp loop, kernel::ResidentOp resident);
  void startLoad(kernel::ResidentOp resident, mlir::Value row);
  void startLoad(kernel::ResidentOp resident, bool isForNext);
  /// Behind `op`, the loads for the next iteration of parts that nothing else in this one reads.
  void startLoads(mlir::Operation *op);
  /// In front of `op`, for the parts that it is the first to read.
  void waitForLoads(mlir::Operation *op);
  /// Stores a loop's result which VMEM has kept.
  void storeResident(mlir::OpResult result);
  /// Stores what VMEM has kept for `loop`, which ends, where that is read, and takes its room.
  void leaveResident(stablehlo::WhileOp loop);
  /// Adds an entry to the module's `kernel.vmem_plan`.
  int32_t addPlacement(kernel::PlacementAttr placement);
  /// The entry of input `number` of `fusion`, of which the kernel before loads the first block; -1
  /// if it does not.
  int32_t placementOfPrefetched(kernel::FusionOp fusion, int64_t number);
  /// `value`, which VMEM keeps, as an operand of a kernel.
  mlir::Value vmem(mlir::Value value, kernel::BufferType type, mlir::Location loc);
  /// Where VMEM keeps a value, in rows of 512 bytes before its end.
  int64_t residentAt(mlir::Value value) const { return placements[residents.at(value)].getPlace(); }
  bool isResident(mlir::Value value) const { return residents.contains(value); }
  /// What a kernel is called with: its buffers, with their entries in `kernel.vmem_plan` or -1, and
  /// scalars.
  struct CallOperands {
    llvm::SmallVector<mlir::Value> buffers = {};
    llvm::SmallVector<int32_t> placements = {};
    llvm::SmallVector<mlir::Value> words = {};
    void add(mlir::Value buffer, int32_t placement = -1) {
      buffers.push_back(buffer);
      placements.push_back(placement);
    }
  };
  /// Calls a kernel, which leaves the last `reserved` rows of VMEM alone.
  kernel::CallOp call(kernel::FuncOp func, const CallOperands &operands, mlir::Location loc,
                      int64_t reserved);

  // Control flow (ProgramControl.cpp).
  mlir::LogicalResult emitWhile(stablehlo::WhileOp op);
  /// Emits `branches` from `number` on; the scalars that they choose.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitBranches(mlir::Operation *op,
                                                               mlir::Value selector,
                                                               llvm::ArrayRef<Buffer> results,
                                                               size_t number);
  mlir::LogicalResult emitChoice(mlir::Operation *op);
  /// Where the values that leave `block` must be at its end.
  void chooseDestinations(mlir::Block &block, llvm::ArrayRef<Buffer> destinations,
                          mlir::ValueRange carried);
  /// What makes the array `value` in `block`, if it can be computed where `old` is until then (null
  /// for nothing); else null.
  mlir::OpResult placeable(mlir::Block &block, mlir::Value value, mlir::Value old);
  /// `value` of `block` is to be computed in `target`, where `old` is until then, if that is
  /// possible.
  bool chooseDestination(mlir::Block &block, mlir::Value value, Buffer target, mlir::Value old);
  /// Where the homes of `block`'s loops are.
  void chooseHomes(mlir::Block &block);

  // Arguments and values that others are computed over (ProgramReuse.cpp).
  llvm::SmallVector<Buffer> argumentBuffers();
  /// The buffers of results: those of donated arguments where they can be computed over them.
  llvm::SmallVector<Buffer> resultBuffers(mlir::Block &body);
  /// The buffer of a size, if it is that of an argument or of a result before it.
  std::optional<Buffer> sharedSize(unsigned number, mlir::ValueRange results,
                                   llvm::ArrayRef<Buffer> found);
  /// The buffer of an operand that `result`, of a fusion, is the last to need and can be computed
  /// over.
  std::optional<Buffer> dyingOperand(kernel::FusionOp fusion, mlir::OpResult result);
  /// Copies what is not there yet.
  void finishBlock(mlir::Block &block, llvm::ArrayRef<Buffer> destinations);

  // Transfers with the host (ProgramTransfers.cpp).
  /// To the host, from it, or an exchange with other cores.
  mlir::LogicalResult emitTransfer(mlir::Operation *op);
  /// The entry in `kernel.transfers` of what `op` sends or receives. An error if a channel's array
  /// is of two types.
  template <typename Op>
  mlir::FailureOr<int32_t> transferOf(Op op, kernel::Direction direction, mlir::Value array);

  // Kernels that the program brings along (ProgramMosaic.cpp).
  mlir::LogicalResult emitMosaicCall(kernel::MosaicCallOp op);

  // Arrays in the memory of the host (ProgramHostArrays.cpp).
  /// A copy that is on its way.
  struct HostCopy {
    Buffer buffer;
    int32_t region;
    int flag;
    llvm::SmallVector<mlir::Value, 2> values; ///< of a fetch, with other names of it
  };
  using HostCopies = llvm::SmallVector<HostCopy, 4>;
  /// The region of the host, and the first row in it, null for 0.
  struct HostPlace {
    int32_t region;
    mlir::Value row;
  };
  mlir::LogicalResult emitOffload(kernel::OffloadOp op);
  mlir::LogicalResult emitFetch(kernel::FetchOp op);
  /// Of a copy of `array` to or from its position, or the one that `position` gives.
  template <typename Op>
  HostPlace placeOf(Op op, mlir::Value array,
                    llvm::function_ref<mlir::Value(mlir::Location)> position = nullptr);
  void makeWay(mlir::Operation *op, HostCopies &copies, HostCopies &others, int32_t region);
  /// Waits for the first `count` of `copies`, of one direction.
  void waitForHost(mlir::Location loc, HostCopies &copies, size_t count);
  /// Waits for all copies.
  void waitForHost(mlir::Location loc);
  /// Waits for those copies that `op`, which is emitted next, needs to be complete.
  void waitForHost(mlir::Operation *op);
  bool isOnItsWay(Buffer buffer) const;
  /// Prepares the staged copies of `loop`, of which those from the host begin for the first trip.
  void enterStaged(stablehlo::WhileOp loop);
  /// Waits for those that the last iteration has begun.
  void leaveStaged(stablehlo::WhileOp loop);
  /// Whether the iteration of the loop around `op` is not the last one.
  mlir::Value isNotLastIteration(mlir::Operation *op);
  void emitStaged(kernel::OffloadOp op);
  void emitStaged(kernel::FetchOp op);
  /// The module's `kernel.pinned_plan`.
  void setPinnedPlan();

  // Scalars of the sequencer (ProgramScalars.cpp).
  /// The scalar that `value`, an integer of rank 0, is; read from memory once if need be.
  mlir::Value scalar(mlir::Value value, mlir::Location loc);
  /// Those of `values` that have no buffer to go to.
  llvm::SmallVector<mlir::Value> heldOf(mlir::ValueRange values, llvm::ArrayRef<Buffer> targets,
                                        mlir::Location loc);
  void write(mlir::Value value, Buffer to, mlir::Location loc);
  /// From here on `value`, an array, can be read.
  void setDefined(mlir::Value value, mlir::Block *block, mlir::Operation *after);

  /// `buffer` begins to hold `array`, whose elements are unspecified.
  void markUninitialized(mlir::Value array, Buffer buffer);
  void copy(Buffer from, Buffer to, mlir::Location loc);
  /// Copies `rows` rows from and to the given ones, null for the first.
  void copyRows(int64_t rows, Buffer from, mlir::Value fromRow, Buffer to, mlir::Value toRow,
                mlir::Location loc);
  mlir::Value hbm(Buffer buffer, kernel::BufferType type, mlir::Location loc);

  Buffer newBuffer(mlir::Value value, llvm::StringRef name, HbmUse use = HbmUse::Temporary);
  /// The buffer of `value`, whose contents are read now.
  Buffer read(mlir::Value value);
  void touch(Buffer buffer) { plan.extend(buffer, time); }

  mlir::ModuleOp module;
  mlir::func::FuncOp source;
  KernelBuilder kernels;
  mlir::OpBuilder b;
  HbmPlan plan;
  SequencerScalars scalars;
  /// What the sequencer's values have become.
  llvm::DenseMap<mlir::Value, mlir::Value> held;
  /// The block in which an array of rank 0 is there, and the operation after which.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Block *, mlir::Operation *>> defined;
  int64_t time = 0;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// By buffer the value that was there last, if it is a result of a fusion that nothing else
  /// decided the place of.
  llvm::DenseMap<Buffer, mlir::Value> temporaries;
  /// Where a value that is still to be computed must go.
  llvm::DenseMap<mlir::Value, Buffer> destinations;
  /// The rows that the present block has computed already, by the row of the array that they are
  /// added to, starts, their limits and pitches.
  struct KnownRow {
    mlir::Block *block;
    mlir::Value base;
    llvm::SmallVector<mlir::Value> starts;
    llvm::SmallVector<int64_t> last, pitches;
    mlir::Value row;
  };
  llvm::SmallVector<KnownRow> knownRows;
  /// Parts that kernels of the present block, or of blocks around it, read from copies, with where
  /// they are.
  struct LocalCopy {
    mlir::Value part;
    Buffer buffer;
    mlir::Value row;
  };
  llvm::SmallVector<LocalCopy> localCopies;
  /// Entries of the module's `kernel.vmem_plan`: those of values that VMEM keeps, of inputs whose
  /// first block the kernel before loads, and within how many rows all values are.
  llvm::SmallVector<kernel::PlacementAttr> placements;
  llvm::DenseMap<mlir::Value, int32_t> residents;
  llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, int32_t> prefetches;
  int64_t reservedRows = 0;
  /// Where results of loops that VMEM keeps go in the end.
  llvm::DenseMap<mlir::Value, Buffer> stored;
  CopyFlags copyFlags;
  /// Of the loop being built whose iterations load parts: how many, and which of them an operation
  /// is the first to read, or the last one before the next iteration's part is loaded.
  int64_t loading = 0;
  using PartsByReader = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<kernel::ResidentOp, 2>>;
  PartsByReader firstReaders, lastReaders;
  /// Values that are parts of their buffers: the first row.
  llvm::DenseMap<mlir::Value, mlir::Value> parts;
  /// Results that kernels write to their places in other arrays.
  llvm::DenseMap<mlir::Value, kernel::ReplacePartOp> replacing;
  /// Loops that are being emitted: their first times, innermost last. A buffer from before a
  /// loop that is read in it lives until the loop's end.
  llvm::SmallVector<int64_t> loopBegins;
  llvm::SmallVector<std::pair<Buffer, int64_t>> readsInLoops;
  llvm::SmallVector<mlir::Attribute> constants, transfers;
  /// Copies to and from the host that are on their way, in the order in which they began.
  HostCopies offloads, fetches;
  /// The arrays through which staged copies pass, of the loop that is being built, and their flags.
  struct StagedCopy {
    Buffer buffer = 0;
    int flag = 0;
  };
  llvm::MapVector<mlir::Operation *, StagedCopy> staged;
  /// By region of the host the rows that copies access.
  llvm::DenseMap<int32_t, int64_t> pinnedRows;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_PROGRAMBUILDER_H
