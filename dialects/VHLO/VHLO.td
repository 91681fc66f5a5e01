// The operations of portable artifacts, version by version. A new version of an operation, or an
// operation of a new version of StableHLO, is a record here.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "dialects/VHLO/Kinds.td"

// The oldest and the newest version of StableHLO whose artifacts are read and written.
def Versions {
  string Oldest = "0.9";
  string Newest = "1.20";
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

foreach name = ["abs", "bitcast_convert", "ceil", "convert", "count_leading_zeros", "floor",
                "imag", "is_finite", "negate", "not", "popcnt", "real", "reshape",
                "round_nearest_afz", "round_nearest_even", "sign", "uniform_dequantize",
                "uniform_quantize"] in
  def : Coded<name # "_v1", "", "", 1, 1>;

foreach name = ["add", "and", "atan2", "complex", "divide", "maximum", "minimum", "multiply", "or",
                "power", "remainder", "shift_left", "shift_right_arithmetic",
                "shift_right_logical", "subtract", "xor"] in
  def : Coded<name # "_v1", "", "", 2, 1>;

foreach name = ["clamp", "select"] in
  def : Coded<name # "_v1", "", "", 3, 1>;

// The attributes since 1.10 are the required accuracy; exponential had it a version
// earlier, and tan is new in 1.4.
defvar Accuracy = Field<"result_accuracy", "Same", "Accuracy">;
foreach name = ["cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one", "logistic",
                "rsqrt", "sine", "sqrt", "tanh"] in {
  def : Coded<name # "_v1", "", "1.9", 1, 1>;
  def : Coded<name # "_v2", "1.10", "", 1, 1, [Accuracy]>;
}
def : Coded<"exponential_v1", "", "1.8", 1, 1>;
def : Coded<"exponential_v2", "1.9", "", 1, 1, [Accuracy]>;
def : Coded<"tan_v1", "1.4", "1.9", 1, 1>;
def : Coded<"tan_v2", "1.10", "", 1, 1, [Accuracy]>;

def : Coded<"compare_v1", "", "", 2, 1,
            [Field<"comparison_direction">, Field<"compare_type", "Same", "NoComparisonType">]>;
def : Coded<"reduce_precision_v1", "", "", 1, 1,
            [Field<"exponent_bits">, Field<"mantissa_bits">]>;
def : Coded<"map_v1", "", "", -1, 1, [Field<"dimensions", "Ints">], 1>;

//===----------------------------------------------------------------------===//
// Creation and movement
//===----------------------------------------------------------------------===//

def : Coded<"constant_v1", "", "", 0, 1, [Field<"value">]>;
def : Coded<"iota_v1", "", "", 0, 1, [Field<"iota_dimension">]>;
def : Coded<"broadcast_v1", "", "", 1, 1, [Field<"broadcast_sizes", "Ints">]>;
def : Coded<"broadcast_in_dim_v1", "", "", 1, 1, [Field<"broadcast_dimensions", "Ints">]>;
def : Coded<"concatenate_v1", "", "", -1, 1, [Field<"dimension">]>;
def : Coded<"pad_v1", "", "", 2, 1, [Field<"edge_padding_low", "Ints">,
            Field<"edge_padding_high", "Ints">, Field<"interior_padding", "Ints">]>;
def : Coded<"reverse_v1", "", "", 1, 1, [Field<"dimensions", "Ints">]>;
def : Coded<"slice_v1", "", "", 1, 1, [Field<"start_indices", "Ints">,
            Field<"limit_indices", "Ints">, Field<"strides", "Ints">]>;
def : Coded<"transpose_v1", "", "", 1, 1, [Field<"permutation", "Ints">]>;
def : Coded<"dynamic_slice_v1", "", "", -1, 1, [Field<"slice_sizes", "Ints">]>;
def : Coded<"dynamic_update_slice_v1", "", "", -1, 1>;
def : Coded<"torch_index_select_v1", "", "", 2, 1, [Field<"dim">, Field<"batch_dims">]>;

// Dynamic sizes.
def : Coded<"dynamic_broadcast_in_dim_v1", "", "", 2, 1,
            [Field<"broadcast_dimensions", "Ints">,
             Field<"known_expanding_dimensions", "Ints", "EmptyTensor">,
             Field<"known_nonexpanding_dimensions", "Ints", "EmptyTensor">]>;
def : Coded<"dynamic_iota_v1", "", "", 1, 1, [Field<"iota_dimension">]>;
def : Coded<"dynamic_pad_v1", "", "", 5, 1>;
def : Coded<"dynamic_reshape_v1", "", "", 2, 1>;
def : Coded<"real_dynamic_slice_v1", "", "", 4, 1>;
def : Coded<"get_dimension_size_v1", "", "", 1, 1, [Field<"dimension">]>;
def : Coded<"set_dimension_size_v1", "", "", 2, 1, [Field<"dimension">]>;

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

defvar Sorted = Field<"indices_are_sorted", "Same", "False">;
defvar Batching = [Field<"operand_batching_dims", "Part", "EmptyTensor">,
                   Field<"start_indices_batching_dims", "Part", "EmptyTensor">];
defvar GatherBegin = [Field<"offset_dims", "Part">, Field<"collapsed_slice_dims", "Part">];
defvar GatherEnd = [Field<"start_index_map", "Part">, Field<"index_vector_dim", "Part">];
defvar Sizes = [Field<"slice_sizes", "Ints">, Sorted];
let Structure = "Gather" in {
  def : Coded<"gather_v1", "", "1.0", 2, 1, GatherBegin # GatherEnd # Sizes>;
  def : Coded<"gather_v2", "1.1", "", 2, 1, GatherBegin # Batching # GatherEnd # Sizes>;
  def : Coded<"dynamic_gather_v1", "", "1.0", 3, 1, GatherBegin # GatherEnd # [Sorted]>;
  def : Coded<"dynamic_gather_v2", "1.1", "", 3, 1,
              GatherBegin # Batching # GatherEnd # [Sorted]>;
}

defvar ScatterBegin = [Field<"update_window_dims", "Part">, Field<"inserted_window_dims", "Part">];
defvar ScatterEnd = [Field<"scatter_dims_to_operand_dims", "Part">,
                     Field<"index_vector_dim", "Part">, Sorted,
                     Field<"unique_indices", "Same", "False">];
let Structure = "Scatter" in {
  def : Coded<"scatter_v1", "", "1.0", -1, -1, ScatterBegin # ScatterEnd, 1>;
  def : Coded<"scatter_v2", "1.1", "", -1, -1,
              ScatterBegin # [Field<"input_batching_dims", "Part", "EmptyTensor">,
                              Field<"scatter_indices_batching_dims", "Part", "EmptyTensor">] #
              ScatterEnd, 1>;
}

