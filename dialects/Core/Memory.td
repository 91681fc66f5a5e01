//===- Memory.td - Vector loads and stores, DMA --------------*- tablegen -*-===//
//
// VMEM is rows of 128 x 32 bits (512 bytes). Narrow types pack 2 or 4 to a
// cell: 16-bit logical rows 2r and 2r+1 are the low and high halves of the cells
// of physical row r; 8-bit logical rows 4r .. 4r+3 its bytes from the lowest.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_MEMORY_TD
#define SYSTOLE_DIALECTS_CORE_MEMORY_TD

include "dialects/Core/CoreBase.td"

// Addresses and strides of loads and stores count logical rows of the accessed
// type from the base of the region: `address` + `offset` + s * `stride` for
// sublane s. A row that has no set bit in the mask is not touched.
class Core_Load<string m, string text, string lane>
    : Core_Inst<m, LoadSlot, NoUnit, Lat_VLoad,
        (ins S:$address, S:$stride, M:$mask, SImm<16>:$offset, Region:$region), (outs V:$d), text> {
  let description = [{
    Loads eight logical rows into the sublanes of `d`; sublane s comes from row
    `address` + `offset` + s * `stride`. Cells whose mask bit is clear become 0.
    Each cell is widened: }] # lane # [{. A touched row outside the region, or one
    that a DMA in flight writes, is a trap.
  }];
}
class Core_Store<string m, string text, string lane>
    : Core_Inst<m, StoreSlot, NoUnit, Lat_VStore,
        (ins V:$value, S:$address, S:$stride, M:$mask, SImm<16>:$offset, Region:$region), (outs), text> {
  let description = [{
    Stores the sublanes of `value` to eight logical rows; sublane s goes to row
    `address` + `offset` + s * `stride`. Cells whose mask bit is clear leave
    memory as it was. Each cell is narrowed: }] # lane # [{. When several
    sublanes name one row the highest wins. A touched row outside the region, or
    one that a DMA in flight reads or writes, is a trap.
  }];
}

def Core_LoadB32Op  : Core_Load<"vld.b32", "load 32-bit cells", "as it is">;
def Core_LoadBf16Op : Core_Load<"vld.bf16", "load bf16 as f32", "bf16 to f32">;
def Core_LoadF16Op  : Core_Load<"vld.f16", "load f16 as f32", "f16 to f32, exactly">;
def Core_LoadS16Op  : Core_Load<"vld.s16", "load signed 16-bit integers", "sign-extended">;
def Core_LoadU16Op  : Core_Load<"vld.u16", "load unsigned 16-bit integers", "zero-extended">;
def Core_LoadS8Op   : Core_Load<"vld.s8", "load signed 8-bit integers", "sign-extended">;
def Core_LoadU8Op   : Core_Load<"vld.u8", "load unsigned 8-bit integers or predicates", "zero-extended">;

def Core_StoreB32Op  : Core_Store<"vst.b32", "store 32-bit cells", "as it is">;
def Core_StoreBf16Op : Core_Store<"vst.bf16", "store f32 as bf16", "f32 to the nearest bf16, ties to even">;
def Core_StoreF16Op  : Core_Store<"vst.f16", "store f32 as f16", "f32 to the nearest f16, ties to even, denormals of f16 among them">;
def Core_StoreB16Op  : Core_Store<"vst.b16", "store the low 16 bits", "the low half of the cell">;
def Core_StoreB8Op   : Core_Store<"vst.b8", "store the low 8 bits", "the low byte of the cell">;

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

def Core_SpaceAttr : I32EnumAttr<"MemorySpace", "a memory of the machine", [
    I32EnumAttrCase<"hbm", 0>, I32EnumAttrCase<"vmem", 1>,
    I32EnumAttrCase<"smem", 2>, I32EnumAttrCase<"host", 3>,
    I32EnumAttrCase<"pinned", 4>]> {
  let cppNamespace = "::systole::core";
  let genSpecializedAttr = 0;
}

