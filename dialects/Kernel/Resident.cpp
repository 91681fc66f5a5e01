// Arrays that VMEM keeps for several kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Resident.h"
#include "dialects/Kernel/SyncFlags.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::kernel;

// StableHLO is no dialect that this one depends on.
static bool isLoop(Operation *op) { return op->getName().getStringRef() == "stablehlo.while"; }

int64_t ResidentOp::getRows() {
  auto type = cast<RankedTensorType>(getType());
  return rowsInBlocks(type, getBlock());
}

Operation *ResidentOp::getLoop() {
  if (getResidency() == Residency::loop || getResidency() == Residency::carried) {
    Operation *next = getOperation();
    while (isa_and_nonnull<ResidentOp>(next))
      next = next->getNextNode();
    auto isThere = [&](Operation *user) { return next->isAncestor(user); };
    return next && isLoop(next) && llvm::all_of(getResult().getUsers(), isThere) ? next : nullptr;
  }
  Operation *around = (*this)->getParentOp();
  return getPlacement().isLoadedInLoop() && around && isLoop(around) ? around : nullptr;
}

LogicalResult PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                    Residency residency, int64_t rows, int64_t place,
                                    int32_t flag) {
  constexpr int64_t kMostRows = int64_t(1) << 31;
  if (rows < 1 || rows > place || place >= kMostRows)
    return emitError() << "expects at least one row, at most as many as there are from their place "
                          "to the end of VMEM, found "
                       << rows << " rows at place " << place;
  const bool hasFlag = residency == Residency::iteration || residency == Residency::prefetch;
  if (hasFlag ? flag < kFirstCopyFlag || flag > kLastCopyFlag : flag != -1)
    return emitError() << (hasFlag ? "expects a flag of copies" : "expects no flag") << " for "
                       << stringifyResidency(residency) << ", found " << flag;
  return success();
}

std::pair<Operation *, Operation *> systole::kernel::readersOf(ResidentOp resident) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : resident->getUsers()) {
    Operation *reader = resident->getBlock()->findAncestorOpInBlock(*user);
    first = !first || reader->isBeforeInBlock(first) ? reader : first;
    last = !last || last->isBeforeInBlock(reader) ? reader : last;
  }
  return {first, last};
}

LogicalResult ResidentOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (int64_t(getBlock().size()) != type.getRank())
    return emitOpError() << "expects a block of rank " << type.getRank();
  for (auto [part, whole] : llvm::zip_equal(getBlock(), type.getShape()))
    if (part < 1 || part > whole)
      return emitOpError() << "expects a block between 1 and " << type << ", found [" << getBlock()
                           << "]";
  if (getPlacement().getRows() != getRows())
    return emitOpError() << "expects a placement of " << getRows() << " rows, found "
                         << getPlacement();
  Operation *source = getSource().getDefiningOp();
  const bool isOwnSource =
      source && source->getBlock() == (*this)->getBlock() && getSource().hasOneUse();
  if (getResidency() == Residency::next)
    return emitOpError(
        "expects a placement of an array, not of the first block of the next kernel");
  if (getResidency() == Residency::kernels) {
    auto isBehind = [&](Operation *user) {
      Operation *reader = (*this)->getBlock()->findAncestorOpInBlock(*user);
      return reader && !reader->hasTrait<OpTrait::IsTerminator>();
    };
    if (!isOwnSource || !isa<FusionOp>(source))
      return emitOpError("expects a result of a fusion of its block, with no other user");
    if (use_empty() || !llvm::all_of((*this)->getUsers(), isBehind))
      return emitOpError("expects readers in its block");
    return success();
  }
  if (!getLoop())
    return emitOpError("expects a loop around it, or one behind it with all users");
  if (getPlacement().isLoadedInLoop()) {
    if (!isOwnSource || !isa<PartOp>(source))
      return emitOpError("expects a part of an array, with no other user");
    if (use_empty())
      return emitOpError("expects readers in its block");
    return success();
  }
  const bool isCarried = llvm::is_contained((*this)->getUsers(), getLoop());
  if (isCarried != (getResidency() == Residency::carried))
    return emitOpError() << "expects " << (isCarried ? "carried" : "loop") << " of "
                         << (isCarried ? "the initial value of a loop"
                                       : "an array that a loop reads");
  return success();
}

