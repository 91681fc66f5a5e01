// .npy files: those that NumPy wrote (fixtures/make.py), and broken ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Gives the bytes a few at a time, as a decompressor may.
class StringSource : public ByteSource {
public:
  explicit StringSource(std::string bytes) : bytes(std::move(bytes)) {}
  absl::StatusOr<size_t> read(uint8_t *to, size_t count) override {
    size_t got = std::min({count, bytes.size() - position, size_t(5)});
    std::memcpy(to, bytes.data() + position, got);
    position += got;
    return got;
  }

private:
  std::string bytes;
  size_t position = 0;
};

std::string fixture(const std::string &name) {
  std::ifstream file(std::string(SYSTOLE_FIXTURES) + "/" + name + ".npy", std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

absl::StatusOr<HostArray> parse(const std::string &bytes, std::string_view dtype) {
  StringSource source(bytes);
  absl::StatusOr<NpyHeader> header = readNpyHeader(source);
  if (!header.ok())
    return header.status();
  return readNpyData(source, *header, dtype);
}

// A version 1 file with this text as header and these bytes as data.
std::string npy(const std::string &text, const std::string &data = "") {
  std::string length{static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + text + data;
}

std::string shaped(const std::string &shape) {
  return npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n");
}

std::vector<float> floats(const HostArray &array) {
  std::vector<float> values(array.bytes.size() / 4);
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST(Npy, ReadsFilesOfNumpy) {
  for (const char *name : {"f32_3x4", "f32_3x4_version2", "f32_3x4_version3"}) {
    absl::StatusOr<HostArray> array = parse(fixture(name), "f32");
    ASSERT_TRUE(array.ok()) << name << ": " << array.status();
    EXPECT_THAT(array->dims, ElementsAre(3, 4));
    EXPECT_THAT(floats(*array), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  }
  absl::StatusOr<HostArray> empty = parse(fixture("f32_0x3"), "f32");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_THAT(empty->dims, ElementsAre(0, 3));
  EXPECT_TRUE(empty->bytes.empty());
  absl::StatusOr<HostArray> scalar = parse(fixture("i1_scalar"), "i1");
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_TRUE(scalar->dims.empty());
  EXPECT_THAT(scalar->bytes, ElementsAre(1));
}

TEST(Npy, ReadsBf16AsMlDtypesStoresIt) {
  absl::StatusOr<HostArray> array = parse(fixture("bf16_5"), "bf16");
  ASSERT_TRUE(array.ok()) << array.status();
  // 0, 1, -2, 3.5 and infinity: the high halves of their f32 encodings.
  EXPECT_THAT(array->bytes, ElementsAre(0, 0, 0x80, 0x3f, 0x00, 0xc0, 0x60, 0x40, 0x80, 0x7f));
}

TEST(Npy, BringsColumnMajorDataIntoRowOrder) {
  absl::StatusOr<HostArray> array = parse(fixture("f32_2x3x4_fortran"), "f32");
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(array->dims, ElementsAre(2, 3, 4));
  std::vector<float> values = floats(*array);
  ASSERT_EQ(values.size(), 24u);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(values[i], i);
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  HostArray array{"f32", {3, 4}, {}};
  for (int i = 0; i < 12; ++i) {
    float value = i;
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&value);
    array.bytes.insert(array.bytes.end(), bytes, bytes + 4);
  }
  std::string written = npyHeader(array) + std::string(array.bytes.begin(), array.bytes.end());
  EXPECT_EQ(written, fixture("f32_3x4"));
  EXPECT_EQ(npyHeader(HostArray{"i1", {}, {}}) + '\x01', fixture("i1_scalar"));
  EXPECT_EQ(npyHeader(HostArray{"f32", {0, 3}, {}}), fixture("f32_0x3"));
}

TEST(Npy, RoundTrips) {
  for (const char *dtype :
       {"f32", "bf16", "f16", "i1", "i8", "ui8", "i16", "ui16", "i32", "ui32"}) {
    HostArray array{dtype, {2}, {}};
    StringSource headerOnly(npyHeader(array));
    absl::StatusOr<NpyHeader> header = readNpyHeader(headerOnly);
    ASSERT_TRUE(header.ok()) << dtype;
    EXPECT_TRUE(descrHolds(header->descr, dtype)) << dtype;
    EXPECT_EQ(describeDescr(header->descr), dtype);
    EXPECT_THAT(header->dims, ElementsAre(2));
    EXPECT_EQ(npyHeader(array).size() % 64, 0u);
  }
}

TEST(Npy, NamesTypesThatProgramsDoNotTake) {
  EXPECT_THAT(parse(fixture("i64_3"), "i32").status().message(), HasSubstr("i64, not i32"));
  EXPECT_THAT(parse(fixture("f32_2_bigendian"), "f32").status().message(),
              HasSubstr("big-endian '>f4'"));
  EXPECT_THAT(parse(fixture("records"), "f32").status().message(), HasSubstr("records"));
}

struct Broken {
  const char *what;
  std::string bytes;
  const char *message;
};

TEST(Npy, RefusesBrokenFiles) {
  const std::string good = fixture("f32_3x4");
  std::string version9 = good;
  version9[6] = 9;
  std::string hugeHeader = fixture("f32_3x4_version2");
  hugeHeader.replace(8, 4, "\xff\xff\xff\xff");
  const Broken cases[] = {
      {"empty", "", "ends within"},
      {"other magic", "PK\x03\x04 and more bytes", "no .npy file"},
      {"cut magic", good.substr(0, 5), "ends within"},
      {"cut length", good.substr(0, 9), "ends within"},
      {"cut header", good.substr(0, 60), "ends within"},
      {"cut data", good.substr(0, good.size() - 1), "47 bytes of data where its shape needs 48"},
      {"too much data", good + "x", "more than the 48 bytes"},
      {"unknown version", version9, "version is 9"},
      {"huge header", hugeHeader, "claims 4294967295 bytes"},
      {"no dictionary", npy("(1, 2)"), "malformed"},
      {"empty header", npy(""), "malformed"},
      {"empty dictionary", npy("{}"), "missing"},
      {"unclosed string", npy("{'descr"), "malformed"},
      {"unclosed dictionary", npy("{'descr': '<f4',"), "malformed"},
      {"twice", npy("{'descr': '<f4', 'descr': '<f4'}"), "malformed"},
      {"text after", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), } x"), "malformed"},
      {"negative dimension", shaped("(-1,)"), "malformed"},
      {"number for a tuple", shaped("3"), "malformed"},
      {"unclosed tuple", shaped("(3, "), "malformed"},
      {"dimension past 64 bits", shaped("(99999999999999999999,)"), "malformed"},
      {"more elements than memory", shaped("(4611686018427387904, 4)"), "more elements"},
      {"more elements than the file", shaped("(1000000, 1000000)"), "0 bytes of data"},
      {"unknown type", npy("{'descr': '<q9', 'fortran_order': False, 'shape': ()}"), "'<q9'"},
      {"type of one letter", npy("{'descr': '<', 'fortran_order': False, 'shape': ()}"), "'<'"},
      {"no type", npy("{'descr': '', 'fortran_order': False, 'shape': ()}"), "''"},
  };
  for (const Broken &broken : cases) {
    absl::StatusOr<HostArray> array = parse(broken.bytes, "f32");
    EXPECT_FALSE(array.ok()) << broken.what;
    EXPECT_THAT(array.status().message(), HasSubstr(broken.message)) << broken.what;
  }
}

TEST(Npy, SurvivesEveryChangedHeaderByte) {
  const std::string good = fixture("f32_3x4");
  for (size_t at = 0; at < 128; ++at)
    for (int value : {0, 1, 39, 40, 57, 123, 125, 128, 255}) {
      std::string changed = good;
      changed[at] = static_cast<char>(value);
      absl::StatusOr<HostArray> array = parse(changed, "f32");
      if (array.ok())
        EXPECT_EQ(array->bytes.size(), 48u);
      else
        EXPECT_FALSE(array.status().message().empty());
    }
}

} // namespace
} // namespace systole