def Core_DmaAttr : AttrDef<Core_Dialect, "Dma"> {
  let mnemonic = "dma";
  let summary = "the static part of a DMA: the memories and the access pattern";
  let description = [{
    `chunk` words move `counts[0] * counts[1] * counts[2]` times; step i of level
    j advances source and destination by `srcStrides[j]` and `dstStrides[j]`
    words. Levels beyond a target's dimensions are 1. Words are 32 bits; chunk
    and strides are multiples of 128 unless one side is SMEM. `arrivalFlag`
    is of copies to other cores: the flag of the destination's core that is
    incremented when the last word has arrived; -1 for others. A copy that
    `countsWords` adds the words that it moved to its flag, not 1; copies to other cores do not.
  }];
  let parameters = (ins
    EnumParameter<Core_SpaceAttr>:$src, EnumParameter<Core_SpaceAttr>:$dst,
    "int64_t":$chunk, OptionalArrayRefParameter<"int64_t">:$counts,
    OptionalArrayRefParameter<"int64_t">:$srcStrides,
    OptionalArrayRefParameter<"int64_t">:$dstStrides,
    DefaultValuedParameter<"int64_t", "-1">:$arrivalFlag,
    DefaultValuedParameter<"bool", "false">:$countsWords);
  let builders = [AttrBuilder<(ins "::systole::core::MemorySpace":$src, "::systole::core::MemorySpace":$dst,
                                   "int64_t":$chunk, "::llvm::ArrayRef<int64_t>":$counts,
                                   "::llvm::ArrayRef<int64_t>":$srcStrides,
                                   "::llvm::ArrayRef<int64_t>":$dstStrides, "int64_t":$arrivalFlag), [{
    return $_get($_ctxt, src, dst, chunk, counts, srcStrides, dstStrides, arrivalFlag,
                 /*countsWords=*/false);
  }]>];
  let assemblyFormat = [{
    `<` $src `to` $dst `,` `chunk` `=` $chunk
    (`by` `counts` `=` `[` $counts^ `]` `,` `src_strides` `=` `[` $srcStrides `]` `,`
     `dst_strides` `=` `[` $dstStrides `]`)?
    (`,` `arrival_flag` `=` $arrivalFlag^)? (`counts_words` `=` $countsWords^)? `>`
  }];
  let genVerifyDecl = 1;
}
// The descriptor in SSA form; encoded as an index into the descriptor table.
def Descriptor
    : Attr<CPred<"::llvm::isa<::systole::core::DmaAttr>($_self)">, "DMA descriptor">,
      MachineField<"D", 16> {
  let storageType = "::systole::core::DmaAttr";
  let returnType = "::systole::core::DmaAttr";
  let convertFromStorage = "$_self";
}

def Core_DmaStartOp : Core_Inst<"dma.start", PushSlot, DmaUnit, Lat_Dma,
    (ins S:$dst, S:$src, S:$dstRegion, S:$srcRegion, S:$count, Descriptor:$descriptor, UImm<FlagBits>:$flag),
    (outs), "start an asynchronous copy"> {
  let description = [{
    Queues the copy that `descriptor` describes, from `src` in region
    `srcRegion` to `dst` in region `dstRegion`. `dst` and `src` count rows of
    512 bytes in HBM and VMEM and words in SMEM, from the base of the region; a
    source whose destination is SMEM counts words too. `count` replaces the
    descriptor's innermost count unless it is -1; 0 copies nothing and
    completes at once. When the last byte has arrived, sync flag `flag` is
    incremented by one, or by the words that were copied if the descriptor counts
    words. Until then the source may not be written and the
    destination neither read nor written: each is a trap, by rows of HBM and
    VMEM and words of SMEM. A range outside its region is a trap. While the queue
    is full, the bundle is not issued.

    A copy starts when its start-up latency has passed and the copies before it
    on its channel are done: one channel carries all copies from or to HBM, which
    take their bytes divided by the core's share of the bandwidth (twice for HBM
    to HBM), another those between VMEM and SMEM.

    A region of the host is a queue: all of a copy, whose other side is this core's
    HBM, is one message, and `dst` or `src` there is 0. Each direction of the link
    to the host is a channel, which a copy occupies in addition to that of HBM; it
    is complete when both are done and the link's latency has passed. A copy from
    a region of the host begins when those to the host before it are complete.

    Pinned memory is memory of the host, in rows as HBM is. Copies between it and this
    core's HBM pass over the same link, in the order in which they start in each
    direction; rows of it that copies in flight access are guarded as those of HBM are.
  }];
}

def Core_DmaSendOp : Core_Inst<"dma.send", PushSlot, DmaUnit, Lat_Dma,
    (ins S:$dst, S:$src, S:$dstRegion, S:$srcRegion, S:$core, Descriptor:$descriptor, UImm<FlagBits>:$flag),
    (outs), "start an asynchronous copy to the memory of a core of the slice"> {
  let description = [{
    As `dma.start`, but `dstRegion` is a region of core `core`, which may be this
    one, and all counts are the descriptor's. Its words leave through the links
    of the slice, on the route and in the order that the network of the
    emulator documents. When the last one has left, sync flag `flag` of this
    core is incremented, and the source may be written; when it has arrived, the
    descriptor's arrival flag of core `core`. From the first word's arrival on
    the destination may be neither read nor written there: each is a trap, as is
    an arrival in memory that the core's own copies use. Before that nothing
    guards it: the destination's core says by a flag that its memory is free.
  }];
}

#endif // SYSTOLE_DIALECTS_CORE_MEMORY_TD
