// Checks of a program's sizes, and its decoding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Code/DecodedProgram.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Plans/PlanStore.h"

namespace systole {

static absl::Status checkSizes(const Program &program, const Target &target) {
  const program::ProgramHeader &header = program.header;
  if (formatOf(header) != target.bundleFormat())
    return absl::InvalidArgumentError(absl::StrCat(
        "the program's bundles have other slots than those of target ", target.name()));
  auto check = [&](const char *what, int64_t used, int64_t available) {
    if (used <= available)
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("the program uses ", used, " ", what,
                                                   "; target ", target.name(), " has ", available));
  };
  if (absl::Status status = check("rows of HBM", header.hbm_rows(), target.hbmRows()); !status.ok())
    return status;
  if (absl::Status status = check("rows of VMEM", header.vmem_rows(), target.vmemRows());
      !status.ok())
    return status;
  if (absl::Status status = check("words of SMEM", header.smem_words(), target.smemWords());
      !status.ok())
    return status;
  return check("cores", header.cores(), target.cores());
}

DecodedProgram::DecodedProgram(std::shared_ptr<const Program> program, const Target &target,
                               emulation::Code code)
    : source(std::move(program)), machine(target),
      decoded(std::make_unique<const emulation::Code>(std::move(code))),
      made(std::make_unique<emulation::PlanStore>(source->header, *decoded)) {}

DecodedProgram::~DecodedProgram() = default;

absl::StatusOr<std::shared_ptr<const DecodedProgram>>
DecodedProgram::create(std::shared_ptr<const Program> program, const Target &target) {
  if (absl::Status status = checkHeader(*program); !status.ok())
    return status;
  if (absl::Status status = checkSizes(*program, target); !status.ok())
    return status;
  absl::StatusOr<emulation::Code> code = emulation::decodeProgram(*program, target);
  if (!code.ok())
    return code.status();
  return std::shared_ptr<const DecodedProgram>(
      new DecodedProgram(std::move(program), target, *std::move(code)));
}

} // namespace systole
