// Asynchronous forms of operations, as computations that async-start calls.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/WrapAsync.h"

#include "compiler/Import/Hlo/Opcodes.h"
#include "compiler/Import/Hlo/Types.h"

using namespace llvm;

namespace systole::hlo {

namespace {

/// The computation of an operation on the operands that the tuple of its start begins with; the
/// results are its next element.
HloComputationProto wrapped(const HloInstructionProto &start, StringRef opcode, int64_t id) {
  HloComputationProto computation;
  computation.set_id(id);
  computation.set_name("async_" + start.name());
  HloInstructionProto operation = start;
  operation.set_opcode(opcode.str());
  *operation.mutable_shape() = start.shape().tuple_shapes(1);
  operation.clear_operand_ids();
  const ShapeProto &operands = start.shape().tuple_shapes(0);
  const bool isOne = operands.element_type() != kTuple;
  for (int number = 0; number < (isOne ? 1 : operands.tuple_shapes_size()); ++number) {
    HloInstructionProto &parameter = *computation.add_instructions();
    parameter.set_id(number + 1);
    parameter.set_name("operand_" + std::to_string(number));
    parameter.set_opcode("parameter");
    parameter.set_parameter_number(number);
    *parameter.mutable_shape() = isOne ? operands : operands.tuple_shapes(number);
    *parameter.mutable_metadata() = start.metadata();
    operation.add_operand_ids(parameter.id());
  }
  operation.set_id(computation.instructions_size() + 1);
  computation.set_root_id(operation.id());
  *computation.add_instructions() = std::move(operation);
  return computation;
}

/// Removes `half` from the opcode of an instruction that has no builder, but whose operation has.
bool consumeHalf(StringRef &opcode, StringRef half) {
  return !findOpcode(opcode) && opcode.consume_back(half) && findOpcode(opcode);
}

} // namespace

void wrapAsync(HloModuleProto &module) {
  int64_t id = 0;
  for (const HloComputationProto &computation : module.computations())
    id = std::max<int64_t>(id, computation.id());
  std::vector<HloComputationProto> added;
  for (HloComputationProto &computation : *module.mutable_computations())
    for (HloInstructionProto &instruction : *computation.mutable_instructions()) {
      const std::string name = instruction.opcode();
      for (StringRef half : {"-update", "-done"})
        if (StringRef opcode = name; consumeHalf(opcode, half))
          instruction.set_opcode(("async" + half).str());
      StringRef opcode = name;
      if (instruction.shape().tuple_shapes_size() < 2 || !consumeHalf(opcode, "-start"))
        continue;
      if (id == std::numeric_limits<int64_t>::max())
        return;
      added.push_back(wrapped(instruction, opcode, ++id));
      HloInstructionProto start;
      start.set_id(instruction.id());
      start.set_name(instruction.name());
      start.set_opcode("async-start");
      *start.mutable_shape() = instruction.shape();
      *start.mutable_operand_ids() = instruction.operand_ids();
      *start.mutable_metadata() = instruction.metadata();
      start.add_called_computation_ids(id);
      instruction = std::move(start);
    }
  for (HloComputationProto &computation : added)
    *module.add_computations() = std::move(computation);
}

} // namespace systole::hlo
