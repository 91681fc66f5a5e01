// StableHLO in, a machine program out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Compiler.h"

#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Import/Passes.h"
#include "compiler/Import/ReadArtifact.h"
#include "compiler/Import/ReadText.h"
#include "compiler/Pipeline/CompileProgress.h"
#include "compiler/Pipeline/Division.h"
#include "compiler/Pipeline/PassReport.h"
#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Pipeline/Register.h"
#include "compiler/Pipeline/Signature.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Machine/Program/Disassembler.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include <chrono>

using namespace mlir;

namespace systole {

namespace {

/// Renders the first error and its notes, a line each, with the location first: later errors are
/// mostly its consequences.
class DiagnosticText {
public:
  DiagnosticText(MLIRContext *context, StringRef fileName)
      : fileName(fileName.str()), handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !text.empty())
            return success();
          category = categoryOf(diagnostic);
          // A user's program has been verified: what a pass made of it is wrong.
          if (isOwnIr && category == ErrorCategory::InvalidInput && isOperationError(diagnostic))
            category = ErrorCategory::Internal;
          append(diagnostic, "error");
          for (Diagnostic &note : diagnostic.getNotes())
            append(note, "note");
          return success();
        }) {}

  /// From now on the IR is what passes have made, no program of a user.
  void expectOwnIr() { isOwnIr = true; }

  absl::Status status() const {
    std::string message = text.empty() ? "compilation failed" : text;
    switch (category) {
    case ErrorCategory::InvalidInput:
      return absl::InvalidArgumentError(message);
    case ErrorCategory::Unimplemented:
      return absl::UnimplementedError(message);
    case ErrorCategory::ResourceExhausted:
      return absl::ResourceExhaustedError(message);
    case ErrorCategory::Internal:
      return absl::InternalError(message);
    }
    llvm_unreachable("unknown category");
  }

private:
  void append(Diagnostic &diagnostic, StringRef severity) {
    if (!text.empty())
      text += '\n';
    // If producers omit lines, only the file and their name of the operation are
    // known.
    std::string line = sourceLine(diagnostic.getLocation());
    auto named = diagnostic.getLocation()->findInstanceOf<NameLoc>();
    if (line.empty())
      line = fileName + (named ? " ('" + named.getName().str() + "')" : "");
    text += line + ": ";
    text += (severity + ": ").str() + diagnostic.str();
  }

  std::string fileName, text;
  ErrorCategory category = ErrorCategory::InvalidInput;
  bool isOwnIr = false;
  ScopedDiagnosticHandler handler;
};

/// The context of a single compilation.
struct Context : MLIRContext {
  Context() : MLIRContext(dialects(), Threading::DISABLED) {
    // Printing a whole function after an error would hide it; `--dump-ir` shows the IR.
    printOpOnDiagnostic(false);
  }

private:
  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
};

/// Reports each pass to `options.progress`. After a cancellation, skips the remaining passes and
/// the actions by which isCancelled() polls.
void watchPasses(MLIRContext &context, const CompileOptions &options) {
  if (!options.isCancelled && !options.progress)
    return;
  context.registerActionHandler([isCancelled = options.isCancelled, progress = options.progress](
                                    function_ref<void()> run, const tracing::Action &action) {
    auto *execution = llvm::dyn_cast<PassExecutionAction>(&action);
    if (isCancelled && (execution || llvm::isa<PollAction>(action)) && isCancelled())
      return;
    if (execution) {
      // The adaptor of a nested pipeline has no name.
      StringRef name = execution->getPass().getArgument();
      if (progress && !name.empty())
        progress->setPass(name);
    }
    run();
  });
}

/// Notes when each kernel is called.
void takeSteps(ModuleOp module, Decisions &decisions) {
  module.walk([&](kernel::CallOp call) {
    if (auto number = call->getAttrOfType<IntegerAttr>(kernel::kDecisionAttr))
      decisions[number.getInt()].step = call.getStep().value_or(0);
    call->removeAttr(kernel::kDecisionAttr);
  });
}

OwningOpRef<ModuleOp> read(StringRef source, StringRef fileName, MLIRContext &context) {
  if (isBytecode(source))
    return readArtifact(source, fileName, context);
  return isHloProto(source) || isHloText(source) ? readHlo(source, fileName, context)
                                                 : readText(source, fileName, context);
}