//===----------------------------------------------------------------------===//
// Contractions and convolutions
//===----------------------------------------------------------------------===//

defvar PrecisionConfig = Field<"precision_config", "Same", "DefaultPrecision">;
defvar DotFields = [Field<"lhs_batching_dimensions", "Part">,
                    Field<"rhs_batching_dimensions", "Part">,
                    Field<"lhs_contracting_dimensions", "Part">,
                    Field<"rhs_contracting_dimensions", "Part">, PrecisionConfig];
let Structure = "Dot" in {
  def : Coded<"dot_general_v1", "", "1.5", 2, 1, DotFields>;
  def : Coded<"dot_general_v2", "1.6", "", 2, 1, DotFields #
              [Field<"lhs_precision_type", "Algorithm", "NoneType">,
               Field<"rhs_precision_type", "Algorithm", "NoneType">,
               Field<"accumulation_type", "Algorithm", "NoneType">,
               Field<"lhs_component_count", "Algorithm", "NoneType">,
               Field<"rhs_component_count", "Algorithm", "NoneType">,
               Field<"num_primitive_operations", "Algorithm", "NoneType">,
               Field<"allow_imprecise_accumulation", "Algorithm", "NoneType">]>;
}
def : Coded<"dot_v1", "", "", 2, 1, [PrecisionConfig]>;
def : Coded<"einsum_v1", "", "", 2, 1, [Field<"einsum_config">]>;
def : Coded<"unary_einsum_v1", "", "", 1, 1, [Field<"einsum_config">]>;

defvar ConvolutionWindow = [Field<"lhs_dilation", "Ints", "Ones">,
                            Field<"rhs_dilation", "Ints", "Ones">,
                            Field<"window_reversal", "Bools", "Falses">];
