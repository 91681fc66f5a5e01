// Writes portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/WriteArtifact.h"

#include "compiler/Import/Artifact/Container.h"
#include "compiler/Import/Passes.h"
#include "dialects/VHLO/VHLO.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace systole {

/// Versions up to 1.9 have no file ranges: a range becomes its start.
static void narrowPlaces(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FileLineColRange range) -> Attribute {
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true);
}

LogicalResult writeArtifact(ModuleOp module, StringRef version, raw_ostream &out) {
  constexpr coded::Version kRanges = {1, 9};
  PassManager passes(module.getContext());
  StableHLOToVhloOptions options;
  options.version = version.str();
  passes.addPass(createVhloToStableHLO());
  passes.addPass(createStableHLOToVhlo(options));
  if (failed(passes.run(module)))
    return failure();
  // The pass has rejected invalid versions.
  coded::Version target = *vhlo::parseVersion(version);
  if (target < kRanges)
    narrowPlaces(module);
  std::string producer =
      (artifact::kProducer + Twine(target.major) + "." + Twine(target.minor) + ".0").str();
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(artifact::kNewestEncoding);
  return writeBytecodeToFile(module, out, config);
}

} // namespace systole
