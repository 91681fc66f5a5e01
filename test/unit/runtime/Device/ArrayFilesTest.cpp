// Arguments and results in files: .npz archives that NumPy wrote, mismatches
// with the signature, broken archives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/ArrayFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Device/Npz.h"

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fixture(const std::string &name) { return std::string(SYSTOLE_FIXTURES) + "/" + name; }

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string temporary(const std::string &name, const std::string &bytes = "") {
  std::string path = testing::TempDir() + "systole-arrays-" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void addArgument(program::ProgramHeader &program, const std::string &dtype,
                 const std::vector<int64_t> &dims) {
  program::Tensor &tensor = *program.add_arguments();
  tensor.set_dtype(dtype);
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  for (int64_t dim = dims.size(); dim-- > 0;)
    tensor.mutable_layout()->add_minor_to_major(dim);
}

// The signature of the fixtures' arrays.
program::ProgramHeader threeArguments() {
  program::ProgramHeader program;
  addArgument(program, "f32", {3, 4});
  addArgument(program, "bf16", {5});
  addArgument(program, "i1", {});
  return program;
}

std::string failure(const program::ProgramHeader &program, const std::vector<std::string> &paths) {
  absl::StatusOr<std::vector<HostArray>> arrays = readArguments(program, paths);
  EXPECT_FALSE(arrays.ok());
  return std::string(arrays.status().message());
}

TEST(ArrayFiles, ReadsArchivesThatNumpyWrote) {
  for (const char *name : {"stored.npz", "compressed.npz"}) {
    absl::StatusOr<std::vector<HostArray>> arrays =
        readArguments(threeArguments(), std::vector{fixture(name)});
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    ASSERT_EQ(arrays->size(), 3u);
    EXPECT_THAT((*arrays)[0].dims, ElementsAre(3, 4));
    EXPECT_EQ((*arrays)[0].bytes.size(), 48u);
    EXPECT_EQ((*arrays)[0].bytes[6], 0x80) << "1.0f is the second element";
    EXPECT_EQ((*arrays)[1].dtype, "bf16");
    EXPECT_THAT((*arrays)[2].bytes, ElementsAre(1));
    EXPECT_TRUE(checkArguments(threeArguments(), *arrays).ok());
  }
}

TEST(ArrayFiles, ReadsOneFileForEachArgument) {
  absl::StatusOr<std::vector<HostArray>> arrays =
      readArguments(threeArguments(), std::vector{fixture("f32_3x4.npy"), fixture("bf16_5.npy"),
                                                  fixture("i1_scalar.npy")});
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(arrays->size(), 3u);
}

TEST(ArrayFiles, RejectsMismatchesWithTheSignature) {
  program::ProgramHeader program = threeArguments();
  EXPECT_THAT(failure(program, {}), HasSubstr("takes 3 arguments, not 0"));
  EXPECT_THAT(failure(program, {fixture("f32_3x4.npy")}), HasSubstr("takes 3 arguments, not 1"));
  EXPECT_THAT(
      failure(program, {fixture("f32_0x3.npy"), fixture("bf16_5.npy"), fixture("i1_scalar.npy")}),
      HasSubstr("argument 0 is tensor<3x4xf32> in the program, but tensor<0x3xf32> in the file"));
  EXPECT_THAT(
      failure(program, {fixture("f32_3x4.npy"), fixture("i64_3.npy"), fixture("i1_scalar.npy")}),
      HasSubstr("argument 1 is tensor<5xbf16> in the program, but tensor<3xi64> in the file"));
  EXPECT_THAT(failure(program, {fixture("stored.npz"), fixture("stored.npz")}),
              HasSubstr("cannot be one of several"));
  EXPECT_THAT(failure(program, {fixture("absent.npz")}), HasSubstr("No such file"));
  EXPECT_THAT(failure(program, {fixture("make.py")}),
              HasSubstr("make.py: it is neither an .npy nor an .npz file"));

  program.mutable_arguments(0)->set_name("images");
  program.mutable_arguments(0)->set_dtype("i32");
  EXPECT_THAT(
      failure(program, {fixture("compressed.npz")}),
      HasSubstr(
          "(arg0): argument 0 (images) is tensor<3x4xi32> in the program, but tensor<3x4xf32>"));
  program.add_arguments();
  EXPECT_FALSE(readArguments(program, std::vector{fixture("stored.npz")}).ok());
}

TEST(ArrayFiles, RefusesArchivesWithOtherNames) {
  HostArray scalar{"i1", {}, {1}};
  std::string path = temporary("names.npz");
  ASSERT_TRUE(writeNpz(path, std::vector<NpzEntry>{{"x", &scalar}}).ok());
  program::ProgramHeader program;
  addArgument(program, "i1", {});
  EXPECT_THAT(failure(program, {path}), HasSubstr("no array 'arg0'; its first is 'x.npy'"));
}

TEST(ArrayFiles, RefusesBrokenArchives) {
  for (const char *name : {"stored.npz", "compressed.npz"}) {
    const std::string good = readFile(fixture(name));
    // Cut short anywhere, an archive has no directory.
    for (size_t size = 2; size < good.size(); size += 7)
      EXPECT_FALSE(
          readArguments(threeArguments(), std::vector{temporary("cut.npz", good.substr(0, size))})
              .ok())
          << size;
    // Any other byte: an error, or arrays that still match the signature.
    for (size_t at = 2; at < good.size(); ++at) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ 0x41);
      absl::StatusOr<std::vector<HostArray>> arrays =
          readArguments(threeArguments(), std::vector{temporary("changed.npz", changed)});
      if (arrays.ok())
        EXPECT_TRUE(checkArguments(threeArguments(), *arrays).ok()) << at;
      else
        EXPECT_THAT(arrays.status().message(), HasSubstr("changed.npz")) << at;
    }
  }
}

