// Reports the result and cost of each pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/PassReport.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <optional>

using namespace mlir;

namespace systole {

class PassReport::Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(PassReport &report) : options(report.options), number(report.number) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!isReported(pass))
      return;
    if (options.timing)
      operations = count(op);
    if (options.changes)
      fingerprint.emplace(op);
    start = std::chrono::steady_clock::now();
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isReported(pass))
      return;
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ++number;
    if (options.timing)
      llvm::errs() << llvm::format("%-28s %9.2f ms %9lld -> %9lld ops %8.0f ns/op\n",
                                   pass->getArgument().str().c_str(), seconds.count() * 1e3,
                                   static_cast<long long>(operations),
                                   static_cast<long long>(count(op)),
                                   seconds.count() * 1e9 / std::max<int64_t>(operations, 1));
    if (options.changes)
      *options.changes << pass->getArgument()
                       << (*fingerprint == OperationFingerPrint(op) ? " unchanged\n"
                                                                    : " changed\n");
    if (!options.irDirectory.empty())
      dump(pass->getArgument(), op);
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override { runAfterPass(pass, op); }

private:
  /// The adaptor of a nested pipeline is not a pass of its own, and the target is no step of it.
  static bool isReported(Pass *pass) {
    return !pass->getArgument().empty() && pass->getArgument() != "systole-set-target";
  }

  static int64_t count(Operation *op) {
    int64_t result = 0;
    op->walk([&](Operation *) { ++result; });
    return result;
  }

  void dump(StringRef pass, Operation *op) {
    pass.consume_front("systole-");
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, OpPrintingFlags().enableDebugInfo());
    writeIrFile(options.irDirectory, llvm::formatv("{0,0+2}-{1}.mlir", number, pass).str(), text);
  }

  const PassReportOptions &options;
  int &number;
  int64_t operations = 0;
  std::optional<OperationFingerPrint> fingerprint; ///< of the IR before the pass
  std::chrono::steady_clock::time_point start;
};

void PassReport::attach(PassManager &passes) {
  if (options.timing || options.changes || !options.irDirectory.empty())
    passes.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

void writeIrFile(StringRef directory, StringRef name, StringRef text) {
  std::error_code error = llvm::sys::fs::create_directories(directory);
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << text;
  }
  if (error)
    llvm::errs() << "warning: cannot write " << path << ": " << error.message() << '\n';
}

} // namespace systole
