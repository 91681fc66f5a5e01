// Handwritten artifacts: cycles, deep nesting and huge sizes that a trusting reader would follow,
// and violated preconditions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/ReadArtifact.h"
#include "compiler/Pipeline/Register.h"
#include "test/unit/compiler/Import/ArtifactBytes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace systole {
namespace {

/// The text of the only diagnostic, or the module.
std::string read(const std::string &bytes) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { errors.push_back(diagnostic.str()); });
  OwningOpRef<ModuleOp> module = readArtifact(bytes, "file", context);
  EXPECT_EQ(errors.size(), module ? 0u : 1u);
  if (!module)
    return errors.empty() ? "" : errors[0];
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

std::string read(const ArtifactBytes &artifact) { return read(artifact.bytes()); }

using Make = ArtifactBytes;

/// The body of a module: `values` values, `count` operations.
std::string body(unsigned values, unsigned count, const std::string &operations) {
  return number(values) + number(count << 1) + operations;
}
const std::string kToken = Make::operation(1, 2, number(1) + number(0));
std::string add(unsigned lhs, unsigned rhs) {
  return Make::operation(2, 2 | 4, number(1) + number(0) + number(2) + number(lhs) + number(rhs));
}

TEST(Artifact, ValuesAreNumberedInOrder) {
  Make artifact;
  artifact.body = body(3, 3, kToken + kToken + add(1, 0));
  EXPECT_THAT(read(artifact),
              HasSubstr("\"vhlo.add_v1\"(%1, %0) : (!vhlo.tensor_v1<[], !vhlo.f32_v1>"));
}

TEST(Artifact, ValuesOfInnerRegionsComeAfterThoseOfTheWholeRegionAround) {
  Make artifact;
  // The outer region has values 0 and 1, so the inner ones start at 2 both times.
  std::string end = Make::operation(4, 0, "");
  std::string inner = number(1) + body(2, 3, kToken + add(2, 0) + end);
  artifact.body = body(2, 2,
                       kToken + Make::operation(3, 2 | 4 | 16,
                                                number(1) + number(0) + number(1) + number(0) +
                                                    number(2 << 1) + inner + inner));
  EXPECT_THAT(read(artifact), HasSubstr("(%2, %0) : (!vhlo.tensor_v1<[], !vhlo.f32_v1>"));
}

TEST(Artifact, WhatIsWrongWithValues) {
  Make artifact;
  artifact.body = body(1, 1, add(0, 0));
  EXPECT_THAT(read(artifact), HasSubstr("value 0 is used before it is defined"));
  artifact.body = body(1, 1, add(0, 1));
  EXPECT_THAT(read(artifact), HasSubstr("value 0 is used before it is defined"));
  artifact.body = body(2, 2, kToken + add(0, 2));
  EXPECT_THAT(read(artifact), HasSubstr("value 2 of 2"));
  artifact.body = body(1, 2, kToken + kToken);
  EXPECT_THAT(read(artifact), HasSubstr("more values than the region declares"));
  artifact.body = body(5, 1, kToken);
  EXPECT_THAT(read(artifact), HasSubstr("5 values are declared, there are 1"));
  artifact.body = number(uint64_t(1) << 60) + number(0);
  EXPECT_THAT(read(artifact), HasSubstr("1152921504606846976 values in the"));
}

TEST(Artifact, AttributesThatContainThemselves) {
  Make artifact;
  // Two arrays that contain each other.
  artifact.attributes = {number(15), number(0) + number(1) + number(2),
                         number(0) + number(1) + number(1)};
  artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(1) + number(1) + number(0)));
  EXPECT_THAT(read(artifact), HasSubstr("contains itself"));
  // A tensor type whose element type is itself.
  artifact.types[1] = number(20) + number(0) + number(0);
  EXPECT_THAT(read(artifact), HasSubstr("contains itself"));
}

TEST(Artifact, AttributesThatAreDeep) {
  Make artifact;
  for (unsigned i = 1; i < 600; ++i)
    artifact.attributes.push_back(number(0) + number(1) + number(i - 1));
  // An operation's attributes are a dictionary.
  artifact.strings.push_back("a");
  artifact.attributes.push_back(number(2) + number(7));
  artifact.attributes.push_back(number(1) + number(1) + number(600) + number(599));
  artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(601) + number(1) + number(0)));
  EXPECT_THAT(read(artifact), HasSubstr("attributes nest deeper than 512"));
  artifact.attributes[601] = number(1) + number(1) + number(600) + number(500);
  EXPECT_THAT(read(artifact), HasSubstr("a = ["));
}

TEST(Artifact, AttributesThatGrowAsTheyArePrinted) {
  Make artifact;
  // Each contains the previous one twice: the last one has 2^60 elements.
  for (unsigned i = 1; i <= 60; ++i)
    artifact.attributes.push_back(number(0) + number(2) + number(i - 1) + number(i - 1));
  artifact.strings.push_back("a");
  artifact.attributes.push_back(number(2) + number(7));
  artifact.attributes.push_back(number(1) + number(1) + number(61) + number(60));
  artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(62) + number(1) + number(0)));
  EXPECT_THAT(read(artifact), HasSubstr("attributes contain each other too often"));
}

