// `systole targets`: the built-in machines, or every constant of one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <memory>

#include "dialects/Machine/Target/Reflection.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Report/Table.h"
#include "tools/systole/Commands.h"
#include "tools/systole/Values.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

std::string plain(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(std::abs(value) < 1e15 ? "%.15g" : "%g", value);
  return text;
}

std::string confidence(target::Confidence value) {
  return llvm::StringRef(target::Confidence_Name(value)).lower();
}

absl::Status listAll() {
  Table table({"name", "machine", "clock", "cores/chip", "MXUs/core", "VMEM/core", "HBM/chip",
               "HBM GB/s", "peak/chip", "USD/chip-hour", "description"},
              10);
  for (const std::string &name : listTargets()) {
    absl::StatusOr<Target> target = Target::load(name);
    if (!target.ok())
      return target.status();
    const target::TargetDescription &machine = target->description();
    const double cores = machine.cores_per_chip().value();
    table.add({name, machine.display_name(), plain(machine.clock_mhz().value()) + " MHz",
               plain(cores), plain(machine.mxus_per_core().value()),
               plain(machine.vmem_bytes_per_core().value() / (1 << 20)) + " MiB",
               plain(machine.hbm_bytes_per_chip().value() / (1 << 30)) + " GiB",
               plain(machine.hbm_gb_per_s_per_chip().value()),
               scaled(target->peakFlopsPerCycle() * target->clockHz() * cores, "flop/s"),
               machine.prices_size() ? plain(machine.prices(0).usd_per_chip_hour()) : "",
               target->hash().substr(0, 16)});
  }
  table.print(llvm::outs());
  llvm::outs() << "\nNAME-N, as in v3-8, is a slice of N cores; a file with a description of the "
                  "same form is named by its path.\n";
  return absl::OkStatus();
}

absl::Status show(const std::string &name) {
  absl::StatusOr<Target> target = Target::load(name);
  if (!target.ok())
    return target.status();
  const target::TargetDescription &machine = target->description();
  llvm::outs() << target->name() << ": " << machine.display_name() << ", " << target->cores()
               << (target->cores() == 1 ? " core of " : " cores of ") << target->chips()
               << (target->chips() == 1 ? " chip" : " chips") << "\ndescription " << target->hash()
               << "\n\n";

  Table constants({"constant", "value", "unit", "confidence", "source"}, 2);
  for (const NamedConstant &constant : constantsOf(machine))
    constants.add({constant.name, plain(constant.value->value()), constant.value->unit(),
                   confidence(constant.value->confidence()), constant.value->source()});
  constants.print(llvm::outs());

  llvm::outs() << "\nCycles from issue to result, and until the unit takes the next\n";
  Table latencies({"class", "result", "next", "confidence", "source"}, 3);
  for (const target::Latency &latency : machine.latencies())
    latencies.add({latency.latency_class(), std::to_string(latency.cycles()),
                   std::to_string(latency.interval()), confidence(latency.confidence()),
                   latency.source()});
  latencies.print(llvm::outs());

  llvm::outs() << "\nPrices\n";
  Table prices({"plan", "USD/chip-hour", "source"}, 2);
  for (const target::Price &price : machine.prices())
    prices.add({price.name(), plain(price.usd_per_chip_hour()), price.source()});
  prices.print(llvm::outs());

  if (machine.features_size()) {
    llvm::outs() << "\nFeatures:";
    for (const std::string &feature : machine.features())
      llvm::outs() << ' ' << feature;
    llvm::outs() << '\n';
  }
  return absl::OkStatus();
}

} // namespace

void addTargets(CLI::App &app, int &exitCode) {
  CLI::App *command = app.add_subcommand("targets", "List the machines, or every constant of one");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "A machine's name, or the file of its description")
      ->check(notEmpty());
  command->callback(
      [name, &exitCode] { exitCode = finish(name->empty() ? listAll() : show(*name)); });
}

} // namespace systole
