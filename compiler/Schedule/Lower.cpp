// Lowers the `core` dialect to machine functions, in one pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Lower.h"

#include "compiler/Schedule/LowerContext.h"
#include "compiler/Schedule/MachineBuilder.h"
#include "dialects/Core/Core.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::machine {
namespace {

using isa::Opcode;

class FunctionLowering {
public:
  FunctionLowering(LowerContext &context, Function &f) : context(context), f(f), b(f) {}

  LogicalResult run(func::FuncOp func) {
    if (func.getNumResults() != 0)
      return func.emitError("a routine cannot have results");
    f.loc = context.source(func.getLoc());
    auto outer = b.begin();
    b.loc = f.loc;
    for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
      if (!argument.getType().isInteger(32))
        return func.emitError() << "argument " << i << " is not an i32";
      // Calls reuse the registers and words, and loops may need the registers more.
      RegId copy = f.newReg(RegClass::S);
      values[argument] = Operand::reg(copy);
      if (i >= core::kRegisterArguments) {
        auto word = context.argumentWord(func, int64_t(i));
        if (failed(word))
          return failure();
        b.emit(Opcode::s_ld,
               {Operand::reg(copy), Operand::imm(*word), Operand::imm(context.argumentRegion)});
        continue;
      }
      RegId r = f.fixedReg(RegClass::S, int(i));
      f.params.push_back(r);
      b.copy(copy, Operand::reg(r));
    }
    if (failed(block(func.getBody().front())))
      return failure();
    f.body = b.end(std::move(outer));
    return success();
  }

private:
  FailureOr<Operand> operand(Value value, Operation *user) {
    auto it = values.find(value);
    if (it != values.end())
      return it->second;
    return user->emitError("uses a value that is not a vector, mask or scalar of the machine");
  }

  std::optional<RegClass> regClass(Type type) {
    if (llvm::isa<core::VectorType>(type))
      return RegClass::V;
    if (llvm::isa<core::MaskType>(type))
      return RegClass::M;
    if (type.isInteger(32))
      return RegClass::S;
    return std::nullopt;
  }

  /// A new register for `value`, which must have a machine type.
  FailureOr<RegId> define(Value value, Operation *op) {
    auto cls = regClass(value.getType());
    if (!cls)
      return op->emitError() << "has a value of type " << value.getType()
                             << ", which does not fit a register";
    RegId r = f.newReg(*cls);
    values[value] = Operand::reg(r);
    return r;
  }

  LogicalResult operandList(ValueRange range, Operation *user, SmallVectorImpl<Operand> &out) {
    for (Value v : range) {
      auto o = operand(v, user);
      if (failed(o))
        return failure();
      out.push_back(*o);
    }
    return success();
  }

  LogicalResult block(Block &ops) {
    for (Operation &op : ops) {
      if (!llvm::isa<arith::ConstantOp>(op))
        b.loc = context.source(op.getLoc());
      if (failed(lower(op)))
        return failure();
    }
    return success();
  }