void setEntryAttributes(ModuleOp module, const EntryAttributes &attributes) {
  Builder b(module.getContext());
  auto setLayouts = [&](StringRef name, ArrayRef<std::vector<int64_t>> orders) {
    SmallVector<Attribute> layouts;
    for (const std::vector<int64_t> &order : orders)
      layouts.push_back(b.getIndexTensorAttr(order));
    module->setAttr(name, b.getArrayAttr(layouts));
  };
  setLayouts("mhlo.xla_entry_computation_parameter_layouts", attributes.argumentLayouts);
  setLayouts("mhlo.xla_entry_computation_result_layout", attributes.resultLayouts);
  if (!attributes.parameterShardings.empty())
    module->setAttr("mhlo.spmd_parameters_shardings",
                    b.getStrArrayAttr(SmallVector<StringRef>(attributes.parameterShardings.begin(),
                                                             attributes.parameterShardings.end())));
  if (!attributes.outputSharding.empty())
    module->setAttr("mhlo.spmd_output_sharding", b.getStringAttr(attributes.outputSharding));
}

std::string shapesAsJson(const std::optional<std::vector<std::vector<int64_t>>> &shapes) {
  std::string text;
  if (shapes)
    llvm::raw_string_ostream(text) << llvm::json::Value(*shapes);
  return text;
}

} // namespace

absl::StatusOr<std::string> toStableHLO(StringRef source, StringRef fileName,
                                        const EntryAttributes *attributes, const Target *slice) {
  Context context;
  DiagnosticText diagnostics(&context, fileName);
  OwningOpRef<ModuleOp> module = read(source, fileName, context);
  if (!module)
    return diagnostics.status();
  PassManager passes(&context);
  auto partitions = (*module)->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  if (slice && partitions && partitions.getInt() > 1) {
    buildSpmdPipeline(passes, *slice, {});
    passes.addPass(createRaiseTransfers());
    passes.addPass(createRaiseMosaicCalls());
  } else {
    passes.addPass(createVhloToStableHLO());
    passes.addPass(createDropShardings());
  }
  if (failed(passes.run(*module)))
    return diagnostics.status();
  for (NamedAttribute attribute : llvm::to_vector((*module)->getDiscardableAttrs()))
    if (attribute.getName().strref().starts_with("kernel."))
      (*module)->removeDiscardableAttr(attribute.getName());
  if (attributes)
    setEntryAttributes(*module, *attributes);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

absl::Status checkPrecision(StringRef precision, StringRef what) {
  if (precisionFromName(precision))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      (what + " is '" + precision + "'; it can be default, high or highest").str());
}

absl::Status checkFrom(StringRef level, StringRef what) {
  std::optional<Level> found = levelFromName(level);
  if (found && *found <= Level::Fusion)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      (what + " is '" + level + "'; it can be input, graph, layout or fusion").str());
}

/// Compiles with or without optimizations across kernels, within a budget for code.
static absl::StatusOr<Program> compileOnce(StringRef source, StringRef fileName,
                                           const Target &target, const CompileOptions &options,
                                           bool crossKernel, const CodeBudget &budget,
                                           CodeShortage &shortage) {
  if (absl::Status status = checkPrecision(options.precision, "the precision"); !status.ok())
    return status;
  if (absl::Status status = checkFrom(options.from, "the level"); !status.ok())
    return status;

  if (!options.dumpIrDir.empty()) {
    std::error_code error = llvm::sys::fs::create_directories(options.dumpIrDir);
    if (!error && !llvm::sys::fs::is_directory(options.dumpIrDir))
      error = std::make_error_code(std::errc::not_a_directory);
    if (error)
      return absl::InvalidArgumentError(options.dumpIrDir +
                                        ": cannot hold the IR: " + error.message());
  }
  std::optional<llvm::raw_fd_ostream> passChanges;
  if (!options.passChangesFile.empty()) {
    std::error_code error;
    passChanges.emplace(options.passChangesFile, error);
    if (error)
      return absl::InvalidArgumentError(options.passChangesFile +
                                        ": cannot be written: " + error.message());
  }
  Context context;
  watchPasses(context, options);
  DiagnosticText diagnostics(&context, fileName);
  auto isCancelled = [&] { return options.isCancelled && options.isCancelled(); };
  // After a cancellation the module is invalid, and its errors are irrelevant.
  auto failureStatus = [&]() -> absl::Status {
    return isCancelled() ? absl::CancelledError("the compilation was cancelled")
                         : diagnostics.status();
  };
  const Level from = *levelFromName(options.from);
  OwningOpRef<ModuleOp> module = from == Level::Input ? read(source, fileName, context)
                                                      : readTensorLevel(source, fileName, context);
  if (!module)
    return diagnostics.status();

  if (options.progress)
    options.progress->setModule(module->getName().value_or(""));

  PassReport report({options.dumpIrDir, options.timing, passChanges ? &*passChanges : nullptr});
  PipelineOptions pipeline{*precisionFromName(options.precision),
                           options.excessPrecision,
                           crossKernel,
                           budget,
                           options.decisions,
                           shapesAsJson(options.argumentShapes),
                           options.places,
                           options.divideOperations,
                           options.taps,
                           options.raise};
  auto run = [&](Level from, Level to) {
    PassManager passes(&context);
    report.attach(passes);
    buildPipeline(passes, target, pipeline, from, to);
    return failure(isCancelled() || failed(passes.run(*module)) || isCancelled());
  };
  EmitOptions emit;
  emit.backend.isCancelled = options.isCancelled;
  emit.backend.fuseLoops = crossKernel;
  emit.startsOverlaysEarly = crossKernel;
  emit.header.set_producer("systole");
  emit.header.set_name(fileName.str());
  emit.header.set_precision(options.precision);
  if (std::optional<StringRef> name = module->getName())
    emit.header.set_module(name->str());
  if (failed(run(from, Level::Graph)))
    return failureStatus();
  FailureOr<Division> division = takeDivision(*module, target, options);
  if (failed(division))
    return diagnostics.status();
  // IR of later levels may be written by hand.
  if (from < Level::Layout)
    diagnostics.expectOwnIr();
  const std::vector<bool> donated = donatedArguments(*module);
  if (failed(run(std::max(from, Level::Graph), Level::Kernel)))
    return failureStatus();
  if (options.decisions)
    takeSteps(*module, *options.decisions);
  takeSignature(*module, emit.header, emit.constants);
  for (auto [argument, isDonated] : llvm::zip_equal(*emit.header.mutable_arguments(), donated))
    argument.set_donated(isDonated);
  addHostArrays(*module, emit.header);
  if (failed(run(Level::Kernel, Level::Core)))
    return failureStatus();
  placeSignature(*module, emit.header);
  machine::Statistics statistics;
  if (options.progress)
    options.progress->setPass("scheduling");
  FailureOr<Program> program = emitProgram(*module, target, std::move(emit), statistics, &shortage);
  if (failed(program))
    return failureStatus();
  setDivision(*division, program->header);
  if (options.verifier)
    if (absl::Status status = options.verifier(*program); !status.ok())
      return status;
  if (options.timing)
    statistics.print(llvm::errs());
  if (!options.dumpIrDir.empty())
    writeIrFile(options.dumpIrDir, "program.sysasm", disassemble(*program));
  return std::move(*program);
}

