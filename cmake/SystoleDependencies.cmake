# All dependencies of Systole, found in one place. third_party/README.md lists
# the packages, and scripts/setup.sh installs them.

find_package(MLIR 22.1 REQUIRED CONFIG
             HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# The directory property, not a target property, is what tablegen() reads.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})

find_package(Protobuf REQUIRED)
find_package(absl REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
if(SYSTOLE_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
endif()

# Debian's CMake file of libzip names tools that are in another package.
find_path(LIBZIP_INCLUDE_DIR zip.h REQUIRED)
find_library(LIBZIP_LIBRARY zip REQUIRED)
add_library(libzip::zip UNKNOWN IMPORTED)
set_target_properties(libzip::zip PROPERTIES
  IMPORTED_LOCATION "${LIBZIP_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LIBZIP_INCLUDE_DIR}")

# The C interface of plugins, from the PyPI package that contains it: in .deps, where
# scripts/setup.sh puts it, or importable by the Python that builds a wheel.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
          "from importlib.metadata import distribution as d; print(d('xla-cpu-pjrt').locate_file(''))"
  OUTPUT_VARIABLE _packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
# pip builds with packages in a temporary folder.
if(NOT EXISTS "${PJRT_INCLUDE_DIR}/pjrt_c_api.h")
  unset(PJRT_INCLUDE_DIR CACHE)
endif()
find_path(PJRT_INCLUDE_DIR pjrt_c_api.h REQUIRED
  HINTS "${CMAKE_SOURCE_DIR}/.deps/include" "${_packages}/xla_plugins/xla_cpu_pjrt/include")
