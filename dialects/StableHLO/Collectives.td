// The collective operations of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_COLLECTIVES_TD
#define SYSTOLE_DIALECTS_STABLEHLO_COLLECTIVES_TD

include "mlir/IR/SymbolInterfaces.td"
include "dialects/StableHLO/Attributes.td"

class StableHLO_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits> {
  let hasVerifier = 1;
}
// An operation of groups of devices: the rows of `replica_groups`, filled up with -1 where groups
// may differ in size, or all devices where there is no row; or those along axes of a mesh.
class StableHLO_GroupCollectiveOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_CollectiveOp<mnemonic,
                             [DeclareOpInterfaceMethods<SymbolUserOpInterface>] # traits> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      return checkMeshSymbol(*this, getReplicaGroups(), symbols);
    }
  }];
}
// A collective that combines the elements of a group's devices with its region.
class StableHLO_ReducingCollectiveOp<string mnemonic>
    : StableHLO_GroupCollectiveOp<mnemonic, [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let hasRegionVerifier = 1;
}
defvar ReplicaGroups = AnyAttrOf<[I64ElementsAttr, StableHLO_ReplicaGroupMeshAxesAttr],
                                 "lists of devices or axes of a mesh">;
defvar Channel = OptionalAttr<StableHLO_ChannelHandleAttr>;

