# Compiler flags of the whole project.

# NDEBUG in every build type: without it Pass::Statistic has another size than
# in the packaged libMLIR. LLVM_ENABLE_RTTI is ON there, so RTTI stays on.
add_compile_definitions(NDEBUG)

# assert() and LLVM_DEBUG are active in spite of NDEBUG, also in the headers of LLVM and MLIR: see
# cmake/assertions/assert.h and compiler/Diagnostics/Debug.h. Of libstdc++ this is the part that
# changes no class.
option(SYSTOLE_ENABLE_ASSERTIONS "Check assertions, and offer -debug-only" OFF)
if(SYSTOLE_ENABLE_ASSERTIONS)
  include_directories(BEFORE "${CMAKE_SOURCE_DIR}/cmake/assertions")
  add_compile_definitions(SYSTOLE_ENABLE_ASSERTIONS _GLIBCXX_ASSERTIONS)
endif()

# Emulated arithmetic is defined operation by operation; a fused multiply-add
# only ever appears where the source says fma.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wno-unused-parameter
  # libstdc++ 12 itself uses declarations that it deprecates.
  -Wno-deprecated-declarations)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-fno-finite-math-only)
  # ccache can only reuse objects of a precompiled header without timestamps.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # Loops that ask for vectors get none under sanitizers.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    add_compile_options(-Wno-pass-failed)
  endif()
endif()

find_program(SYSTOLE_CCACHE ccache)
if(SYSTOLE_CCACHE)
  set(_ccache
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${SYSTOLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_ccache})
  set(CMAKE_C_COMPILER_LAUNCHER ${_ccache})
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld)
else()
  add_link_options(-fuse-ld=lld -B/usr/lib/llvm-22/bin)
endif()

find_program(SYSTOLE_OBJCOPY NAMES llvm-objcopy-22 llvm-objcopy HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
