// Source locations of HLO instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_LOCATIONS_H
#define SYSTOLE_COMPILER_IMPORT_HLO_LOCATIONS_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "mlir/IR/Location.h"

#include <vector>

namespace systole::hlo {

class Locations {
public:
  Locations(const StackFrameIndexProto &frames, mlir::MLIRContext *context);

  /// The framework's name of an operation with its source line or call stack; the instruction's own
  /// name if the framework gave none.
  mlir::Location of(const HloInstructionProto &instruction);

private:
  mlir::Location ofFrame(int32_t frame);

  const StackFrameIndexProto &frames;
  mlir::MLIRContext *context;
  std::vector<mlir::Attribute> known; // locations of frames
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_LOCATIONS_H
