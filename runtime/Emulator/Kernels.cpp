// Choice of the kernels' variant, scalar instructions, floating-point mode.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Kernels.h"

#include <cfenv>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SYSTOLE_VARIANT scalar
#include "runtime/Emulator/Cells.h"

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

uint32_t evaluateScalar(isa::Opcode opcode, uint32_t a0, uint32_t a1, uint32_t a2) {
  using namespace scalar;
#define SYSTOLE_SCALAR_ARGUMENTS1(x) [[maybe_unused]] uint32_t x = a0;
#define SYSTOLE_SCALAR_ARGUMENTS2(x, y) SYSTOLE_SCALAR_ARGUMENTS1(x) uint32_t y = a1;
#define SYSTOLE_SCALAR_ARGUMENTS3(x, y, z) SYSTOLE_SCALAR_ARGUMENTS2(x, y) uint32_t z = a2;
#define SYSTOLE_SCALAR_PICK(_1, _2, _3, name, ...) name
#define SYSTOLE_SCALAR_ARGUMENTS(...)                                                              \
  SYSTOLE_SCALAR_PICK(__VA_ARGS__, SYSTOLE_SCALAR_ARGUMENTS3, SYSTOLE_SCALAR_ARGUMENTS2,           \
                      SYSTOLE_SCALAR_ARGUMENTS1)(__VA_ARGS__)
#define SYSTOLE_SCALAR_OP(opcode, params, expr)                                                    \
  case isa::Opcode::opcode: {                                                                      \
    SYSTOLE_SCALAR_ARGUMENTS params return expr;                                                   \
  }
  switch (opcode) {
#include "dialects/Machine/InstructionSet/IsaSemantics.inc"
  default:
    return 0;
  }
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