TEST(ArrayFiles, ChecksTheDataOfAnArchive) {
  std::string bytes = readFile(fixture("stored.npz"));
  size_t data = bytes.find(std::string("\x00\x00\x80\x3f", 4));
  ASSERT_NE(data, std::string::npos);
  bytes[data] = 1;
  EXPECT_THAT(failure(threeArguments(), {temporary("crc.npz", bytes)}),
              HasSubstr("(arg0): it cannot be unpacked: CRC error"));
}

TEST(ArrayFiles, RoundTrips) {
  HostArray matrix{"bf16", {2, 1}, {1, 2, 3, 4}}, empty{"f32", {0, 3}, {}}, flag{"i1", {}, {1}};
  std::string path = temporary("results.npz", "what was there before");
  ASSERT_TRUE(writeResults(path, std::vector{matrix, empty, flag}).ok());
  absl::StatusOr<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->size(), 3);
  for (auto [name, array] : {std::pair("out0", &matrix), {"out1", &empty}, {"out2", &flag}}) {
    absl::StatusOr<std::unique_ptr<ByteSource>> entry = reader->entry(name);
    ASSERT_TRUE(entry.ok()) << entry.status();
    absl::StatusOr<NpyHeader> header = readNpyHeader(**entry);
    ASSERT_TRUE(header.ok()) << header.status();
    absl::StatusOr<HostArray> back = readNpyData(**entry, *header, array->dtype);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->dims, array->dims);
    EXPECT_EQ(back->bytes, array->bytes);
  }
  const std::string first = readFile(path);
  ASSERT_TRUE(writeResults(path, std::vector{matrix, empty, flag}).ok());
  EXPECT_EQ(readFile(path), first) << "the same arrays give the same bytes";
}

TEST(ArrayFiles, WritesAnArchiveOfNothing) {
  std::string path = temporary("nothing.npz");
  ASSERT_TRUE(writeResults(path, {}).ok());
  absl::StatusOr<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->size(), 0);
}

TEST(ArrayFiles, SaysWhereItCannotWrite) {
  absl::Status status = writeResults("/nonexistent/out.npz", std::vector{HostArray{"i1", {}, {1}}});
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("/nonexistent/out.npz"));
  EXPECT_FALSE(writeResults("/nonexistent/out.npz", {}).ok());
}

TEST(ArrayFiles, ChecksArraysInMemory) {
  program::ProgramHeader program;
  addArgument(program, "f32", {2});
  EXPECT_TRUE(
      checkArguments(program, std::vector{HostArray{"f32", {2}, std::vector<uint8_t>(8)}}).ok());
  EXPECT_THAT(checkArguments(program, std::vector{HostArray{"f32", {2}, std::vector<uint8_t>(7)}})
                  .message(),
              HasSubstr("has 7 bytes; tensor<2xf32> takes 8"));
  EXPECT_THAT(checkArguments(program, std::vector{HostArray{"i32", {2}, std::vector<uint8_t>(8)}})
                  .message(),
              HasSubstr("argument 0 is tensor<2xf32> in the program, but given as tensor<2xi32>"));
  EXPECT_THAT(checkArguments(program, {}).message(), HasSubstr("takes 1 argument, not 0"));
}

TEST(ArrayFiles, AcceptsFewerElementsInDynamicDimensions) {
  program::ProgramHeader program;
  addArgument(program, "f32", {3, 2});
  program.mutable_arguments(0)->add_dynamic_dims()->set_dim(0);
  auto check = [&](std::vector<int64_t> dims, size_t bytes) {
    return std::string(
        checkArguments(program, std::vector{HostArray{"f32", dims, std::vector<uint8_t>(bytes)}})
            .message());
  };
  EXPECT_EQ(check({3, 2}, 24), "");
  EXPECT_EQ(check({1, 2}, 8), "");
  EXPECT_EQ(check({0, 2}, 0), "");
  EXPECT_THAT(check({1, 2}, 24), HasSubstr("has 24 bytes; tensor<1x2xf32> takes 8"));
  EXPECT_THAT(check({4, 2}, 32),
              HasSubstr("argument 0 is tensor<?x2xf32, #stablehlo.bounds<3, ?>> in the program"));
  EXPECT_THAT(check({3, 1}, 12), HasSubstr("given as tensor<3x1xf32>"));
}

