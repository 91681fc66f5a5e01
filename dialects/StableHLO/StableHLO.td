// All of the StableHLO dialect, for the tools that read it whole (the reference
// documentation); each family of operations is compiled on its own.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "dialects/StableHLO/Attributes.td"
include "dialects/StableHLO/BatchNorm.td"
include "dialects/StableHLO/Binary.td"
include "dialects/StableHLO/Collectives.td"
include "dialects/StableHLO/Contraction.td"
include "dialects/StableHLO/ControlFlow.td"
include "dialects/StableHLO/Convolution.td"
include "dialects/StableHLO/Creation.td"
include "dialects/StableHLO/DataMovement.td"
include "dialects/StableHLO/Dynamic.td"
include "dialects/StableHLO/Grouping.td"
include "dialects/StableHLO/Indexing.td"
include "dialects/StableHLO/LinearAlgebra.td"
include "dialects/StableHLO/Random.td"
include "dialects/StableHLO/Reduction.td"
include "dialects/StableHLO/Selection.td"
include "dialects/StableHLO/Sorting.td"
include "dialects/StableHLO/Spectra.td"
include "dialects/StableHLO/Superseded.td"
include "dialects/StableHLO/Transfers.td"
include "dialects/StableHLO/Unary.td"
include "dialects/StableHLO/Windows.td"
