// RUN: %systole-opt %s --systole-pipeline="from=fusion to=kernel target=v3" | FileCheck %s
// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v3" | FileCheck %s --check-prefix=CORE

// The array of 64 rows that is loaded once begins 64 rows before the end of VMEM, the part of the trip
// 64 before that. The kernel of the loop reads both there, and leaves all 128 rows alone, as copies do. A trip
// waits for its part, and starts to load that of the next one.
// CHECK: kernel.vmem_plan = [#kernel.placement<loop, rows = 64, place = 64>, #kernel.placement<prefetch, rows = 64, place = 128, flag = 32>]
// CHECK-LABEL: func.func @main
// CHECK: kernel.call @load(%{{.*}}) {placements = array<i32: 0>
// CHECK: kernel.start_load %{{.*}} at %{{.*}} to %[[P:.*]] flag 32 : <5x64x128xf32, hbm> to <64x128xf32, vmem>
// CHECK: scf.while
// CHECK: kernel.wait [32]
// CHECK-DAG: %[[A:.*]] = kernel.vmem 0 : <64x128xf32, vmem>
// CHECK-DAG: %[[B:.*]] = kernel.vmem 1 : <64x128xf32, vmem>
// CHECK: kernel.call @[[K:[a-z_]+]](%{{[^,]*}}, %[[A]], %[[B]], {{.*}} {placements = array<i32: -1, 0, 1, -1>
// CHECK: kernel.start_load {{.*}} flag 32
// CHECK: scf.yield
// CHECK: kernel.wait [32]
// CHECK: kernel.func @load grid () ({{.*}}<64x128xf32, hbm> #kernel.operand<in, block = [64, 128], {{.*}}resident = 64>) {{.*}}reserved = 128
// CHECK: kernel.func @[[K]] {{.*}}<64x128xf32, vmem> {{.*}}resident = 64>, {{.*}}<64x128xf32, vmem> {{.*}}resident = 128>{{.*}}loading = 1 : i64, reserved = 128

// 32,768 rows less 512 for spills.
// CORE: #core.region<name = "kept", space = vmem, base = 32192, size = 64
// CORE: #core.region<name = "kept", space = vmem, base = 32128, size = 64
func.func @main(%s0: tensor<64x128xf32>, %w: tensor<64x128xf32>, %xs: tensor<5x64x128xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %k = kernel.resident %w block = [64, 128] placement = <loop, rows = 64, place = 64> : tensor<64x128xf32>
  %r:2 = stablehlo.while(%i = %zero, %s = %s0) : tensor<i32>, tensor<64x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %x = kernel.part %xs[%i, %zero, %zero] sizes = [1, 64, 128] : (tensor<5x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
    %kx = kernel.resident %x block = [64, 128] placement = <prefetch, rows = 64, place = 128, flag = 32> : tensor<64x128xf32>
    %n = kernel.fusion "loop" (%a = %s, %b = %k, %c = %kx) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> {
      %0 = stablehlo.add %a, %b : tensor<64x128xf32>
      %1 = stablehlo.multiply %0, %c : tensor<64x128xf32>
      kernel.fused %1 : tensor<64x128xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<64x128xf32>
  }
  return %r#1 : tensor<64x128xf32>
}
