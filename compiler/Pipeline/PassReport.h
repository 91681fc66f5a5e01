// Reports the result and cost of each pass: IR files, a table, and which passes changed the IR.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_PASSREPORT_H
#define SYSTOLE_COMPILER_PIPELINE_PASSREPORT_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace systole {

struct PassReportOptions {
  /// Directory for one numbered file per pass; "" for none.
  std::string irDirectory;
  /// Print operations, time and ns per operation of each pass to stderr.
  bool timing = false;
  /// Takes a line for each pass: its name, and "changed" or "unchanged". Null for none.
  llvm::raw_ostream *changes = nullptr;
};

/// Instruments the passes of one compilation, over several pass managers.
class PassReport {
public:
  explicit PassReport(PassReportOptions options) : options(std::move(options)) {}

  /// Adds the instrumentation that the options request to `passes`, which this must outlive.
  void attach(mlir::PassManager &passes);

private:
  class Instrumentation;

  PassReportOptions options;
  int number = 0; ///< of the last pass
};

/// Writes `text` to the file `name` in `directory`, which is created if needed. A failure is only a
/// warning.
void writeIrFile(llvm::StringRef directory, llvm::StringRef name, llvm::StringRef text);

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_PASSREPORT_H
