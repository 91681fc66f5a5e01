// The kinds of kernels that other parts than reports distinguish.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_KERNELKINDS_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_KERNELKINDS_H

namespace systole {

/// Kernels that the program brings along, and among them those that start copies, and wait for them,
/// themselves.
inline constexpr char kPallasKernel[] = "pallas", kOwnCopies[] = "pallas copies";

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_KERNELKINDS_H
