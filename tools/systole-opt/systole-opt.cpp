// systole-opt: reads IR of any level, portable artifacts, HLO and Pallas kernels, runs passes on
// it, and prints it or writes a portable artifact.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Debug.h"
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Import/Mosaic/Config.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"
#include "compiler/Import/ReadArtifact.h"
#include "compiler/Import/ReadText.h"
#include "compiler/Import/WriteArtifact.h"
#include "compiler/Pipeline/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::cl::opt<std::string> emitArtifact(
    "emit-portable-artifact",
    llvm::cl::desc("Write a portable artifact for this version of StableHLO (such as 1.9.0) and "
                   "later instead of text"),
    llvm::cl::value_desc("version"));

static llvm::cl::opt<bool> mosaicBody(
    "systole-mosaic-body",
    llvm::cl::desc(
        "Read the module of a Pallas kernel in bytecode; of another program, a module of "
        "those of its kernels"));

#ifdef SYSTOLE_ENABLE_ASSERTIONS
static llvm::cl::list<std::string>
    debugOnly("debug-only", llvm::cl::CommaSeparated,
              llvm::cl::desc("Print the debug output of these passes and parts of the backend"),
              llvm::cl::value_desc("name"));

static void selectDebugOutput() {
  auto names = llvm::map_to_vector(debugOnly, [](const std::string &name) { return name.c_str(); });
  llvm::DebugFlag = !names.empty();
  llvm::setCurrentDebugTypes(names.data(), unsigned(names.size()));
}
#endif

static bool isHlo(llvm::StringRef bytes) {
  return systole::isHloProto(bytes) || systole::isHloText(bytes);
}

/// A context whose diagnostics are printed with the source lines.
struct Session {
  explicit Session(const DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED), handler(sources, &context) {}

  OwningOpRef<ModuleOp> read(const llvm::MemoryBuffer &input) {
    llvm::StringRef name = input.getBufferIdentifier();
    if (systole::isBytecode(input.getBuffer()))
      return systole::readArtifact(input.getBuffer(), name, context);
    return isHlo(input.getBuffer()) ? systole::readHlo(input.getBuffer(), name, context)
                                    : systole::readText(input.getBuffer(), name, context);
  }

  llvm::SourceMgr sources;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
};

/// The module of a kernel in bytecode, or one with the modules of all kernels that a program calls.
static OwningOpRef<ModuleOp> readKernels(const llvm::MemoryBuffer &input, Session &session) {
  Location file =
      FileLineColLoc::get(&session.context, input.getBufferIdentifier(), /*line=*/0, /*column=*/0);
  if (systole::isBytecode(input.getBuffer())) {
    FailureOr<OwningOpRef<ModuleOp>> kernel = systole::readMosaic(input.getBuffer(), file);
    return succeeded(kernel) ? std::move(*kernel) : nullptr;
  }
  OwningOpRef<ModuleOp> program = session.read(input);
  if (!program)
    return nullptr;
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(file);
  SymbolTable names(*kernels);
  WalkResult read = program->walk([&](Operation *op) {
    auto target = op->getAttrOfType<StringAttr>(systole::kCallTarget);
    auto json = op->getAttrOfType<StringAttr>("backend_config");
    if (!target || target.getValue() != "tpu_custom_call" || !json)
      return WalkResult::advance();
    FailureOr<systole::MosaicConfig> config = systole::readMosaicConfig(json, op->getLoc());
    if (failed(config))
      return WalkResult::interrupt();
    FailureOr<OwningOpRef<ModuleOp>> kernel = systole::readMosaic(config->body, op->getLoc());
    if (failed(kernel))
      return WalkResult::interrupt();
    // Kernels of one name get others.
    if (ModuleOp module = kernel->release(); module.getSymName())
      names.insert(module);
    else
      kernels->push_back(module);
    return WalkResult::advance();
  });
  return read.wasInterrupted() ? nullptr : std::move(kernels);
}

/// The text of a portable artifact or of HLO in StableHLO, or of Pallas kernels; MLIR's own
/// bytecode reader trusts its input. A text is returned as it is, if its aliases are within limits.
static std::unique_ptr<llvm::MemoryBuffer> textOf(std::unique_ptr<llvm::MemoryBuffer> input,
                                                  const DialectRegistry &registry) {
  Session session(registry);
  if (!mosaicBody && !systole::isBytecode(input->getBuffer()) && !isHlo(input->getBuffer()))
    return succeeded(systole::checkAliases(input->getBuffer(), input->getBufferIdentifier(),
                                           session.context))
               ? std::move(input)
               : nullptr;
  OwningOpRef<ModuleOp> module = mosaicBody ? readKernels(*input, session) : session.read(*input);
  if (!module)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return llvm::MemoryBuffer::getMemBufferCopy(text, input->getBufferIdentifier());
}

static LogicalResult writeArtifact(const llvm::MemoryBuffer &input, const MlirOptMainConfig &config,
                                   const DialectRegistry &registry, llvm::raw_ostream &out) {
  Session session(registry);
  OwningOpRef<ModuleOp> module = session.read(input);
  if (!module)
    return failure();
  PassManager passes(&session.context);
  if (failed(config.setupPassPipeline(passes)) || failed(passes.run(*module)))
    return failure();
  return systole::writeArtifact(*module, emitArtifact, out);
}

static LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  systole::registerAllDialects(registry);
  systole::registerAllPasses();
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "Systole's IR at every level, pass by pass\n", registry);
#ifdef SYSTOLE_ENABLE_ASSERTIONS
  selectDebugOutput();
#endif
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, inputName, outputName, registry);

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (emitArtifact.getNumOccurrences()) {
    if (failed(writeArtifact(*input, config, registry, output->os())))
      return failure();
  } else {
    input = textOf(std::move(input), registry);
    if (!input || failed(MlirOptMain(output->os(), std::move(input), registry, config)))
      return failure();
  }
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(run(argc, argv));
}
