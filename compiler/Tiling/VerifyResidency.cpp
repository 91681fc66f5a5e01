// Verifies copies in flight and the contents of memory in the program around kernels.
//
// One walk over the structured control flow. Its state says of each flag which copy is in flight,
// and of each row of HBM and VMEM which array's contents it has. Both branches of a choice have to
// end with the same copies in flight, and an iteration with those with which it began.
// See docs/decisions/residency.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tiling/Passes.h"
#include "compiler/Tiling/RowAccesses.h"
#include "compiler/Tiling/RowOwners.h"
#include "dialects/Kernel/InPlace.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_VERIFYRESIDENCY
#include "compiler/Tiling/Passes.h.inc"

namespace {

/// A copy that has started and has not been waited for.
struct CopyInFlight {
  Operation *start;
  RowAccesses accesses;
};

struct State {
  std::map<int32_t, CopyInFlight> copies; ///< by flag
  RowOwners hbm, vmem;

  RowOwners *ownersIn(RowAccess::Memory memory) {
    return memory == RowAccess::hbm ? &hbm : memory == RowAccess::vmem ? &vmem : nullptr;
  }
  bool hasSameCopies(const State &other) const {
    return llvm::equal(copies, other.copies, [](const auto &a, const auto &b) {
      return a.first == b.first && a.second.accesses == b.second.accesses;
    });
  }
};

class ResidencyVerifier {
public:
  explicit ResidencyVerifier(ModuleOp module) : finder(module) {}

  LogicalResult run(func::FuncOp main) {
    State state;
    for (const RowAccess &access : finder.atEntry())
      state.hbm.set(access.first, access.end, access.owner);
    if (failed(verify(main.getBody().front(), state)))
      return failure();
    if (!state.copies.empty())
      return inFlight(main, "the end of the program", state);
    for (const RowAccess &result : finder.atExit())
      if (!state.hbm.areAll(result.first, result.end, result.owner))
        return emitInternal(main.getLoc())
               << "rows " << result.first << " to " << result.end
               << " of HBM end without the contents of array " << result.owner << ", a result";
    return success();
  }

private:
  LogicalResult verify(Block &block, State &state) {
    for (Operation &op : block)
      if (failed(verify(&op, state)))
        return failure();
    return success();
  }

  LogicalResult verify(Operation *op, State &state) {
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return verifyLoop(loop, state);
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return verifyChoice(choice, state);
    if (auto wait = dyn_cast<kernel::WaitOp>(op))
      return verifyWait(wait, state);
    RowAccesses accesses = finder.of(op);
    if (accesses.empty())
      return success();
    if (auto call = dyn_cast<kernel::CallOp>(op); call && failed(verifyCall(call, accesses, state)))
      return failure();
    if (failed(verifyAccesses(op, accesses, state)))
      return failure();
    if (auto flag = op->getAttrOfType<IntegerAttr>("flag"))
      return verifyStart(op, int32_t(flag.getInt()), std::move(accesses), state);
    for (const RowAccess &access : accesses)
      if (access.writes)
        state.ownersIn(access.memory)->set(access.first, access.end, access.owner);
    return success();
  }

  /// No row is accessed that a copy in flight accesses, unless both read it, and what is read has
  /// been written.
  LogicalResult verifyAccesses(Operation *op, const RowAccesses &accesses, State &state) {
    for (const RowAccess &access : accesses) {
      for (const auto &[flag, copy] : state.copies)
        for (const RowAccess &other : copy.accesses)
          if (access.conflicts(other)) {
            InFlightDiagnostic error = emitInternal(op->getLoc());
            error << describe(op, access) << " rows " << access.first << " to " << access.end
                  << " of " << nameOf(access.memory) << ", which a copy in flight "
                  << (other.writes ? "writes" : "reads");
            error.attachNote(copy.start->getLoc()) << "it starts here, with flag " << flag;
            return error;
          }
      const RowOwners *owners = access.writes ? nullptr : state.ownersIn(access.memory);
      if (!owners)
        continue;
      if (!owners->areAll(access.first, access.end, access.owner))
        return emitInternal(op->getLoc())
               << describe(op, access) << " rows " << access.first << " to " << access.end << " of "
               << nameOf(access.memory) << ", which do not have the contents of array "
               << access.owner << " there";
    }
    return success();
  }

  LogicalResult verifyStart(Operation *op, int32_t flag, RowAccesses accesses, State &state) {
    auto [it, isNew] = state.copies.try_emplace(flag, CopyInFlight{op, std::move(accesses)});
    if (!isNew) {
      InFlightDiagnostic error = emitInternal(op->getLoc())
                                 << "a copy starts with flag " << flag << ", which has another one";
      error.attachNote(it->second.start->getLoc()) << "it starts here";
      return error;
    }
    for (const RowAccess &access : it->second.accesses)
      if (RowOwners *owners = state.ownersIn(access.memory); owners && access.writes)
        owners->set(access.first, access.end, RowOwners::kNobody);
    return success();
  }

  LogicalResult verifyWait(kernel::WaitOp wait, State &state) {
    for (int32_t flag : wait.getFlags()) {
      auto it = state.copies.find(flag);
      if (it == state.copies.end())
        return emitInternal(wait.getLoc())
               << "waits for flag " << flag << ", with which no copy is in flight";
      for (const RowAccess &access : it->second.accesses)
        if (RowOwners *owners = state.ownersIn(access.memory); owners && access.writes)
          owners->set(access.first, access.end, access.owner);
      state.copies.erase(it);
    }
    return success();
  }

