// Checks that the verifiers of several StableHLO operations share. Each
// diagnostic names the value and the rule that it violates.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_VERIFY_H
#define SYSTOLE_DIALECTS_STABLEHLO_VERIFY_H

#include "dialects/StableHLO/Window.h"
#include "mlir/IR/Block.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace systole::stablehlo {

/// Rejects an operation: called with the parts of a message, it emits
/// "'stablehlo.slice' op <message>" at the op's location and fails. Without a
/// location (types are being inferred on trial) it fails silently.
class Refusal {
public:
  Refusal(std::optional<mlir::Location> location, llvm::StringRef opName)
      : location(location), opName(opName) {}
  explicit Refusal(mlir::Operation *op);

  template <typename... Parts> llvm::LogicalResult operator()(Parts &&...parts) const {
    return mlir::emitOptionalError(location, "'", opName, "' op ", std::forward<Parts>(parts)...);
  }

private:
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
};

/// "[1, 2]", for messages.
std::string toText(llvm::ArrayRef<int64_t> values);

/// Checks that an array has one entry per dimension of `what` (an operand's or
/// result's name) of rank `rank`.
llvm::LogicalResult checkOnePerDim(const Refusal &refuse, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> values, llvm::StringRef what,
                                   int64_t rank);

/// Checks that an array lists dimensions of `what`, none of them twice.
llvm::LogicalResult checkDims(const Refusal &refuse, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> dims, llvm::StringRef what, int64_t rank);

/// Checks that an array ascends, strictly.
llvm::LogicalResult checkAscending(const Refusal &refuse, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> dims);

/// Checks that two arrays have no entry in common.
llvm::LogicalResult checkDisjoint(const Refusal &refuse, llvm::StringRef nameA,
                                  llvm::ArrayRef<int64_t> a, llvm::StringRef nameB,
                                  llvm::ArrayRef<int64_t> b);

/// Checks a region that combines two tuples of elements of `results` into one, which start as
/// elements of `inputs` and `inits`. `name` is the region's. The shapes of initial values, and of
/// the values that the region combines, are subsequences of `allowed`.
llvm::LogicalResult checkReducer(const Refusal &refuse, llvm::StringRef name, mlir::Block &region,
                                 mlir::TypeRange inputs, mlir::TypeRange inits,
                                 mlir::TypeRange results, llvm::ArrayRef<int64_t> allowed = {});

/// Checks that an attribute, if present, has a positive entry per dimension of `what`.
llvm::LogicalResult checkPositive(const Refusal &refuse, llvm::StringRef name, OptionalInts values,
                                  llvm::StringRef what, int64_t rank);
/// Checks that a padding, if present, has two entries per dimension of `what`.
llvm::LogicalResult checkPadding(const Refusal &refuse, mlir::DenseIntElementsAttr padding,
                                 llvm::StringRef what, int64_t rank);

/// Checks the inputs of an operation on several tensors: at least one, of one shape, and as many
/// as results.
llvm::LogicalResult checkInputs(const Refusal &refuse, mlir::TypeRange inputs, size_t results);

/// Checks that sums of products and their operands are all complex, or all of real numbers.
llvm::LogicalResult checkSameKind(const Refusal &refuse, mlir::RankedTensorType lhs,
                                  mlir::RankedTensorType rhs, mlir::RankedTensorType result);

/// Whether each dimension of a ranked tensor has a size or, in the type's encoding, a largest one.
bool isStaticOrBounded(mlir::Type type);

/// The elements of a value that is a constant of integers.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);

/// Checks that a result has the sizes of a shape that is an operand called `name`, if that is a
/// constant.
llvm::LogicalResult checkConstantShape(const Refusal &refuse, llvm::StringRef name,
                                       mlir::Value shape, mlir::RankedTensorType result);

/// The number of elements of a static shape; std::nullopt if it is 2^63 or more.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_VERIFY_H