defvar ConvolutionEnd = [
  Field<"input_batch_dimension", "Part">, Field<"input_feature_dimension", "Part">,
  Field<"input_spatial_dimensions", "Part">, Field<"kernel_input_feature_dimension", "Part">,
  Field<"kernel_output_feature_dimension", "Part">, Field<"kernel_spatial_dimensions", "Part">,
  Field<"output_batch_dimension", "Part">, Field<"output_feature_dimension", "Part">,
  Field<"output_spatial_dimensions", "Part">, Field<"feature_group_count">,
  Field<"batch_group_count">, PrecisionConfig];
defvar Strides = Field<"window_strides", "Ints", "Ones">;
defvar Padding = Field<"padding", "Same", "ZeroPairs">;
let Structure = "Convolution" in {
  def : Coded<"convolution_v1", "", "", 2, 1,
              [Strides, Padding] # ConvolutionWindow # ConvolutionEnd>;
  def : Coded<"dynamic_conv_v1", "", "0.19", 3, 1,
              [Strides, Padding] # ConvolutionWindow # ConvolutionEnd>;
  def : Coded<"dynamic_conv_v2", "0.20", "", 3, 1, [Strides] # ConvolutionWindow # ConvolutionEnd>;
}

//===----------------------------------------------------------------------===//
// Reductions, windows, sorting
//===----------------------------------------------------------------------===//

def : Coded<"reduce_v1", "", "", -1, -1, [Field<"dimensions", "Ints">], 1>;
def : Coded<"reduce_window_v1", "", "", -1, -1,
            [Field<"window_dimensions", "Ints">, Strides,
             Field<"base_dilations", "Ints", "Ones">, Field<"window_dilations", "Ints", "Ones">,
             Padding], 1>;
def : Coded<"select_and_scatter_v1", "", "", 3, 1,
            [Field<"window_dimensions", "Ints">, Strides, Padding], 2>;
def : Coded<"sort_v1", "", "", -1, -1,
            [Field<"dimension", "Same", "MinusOne">, Field<"is_stable", "Same", "False">], 1>;

defvar Normalized = [Field<"epsilon">, Field<"feature_index">];
def : Coded<"batch_norm_grad_v1", "", "", 5, 3, Normalized>;
def : Coded<"batch_norm_inference_v1", "", "", 5, 1, Normalized>;
def : Coded<"batch_norm_training_v1", "", "", 3, 3, Normalized>;

//===----------------------------------------------------------------------===//
// Linear algebra, spectra, random numbers
//===----------------------------------------------------------------------===//

def : Coded<"cholesky_v1", "", "", 1, 1, [Field<"lower", "Same", "False">]>;
def : Coded<"triangular_solve_v1", "", "", 2, 1,
            [Field<"left_side">, Field<"lower">, Field<"unit_diagonal">, Field<"transpose_a">]>;
def : Coded<"fft_v1", "", "", 1, 1, [Field<"fft_type">, Field<"fft_length", "Ints">]>;
def : Coded<"rng_v1", "", "", 3, 1, [Field<"rng_distribution">]>;
def : Coded<"rng_bit_generator_v1", "", "", 1, 2, [Field<"rng_algorithm">]>;

//===----------------------------------------------------------------------===//
// Control flow and functions
//===----------------------------------------------------------------------===//

def : Coded<"func_v1", "", "", 0, 0,
            [Field<"sym_name">, Field<"function_type">,
             Field<"sym_visibility", "Same", "EmptyString">,
             Field<"arg_attrs", "Same", "EmptyArray">, Field<"res_attrs", "Same", "EmptyArray">],
            1>;
def : Coded<"call_v1", "", "", -1, -1, [Field<"callee", "Symbol">]>;
let Terminator = true in
def : Coded<"return_v1", "", "", -1, 0>;
def : Coded<"case_v1", "", "", 1, -1, [], -1>;
def : Coded<"if_v1", "", "", 1, -1, [], 2>;
def : Coded<"while_v1", "", "", -1, -1, [], 2>;
def : Coded<"optimization_barrier_v1", "", "", -1, -1>;
defvar CompositeFields = [Field<"name">,
                          Field<"composite_attributes", "Same", "EmptyDictionary">,
                          Field<"decomposition", "Symbol">, Field<"version", "Same", "Zero">];
