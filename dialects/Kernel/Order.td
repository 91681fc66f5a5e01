//===- Order.td - Order of summation -------------------------*- tablegen -*-===//
//
// The order in which a reduction combines its elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_KERNEL_ORDER_TD
#define SYSTOLE_DIALECTS_KERNEL_ORDER_TD

def Kernel_OrderAttr : AttrDef<Kernel_Dialect, "Order"> {
  let mnemonic = "order";
  let summary = "the order in which a reduction combines elements";
  let description = [{
    `#kernel.order<rows = [1, 2], tree = 0, partials = 128, chunked = [0, 1], chunk = [1, 8]>`

    Set from the shape before layouts are chosen, so that no layout, plan or target changes a bit of
    the result. Dimensions are those of the operand; reduced ones of one element are left out.

    1. `rows`: elements of one index along `tree` are numbered in row-major order of these
       dimensions. Those of equal number modulo 8 are combined in ascending order, then the eight
       partial results at distances 4, 2, 1.
    2. `tree`, -1 if there is none: those of equal index modulo `partials`, 128 or 1024, in ascending
       order, then these partial results at halved distances, `partials` / 2 first. Of 1024 the
       distances 512, 256 and 128 come first, too.
    3. `chunked`: steps 1 and 2 are done for each chunk, which has `chunk` indices of each of these
       dimensions, the last ones maybe fewer; results of chunks are combined in ascending order,
       numbered in row-major order of these dimensions.
    4. The initial value is the first argument of the last combination.

    `any`: every order gives the same bits; any of the dimensions may be the tree.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$rows,
                        DefaultValuedParameter<"int64_t", "-1">:$tree,
                        DefaultValuedParameter<"int64_t", "128">:$partials,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$chunked,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$chunk,
                        DefaultValuedParameter<"bool", "false">:$any);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The reduced dimensions of more than one element.
    ::llvm::SmallVector<int64_t> getDims() const {
      ::llvm::SmallVector<int64_t> dims(getRows().asArrayRef());
      if (getTree() >= 0)
        dims.push_back(getTree());
      return dims;
    }
    /// The dimensions that are done in chunks, and the indices of a chunk along each of them.
    ::llvm::ArrayRef<int64_t> chunkedDims() const {
      return getChunked() ? getChunked().asArrayRef() : ::llvm::ArrayRef<int64_t>();
    }
    ::llvm::ArrayRef<int64_t> chunkSizes() const {
      return getChunk() ? getChunk().asArrayRef() : ::llvm::ArrayRef<int64_t>();
    }
  }];
}

#endif // SYSTOLE_DIALECTS_KERNEL_ORDER_TD
