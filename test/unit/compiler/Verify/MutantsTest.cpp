// The verifiers against damaged programs: each is refused, or its results have the same bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/compiler/Verify/Mutants.h"

#include "compiler/Emit/Emit.h"
#include "compiler/Import/ReadText.h"
#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Pipeline/Register.h"
#include "compiler/Pipeline/Signature.h"
#include "compiler/Tiling/Passes.h"
#include "compiler/Verify/VerifyCopies.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/Verify.h"
#include "runtime/Emulator/Emulator.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;

namespace systole {
namespace {

constexpr const char *kPrograms[] = {"scan",   "scan_gradient", "decode",     "branch",
                                     "layers", "gather",        "convolution"};
constexpr const char *kTargets[] = {"v2", "v3", "v5e"};

/// A program on its way to a machine.
class Compilation {
public:
  Compilation(const std::string &name, const std::string &targetName)
      : target(*Target::load(targetName)), context(registry(), MLIRContext::Threading::DISABLED),
        handler(&context, [](Diagnostic &) { return success(); }) {
    std::string path = std::string(SYSTOLE_INPUTS) + "/" + name + ".mlir";
    auto text = llvm::MemoryBuffer::getFile(path);
    kernels = readText((*text)->getBuffer(), name, context);
    EXPECT_TRUE(kernels && succeeded(run(*kernels, Level::Input, Level::Kernel))) << path;
  }

  OwningOpRef<ModuleOp> copyOfKernels() { return OwningOpRef<ModuleOp>(kernels->clone()); }

  bool isRefused(ModuleOp module) {
    PassManager passes(&context);
    passes.addPass(createVerifyResidency());
    return failed(mlir::verify(module)) || failed(passes.run(module));
  }

  /// Null if the program is refused.
  std::shared_ptr<Program> emit(ModuleOp module) {
    EmitOptions options;
    takeSignature(module, options.header, options.constants);
    if (failed(run(module, Level::Kernel, Level::Core)))
      return nullptr;
    placeSignature(module, options.header);
    machine::Statistics statistics;
    FailureOr<Program> program = emitProgram(module, target, std::move(options), statistics);
    return succeeded(program) ? std::make_shared<Program>(std::move(*program)) : nullptr;
  }

  const Target target;

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  LogicalResult run(ModuleOp module, Level from, Level to) {
    PassManager passes(&context);
    buildPipeline(passes, target, {}, from, to);
    return passes.run(module);
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> kernels;
};

/// The bits of all results, or what went wrong.
struct Outcome {
  std::string trap;
  std::vector<std::vector<uint8_t>> results;
  int64_t cycles = 0;

  bool operator==(const Outcome &other) const {
    return trap == other.trap && results == other.results;
  }
};

Outcome run(std::shared_ptr<const Program> program, const Target &target, int64_t maxCycles) {
  Outcome outcome;
  EmulatorOptions options;
  options.maxCycles = maxCycles;
  auto emulator = Emulator::create(program, target, options);
  if (!emulator.ok())
    return {std::string(emulator.status().message()), {}, 0};
  std::mt19937 random(1);
  for (const program::Tensor &argument : program->header.arguments()) {
    auto region = (*emulator)->writeHbm(argument.region());
    const bool isInteger = argument.dtype() == "i32", isNarrow = argument.dtype() == "bf16";
    for (size_t i = 0; i + 3 < region->size(); i += 4) {
      // Numbers up to 2 of few bits, and indices up to 7.
      float number = float(int(random() % 33) - 16) / 8;
      auto bits = isInteger ? uint32_t(random() % 8) : __builtin_bit_cast(uint32_t, number);
      if (isNarrow)
        bits = bits >> 16 | (bits & 0xffff0000);
      std::memcpy(region->data() + i, &bits, 4);
    }
  }
  auto stats = (*emulator)->run();
  if (!stats.ok())
    return {std::string(stats.status().message()), {}, 0};
  outcome.cycles = stats->cycles;
  for (const program::Tensor &result : program->header.results()) {
    auto region = (*emulator)->readHbm(result.region());
    // Without the padding of its rows.
    outcome.results.emplace_back(size_t(hostBytes(result)));
    fromDevice(result, region->data(), outcome.results.back().data());
  }
  return outcome;
}

bool isRefusedCode(const Program &program, const Target &target) {
  const Limits limits = target.limits();
  auto bundles = decodeProgram(program);
  return !bundles.ok() || !verifyProgram(program, limits, *bundles).ok() ||
         !verifyCopies(program, limits, *bundles).ok();
}

/// How many damages of a kind were refused, and what the others did.
struct Tally {
  int refused = 0, equal = 0, wrong = 0;
};

class Mutants : public testing::Test {
protected:
  void record(const std::string &level, const std::string &kind, bool isRefused,
              const Outcome &found, const Outcome &expected, const std::string &what) {
    Tally &tally = tallies[level + ": " + kind];
    if (isRefused) {
      ++tally.refused;
    } else if (found == expected) {
      ++tally.equal;
    } else {
      ++tally.wrong;
      ADD_FAILURE() << what << ": " << kind << " was accepted, and "
                    << (found.trap.empty() ? "results differ" : found.trap);
    }
  }