/// A tighter budget for code that has exceeded one; nothing if there is none, or if code is no
/// shorter than with the budget `before`.
static std::optional<CodeBudget> tighter(CodeBudget budget, const CodeShortage &shortage,
                                         const CodeShortage &before, const Target &target) {
  // Steps of two groups of rows, and copies of six loads and stores.
  constexpr int mostHalvings = 4;
  if (shortage.bundles > 0) {
    const bool isShorter = before.bundles == 0 || shortage.bundles < before.bundles;
    return isShorter && ++budget.halvings <= mostHalvings ? std::optional(budget) : std::nullopt;
  }
  // With as many rows as they have taken, registers may take more: not again and again.
  const bool isFirst = before.spillRows == 0 || shortage.spillRows < before.spillRows;
  if (!isFirst || shortage.spillRows <= budget.spillRows ||
      shortage.spillRows > target.vmemRows() / 4)
    return std::nullopt;
  budget.spillRows = shortage.spillRows;
  return budget;
}

/// Compiles, with a tighter budget for code as long as that may help; otherwise the first error.
static absl::StatusOr<Program> compileWithin(StringRef source, StringRef fileName,
                                             const Target &target, const CompileOptions &options,
                                             bool crossKernel) {
  absl::StatusOr<Program> first = absl::UnknownError("not compiled");
  std::optional<CodeBudget> budget = CodeBudget();
  CodeShortage before;
  for (bool isFirst = true; budget; isFirst = false) {
    if (options.decisions)
      options.decisions->clear();
    CodeShortage shortage;
    absl::StatusOr<Program> program =
        compileOnce(source, fileName, target, options, crossKernel, *budget, shortage);
    if (program.ok() || absl::IsCancelled(program.status()) || absl::IsInternal(program.status()))
      return program;
    if (isFirst)
      first = std::move(program);
    budget = tighter(*budget, shortage, before, target);
    before = shortage;
    if (budget && options.timing)
      llvm::errs() << "compiled again, with a tighter budget for code (" << shortage.bundles
                   << " bundles)\n";
  }
  return first;
}

absl::StatusOr<Program> compile(StringRef source, StringRef fileName, const Target &target,
                                const CompileOptions &options) {
  auto start = std::chrono::steady_clock::now();
  absl::StatusOr<Program> program =
      compileWithin(source, fileName, target, options, options.crossKernel);
  if (options.crossKernel && absl::IsInternal(program.status())) {
    // A right program without optimizations across kernels is better than none.
    const std::string refusal(program.status().message());
    program = compileWithin(source, fileName, target, options, /*crossKernel=*/false);
    if (program.ok())
      program->header.set_verifier_refusal(refusal);
  }
  if (!program.ok())
    return program;
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  program->header.set_compile_seconds(seconds.count());
  return program;
}

} // namespace systole
