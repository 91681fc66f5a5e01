// Validity of a program's header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::HasSubstr;

Program sample() {
  return mustAssemble(absl::StrCat(kPrelude, R"(
.argument x f32[60,128] in hx
.result y f32[60,128] in hx alias 0
.constant hy f32 [1, 2, 3]
.kernel k bundles 0 2
.source "a.py:2" bundles 0 1
.overlay bundles 0 2
.allocation x hbm 64 at 0 payload 30720
routine main { nop
  halt
}
)"));
}

TEST(Header, SampleIsConsistent) { EXPECT_EQ(checkHeader(sample()), absl::OkStatus()); }

TEST(Header, RefusesEachInconsistency) {
  using H = program::ProgramHeader;
  using Change = void (*)(H &);
  const std::pair<Change, const char *> changes[] = {
      {[](H &h) { h.set_cores(0); }, "0 cores"},
      {[](H &h) { h.set_name("\xff"); }, "not valid UTF-8"},
      {[](H &h) { h.mutable_locations(0)->set_source("a\xc3"); }, "not valid UTF-8"},
      {[](H &h) { h.set_traps(0, "\xed\xa0\x80"); }, "not valid UTF-8"},
      {[](H &h) { h.set_hbm_rows(-1); }, "memory use of -1"},
      {[](H &h) { h.set_vmem_rows(int64_t(1) << 50); }, "memory use of"},
      {[](H &h) { h.set_flops(-1); }, "negative flops"},
      {[](H &h) { h.set_compile_seconds(std::numeric_limits<double>::quiet_NaN()); },
       "not a duration"},
      {[](H &h) {
         for (int i = 0; i < 4097; ++i)
           h.add_traps("");
       },
       "trap messages"},
      {[](H &h) { h.add_log_messages(); }, "log message 0 has 0 values and 0 texts"},
      {[](H &h) {
         for (int i = 0; i < 4097; ++i)
           h.add_log_messages()->add_texts();
       },
       "4097 log messages; up to 4096 are supported"},
      {[](H &h) { h.set_hbm_rows(71); }, "region 1 `hy`: ends at 72"},
      // A file may have any number as the space.
      // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
      {[](H &h) { h.mutable_regions(0)->set_space(program::Space(9)); }, "no such memory"},
      {[](H &h) { h.mutable_regions(0)->set_base(-1); }, "base -1"},
      {[](H &h) { h.mutable_regions(0)->set_size(INT64_MAX); }, "size 9223372036854775807"},
      {[](H &h) {
         for (int i = 0; i < 65536; ++i)
           h.add_regions();
       },
       "regions; the most is 65536"},
      // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
      {[](H &h) { h.mutable_descriptors(0)->set_src(program::Space(-1)); }, "no such memory"},
      {[](H &h) { h.mutable_descriptors(0)->set_arrival_flag(129); }, "arrival flag 128 of 128"},
      {[](H &h) { h.mutable_descriptors(0)->set_arrival_flag(-1); }, "arrival flag -2"},
      {[](H &h) {
         h.mutable_descriptors(0)->set_arrival_flag(3);
         h.mutable_descriptors(0)->set_counts_words(true);
       },
       "copies to other cores do not count words"},
      {[](H &h) { h.mutable_descriptors(0)->set_chunk(0); }, "chunk of 0 words"},
      {[](H &h) { h.mutable_descriptors(0)->set_chunk(100); }, "chunk of 100 words"},
      {[](H &h) { h.mutable_descriptors(0)->set_counts(0, 0); }, "count 0"},
      {[](H &h) { h.mutable_descriptors(0)->set_counts(0, INT64_MAX); }, "count 9223"},
      {[](H &h) { h.mutable_descriptors(0)->set_src_strides(0, 1); }, "stride of 1 words"},
      {[](H &h) { h.mutable_descriptors(0)->set_dst_strides(0, INT64_MIN); }, "stride of -9223"},
      {[](H &h) { h.mutable_descriptors(0)->add_counts(1); }, "expected the same number"},
      {[](H &h) { h.mutable_routines(0)->mutable_bundles()->set_end(3); }, "bundles 0 to 3 of 2"},
      {[](H &h) { h.mutable_routines(0)->mutable_bundles()->set_begin(2); }, "bundles 2 to 2"},
      {[](H &h) { h.set_entry(1); }, "entry routine 1 of 1"},
      {[](H &h) { h.set_entry(-1); }, "entry routine -1"},
      {[](H &h) { h.mutable_overlays(0)->set_begin(-1); }, "overlay 0: bundles -1"},
      {[](H &h) { h.add_overlay_addresses(0); }, "2 addresses of 1 overlays"},
      {[](H &h) { h.set_overlay_addresses(0, -1); }, "overlay 0: address -1"},
      {[](H &h) { h.set_overlay_addresses(0, INT64_MAX); },
       "overlay 0: address 9223372036854775807"},
      {[](H &h) { h.mutable_kernels(0)->mutable_bundles()->set_end(9); }, "kernel `k`"},
      {[](H &h) { h.mutable_kernels(0)->set_flops(-1); }, "negative flops, bytes or cycles"},
      {[](H &h) { h.mutable_kernels(0)->set_estimated_cycles(-1); },
       "negative flops, bytes or cycles"},
      {[](H &h) { h.mutable_sources(0)->mutable_bundles()->set_end(9); }, "source range 0"},
      {[](H &h) { h.mutable_sources(0)->set_location(2); }, "source range 0: location 1 of 1"},
      {[](H &h) { h.mutable_kernels(0)->set_location(-1); }, "kernel `k`: location -2 of 1"},
      {[](H &h) { h.mutable_kernels(0)->set_part_of(2); }, "kernel `k`: part of entry 1"},
      {[](H &h) { h.mutable_kernels(0)->set_part_of(1); }, "kernel `k`: part of entry 0"},
      {[](H &h) { h.mutable_arguments(0)->set_dtype("f8"); }, "argument: "},
      {[](H &h) { h.mutable_arguments(0)->set_dims(0, -1); }, "argument: "},
      {[](H &h) { h.mutable_arguments(0)->set_dims(0, INT64_MAX); }, "argument: "},
      {[](H &h) { h.mutable_arguments(0)->mutable_layout()->clear_minor_to_major(); },
       "argument: "},
      {[](H &h) { h.mutable_arguments(0)->mutable_layout()->set_minor_to_major(0, 0); },
       "argument: "},
      {[](H &h) { h.mutable_arguments(0)->mutable_layout()->set_row_tile(3); }, "argument: "},
      {[](H &h) { h.mutable_arguments(0)->mutable_layout()->set_row_tile(-1); }, "argument: "},
      {[](H &h) { h.mutable_arguments(0)->set_dims(0, 65); }, "72 rows in region `hx` of 64"},
      {[](H &h) { h.mutable_arguments(0)->set_region(5); }, "region 5 of 5"},
      {[](H &h) { h.mutable_arguments(0)->set_region(2); }, "region `vx` is not in HBM"},
      {[](H &h) { h.mutable_arguments(0)->set_memory(program::PINNED_HOST); }, "is not in PINNED"},
      {[](H &h) { h.mutable_arguments(0)->set_aliased_input(1); }, "aliases another"},
      {[](H &h) { h.mutable_results(0)->set_donated(true); }, "only arguments are donated"},
      {[](H &h) { h.mutable_arguments(0)->add_high_regions(1); }, "1 planes in 2 regions"},
      {[](H &h) { h.mutable_arguments(0)->set_dtype("i64"); }, "2 planes in 1 regions"},
      {[](H &h) { h.mutable_arguments(0)->add_dynamic_dims()->set_dim(2); }, "dimension 2 of 2"},
      {[](H &h) {
         h.mutable_arguments(0)->add_dynamic_dims()->set_region(1);
         h.mutable_arguments(0)->add_dynamic_dims()->set_region(1);
       },
       "has a size, or has several"},
      {[](H &h) { h.mutable_arguments(0)->add_dynamic_dims()->set_region(2); },
       "region `vx` is not in HBM"},
      {[](H &h) {
         h.mutable_arguments(0)->set_dtype("complex<f64>"),
             h.mutable_arguments(0)->add_high_regions(1);
       },
       "4 planes in 2 regions"},
      {[](H &h) {
         h.mutable_arguments(0)->set_dtype("i64"), h.mutable_arguments(0)->add_high_regions(99);
       },
       "region 99 of"},
      {[](H &h) { h.mutable_results(0)->set_aliased_input(2); }, "aliases argument 1 of 1"},
      {[](H &h) {
         h.mutable_results(0)->set_region(1);
         h.mutable_results(0)->set_dims(0, 8);
         h.mutable_arguments(0)->set_dims(0, 8);
       },
       "in another region"},
      {[](H &h) { h.mutable_results(0)->set_dims(0, 8); }, "has another type or layout"},
      {[](H &h) { h.mutable_results(0)->set_dtype("i32"); }, "has another type or layout"},
      {[](H &h) { h.mutable_constants(0)->set_region(-1); }, "region -1 of 5"},
      {[](H &h) { h.clear_constants(); }, "0 constants, 1 sections"},
      {[](H &h) { h.mutable_allocations(0)->set_base(60); }, "allocation `x`: ends at 124"},
      {[](H &h) { h.mutable_allocations(0)->set_payload_bytes(-1); }, "negative payload"},
      {[](H &h) { h.mutable_allocations(0)->set_begin(1); }, "lives from step 1 to 0"},
      {[](H &h) { h.mutable_allocations(0)->set_location(7); }, "`x`: location 6 of 1"},
      {[](H &h) { h.mutable_kernels(0)->set_step(-1); }, "negative flops, bytes or cycles"},
  };
  for (const auto &[change, error] : changes) {
    Program program = sample();
    change(program.header);
    const absl::Status status = checkHeader(program);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << error;
    EXPECT_THAT(std::string(status.message()), HasSubstr(error));
  }
}

// Four cores of a slice of eight; x is in halves along dimension 1, and y in quarters.
Program divided() {
  return mustAssemble(absl::StrCat(kPrelude, R"(
.cores 4 of 8 at [0, 1, 6, 7]
.argument x f32[4,128] in hx whole [4,256] at [0,0] [0,1] [0,0] [0,1]
.argument a f32[8] in hy
.result y f32[2,128] in hy whole [4,256] at [0,0] [0,1] [1,0] [1,1]
routine main { halt
}
)"));
}

TEST(Header, DivisionsAmongCores) {
  using H = program::ProgramHeader;
  EXPECT_EQ(checkHeader(divided()), absl::OkStatus());
  const std::pair<void (*)(H &), const char *> cases[] = {
      {[](H &h) { h.set_slice_cores(3); }, "4 cores of a slice of 3"},
      {[](H &h) { h.set_slice_cores(-1); }, "4 cores of a slice of -1"},
      {[](H &h) { h.set_slice_cores(INT32_MAX); }, "4 cores of a slice of 2147483647"},
      {[](H &h) { h.add_core_places(2); }, "5 places of 4 cores"},
      {[](H &h) { h.set_core_places(3, 8); }, "core 8 of a slice of 8 is named twice, or is not"},
      {[](H &h) { h.set_core_places(3, -1); }, "core -1 of a slice of 8"},
      {[](H &h) { h.set_core_places(3, 6); }, "core 6 of a slice of 8"},
      {[](H &h) { h.set_slice_cores(0); }, "core 6 of a slice of 4"},
      {[](H &h) { h.mutable_arguments(0)->add_whole_dims(1); },
       "argument `x`: 3 dimensions in parts of 2"},
      {[](H &h) { h.mutable_arguments(0)->set_whole_dims(1, 200); },
       "argument `x`: dimension 1 of 200 in parts of 128"},
      {[](H &h) { h.mutable_arguments(0)->set_whole_dims(1, 0); }, "dimension 1 of 0 in parts"},
      {[](H &h) { h.mutable_arguments(0)->set_whole_dims(1, -128); }, "dimension 1 of -128 in"},
      {[](H &h) { h.mutable_arguments(0)->set_whole_dims(1, int64_t(1) << 62); },
       "argument `x`: shape [4,4611686018427387904] is not one of an array"},
      {[](H &h) {
         h.mutable_arguments(0)->set_dims(0, 0);
         h.mutable_arguments(0)->set_whole_dims(0, 4);
       },
       "argument `x`: dimension 0 of 4 in parts of 0"},
      {[](H &h) { h.mutable_arguments(0)->clear_whole_dims(); },
       "argument `x`: 8 indices of positions of an array that is not divided"},
      {[](H &h) { h.mutable_arguments(0)->add_core_positions(0); },
       "argument `x`: 9 indices of positions of 4 cores; expected 8"},
      {[](H &h) { h.mutable_arguments(0)->clear_core_positions(); }, "0 indices of positions of 4"},
      {[](H &h) { h.mutable_arguments(0)->set_core_positions(7, 2); },
       "argument `x`: 3 parts of 128 positions along dimension 1 of 256"},
      {[](H &h) { h.mutable_arguments(0)->set_core_positions(0, -1); },
       "argument `x`: a part at position -1 for 4 cores"},
      {[](H &h) { h.mutable_results(0)->set_core_positions(6, 0); },
       "result `y`: not all of 4 parts are of equally many cores"},
      {[](H &h) {
         h.mutable_arguments(0)->set_dims(1, 1);
         h.mutable_arguments(0)->set_whole_dims(1, int64_t(1) << 40);
       },
       "argument `x`: 2 parts of 1 positions along dimension 1 of 1099511627776"},
      {[](H &h) { h.mutable_arguments(0)->add_core_terms(0); }, "argument `x`: 1 terms of 4 cores"},
      {[](H &h) { h.mutable_arguments(0)->mutable_core_terms()->Resize(4, -1); },
       "argument `x`: term -1 for 4 cores"},
      {[](H &h) {
         h.mutable_arguments(0)->mutable_core_terms()->Resize(4, 0);
         h.mutable_arguments(0)->set_core_terms(0, 1);
       },
       "argument `x`: not all of 4 parts are of equally many cores"},
      {[](H &h) { h.mutable_results(0)->mutable_core_terms()->Resize(4, 1); },
       "result `y`: more terms of parts than 4 cores"},
      {[](H &h) { h.mutable_arguments(0)->add_dynamic_dims()->set_region(1); },
       "argument `x`: an array with dynamic dimensions is divided"},
  };
  for (const auto &[change, error] : cases) {
    Program program = divided();
    change(program.header);
    const absl::Status status = checkHeader(program);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << error;
    EXPECT_THAT(std::string(status.message()), HasSubstr(error));
  }
}

TEST(Header, ArraysOfNoElementsAreDivided) {
  Program program = divided();
  program::Tensor &x = *program.header.mutable_arguments(0);
  x.set_dims(0, 0);
  x.set_whole_dims(0, 0);
  EXPECT_EQ(checkHeader(program), absl::OkStatus());
}

TEST(Header, ConstantsFitTheirRegions) {
  Program program = sample();
  program.constants[0].assign(8 * 512, 'x');
  EXPECT_EQ(checkHeader(program), absl::OkStatus());
  program.constants[0] += 'x';
  EXPECT_THAT(std::string(checkHeader(program).message()), HasSubstr("9 rows in region `hy` of 8"));
}

TEST(Header, TransfersAreOfTheHost) {
  using H = program::ProgramHeader;
  auto sample = [] {
    return mustAssemble(absl::StrCat(kPrelude, R"(
.region out host 3
.region in host 1
.region low host 1
.region high host 1
.send s f32[3,128] in out channel 7
.recv r i8[4] in in, r1 ui64[3] in low and high channel 7 source "a.py:3"
.descriptor send hbm to host chunk 384
routine main { halt
}
)"));
  };
  EXPECT_EQ(checkHeader(sample()), absl::OkStatus());
  const std::pair<void (*)(H &), const char *> cases[] = {
      {[](H &h) { h.mutable_transfers(0)->mutable_tensors(0)->set_dtype("f8"); }, "`s`: "},
      {[](H &h) { h.mutable_transfers(0)->mutable_tensors(0)->set_region(0); },
       "region 0 is not of the host"},
      {[](H &h) { h.mutable_transfers(0)->mutable_tensors(0)->set_region(99); }, "region 99"},
      {[](H &h) { h.mutable_transfers(0)->mutable_tensors(0)->add_whole_dims(3); },
       "`s`: only arguments and results are divided among cores"},
      {[](H &h) { h.mutable_transfers(0)->set_channel(-1); }, "channel -1"},
      {[](H &h) { h.mutable_transfers(1)->set_to_host(true); }, "its channel is another's, too"},
      {[](H &h) {
         program::Tensor &tensor = *h.mutable_transfers(1)->mutable_tensors(1);
         tensor.set_high_regions(0, tensor.region());
       },
       "`r1`: its region is another's, too"},
      {[](H &h) { h.mutable_transfers(1)->mutable_tensors(1)->set_high_regions(0, 0); },
       "`r1`: region 0 is not of the host"},
      {[](H &h) { h.mutable_transfers(1)->mutable_tensors(1)->set_dtype("i32"); },
       "1 planes in 2 regions"},
      {[](H &h) { h.mutable_transfers(1)->clear_tensors(); }, "channel 7 has no tensor"},
      {[](H &h) {
         h.mutable_transfers(1)->mutable_tensors(0)->set_region(h.transfers(0).tensors(0).region());
       },
       "2 rows in a region of 3"},
      {[](H &h) {
         for (program::Descriptor &d : *h.mutable_descriptors())
           if (d.dst() == program::HOST)
             d.set_src(program::VMEM);
       },
       "copies with the host are from or to a core's own HBM"},
      {[](H &h) {
         for (program::Descriptor &d : *h.mutable_descriptors())
           if (d.dst() == program::HOST)
             d.set_arrival_flag(1);
       },
       "copies with the host"},
  };
  for (const auto &[change, error] : cases) {
    Program program = sample();
    change(program.header);
    EXPECT_THAT(std::string(checkHeader(program).message()), HasSubstr(error));
  }
}

} // namespace
} // namespace systole