  void TearDown() override {
    Tally all;
    for (const auto &[kind, tally] : tallies) {
      std::printf("%-28s %4d refused, %4d with equal bits, %4d wrong\n", kind.c_str(),
                  tally.refused, tally.equal, tally.wrong);
      all = {all.refused + tally.refused, all.equal + tally.equal, all.wrong + tally.wrong};
    }
    std::printf("%-28s %4d refused, %4d with equal bits, %4d wrong\n", "all", all.refused,
                all.equal, all.wrong);
    EXPECT_GE(all.refused + all.equal + all.wrong, count());
    // Damages that nothing notices would test nothing.
    EXPECT_GE(all.refused, count() / 3);
  }

  static int count() {
    const char *text = std::getenv("SYSTOLE_MUTANTS");
    return text ? std::atoi(text) : 60;
  }
  static unsigned seed() {
    const char *text = std::getenv("SYSTOLE_SEED");
    return text ? unsigned(std::atoi(text)) : 45;
  }

  std::map<std::string, Tally> tallies;
};

TEST_F(Mutants, AreRefusedOrHarmless) {
  std::mt19937 random(seed());
  int done = 0;
  const int programs = int(std::size(kPrograms) * std::size(kTargets));
  for (int number = 0; done < count(); number = (number + 1) % programs) {
    const std::string name = kPrograms[size_t(number) / std::size(kTargets)],
                      target = kTargets[size_t(number) % std::size(kTargets)];
    Compilation compilation(name, target);
    auto intact = compilation.emit(*compilation.copyOfKernels());
    ASSERT_TRUE(intact) << name << " " << target;
    const Outcome expected = run(intact, compilation.target, 0);
    ASSERT_EQ(expected.trap, "") << name << " " << target;
    const int64_t most = 4 * expected.cycles + 100000;
    // A share for each program, of both levels.
    for (int tries = 0, share = count() / programs + 2; tries < 20 && share > 0; ++tries) {
      const std::string what = name + " on " + target;
      if (tries % 2 == 0) {
        OwningOpRef<ModuleOp> module = compilation.copyOfKernels();
        const std::string kind = damageKernels(*module, random);
        if (kind.empty())
          continue;
        std::shared_ptr<Program> program =
            compilation.isRefused(*module) ? nullptr : compilation.emit(*module);
        record("kernels", kind, !program,
               program ? run(program, compilation.target, most) : Outcome(), expected, what);
      } else {
        Program program = *intact;
        const std::string kind = damageCode(program, random);
        if (kind.empty())
          continue;
        const bool isRefused = isRefusedCode(program, compilation.target);
        record("code", kind, isRefused,
               isRefused ? Outcome()
                         : run(std::make_shared<Program>(program), compilation.target, most),
               expected, what);
      }
      ++done;
      --share;
    }
  }
}

} // namespace
} // namespace systole
