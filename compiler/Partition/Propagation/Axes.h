// Arithmetic on axes of a mesh and parts of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_AXES_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_AXES_H

#include "compiler/Partition/Mesh.h"

namespace systole::partition {

/// Axes along which one dimension is divided, the major one first.
using AxisList = llvm::SmallVector<AxisPart, 2>;

/// The number of positions of an axis down to the end of a part.
inline int64_t endOf(const AxisPart &part) { return part.before * part.size; }

/// Whether all positions of `inner` are within those of `outer`.
bool contains(const AxisPart &outer, const AxisPart &inner);
/// Whether `part` is the major part of `whole`, or equal to it.
bool isPrefixOf(const AxisPart &part, const AxisPart &whole);

/// The longest major part of `part` that has nothing in common with any of `others`.
std::optional<AxisPart> prefixWithout(AxisPart part, llvm::ArrayRef<AxisPart> others);

/// Appends a part; one that continues the last of the list is merged with it.
void appendMerged(AxisList &list, const AxisPart &part);

/// Whether `first` continues with something else to become `second`, or `orEqual` equals it.
bool isListPrefix(llvm::ArrayRef<AxisPart> first, llvm::ArrayRef<AxisPart> second, bool orEqual);

/// The order of axes in a mesh, and of parts within an axis.
void sortByMesh(llvm::SmallVectorImpl<AxisPart> &list, const Mesh &mesh);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_AXES_H
