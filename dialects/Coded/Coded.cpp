// Dialects that are defined by their encoding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Coded/Coded.h"

using namespace mlir;

namespace systole::coded {

CodedDialect::CodedDialect(StringRef name, MLIRContext *context, TypeID id, const Tables &tables)
    : Dialect(name, context, id), tables(tables) {
  for (const OpInfo &info : tables.operations)
    operationsByName[info.name] = &info;
  registerOperations();
  addBytecodeInterface(*this);
}

const KindInfo *CodedDialect::find(ArrayRef<KindInfo> kinds, uint64_t code) {
  for (const KindInfo &kind : kinds)
    if (kind.code == code)
      return &kind;
  return nullptr;
}

const OpInfo *CodedDialect::operation(StringRef name) const {
  return operationsByName.lookup(name);
}

CodedDialect *codedDialect(Dialect &dialect) { return dynamic_cast<CodedDialect *>(&dialect); }

const OpInfo *operationInfo(OperationName name) {
  Dialect *dialect = name.getDialect();
  CodedDialect *coded = dialect ? codedDialect(*dialect) : nullptr;
  return coded ? coded->operation(name.stripDialect()) : nullptr;
}

SmallVector<StringRef> OpInfo::encodedNames() const {
  SmallVector<StringRef> names;
  for (const OpField &field : fields)
    names.push_back(field.name);
  llvm::sort(names);
  return names;
}

} // namespace systole::coded
