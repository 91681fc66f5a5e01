// Symbolic execution of machine functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/compiler/Schedule/Interpreter.h"

#include "compiler/Schedule/MachineBuilder.h"
#include "compiler/Schedule/Units.h"

#include <algorithm>

namespace systole::machine {

using isa::FieldKind;
using isa::Opcode;

static constexpr uint64_t kAllOnesValue = 0x1111;
// An odd number and its inverse modulo 2^64, to convert masks to vectors and back.
static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15, kInverse = 0xf1de83e19937733d;
static_assert(kOdd * kInverse == 1);

static uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccd;
  return h ^ (h >> 33);
}

static uint64_t splat(uint32_t v) { return mix(0x5b1a7, v); }

uint64_t &Interpreter::place(Frame &frame, RegId r) {
  const RegInfo &info = frame.f->regs[r];
  return info.phys >= 0 ? machine[size_t(info.cls)][size_t(info.phys)] : frame.regs[r];
}

uint64_t Interpreter::read(Frame &frame, const Operand &o, FieldKind kind) {
  if (o.isImm())
    return kind == FieldKind::VS ? splat(uint32_t(o.value)) : uint64_t(uint32_t(o.value));
  if (o.regId() == kAllOnes)
    return kAllOnesValue;
  uint64_t v = place(frame, o.regId());
  bool scalar = frame.f->regs[o.regId()].cls == RegClass::S;
  return scalar && kind == FieldKind::VS ? splat(uint32_t(v)) : v;
}

static bool scalarResult(Opcode op, std::span<const uint64_t> v, uint32_t &out) {
  uint32_t a = v.size() > 1 ? uint32_t(v[1]) : 0, b = v.size() > 2 ? uint32_t(v[2]) : 0;
  uint32_t c = v.size() > 3 ? uint32_t(v[3]) : 0;
  int32_t sa = int32_t(a), sb = int32_t(b);
  switch (op) {
  case Opcode::s_mov:
    out = a;
    return true;
  case Opcode::s_add:
    out = a + b;
    return true;
  case Opcode::s_sub:
    out = a - b;
    return true;
  case Opcode::s_mul:
    out = a * b;
    return true;
  case Opcode::s_mulhi:
    out = uint32_t(uint64_t(a) * b >> 32);
    return true;
  case Opcode::s_and:
    out = a & b;
    return true;
  case Opcode::s_or:
    out = a | b;
    return true;
  case Opcode::s_xor:
    out = a ^ b;
    return true;
  case Opcode::s_shl:
    out = b >= 32 ? 0 : a << b;
    return true;
  case Opcode::s_shr:
    out = b >= 32 ? 0 : a >> b;
    return true;
  case Opcode::s_sra:
    out = uint32_t(sa >> std::min(b, 31u));
    return true;
  case Opcode::s_min:
    out = uint32_t(std::min(sa, sb));
    return true;
  case Opcode::s_max:
    out = uint32_t(std::max(sa, sb));
    return true;
  case Opcode::s_eq:
    out = a == b;
    return true;
  case Opcode::s_ne:
    out = a != b;
    return true;
  case Opcode::s_lt:
    out = sa < sb;
    return true;
  case Opcode::s_le:
    out = sa <= sb;
    return true;
  case Opcode::s_ltu:
    out = a < b;
    return true;
  case Opcode::s_sel:
    out = a ? b : c;
    return true;
  default:
    return false;
  }
}

uint64_t Interpreter::Row::hash() const { return mix(value, uint64_t(sublane)); }

// Independent of the order in which rows were stored.
uint64_t Interpreter::contents(const Rows &rows) {
  uint64_t sum = 0;
  for (const auto &[address, row] : rows)
    sum += mix(row.hash(), uint64_t(address));
  return sum;
}

static int64_t frameOf(const Module &module, const Function *f, int64_t region) {
  return region >= kSpillRowsRegion ? f - module.functions.data() : -1;
}

uint64_t Interpreter::load(Frame &frame, InstId i, Values v) {
  const OpTraits &t = traits(frame.f->insts[i].opcode);
  int64_t region = int64_t(v[size_t(t.regionField)]);
  int64_t owner = frameOf(module, frame.f, region);
  int64_t address = int32_t(v[size_t(t.addressField)]);
  if (t.scalarLoad) {
    auto it = words.find({region, owner, address});
    uint64_t g = generation[region];
    return uint32_t(it != words.end() ? it->second : mix(uint64_t(region), uint64_t(address))) ^
           uint32_t(g);
  }
  address += int32_t(v[size_t(t.offsetField)]);
  int64_t stride = int32_t(v[size_t(t.strideField)]);
  uint64_t mask = v[3];
  Row first;
  uint64_t h = mix(uint64_t(frame.f->insts[i].opcode), mask);
  bool whole = mask == kAllOnesValue && owner >= 0;
  auto stored = rows.find({region, owner, t.pack});
  for (int s = 0; s < isa::kSublanes; ++s) {
    Row row;
    if (stored != rows.end())
      if (auto it = stored->second.find(address + s * stride); it != stored->second.end())
        row = it->second;
    if (s == 0)
      first = row;
    whole &= row.sublane == s && row.value == first.value;
    h = mix(mix(h, row.value), uint64_t(row.sublane));
  }
  return whole ? first.value : mix(h, generation[region]);
}

