// HLO protos as producers write them, and malformed ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/ReadHlo.h"
#include "compiler/Import/Hlo/hlo.pb.h"
#include "compiler/Pipeline/Register.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace systole {
namespace {

using namespace hlo;
using testing::HasSubstr;

constexpr int32_t kF32 = 11;

class HloProto : public testing::Test {
protected:
  HloProto() : context(dialects(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    module.set_name("m");
    module.set_entry_computation_id(1);
    main = module.add_computations();
    main->set_name("main");
    main->set_id(1);
  }

  HloInstructionProto &add(int64_t id, std::string opcode, std::vector<int64_t> operands,
                           std::vector<int64_t> sizes = {2, 3}) {
    HloInstructionProto &made = *main->add_instructions();
    made.set_id(id);
    made.set_name("i" + std::to_string(id));
    made.set_opcode(std::move(opcode));
    made.mutable_shape()->set_element_type(kF32);
    for (int64_t size : sizes)
      made.mutable_shape()->add_dimensions(size);
    for (int64_t operand : operands)
      made.add_operand_ids(operand);
    main->set_root_id(id);
    return made;
  }

  /// The module as text, or the only error.
  std::string import(const std::string &bytes) {
    std::string errors;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { errors += "error: " + diagnostic.str() + "\n"; });
    OwningOpRef<ModuleOp> made = readHlo(bytes, "x.pb", context);
    EXPECT_EQ(!made, !errors.empty());
    if (!made)
      return errors;
    std::string text;
    llvm::raw_string_ostream stream(text);
    made->print(stream);
    return text;
  }
  std::string import() { return import(module.SerializeAsString()); }

  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
  HloModuleProto module;
  HloComputationProto *main;
};

TEST_F(HloProto, TakesInstructionsInAnyOrder) {
  add(30, "add", {10, 20});
  add(20, "negate", {10});
  add(10, "parameter", {});
  main->set_root_id(30);
  EXPECT_THAT(import(), HasSubstr("    %0 = stablehlo.negate %arg0 : tensor<2x3xf32>\n"
                                  "    %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>\n"));
}

// Newer producers put the computation's number into the upper half.
TEST_F(HloProto, TakesNumbersWithTheirComputations) {
  constexpr int64_t kUpper = int64_t(7) << 32;
  add(kUpper + 1, "parameter", {});
  add(kUpper + 2, "negate", {1});
  add(kUpper + 3, "abs", {kUpper + 2});
  main->set_root_id(3);
  EXPECT_THAT(import(), HasSubstr("return %1 : tensor<2x3xf32>"));
}

TEST_F(HloProto, TakesExtremeNumbers) {
  add(INT64_MAX, "parameter", {});
  add(INT64_MIN, "negate", {INT64_MAX});
  EXPECT_THAT(import(), HasSubstr("stablehlo.negate"));
}

TEST_F(HloProto, ReadsLiteralsAsTheyLie) {
  HloInstructionProto &constant = add(1, "constant", {});
  *constant.mutable_literal()->mutable_shape() = constant.shape();
  // Columns, one after the other.
  constant.mutable_literal()->mutable_shape()->mutable_layout()->add_minor_to_major(0);
  constant.mutable_literal()->mutable_shape()->mutable_layout()->add_minor_to_major(1);
  for (float value : {1, 2, 3, 4, 5, 6})
    constant.mutable_literal()->add_f32s(value);
  EXPECT_THAT(import(), HasSubstr("dense<[[1.000000e+00, 3.000000e+00, 5.000000e+00], "
                                  "[2.000000e+00, 4.000000e+00, 6.000000e+00]]>"));
  constant.mutable_literal()->mutable_shape()->mutable_layout()->set_minor_to_major(1, 0);
  EXPECT_EQ(import(), "error: instruction 'i1': its literal does not fit its shape\n");
}

TEST_F(HloProto, NeverMakesElementsOfAShape) {
  HloInstructionProto &constant = add(1, "constant", {}, {1 << 30, 1 << 30, 1 << 30});
  *constant.mutable_literal()->mutable_shape() = constant.shape();
  constant.mutable_literal()->add_f32s(1);
  EXPECT_EQ(import(), "error: instruction 'i1': its literal does not fit its shape\n");
}

TEST_F(HloProto, ReadsEnvelopes) {
  add(1, "parameter", {});
  add(2, "negate", {1});
  Envelope proto, snapshot;
  proto.set_content(module.SerializeAsString());
  snapshot.set_content(proto.SerializeAsString());
  const std::string alone = import();
  EXPECT_EQ(import(proto.SerializeAsString()), alone);
  EXPECT_EQ(import(snapshot.SerializeAsString()), alone);

  HloModuleConfigProto config;
  config.set_num_partitions(4);
  proto.set_config(config.SerializeAsString());
  EXPECT_THAT(import(proto.SerializeAsString()), HasSubstr("mhlo.num_partitions = 4"));
}

TEST_F(HloProto, RefusesFieldsThatItDoesNotKnow) {
  add(1, "parameter", {});
  const HloInstructionProto negate = add(2, "negate", {1});
  // The module with more bytes in the last instruction: tags are 8 times the field's number and
  // 0 for a number, 2 for a length and bytes, 3 and 4 for the begin and end of a group.
  auto with = [&](std::string_view bytes) {
    HloInstructionProto &last = *main->mutable_instructions(1);
    last = negate;
    EXPECT_TRUE(last.MergeFromString(std::string(bytes)));
    return import();
  };
  const std::string kind = "\x5a\x05kLoop"; // of a fusion, field 11
  EXPECT_THAT(with(kind + std::string("\x92\x06\0", 3)), HasSubstr("stablehlo.negate"));
  EXPECT_EQ(with(kind + "\x90\x4d\x01"),
            "error: field 1234 of HloInstructionProto 'i2' is not known\n");
  EXPECT_EQ(with("\x38\x01"),
            "error: field 'metadata' of HloInstructionProto 'i2' has another type "
            "than it should\n");
  EXPECT_EQ(with("\x93\x4d\x94\x4d"), "error: HloInstructionProto 'i2' has a group\n");
}

TEST_F(HloProto, ArraysOfNumbersMayBePackedOrNot) {
  add(1, "parameter", {});
  HloInstructionProto &negate = add(2, "negate", {1});
  const std::string packed = import();
  auto delimited = [](char tag, const std::string &bytes) {
    std::string field(1, tag);
    for (size_t rest = bytes.size(); rest > 0; rest >>= 7)
      field += char((rest & 127) | (rest > 127 ? 128 : 0));
    return field + bytes;
  };
  negate.clear_operand_ids();
  const std::string instruction = negate.SerializeAsString() + "\xa0\x02\x01"; // field 36
  main->mutable_instructions()->RemoveLast();
  const std::string computation = main->SerializeAsString() + delimited('\x12', instruction);
  module.clear_computations();
  EXPECT_EQ(import(module.SerializeAsString() + delimited('\x1a', computation)), packed);
}

TEST_F(HloProto, RefusesNumbersThatLeadNowhere) {
  add(1, "parameter", {});
  HloInstructionProto &negate = add(2, "negate", {3});
  EXPECT_EQ(import(),
            "error: instruction 'i2': its operand 3 is not an instruction of computation 'main'\n");
  negate.set_operand_ids(0, 1);
  negate.add_called_computation_ids(9);
  EXPECT_EQ(import(), "error: instruction 'i2': there is no computation 9\n");
  negate.clear_called_computation_ids();
  main->set_root_id(5);
  EXPECT_EQ(import(), "error: computation 'main': its root 5 is not one of its instructions\n");
  module.set_entry_computation_id(4);
  EXPECT_EQ(import(), "error: there is no entry computation\n");
}

// Each computation calls the previous one twice.
TEST_F(HloProto, RefusesFusionsThatGrowWithoutBounds) {
  module.clear_computations();
  for (int64_t id = 1; id <= 40; ++id) {
    main = module.add_computations();
    main->set_id(id);
    add(1, "parameter", {});
    for (int64_t i : {2, 3})
      if (id == 1)
        add(i, "negate", {i - 1});
      else
        add(i, "fusion", {i - 1}).add_called_computation_ids(id - 1);
  }
  module.set_entry_computation_id(40);
  EXPECT_THAT(import(), HasSubstr("the module expands to more than 1048576 operations"));
}

TEST_F(HloProto, RefusesDeepCalls) {
  module.clear_computations();
  for (int64_t id = 1; id <= 1000; ++id) {
    main = module.add_computations();
    main->set_id(id);
    main->set_name("c" + std::to_string(id));
    add(1, "parameter", {});
    if (id == 1)
      add(2, "negate", {1});
    else
      add(2, id % 2 ? "fusion" : "call", {1}).add_called_computation_ids(id - 1);
  }
  module.set_entry_computation_id(1000);
  EXPECT_THAT(import(), HasSubstr("is nested deeper than 256"));
}

} // namespace
} // namespace systole
