// Lists of devices that StableHLO's communication names.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_DEVICES_H
#define SYSTOLE_DIALECTS_STABLEHLO_DEVICES_H

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole::stablehlo {

/// The numbers of a list; of a splat a few suffice to find the duplicate.
llvm::SmallVector<int64_t> numbersOf(mlir::DenseIntElementsAttr list);

/// Checks that a list of device numbers is free of duplicates and negative numbers, but for those
/// that fill up the rows of smaller groups. Returns the number of devices.
mlir::FailureOr<int64_t> checkDevices(const Refusal &refuse, llvm::StringRef name,
                                      llvm::ArrayRef<int64_t> devices, bool isFilledUp);

/// The number of devices of a mesh.
uint64_t devicesOf(MeshAttr mesh);

/// The number of devices in each group, or in one with those that fill it up; unknown if a symbol
/// stands for the mesh.
std::optional<int64_t> groupSizeOf(mlir::Attribute groups);

/// Checks that the mesh of an operation's groups is a symbol's if it is named.
llvm::LogicalResult checkMeshSymbol(mlir::Operation *op, mlir::Attribute groups,
                                    mlir::SymbolTableCollection &symbols);

/// Checks that `source_target_pairs` has two columns, each of different devices.
llvm::LogicalResult checkDevicePairs(const Refusal &refuse, mlir::DenseIntElementsAttr pairs);

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_DEVICES_H
