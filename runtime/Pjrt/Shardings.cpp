// Shardings as text, and the module that carries them.
//
// Clients learn how arguments and results are divided from the optimized program: the interface has
// no functions for that. They parse it and look at its attributes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Shardings.h"

#include <cassert>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Program/ArrayParts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::pjrt {

std::string shardingOf(const program::Tensor &tensor, int cores) {
  const absl::StatusOr<ArrayParts> parts = arrayPartsOf(tensor, cores);
  assert(parts.ok() && "headers are checked");
  if (!parts->isDivided())
    return "{replicated}";
  const int64_t copies = parts->copies();
  return absl::StrCat(
      "{devices=[", absl::StrJoin(parts->counts, ","), copies > 1 ? absl::StrCat(",", copies) : "",
      "]", absl::StrJoin(parts->cores, ","), copies > 1 ? " last_tile_dim_replicate" : "", "}");
}

namespace {

using Types = std::span<const std::shared_ptr<const ArrayType>>;

// "tensor<3x4xf32>"
void appendType(std::string *out, const std::shared_ptr<const ArrayType> &type) {
  absl::StrAppend(out, "tensor<");
  for (int64_t dim : type->dims())
    absl::StrAppend(out, dim, "x");
  absl::StrAppend(out, type->dtype(), ">");
}

std::string typesText(Types types) { return absl::StrJoin(types, ", ", appendType); }

// The dimensions of each array from minor to major.
std::string layoutsText(Types types) {
  return absl::StrJoin(types, ", ", [](std::string *out, const auto &type) {
    const std::span<const int64_t> order = type->minorToMajor();
    absl::StrAppend(out, "dense<[", absl::StrJoin(order, ", "), "]> : tensor<", order.size(),
                    "xindex>");
  });
}

std::string quoted(std::string_view text) {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << '"';
  llvm::printEscapedString(llvm::StringRef(text.data(), text.size()), out);
  out << '"';
  return result;
}

std::vector<std::string> shardingsOf(const auto &tensors, int cores) {
  std::vector<std::string> shardings;
  for (const program::Tensor &tensor : tensors)
    shardings.push_back(shardingOf(tensor, cores));
  return shardings;
}

} // namespace

std::string partitionedModule(const LoadedProgram &program, std::string_view name) {
  const program::ProgramHeader &header = program.program().header;
  const Types arguments = program.arguments(), results = program.results();
  std::vector<std::string> attributes = {
      absl::StrCat("mhlo.num_partitions = ", program.program().header.cores(), " : i32"),
      "mhlo.num_replicas = 1 : i32",
      absl::StrCat("mhlo.xla_entry_computation_parameter_layouts = [", layoutsText(arguments), "]"),
      absl::StrCat("mhlo.xla_entry_computation_result_layout = [", layoutsText(results), "]"),
      absl::StrCat("mhlo.spmd_parameters_shardings = [",
                   absl::StrJoin(shardingsOf(header.arguments(), program.program().header.cores()),
                                 ", ",
                                 [](std::string *out, const std::string &sharding) {
                                   absl::StrAppend(out, quoted(sharding));
                                 }),
                   "]")};
  // One for a result, a list for several of them, none without results.
  if (const auto shardings = shardingsOf(header.results(), program.program().header.cores());
      !shardings.empty()) {
    const std::string list = absl::StrJoin(shardings, ", ");
    attributes.push_back(
        absl::StrCat("mhlo.spmd_output_sharding = ",
                     quoted(shardings.size() > 1 ? absl::StrCat("{", list, "}") : list)));
  }
  std::vector<std::string> parameters, names, values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    names.push_back(absl::StrCat("%arg", i));
    parameters.push_back(names.back() + ": ");
    appendType(&parameters.back(), arguments[i]);
  }
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(results.size() > 1 ? absl::StrCat("%0#", i) : "%0");
  const std::string resultTypes = typesText(results);
  std::string text =
      absl::StrCat("module @", quoted(name), " attributes {", absl::StrJoin(attributes, ", "),
                   "} {\n  func.func public @main(", absl::StrJoin(parameters, ", "), ") -> (",
                   resultTypes, ") {\n    ");
  if (!results.empty())
    absl::StrAppend(&text, "%0", results.size() > 1 ? absl::StrCat(":", results.size()) : "",
                    " = ");
  absl::StrAppend(&text, "stablehlo.custom_call @systole.program(", absl::StrJoin(names, ", "),
                  ") {has_side_effect = true} : (", typesText(arguments), ") -> (", resultTypes,
                  ")\n    return");
  if (!results.empty())
    absl::StrAppend(&text, " ", absl::StrJoin(values, ", "), " : ", resultTypes);
  absl::StrAppend(&text, "\n  }\n}\n");
  return text;
}

} // namespace systole::pjrt
