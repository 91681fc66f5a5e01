// Source locations and shardings in HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/TextParser.h"

using namespace llvm;

namespace systole::hlo {

bool parseSharding(TextLexer &lexer, OpSharding &sharding) {
  StringRef value;
  if (!lexer.skipValue(&value))
    return false;
  // The sharding of a tuple has a list for each element.
  for (StringRef rest = value.split("devices=[").second; !rest.empty();
       rest = rest.split("devices=[").second) {
    OpSharding &part = *sharding.add_tuple_shardings();
    int64_t size;
    while (!rest.consumeInteger(10, size)) {
      part.add_tile_assignment_dimensions(size);
      if (!rest.consume_front(","))
        break;
    }
  }
  return true;
}

bool parseMetadata(TextLexer &lexer, OpMetadata &metadata) {
  return lexer.list([&] {
    StringRef name;
    if (!lexer.expectWord(name) || !lexer.expect("="))
      return false;
    int32_t number;
    if (name == "op_name")
      return lexer.quoted(*metadata.mutable_op_name());
    if (name == "source_file")
      return lexer.quoted(*metadata.mutable_source_file());
    if (name == "source_line" || name == "source_column" || name == "stack_frame_id") {
      if (!lexer.integer(number))
        return false;
      if (name == "source_line")
        metadata.set_source_line(number);
      else if (name == "source_column")
        metadata.set_source_column(number);
      else
        metadata.set_stack_frame_id(number);
      return true;
    }
    // The other fields are for tools; values end at whitespace here.
    std::string skipped;
    if (lexer.peek('"'))
      return lexer.quoted(skipped);
    return lexer.peek('{') || lexer.peek('[') ? lexer.skipValue() : lexer.expectWord(name);
  });
}

namespace {

/// `1 {a=2 b=3}`: passes the names and numbers to `set`.
bool numbersOf(TextLexer &lexer, function_ref<void(StringRef, int32_t)> set) {
  return lexer.list([&] {
    StringRef name;
    int32_t number;
    if (!lexer.expectWord(name) || !lexer.expect("=") || !lexer.integer(number))
      return false;
    set(name, number);
    return true;
  });
}

/// The entries of a table, numbered from 1 in order.
bool table(TextLexer &lexer, function_ref<bool()> entry) {
  for (int64_t number = 1;; ++number) {
    const size_t start = lexer.at;
    int64_t found;
    if (lexer.word().getAsInteger(10, found)) {
      lexer.at = start;
      return true;
    }
    if (found != number)
      return lexer.fail("expected entry " + Twine(number) + " before this");
    if (!entry())
      return false;
  }
}

} // namespace

bool parseStackFrames(TextLexer &lexer, StackFrameIndexProto &frames) {
  if (lexer.consume("FileNames") &&
      !table(lexer, [&] { return lexer.quoted(*frames.add_file_names()); }))
    return false;
  if (lexer.consume("FunctionNames") &&
      !table(lexer, [&] { return lexer.quoted(*frames.add_function_names()); }))
    return false;
  if (lexer.consume("FileLocations") && !table(lexer, [&] {
        auto &location = *frames.add_file_locations();
        return numbersOf(lexer, [&](StringRef name, int32_t number) {
          if (name == "file_name_id")
            location.set_file_name_id(number);
          else if (name == "function_name_id")
            location.set_function_name_id(number);
          else if (name == "line")
            location.set_line(number);
          else if (name == "column")
            location.set_column(number);
        });
      }))
    return false;
  return !lexer.consume("StackFrames") || table(lexer, [&] {
    auto &frame = *frames.add_stack_frames();
    return numbersOf(lexer, [&](StringRef name, int32_t number) {
      // A parent's number is one more in text than in protos.
      if (name == "file_location_id")
        frame.set_file_location_id(number);
      else if (name == "parent_frame_id" && number > 0)
        frame.set_parent_frame_id(number - 1);
    });
  });
}

} // namespace systole::hlo
