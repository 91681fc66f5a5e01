//===- Core.td - The instruction set -------------------------*- tablegen -*-===//
//
// All instructions of the machine, in the order of their opcodes. Opcodes are
// numbered per slot from 1 in this order; 0 is an empty slot.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_CORE_TD
#define SYSTOLE_DIALECTS_CORE_CORE_TD

include "dialects/Core/Scalar.td"
include "dialects/Core/Sequencer.td"
include "dialects/Core/Vector.td"
include "dialects/Core/Memory.td"
include "dialects/Core/CrossLane.td"
include "dialects/Core/Matrix.td"
include "dialects/Core/Pseudo.td"

#endif // SYSTOLE_DIALECTS_CORE_CORE_TD
