// Reads XLA's HLO modules, as protos or as text.
// See docs/decisions/importers.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/ReadHlo.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Hlo/Emitter.h"
#include "compiler/Import/Hlo/ReadProto.h"
#include "compiler/Import/Hlo/Sharding.h"
#include "compiler/Import/Hlo/Text.h"
#include "compiler/Import/Hlo/WrapAsync.h"
#include "compiler/Import/SourceText.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace systole {

using namespace hlo;

namespace {

/// Why a module is not converted although each of its instructions could be.
std::optional<std::string> refusalOf(const Source &source) {
  uint64_t devices = devicesOf(source.module.spmd_output_sharding());
  for (const OpSharding &sharding : source.module.spmd_parameters_shardings())
    devices = std::max(devices, devicesOf(sharding));
  if (devices > 1)
    return "the program is divided among " + std::to_string(devices) +
           " devices, which is not supported yet";
  return std::nullopt;
}

/// Prepends the instruction's name to a diagnostic.
void emitAbout(Diagnostic &diagnostic, const HloInstructionProto *instruction) {
  Location location = diagnostic.getLocation();
  InFlightDiagnostic error = categoryOf(diagnostic) == ErrorCategory::Unimplemented
                                 ? emitUnimplemented(location)
                                 : emitError(location);
  if (instruction)
    error << "instruction '" << instruction->name() << "': ";
  error << diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    error.attachNote(note.getLocation()) << note.str();
}

OwningOpRef<ModuleOp> import(const Source &source, Location file, MLIRContext &context) {
  if (std::optional<std::string> refusal = refusalOf(source)) {
    emitUnimplemented(file) << *refusal;
    return nullptr;
  }
  Graph graph;
  if (!graph.build(source.module)) {
    emitError(file) << graph.error();
    return nullptr;
  }
  context.loadDialect<func::FuncDialect, stablehlo::StableHLODialect, chlo::CHLODialect>();
  OwningOpRef<ModuleOp> made(ModuleOp::create(file, StringRef(source.module.name())));
  Builder builder(&context);
  for (auto [name, count] : {std::pair("mhlo.num_replicas", source.replicas),
                             {"mhlo.num_partitions", source.partitions}})
    if (count > 1)
      (*made)->setAttr(name, builder.getI64IntegerAttr(count));
  Emitter emitter(graph, source.module, *made);
  std::optional<Diagnostic> refused;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (!refused && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        refused = std::move(diagnostic);
    });
    if (succeeded(emitter.run()) && succeeded(verify(*made)))
      return made;
  }
  if (refused)
    emitAbout(*refused, emitter.current());
  else
    emitError(file) << "the file is malformed";
  return nullptr;
}

} // namespace

bool isHloText(StringRef bytes) {
  while (true) {
    bytes = bytes.ltrim();
    if (bytes.starts_with("//"))
      bytes = bytes.drop_until([](char c) { return c == '\n'; });
    else if (bytes.starts_with("/*"))
      bytes = bytes.split("*/").second;
    else
      return bytes.consume_front("HloModule") && !bytes.empty() &&
             (isspace(uint8_t(bytes.front())) || bytes.front() == ',');
  }
}

OwningOpRef<ModuleOp> readHlo(StringRef bytes, StringRef fileName, MLIRContext &context) {
  // Line 0 stands for the whole file.
  Location file = FileLineColLoc::get(&context, fileName, 0, 0);
  Source source;
  if (isHloText(bytes)) {
    if (auto error = parseText(bytes, fileName, source)) {
      auto [line, column] = lineAndColumn(bytes, error->offset);
      emitError(FileLineColLoc::get(&context, fileName, line, column)) << error->message;
      return nullptr;
    }
  } else if (std::string reason = parseProto(bytes, source); !reason.empty()) {
    emitError(file) << reason;
    return nullptr;
  }
  wrapAsync(source.module);
  return import(source, file, context);
}

} // namespace systole
