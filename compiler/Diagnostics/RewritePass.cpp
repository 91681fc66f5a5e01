// Notices whether a pass has changed a module.
// See docs/decisions/compile-time.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/RewritePass.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace systole {

namespace {

/// A hash of all that the verifier reads: the operations in their order, their operands,
/// attributes, properties, types and regions. Types and attributes are unique, so that of these and
/// of operations the addresses suffice. The pass manager keeps it from one pass to the next if that
/// has changed nothing.
class Fingerprint {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fingerprint)

  explicit Fingerprint(Operation *root) { add(*root); }

  bool operator==(const Fingerprint &other) const { return hash == other.hash; }

private:
  void add(uint64_t value) {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    hash = (llvm::rotl(hash, 29) ^ value) * kGoldenRatio;
  }

  void add(const void *address) { add(reinterpret_cast<uintptr_t>(address)); }

  void add(Operation &op) {
    add(&op);
    add(op.getName().getAsOpaquePointer());
    add(op.getRawDictionaryAttrs().getAsOpaquePointer());
    add(static_cast<uint64_t>(op.hashProperties()));
    add(op.getNumOperands());
    for (Value operand : op.getOperands())
      add(operand.getAsOpaquePointer());
    for (Type type : op.getResultTypes())
      add(type.getAsOpaquePointer());
    for (Block *successor : op.getSuccessors())
      add(successor);
    for (Region &region : op.getRegions()) {
      add(&region);
      for (Block &block : region)
        add(block);
    }
  }

  void add(Block &block) {
    add(&block);
    for (BlockArgument argument : block.getArguments()) {
      add(argument.getAsOpaquePointer());
      add(argument.getType().getAsOpaquePointer());
    }
    for (Operation &op : block)
      add(op);
  }

  uint64_t hash = 0;
};

} // namespace

void RewritePass::runOnOperation() {
  Fingerprint before = getAnalysis<Fingerprint>();
  rewrite();
  if (before == Fingerprint(getOperation()))
    markAllAnalysesPreserved();
}

} // namespace systole
