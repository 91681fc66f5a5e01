// The configuration of a Pallas kernel's call.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_MOSAIC_CONFIG_H
#define SYSTOLE_COMPILER_IMPORT_MOSAIC_CONFIG_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace systole {

/// Memories by the numbers that XLA gives them ("colors").
enum class MosaicMemory : int64_t {
  Hbm = 0,
  Vmem = 1,
  Semaphores = 2,
  Smem = 4,
  Host = 5,
  ScalarSemaphores = 8
};

/// The cost estimate that the author of a kernel gives (pl.CostEstimate).
struct MosaicCost {
  int64_t flops = 0;
  int64_t transcendentals = 0;
  int64_t bytesAccessed = 0;
  int64_t remoteBytesTransferred = 0;
};

/// An operand or result of the call that is to be in a given memory.
struct MosaicPlacement {
  int64_t index = 0;
  MosaicMemory memory = MosaicMemory::Hbm;
};

/// An option of XLA's compiler.
struct MosaicFlag {
  std::string name;
  std::variant<bool, int64_t, double> value;
};

/// The `backend_config` of `stablehlo.custom_call @tpu_custom_call`. What JAX leaves out has the
/// value that it stands for.
struct MosaicConfig {
  std::string body; ///< the bytes that readMosaic() reads
  bool hasCommunication = false;
  std::optional<int64_t> collectiveId; ///< kernels with the same one share a barrier semaphore
  std::optional<MosaicCost> cost;
  std::optional<int64_t> serializationFormat;
  bool needsHloPasses = false;
  bool needsLayoutPasses = false;
  std::vector<bool> allowInputFusion; ///< for each operand; empty: none
  std::optional<int64_t> internalScratchBytes;
  std::optional<int64_t> vmemLimitBytes;
  std::vector<MosaicPlacement> operandMemories, resultMemories;
  bool disableBoundsChecks = false;
  bool disableSemaphoreChecks = false;
  bool skipDeviceBarrier = false;
  bool shapeInvariantNumerics = true;
  std::vector<MosaicFlag> flags;
};

/// Parses the configuration. Keys that are not known are ignored, what is malformed is one error at
/// `loc`, and so is a kernel for a SparseCore.
mlir::FailureOr<MosaicConfig> readMosaicConfig(llvm::StringRef json, mlir::Location loc);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_MOSAIC_CONFIG_H