void Interpreter::store(Frame &frame, InstId i, Values v) {
  const OpTraits &t = traits(frame.f->insts[i].opcode);
  int64_t region = int64_t(v[size_t(t.regionField)]);
  int64_t owner = frameOf(module, frame.f, region);
  int64_t address = int32_t(v[size_t(t.addressField)]);
  if (t.scalarStore) {
    words[{region, owner, address}] = uint32_t(v[0]);
    return;
  }
  address += int32_t(v[size_t(t.offsetField)]);
  int64_t stride = int32_t(v[size_t(t.strideField)]);
  uint64_t mask = v[3];
  Rows &stored = rows[{region, owner, t.pack}];
  for (int s = 0; s < isa::kSublanes; ++s) {
    Row &row = stored[address + s * stride];
    if (mask == kAllOnesValue)
      row = {v[0], s};
    else
      row = {mix(mix(mix(row.hash(), v[0]), mask), uint64_t(s)), -1};
  }
}

void Interpreter::unit(Frame &frame, InstId i, Values v, std::vector<Write> &writes) {
  Opcode op = frame.f->insts[i].opcode;
  const OpTraits &t = traits(op);
  int q = queueOf(*frame.f, i);
  Queue &queue = queues[q];
  if (t.pop) {
    if (queue.results.empty()) {
      error = "pop of an empty FIFO";
      return;
    }
    writes.push_back({frame.f->ops(i)[0], queue.results.front()});
    queue.results.pop_front();
    return;
  }
  uint64_t h = uint64_t(op);
  for (uint64_t x : v)
    h = mix(h, x);
  if (q >= 3) {
    Array &array = arrays[q];
    switch (isa::info(op).latency) {
    case isa::LatencyClass::mxu_latch:
      array.shadow = mix(array.shadow, h);
      return;
    case isa::LatencyClass::mxu_swap:
      array.weights = mix(array.shadow, h);
      array.shadow = 0;
      return;
    default:
      queue.results.push_back(mix(array.weights, h));
      return;
    }
  }
  if (t.transposePart) {
    queue.open = mix(queue.open, h);
    if (!t.transposeEnd)
      return;
    for (int j = 0; j < pushCount(*frame.f, i); ++j)
      queue.results.push_back(mix(queue.open, uint64_t(j)));
    queue.open = 0;
    return;
  }
  if (queue.open)
    error = "push into a block to transpose";
  queue.results.push_back(q == 2 ? uint32_t(h) : h);
}

void Interpreter::inst(Frame &frame, InstId i, std::vector<Write> &writes) {
  Opcode op = frame.f->insts[i].opcode;
  const OpTraits &t = traits(op);
  const isa::InstInfo &info = isa::info(op);
  if (++executed > mostExecuted)
    error = "executes too long";
  auto ops = frame.f->ops(i);
  std::array<uint64_t, isa::kMaxOperands> values;
  for (size_t k = 0; k < ops.size(); ++k)
    values[k] = info.fields[k].isResult ? 0 : read(frame, ops[k], info.fields[k].kind);
  Values v(values.data(), ops.size());
  if (t.push || t.pop)
    return unit(frame, i, v, writes);
  if (t.isStore())
    return store(frame, i, v);
  uint64_t h = uint64_t(op);
  for (uint64_t x : v)
    h = mix(h, x);
  if (t.barrier) {
    log = mix(log, h);
    if (info.unit == isa::Unit::Dma) {
      // A copy reads all previous stores to its source.
      const int64_t source = int64_t(v[3]);
      for (auto it = rows.lower_bound({source, INT64_MIN, INT64_MIN});
           it != rows.end() && it->first[0] == source; ++it)
        log = mix(log, contents(it->second));
      log = mix(log, generation[int64_t(v[3])]);
      generation[int64_t(v[2])] = log;
    }
    h = uint32_t(log);
  }
  uint32_t scalar = 0;
  if (t.vectorLoad || t.scalarLoad)
    h = load(frame, i, v);
  else if (isCopy(*frame.f, i))
    h = v[1];
  else if (scalarResult(op, v, scalar))
    h = scalar;
  else if (op == Opcode::v_sel && ops[2] == Operand::imm(1) && ops[3] == Operand::imm(0))
    h = v[1] * kOdd;
  else if (op == Opcode::v_ne && ops[2] == Operand::imm(0))
    h = v[1] * kInverse;
  if (t.results)
    writes.push_back({ops[0], h});
}