ResidentOp systole::kernel::residentOf(Value value) {
  if (auto resident = value.getDefiningOp<ResidentOp>())
    return resident;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *loop = argument.getOwner()->getParentOp();
    return loop && isLoop(loop)
               ? loop->getOperand(argument.getArgNumber()).getDefiningOp<ResidentOp>()
               : nullptr;
  }
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner(), *around = user->getParentOp();
    if (auto resident = dyn_cast<ResidentOp>(user);
        resident &&
        (resident.getResidency() == Residency::kernels || resident.getPlacement().isLoadedInLoop()))
      return resident;
    bool isNext = user->hasTrait<OpTrait::IsTerminator>() && isLoop(around) &&
                  user->getParentRegion() == &around->getRegion(1);
    if (isNext)
      if (auto resident = around->getOperand(use.getOperandNumber()).getDefiningOp<ResidentOp>())
        return resident;
  }
  return nullptr;
}

bool systole::kernel::isRunOfRows(RankedTensorType type, ArrayRef<int64_t> block) {
  auto bufferOf = [&](ArrayRef<int64_t> shape) {
    return BufferType::get(type.getContext(), shape, type.getElementType(), Space::vmem);
  };
  ArrayRef<int64_t> shape = type.getShape();
  int64_t cut = 0, rank = type.getRank();
  while (cut < rank && shape[cut] == 1)
    ++cut;
  if (cut == rank || block.equals(shape))
    return block.equals(shape);
  if (!block.drop_front(cut + 1).equals(shape.drop_front(cut + 1)) || shape[cut] % block[cut] != 0)
    return false;
  BufferType whole = bufferOf(shape), part = bufferOf(block);
  int64_t packing = 32 / whole.getStorageBits(), steps = shape[cut] / block[cut];
  return whole.getRows() * whole.getLaneTiles() == whole.getPhysicalRows() * packing &&
         steps * part.getPhysicalRows() == whole.getPhysicalRows();
}

bool systole::kernel::isDivisible(RankedTensorType type, int64_t pieces) {
  SmallVector<int64_t> block(type.getShape());
  if (block.empty() || type.getNumElements() == 0 || block.front() % pieces != 0)
    return false;
  block.front() /= pieces;
  return isRunOfRows(type, block);
}

int64_t systole::kernel::rowsInBlocks(RankedTensorType type, ArrayRef<int64_t> block) {
  int64_t count = 1;
  for (auto [part, whole] : llvm::zip_equal(block, type.getShape()))
    count *= llvm::divideCeil(whole, part);
  return count * BufferType::get(type.getContext(), block, type.getElementType(), Space::vmem)
                     .getPhysicalRows();
}

SmallVector<ResidentOp> systole::kernel::residentFor(Operation *loop) {
  SmallVector<ResidentOp> residents;
  for (Operation *op = loop->getPrevNode(); isa_and_nonnull<ResidentOp>(op); op = op->getPrevNode())
    if (cast<ResidentOp>(op).getLoop() == loop)
      residents.push_back(cast<ResidentOp>(op));
  std::reverse(residents.begin(), residents.end());
  for (Operation &op : loop->getRegion(1).front())
    if (auto resident = dyn_cast<ResidentOp>(op);
        resident && resident.getPlacement().isLoadedInLoop())
      residents.push_back(resident);
  return residents;
}

Lifetime systole::kernel::lifetimeOf(ResidentOp resident) {
  if (Operation *loop = resident.getLoop())
    return {loop, loop};
  return {resident.getSource().getDefiningOp(), readersOf(resident).second};
}

/// Whether the operation runs, at least in part, during `lifetime`.
static bool runsDuring(Operation *op, Lifetime lifetime) {
  Operation *ancestor = lifetime.first->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && !ancestor->isBeforeInBlock(lifetime.first) &&
         !lifetime.last->isBeforeInBlock(ancestor);
}

bool systole::kernel::overlap(Lifetime a, Lifetime b) {
  return runsDuring(a.first, b) || runsDuring(b.first, a);
}

FusionOp systole::kernel::loaderOf(FusionOp fusion) {
  Operation *before = fusion->getPrevNode();
  while (before && (isa<ReinterpretOp>(before) || before->hasTrait<OpTrait::ConstantLike>() ||
                    (isa<ResidentOp>(before) &&
                     cast<ResidentOp>(before).getResidency() == Residency::kernels)))
    before = before->getPrevNode();
  return dyn_cast_or_null<FusionOp>(before);
}

int64_t systole::kernel::residentRowsAt(FusionOp fusion) {
  int64_t rows = fusion.getReserved().value_or(0);
  for (Operation *around = fusion->getParentOp(); around; around = around->getParentOp())
    if (isLoop(around))
      for (ResidentOp resident : residentFor(around))
        rows = std::max(rows, resident.getPlace());
  return rows;
}

