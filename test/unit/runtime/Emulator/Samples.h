// Programs that between them use every part of the machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_SAMPLES_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_SAMPLES_H

namespace systole::test {

inline const char *const kSamples[] = {
    R"(
.program units
.target v2
.region x hbm 32
.region y hbm 32
.region a vmem 64
.region b vmem 64
.region w smem 256
.argument x f32[32,128] in x
.result y f32[32,128] in y
.constant x f32 splat 0.75 count 4096
.descriptor in hbm to vmem chunk 1024 counts [4] src [1024] dst [1024]
.descriptor out vmem to hbm chunk 1024 counts [4] src [1024] dst [1024]
.descriptor words hbm to smem chunk 16 counts [4] src [32] dst [16]
.descriptor local vmem to vmem chunk 128 counts [8] src [256] dst [128]
.trap "never"
routine main {
  { s1 = s.mov 0
    v1 = v.lane
    v2 = v.sublane
    dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0 }
  { s2 = s.mov 5
    s3 = s.mov 3 }
  dma.start dst=s3, src=s2, dstRegion=w, srcRegion=x, descriptor=words, flag=1
  wait 1, flag=0
  wait 1, flag=1
  kernel "lanes" source "sample.py:1" {
    loop 4 {
      v3 = vld.b32 s1, region=a delay 3
      { v4 = v.fma v3, 2.0, v3
        m1 = v.lt v1, 64 } delay 2
      { v5 = v.sel m1, v4, v3
        v6 = v.rnd.bf16 v4 } delay 1
      { eup.tanh v5
        v7 = v.split.lo v4, v6 }
      eup.sin v5 delay 3
      eup.pow v5, v4 delay 31
      { v8 = eup.pop
        vst.bf16 v5, s1, 2, region=b, mask=m1 }
      v9 = eup.pop
      v10 = eup.pop delay 1
      { vst.b32 v8, s1, region=a
        s1 = s.add s1, 8 }
    }
  }
  kernel "cross" source "sample.py:2" {
    xlu.fadd v3 delay 3
    xlu.rotate v3, s2
    xlu.bcast v3, 7
    xlu.gather v3, v1 delay 50
    v11 = xlu.pop
    v12 = xlu.pop
    v13 = xlu.pop
    v14 = xlu.pop
    xlu.tr v3 delay 7
    xlu.tr.end v4, pops=2 delay 31
    v15 = xlu.pop
    v16 = xlu.pop
    v17 = v.gathers v1, v2
    v18 = v.rots v1, 3
    v2s v1, 2, 9 delay 15
    s4 = v2s.pop
    s5 = s.mul s4, s2 delay 2
    s.st s5, s3, region=w delay 3
    s6 = s.ld s3, region=w delay 3
  }
  kernel "array" source "sample.py:3" {
    mxu.latch v3, 0 delay 7
    mxu.latch.t v4, 3 delay 7
    mxu.swap 100, 128 delay 1
    mxu.push v3, 8 delay 7
    mxu.push v4, s3 delay 135
    v19 = mxu.pop
    v20 = mxu.pop
  }
  dma.start dst=0, src=0, dstRegion=b, srcRegion=a, descriptor=local, flag=2
  wait 1, flag=2
  trap 0, "never"
  dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=3
  wait 1, flag=3
  halt
}
)",
    R"(
.program control
.target v2
.region y hbm 8
.region w smem 128
.descriptor back smem to hbm chunk 128
.overlay bundles 0 19
.overlay bundles 19 23 at 100
routine main {
  { s1 = s.mov 6
    s2 = s.mov 0 }
  overlay.start 1
  while {
    s3 = s.ne s1, 1
    exit s3
    { s4 = s.and s1, 1
      s2 = s.add s2, 1 }
    if s4 {
      s1 = s.mul s1, 3 delay 2
      s1 = s.add s1, 1
    } else {
      s1 = s.shr s1, 1
    }
  }
  overlay 1
  loop s2 {
    call inner
  }
  { s.st s2, 0, region=w
    flag.add 4, flag=9 }
  wait 4, flag=9
  s5 = flag.read flag=9
  dma.start dst=0, src=0, dstRegion=y, srcRegion=w, descriptor=back, flag=0
  wait 1, flag=0
  halt
}
routine inner {
  loop 3 {
    loop 2 {
      s6 = s.add s6, 1
    }
  }
  ret
}
)",
};

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_SAMPLES_H
