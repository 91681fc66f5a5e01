// Damages of compiled programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/compiler/Verify/Mutants.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {

static size_t pick(std::mt19937 &random, size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}

namespace {

class KernelDamage {
public:
  KernelDamage(ModuleOp module, std::mt19937 &random)
      : module(module), random(random), b(module.getContext()) {
    module.walk([&](Operation *op) {
      if (mlir::isa<kernel::StartLoadOp, kernel::StartFetchOp, kernel::StartOffloadOp>(op))
        starts.push_back(op);
      if (auto wait = dyn_cast<kernel::WaitOp>(op))
        waits.push_back(wait);
      if (auto call = dyn_cast<kernel::CallOp>(op))
        calls.push_back(call);
    });
  }

  std::string run() {
    switch (pick(random, 8)) {
    case 0:
      return placement();
    case 1:
      return hbm();
    case 2:
      return flagOfStart();
    case 3:
      return flagOfWait();
    case 4:
      return lostWait();
    case 5:
      return lateWait();
    case 6:
      return queue();
    default:
      return earlyStart();
    }
  }

private:
  int64_t shift() {
    static constexpr int64_t shifts[] = {-64, -16, -8, -1, 1, 8, 16, 64};
    return shifts[pick(random, std::size(shifts))];
  }

  std::string placement() {
    auto plan = module->getAttrOfType<ArrayAttr>(kernel::kVmemPlanAttr);
    if (!plan || plan.empty())
      return "";
    SmallVector<Attribute> entries(plan.begin(), plan.end());
    size_t number = pick(random, entries.size());
    auto entry = cast<kernel::PlacementAttr>(entries[number]);
    int64_t place = entry.getPlace(), rows = entry.getRows();
    const bool isPlace = pick(random, 2) == 0;
    if (isPlace && pick(random, 2) == 0)
      place = cast<kernel::PlacementAttr>(entries[pick(random, entries.size())]).getPlace();
    else
      (isPlace ? place : rows) += shift();
    if (rows <= 0 || place < rows)
      return "";
    entries[number] = kernel::PlacementAttr::get(b.getContext(), entry.getResidency(), rows, place,
                                                 entry.getFlag());
    module->setAttr(kernel::kVmemPlanAttr, b.getArrayAttr(entries));
    return isPlace ? "place in VMEM" : "rows in VMEM";
  }

  std::string hbm() {
    auto plan = module->getAttrOfType<ArrayAttr>(kernel::kHbmPlanAttr);
    SmallVector<Attribute> entries(plan.begin(), plan.end());
    size_t number = pick(random, entries.size());
    auto entry = cast<kernel::HbmRegionAttr>(entries[number]);
    int64_t base =
        pick(random, 2) == 0
            ? cast<kernel::HbmRegionAttr>(entries[pick(random, entries.size())]).getBase()
            : entry.getBase() + shift();
    if (base < 0)
      return "";
    entries[number] =
        kernel::HbmRegionAttr::get(b.getContext(), entry.getName(), entry.getRows(), base);
    module->setAttr(kernel::kHbmPlanAttr, b.getArrayAttr(entries));
    return "place in HBM";
  }

  int32_t otherFlag() {
    return starts.empty() ? 32
                          : int32_t(starts[pick(random, starts.size())]
                                        ->getAttrOfType<IntegerAttr>("flag")
                                        .getInt() +
                                    int(pick(random, 2)));
  }

  std::string flagOfStart() {
    if (starts.empty())
      return "";
    starts[pick(random, starts.size())]->setAttr("flag", b.getI32IntegerAttr(otherFlag()));
    return "flag of a copy";
  }

  std::string flagOfWait() {
    if (waits.empty())
      return "";
    kernel::WaitOp wait = waits[pick(random, waits.size())];
    SmallVector<int32_t> flags(wait.getFlags());
    flags[pick(random, flags.size())] = otherFlag();
    wait.setFlags(flags);
    return "flag of a wait";
  }

  std::string lostWait() {
    if (waits.empty())
      return "";
    waits[pick(random, waits.size())].erase();
    return "lost wait";
  }

  std::string lateWait() {
    if (waits.empty())
      return "";
    kernel::WaitOp wait = waits[pick(random, waits.size())];
    Operation *next = wait->getNextNode();
    for (size_t i = pick(random, 12); i > 0 && next && !next->hasTrait<OpTrait::IsTerminator>();
         --i)
      next = next->getNextNode();
    if (!next || next == wait->getNextNode())
      return "";
    wait->moveBefore(next);
    return "late wait";
  }

  std::string queue() {
    SmallVector<kernel::FuncOp> loading;
    for (auto kernel : module.getOps<kernel::FuncOp>())
      if (kernel.getLoading() > 0)
        loading.push_back(kernel);
    if (loading.empty())
      return "";
    kernel::FuncOp kernel = loading[pick(random, loading.size())];
    kernel.setLoading(int32_t(pick(random, kernel.getLoading())));
    return "room in the queue";
  }