TEST(HostArray, Resized) {
  const HostArray array{"i8", {2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(resized(array, {2, 2}).bytes, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(resized(array, {3, 4}).bytes, ElementsAre(1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0));
  EXPECT_THAT(resized(array, {0, 3}).bytes, ElementsAre());
  EXPECT_THAT(resized(HostArray{"i16", {}, {7, 8}}, {}).bytes, ElementsAre(7, 8));
}

//===----------------------------------------------------------------------===//
// By core
//===----------------------------------------------------------------------===//

// Two cores with a row each of x, and all of y.
program::ProgramHeader twoCores() {
  program::ProgramHeader program;
  program.set_cores(2);
  addArgument(program, "i8", {1, 2});
  addArgument(program, "i8", {});
  program::Tensor &x = *program.mutable_arguments(0);
  for (int64_t size : {2, 2})
    x.add_whole_dims(size);
  for (int64_t index : {1, 0, 0, 0})
    x.add_core_positions(index);
  return program;
}

std::string archiveOf(const std::string &name,
                      const std::vector<std::pair<std::string, HostArray>> &arrays) {
  const std::string path = temporary(name);
  std::vector<NpzEntry> entries;
  for (const auto &[entry, array] : arrays)
    entries.push_back({entry, &array});
  EXPECT_TRUE(writeNpz(path, entries).ok());
  return path;
}

TEST(ArrayFiles, ReadsPartsOfCores) {
  const HostArray first{"i8", {1, 2}, {1, 2}}, second{"i8", {1, 2}, {3, 4}}, y{"i8", {}, {5}},
      x{"i8", {2, 2}, {3, 4, 1, 2}};
  // Core 0 has the second row.
  const std::string paths[] = {
      archiveOf("whole.npz", {{"arg0", x}, {"arg1", y}}),
      archiveOf("parts.npz", {{"arg0@0", first}, {"arg0@1", second}, {"arg1", y}}),
      archiveOf("all.npz", {{"arg1@1", y}, {"arg1@0", y}, {"arg0@0", first}, {"arg0@1", second}})};
  for (const std::string &path : paths) {
    absl::StatusOr<std::vector<HostArray>> arrays = readArguments(twoCores(), std::vector{path});
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    EXPECT_EQ((*arrays)[0].dims, x.dims);
    EXPECT_EQ((*arrays)[0].bytes, x.bytes) << path;
    EXPECT_EQ((*arrays)[1].bytes, y.bytes);
    EXPECT_TRUE(checkArguments(twoCores(), *arrays).ok());
  }
}

TEST(ArrayFiles, PartsOfCoresAreChecked) {
  const HostArray row{"i8", {1, 2}, {1, 2}}, y{"i8", {}, {5}}, other{"i8", {}, {6}};
  const std::string missing = archiveOf("missing.npz", {{"arg0@0", row}, {"arg1", y}});
  EXPECT_EQ(failure(twoCores(), {missing}),
            missing + ": it has 2 arrays; expected 3 of 2 arguments, 1 of them by 2 cores");
  const std::string more =
      archiveOf("more.npz", {{"arg0", row}, {"arg0@0", row}, {"arg0@1", row}, {"arg1", y}});
  EXPECT_EQ(failure(twoCores(), {more}),
            more + ": it has 4 arrays; expected 3 of 2 arguments, 1 of them by 2 cores");
  const std::string named = archiveOf("named.npz", {{"arg0@0", row}, {"arg0@2", row}, {"arg1", y}});
  EXPECT_THAT(failure(twoCores(), {named}), HasSubstr("it has no array 'arg0@1'"));
  const std::string type = archiveOf("type.npz", {{"arg0@0", row}, {"arg0@1", y}, {"arg1", y}});
  EXPECT_EQ(failure(twoCores(), {type}),
            type + "(arg0@1): argument 0 is tensor<1x2xi8> on each core, but tensor<i8> in the "
                   "file");
  const std::string differ =
      archiveOf("differ.npz", {{"arg0@0", row}, {"arg0@1", row}, {"arg1@0", y}, {"arg1@1", other}});
  EXPECT_EQ(failure(twoCores(), {differ}),
            differ + ": argument 1: cores 0 and 1 have the same part with different values from "
                     "element [] on");
}

TEST(ArrayFiles, WritesPartsOfCores) {
  const HostArray first{"i8", {2}, {1, 2}}, second{"i8", {2}, {3, 4}};
  const std::string path = temporary("shards.npz");
  ASSERT_TRUE(writeShards(path, std::vector<std::vector<HostArray>>{{first, second}}).ok());
  absl::StatusOr<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->size(), 2);
  EXPECT_TRUE(reader->has("out0@0"));
  EXPECT_TRUE(reader->has("out0@1"));
  EXPECT_FALSE(reader->has("out0"));
}

} // namespace
} // namespace systole
