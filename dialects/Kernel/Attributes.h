// The discardable attributes of the `kernel` dialect. The verifier refuses any other name with
// this prefix, and values of the wrong kind (Attributes.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_ATTRIBUTES_H
#define SYSTOLE_DIALECTS_KERNEL_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace systole::kernel {

using AttributeName = llvm::StringLiteral;

//===----------------------------------------------------------------------===//
// Arguments and results of the entry function
//===----------------------------------------------------------------------===//

/// The layout of the tensor: `#kernel.layout`.
inline constexpr AttributeName kLayoutAttr = "kernel.layout";
/// The layout in the caller's order of dimensions, once the dimensions of the function's own type
/// are in physical order: `#kernel.layout`.
inline constexpr AttributeName kEntryLayoutAttr = "kernel.entry_layout";
/// The element type of the caller's array, if it differs from that of the tensor, which is then a
/// plane of it, or its bytes: a type.
inline constexpr AttributeName kElementAttr = "kernel.element";
/// On a scalar: the dimension of the array before it whose size it is. The array is padded there.
inline constexpr AttributeName kDynamicDimAttr = "kernel.dynamic_dim";

//===----------------------------------------------------------------------===//
// Operations on tensors
//===----------------------------------------------------------------------===//

/// The layouts of the results, one for each: `#kernel.layout`.
inline constexpr AttributeName kLayoutsAttr = "kernel.layouts";
/// On a reduction: its order, `#kernel.order`.
inline constexpr AttributeName kOrderAttr = "kernel.order";
/// On a comparison in a combiner whose first arguments stand for elements that all come before
/// those of its second ones.
inline constexpr AttributeName kAscendingAttr = "kernel.ascending";
/// On a product: its left operand is the right one of the program. Passes are added in the order of
/// the program's product.
inline constexpr AttributeName kExchangedAttr = "kernel.exchanged";
/// On a product of f32: the MXUs take its operands in one pass, so that the sums of blocks of 128
/// of its depth are added one after the other however the depth is divided.
inline constexpr AttributeName kSinglePassAttr = "kernel.single_pass";
/// On a convolution over blocks of neighbouring positions: see `DepthBlocks`.
inline constexpr AttributeName kDepthBlocksAttr = "kernel.depth_blocks";
/// On elementwise work on one element for each row, which all lanes of the row have.
inline constexpr AttributeName kPerRowAttr = "kernel.per_row";
/// On an elementwise operation: it is one of many to which a single operation of the program
/// expanded. Fusion counts several of them as one. Those with the same number that stand one behind
/// the other share a kernel.
inline constexpr AttributeName kExpandedAttr = "kernel.expanded";
/// On a dynamic_slice, dynamic_update_slice or gather: "window" if it reaches its operand, which
/// then stays in HBM, through windows. Else the operand is in VMEM as a whole.
inline constexpr AttributeName kAccessAttr = "kernel.access";
/// The program asks the host to compute the operation, so its operands may be there.
inline constexpr AttributeName kHostComputeAttr = "kernel.host_compute";
/// On a copy to or from the host in a loop: it passes an array of its own in HBM, and is in flight
/// while the next trip runs.
inline constexpr AttributeName kStagedAttr = "kernel.staged";
/// On a fusion, and then on the call of its kernel: its number among the decisions of the report.
inline constexpr AttributeName kDecisionAttr = "kernel.decision";

//===----------------------------------------------------------------------===//
// Kernels and the program around them
//===----------------------------------------------------------------------===//

/// On a kernel: the program brings it along. Its blocks need not be all those of an array, and may
/// be visited several times.
inline constexpr AttributeName kMosaicAttr = "kernel.mosaic";
/// On a kernel: pairs of operands, of which the first one is written over the second one in some
/// call. Stages that write a block of the first one run behind those that read that of the second
/// one.
inline constexpr AttributeName kInPlaceAttr = "kernel.in_place";
/// On a `kernel.hbm`: from here on the buffer holds an array of unspecified elements.
inline constexpr AttributeName kUninitializedAttr = "kernel.uninitialized";

//===----------------------------------------------------------------------===//
// Modules of kernels
//===----------------------------------------------------------------------===//

/// Regions of HBM by their numbers, and of the host's pinned memory: `#kernel.hbm_region`.
inline constexpr AttributeName kHbmPlanAttr = "kernel.hbm_plan";
inline constexpr AttributeName kPinnedPlanAttr = "kernel.pinned_plan";
/// Rows of 512 bytes of HBM that the program takes.
inline constexpr AttributeName kHbmRowsAttr = "kernel.hbm_rows";
/// For each region of HBM a dictionary for memory reports.
inline constexpr AttributeName kAllocationsAttr = "kernel.allocations";
/// The placements of arrays that several kernels use in VMEM: `#kernel.placement`.
inline constexpr AttributeName kVmemPlanAttr = "kernel.vmem_plan";
/// Regions of HBM that hold constants, with their data: dictionaries.
inline constexpr AttributeName kConstantsAttr = "kernel.constants";
/// The type of the entry function.
inline constexpr AttributeName kSignatureAttr = "kernel.signature";
/// Regions of HBM of its arguments and results.
inline constexpr AttributeName kArgumentsAttr = "kernel.arguments";
inline constexpr AttributeName kResultsAttr = "kernel.results";
/// `kEntryLayoutAttr`, `kElementAttr` and `kDynamicDimAttr` of each, in the last two cases only if
/// one has them: the unit attribute and -1 stand for none.
inline constexpr AttributeName kArgumentLayoutsAttr = "kernel.argument_layouts";
inline constexpr AttributeName kResultLayoutsAttr = "kernel.result_layouts";
inline constexpr AttributeName kArgumentElementsAttr = "kernel.argument_elements";
inline constexpr AttributeName kResultElementsAttr = "kernel.result_elements";
inline constexpr AttributeName kArgumentSizesAttr = "kernel.argument_sizes";
inline constexpr AttributeName kResultSizesAttr = "kernel.result_sizes";
/// The first channel over which values are sent that are only looked at: from it on all are such.
inline constexpr AttributeName kFirstTapAttr = "kernel.first_tap";
/// The number of cores among which the program is divided.
inline constexpr AttributeName kCoresAttr = "kernel.cores";
/// Of each argument and result, if it is divided among cores, the shape of the whole, and then for
/// each core the position of its part, an index for each dimension; else nothing.
inline constexpr AttributeName kArgumentPartsAttr = "kernel.argument_parts";
inline constexpr AttributeName kResultPartsAttr = "kernel.result_parts";
/// Operations that each core executes on whole arrays, though their operands are divided: of each
/// its name and location.
inline constexpr AttributeName kWholeOperationsAttr = "kernel.whole_operations";
/// Transfers to and from the host: `#kernel.transfer`.
inline constexpr AttributeName kTransfersAttr = "kernel.transfers";
/// Arrays in the memory of the host: `#kernel.host_array`.
inline constexpr AttributeName kHostArraysAttr = "kernel.host_arrays";

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_ATTRIBUTES_H
