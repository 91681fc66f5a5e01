// RUN: %systole-opt %s --systole-fuse --split-input-file | FileCheck %s

// 80 operations, each on the result of the one before, which is in registers: one kernel, as two would
// write the array and read it again.
// CHECK-LABEL: @chain
// CHECK-COUNT-1: kernel.fusion
// CHECK-COUNT-80: tensor<1000x256xf32>{{$}}
// CHECK: kernel.fused
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @chain(%x: tensor<1000x256xf32>) -> tensor<1000x256xf32> {
  %0 = stablehlo.negate %x : tensor<1000x256xf32>
  %1 = stablehlo.abs %0 : tensor<1000x256xf32>
  %2 = stablehlo.tanh %1 : tensor<1000x256xf32>
  %3 = stablehlo.sine %2 : tensor<1000x256xf32>
  %4 = stablehlo.negate %3 : tensor<1000x256xf32>
  %5 = stablehlo.abs %4 : tensor<1000x256xf32>
  %6 = stablehlo.tanh %5 : tensor<1000x256xf32>
  %7 = stablehlo.sine %6 : tensor<1000x256xf32>
  %8 = stablehlo.negate %7 : tensor<1000x256xf32>
  %9 = stablehlo.abs %8 : tensor<1000x256xf32>
  %10 = stablehlo.tanh %9 : tensor<1000x256xf32>
  %11 = stablehlo.sine %10 : tensor<1000x256xf32>
  %12 = stablehlo.negate %11 : tensor<1000x256xf32>
  %13 = stablehlo.abs %12 : tensor<1000x256xf32>
  %14 = stablehlo.tanh %13 : tensor<1000x256xf32>
  %15 = stablehlo.sine %14 : tensor<1000x256xf32>
  %16 = stablehlo.negate %15 : tensor<1000x256xf32>
  %17 = stablehlo.abs %16 : tensor<1000x256xf32>
  %18 = stablehlo.tanh %17 : tensor<1000x256xf32>
  %19 = stablehlo.sine %18 : tensor<1000x256xf32>
  %20 = stablehlo.negate %19 : tensor<1000x256xf32>
  %21 = stablehlo.abs %20 : tensor<1000x256xf32>
  %22 = stablehlo.tanh %21 : tensor<1000x256xf32>
  %23 = stablehlo.sine %22 : tensor<1000x256xf32>
  %24 = stablehlo.negate %23 : tensor<1000x256xf32>
  %25 = stablehlo.abs %24 : tensor<1000x256xf32>
  %26 = stablehlo.tanh %25 : tensor<1000x256xf32>
  %27 = stablehlo.sine %26 : tensor<1000x256xf32>
  %28 = stablehlo.negate %27 : tensor<1000x256xf32>
  %29 = stablehlo.abs %28 : tensor<1000x256xf32>
  %30 = stablehlo.tanh %29 : tensor<1000x256xf32>
  %31 = stablehlo.sine %30 : tensor<1000x256xf32>
  %32 = stablehlo.negate %31 : tensor<1000x256xf32>
  %33 = stablehlo.abs %32 : tensor<1000x256xf32>
  %34 = stablehlo.tanh %33 : tensor<1000x256xf32>
  %35 = stablehlo.sine %34 : tensor<1000x256xf32>
  %36 = stablehlo.negate %35 : tensor<1000x256xf32>
  %37 = stablehlo.abs %36 : tensor<1000x256xf32>
  %38 = stablehlo.tanh %37 : tensor<1000x256xf32>
  %39 = stablehlo.sine %38 : tensor<1000x256xf32>
  %40 = stablehlo.negate %39 : tensor<1000x256xf32>
  %41 = stablehlo.abs %40 : tensor<1000x256xf32>
  %42 = stablehlo.tanh %41 : tensor<1000x256xf32>
  %43 = stablehlo.sine %42 : tensor<1000x256xf32>
  %44 = stablehlo.negate %43 : tensor<1000x256xf32>
  %45 = stablehlo.abs %44 : tensor<1000x256xf32>
  %46 = stablehlo.tanh %45 : tensor<1000x256xf32>
  %47 = stablehlo.sine %46 : tensor<1000x256xf32>
  %48 = stablehlo.negate %47 : tensor<1000x256xf32>
  %49 = stablehlo.abs %48 : tensor<1000x256xf32>
  %50 = stablehlo.tanh %49 : tensor<1000x256xf32>
  %51 = stablehlo.sine %50 : tensor<1000x256xf32>
  %52 = stablehlo.negate %51 : tensor<1000x256xf32>
  %53 = stablehlo.abs %52 : tensor<1000x256xf32>
  %54 = stablehlo.tanh %53 : tensor<1000x256xf32>
  %55 = stablehlo.sine %54 : tensor<1000x256xf32>
  %56 = stablehlo.negate %55 : tensor<1000x256xf32>
  %57 = stablehlo.abs %56 : tensor<1000x256xf32>
  %58 = stablehlo.tanh %57 : tensor<1000x256xf32>
  %59 = stablehlo.sine %58 : tensor<1000x256xf32>
  %60 = stablehlo.negate %59 : tensor<1000x256xf32>
  %61 = stablehlo.abs %60 : tensor<1000x256xf32>
  %62 = stablehlo.tanh %61 : tensor<1000x256xf32>
  %63 = stablehlo.sine %62 : tensor<1000x256xf32>
  %64 = stablehlo.negate %63 : tensor<1000x256xf32>
  %65 = stablehlo.abs %64 : tensor<1000x256xf32>
  %66 = stablehlo.tanh %65 : tensor<1000x256xf32>
  %67 = stablehlo.sine %66 : tensor<1000x256xf32>
  %68 = stablehlo.negate %67 : tensor<1000x256xf32>
  %69 = stablehlo.abs %68 : tensor<1000x256xf32>
  %70 = stablehlo.tanh %69 : tensor<1000x256xf32>
  %71 = stablehlo.sine %70 : tensor<1000x256xf32>
  %72 = stablehlo.negate %71 : tensor<1000x256xf32>
  %73 = stablehlo.abs %72 : tensor<1000x256xf32>
  %74 = stablehlo.tanh %73 : tensor<1000x256xf32>
  %75 = stablehlo.sine %74 : tensor<1000x256xf32>
  %76 = stablehlo.negate %75 : tensor<1000x256xf32>
  %77 = stablehlo.abs %76 : tensor<1000x256xf32>
  %78 = stablehlo.tanh %77 : tensor<1000x256xf32>
  %79 = stablehlo.sine %78 : tensor<1000x256xf32>
  return %79 : tensor<1000x256xf32>
}