def : Coded<"composite_v1", "0.19", "1.13", -1, -1, CompositeFields>;
def : Coded<"composite_v2", "1.14", "", -1, -1, CompositeFields, -1>;
defvar CallFields = [Field<"call_target_name">, Field<"has_side_effect", "Same", "False">,
                     Field<"backend_config", "Same", "EmptyString">,
                     Field<"api_version", "ApiVersion", "One">,
                     Field<"called_computations", "Symbols", "EmptyArray">,
                     Field<"operand_layouts", "Same", "EmptyArray">,
                     Field<"result_layouts", "Same", "EmptyArray">,
                     Field<"output_operand_aliases", "Same", "EmptyArray">];
def : Coded<"custom_call_v1", "", "1.17", -1, -1, CallFields>;
def : Coded<"custom_call_v2", "1.18", "", -1, -1,
            CallFields # [Field<"result_tilings", "Same", "EmptyArray">]>;

def : Coded<"tuple_v1", "", "", -1, 1>;
def : Coded<"get_tuple_element_v1", "", "", 1, 1, [Field<"index">]>;

//===----------------------------------------------------------------------===//
// Several devices, tokens, the host
//===----------------------------------------------------------------------===//

defvar Groups = Field<"replica_groups">;
// Only the handle of channels between devices is kept, 0 for none.
defvar DeviceChannel = Field<"channel_id", "Channel", "Zero">;
defvar GlobalIds = Field<"use_global_device_ids", "Flag", "False">;
defvar DynamicRoot = Field<"has_dynamic_root", "Flag", "False">;
def : Coded<"all_gather_v1", "", "1.4", 1, 1,
            [Field<"all_gather_dim">, Groups, DeviceChannel, GlobalIds]>;
def : Coded<"all_gather_v2", "1.5", "", -1, -1,
            [Field<"all_gather_dim">, Groups, DeviceChannel, GlobalIds]>;
def : Coded<"all_reduce_v1", "", "1.4", 1, 1, [Groups, DeviceChannel, GlobalIds], 1>;
def : Coded<"all_reduce_v2", "1.5", "", -1, -1, [Groups, DeviceChannel, GlobalIds], 1>;
defvar Exchange = [Field<"split_dimension">, Field<"concat_dimension">, Field<"split_count">,
                   Groups, DeviceChannel];
def : Coded<"all_to_all_v1", "", "1.4", 1, 1, Exchange>;
def : Coded<"all_to_all_v2", "1.5", "", -1, -1, Exchange>;
def : Coded<"collective_broadcast_v1", "0.16", "1.19", 1, 1, [Groups, DeviceChannel]>;
def : Coded<"collective_broadcast_v2", "1.20", "", -1, -1, [Groups, DeviceChannel, DynamicRoot]>;
def : Coded<"collective_reduce_v1", "1.19", "", -1, -1,
            [Groups, DeviceChannel, GlobalIds, DynamicRoot], 1>;
def : Coded<"collective_permute_v1", "", "", 1, 1, [Field<"source_target_pairs">, DeviceChannel]>;
def : Coded<"cross-replica-sum_v1", "", "", 1, 1, [Groups]>;
def : Coded<"reduce_scatter_v1", "", "", 1, 1,
            [Field<"scatter_dimension">, Groups, DeviceChannel, GlobalIds], 1>;
def : Coded<"partition_id_v1", "", "", 0, 1>;
def : Coded<"replica_id_v1", "", "", 0, 1>;
def : Coded<"async_start_v1", "1.15", "", -1, 1, [], 1>;
def : Coded<"async_done_v1", "1.15", "", 1, 1>;

def : Coded<"after_all_v1", "", "", -1, 1>;
def : Coded<"create_token_v1", "", "", 0, 1>;
def : Coded<"infeed_v1", "", "", 1, -1,
            [Field<"infeed_config">, Field<"layout", "Same", "EmptyArray">]>;
def : Coded<"outfeed_v1", "", "", -1, 1, [Field<"outfeed_config">]>;
defvar Transfer = [Field<"channel_id", "Part">, Field<"channel_type", "Part">,
                   Field<"is_host_transfer", "Same", "False">];
defvar Pairs = Field<"source_target_pairs", "Same", "EmptyTensor">;
let Structure = "Channel" in {
  def : Coded<"send_v1", "", "1.11", -1, 1, Transfer>;
  def : Coded<"send_v2", "1.12", "", -1, 1, Transfer # [Pairs]>;
  def : Coded<"recv_v1", "", "1.11", 1, -1, Transfer>;
  def : Coded<"recv_v2", "1.12", "", 1, -1, Transfer # [Pairs]>;
}
