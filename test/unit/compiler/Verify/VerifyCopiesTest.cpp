// The verifier of copies in emitted programs: a program that keeps each rule and one that breaks
// it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/VerifyCopies.h"

#include "dialects/Machine/Program/Verify.h"
#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::HasSubstr;

// Copies of 8 rows (`one`) and of 64 (`all`) into `vx`, of 64 rows of VMEM.
constexpr const char *kNames =
    R"(.descriptor one hbm to vmem chunk 1024 counts [1] src [1024] dst [1024]
.descriptor back vmem to hbm chunk 1024 counts [1] src [1024] dst [1024]
.descriptor counted hbm to vmem chunk 1024 counts [1] src [1024] dst [1024] counts_words
.region spill smem 8 at 16
)";

std::string start(const std::string &flag, const std::string &row = "0") {
  return "dma.start dst=" + row +
         ", src=0, dstRegion=vx, srcRegion=hx, descriptor=one, flag=" + flag + "\n";
}
std::string startBack(const std::string &flag, const std::string &row = "0") {
  return "dma.start dst=0, src=" + row +
         ", dstRegion=hx, srcRegion=vx, descriptor=back, flag=" + flag + "\n";
}

// Into a region that nothing else uses.
std::string startApart(const std::string &flag) {
  return "dma.start dst=0, src=0, dstRegion=vy, srcRegion=hx, descriptor=one, flag=" + flag + "\n";
}

std::string verifyText(const std::string &text, CopyVerification *found = nullptr) {
  Program program = mustAssemble(text);
  absl::Status status = verifyProgram(program, testLimits());
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
  absl::StatusOr<CopyVerification> result =
      verifyCopies(program, testLimits(), *decodeProgram(program));
  if (result.ok() && found)
    *found = *result;
  EXPECT_TRUE(result.ok() || absl::IsInternal(result.status())) << result.status();
  return std::string(result.status().message());
}

std::string verifyBody(const std::string &body) {
  CopyVerification found;
  std::string message =
      verifyText(absl::StrCat(kPrelude, kNames, "routine main {\n", body, "\nhalt\n}\n"), &found);
  EXPECT_EQ(found.unverified.size(), 0u) << body;
  return message;
}

TEST(VerifyCopies, EachWaitIsMet) {
  EXPECT_EQ(verifyBody(start("1") + "wait 1, flag=1"), "");
  EXPECT_THAT(verifyBody(start("1") + "wait 1, flag=2"),
              HasSubstr("bundle 1 (routine `main`): waits until flag 2 is 1, and it becomes 0 when "
                        "all copies in flight are done"));
  EXPECT_THAT(verifyBody(start("1") + "wait 2, flag=1"), HasSubstr("it becomes 1"));
  EXPECT_EQ(verifyBody("flag.add 1, -1, flag=1\n" + start("1") + "wait 2, flag=1"), "");
}

TEST(VerifyCopies, EachCopyIsWaitedFor) {
  EXPECT_THAT(verifyBody(start("1")), HasSubstr("the routine ends with 1 in flag 1"));
  EXPECT_THAT(verifyBody("flag.add 1, -1, flag=3"), HasSubstr("the routine ends with 1 in flag 3"));
}

TEST(VerifyCopies, WordsAreCounted) {
  auto copy = [](const std::string &row) {
    return "dma.start dst=" + row +
           ", src=0, dstRegion=vx, srcRegion=hx, descriptor=counted, flag=1\n";
  };
  EXPECT_EQ(verifyBody(copy("0") + copy("8") + "wait 2048, flag=1"), "");
  EXPECT_THAT(verifyBody(copy("0") + "wait 1025, flag=1"), HasSubstr("it becomes 1024"));
  EXPECT_THAT(verifyBody(copy("0") + "wait 1, flag=1"),
              HasSubstr("the routine ends with 1023 in flag 1"));
  // A wait for a part leaves the second copy in flight, or both.
  const std::string load = "v1 = vld.b32 0, region=vx\n",
                    loadSecond = "v1 = vld.b32 8, region=vx\n";
  auto within = [&](const char *words, const std::string &access, const char *rest) {
    return verifyBody(copy("0") + copy("8") + "wait " + words + ", flag=1\n" + access + "wait " +
                      rest + ", flag=1");
  };
  EXPECT_EQ(within("1024", load, "1024"), "");
  EXPECT_THAT(within("1024", loadSecond, "1024"), HasSubstr("reads memory of the copy in flight"));
  EXPECT_THAT(within("1023", load, "1025"), HasSubstr("reads memory of the copy in flight"));
}

