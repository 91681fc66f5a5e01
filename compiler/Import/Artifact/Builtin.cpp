// Builtin attributes and types of MLIR that portable artifacts contain. Preconditions of MLIR's
// constructors are checked here.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Attributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::artifact {

namespace {

/// The codes of builtin attributes.
enum AttributeCode : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbol = 4,
  kSymbol = 5,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSite = 10,
  kFileLineColumn = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kName = 14,
  kUnknown = 15,
  kDenseArray = 17,
  kDenseElements = 18,
  kFileLineColumnRange = 22,
};

/// The codes of builtin types.
enum TypeCode : uint64_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kBFloat16Type = 3,
  kFloat16Type = 4,
  kFloat32Type = 5,
  kFloat64Type = 6,
  kComplexType = 9,
  kNoneType = 12,
  kRankedTensorType = 13,
  kRankedTensorTypeWithEncoding = 14,
  kTupleType = 15,
  kUnrankedTensorType = 18,
  kFloat8E5M2Type = 22, // the first of the small floats
};

/// Decodes one entry.
class Decoder {
public:
  explicit Decoder(EntryReader &reader)
      : reader(reader), table(reader.table), bytes(reader.bytes), context(&reader.table.context) {}

  LogicalResult attribute(Attribute &result);
  LogicalResult type(Type &result);

private:
  template <typename T>
  LogicalResult list(SmallVectorImpl<T> &elements, StringRef what,
                     function_ref<LogicalResult(T &)> read) {
    uint64_t count;
    if (failed(bytes.readCount(count, what)))
      return failure();
    for (uint64_t i = 0; i < count; ++i)
      if (failed(read(elements.emplace_back())))
        return failure();
    return success();
  }
  LogicalResult types(SmallVectorImpl<Type> &result) {
    return list<Type>(result, "types", [&](Type &type) { return table.readType(bytes, type); });
  }
  LogicalResult location(LocationAttr &result) { return table.readAs(bytes, result, "a location"); }
  LogicalResult string(StringAttr &result) { return table.readAs(bytes, result, "a string"); }
  LogicalResult number(unsigned &result) {
    uint64_t value;
    if (failed(bytes.readVarInt(value)))
      return failure();
    if (value > std::numeric_limits<unsigned>::max())
      return bytes.refuse("a line or column is " + Twine(value));
    result = value;
    return success();
  }

  LogicalResult dictionary(Attribute &result);
  LogicalResult symbol(Attribute &result);
  LogicalResult integer(Attribute &result);
  LogicalResult floatingPoint(Attribute &result);
  LogicalResult callSite(Attribute &result);
  LogicalResult fileRange(Attribute &result);
  LogicalResult fused(Attribute &result, bool hasMetadata);
  LogicalResult denseArray(Attribute &result);
  LogicalResult denseElements(Attribute &result);
  LogicalResult integerType(Type &result);
  LogicalResult rankedTensor(Type &result, bool hasEncoding);

  EntryReader &reader;
  AttributeTable &table;
  Bytes &bytes;
  MLIRContext *context;
};

