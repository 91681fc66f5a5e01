// The attributes of instructions in HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/TextParser.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace systole::hlo {

namespace {

using Parse = bool (*)(TextLexer &, HloInstructionProto &, CalledNames &);

struct Attribute {
  StringLiteral name;
  Parse parse;
};

// The index of a name in `names`.
bool oneOf(TextLexer &lexer, ArrayRef<StringLiteral> names, int32_t &number) {
  StringRef name;
  if (!lexer.expectWord(name))
    return false;
  const auto *found = find(names, name);
  if (found == names.end())
    return lexer.fail("'" + name + "' is not known");
  number = found - names.begin();
  return true;
}

// `3x3` and the like: one integer for each dimension of the window.
bool crossed(TextLexer &lexer, Window &window, function_ref<bool(WindowDimension &)> parse) {
  for (int i = 0; i == 0 || lexer.consume("x"); ++i) {
    if (i == window.dimensions_size()) {
      WindowDimension &added = *window.add_dimensions();
      added.set_size(1);
      added.set_stride(1);
      added.set_window_dilation(1);
      added.set_base_dilation(1);
    }
    if (!parse(*window.mutable_dimensions(i)))
      return false;
  }
  return true;
}

/// Digits only: a word would include a following `x` or `_`.
bool digits(TextLexer &lexer, int64_t &value) {
  const bool isNegative = lexer.consume("-");
  StringRef rest = lexer.text.substr(lexer.at);
  const size_t before = rest.size();
  uint64_t number;
  if (rest.consumeInteger(10, number) || number > uint64_t(INT64_MAX))
    return lexer.fail("expected an integer");
  lexer.at += before - rest.size();
  value = isNegative ? -int64_t(number) : int64_t(number);
  return true;
}

bool parseWindow(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  Window &window = *instruction.mutable_window();
  auto number = [&](auto set) {
    return crossed(lexer, window, [&](WindowDimension &dimension) {
      int64_t value;
      if (!digits(lexer, value))
        return false;
      (dimension.*set)(value);
      return true;
    });
  };
  return lexer.list([&] {
    StringRef name;
    if (!lexer.expectWord(name) || !lexer.expect("="))
      return false;
    if (name == "size")
      return number(&WindowDimension::set_size);
    if (name == "stride")
      return number(&WindowDimension::set_stride);
    if (name == "lhs_dilate")
      return number(&WindowDimension::set_base_dilation);
    if (name == "rhs_dilate")
      return number(&WindowDimension::set_window_dilation);
    if (name == "rhs_reversal")
      return number(&WindowDimension::set_window_reversal);
    if (name == "pad")
      return crossed(lexer, window, [&](WindowDimension &dimension) {
        int64_t low, high;
        if (!digits(lexer, low) || !lexer.expect("_") || !digits(lexer, high))
          return false;
        dimension.set_padding_low(low);
        dimension.set_padding_high(high);
        return true;
      });
    return lexer.fail("a window has no '" + name + "'");
  });
}

/// `1_2x0_0_1`
bool parsePadding(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  do {
    auto &dimension = *instruction.mutable_padding_config()->add_dimensions();
    int64_t low, high, interior = 0;
    if (!digits(lexer, low) || !lexer.expect("_") || !digits(lexer, high) ||
        (lexer.consume("_") && !digits(lexer, interior)))
      return false;
    dimension.set_edge_padding_low(low);
    dimension.set_edge_padding_high(high);
    dimension.set_interior_padding(interior);
  } while (lexer.consume("x"));
  return true;
}

/// `{[0:2], [1:5:2]}`
bool parseSlice(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  return lexer.list([&] {
    auto &dimension = *instruction.add_slice_dimensions();
    int64_t start, limit, stride = 1;
    if (!lexer.expect("[") || !lexer.integer(start) || !lexer.expect(":") ||
        !lexer.integer(limit) || (lexer.consume(":") && !lexer.integer(stride)) ||
        !lexer.expect("]"))
      return false;
    dimension.set_start(start);
    dimension.set_limit(limit);
    dimension.set_stride(stride);
    return true;
  });
}

/// One operand of `b01f_01io->b01f`: the positions of the dimensions `first`, `second` and of the
/// spatial ones.
bool labels(TextLexer &lexer, char first, char second, int64_t &firstDim, int64_t &secondDim,
            google::protobuf::RepeatedField<int64_t> &spatial) {
  StringRef rest = lexer.text.substr(lexer.at);
  StringRef name = rest.take_while([](char c) { return isalnum(uint8_t(c)); });
  SmallVector<int64_t> spatialDims(name.size(), -1);
  firstDim = secondDim = -1;
  int64_t count = 0;
  for (auto [position, label] : enumerate(name)) {
    const size_t number = size_t(label - '0');
    int64_t &target = label == first                ? firstDim
                      : label == second             ? secondDim
                      : number < spatialDims.size() ? spatialDims[number]
                                                    : firstDim;
    if (target != -1)
      return lexer.fail("the dimensions are not labelled as a convolution's");
    target = position;
    count += number < spatialDims.size();
  }
  spatialDims.resize(count);
  if (firstDim == -1 || secondDim == -1 || is_contained(spatialDims, -1))
    return lexer.fail("the dimensions are not labelled as a convolution's");
  lexer.at += name.size();
  spatial.Add(spatialDims.begin(), spatialDims.end());
  return true;
}

bool parseLabels(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  ConvolutionDimensionNumbers &numbers = *instruction.mutable_convolution_dimension_numbers();
  int64_t first, second;
  lexer.consume(""); // space
  if (!labels(lexer, 'b', 'f', first, second, *numbers.mutable_input_spatial_dimensions()))
    return false;
  numbers.set_input_batch_dimension(first);
  numbers.set_input_feature_dimension(second);
  if (!lexer.expect("_") ||
      !labels(lexer, 'i', 'o', first, second, *numbers.mutable_kernel_spatial_dimensions()))
    return false;
  numbers.set_kernel_input_feature_dimension(first);
  numbers.set_kernel_output_feature_dimension(second);
  if (!lexer.expect("->") ||
      !labels(lexer, 'b', 'f', first, second, *numbers.mutable_output_spatial_dimensions()))
    return false;
  numbers.set_output_batch_dimension(first);
  numbers.set_output_feature_dimension(second);
  return true;
}

bool parsePrecision(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  return lexer.list([&] {
    int32_t number;
    if (!oneOf(lexer, {"default", "high", "highest"}, number))
      return false;
    instruction.mutable_precision_config()->add_operand_precision(number);
    return true;
  });
}

/// Of a dot, or of random bits.
bool parseAlgorithm(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  int32_t number;
  if (instruction.opcode() == "rng-bit-generator") {
    if (!oneOf(lexer, {"rng_default", "rng_three_fry", "rng_philox"}, number))
      return false;
    instruction.set_rng_algorithm(number);
    return true;
  }
  if (!oneOf(lexer,
             {"unset", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
              "dot_f16_f16_f16", "dot_f16_f16_f32", "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32",
              "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32",
              "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64", "dot_bf16_bf16_f32_x9"},
             number))
    return false;
  instruction.mutable_precision_config()->set_algorithm(number);
  return true;
}

bool parseFftType(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  int32_t number;
  if (!oneOf(lexer, {"FFT", "IFFT", "RFFT", "IRFFT"}, number))
    return false;
  instruction.set_fft_type(number);
  return true;
}

bool parseTranspose(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  int32_t number;
  if (!oneOf(lexer, {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, number))
    return false;
  instruction.mutable_triangular_solve_options()->set_transpose_a(number);
  return true;
}

bool parseApiVersion(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  int32_t number;
  if (!oneOf(lexer,
             {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
              "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"},
             number))
    return false;
  instruction.set_custom_call_api_version(number);
  return true;
}

/// `{mode=highest}` or `{tolerance={atol=0,rtol=1e-5,ulps=2}}`
bool parseAccuracy(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  ResultAccuracy &accuracy = *instruction.mutable_result_accuracy();
  return lexer.list([&] {
    StringRef name;
    if (!lexer.expectWord(name) || !lexer.expect("="))
      return false;
    if (name == "mode") {
      int32_t mode;
      if (!oneOf(lexer, {"default", "highest"}, mode))
        return false;
      accuracy.set_mode(mode);
      return true;
    }
    return name == "tolerance" ? lexer.list([&] {
      StringRef kind;
      double number;
      if (!lexer.expectWord(kind) || !lexer.expect("=") || !lexer.real(number))
        return false;
      if (kind == "atol")
        accuracy.mutable_tolerance()->set_atol(number);
      else if (kind == "rtol")
        accuracy.mutable_tolerance()->set_rtol(number);
      else if (kind == "ulps" && number >= 0 && number < 1e9)
        accuracy.mutable_tolerance()->set_ulps(int64_t(number));
      else
        return lexer.fail("a tolerance has no such '" + kind + "'");
      return true;
    })
                               : lexer.fail("a result's accuracy has no '" + name + "'");
  });
}

/// `{{0,1},{2,3}}` or `[2,2]<=[4]`
bool parseGroups(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  if (!lexer.peek('['))
    return lexer.list(
        [&] { return lexer.integers(*instruction.add_replica_groups()->mutable_replica_ids()); });
  auto &groups = *instruction.mutable_collective_device_list()->mutable_iota_replica_group_list();
  int64_t count, devices;
  if (!lexer.expect("[") || !lexer.integer(count) || !lexer.expect(",") ||
      !lexer.integer(devices) || !lexer.expect("]"))
    return false;
  groups.set_num_replica_groups(count);
  groups.set_num_devices_per_group(devices);
  return lexer.skipValue();
}

bool parsePairs(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  return lexer.list([&] {
    int64_t source, target;
    if (!lexer.expect("{") || !lexer.integer(source) || !lexer.expect(",") ||
        !lexer.integer(target) || !lexer.expect("}"))
      return false;
    SourceTarget &pair = *instruction.add_source_target_pairs();
    pair.set_source(source);
    pair.set_target(target);
    return true;
  });
}

bool parseConfig(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  if (lexer.peek('"'))
    return lexer.quoted(*instruction.mutable_backend_config());
  StringRef value;
  if (!lexer.skipValue(&value))
    return false;
  instruction.set_backend_config(value.str());
  return true;
}

/// `{name="value",other={"a":"b"}}`
bool parseFrontend(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  return lexer.list([&] {
    FrontendAttributes::Entry &entry = *instruction.mutable_frontend_attributes()->add_map();
    StringRef name, value;
    if (lexer.peek('"') ? !lexer.quoted(*entry.mutable_key()) : !lexer.expectWord(name))
      return false;
    if (!name.empty())
      entry.set_key(name.str());
    if (!lexer.expect("="))
      return false;
    if (lexer.peek('"'))
      return lexer.quoted(*entry.mutable_value());
    if (!lexer.skipValue(&value))
      return false;
    entry.set_value(value.str());
    return true;
  });
}

bool parseCall(TextLexer &lexer, HloInstructionProto &, CalledNames &calls) {
  if (lexer.peek('{'))
    return lexer.list([&] { return lexer.expectWord(calls.names.emplace_back()); });
  return lexer.expectWord(calls.names.emplace_back());
}

bool parseBody(TextLexer &lexer, HloInstructionProto &, CalledNames &calls) {
  return lexer.expectWord(calls.body);
}

bool skip(TextLexer &lexer, HloInstructionProto &, CalledNames &) { return lexer.skipValue(); }

bool skipText(TextLexer &lexer, HloInstructionProto &, CalledNames &) {
  std::string text;
  return lexer.quoted(text);
}

bool parseOutfeedShape(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
  return parseShape(lexer, *instruction.mutable_outfeed_shape());
}

#define FLAG(field)                                                                                \
  [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {                          \
    bool value;                                                                                    \
    if (!lexer.boolean(value))                                                                     \
      return false;                                                                                \
    instruction.field(value);                                                                      \
    return true;                                                                                   \
  }
#define NUMBER(field)                                                                              \
  [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {                          \
    int64_t value;                                                                                 \
    if (!lexer.integer(value))                                                                     \
      return false;                                                                                \
    instruction.field(value);                                                                      \
    return true;                                                                                   \
  }
#define NUMBERS(field)                                                                             \
  [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {                          \
    return lexer.integers(*instruction.field());                                                   \
  }
#define NAME(field)                                                                                \
  [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {                          \
    StringRef value;                                                                               \
    if (!lexer.expectWord(value))                                                                  \
      return false;                                                                                \
    instruction.field(value.str());                                                                \
    return true;                                                                                   \
  }

const Attribute kAttributes[] = {
    {"algorithm", parseAlgorithm},
    {"api_version", parseApiVersion},
    {"backend_config", parseConfig},
    {"batch_group_count", NUMBER(set_batch_group_count)},
    {"body", parseBody},
    {"branch_computations", parseCall},
    {"called_computations", parseCall},
    {"calls", parseCall},
    {"collapsed_slice_dims",
     NUMBERS(mutable_gather_dimension_numbers()->mutable_collapsed_slice_dims)},
    {"condition", parseCall},
    {"custom_call_has_side_effect", FLAG(set_custom_call_has_side_effect)},
    {"custom_call_target",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       return lexer.quoted(*instruction.mutable_custom_call_target());
     }},
    {"dim_labels", parseLabels},
    {"dimensions", NUMBERS(mutable_dimensions)},
    {"direction", NAME(set_comparison_direction)},
    {"dynamic_slice_sizes", NUMBERS(mutable_dynamic_slice_sizes)},
    {"epsilon",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       double value;
       if (!lexer.real(value))
         return false;
       instruction.set_epsilon(float(value));
       return true;
     }},
    {"exponent_bits", NUMBER(set_exponent_bits)},
    {"false_computation", parseCall},
    {"feature_group_count", NUMBER(set_feature_group_count)},
    {"feature_index", NUMBER(set_feature_index)},
    {"fft_length", NUMBERS(mutable_fft_length)},
    {"fft_type", parseFftType},
    {"frontend_attributes", parseFrontend},
    {"index", NUMBER(set_tuple_index)},
    {"index_vector_dim",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       int64_t value;
       if (!lexer.integer(value))
         return false;
       if (instruction.opcode() == "scatter")
         instruction.mutable_scatter_dimension_numbers()->set_index_vector_dim(value);
       else
         instruction.mutable_gather_dimension_numbers()->set_index_vector_dim(value);
       return true;
     }},
    {"indices_are_sorted", FLAG(set_indices_are_sorted)},
    {"input_batching_dims",
     NUMBERS(mutable_scatter_dimension_numbers()->mutable_input_batching_dims)},
    {"inserted_window_dims",
     NUMBERS(mutable_scatter_dimension_numbers()->mutable_inserted_window_dims)},
    {"iota_dimension", NUMBER(add_dimensions)},
    {"is_stable", FLAG(set_is_stable)},
    {"k", NUMBER(set_k)},
    {"largest", FLAG(set_largest)},
    {"left_side", FLAG(mutable_triangular_solve_options()->set_left_side)},
    {"lhs_batch_dims", NUMBERS(mutable_dot_dimension_numbers()->mutable_lhs_batch_dimensions)},
    {"lhs_contracting_dims",
     NUMBERS(mutable_dot_dimension_numbers()->mutable_lhs_contracting_dimensions)},
    {"lower",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       bool value;
       if (!lexer.boolean(value))
         return false;
       if (instruction.opcode() == "cholesky")
         instruction.mutable_cholesky_options()->set_lower(value);
       else
         instruction.mutable_triangular_solve_options()->set_lower(value);
       return true;
     }},
    {"mantissa_bits", NUMBER(set_mantissa_bits)},
    {"metadata",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       return parseMetadata(lexer, *instruction.mutable_metadata());
     }},
    {"offset_dims", NUMBERS(mutable_gather_dimension_numbers()->mutable_offset_dims)},
    {"operand_batching_dims",
     NUMBERS(mutable_gather_dimension_numbers()->mutable_operand_batching_dims)},
    {"operand_precision", parsePrecision},
    {"padding", parsePadding},
    {"replica_groups", parseGroups},
    {"result_accuracy", parseAccuracy},
    {"rhs_batch_dims", NUMBERS(mutable_dot_dimension_numbers()->mutable_rhs_batch_dimensions)},
    {"rhs_contracting_dims",
     NUMBERS(mutable_dot_dimension_numbers()->mutable_rhs_contracting_dimensions)},
    {"scatter", parseCall},
    {"scatter_dims_to_operand_dims",
     NUMBERS(mutable_scatter_dimension_numbers()->mutable_scatter_dims_to_operand_dims)},
    {"scatter_indices_batching_dims",
     NUMBERS(mutable_scatter_dimension_numbers()->mutable_scatter_indices_batching_dims)},
    {"select", parseCall},
    {"sharding",
     [](TextLexer &lexer, HloInstructionProto &instruction, CalledNames &) {
       return parseSharding(lexer, *instruction.mutable_sharding());
     }},
    {"slice", parseSlice},
    {"slice_sizes", NUMBERS(mutable_gather_slice_sizes)},
    {"source_target_pairs", parsePairs},
    {"start_index_map", NUMBERS(mutable_gather_dimension_numbers()->mutable_start_index_map)},
    {"start_indices_batching_dims",
     NUMBERS(mutable_gather_dimension_numbers()->mutable_start_indices_batching_dims)},
    {"to_apply", parseCall},
    {"transpose_a", parseTranspose},
    {"true_computation", parseCall},
    {"type", NAME(set_comparison_type)},
    {"unique_indices", FLAG(set_unique_indices)},
    {"unit_diagonal", FLAG(mutable_triangular_solve_options()->set_unit_diagonal)},
    {"update_window_dims",
     NUMBERS(mutable_scatter_dimension_numbers()->mutable_update_window_dims)},
    {"window", parseWindow},
    // These do not affect the values, or belong to instructions that are rejected; see
    // hlo.proto.
    {"async_execution_thread", skip},
    {"channel_id", skip},
    {"constrain_layout", skip},
    {"control-predecessors", skip},
    {"cross_program_prefetch_index", skip},
    {"custom_call_schedule", skip},
    {"distribution", skip},
    {"domain", skip},
    {"infeed_config", skipText},
    {"is_host_transfer", skip},
    {"kind", skip},
    {"operand_layout_constraints", skip},
    {"origin", skip},
    {"outfeed_config", skipText},
    {"outfeed_shape", parseOutfeedShape},
    {"output_to_operand_aliasing", skip},
    {"parameter_replication", skip},
    {"schedule", skip},
    {"statistics", skip},
    {"use_global_device_ids", skip},
};

} // namespace

bool parseAttribute(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &calls) {
  static const StringMap<Parse> table = [] {
    StringMap<Parse> all;
    for (const Attribute &attribute : kAttributes)
      all[attribute.name] = attribute.parse;
    return all;
  }();
  StringRef name;
  const size_t start = lexer.at;
  if (!lexer.expectWord(name))
    return false;
  auto found = table.find(name);
  if (found == table.end()) {
    lexer.at = start;
    return lexer.fail("attribute '" + name + "' of instruction '" + instruction.name() +
                      "' is not known");
  }
  return lexer.expect("=") && found->second(lexer, instruction, calls);
}

} // namespace systole::hlo