TEST(VerifyCopies, IterationsKeepFlags) {
  // Two copies before the loop, of which an iteration waits for one and starts one.
  auto loop = [](const char *kind, const std::string &body) {
    return startBack("1") + startBack("1", "8") + kind + body + "}\nwait 2, flag=1";
  };
  EXPECT_EQ(verifyBody(loop("loop 5 {\n", "wait 1, flag=1\n" + startBack("1", "16"))), "");
  EXPECT_THAT(verifyBody(loop("loop 5 {\n", "wait 2, flag=1\n" + startBack("1", "16"))),
              HasSubstr("waits until flag 1 is 2, and it becomes 1"));
  // As many times as data say.
  const std::string unknown = "s1 = s.ld 0, region=sx delay 3\nloop s1 {\n";
  EXPECT_EQ(verifyBody(loop(unknown.c_str(), "wait 1, flag=1\n" + startBack("1", "16"))), "");
  EXPECT_THAT(verifyBody(loop(unknown.c_str(), "wait 1, flag=1\n")),
              HasSubstr("waits until flag 1 is 1, and it becomes 0"));
  EXPECT_THAT(verifyBody(loop(unknown.c_str(), "flag.add 1, -1, flag=1\n")),
              HasSubstr("iterations leave flag 1 higher than they find it"));
  // A `while` that is left in some iteration.
  const std::string head = "while {\ns1 = s.ld 0, region=sx delay 3\n";
  EXPECT_EQ(verifyBody(loop(head.c_str(), "exit s1\nwait 1, flag=1\n" + startBack("1", "16"))), "");
  EXPECT_THAT(verifyBody(loop(head.c_str(), "wait 1, flag=1\nexit s1\n" + startBack("1", "16"))),
              HasSubstr("waits until flag 1 is 2, and it becomes 1"));
}

TEST(VerifyCopies, CountersBecomeUnknownWhereDataSayHowOften) {
  // A copy for the next iteration starts in iterations that data choose, and is waited for there.
  auto body = [](const char *counter, const char *rest) {
    return absl::StrCat("s1 = s.ld 0, region=sx delay 3\n{ s2 = s.mov 0; s4 = s.mov 0 } delay 1\n",
                        "loop s1 {\n", counter, "if s4 {\nwait 1, flag=1\n}\n",
                        "s5 = s.ld s2, region=sx delay 3\ns4 = s.ne s5, 0 delay 1\nif s4 {\n",
                        start("1"), "}\n}\n", rest);
  };
  const char *counter = "s2 = s.add s2, 1 delay 1\n", *last = "if s4 {\nwait 1, flag=1\n}";
  EXPECT_EQ(verifyBody(body("", last)), "");
  EXPECT_EQ(verifyBody(body(counter, last)), "");
  EXPECT_THAT(verifyBody(body("", "")), HasSubstr("the routine ends with 1 in flag 1"));
}

TEST(VerifyCopies, StepsOfALoopAreCounted) {
  // The next copy starts in all steps but the last.
  auto steps = [](const char *last) {
    return start("1") + absl::StrCat("s1 = s.mov 0\nloop 8 {\n{ s2 = s.lt s1, ", last,
                                     "; s1 = s.add s1, 1 } delay 1\nwait 1, flag=1\nif s2 {\n",
                                     start("1"), "}\n}");
  };
  EXPECT_EQ(verifyBody(steps("7")), "");
  EXPECT_THAT(verifyBody(steps("8")), HasSubstr("the routine ends with 1 in flag 1"));
  EXPECT_THAT(verifyBody(steps("6")), HasSubstr("it becomes 0"));
}

