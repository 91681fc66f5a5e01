// Random machine modules.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/compiler/Schedule/RandomProgram.h"

#include "compiler/Schedule/MachineBuilder.h"

#include <random>

namespace systole::machine {
namespace {

using isa::Opcode;

class Generator {
public:
  Generator(Module &module, Function &f, std::mt19937_64 &rng, const RandomOptions &options,
            uint32_t callee)
      : f(f), rng(rng), options(options), callee(callee), b(f) {
    (void)module;
  }

  void run() {
    auto outer = b.begin();
    for (RegId r : f.params) {
      RegId copy = f.newReg(RegClass::S);
      b.copy(copy, Operand::reg(r));
      scalars.push_back(Operand::reg(copy));
    }
    scalars.push_back(Operand::imm(8));
    for (int i = 0; i < 3; ++i)
      vectors.push_back(load());
    masks.push_back(Operand::reg(kAllOnes));
    items(0);
    // All remaining values are stored to memory.
    for (const Operand &v : vectors)
      storeVector(v);
    f.body = b.end(std::move(outer));
  }

private:
  int pick(int n) { return int(rng() % uint64_t(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  Operand fromPool(const std::vector<Operand> &pool) {
    size_t recent = std::min(pool.size(), size_t(options.liveVectors));
    return pool[pool.size() - 1 - size_t(pick(int(recent)))];
  }
  Operand reg(RegClass cls) { return Operand::reg(f.newReg(cls)); }
  Operand vector() { return fromPool(vectors); }
  Operand scalar() { return chance(25) ? Operand::imm(pick(5)) : fromPool(scalars); }
  Operand vectorOrScalar() {
    return chance(75) ? vector() : chance(50) ? scalar() : Operand::imm(pick(7));
  }
  Operand mask() { return chance(60) ? Operand::reg(kAllOnes) : fromPool(masks); }
  Operand address() {
    return chance(30) || addresses.empty() ? Operand::imm(8 * pick(6)) : fromPool(addresses);
  }

  Operand load() {
    Operand v = reg(RegClass::V);
    b.emit(chance(80) ? Opcode::vld_b32 : Opcode::vld_bf16,
           {v, address(), Operand::imm(chance(80) ? 1 : pick(3)), mask0(),
            Operand::imm(8 * pick(4)), region()});
    return v;
  }
  /// Each of two streams has a region of its own.
  Operand region() { return Operand::imm(stream < 0 ? pick(3) : stream); }
  Operand mask0() { return masks.empty() ? Operand::reg(kAllOnes) : mask(); }
  void storeVector(Operand v) {
    b.emit(Opcode::vst_b32,
           {v, address(), Operand::imm(1), mask0(), Operand::imm(8 * pick(4)), region()});
  }

  void arithmetic() {
    static constexpr Opcode binary[] = {Opcode::v_fadd, Opcode::v_fmul, Opcode::v_add,
                                        Opcode::v_xor, Opcode::v_fmax};
    static constexpr Opcode compare[] = {Opcode::v_flt, Opcode::v_le};
    static constexpr Opcode scalarOps[] = {Opcode::s_add, Opcode::s_xor, Opcode::s_mul,
                                           Opcode::s_lt};
    int kind = pick(10);
    if (kind < 5) {
      Operand d = reg(RegClass::V);
      b.emit(binary[pick(5)], {d, vectorOrScalar(), vector()});
      vectors.push_back(d);
    } else if (kind < 6) {
      Operand d = reg(RegClass::V);
      b.emit(Opcode::v_sel, {d, mask(), vectorOrScalar(), vectorOrScalar()});
      vectors.push_back(d);
    } else if (kind < 7) {
      Operand d = reg(RegClass::M);
      b.emit(compare[pick(2)], {d, vectorOrScalar(), vector()});
      masks.push_back(d);
    } else if (kind < 9) {
      Operand d = reg(RegClass::S);
      b.emit(scalarOps[pick(4)], {d, scalar(), scalar()});
      scalars.push_back(d);
    } else {
      Operand d = reg(RegClass::V);
      b.emit(Opcode::v_mov, {d, vectorOrScalar()});
      vectors.push_back(d);
    }
  }

  void popInto(Opcode pop, std::initializer_list<Operand> rest = {}) {
    Operand d = reg(pop == Opcode::v2s_pop ? RegClass::S : RegClass::V);
    std::vector<Operand> ops = {d};
    ops.insert(ops.end(), rest.begin(), rest.end());
    b.emit(pop, std::span<const Operand>(ops.data(), ops.size()));
    (pop == Opcode::v2s_pop ? scalars : vectors).push_back(d);
  }

  void units() {
    int n = 1 + pick(4);
    // The weights of an MXU belong to one stream.
    switch (pick(stream == 1 ? 4 : 6)) {
    case 0:
      for (int i = 0; i < n; ++i)
        b.emit(chance(50) ? Opcode::eup_exp : Opcode::eup_sqrt, {vector()});
      for (int i = 0; i < n; ++i)
        popInto(Opcode::eup_pop);
      break;
    case 1:
      for (int i = 0; i < n; ++i) {
        b.emit(Opcode::xlu_fadd, {vector()});
        popInto(Opcode::xlu_pop);
      }
      break;
    case 2:
      for (int i = 0; i < n; ++i)
        b.emit(Opcode::xlu_tr, {vector()});
      b.emit(Opcode::xlu_tr_end, {vector(), Operand::imm(n)});
      for (int i = 0; i < n; ++i)
        popInto(Opcode::xlu_pop);
      break;
    case 3:
      b.emit(Opcode::v2s, {vector(), scalar(), Operand::imm(3)});
      popInto(Opcode::v2s_pop);
      break;
    default: {
      Operand mxu = Operand::imm(pick(2));
      if (chance(50)) {
        for (int i = 0; i < n; ++i)
          b.emit(Opcode::mxu_latch, {vector(), Operand::imm(i), mxu});
        b.emit(Opcode::mxu_swap, {Operand::imm(128), Operand::imm(128), mxu});
      }
      for (int i = 0; i < n; ++i)
        b.emit(Opcode::mxu_push, {vector(), Operand::imm(8), mxu});
      for (int i = 0; i < n; ++i)
        popInto(Opcode::mxu_pop, {mxu});
      break;
    }
    }
  }

  void copies() {
    Operand to = reg(RegClass::S);
    b.copy(to.regId(), scalar());
    b.emit(Opcode::dma_start, {to, Operand::imm(0), Operand::imm(pick(3)), Operand::imm(pick(3)),
                               Operand::imm(-1), Operand::imm(0), Operand::imm(1)});
    b.emit(Opcode::wait, {Operand::imm(1), Operand::imm(1)});
  }

  void straight(bool inLoop) {
    inLoop |= stream >= 0;
    for (int i = 0; i < options.run; ++i) {
      int kind = pick(20);
      if (kind < 10)
        arithmetic();
      else if (kind < 13)
        vectors.push_back(load());
      else if (kind < 15)
        storeVector(vector());
      else if (kind < 18)
        units();
      else if (kind < 19 && !inLoop)
        copies();
      else
        scalarMemory();
    }
  }

  /// Streams have no scalar memory.
  void scalarMemory() {
    if (stream >= 0)
      return arithmetic();
    Operand d = reg(RegClass::S);
    Operand word = Operand::imm(pick(4));
    b.emit(Opcode::s_st, {scalar(), word, Operand::imm(3)});
    b.emit(Opcode::s_ld, {d, Operand::imm(pick(4)), Operand::imm(3)});
    scalars.push_back(d);
  }

  struct Pools {
    std::vector<Operand> vectors, masks, scalars, addresses;
  };
  Pools save() { return {vectors, masks, scalars, addresses}; }
  void restore(Pools p) {
    vectors = std::move(p.vectors);
    masks = std::move(p.masks);
    scalars = std::move(p.scalars);
    addresses = std::move(p.addresses);
  }

  std::vector<Operand> &poolOf(RegClass cls) {
    return cls == RegClass::V ? vectors : cls == RegClass::M ? masks : scalars;
  }

  void forLoop(int depth) {
    Pools before = save();
    Operand count = options.trips               ? Operand::imm(options.trips)
                    : stream >= 0 || chance(70) ? Operand::imm(pick(14))
                                                : Operand();
    if (!count.isImm()) {
      count = reg(RegClass::S);
      b.emit(Opcode::s_and, {count, scalar(), Operand::imm(7)});
    }
    std::vector<Carried> carried;
    auto carry = [&](RegClass cls, Operand init) {
      Carried c;
      c.phi = f.newReg(cls);
      c.init = init;
      carried.push_back(c);
    };
    carry(RegClass::S, Operand::imm(8 * pick(3)));
    for (int i = pick(3); i > 0; --i)
      carry(RegClass::V, vectorOrScalar());
    if (chance(30) && !masks.empty())
      carry(RegClass::M, mask());
    if (chance(40))
      carry(RegClass::S, scalar());
    addresses.push_back(Operand::reg(carried[0].phi));
    for (const Carried &c : carried)
      poolOf(f.regs[c.phi].cls).push_back(Operand::reg(c.phi));
    auto outer = b.begin();
    if (depth >= options.depth || chance(60) || options.innerLoopsOnly)
      straight(/*inLoop=*/true);
    else
      items(depth + 1);
    // A rotation of loop-carried values, a new value, or the same value.
    for (size_t k = 1; k < carried.size(); ++k) {
      Carried &c = carried[k];
      RegClass cls = f.regs[c.phi].cls;
      auto &pool = poolOf(cls);
      c.next = fromPool(pool);
      if (cls == RegClass::S && c.next.isImm())
        c.next = Operand::reg(c.phi);
      if (chance(60)) {
        Operand d = reg(cls);
        if (cls == RegClass::V)
          b.emit(Opcode::v_fadd, {d, Operand::reg(c.phi), vector()});
        else if (cls == RegClass::M)
          b.emit(Opcode::m_xor, {d, Operand::reg(c.phi), fromPool(masks)});
        else
          b.emit(Opcode::s_add, {d, Operand::reg(c.phi), scalar()});
        c.next = d;
      }
    }
    Operand next = reg(RegClass::S);
    b.emit(Opcode::s_add, {next, Operand::reg(carried[0].phi), Operand::imm(8)});
    carried[0].next = next;
    std::vector<NodeId> body = b.end(std::move(outer));
    restore(std::move(before));
    for (Carried &c : carried) {
      if (chance(30))
        continue;
      c.result = f.newReg(f.regs[c.phi].cls);
      poolOf(f.regs[c.phi].cls).push_back(Operand::reg(c.result));
    }
    Node &node = b.control(Node::Kind::Loop);
    node.operand = count;
    node.body = std::move(body);
    node.carried = std::move(carried);
  }

  void interleave(int depth) {
    std::vector<NodeId> lists[2];
    for (unsigned side = 0; side < 2; ++side) {
      Pools before = save();
      auto outer = b.begin();
      stream = int(side);
      for (int i = 0; i < 3; ++i) {
        forLoop(depth);
        straight(/*inLoop=*/true);
      }
      stream = -1;
      lists[side] = b.end(std::move(outer));
      restore(std::move(before));
    }
    Node &node = b.control(Node::Kind::Interleave);
    node.body = std::move(lists[0]);
    node.orElse = std::move(lists[1]);
  }

  void conditional(int depth) {
    Operand condition = reg(RegClass::S);
    b.emit(Opcode::s_and, {condition, scalar(), Operand::imm(1)});
    RegId result = f.newReg(RegClass::V);
    std::vector<NodeId> arms[2];
    for (auto &arm : arms) {
      Pools before = save();
      auto outer = b.begin();
      items(depth + 1);
      b.copy(result, vector());
      arm = b.end(std::move(outer));
      restore(std::move(before));
    }
    Node &node = b.control(Node::Kind::If);
    node.operand = condition;
    node.body = std::move(arms[0]);
    node.orElse = std::move(arms[1]);
    vectors.push_back(Operand::reg(result));
  }

  void whileLoop(int depth) {
    RegId left = f.newReg(RegClass::S), value = f.newReg(RegClass::V);
    b.copy(left, Operand::imm(1 + pick(4)));
    b.copy(value, vectorOrScalar());
    Pools before = save();
    auto outer = b.begin();
    vectors.push_back(Operand::reg(value));
    straight(/*inLoop=*/false);
    b.control(Node::Kind::Exit).operand = Operand::reg(left);
    items(depth + 1);
    Operand next = b.scalar(Opcode::s_sub, Operand::reg(left), Operand::imm(1));
    Operand nextValue = reg(RegClass::V);
    b.emit(Opcode::v_fadd, {nextValue, Operand::reg(value), vector()});
    b.parallelCopy(std::vector<std::pair<RegId, Operand>>{{left, next}, {value, nextValue}});
    std::vector<NodeId> body = b.end(std::move(outer));
    restore(std::move(before));
    b.control(Node::Kind::While).body = std::move(body);
    vectors.push_back(Operand::reg(value));
  }

  void call() {
    std::vector<RegId> arguments;
    std::vector<Operand> values = {scalar(), scalar()};
    for (int i = 0; i < 2; ++i) {
      arguments.push_back(f.fixedReg(RegClass::S, i));
      b.copy(arguments.back(), values[size_t(i)]);
    }
    Node &node = b.control(Node::Kind::Call);
    node.callee = callee;
    node.arguments = arguments;
  }

  void items(int depth) {
    for (int i = 0; i < options.items; ++i) {
      int kind = pick(10);
      if (depth >= options.depth || kind < 4)
        straight(/*inLoop=*/false);
      else if (options.streams && stream < 0 && kind < 7)
        interleave(depth);
      else if (stream >= 0 || kind < 7 || options.innerLoopsOnly)
        forLoop(depth);
      else if (kind < 8)
        conditional(depth);
      else if (kind < 9)
        whileLoop(depth);
      else if (callee != kNone)
        call();
    }
  }

  Function &f;
  std::mt19937_64 &rng;
  const RandomOptions &options;
  uint32_t callee;
  int stream = -1; // that instructions belong to
  MachineBuilder b;
  std::vector<Operand> vectors, masks, scalars, addresses;
};

} // namespace

Module randomModule(uint64_t seed, const RandomOptions &options) {
  std::mt19937_64 rng(seed);
  Module module;
  for (int i = 0; i < 3; ++i)
    module.regions.push_back({"r" + std::to_string(i), 1, i * 1024, 1024, ""});
  module.regions.push_back({"words", 2, 0, 64, ""});
  module.descriptors.push_back({1, 1, 128, {1}, {0}, {0}, -1});
  module.main = 0;
  module.functions.resize(2);
  module.functions[0].name = "main";
  module.functions[1].name = "callee";
  for (int i = 0; i < 2; ++i)
    module.functions[1].params.push_back(module.functions[1].fixedReg(RegClass::S, i));
  RandomOptions small = options;
  small.items = 3;
  Generator(module, module.functions[1], rng, small, kNone).run();
  Generator(module, module.functions[0], rng, options, options.calls ? 1 : kNone).run();
  return module;
}

} // namespace systole::machine
