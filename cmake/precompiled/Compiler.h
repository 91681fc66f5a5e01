// The dialects, and the headers of MLIR that compiler files need with them, precompiled for all of these: reading their
// operations took most of the time of a file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cmake/precompiled/Base.h"
#include "cmake/precompiled/Dialects.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/Core/Core.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