  std::string earlyStart() {
    if (starts.empty())
      return "";
    Operation *start = starts[pick(random, starts.size())], *before = start->getPrevNode();
    // Not before what its operands are.
    while (before && isPure(before))
      before = before->getPrevNode();
    if (!before || mlir::isa<kernel::WaitOp>(before))
      return "";
    SmallVector<Operation *> between;
    for (Operation *op = before->getNextNode(); op != start; op = op->getNextNode())
      between.push_back(op);
    for (Operation *op : between)
      op->moveBefore(before);
    start->moveBefore(before);
    return "early copy";
  }
  static bool isPure(Operation *op) { return op->getNumResults() > 0 && op->getNumRegions() == 0; }

  ModuleOp module;
  std::mt19937 &random;
  Builder b;
  SmallVector<Operation *> starts;
  SmallVector<kernel::WaitOp> waits;
  SmallVector<kernel::CallOp> calls;
};

} // namespace

std::string damageKernels(ModuleOp module, std::mt19937 &random) {
  return KernelDamage(module, random).run();
}

/// Whether a bundle has room for a wait.
static bool isFree(const isa::Bundle &bundle, const isa::BundleFormat &format) {
  int scalars = 0;
  for (const isa::Inst &inst : bundle.insts) {
    if (isa::info(inst.opcode).sequencer)
      return false;
    scalars += isa::info(inst.opcode).slot == isa::Slot::Scalar;
  }
  return scalars < format.count(isa::Slot::Scalar);
}

std::string damageCode(Program &program, std::mt19937 &random) {
  using isa::Opcode;
  const isa::BundleFormat format = formatOf(program.header);
  struct Place {
    size_t bundle, inst;
  };
  std::vector<Place> waits, copies, flags;
  std::vector<isa::Bundle> bundles;
  for (size_t at = 0; at < program.code.size(); ++at) {
    bundles.push_back(*isa::decode(program.code[at], format));
    for (size_t i = 0; i < bundles.back().insts.size(); ++i)
      switch (bundles.back().insts[i].opcode) {
      case Opcode::wait:
        waits.push_back({at, i});
        flags.push_back({at, i});
        break;
      case Opcode::dma_start:
        copies.push_back({at, i});
        flags.push_back({at, i});
        break;
      case Opcode::flag_add:
        flags.push_back({at, i});
        break;
      default:
        break;
      }
  }
  auto operandOf = [&](Place place, std::string_view name) -> isa::Operand & {
    isa::Inst &inst = bundles[place.bundle].insts[place.inst];
    const isa::InstInfo &info = isa::info(inst.opcode);
    size_t field = 0;
    while (info.fields[field].name != name)
      ++field;
    return inst.operands[field];
  };
  auto erase = [&](Place place) {
    auto &insts = bundles[place.bundle].insts;
    insts.erase(insts.begin() + std::ptrdiff_t(place.inst));
  };
  std::string kind;
  Place place{};
  switch (pick(random, 5)) {
  case 0:
    if (flags.empty())
      return "";
    place = flags[pick(random, flags.size())];
    operandOf(place, "flag").value = operandOf(flags[pick(random, flags.size())], "flag").value;
    kind = "flag";
    break;
  case 1: {
    if (waits.empty())
      return "";
    place = waits[pick(random, waits.size())];
    isa::Operand &count = operandOf(place, "value");
    if (count.kind != isa::Operand::Kind::Immediate)
      return "";
    count.value += pick(random, 2) == 0 ? 1 : -1;
    kind = "count of a wait";
    break;
  }
  case 2:
    if (waits.empty())
      return "";
    place = waits[pick(random, waits.size())];
    erase(place);
    kind = "lost wait";
    break;
  case 3: {
    if (waits.empty())
      return "";
    place = waits[pick(random, waits.size())];
    // Into a bundle behind it that has no control; what is between is done before.
    size_t to = place.bundle + 1 + pick(random, 12);
    while (to < bundles.size() && !isFree(bundles[to], format))
      ++to;
    if (to >= bundles.size())
      return "";
    isa::Bundle &later = bundles[to];
    later.insts.insert(later.insts.begin(), bundles[place.bundle].insts[place.inst]);
    auto encoded = isa::encode(later, format);
    if (!encoded.ok())
      return "";
    program.code[to] = *encoded;
    erase(place);
    kind = "late wait";
    break;
  }
  default: {
    place = copies[pick(random, copies.size())];
    isa::Operand &count = operandOf(place, "count");
    if (count.kind != isa::Operand::Kind::Immediate)
      return "";
    erase(place);
    kind = "lost copy";
    break;
  }
  }
  auto encoded = isa::encode(bundles[place.bundle], format);
  if (!encoded.ok() || *encoded == program.code[place.bundle])
    return "";
  program.code[place.bundle] = *encoded;
  return kind;
}

} // namespace systole
