// Splits tensors of elements that the machine lacks into planes: code that all such types share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PLANES_SPLITTER_H
#define SYSTOLE_COMPILER_LEGALIZE_PLANES_SPLITTER_H

#include "compiler/Tensor/Tensors.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace systole::planes {

/// Rewrites the operations of a block in order, and maps each tensor of wide elements to its
/// planes, tensors of its shape of which each holds a part of every element. The original
/// operations remain until `finish`. A derived class says which elements are wide, and rewrites the
/// operations that do more than to move them.
class Splitter {
public:
  virtual ~Splitter() = default;

  /// Rewrites the operations in `block` that have wide elements, except for its terminator; emits
  /// a diagnostic for unsupported ones.
  llvm::LogicalResult visit(mlir::Block &block);
  /// Erases the original operations.
  void finish();

  virtual bool isWide(mlir::Type type) const = 0;
  bool isWide(mlir::Value value) const { return isWide(value.getType()); }
  /// The name of the wide elements in diagnostics: "64-bit integers".
  virtual llvm::StringRef elements() const = 0;

  /// The planes of a value of wide elements at `op`, as the value `like` has them, whose elements
  /// include its. All values of most types have the same planes.
  virtual llvm::SmallVector<mlir::Value> planesLike(mlir::Operation *, mlir::Value value,
                                                    mlir::Value) {
    return planesOf(value);
  }
  /// The same as arguments, results and transfers of the program have them.
  virtual llvm::SmallVector<mlir::Value> entryPlanes(mlir::Operation *, mlir::Value value) {
    return planesOf(value);
  }
  /// The element type of those, for a type of wide elements.
  virtual mlir::Type entryElement(mlir::RankedTensorType type) const = 0;
  /// Start indices at `op`, as i32, saturated.
  virtual mlir::Value position(mlir::Operation *op, mlir::Value index) { return index; }

  /// The types of a value's planes, or the type of a value without.
  llvm::SmallVector<mlir::Type> planeTypes(mlir::Value value) const;
  llvm::SmallVector<mlir::Type> planeTypes(mlir::ValueRange values) const;
  /// `planesLike` of several values, and those themselves that have none.
  llvm::SmallVector<mlir::Value> planesLike(mlir::Operation *op, mlir::ValueRange values,
                                            mlir::ValueRange like);
  /// Consumes as many of `values` as `value` has planes, and maps or replaces `value` by them.
  void takePlanes(mlir::Value value, mlir::ValueRange &values);
  /// Replaces the arguments of `block` by their planes. With several `groups`, the arguments come
  /// in groups of that many with the same types, of which each plane is a group, too.
  void splitArguments(mlir::Block &block, mlir::ValueRange like, unsigned groups = 1);

  void setPlanes(mlir::Value value, llvm::ArrayRef<mlir::Value> planes);
  llvm::SmallVector<mlir::Value> planesOf(mlir::Value value) const;

protected:
  /// Rewrites an operation: sets the planes of its results, or replaces the results. Nothing if it
  /// is not supported.
  virtual std::optional<llvm::LogicalResult> rewrite(mlir::Operation *op) = 0;
  /// Whether the operations to which `op` expanded are so many that fusion need not ask for each
  /// where it belongs.
  virtual bool shareKernel(mlir::Operation *op) const { return false; }
  /// The element types of a value's planes.
  virtual llvm::SmallVector<mlir::Type> elementTypes(mlir::Value value) const = 0;

private:
  bool concerns(mlir::Operation &op) const;

  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> planes;
  llvm::SmallVector<mlir::Operation *> rewritten;
  llvm::SmallVector<mlir::BlockArgument> oldArguments;
  int32_t expanded = 0; ///< operations of which many became
};

/// The functions that rewrite operations, each for a kind of them.
template <typename S> class RewriteTable {
public:
  using Rewrite = llvm::LogicalResult (*)(S &, mlir::Operation *);

  template <typename... Ops> void add(Rewrite rewrite) {
    ((entries[Ops::getOperationName()] = rewrite), ...);
  }
  std::optional<llvm::LogicalResult> apply(S &s, mlir::Operation *op) const {
    Rewrite rewrite = entries.lookup(op->getName().getStringRef());
    return rewrite ? std::optional(rewrite(s, op)) : std::nullopt;
  }

private:
  llvm::StringMap<Rewrite> entries;
};

/// Operations that are the same on each plane, and control flow and reducers on all of them.
const RewriteTable<Splitter> &sharedRewrites();
void addMovement(RewriteTable<Splitter> &table);
void addRegions(RewriteTable<Splitter> &table);

/// Whether an operation in `module` has wide elements.
bool hasWide(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Type)> isWide);

} // namespace systole::planes

#endif // SYSTOLE_COMPILER_LEGALIZE_PLANES_SPLITTER_H
