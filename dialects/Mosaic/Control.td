//===- Control.td - Regions, numbers of a step, messages ---*- tablegen -*-===//
//
// Where a kernel runs, regions, random bits and messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_CONTROL_TD
#define SYSTOLE_DIALECTS_MOSAIC_CONTROL_TD

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Mosaic_RegionOp : Mosaic_Op<"region",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a scope of allocations";
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = "(`->` `(` type($results)^ `)`)? attr-dict-with-keyword $region";
  let hasVerifier = 1;
}

def Mosaic_TraceOp : Mosaic_Op<"trace",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a region that profiles show by name";
  let arguments = (ins StrAttr:$message, I32Attr:$level);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = "(`->` `(` type($results)^ `)`)? attr-dict-with-keyword $region";
  let hasVerifier = 1;
}

def Mosaic_YieldOp : Mosaic_Op<"yield",
    [Pure, ReturnLike, Terminator, ParentOneOf<["RegionOp", "TraceOp"]>]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def Mosaic_TraceStartOp : Mosaic_Op<"trace_start"> {
  let summary = "the start of a range that profiles show by name";
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def Mosaic_TraceStopOp : Mosaic_Op<"trace_stop"> {
  let summary = "the end of the range that was started last";
}

def Mosaic_TraceValueOp : Mosaic_Op<"trace_value"> {
  let summary = "a number that profiles show by name";
  let arguments = (ins AnyTypeOf<[I32, F32]>:$value, StrAttr:$label);
}

def Mosaic_LogOp : Mosaic_Op<"log"> {
  let summary = "print values";
  let description = [{
    `tag` is the message; if it is `formatted`, {} in it stand for the values.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$tag,
                       DefaultValuedAttr<BoolAttr, "false">:$formatted);
  let hasVerifier = 1;
}

def Mosaic_LogBufferOp : Mosaic_Op<"log_buffer"> {
  let summary = "print the elements of a memref";
  let description = [{
    The first `shape` elements along each dimension; the rest is padding.
  }];
  let arguments = (ins AnyMemRef:$input, DenseI64ArrayAttr:$shape, StrAttr:$tag);
  let hasVerifier = 1;
}

def Mosaic_DelayOp : Mosaic_Op<"delay"> {
  let summary = "wait for some nanoseconds";
  let arguments = (ins I32:$nanos);
}

//===----------------------------------------------------------------------===//
// Where a kernel runs
//===----------------------------------------------------------------------===//

def Mosaic_DeviceIdOp : Mosaic_Op<"device_id", [Pure]> {
  let summary = "the number of the device in the program";
  let results = (outs I32:$result);
}

def Mosaic_CoreIdOp : Mosaic_Op<"core_id", [Pure]> {
  let summary = "the number of the core in the device";
  let results = (outs I32:$result);
}

def Mosaic_IterationBoundOp : Mosaic_Op<"iteration_bound", [Pure]> {
  let summary = "the size of the grid along a dimension";
  let arguments = (ins I32Attr:$dim);
  let results = (outs I32:$result);
}

def Mosaic_InternalScratchOp : Mosaic_Op<"internal_scratch"> {
  let summary = "memory that the compiler has reserved for itself";
  let results = (outs AnyMemRef:$result);
}

def Mosaic_AssumeMultipleOp : Mosaic_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let summary = "a number that is a multiple of another";
  let description = [{
    The result is the operand. If it is no multiple, the kernel's results are unspecified.
  }];
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, I32Attr:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

def Mosaic_PrngSetSeedOp : Mosaic_Op<"prng_set_seed_32"> {
  let summary = "seed the core's generator of random bits";
  let arguments = (ins Variadic<I32>:$seeds);
}

def Mosaic_PrngRandomBitsOp : Mosaic_Op<"prng_random_bits"> {
  let summary = "random bits from the core's generator";
  let results = (outs Mosaic_Vector:$output);
}

#endif // SYSTOLE_DIALECTS_MOSAIC_CONTROL_TD
