// Attributes of the producers stay where they were put.
// RUN: %systole-opt %s | FileCheck %s

// CHECK-LABEL: module @jit_step
// CHECK-SAME: jax.uses_shape_polymorphism = false
// CHECK-SAME: mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}
// CHECK-SAME: mhlo.num_partitions = 1 : i32
// CHECK-SAME: mhlo.num_replicas = 1 : i32
// CHECK-SAME: tf_saved_model.semantics
module @jit_step attributes {
    jax.uses_shape_polymorphism = false,
    mhlo.frontend_attributes = {xla.sdy.meshes = "{}"},
    mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32,
    tf_saved_model.semantics} {
  // CHECK: func.func public @main(
  // CHECK-SAME: tensor<4xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"}
  // CHECK-SAME: tensor<i32> {tf.aliasing_output = 0 : i32}
  // CHECK-SAME: -> (tensor<4xf32> {jax.result_info = "result[0]", mhlo.layout_mode = "default"})
  // CHECK-SAME: attributes {xla.entry = "yes"}
  func.func public @main(
      %x: tensor<4xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"},
      %i: tensor<i32> {tf.aliasing_output = 0 : i32})
      -> (tensor<4xf32> {jax.result_info = "result[0]", mhlo.layout_mode = "default"})
      attributes {xla.entry = "yes"} {
    // CHECK: stablehlo.negate %{{.*}} {mhlo.frontend_attributes = {_xla_compute_type = "host"}, sdy.note = 1 : i64}
    %0 = stablehlo.negate %x {mhlo.frontend_attributes = {_xla_compute_type = "host"}, sdy.note = 1} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
