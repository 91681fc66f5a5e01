// Verifies copies in flight and sync flags of an emitted program, callees before their callers.
// See docs/decisions/errors-and-verification.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/VerifyCopies.h"

#include "compiler/Schedule/WorkerThreads.h"
#include "compiler/Verify/RelevantScalars.h"
#include "compiler/Verify/RoutineVerifier.h"
#include "compiler/Verify/VerifyOverlays.h"
#include "dialects/Machine/Program/VerifyParts.h"

#include "llvm/ADT/STLExtras.h"

#include "absl/strings/str_cat.h"

#include "dialects/Machine/Program/KernelKinds.h"
#include <algorithm>

#include <map>
#include <set>

namespace systole {
namespace verify {
namespace {

class CopyVerifier {
public:
  CopyVerifier(const Program &program, const Limits &limits, std::span<const isa::Bundle> bundles)
      : program(program), limits(limits), bundles(bundles),
        summaries(size_t(program.header.routines_size())),
        verdicts(size_t(program.header.routines_size())) {
    for (const program::Routine &routine : program.header.routines())
      callees.push_back(calleesOf(routine.bundles()));
    for (const program::Kernel &kernel : program.header.kernels())
      if (kernel.kind() == kOwnCopies)
        owners.insert(kernel.name());
  }

  /// Routines at one distance from those that call none are verified side by side.
  absl::StatusOr<CopyVerification> run() {
    std::map<int, std::vector<int32_t>> byDepth;
    std::vector<int> depths(callees.size(), kUnknownDepth);
    for (int32_t number = 0; number < int32_t(callees.size()); ++number)
      byDepth[depthOf(number, depths)].push_back(number);
    for (const auto &[depth, numbers] : byDepth) {
      std::vector<int64_t> lengths;
      for (int32_t number : numbers) {
        const program::Range &range = program.header.routines(number).bundles();
        lengths.push_back(range.end() - range.begin());
      }
      runOnThreads(lengths, [&, &numbers = numbers](size_t i) {
        verdicts[size_t(numbers[i])] = verify(numbers[i]);
      });
      for (int32_t number : numbers)
        if (const absl::Status &verdict = verdicts[size_t(number)];
            !verdict.ok() && !absl::IsResourceExhausted(verdict))
          return verdict;
    }
    CopyVerification result;
    for (const auto &[depth, numbers] : byDepth)
      for (int32_t number : numbers)
        if (absl::IsResourceExhausted(verdicts[size_t(number)]))
          result.unverified.push_back(program.header.routines(number).name());
    return result;
  }

private:
  static constexpr int kUnknownDepth = -1;

  /// The longest chain of calls. Verified programs have no recursion.
  int depthOf(int32_t number, std::vector<int> &depths) const {
    int &depth = depths[size_t(number)];
    if (depth == kUnknownDepth) {
      depth = 0;
      for (int32_t callee : callees[size_t(number)])
        depth = std::max(depth, 1 + depthOf(callee, depths));
    }
    return depth;
  }

  /// The verdict on a routine whose callees have one.
  absl::Status verify(int32_t number) {
    const program::Routine &routine = program.header.routines(number);
    RoutineTree tree = buildRoutineTree(program, bundles, routine);
    markRelevantScalars(program, tree);
    RoutineVerifier verifier(program.header, summaries);
    absl::Status status = verifier.verify(tree, routine.bundles().end());
    // Which semaphore a kernel waits for may follow from data: its faults are traps of the run.
    if (absl::IsInternal(status) && owners.contains(routine.name()))
      status = absl::ResourceExhaustedError(status.message());
    RoutineSummary summary = verifier.summary();
    // The copies that such a kernel starts itself may stall, those of others are counted.
    if (owners.contains(routine.name()))
      summary.copies = std::min(summary.copies, int32_t(limits.dmaQueueDepth));
    const int32_t copies = summary.copies;
    for (int32_t callee : callees[size_t(number)])
      includeRegions(summary, summaries[size_t(callee)]);
    summaries[size_t(number)] = std::move(summary);
    if (status.ok() && copies > limits.dmaQueueDepth)
      return absl::InternalError(absl::StrCat("routine `", routine.name(), "` has ", copies,
                                              " copies in flight; the queue holds ",
                                              limits.dmaQueueDepth));
    return status;
  }

  std::vector<int32_t> calleesOf(const program::Range &range) const {
    std::vector<int32_t> found;
    for (int64_t at = range.begin(); at < range.end(); ++at)
      if (const isa::Bundle &bundle = bundles[size_t(at)];
          blocksOf(bundle).opcode == isa::Opcode::call &&
          !llvm::is_contained(found, bundle.insts[0].operands[0].value))
        found.push_back(bundle.insts[0].operands[0].value);
    return found;
  }

  static void includeRegions(RoutineSummary &caller, const RoutineSummary &callee) {
    for (RegionUse use : callee.regions)
      if (!llvm::is_contained(caller.regions, use))
        caller.regions.push_back(use);
  }

  const Program &program;
  const Limits &limits;
  std::span<const isa::Bundle> bundles;
  std::vector<std::vector<int32_t>> callees; // by routine, as what follows
  std::vector<RoutineSummary> summaries;
  std::vector<absl::Status> verdicts;
  /// The routines of kernels that start copies and wait for them themselves.
  std::set<std::string> owners;
};

} // namespace
} // namespace verify

absl::StatusOr<CopyVerification> verifyCopies(const Program &program, const Limits &limits,
                                              std::span<const isa::Bundle> bundles) {
  absl::StatusOr<CopyVerification> result = verify::CopyVerifier(program, limits, bundles).run();
  if (!result.ok())
    return result;
  if (absl::Status status = verify::verifyOverlays(program, bundles); !status.ok())
    return status;
  return result;
}

} // namespace systole
