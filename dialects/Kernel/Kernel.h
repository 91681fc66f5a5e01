// The `kernel` dialect: kernels over blocks in VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_KERNEL_H
#define SYSTOLE_DIALECTS_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kernel/Attributes.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Layout/RowLayout.h"
#include "dialects/StableHLO/OpKind.h"

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace systole::kernel {

/// How many arguments or results in a row hold one array: `element` is the attribute
/// `kernel.element` of the first one, if it has it.
unsigned planeCount(mlir::Attribute element);

/// Of a slice of `array` of shape `part` that is one run of rows, whole groups of eight logical
/// rows wherever it starts: by how many rows of 512 bytes it moves with its start in each
/// dimension.
std::optional<llvm::SmallVector<int64_t>> pitchesOfPart(mlir::RankedTensorType array,
                                                        llvm::ArrayRef<int64_t> part);

/// Rows of a column that is sorted, at least, and where it has several chunks.
constexpr int64_t kLeastSortedRows = kSublanes, kLeastChunkRows = 2 * kSublanes;

/// Whether DMA can copy blocks of shape `block` between an HBM array and VMEM. DMA
/// moves whole rows of 512 bytes, in which narrow elements pack several logical
/// rows: every run of rows of a block must start at such a row, in HBM and in VMEM,
/// and end at one or at the end of the array.
bool startsAtWholeRows(BufferType type, llvm::ArrayRef<int64_t> block);

/// Whether a VMEM buffer is whole groups of eight logical rows, without padding.
bool isWholeVectors(BufferType type);

/// Rows of 512 bytes that a tensor takes in VMEM as blocks of shape `block`, each by itself.
int64_t rowsInBlocks(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> block);

/// The entry of `kernel.vmem_plan` of that number; null if there is none.
PlacementAttr placementAt(mlir::Operation *op, int64_t number);

/// The values that plans of a fusion with this body number: its arguments, then the results of its
/// operations in order.
llvm::SmallVector<mlir::Value> numberedValues(mlir::Block &body);

/// Checks that the axes of a plan name dimensions of values in the fusion's body.
llvm::LogicalResult verifyPlan(FusionOp fusion, PlanAttr plan);

/// Check `kernel.transfers` and `kernel.host_arrays` of a module, `kernel.layouts` of an operation,
/// and the layout `name` of an argument or result of this type.
llvm::LogicalResult verifyTransfers(mlir::Operation *op, mlir::ArrayAttr transfers);
llvm::LogicalResult verifyHostArrays(mlir::Operation *op, mlir::ArrayAttr arrays);
llvm::LogicalResult verifyLayouts(mlir::Operation *op, mlir::ArrayAttr layouts);
llvm::LogicalResult verifyEntryLayout(mlir::Operation *op, mlir::Type type, llvm::StringRef name,
                                      LayoutAttr layout);

/// The arrays of the host of the module that `op` is or is in; null if there are none.
mlir::ArrayAttr hostArraysOf(mlir::Operation *op);

/// The regions of pinned memory that an array takes: one for each plane of its elements.
int32_t pinnedRegions(HostArrayAttr array);

/// The first of the regions of `array` in `kernel.pinned_plan`.
int32_t firstPinnedRegion(mlir::ArrayAttr arrays, int64_t array);

/// The name in the program of an array that is transferred over a channel.
std::string nameOfTransfer(TransferAttr transfer);

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_KERNEL_H
