// The computations of an HLO module with resolved references.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Graph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <optional>

using llvm::Twine;

namespace systole::hlo {

namespace {

/// Finds instructions by id. Some producers number them within a computation, put the computation's
/// id into the upper half, and refer to them by the full id or its lower half.
class Numbers {
public:
  /// False if the id is a duplicate.
  bool add(int64_t number, unsigned index) {
    auto [half, isFirst] = lower.try_emplace(uint32_t(number), index);
    if (!isFirst)
      half->second = std::nullopt;
    return whole.try_emplace(number, index).second;
  }

  std::optional<unsigned> find(int64_t number) const {
    if (auto found = whole.find(number); found != whole.end())
      return found->second;
    auto found = lower.find(uint32_t(number));
    return found == lower.end() ? std::nullopt : found->second;
  }

private:
  std::unordered_map<int64_t, unsigned> whole;
  std::unordered_map<uint32_t, std::optional<unsigned>> lower; // nothing if ambiguous
};

} // namespace

bool Graph::refuse(const Twine &why) {
  reason = why.str();
  return false;
}

bool Graph::build(const HloModuleProto &module) {
  for (const HloComputationProto &proto : module.computations()) {
    if (!computationIndex.try_emplace(proto.id(), all.size()).second)
      return refuse("two computations have the id " + Twine(proto.id()));
    all.push_back({&proto, {}});
  }
  std::optional<unsigned> entry;
  if (auto found = computationIndex.find(module.entry_computation_id());
      found != computationIndex.end())
    entry = found->second;
  // Older modules name the entry instead of giving its id.
  for (auto [index, computation] : llvm::enumerate(all))
    if (!entry && computation.proto->name() == module.entry_computation_name())
      entry = index;
  if (!entry)
    return refuse("there is no entry computation");
  entryIndex = *entry;
  for (Computation &computation : all)
    if (!resolve(computation) || !order(computation) || !findParameters(computation))
      return false;
  return true;
}

bool Graph::resolve(Computation &computation) {
  const HloComputationProto &proto = *computation.proto;
  Numbers numbers;
  for (auto [index, instruction] : llvm::enumerate(proto.instructions())) {
    if (!numbers.add(instruction.id(), index))
      return refuse("instruction '" + instruction.name() + "': its id " + Twine(instruction.id()) +
                    " is not unique");
    computation.instructions.push_back({&instruction, {}, {}});
  }
  for (Instruction &instruction : computation.instructions) {
    for (int64_t id : instruction.proto->operand_ids()) {
      std::optional<unsigned> operand = numbers.find(id);
      if (!operand)
        return refuse("instruction '" + instruction.proto->name() + "': its operand " + Twine(id) +
                      " is not an instruction of computation '" + proto.name() + "'");
      instruction.operands.push_back(*operand);
    }
    for (int64_t id : instruction.proto->called_computation_ids()) {
      auto callee = computationIndex.find(id);
      if (callee == computationIndex.end())
        return refuse("instruction '" + instruction.proto->name() + "': there is no computation " +
                      Twine(id));
      instruction.calls.push_back(callee->second);
    }
  }
  std::optional<unsigned> root = numbers.find(proto.root_id());
  if (!root)
    return refuse("computation '" + proto.name() + "': its root " + Twine(proto.root_id()) +
                  " is not one of its instructions");
  computation.root = *root;
  return true;
}

/// Sorts instructions topologically and otherwise keeps the given order.
bool Graph::order(Computation &computation) {
  enum class State : uint8_t { New, Open, Done };
  std::vector<Instruction> &given = computation.instructions;
  std::vector<State> states(given.size(), State::New);
  std::vector<unsigned> sequence, newIndex(given.size());
  struct Frame {
    unsigned index, operand;
  };
  std::vector<Frame> stack;
  for (unsigned start = 0; start < given.size(); ++start) {
    if (states[start] == State::New)
      stack.push_back({start, 0});
    while (!stack.empty()) {
      Frame &top = stack.back();
      states[top.index] = State::Open;
      if (top.operand == given[top.index].operands.size()) {
        states[top.index] = State::Done;
        newIndex[top.index] = sequence.size();
        sequence.push_back(top.index);
        stack.pop_back();
        continue;
      }
      const unsigned operand = given[top.index].operands[top.operand++];
      if (states[operand] == State::Open)
        return refuse("instruction '" + given[operand].proto->name() + "' depends on itself");
      if (states[operand] == State::New)
        stack.push_back({operand, 0});
    }
  }
  std::vector<Instruction> ordered;
  for (unsigned index : sequence) {
    ordered.push_back(std::move(given[index]));
    for (unsigned &operand : ordered.back().operands)
      operand = newIndex[operand];
  }
  computation.root = newIndex[computation.root];
  given = std::move(ordered);
  return true;
}

bool Graph::findParameters(Computation &computation) {
  std::unordered_map<int64_t, unsigned> numbers;
  for (auto [index, instruction] : llvm::enumerate(computation.instructions))
    if (instruction.proto->opcode() == "parameter" &&
        !numbers.try_emplace(instruction.proto->parameter_number(), index).second)
      return refuse("instruction '" + instruction.proto->name() + "': computation '" +
                    computation.proto->name() + "' has a duplicate parameter number");
  for (unsigned number = 0; number < numbers.size(); ++number) {
    auto found = numbers.find(number);
    if (found == numbers.end())
      return refuse("computation '" + computation.proto->name() + "' has no parameter " +
                    Twine(number));
    computation.parameters.push_back(found->second);
  }
  return true;
}

} // namespace systole::hlo