TEST(VerifyCopies, ConditionsThatAgreeAreFollowedTogether) {
  const std::string choice = "s1 = s.ld 0, region=sx delay 3\nif s1 {\n" + start("1") + "}\n";
  EXPECT_EQ(verifyBody(choice + "if s1 {\nwait 1, flag=1\n}"), "");
  EXPECT_THAT(verifyBody(choice + "wait 1, flag=1"), HasSubstr("it becomes 0"));
  EXPECT_THAT(verifyBody(choice), HasSubstr("the routine ends with 1 in flag 1"));
  // A comparison is the count of a wait, and is spilled meanwhile.
  const std::string count = "s1 = s.ld 0, region=sx delay 3\ns1 = s.lt s1, 7 delay 1\nif s1 {\n" +
                            start("1") + "}\ns.st s1, 2, region=spill\ns1 = s.mov 0\n";
  EXPECT_EQ(verifyBody(count + "s2 = s.ld 2, region=spill delay 3\nwait s2, flag=1"), "");
}

TEST(VerifyCopies, RowsOfCopiesInFlightAreNotAccessed) {
  EXPECT_EQ(verifyBody(start("1") + "v1 = vld.b32 8, region=vx\nwait 1, flag=1"), "");
  EXPECT_THAT(
      verifyBody(start("1") + "v1 = vld.b32 7, region=vx\nwait 1, flag=1"),
      HasSubstr("bundle 1 (routine `main`): reads memory of the copy in flight that bundle 0 "
                "starts with flag 1"));
  EXPECT_EQ(verifyBody(startBack("1") + "v1 = vld.b32 0, region=vx\nwait 1, flag=1"), "");
  EXPECT_THAT(verifyBody(startBack("1") + "vst.b32 v1, 0, region=vx\nwait 1, flag=1"),
              HasSubstr("writes memory of the copy in flight"));
  // Two narrow rows lie in one.
  EXPECT_EQ(verifyBody(start("1") + "v1 = vld.bf16 16, region=vx\nwait 1, flag=1"), "");
  EXPECT_THAT(verifyBody(start("1") + "v1 = vld.bf16 15, region=vx\nwait 1, flag=1"),
              HasSubstr("reads memory"));
  EXPECT_THAT(verifyBody(start("1") + start("2", "7") + "wait 1, flag=1\nwait 1, flag=2"),
              HasSubstr("starts a copy with flag 2 on memory of the copy in flight"));
}

TEST(VerifyCopies, RowsThatAMaskLeavesOutAreNotAccessed) {
  auto masked = [](const char *compare) {
    return start("1", "8") + "v2 = v.sublane delay 1\nm1 = " + compare +
           " delay 1\nv1 = vld.b32 4, mask=m1, region=vx\nwait 1, flag=1";
  };
  EXPECT_EQ(verifyBody(masked("v.lt v2, 4")), "");
  EXPECT_THAT(verifyBody(masked("v.lt v2, 5")), HasSubstr("reads memory"));
  EXPECT_THAT(verifyBody(masked("v.le 3, v2")), HasSubstr("reads memory"));
  EXPECT_THAT(verifyBody(masked("v.le v2, 4")), HasSubstr("reads memory"));
}

TEST(VerifyCopies, HalvesAlternate) {
  // Step k reads one half while the other one is filled.
  auto steps = [](const char *half) {
    return start("1") +
           absl::StrCat(
               "s1 = s.mov 0\nloop 6 {\n{ s2 = s.and s1, 1; s1 = s.add s1, 1 } delay 1\n"
               "{ s3 = s.xor s2, 1 } delay 1\n{ s2 = s.shl s2, 3; s4 = s.shl s3, 3 } delay 1\n"
               "wait 1, flag=1\n",
               start("1", "s4"), "loop 3 {\nv1 = vld.b32 ", half,
               ", region=vx delay 3\n}\n}\nwait 1, flag=1");
  };
  EXPECT_EQ(verifyBody(steps("s2")), "");
  EXPECT_THAT(verifyBody(steps("s4")), HasSubstr("reads memory"));
  EXPECT_THAT(verifyBody(steps("0")), HasSubstr("reads memory"));
}

