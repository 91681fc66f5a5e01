// The verifier of overlays: paths on which code is called before it has been waited for.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/VerifyOverlays.h"

#include "dialects/Machine/Program/Verify.h"
#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::HasSubstr;

// A program with routines `f`, `g` and `h` in overlays 1, 2 and 3. The third lies over both others.
std::string verifyEntry(const std::string &body, int bundles) {
  const int end = bundles + 1;
  Program program = mustAssemble(absl::StrCat(
      kPrelude, ".overlay bundles 0 ", end, "\n.overlay bundles ", end, " ", end + 2, " at 20\n",
      ".overlay bundles ", end + 2, " ", end + 4, " at 22\n.overlay bundles ", end + 4, " ",
      end + 6, " at 21\nroutine main {\n", body, "\nhalt\n}\n",
      "routine f {\nnop\nret\n}\nroutine g {\nnop\nret\n}\nroutine h {\nnop\nret\n}\n"));
  absl::Status status = verifyProgram(program, testLimits());
  EXPECT_TRUE(status.ok()) << status << "\n" << body;
  return std::string(verify::verifyOverlays(program, *decodeProgram(program)).message());
}

TEST(VerifyOverlays, CodeIsWaitedFor) {
  EXPECT_EQ(verifyEntry("overlay 1\ncall f", 2), "");
  EXPECT_EQ(verifyEntry("overlay.start 1\noverlay 1\ncall f\noverlay 2\ncall g\ncall f", 6), "");
  EXPECT_THAT(
      verifyEntry("overlay.start 1\ncall f", 2),
      HasSubstr("bundle 1 (routine `main`): calls a routine of overlay 1, which may not have "
                "been waited for"));
  EXPECT_THAT(verifyEntry("overlay 1\noverlay.start 3\ncall f", 3), HasSubstr("overlay 1"));
  EXPECT_THAT(verifyEntry("overlay 1\noverlay 3\ncall f", 3), HasSubstr("overlay 1"));
}

TEST(VerifyOverlays, OnAllPaths) {
  EXPECT_EQ(verifyEntry("if s1 {\noverlay 1\n} else {\noverlay 1\n}\ncall f", 4), "");
  EXPECT_THAT(verifyEntry("if s1 {\noverlay 1\n}\ncall f", 3), HasSubstr("overlay 1"));
  EXPECT_EQ(verifyEntry("overlay 1\nloop s1 {\ncall f\noverlay 2\n}", 4), "");
  EXPECT_THAT(verifyEntry("overlay 1\nloop s1 {\ncall f\noverlay 3\n}", 4), HasSubstr("overlay 1"));
  EXPECT_EQ(verifyEntry("while {\noverlay 1\nexit s1\noverlay 3\n}\ncall f", 5), "");
  EXPECT_THAT(verifyEntry("while {\nexit s1\noverlay 1\n}\ncall f", 4), HasSubstr("overlay 1"));
}

} // namespace
} // namespace systole