// -----

// What is chained joins without a question only as long as the kernel writes no more. Between two
// reversals nothing can be cut, and VMEM has room for ten arrays of 1.5 MiB: the rest of twelve
// results is another kernel.
// CHECK-LABEL: @results
// CHECK: %[[FIRST:.*]]:{{[2-9]}} = kernel.fusion "loop" (%{{.*}} = %{{[a-z0-9]*}}) attributes {plan =
// CHECK: %{{.*}} = kernel.fusion "loop" (%{{.*}} = %[[FIRST]]#{{.*}}) attributes {plan =
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @results(%x: tensor<1x1x393216xf32>) -> (tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>) {
  %0 = stablehlo.reverse %x, dims = [2] : tensor<1x1x393216xf32>
  %1 = stablehlo.tanh %0 : tensor<1x1x393216xf32>
  %2 = stablehlo.reverse %1, dims = [2] : tensor<1x1x393216xf32>
  %c0 = stablehlo.negate %2 : tensor<1x1x393216xf32>
  %c1 = stablehlo.abs %c0 : tensor<1x1x393216xf32>
  %c2 = stablehlo.tanh %c1 : tensor<1x1x393216xf32>
  %c3 = stablehlo.sine %c2 : tensor<1x1x393216xf32>
  %c4 = stablehlo.negate %c3 : tensor<1x1x393216xf32>
  %c5 = stablehlo.abs %c4 : tensor<1x1x393216xf32>
  %c6 = stablehlo.tanh %c5 : tensor<1x1x393216xf32>
  %c7 = stablehlo.sine %c6 : tensor<1x1x393216xf32>
  %c8 = stablehlo.negate %c7 : tensor<1x1x393216xf32>
  %c9 = stablehlo.abs %c8 : tensor<1x1x393216xf32>
  %c10 = stablehlo.tanh %c9 : tensor<1x1x393216xf32>
  %c11 = stablehlo.sine %c10 : tensor<1x1x393216xf32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11 : tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>, tensor<1x1x393216xf32>
}