TEST(VerifyCopies, CalleesUseNoFlagsInFlight) {
  auto program = [](const std::string &flag, const std::string &callee) {
    return absl::StrCat(kPrelude, kNames, "routine main {\n", startApart(flag),
                        "call f\nwait 1, flag=", flag, "\nhalt\n}\nroutine f {\n", callee,
                        "\nret\n}\n");
  };
  EXPECT_EQ(verifyText(program("32", start("1", "16") + "wait 1, flag=1")), "");
  EXPECT_THAT(verifyText(program("1", start("1", "16") + "wait 1, flag=1")),
              HasSubstr("calls routine `f`, which uses flag 1, while it is 1"));
  // The queue of the test machine holds four copies.
  auto many = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += start(std::to_string(i + 1), std::to_string(16 + 8 * i));
    for (int i = 0; i < count; ++i)
      text += "wait 1, flag=" + std::to_string(i + 1) + "\n";
    return text;
  };
  EXPECT_EQ(verifyText(program("32", many(3))), "");
  EXPECT_THAT(verifyText(program("32", many(4))),
              HasSubstr("routine `main` has 5 copies in flight; the queue holds 4"));
}

TEST(VerifyCopies, CalleesUseNoMemoryOfCopiesInFlight) {
  auto program = [](const std::string &before, const std::string &callee) {
    return absl::StrCat(kPrelude, kNames, "routine main {\n", before,
                        "call f\nwait 1, flag=32\nhalt\n}\n",
                        "routine f {\ncall g\nret\n}\nroutine g {\n", callee, "\nret\n}\n");
  };
  EXPECT_EQ(verifyText(program(start("32"), "v1 = vld.b32 0, region=vy")), "");
  EXPECT_EQ(verifyText(program(startBack("32"), "v1 = vld.b32 0, region=vx")), "");
  EXPECT_THAT(
      verifyText(program(start("32"), "v1 = vld.b32 0, region=vx")),
      HasSubstr("bundle 1 (routine `main`): calls routine `f`, which reads memory of the copy "
                "in flight that bundle 0 starts with flag 32"));
  EXPECT_THAT(verifyText(program(startBack("32"), "vst.b32 v1, 0, region=vx")),
              HasSubstr("which writes memory"));
  EXPECT_THAT(verifyText(program(startBack("32"), start("1") + "wait 1, flag=1")),
              HasSubstr("which writes memory"));
}

TEST(VerifyCopies, BundlesWithAnExitAccessMemory) {
  auto loop = [](const char *row) {
    return absl::StrCat("s1 = s.ld 0, region=sx delay 3\nwhile {\n", start("1"),
                        "{ exit s1; v1 = vld.b32 ", row,
                        ", region=vx }\nwait 1, flag=1\n}\nwait 1, flag=1");
  };
  EXPECT_EQ(verifyBody(loop("8")), "");
  EXPECT_THAT(verifyBody(loop("0")), HasSubstr("reads memory"));
}

TEST(VerifyCopies, ACopyDoesNotOverlapItself) {
  auto copy = [](const char *row) {
    return absl::StrCat(
        ".descriptor move vmem to vmem chunk 1024\nroutine main {\ndma.start dst=", row,
        ", src=0, dstRegion=vx, srcRegion=vx, descriptor=move, flag=1\nwait 1, flag=1\nhalt\n}\n");
  };
  EXPECT_EQ(verifyText(absl::StrCat(kPrelude, copy("8"))), "");
  EXPECT_THAT(verifyText(absl::StrCat(kPrelude, copy("4"))),
              HasSubstr("from memory to the same memory"));
}

