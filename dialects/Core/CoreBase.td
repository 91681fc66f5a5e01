//===- CoreBase.td - The machine's registers, slots and fields -*- tablegen -*-//
//
// The parts of a machine instruction: slots of a bundle, units, latency
// classes, and the operand fields with their widths. Instructions themselves
// are in Scalar.td, Vector.td, Memory.td, CrossLane.td, Matrix.td and
// Sequencer.td; Core.td includes them all.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_COREBASE_TD
#define SYSTOLE_DIALECTS_CORE_COREBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Core_Dialect : Dialect {
  let name = "core";
  let cppNamespace = "::systole::core";
  let summary = "The instructions of one TPU core, in SSA form";
  let description = [{
    One operation per machine instruction, on values before register allocation:
    `!core.v` (a vector register, 8 sublanes x 128 lanes x 32 bits), `!core.m`
    (a mask of 8 x 128 bits) and `i32` (a scalar register). Structured control
    flow is `scf.for`, `scf.if` and `scf.while` with `i32` bounds, and routines
    are `func.func`. The definitions here are the only list of instructions:
    encoder, decoder, assembler, program verifier, emulator dispatch and
    docs/isa.md are generated from them.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Core_Type<string name, string mnemonicName> : TypeDef<Core_Dialect, name> {
  let mnemonic = mnemonicName;
}

def Core_VectorType : Core_Type<"Vector", "v"> {
  let summary = "a vector register: 8 sublanes x 128 lanes of 32-bit cells";
}
def Core_MaskType : Core_Type<"Mask", "m"> {
  let summary = "a mask register: one bit for each of 8 x 128 cells";
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

// A slot of the bundle. `count` instructions of the slot issue in one cycle, each in
// `width` bits, the opcode in the lowest `opcodeWidth`. These are the counts of the
// smallest machines, which fill 512 bits; a target description may have more.
class MachineSlot<string name, int count, int width, int opcodeWidth> {
  string Name = name;
  int Count = count;
  int Bits = width;
  int OpcodeBits = opcodeWidth;
}
// In the order of their fields in the bundle, after the 16-bit header (delay).
def ScalarSlot : MachineSlot<"scalar", 2, 32, 7>;
def VectorSlot : MachineSlot<"valu", 2, 40, 8>;
def LoadSlot   : MachineSlot<"vload", 1, 64, 6>;
def StoreSlot  : MachineSlot<"vstore", 1, 64, 6>;
def PushSlot   : MachineSlot<"push", 1, 64, 7>;
def PopSlot    : MachineSlot<"pop", 1, 32, 6>;
// Shared immediates: four words of 32 bits, named by any S or VS field.
defvar ImmediateCount = 4;
// Of an instruction that names a sync flag.
defvar FlagBits = 7;

// A functional unit with its own result FIFO, or none ("core").
class MachineUnit<string name> { string Name = name; }
def NoUnit   : MachineUnit<"core">;
def XluUnit  : MachineUnit<"xlu">;
def EupUnit  : MachineUnit<"eup">;
def MxuUnit  : MachineUnit<"mxu">;
def DmaUnit  : MachineUnit<"dma">;
def S2vUnit  : MachineUnit<"v2s">;

// Latency (cycles from issue until the result may be read or popped) and issue
// interval (cycles the unit is busy) are looked up by this name in the target
// description; no figures are given here.
class LatencyClass<string name, string doc> {
  string Name = name;
  string Doc = doc;
}
def Lat_Scalar    : LatencyClass<"scalar", "scalar integer arithmetic">;
def Lat_ScalarMul : LatencyClass<"scalar_mul", "scalar multiplication">;
def Lat_SmemLoad  : LatencyClass<"smem_load", "SMEM word to scalar register">;
def Lat_SmemStore : LatencyClass<"smem_store", "scalar register to SMEM, until visible to loads">;
def Lat_Valu      : LatencyClass<"valu", "vector arithmetic, logic, comparison and masks">;
def Lat_ValuMul   : LatencyClass<"valu_mul", "vector multiplication and fused multiply-add">;
def Lat_ValuCvt   : LatencyClass<"valu_convert", "conversion between integer and floating point">;
def Lat_VLoad     : LatencyClass<"vload", "VMEM to vector register">;
def Lat_VStore    : LatencyClass<"vstore", "vector register to VMEM, until visible to loads">;
def Lat_Rotate    : LatencyClass<"xlu_rotate", "lane rotation, permutation and broadcast">;
def Lat_Gather    : LatencyClass<"xlu_gather", "dynamic gather of lanes">;
def Lat_Reduce    : LatencyClass<"xlu_reduce", "reduction over lanes">;
def Lat_Transpose : LatencyClass<"xlu_transpose", "transposition, from the last push of the block">;
def Lat_V2S       : LatencyClass<"v2s", "vector element to scalar register">;
def Lat_Eup       : LatencyClass<"eup", "one-pass transcendental (exp2, log2, tanh, reciprocal, rsqrt)">;
def Lat_EupLong   : LatencyClass<"eup_long", "transcendental of several passes (division, expm1, sin, ...)">;
def Lat_Latch     : LatencyClass<"mxu_latch", "eight weight rows into the shadow latch">;
def Lat_Swap      : LatencyClass<"mxu_swap", "shadow latch to current weights">;
def Lat_Matmul    : LatencyClass<"mxu_push", "eight rows through the MXU">;
def Lat_Dma       : LatencyClass<"dma_issue", "issue of a DMA descriptor to the engine">;
def Lat_Control   : LatencyClass<"control", "taken control transfer: extra cycles before the next bundle">;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

// How an operand is encoded. `kind` is one of
//   V   vector register                       S   scalar register or immediate
//   VS  vector register, or a scalar register or immediate splat to all cells
//   M   mask register (m0 reads as all ones)   U/I unsigned/signed inline bits
//   R   region index   D  DMA descriptor index  L  code length or routine, a
//       shared immediate filled in when control flow is laid out
class MachineField<string kind, int width> {
  string FieldKind = kind;
  int FieldBits = width;
}

defvar isVector = CPred<"::llvm::isa<::systole::core::VectorType>($_self)">;
defvar isMask = CPred<"::llvm::isa<::systole::core::MaskType>($_self)">;
defvar isScalar = CPred<"$_self.isInteger(32)">;

def V  : TypeConstraint<isVector, "vector register", "::systole::core::VectorType">,
         BuildableType<"::systole::core::VectorType::get($_builder.getContext())">,
         MachineField<"V", 5>;
def VS : TypeConstraint<Or<[isVector, isScalar]>, "vector register or splat scalar">,
         MachineField<"VS", 7>;
def M  : TypeConstraint<isMask, "mask register", "::systole::core::MaskType">,
         BuildableType<"::systole::core::MaskType::get($_builder.getContext())">,
         MachineField<"M", 4>;
def S  : TypeConstraint<isScalar, "32-bit scalar register">,
         BuildableType<"$_builder.getI32Type()">,
         MachineField<"S", 6>;

// Inline constants of an instruction.
class UImm<int width> : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<!sub(!shl(1, width), 1)>]>,
                    MachineField<"U", width>;
class SImm<int width> : ConfinedAttr<I32Attr, [IntMinValue<!sub(0, !shl(1, !sub(width, 1)))>,
                                            IntMaxValue<!sub(!shl(1, !sub(width, 1)), 1)>]>,
                    MachineField<"I", width>;
def Region : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<4095>]>, MachineField<"R", 12>;
// Not an SSA operand: only sequencer instructions have it.
def CodeLength : MachineField<"L", 3>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

// One instruction of the machine. `Semantics` is a C++ expression, or a
// statement block for the units, over the operands' names; cells are uint32_t.
// docs/isa.md prints it, the emulator compiles it: it is the only definition.
// Empty semantics mean that the emulator's unit of that name defines it, and
// the description is its specification.
class MachineInst<string mnemonic, MachineSlot slot, MachineUnit unit,
                  LatencyClass latency, dag ins, dag outs> {
  string Mnemonic = mnemonic;
  MachineSlot Slot = slot;
  MachineUnit Unit = unit;
  LatencyClass Latency = latency;
  dag Ins = ins;
  dag Outs = outs;
  string Semantics = "";
  // How many results the instruction adds to its unit's FIFO.
  int Pushes = 0;
  // A target feature that the instruction needs ("" for every target).
  string Feature = "";
}

// An instruction that is also an operation of the `core` dialect.
class Core_Inst<string mnemonic, MachineSlot slot, MachineUnit unit,
                LatencyClass latency, dag ins, dag outs, string text,
                list<Trait> traits = []>
    : Op<Core_Dialect, mnemonic, traits>,
      MachineInst<mnemonic, slot, unit, latency, ins, outs> {
  let arguments = ins;
  let results = outs;
  let summary = text;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // SYSTOLE_DIALECTS_CORE_COREBASE_TD