  LogicalResult lower(Operation &op) {
    Opcode opcode = context.opcode(op.getName());
    if (opcode != Opcode::none)
      return instruction(op, opcode);
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](arith::ConstantOp c) { return constant(c); })
        .Case([&](core::AllMaskOp m) {
          values[m.getD()] = Operand::reg(kAllOnes);
          return success();
        })
        .Case([&](core::CondOp c) {
          auto o = operand(c.getValue(), c);
          if (failed(o))
            return failure();
          values[c.getResult()] = *o;
          return success();
        })
        .Case([&](scf::ForOp loop) { return forLoop(loop); })
        .Case([&](scf::IfOp branch) { return conditional(branch); })
        .Case([&](scf::WhileOp loop) { return whileLoop(loop); })
        .Case([&](core::InterleaveOp both) { return interleave(both); })
        .Case([&](func::CallOp c) { return call(c); })
        .Case<scf::YieldOp, scf::ConditionOp, func::ReturnOp>([](auto) { return success(); })
        .Default([](Operation *other) {
          return other->emitError("has no machine instruction; only core operations, "
                                  "arith.constant, scf.for, scf.if, scf.while and func.call do");
        });
  }

  LogicalResult constant(arith::ConstantOp c) {
    auto value = dyn_cast<IntegerAttr>(c.getValue());
    if (!value || !(c.getType().isInteger(32) || c.getType().isInteger(1)))
      return c.emitError("only i32 and i1 constants are supported");
    values[c.getResult()] =
        Operand::imm(c.getType().isInteger(1) ? int32_t(value.getValue().getZExtValue())
                                              : int32_t(value.getValue().getSExtValue()));
    return success();
  }

  LogicalResult instruction(Operation &op, Opcode opcode) {
    const isa::InstInfo &info = isa::info(opcode);
    SmallVector<Operand, isa::kMaxOperands> ops;
    SmallVector<Value, 1> defined;
    unsigned nextOperand = 0, nextResult = 0;
    for (const isa::FieldInfo &field : info.fields) {
      switch (field.kind) {
      case isa::FieldKind::V:
      case isa::FieldKind::VS:
      case isa::FieldKind::M:
      case isa::FieldKind::S: {
        if (field.isResult) {
          ops.push_back(Operand::reg(f.newReg(fieldClass(field.kind))));
          values[op.getResult(nextResult++)] = ops.back();
          break;
        }
        auto o = operand(op.getOperand(nextOperand++), &op);
        if (failed(o))
          return failure();
        ops.push_back(*o);
        break;
      }
      default: {
        auto attr = op.getInherentAttr(StringRef(field.name.data(), field.name.size()));
        if (field.kind == isa::FieldKind::D) {
          ops.push_back(Operand::imm(context.descriptor(cast<core::DmaAttr>(*attr))));
          break;
        }
        int32_t value = int32_t(cast<IntegerAttr>(*attr).getInt());
        if (field.kind == isa::FieldKind::R && size_t(value) >= context.module.regions.size())
          return op.emitError() << "names region " << value << " of "
                                << context.module.regions.size();
        ops.push_back(Operand::imm(value));
        break;
      }
      }
    }
    limitImmediates(info, ops);
    b.emit(opcode, std::span<const Operand>(ops.data(), ops.size()));
    return success();
  }

  /// A bundle has a few shared immediates; further distinct ones of an instruction are moved to
  /// registers.
  void limitImmediates(const isa::InstInfo &info, MutableArrayRef<Operand> ops) {
    llvm::SmallSet<int32_t, isa::kBaseImmediates> distinct; // which every bundle has
    for (auto [o, field] : llvm::zip(ops, info.fields)) {
      if (!o.isImm() || !takesSharedImmediate(field.kind) || distinct.contains(o.value))
        continue;
      if (int(distinct.size()) < isa::kBaseImmediates) {
        distinct.insert(o.value);
        continue;
      }
      RegId r = f.newReg(RegClass::S);
      b.copy(r, o);
      o = Operand::reg(r);
    }
  }

  LogicalResult forLoop(scf::ForOp loop) {
    auto lower = operand(loop.getLowerBound(), loop);
    auto upper = operand(loop.getUpperBound(), loop);
    auto step = operand(loop.getStep(), loop);
    SmallVector<Operand> inits;
    if (failed(lower) || failed(upper) || failed(step) ||
        failed(operandList(loop.getInitArgs(), loop, inits)))
      return failure();
    if (step->isImm() && step->value <= 0)
      return loop.emitError() << "expects a positive step, found " << step->value;
    if (!step->isImm() ||
        (!llvm::isPowerOf2_32(step->value) && !(lower->isImm() && upper->isImm())))
      return forAsWhile(loop, *lower, *upper, *step, inits);

    Operand count;
    if (lower->isImm() && upper->isImm()) {
      int64_t extent = int64_t(upper->value) - lower->value;
      count = Operand::imm(int32_t(extent <= 0 ? 0 : (extent + step->value - 1) / step->value));
    } else {
      count = b.scalar(Opcode::s_sub, *upper, *lower);
      if (step->value != 1)
        count =
            b.scalar(Opcode::s_sra, b.scalar(Opcode::s_add, count, Operand::imm(step->value - 1)),
                     Operand::imm(int32_t(llvm::Log2_32(step->value))));
    }
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    if (count.isImm() && count.value <= 1) {
      // Without a loop: the body in place, or nothing.
      if (count.value == 1) {
        values[loop.getInductionVar()] = *lower;
        for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), inits))
          values[argument] = init;
        if (failed(block(*loop.getBody())))
          return failure();
        inits.clear();
        if (failed(operandList(yield.getOperands(), yield, inits)))
          return failure();
      }
      for (auto [result, value] : llvm::zip(loop.getResults(), inits))
        values[result] = value;
      return success();
    }

    uint32_t loc = b.loc;
    auto outer = b.begin();
    SmallVector<Carried> carried;
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), inits)) {
      auto phi = define(argument, loop);
      if (failed(phi))
        return failure();
      carried.push_back({*phi, init, {}});
    }
    Operand iv;
    if (!loop.getInductionVar().use_empty()) {
      iv = Operand::reg(f.newReg(RegClass::S));
      values[loop.getInductionVar()] = iv;
    }
    SmallVector<Operand> next;
    if (failed(block(*loop.getBody())) || failed(operandList(yield.getOperands(), yield, next)))
      return failure();
    for (auto [c, n] : llvm::zip(carried, next))
      c.next = n;
    if (iv.isReg())
      carried.push_back({iv.regId(), *lower, b.scalar(Opcode::s_add, iv, *step)});
    std::vector<NodeId> body = b.end(std::move(outer));
    b.loc = loc;
    Node &node = b.control(Node::Kind::Loop);
    node.operand = count;
    node.independent = loop->hasAttr("core.noalias_iterations");
    node.equalOrDisjoint = loop->hasAttr("core.equal_or_disjoint");
    node.body = std::move(body);
    node.carried.assign(carried.begin(), carried.end());
    for (auto [result, c] : llvm::zip(loop.getResults(), node.carried)) {
      if (result.use_empty())
        continue;
      c.result = f.newReg(f.regs[c.phi].cls);
      values[result] = Operand::reg(c.result);
    }
    return success();
  }

  /// Lowers a loop whose trip count would need a division to a while.
  LogicalResult forAsWhile(scf::ForOp loop, Operand lower, Operand upper, Operand step,
                           ArrayRef<Operand> inits) {
    SmallVector<std::pair<RegId, Operand>> copies;
    RegId iv = f.newReg(RegClass::S);
    values[loop.getInductionVar()] = Operand::reg(iv);
    copies.push_back({iv, lower});
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), inits)) {
      auto r = define(argument, loop);
      if (failed(r))
        return failure();
      copies.push_back({*r, init});
    }
    b.parallelCopy(copies);
    uint32_t loc = b.loc;
    auto outer = b.begin();
    Operand stay = b.scalar(Opcode::s_lt, Operand::reg(iv), upper);
    b.control(Node::Kind::Exit).operand = stay;
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    SmallVector<Operand> next;
    if (failed(block(*loop.getBody())) || failed(operandList(yield.getOperands(), yield, next)))
      return failure();
    next.insert(next.begin(), b.scalar(Opcode::s_add, Operand::reg(iv), step));
    for (auto [c, n] : llvm::zip(copies, next))
      c.second = n;
    b.parallelCopy(copies);
    std::vector<NodeId> body = b.end(std::move(outer));
    b.loc = loc;
    b.control(Node::Kind::While).body = std::move(body);
    for (auto [result, c] : llvm::zip(loop.getResults(), ArrayRef(copies).drop_front()))
      values[result] = Operand::reg(c.first);
    return success();
  }

  LogicalResult conditional(scf::IfOp branch) {
    auto condition = operand(branch.getCondition(), branch);
    if (failed(condition))
      return failure();
    SmallVector<RegId> results;
    for (Value result : branch.getResults()) {
      auto r = define(result, branch);
      if (failed(r))
        return failure();
      results.push_back(*r);
    }
    uint32_t loc = b.loc;
    auto arm = [&](Region &region) -> LogicalResult {
      if (region.empty())
        return success();
      if (failed(block(region.front())))
        return failure();
      SmallVector<Operand> yields;
      Operation *yield = region.front().getTerminator();
      if (failed(operandList(yield->getOperands(), yield, yields)))
        return failure();
      for (auto [r, value] : llvm::zip(results, yields))
        b.copy(r, value);
      return success();
    };
    if (condition->isImm())
      return arm(condition->value ? branch.getThenRegion() : branch.getElseRegion());
    auto outer = b.begin();
    if (failed(arm(branch.getThenRegion())))
      return failure();
    std::vector<NodeId> then = b.end(std::move(outer));
    outer = b.begin();
    if (failed(arm(branch.getElseRegion())))
      return failure();
    std::vector<NodeId> orElse = b.end(std::move(outer));
    if (then.empty() && orElse.empty())
      return success();
    b.loc = loc;
    Node &node = b.control(Node::Kind::If);
    node.operand = *condition;
    node.body = std::move(then);
    node.orElse = std::move(orElse);
    return success();
  }

  LogicalResult whileLoop(scf::WhileOp loop) {
    SmallVector<std::pair<RegId, Operand>> copies;
    for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
      auto value = operand(init, loop);
      auto r = define(argument, loop);
      if (failed(value) || failed(r))
        return failure();
      copies.push_back({*r, *value});
    }
    b.parallelCopy(copies);
    uint32_t loc = b.loc;
    auto outer = b.begin();
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Operand> passed, next;
    if (failed(block(*loop.getBeforeBody())))
      return failure();
    auto stay = operand(condition.getCondition(), condition);
    if (failed(stay) || failed(operandList(condition.getArgs(), condition, passed)))
      return failure();
    // Values that leave the loop must be read before the end of its body overwrites them: the exit
    // precedes it.
    for (auto [argument, result, value] :
         llvm::zip(loop.getAfterArguments(), loop.getResults(), passed)) {
      values[argument] = value;
      values[result] = value;
    }
    b.loc = context.source(condition.getLoc());
    b.control(Node::Kind::Exit).operand = *stay;
    if (failed(block(*loop.getAfterBody())) ||
        failed(operandList(loop.getYieldOp().getOperands(), loop.getYieldOp(), next)))
      return failure();
    for (auto [c, n] : llvm::zip(copies, next))
      c.second = n;
    b.parallelCopy(copies);
    std::vector<NodeId> body = b.end(std::move(outer));
    b.loc = loc;
    b.control(Node::Kind::While).body = std::move(body);
    return success();
  }

  LogicalResult interleave(core::InterleaveOp op) {
    uint32_t loc = b.loc;
    auto outer = b.begin();
    if (failed(block(op.getFirst().front())))
      return failure();
    std::vector<NodeId> first = b.end(std::move(outer));
    outer = b.begin();
    if (failed(block(op.getSecond().front())))
      return failure();
    std::vector<NodeId> second = b.end(std::move(outer));
    b.loc = loc;
    Node &node = b.control(Node::Kind::Interleave);
    node.body = std::move(first);
    node.orElse = std::move(second);
    return success();
  }

  LogicalResult call(func::CallOp op) {
    auto callee = context.routines.find(op.getCallee());
    if (callee == context.routines.end())
      return op.emitError() << "calls @" << op.getCallee() << ", which is not a routine";
    if (op.getNumResults() != 0)
      return op.emitError("a call cannot have results");
    SmallVector<Operand> arguments;
    if (failed(operandList(op.getOperands(), op, arguments)))
      return failure();
    const size_t inRegisters = std::min<size_t>(arguments.size(), core::kRegisterArguments);
    for (size_t i = inRegisters; i < arguments.size(); ++i) {
      auto word = context.argumentWord(op, int64_t(i));
      if (failed(word))
        return failure();
      b.emit(Opcode::s_st,
             {arguments[i], Operand::imm(*word), Operand::imm(context.argumentRegion)});
    }
    std::vector<RegId> read; // by the callee
    for (size_t i = 0; i < inRegisters; ++i) {
      read.push_back(f.fixedReg(RegClass::S, int(i)));
      b.copy(read.back(), arguments[i]);
    }
    Node &node = b.control(Node::Kind::Call);
    node.callee = callee->second;
    node.kernel = context.kernel(op);
    node.arguments = std::move(read);
    return success();
  }

  LowerContext &context;
  Function &f;
  MachineBuilder b;
  DenseMap<Value, Operand> values;
};

} // namespace

FailureOr<Module> lowerToMachine(ModuleOp module) {
  LowerContext context;
  if (failed(context.readRegions(module)))
    return failure();
  auto functions = module.getOps<func::FuncOp>();
  for (func::FuncOp func : functions) {
    if (func.isExternal())
      return func.emitError("has no body");
    uint32_t index = uint32_t(context.module.functions.size());
    context.routines[func.getName()] = index;
    context.module.functions.emplace_back().name = func.getName().str();
    if (func.getName() == "main")
      context.module.main = index;
  }
  if (context.module.main == kNone)
    return module.emitError("expects a routine @main");
  for (auto [index, func] : llvm::enumerate(functions)) {
    if (!func.getBody().hasOneBlock())
      return func.emitError("expects one block; control flow is scf");
    Function &f = context.module.functions[index];
    f.kernel = context.kernel(func);
    if (failed(FunctionLowering(context, f).run(func)))
      return failure();
  }
  return std::move(context.module);
}

} // namespace systole::machine
