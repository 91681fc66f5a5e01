//===- Transfers.td - DMAs and semaphores ------------------*- tablegen -*-===//
//
// Copies between memories, and what cores wait for.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_TRANSFERS_TD
#define SYSTOLE_DIALECTS_MOSAIC_TRANSFERS_TD

defvar Mosaic_Semaphore = MemRefOf<[Mosaic_SemaphoreType]>;
defvar Mosaic_DmaSemaphore = MemRefOf<[Mosaic_DmaSemaphoreType]>;
defvar Mosaic_AnySemaphore = MemRefOf<[Mosaic_AnySemaphoreType]>;

def Mosaic_EnqueueDMAOp : Mosaic_Op<"enqueue_dma", [AttrSizedOperandSegments]> {
  let summary = "start a copy";
  let description = [{
    It signals `target_semaphore` when all elements are in `target`. With `device_id` or `core_id` the target
    and its semaphore are another device's or core's, and `source_semaphore` is signalled here when the
    source has been read. Lower numbers of `priority` are served first.
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Mosaic_AnySemaphore>:$source_semaphore,
                       AnyMemRef:$target, Optional<Mosaic_AnySemaphore>:$target_semaphore,
                       Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
                       DefaultValuedAttr<I32Attr, "0">:$priority,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let hasVerifier = 1;
}

def Mosaic_WaitDMA2Op : Mosaic_Op<"wait_dma2", [AttrSizedOperandSegments]> {
  let summary = "wait until a copy has ended";
  let description = [{
    Takes from `semaphore` what a copy to `dst` signals. `src` and the device only describe the copy.
  }];
  let arguments = (ins Mosaic_DmaSemaphore:$semaphore, AnyMemRef:$src, AnyMemRef:$dst,
                       Optional<I32>:$device_id, Optional<I32>:$core_id,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let hasVerifier = 1;
}

def Mosaic_WaitDMAOp : Mosaic_Op<"wait_dma", [AttrSizedOperandSegments]> {
  let summary = "wait until a copy has ended, which is given as it was started";
  let description = [{
    `wait_target` tells for which of the two semaphores.
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Mosaic_AnySemaphore>:$source_semaphore,
                       AnyMemRef:$target, Optional<Mosaic_AnySemaphore>:$target_semaphore,
                       Optional<I32>:$device_id, Optional<I32>:$core_id, Optional<I32>:$subcore_id,
                       DefaultValuedAttr<I32Attr, "0">:$priority,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering,
                       BoolAttr:$wait_target);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

def Mosaic_SemaphoreSignalOp : Mosaic_Op<"sem_signal", [AttrSizedOperandSegments]> {
  let summary = "add to a semaphore, also of another device or core";
  let arguments = (ins Mosaic_Semaphore:$semaphore, I32:$amount, Optional<I32>:$device_id,
                       Optional<I32>:$core_id, Optional<I32>:$subcore_id);
  let hasVerifier = 1;
}

def Mosaic_SemaphoreWaitOp : Mosaic_Op<"sem_wait"> {
  let summary = "wait until a semaphore is at least `amount`, and subtract it";
  let arguments = (ins Mosaic_Semaphore:$semaphore, I32:$amount);
  let hasVerifier = 1;
}

def Mosaic_SemaphoreReadOp : Mosaic_Op<"sem_read"> {
  let summary = "the value of a semaphore";
  let arguments = (ins Mosaic_AnySemaphore:$semaphore);
  let results = (outs I32:$result);
  let hasVerifier = 1;
}

def Mosaic_AllocaSemaphoreOp : Mosaic_Op<"sem_alloc"> {
  let summary = "semaphores that are zero, up to the end of the region";
  let results = (outs Mosaic_AnySemaphore:$result);
}

def Mosaic_GetBarrierSemaphoreOp : Mosaic_Op<"sem_barrier"> {
  let summary = "the semaphore that all devices have in common for this kernel";
  let results = (outs Mosaic_Semaphore:$semaphore);
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_MOSAIC_TRANSFERS_TD