void Interpreter::block(Frame &frame, const Node &node) {
  std::vector<Write> writes;
  for (size_t k = 0; k < node.insts.size() && error.empty();) {
    writes.clear();
    size_t end = k + 1;
    if (node.scheduled)
      while (end < node.insts.size() && node.cycles[end] == node.cycles[k])
        ++end;
    // Pops leave the FIFO before pushes enter; loads see memory before stores.
    for (int phase = 0; phase < 2; ++phase)
      for (size_t j = k; j < end; ++j) {
        const OpTraits &t = traits(frame.f->insts[node.insts[j]].opcode);
        if ((t.push || t.isStore()) == (phase == 1))
          inst(frame, node.insts[j], writes);
      }
    for (const Write &w : writes)
      place(frame, w.to.regId()) = w.value;
    k = end;
  }
}

void Interpreter::loop(Frame &frame, const Node &node) {
  int32_t trips = int32_t(read(frame, node.operand, FieldKind::S));
  auto value = [&](const Operand &o, RegId phi) {
    return read(frame, o, frame.f->regs[phi].cls == RegClass::V ? FieldKind::VS : FieldKind::S);
  };
  auto assign = [&](auto member) {
    std::vector<uint64_t> values;
    for (const Carried &c : node.carried)
      values.push_back(value(c.*member, c.phi));
    for (size_t k = 0; k < values.size(); ++k)
      place(frame, node.carried[k].phi) = values[k];
  };
  assign(&Carried::init);
  for (int32_t i = 0; i < trips && error.empty(); ++i) {
    list(frame, node.body);
    assign(&Carried::next);
  }
  for (const Carried &c : node.carried)
    if (c.result != kNone)
      place(frame, c.result) = place(frame, c.phi);
}

void Interpreter::call(Frame &frame, const Node &node) {
  if (++depth > 16) {
    error = "calls too deep";
    return;
  }
  Frame callee{&module.functions[node.callee], {}};
  callee.regs.assign(callee.f->regs.size(), 0);
  list(callee, callee.f->body);
  --depth;
  // Registers are undefined after a call.
  for (auto &file : machine)
    for (uint64_t &r : file)
      r = mix(r, 0xdead);
  (void)frame;
}

bool Interpreter::list(Frame &frame, const std::vector<NodeId> &nodes) {
  // Empty loops count as well.
  if (++executed > mostExecuted)
    error = "executes too long";
  for (NodeId n : nodes) {
    if (!error.empty())
      return false;
    const Node &node = frame.f->nodes[n];
    switch (node.kind) {
    case Node::Kind::Block:
      block(frame, node);
      break;
    case Node::Kind::Loop:
      loop(frame, node);
      break;
    case Node::Kind::If:
      if (!list(frame, uint32_t(read(frame, node.operand, FieldKind::S)) ? node.body : node.orElse))
        return false;
      break;
    case Node::Kind::Interleave:
      if (!list(frame, node.body) || !list(frame, node.orElse))
        return false;
      break;
    case Node::Kind::While:
      while (error.empty() && list(frame, node.body)) {
      }
      break;
    case Node::Kind::Exit:
      if (uint32_t(read(frame, node.operand, FieldKind::S)) == 0)
        return false;
      break;
    case Node::Kind::Call:
      call(frame, node);
      break;
    }
  }
  return true;
}

std::string Interpreter::run() {
  Frame frame{&module.functions[module.main], {}};
  frame.regs.assign(frame.f->regs.size(), 0);
  list(frame, frame.f->body);
  for (auto &[q, queue] : queues)
    if (!queue.results.empty() && error.empty())
      error = "results left in a FIFO";
  return error;
}

uint64_t Interpreter::state() const {
  uint64_t h = log;
  for (const auto &[key, stored] : rows)
    if (key[0] < kSpillRowsRegion)
      h = mix(mix(h, uint64_t(key[0])), contents(stored));
  for (const auto &[key, word] : words)
    if (key[0] < kSpillRowsRegion)
      h = mix(mix(mix(h, uint64_t(key[0])), uint64_t(key[2])), word);
  for (const auto &[region, g] : generation)
    if (g)
      h = mix(mix(h, uint64_t(region)), g);
  return h;
}

} // namespace systole::machine
