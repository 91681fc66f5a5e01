// Choice of the kernels' variant, and floating-point mode.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Vector/Kernels.h"

#include <cfenv>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace systole {

namespace kernels_portable {
extern const KernelTable table;
} // namespace kernels_portable
#ifdef SYSTOLE_X86_KERNELS
namespace kernels_avx2 {
extern const KernelTable table;
} // namespace kernels_avx2
namespace kernels_avx512 {
extern const KernelTable table;
} // namespace kernels_avx512
namespace kernels_bf16 {
const KernelTable *table();
} // namespace kernels_bf16
#endif

std::span<const KernelTable *const> runnableKernels() {
  static const std::vector<const KernelTable *> tables = [] {
    std::vector<const KernelTable *> found;
#ifdef SYSTOLE_X86_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd")) {
      if (__builtin_cpu_supports("avx512bf16") && kernels_bf16::table())
        found.push_back(kernels_bf16::table());
      found.push_back(&kernels_avx512::table);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      found.push_back(&kernels_avx2::table);
#endif
    found.push_back(&kernels_portable::table);
    return found;
  }();
  return tables;
}

const KernelTable &kernels() {
  static const KernelTable &best = *runnableKernels().front();
  return best;
}

#if defined(__x86_64__)
constexpr unsigned kFlushBits = 0x8040; // flush to zero, denormals are zero

FlushDenormals::FlushDenormals() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80 | kFlushBits); }
FlushDenormals::~FlushDenormals() { _mm_setcsr(unsigned(saved)); }
DefaultFloatingPoint::DefaultFloatingPoint() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
DefaultFloatingPoint::~DefaultFloatingPoint() { _mm_setcsr(unsigned(saved)); }
#elif defined(__aarch64__)
FlushDenormals::FlushDenormals() {
  asm volatile("mrs %0, fpcr" : "=r"(saved));
  asm volatile("msr fpcr, %0" : : "r"(uint64_t(1) << 24));
}
FlushDenormals::~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(saved)); }
DefaultFloatingPoint::DefaultFloatingPoint() {
  asm volatile("mrs %0, fpcr" : "=r"(saved));
  asm volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
}
DefaultFloatingPoint::~DefaultFloatingPoint() { asm volatile("msr fpcr, %0" : : "r"(saved)); }
#else
#error "no way is known to flush denormals on this host"
#endif

} // namespace systole
