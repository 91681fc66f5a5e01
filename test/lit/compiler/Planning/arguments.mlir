// RUN: systole-opt %s --systole-plan-fusions="target=v3" --verify-diagnostics

// 28 arrays and the result are 29 blocks, each of them an argument of the kernel's routine.
func.func @main(%x0: tensor<1024x128xf32>, %x1: tensor<1024x128xf32>, %x2: tensor<1024x128xf32>, %x3: tensor<1024x128xf32>, %x4: tensor<1024x128xf32>, %x5: tensor<1024x128xf32>, %x6: tensor<1024x128xf32>, %x7: tensor<1024x128xf32>, %x8: tensor<1024x128xf32>, %x9: tensor<1024x128xf32>, %x10: tensor<1024x128xf32>, %x11: tensor<1024x128xf32>, %x12: tensor<1024x128xf32>, %x13: tensor<1024x128xf32>, %x14: tensor<1024x128xf32>, %x15: tensor<1024x128xf32>, %x16: tensor<1024x128xf32>, %x17: tensor<1024x128xf32>, %x18: tensor<1024x128xf32>, %x19: tensor<1024x128xf32>, %x20: tensor<1024x128xf32>, %x21: tensor<1024x128xf32>, %x22: tensor<1024x128xf32>, %x23: tensor<1024x128xf32>, %x24: tensor<1024x128xf32>, %x25: tensor<1024x128xf32>, %x26: tensor<1024x128xf32>, %x27: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  // expected-error @+1 {{no kernel can follow this plan: it has more blocks than a kernel takes, 28}}
  %0 = kernel.fusion "loop" (%a0 = %x0, %a1 = %x1, %a2 = %x2, %a3 = %x3, %a4 = %x4, %a5 = %x5, %a6 = %x6, %a7 = %x7, %a8 = %x8, %a9 = %x9, %a10 = %x10, %a11 = %x11, %a12 = %x12, %a13 = %x13, %a14 = %x14, %a15 = %x15, %a16 = %x16, %a17 = %x17, %a18 = %x18, %a19 = %x19, %a20 = %x20, %a21 = %x21, %a22 = %x22, %a23 = %x23, %a24 = %x24, %a25 = %x25, %a26 = %x26, %a27 = %x27) attributes {plan = #kernel.plan<axes = [<value 28 dim 0 by 512>]>}
      : (tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>, tensor<1024x128xf32>) -> tensor<1024x128xf32> {
    %s1 = stablehlo.add %a0, %a1 : tensor<1024x128xf32>
    %s2 = stablehlo.add %s1, %a2 : tensor<1024x128xf32>
    %s3 = stablehlo.add %s2, %a3 : tensor<1024x128xf32>
    %s4 = stablehlo.add %s3, %a4 : tensor<1024x128xf32>
    %s5 = stablehlo.add %s4, %a5 : tensor<1024x128xf32>
    %s6 = stablehlo.add %s5, %a6 : tensor<1024x128xf32>
    %s7 = stablehlo.add %s6, %a7 : tensor<1024x128xf32>
    %s8 = stablehlo.add %s7, %a8 : tensor<1024x128xf32>
    %s9 = stablehlo.add %s8, %a9 : tensor<1024x128xf32>
    %s10 = stablehlo.add %s9, %a10 : tensor<1024x128xf32>
    %s11 = stablehlo.add %s10, %a11 : tensor<1024x128xf32>
    %s12 = stablehlo.add %s11, %a12 : tensor<1024x128xf32>
    %s13 = stablehlo.add %s12, %a13 : tensor<1024x128xf32>
    %s14 = stablehlo.add %s13, %a14 : tensor<1024x128xf32>
    %s15 = stablehlo.add %s14, %a15 : tensor<1024x128xf32>
    %s16 = stablehlo.add %s15, %a16 : tensor<1024x128xf32>
    %s17 = stablehlo.add %s16, %a17 : tensor<1024x128xf32>
    %s18 = stablehlo.add %s17, %a18 : tensor<1024x128xf32>
    %s19 = stablehlo.add %s18, %a19 : tensor<1024x128xf32>
    %s20 = stablehlo.add %s19, %a20 : tensor<1024x128xf32>
    %s21 = stablehlo.add %s20, %a21 : tensor<1024x128xf32>
    %s22 = stablehlo.add %s21, %a22 : tensor<1024x128xf32>
    %s23 = stablehlo.add %s22, %a23 : tensor<1024x128xf32>
    %s24 = stablehlo.add %s23, %a24 : tensor<1024x128xf32>
    %s25 = stablehlo.add %s24, %a25 : tensor<1024x128xf32>
    %s26 = stablehlo.add %s25, %a26 : tensor<1024x128xf32>
    // expected-note @+1 {{this is value 54 of the fusion, 'tensor<1024x128xf32>'}}
    %s27 = stablehlo.add %s26, %a27 : tensor<1024x128xf32>
    kernel.fused %s27 : tensor<1024x128xf32>
  }
  return %0 : tensor<1024x128xf32>
}