LogicalResult Decoder::dictionary(Attribute &result) {
  SmallVector<NamedAttribute> attributes;
  uint64_t count;
  if (failed(bytes.readCount(count, "attributes")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    StringAttr name;
    Attribute value;
    if (failed(string(name)) || failed(table.readAttribute(bytes, value)))
      return failure();
    if (name.empty())
      return bytes.refuse("an attribute without a name");
    attributes.emplace_back(name, value);
  }
  if (auto twice = DictionaryAttr::findDuplicate(attributes, /*isSorted=*/false))
    return bytes.refuse("attribute '" + twice->getName().strref() + "' occurs twice");
  result = DictionaryAttr::get(context, attributes);
  return success();
}

LogicalResult Decoder::symbol(Attribute &result) {
  StringAttr root;
  SmallVector<FlatSymbolRefAttr> nested;
  if (failed(string(root)) ||
      failed(list<FlatSymbolRefAttr>(nested, "symbols", [&](FlatSymbolRefAttr &symbol) {
        return table.readAs(bytes, symbol, "a symbol");
      })))
    return failure();
  result = SymbolRefAttr::get(root, nested);
  return success();
}

LogicalResult Decoder::integer(Attribute &result) {
  Type type;
  if (failed(table.readType(bytes, type)))
    return failure();
  if (!isa<IntegerType, IndexType>(type))
    return bytes.refuse("an integer of another type");
  FailureOr<APInt> value =
      reader.readAPIntWithKnownWidth(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  if (failed(value))
    return failure();
  result = IntegerAttr::get(type, *value);
  return success();
}

LogicalResult Decoder::floatingPoint(Attribute &result) {
  Type type;
  if (failed(table.readType(bytes, type)))
    return failure();
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return bytes.refuse("a floating-point number of another type");
  FailureOr<APFloat> value = reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
  if (failed(value))
    return failure();
  result = FloatAttr::get(type, *value);
  return success();
}

LogicalResult Decoder::callSite(Attribute &result) {
  LocationAttr callee, caller;
  if (failed(location(callee)) || failed(location(caller)))
    return failure();
  result = CallSiteLoc::get(Location(callee), Location(caller));
  return success();
}

// A line; a line and a column; a line and two columns; or a start and an end.
LogicalResult Decoder::fileRange(Attribute &result) {
  StringAttr file;
  uint64_t count;
  unsigned numbers[4] = {};
  if (failed(string(file)) || failed(bytes.readVarInt(count)))
    return failure();
  if (count > 4)
    return bytes.refuse("a file range has " + Twine(count) + " numbers");
  for (uint64_t i = 0; i < count; ++i)
    if (failed(number(numbers[i])))
      return failure();
  switch (count) {
  case 0:
    result = FileLineColRange::get(file);
    break;
  case 1:
    result = FileLineColRange::get(file, numbers[0]);
    break;
  case 2:
    result = FileLineColRange::get(file, numbers[0], numbers[1]);
    break;
  case 3:
    result = FileLineColRange::get(file, numbers[0], numbers[1], numbers[2]);
    break;
  default:
    result = FileLineColRange::get(file, numbers[0], numbers[1], numbers[2], numbers[3]);
  }
  return success();
}

LogicalResult Decoder::fused(Attribute &result, bool hasMetadata) {
  SmallVector<LocationAttr> read;
  Attribute metadata;
  if (failed(list<LocationAttr>(read, "locations",
                                [&](LocationAttr &element) { return location(element); })) ||
      (hasMetadata && failed(table.readAttribute(bytes, metadata))))
    return failure();
  SmallVector<Location> locations(read.begin(), read.end());
  result = FusedLoc::get(locations, metadata, context);
  return success();
}

LogicalResult Decoder::denseArray(Attribute &result) {
  Type type;
  uint64_t size;
  ArrayRef<char> data;
  if (failed(table.readType(bytes, type)) || failed(bytes.readVarInt(size)) ||
      failed(reader.readBlob(data)))
    return failure();
  if (!type.isIntOrFloat())
    return bytes.refuse("an array of other elements than numbers");
  uint64_t width = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  if (size > data.size() || size * width != data.size())
    return bytes.refuse(Twine(data.size()) + " bytes for " + Twine(size) + " elements");
  if (type.isInteger(1) && llvm::any_of(data, [](char byte) { return byte < 0 || byte > 1; }))
    return bytes.refuse("a boolean is neither 0 nor 1");
  result = DenseArrayAttr::get(type, size, data);
  return success();
}

LogicalResult Decoder::denseElements(Attribute &result) {
  Type type;
  ArrayRef<char> data;
  if (failed(table.readType(bytes, type)) || failed(reader.readBlob(data)))
    return failure();
  result = table.container.format->elementsFrom(type, data);
  return result ? success()
                : bytes.refuse(Twine(data.size()) + " bytes do not fit the elements of a tensor");
}

LogicalResult Decoder::attribute(Attribute &result) {
  Bytes start = bytes;
  uint64_t code;
  if (failed(bytes.readVarInt(code)))
    return failure();
  switch (code) {
  case kArray: {
    SmallVector<Attribute> elements;
    if (failed(list<Attribute>(elements, "attributes", [&](Attribute &element) {
          return table.readAttribute(bytes, element);
        })))
      return failure();
    result = ArrayAttr::get(context, elements);
    return success();
  }
  case kDictionary:
    return dictionary(result);
  case kString:
  case kStringWithType: {
    StringRef text;
    Type type = NoneType::get(context);
    if (failed(reader.readString(text)) ||
        (code == kStringWithType && failed(table.readType(bytes, type))))
      return failure();
    result = StringAttr::get(text, type);
    return success();
  }
  case kFlatSymbol: {
    StringAttr name;
    if (failed(string(name)))
      return failure();
    result = FlatSymbolRefAttr::get(name);
    return success();
  }
  case kSymbol:
    return symbol(result);
  case kType: {
    Type type;
    if (failed(table.readType(bytes, type)))
      return failure();
    result = TypeAttr::get(type);
    return success();
  }
  case kUnit:
    result = UnitAttr::get(context);
    return success();
  case kInteger:
    return integer(result);
  case kFloat:
    return floatingPoint(result);
  case kCallSite:
    return callSite(result);
  case kFileLineColumn: {
    StringAttr file;
    unsigned line, column;
    if (failed(string(file)) || failed(number(line)) || failed(number(column)))
      return failure();
    result = FileLineColLoc::get(file, line, column);
    return success();
  }
  case kFileLineColumnRange:
    return fileRange(result);
  case kFused:
  case kFusedWithMetadata:
    return fused(result, code == kFusedWithMetadata);
  case kName: {
    StringAttr name;
    LocationAttr child;
    if (failed(string(name)) || failed(location(child)))
      return failure();
    result = NameLoc::get(name, Location(child));
    return success();
  }
  case kUnknown:
    result = UnknownLoc::get(context);
    return success();
  case kDenseArray:
    return denseArray(result);
  case kDenseElements:
    return denseElements(result);
  default:
    return start.refuse("MLIR's attribute " + Twine(code) + ", which " +
                        table.container.format->name() + " do not contain");
  }
}

LogicalResult Decoder::integerType(Type &result) {
  Bytes start = bytes;
  uint64_t value;
  if (failed(bytes.readVarInt(value)))
    return failure();
  uint64_t width = value >> 2, signedness = value & 3;
  if (width == 0 || width > 64 || signedness > IntegerType::Unsigned)
    return start.refuse("a type of integers with " + Twine(width) + " bits");
  result =
      IntegerType::get(context, width, static_cast<IntegerType::SignednessSemantics>(signedness));
  return success();
}

LogicalResult Decoder::rankedTensor(Type &result, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(table.readAttribute(bytes, encoding))) ||
      failed(list<int64_t>(shape, "dimensions",
                           [&](int64_t &size) { return bytes.readSignedVarInt(size); })) ||
      failed(table.readType(bytes, element)))
    return failure();
  result = RankedTensorType::getChecked([&] { return mlir::emitError(UnknownLoc::get(context)); },
                                        shape, element, encoding);
  return result ? success() : bytes.refuse("not a tensor type");
}

