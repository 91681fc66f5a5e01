// Verifies copies in flight and sync flags of an emitted program, callees before their callers.
// See docs/decisions/errors-and-verification.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/VerifyCopies.h"

#include "compiler/Verify/RelevantScalars.h"
#include "compiler/Verify/RoutineVerifier.h"
#include "compiler/Verify/VerifyOverlays.h"
#include "dialects/Machine/Program/VerifyParts.h"

#include "llvm/ADT/STLExtras.h"

#include "absl/strings/str_cat.h"

namespace systole {
namespace verify {
namespace {

class CopyVerifier {
public:
  CopyVerifier(const Program &program, const Limits &limits, std::span<const isa::Bundle> bundles)
      : program(program), limits(limits), bundles(bundles),
        summaries(size_t(program.header.routines_size())),
        isDone(size_t(program.header.routines_size())) {}

  absl::Status verify(int32_t number) {
    if (isDone[size_t(number)])
      return absl::OkStatus();
    isDone[size_t(number)] = true;
    const program::Routine &routine = program.header.routines(number);
    const program::Range &range = routine.bundles();
    const std::vector<int32_t> callees = calleesOf(range);
    for (int32_t callee : callees)
      if (absl::Status status = verify(callee); !status.ok())
        return status;
    RoutineTree tree = buildRoutineTree(program, bundles, routine);
    markRelevantScalars(program, tree);
    RoutineVerifier verifier(program.header, summaries);
    absl::Status status = verifier.verify(tree, range.end());
    summaries[size_t(number)] = verifier.summary();
    for (int32_t callee : callees)
      includeRegions(summaries[size_t(number)], summaries[size_t(callee)]);
    if (absl::IsResourceExhausted(status)) {
      result.unverified.push_back(routine.name());
      return absl::OkStatus();
    }
    if (status.ok() && verifier.summary().copies > limits.dmaQueueDepth)
      return absl::InternalError(
          absl::StrCat("routine `", routine.name(), "` has ", verifier.summary().copies,
                       " copies in flight; the queue holds ", limits.dmaQueueDepth));
    return status;
  }

  CopyVerification result;

private:
  std::vector<int32_t> calleesOf(const program::Range &range) const {
    std::vector<int32_t> callees;
    for (int64_t at = range.begin(); at < range.end(); ++at)
      if (const isa::Bundle &bundle = bundles[size_t(at)];
          blocksOf(bundle).opcode == isa::Opcode::call &&
          !llvm::is_contained(callees, bundle.insts[0].operands[0].value))
        callees.push_back(bundle.insts[0].operands[0].value);
    return callees;
  }

  static void includeRegions(RoutineSummary &caller, const RoutineSummary &callee) {
    for (RegionUse use : callee.regions)
      if (!llvm::is_contained(caller.regions, use))
        caller.regions.push_back(use);
  }

  const Program &program;
  const Limits &limits;
  std::span<const isa::Bundle> bundles;
  std::vector<RoutineSummary> summaries;
  std::vector<bool> isDone;
};

} // namespace
} // namespace verify

absl::StatusOr<CopyVerification> verifyCopies(const Program &program, const Limits &limits,
                                              std::span<const isa::Bundle> bundles) {
  verify::CopyVerifier verifier(program, limits, bundles);
  for (int32_t number = 0; number < program.header.routines_size(); ++number)
    if (absl::Status status = verifier.verify(number); !status.ok())
      return status;
  if (absl::Status status = verify::verifyOverlays(program, bundles); !status.ok())
    return status;
  return verifier.result;
}

} // namespace systole
