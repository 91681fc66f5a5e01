// The arrays that a program keeps in the memory of the host, while they are found.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTARRAYS_H
#define SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTARRAYS_H

#include "compiler/Legalize/Host/HostParts.h"
#include "compiler/Legalize/Host/HostValues.h"

#include "mlir/IR/Builders.h"

namespace systole {

/// The uses of one array of the host, under all names that it has.
struct HostUses {
  llvm::SmallVector<mlir::Operation *> parts; ///< slices, and updates of it
  bool isWhole = false;                       ///< it is copied as a whole, too
  std::optional<unsigned> result;             ///< the program returns it there
};

/// Those of the array that begins as `value`.
HostUses hostUsesOf(mlir::Value value);

class HostArrays {
public:
  struct Array {
    mlir::RankedTensorType type;
    kernel::HostMemory memory = kernel::HostMemory::pinned_host;
    int64_t argument = -1, result = -1;
    bool donated = false;
    /// Whether it consists of parts for the positions of its first dimension, which are copied one
    /// at a time.
    bool isParted = false;

    /// Whether the program may write it.
    bool isOwned() const { return argument < 0 || donated; }
  };

  unsigned add(Array array) {
    all.push_back(array);
    return all.size() - 1;
  }
  bool isEmpty() const { return all.empty(); }
  Array &operator[](unsigned number) { return all[number]; }
  /// The array of the program's result `number`, if there is one.
  std::optional<unsigned> ofResult(unsigned number) const;
  /// `arguments` and `results` are the entries of the program's signature for those of the
  /// function.
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> arguments,
                              llvm::ArrayRef<int64_t> results) const;

  /// Whether an array in this form can be used as `uses` says.
  static bool canUse(const Array &array, const HostUses &uses);
  /// Whether one copy can access a part.
  static bool canAccess(const Array &array, const HostPart &part);

  // Copies at `b`.
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, unsigned array) const;
  mlir::Value load(mlir::OpBuilder &b, mlir::Location loc, unsigned array) const;
  void storePart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, unsigned array,
                 const HostPart &part) const;
  mlir::Value loadPart(mlir::OpBuilder &b, mlir::Location loc, unsigned array,
                       const HostPart &part) const;

private:
  llvm::SmallVector<Array> all;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTARRAYS_H