/// Floats of a byte or less, in the order of their codes.
static constexpr StringLiteral kSmallFloats[] = {
    "f8E5M2", "f8E4M3",   "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ",
    "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",   "f8E8M0FNU"};

LogicalResult Decoder::type(Type &result) {
  Bytes start = bytes;
  uint64_t code;
  if (failed(bytes.readVarInt(code)))
    return failure();
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  switch (code) {
  case kIntegerType:
    return integerType(result);
  case kIndexType:
    result = IndexType::get(context);
    return success();
  case kFunctionType: {
    SmallVector<Type> inputs, results;
    if (failed(types(inputs)) || failed(types(results)))
      return failure();
    result = FunctionType::get(context, inputs, results);
    return success();
  }
  case kBFloat16Type:
    result = BFloat16Type::get(context);
    return success();
  case kFloat16Type:
    result = Float16Type::get(context);
    return success();
  case kFloat32Type:
    result = Float32Type::get(context);
    return success();
  case kFloat64Type:
    result = Float64Type::get(context);
    return success();
  case kComplexType:
  case kUnrankedTensorType: {
    Type element;
    if (failed(table.readType(bytes, element)))
      return failure();
    result = code == kComplexType ? Type(ComplexType::getChecked(emitError, element))
                                  : Type(UnrankedTensorType::getChecked(emitError, element));
    return result ? success() : start.refuse("not a valid element type");
  }
  case kNoneType:
    result = NoneType::get(context);
    return success();
  case kRankedTensorType:
  case kRankedTensorTypeWithEncoding:
    return rankedTensor(result, code == kRankedTensorTypeWithEncoding);
  case kTupleType: {
    SmallVector<Type> elements;
    if (failed(types(elements)))
      return failure();
    result = TupleType::get(context, elements);
    return success();
  }
  default:
    if (code >= kFloat8E5M2Type && code - kFloat8E5M2Type < std::size(kSmallFloats)) {
      result = parseType(kSmallFloats[code - kFloat8E5M2Type], context);
      return success();
    }
    return table.container.format->decodeBuiltin(reader, code, result);
  }
}

} // namespace

LogicalResult decodeBuiltin(EntryReader &reader, Attribute &attribute) {
  return Decoder(reader).attribute(attribute);
}
LogicalResult decodeBuiltin(EntryReader &reader, Type &type) { return Decoder(reader).type(type); }

} // namespace systole::artifact