TEST(VerifyCopies, CopiesOfTwoChannelsHaveNoOrder) {
  auto body = [](const std::string &last) {
    return absl::StrCat(
        kPrelude, kNames, ".descriptor move smem to vmem chunk 128\n.region sy smem 128 at 32\n",
        "routine main {\n", start("1"),
        "dma.start dst=0, src=0, dstRegion=vy, srcRegion=sy, descriptor=move, flag=1\n",
        "wait 1, flag=1\n", last, "v1 = vld.b32 0, region=vx\nhalt\n}\n");
  };
  EXPECT_THAT(verifyText(body("v2 = vld.b32 0, region=vx\nwait 1, flag=1\n")),
              HasSubstr("reads memory"));
  EXPECT_EQ(verifyText(body("wait 1, flag=1\n")), "");
}

TEST(VerifyCopies, ThereIsNoVerdictOnCallersWithoutOneOnCallees) {
  CopyVerification found;
  EXPECT_EQ(verifyText(absl::StrCat(kPrelude, kNames,
                                    "routine main {\ncall f\nhalt\n}\nroutine f {\n"
                                    "s1 = s.ld 0, region=sx delay 3\nwait s1, flag=1\nret\n}\n"),
                       &found),
            "");
  EXPECT_EQ(found.unverified, (std::vector<std::string>{"f", "main"}));
}

TEST(VerifyCopies, ConditionsAroundCallsDoNotMatter) {
  // The condition follows from some bits of data, each of which is 0 or 1.
  std::string body = "s1 = s.ld 0, region=sx delay 3\ns2 = s.mov 0\nloop 32 {\n"
                     "{ s3 = s.and s1, 1; s1 = s.shr s1, 1 } delay 1\ns2 = s.shl s2, 1 delay 1\n"
                     "s2 = s.or s2, s3 delay 1\n}\n";
  body += startApart("32") + "if s2 {\ncall f\n} else {\ncall f\ncall f\n}\nwait 1, flag=32\n";
  const auto program = [&](const std::string &flag) {
    return absl::StrCat(kPrelude, kNames, "routine main {\n", body, "halt\n}\nroutine f {\n",
                        start(flag, "16"), "wait 1, flag=", flag, "\nret\n}\n");
  };
  CopyVerification found;
  EXPECT_EQ(verifyText(program("1"), &found), "");
  EXPECT_EQ(found.unverified.size(), 0u);
  EXPECT_THAT(verifyText(program("32")), HasSubstr("calls routine `f`, which uses flag 32"));
}

TEST(VerifyCopies, ReachesNoVerdictOnTooManyStates) {
  std::string body;
  for (int flag = 0; flag < 10; ++flag)
    body += absl::StrCat("s", flag + 1, " = s.ld ", flag, ", region=sx delay 3\nif s", flag + 1,
                         " {\nflag.add 1, -1, flag=", flag, "\n}\n");
  for (int flag = 0; flag < 10; ++flag)
    body += absl::StrCat("if s", flag + 1, " {\nwait 1, flag=", flag, "\n}\n");
  CopyVerification found;
  EXPECT_EQ(
      verifyText(absl::StrCat(kPrelude, kNames, "routine main {\n", body, "halt\n}\n"), &found),
      "");
  EXPECT_EQ(found.unverified.size(), 1u);
}

TEST(VerifyCopies, ReachesNoVerdictOnTooManyIterations) {
  const std::string body = "s1 = s.mov 0\nloop 2147483647 {\ns1 = s.add s1, 1 delay 1\n" +
                           start("1", "s1") + "wait 1, flag=1\n}\n";
  CopyVerification found;
  EXPECT_EQ(
      verifyText(absl::StrCat(kPrelude, kNames, "routine main {\n", body, "halt\n}\n"), &found),
      "");
  EXPECT_EQ(found.unverified.size(), 1u);
}

} // namespace
} // namespace systole