def StableHLO_AllGatherOp : StableHLO_GroupCollectiveOp<"all_gather"> {
  let summary = "Concatenate the arrays of a group's devices";
  let semantics = [{
    Each result is the concatenation along `all_gather_dim` of the operands of all devices of the
    group.

    Constraints:
    - `replica_groups` has a row for each group, all of one size, and names each device
      from 0 on once;
    - with `use_global_device_ids` there are groups and a channel above 0;
    - `all_gather_dim` is a dimension of all operands, not of size 0;
    - each result has its operand's type, but that its size along `all_gather_dim` is a
      multiple.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, I64Attr:$all_gather_dim,
                       ReplicaGroups:$replica_groups, Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let example = [{
    func.func @all_gather(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
      %r = "stablehlo.all_gather"(%x) <{
        all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      }> : (tensor<4x8xf32>) -> tensor<4x16xf32>
      return %r : tensor<4x16xf32>
    }
  }];
}

def StableHLO_AllReduceOp : StableHLO_ReducingCollectiveOp<"all_reduce"> {
  let summary = "Combine the arrays of a group's devices";
  let semantics = [{
    Each element of a result is the reduction by the body of the corresponding elements of all
    devices of the group.

    Constraints:
    - `replica_groups` has a row for each group and names each device from 0 on once;
    - with `use_global_device_ids` there are groups and a channel above 0;
    - the body takes two scalars and returns one of the results' element type, to which
      that of the operands can be promoted;
    - each result has its operand's shape.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, ReplicaGroups:$replica_groups,
                       Channel:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let example = [{
    func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_ReduceScatterOp : StableHLO_ReducingCollectiveOp<"reduce_scatter"> {
  let summary = "Combine the arrays of a group's devices and divide the result among them";
  let semantics = [{
    The result of `all_reduce`, divided into equal parts along `scatter_dimension`, one for each
    device of the group.

    Constraints:
    - `replica_groups` has a row for each group, all of one size, and names each device
      from 0 on once;
    - with `use_global_device_ids` there are groups and a channel above 0;
    - `scatter_dimension` is a dimension of the operand, of neither array of size 0;
    - the body takes two scalars and returns one of the result's element type, to which
      that of the operand can be promoted;
    - the result has the operand's shape, but that its size along `scatter_dimension` is
      a part: of the group's size, where groups are of replicas or of all devices alone.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$scatter_dimension,
                       ReplicaGroups:$replica_groups, Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor:$result);
  let example = [{
    func.func @reduce_scatter(%x: tensor<4xf32>) -> tensor<2xf32> {
      %r = "stablehlo.reduce_scatter"(%x) <{
        scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      }> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }
  }];
}

def StableHLO_AllToAllOp : StableHLO_GroupCollectiveOp<"all_to_all"> {
  let summary = "Exchange parts of arrays among the devices of a group";
  let semantics = [{
    Operands are divided into `split_count` parts along `split_dimension`, of which each device of
    the group gets one; those that it gets are concatenated along `concat_dimension`.

    Constraints:
    - `replica_groups` has a row for each group, all of one size, and names each device
      from 0 on once;
    - `split_dimension` and `concat_dimension` are dimensions of all operands;
    - `split_count` is positive, the size of each group, and divides the size along
      `split_dimension`;
    - each result has its operand's type but for the sizes along these dimensions.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, I64Attr:$split_dimension,
                       I64Attr:$concat_dimension, I64Attr:$split_count,
                       ReplicaGroups:$replica_groups, Channel:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let example = [{
    func.func @all_to_all(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
      %r = "stablehlo.all_to_all"(%x) <{
        split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      }> : (tensor<4x2xf32>) -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }
  }];
}

def StableHLO_CollectivePermuteOp : StableHLO_CollectiveOp<"collective_permute"> {
  let summary = "Send an array from device to device";
  let semantics = [{
    The result is the operand of the device that is paired with this one as its target in
    `source_target_pairs`; zeros if there is none.

    Constraints:
    - `source_target_pairs` has two columns of numbers from 0 on, none twice in a column;
    - the result has the operand's type.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       Channel:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let example = [{
    func.func @collective_permute(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.collective_permute"(%x) <{
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
      }> : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_CollectiveBroadcastOp : StableHLO_GroupCollectiveOp<"collective_broadcast"> {
  let summary = "Send an array to all devices of a group";
  let semantics = [{
    Results are the operands of the group's first device; zeros for a device of no group. With
    `has_dynamic_root` the last operand says which device it is instead.

    Constraints:
    - `replica_groups` has a row for each group and names each device from 0 on once;
    - there is at least one operand beside the root, and as many results, of their types;
    - the root is an array of an `i32` for each of them.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, ReplicaGroups:$replica_groups,
                       Channel:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let example = [{
    func.func @collective_broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.collective_broadcast"(%x) <{
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      }> : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_CollectiveReduceOp : StableHLO_ReducingCollectiveOp<"collective_reduce"> {
  let summary = "Combine the arrays of a group's devices on one of them";
  let semantics = [{
    On the group's first device each element of a result is the reduction by the body of the
    corresponding elements of all devices of the group; elsewhere it is any number. With
    `has_dynamic_root` the last operand says which device it is instead.

    Constraints:
    - `replica_groups` has a row for each group and names each device from 0 on once;
    - with `use_global_device_ids` there are groups and a channel above 0;
    - there is at least one operand beside the root, and as many results, of their types;
    - the root is an array of an `i32` for each of them;
    - the body takes two scalars and returns one of the results' element type, to which
      that of the operands can be promoted.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands, ReplicaGroups:$replica_groups,
                       Channel:$channel_handle, UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let example = [{
    func.func @collective_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.collective_reduce"(%x) <{
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      }> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

// The id of this device among others.
class StableHLO_DeviceNumberOp<string mnemonic> : StableHLO_Op<mnemonic, [Pure]> {
  let results = (outs StableHLO_IntScalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def StableHLO_PartitionIdOp : StableHLO_DeviceNumberOp<"partition_id"> {
  let summary = "The part of the program that this device runs";
  let semantics = [{
    A number below the module's count of partitions.
  }];
  let example = [{
    func.func @partition_id() -> tensor<ui32> {
      %r = stablehlo.partition_id : tensor<ui32>
      return %r : tensor<ui32>
    }
  }];
}

def StableHLO_ReplicaIdOp : StableHLO_DeviceNumberOp<"replica_id"> {
  let summary = "The copy of the program that this device runs";
  let semantics = [{
    A number below the module's count of replicas.
  }];
  let example = [{
    func.func @replica_id() -> tensor<ui32> {
      %r = stablehlo.replica_id : tensor<ui32>
      return %r : tensor<ui32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_COLLECTIVES_TD