/// Checks that kernels leave what `resident` keeps alone. Those of the program may use all of VMEM.
static LogicalResult verifyReserved(ResidentOp resident) {
  Lifetime lifetime = lifetimeOf(resident);
  for (Operation *op = lifetime.first; op != lifetime.last->getNextNode(); op = op->getNextNode()) {
    WalkResult walked = op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      auto fusion = dyn_cast<FusionOp>(inner);
      if (isa<MosaicCallOp>(inner) || (fusion && residentRowsAt(fusion) < resident.getPlace()))
        return WalkResult::interrupt();
      return fusion ? WalkResult::skip() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return resident.emitOpError(
          "expects all kernels, from the one that makes it to its last reader, "
          "to reserve its rows");
  }
  return success();
}

namespace {
/// Rows of VMEM, counted from its end, and their lifetime.
struct Taken {
  Operation *op;
  int64_t first, last;
  Lifetime lifetime;
  bool isApart(const Taken &other) const {
    return last <= other.first || other.last <= first || !overlap(lifetime, other.lifetime);
  }
};
} // namespace

/// Checks that `own` has rows of its own while it lives.
static LogicalResult verifyApart(const Taken &own, ArrayRef<Taken> taken, StringRef message,
                                 StringRef note) {
  for (const Taken &other : taken)
    if (!own.isApart(other)) {
      InFlightDiagnostic error = own.op->emitOpError(message);
      error.attachNote(other.op->getLoc()) << note;
      return error;
    }
  return success();
}

/// Whether a part of an array is replaced by `value`, under whatever shape.
static bool replacesPart(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto replace = dyn_cast<ReplacePartOp>(user))
      return replace.getUpdate() == value;
    return isa<ReinterpretOp>(user) && replacesPart(user->getResult(0));
  });
}

bool systole::kernel::isPlacedInPart(Value value) {
  while (auto view = value.getDefiningOp<ReinterpretOp>())
    value = view.getSource();
  return replacesPart(value);
}

/// Checks that blocks which are prefetched have places of their own, apart from what is
/// `taken`.
static LogicalResult verifyPrefetches(Operation *root, SmallVector<Taken> taken) {
  const size_t keeps = taken.size();
  WalkResult walked = root->walk([&](FusionOp fusion) -> WalkResult {
    if (!fusion.getPrefetched())
      return success();
    FusionOp loader = loaderOf(fusion);
    if (!loader)
      return fusion.emitOpError("expects a fusion directly before it, which loads its blocks");
    for (auto prefetch : fusion.getPrefetched()->getAsRange<PrefetchAttr>()) {
      Value array = fusion.getInputs()[prefetch.getInput()];
      Operation *source = array.getDefiningOp();
      if (source && source->getBlock() == loader->getBlock() && !source->isBeforeInBlock(loader))
        return fusion.emitOpError("expects input ")
               << prefetch.getInput() << ", which the fusion before loads, to be there before it";
      if (isPlacedInPart(array))
        return fusion.emitOpError("expects input ")
               << prefetch.getInput() << ", which the fusion before loads, to begin at a known row";
      PlacementAttr placement = prefetch.getPlacement();
      if (std::min(residentRowsAt(fusion), residentRowsAt(loader)) < placement.getPlace())
        return fusion.emitOpError(
                   "expects that it and the fusion before reserve the rows of input ")
               << prefetch.getInput() << ", which that loads";
      Taken own{fusion, placement.firstRow(), placement.endRow(), {loader, fusion}};
      if (failed(
              verifyApart(own, taken, "loads blocks to rows that are taken", "by this operation")))
        return failure();
      taken.push_back(own);
    }
    // Blocks live until their fusion has run: others than those of the next one are apart.
    if (taken.size() > keeps)
      llvm::erase_if(
          taken, [&](const Taken &other) { return isa<FusionOp>(other.op) && other.op != fusion; });
    return success();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult systole::kernel::verifyResident(Operation *root) {
  SmallVector<ResidentOp> residents;
  root->walk([&](ResidentOp resident) { residents.push_back(resident); });
  SmallVector<Taken> taken;
  for (ResidentOp resident : residents) {
    PlacementAttr placement = resident.getPlacement();
    if (placement.getResidency() == Residency::kernels && failed(verifyReserved(resident)))
      return failure();
    Taken own{resident, placement.firstRow(), placement.endRow(), lifetimeOf(resident)};
    if (failed(verifyApart(own, taken, "takes rows of another array that VMEM keeps",
                           "which is kept here")))
      return failure();
    taken.push_back(own);
  }
  return verifyPrefetches(root, std::move(taken));
}