TEST(Artifact, ListsThatAreLongerThanTheFile) {
  for (uint64_t count : {uint64_t(100), uint64_t(1) << 40, ~uint64_t(0)}) {
    Make artifact;
    artifact.types[0] = number(20) + number(count) + number(1);
    artifact.body = body(1, 1, kToken);
    EXPECT_THAT(read(artifact), HasSubstr("the file is truncated")) << count;
    artifact.types[0] = number(8) + number(count) + number(1);
    EXPECT_THAT(read(artifact), MatchesRegex("byte .*")) << count;
    artifact = Make();
    artifact.attributes.push_back(number(0) + number(count));
    artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(1) + number(1) + number(0)));
    EXPECT_THAT(read(artifact), HasSubstr(" attributes in the 0 bytes that are left")) << count;
    artifact = Make();
    artifact.body = body(1, 1, Make::operation(1, 2, number(count)));
    EXPECT_THAT(read(artifact), HasSubstr(" results in the ")) << count;
    artifact.body = body(0, 1, Make::operation(3, 16, number(count / 2 << 1)));
    EXPECT_THAT(read(artifact), HasSubstr(" regions in the ")) << count;
  }
}

TEST(Artifact, TextsAreNamesOfTypes) {
  Make artifact;
  artifact.areBuiltinTypesTexts = true;
  artifact.strings.push_back("a");
  artifact.attributes = {number(15), number(6) + number(2), number(2) + number(7),
                         number(1) + number(1) + number(2) + number(1)};
  artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(3) + number(1) + number(0)));
  auto readWith = [&](const std::string &text) {
    artifact.builtinTypes = {text + '\0'};
    return read(artifact);
  };
  EXPECT_THAT(readWith("f8E4M3FN"), HasSubstr("a = f8E4M3FN"));
  EXPECT_THAT(readWith("frob"), HasSubstr("the name of a type is expected"));
  EXPECT_THAT(readWith(""), HasSubstr("the name of a type is expected"));
  EXPECT_THAT(readWith("tensor<4xf32>"), HasSubstr("the name of a type is expected"));
  EXPECT_THAT(readWith(std::string("f32\0f32", 7)), HasSubstr("4 bytes too many in a text"));
}

TEST(Artifact, RegionsThatAreDeep) {
  Make artifact;
  std::string inner = number(0);
  for (unsigned i = 0; i < 200; ++i)
    inner = number(1) + body(0, 1, Make::operation(3, 16, number(1 << 1) + inner));
  artifact.body = inner.substr(1);
  EXPECT_THAT(read(artifact), HasSubstr("regions nest deeper than 128"));
}

TEST(Artifact, ControlFlowGraphs) {
  Make artifact;
  artifact.body = body(0, 1, Make::operation(3, 16, number(1 << 1) + number(2) + number(0)));
  EXPECT_THAT(read(artifact), HasSubstr("a region with 2 blocks"));
  artifact.body = body(0, 1, Make::operation(1, 8, number(1) + number(0)));
  EXPECT_THAT(read(artifact), HasSubstr("an operation with successors"));
}

TEST(Artifact, SectionsThatAreMissingOrTooMany) {
  EXPECT_THAT(read("ML\xefR\x0dStableHLO_v1.9.0" + std::string(1, '\0')),
              HasSubstr("section 0 is missing"));
  Make artifact;
  artifact.more = section(8, number(0));
  EXPECT_THAT(read(artifact), HasSubstr("section 8 occurs twice"));
  artifact.more = section(9, "");
  EXPECT_THAT(read(artifact), HasSubstr("there is no section 9"));
  artifact.more = section(5, "abc");
  EXPECT_THAT(read(artifact), HasSubstr("resources, which portable artifacts do not have"));
}

TEST(Artifact, ConstantsThatDoNotFitTheirTypes) {
  Make artifact;
  artifact.strings.push_back("a");
  artifact.builtinTypes = {number(13) + number(1) + number(3 << 1) + number(3), // tensor<3xi32>
                           number(0) + number(32 << 2)};
  auto readWith = [&](const std::string &data) {
    artifact.attributes = {number(15), number(2) + number(7),
                           number(1) + number(1) + number(1) + number(3),
                           number(18) + number(2) + number(data.size()) + data};
    artifact.body = body(1, 1, Make::operation(1, 1 | 2, number(2) + number(1) + number(0)));
    return read(artifact);
  };
  EXPECT_THAT(readWith({1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}), HasSubstr("dense<[1, 2, 3]>"));
  EXPECT_THAT(readWith({5, 0, 0, 0}), HasSubstr("dense<5>"));
  EXPECT_THAT(readWith(std::string(8, 0)), HasSubstr("8 bytes do not fit the elements"));
  EXPECT_THAT(readWith(""), HasSubstr("0 bytes do not fit the elements"));
  // 2^61 times 2^61 elements, whose size wraps to no bytes; and -3 elements.
  std::string size = number(uint64_t(1) << 62);
  artifact.builtinTypes[0] = number(13) + number(2) + size + size + number(3);
  EXPECT_THAT(readWith(""), HasSubstr("0 bytes do not fit the elements"));
  artifact.builtinTypes[0] = number(13) + number(1) + number(5) + number(3);
  EXPECT_THAT(readWith(""), HasSubstr("invalid tensor dimension size"));
  artifact.builtinTypes[1] = number(0) + number(uint64_t(100) << 2);
  EXPECT_THAT(readWith(""), HasSubstr("a type of integers with 100 bits"));
}

} // namespace
} // namespace systole