  /// The queue has room for the kernel's own copies. Where a kernel writes rows that it reads, both
  /// are the same blocks of one array, so that each is read before it is written.
  LogicalResult verifyCall(kernel::CallOp call, const RowAccesses &accesses, const State &state) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<kernel::FuncOp>(call, call.getCalleeAttr());
    if (int64_t(state.copies.size()) > int64_t(callee.getLoading()))
      return emitInternal(call.getLoc())
             << "@" << call.getCallee() << " leaves room in the queue for "
             << int64_t(callee.getLoading()) << " copies, and " << state.copies.size()
             << " are in flight";
    for (const RowAccess &write : accesses)
      for (const RowAccess &other : accesses) {
        if (!write.writes || &write == &other || write.operand == other.operand ||
            !write.overlaps(other))
          continue;
        // A kernel of the program has its own order of what it reads and writes of one array.
        if (callee->hasAttr(kernel::kMosaicAttr) && write.owner == other.owner)
          continue;
        if (other.writes || !isReadBefore(callee, other, write))
          return emitInternal(call.getLoc())
                 << "@" << call.getCallee() << " writes rows " << write.first << " to " << write.end
                 << " of " << nameOf(write.memory) << " as operand " << write.operand << ", and "
                 << (other.writes ? "writes" : "reads") << " them as operand " << other.operand;
      }
    return success();
  }

  static bool isReadBefore(kernel::FuncOp callee, const RowAccess &read, const RowAccess &write) {
    if (read.operand < 0 || write.operand < 0 || read.owner != write.owner)
      return false;
    auto from = cast<kernel::OperandAttr>(callee.getOperands()[read.operand]);
    auto to = cast<kernel::OperandAttr>(callee.getOperands()[write.operand]);
    // The first block of the next kernel is loaded while this one writes.
    if (from.getRole() == kernel::Role::prefetch)
      return false;
    // Code generation has to know, if the kernel is called so.
    if (from.getRole() == kernel::Role::in && to.getRole() == kernel::Role::out &&
        !llvm::is_contained(kernel::overwrittenBy(callee, write.operand), read.operand))
      return false;
    if (llvm::all_of(callee.getGrid(), [](int64_t extent) { return extent == 1; }))
      return true;
    return from.getBlock() == to.getBlock() && from.getMap() == to.getMap() && !from.isWindow() &&
           from.getRow() == to.getRow() &&
           callee.getOperandTypes()[read.operand] == callee.getOperandTypes()[write.operand];
  }

  LogicalResult verifyChoice(scf::IfOp choice, State &state) {
    State other = state;
    if (failed(verify(*choice.thenBlock(), state)))
      return failure();
    if (!choice.getElseRegion().empty() && failed(verify(*choice.elseBlock(), other)))
      return failure();
    if (!state.hasSameCopies(other))
      return emitInternal(choice.getLoc())
             << "branches end with different copies in flight: " << flagsOf(state) << " and "
             << flagsOf(other);
    state.hbm.join(other.hbm);
    state.vmem.join(other.vmem);
    return success();
  }

  LogicalResult verifyLoop(scf::WhileOp loop, State &state) {
    // An iteration begins with what the ones before it have written, too.
    loop->walk([&](Operation *op) {
      for (const RowAccess &access : finder.of(op))
        if (RowOwners *owners = state.ownersIn(access.memory); owners && access.writes)
          owners->setLater(access.first, access.end, access.owner);
    });
    const State entry = state;
    State next = state;
    if (failed(verify(*loop.getBeforeBody(), next)))
      return failure();
    state = next;
    if (failed(verify(*loop.getAfterBody(), next)))
      return failure();
    if (!llvm::equal(llvm::make_first_range(next.copies), llvm::make_first_range(entry.copies)))
      return emitInternal(loop.getLoc())
             << "an iteration begins and ends with different copies in flight: " << flagsOf(entry)
             << " and " << flagsOf(next);
    // What the first iteration finds in flight may be other copies with the same flags.
    if (next.hasSameCopies(entry))
      return success();
    State other = entry;
    other.copies = next.copies;
    if (failed(verify(*loop.getBeforeBody(), other)))
      return failure();
    state.copies = joined(state.copies, other.copies);
    return verify(*loop.getAfterBody(), other);
  }

  /// Copies that are in flight on one of two paths, with the same flags.
  static std::map<int32_t, CopyInFlight> joined(std::map<int32_t, CopyInFlight> copies,
                                                const std::map<int32_t, CopyInFlight> &others) {
    for (const auto &[flag, copy] : others)
      if (auto it = copies.find(flag); it != copies.end())
        llvm::append_range(it->second.accesses, copy.accesses);
    return copies;
  }

  LogicalResult inFlight(Operation *op, StringRef where, const State &state) {
    InFlightDiagnostic error = emitInternal(op->getLoc()) << "copies are in flight at " << where;
    for (const auto &[flag, copy] : state.copies)
      error.attachNote(copy.start->getLoc()) << "one starts here, with flag " << flag;
    return error;
  }

  static std::string flagsOf(const State &state) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << '[';
    llvm::interleaveComma(llvm::make_first_range(state.copies), stream);
    stream << ']';
    return text;
  }

  static StringRef nameOf(RowAccess::Memory memory) {
    return memory == RowAccess::hbm ? "HBM" : memory == RowAccess::vmem ? "VMEM" : "the host";
  }

  static std::string describe(Operation *op, const RowAccess &access) {
    std::string text;
    if (auto call = dyn_cast<kernel::CallOp>(op)) {
      text = ("@" + call.getCallee()).str();
      if (access.operand >= 0)
        text += " (operand " + std::to_string(access.operand) + ")";
    } else {
      text = op->getName().getStringRef().str();
    }
    return text + (access.writes ? " writes" : " reads");
  }

  RowAccessFinder finder;
};

struct VerifyResidency : impl::VerifyResidencyBase<VerifyResidency> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || failed(ResidencyVerifier(getOperation()).run(main)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace systole
