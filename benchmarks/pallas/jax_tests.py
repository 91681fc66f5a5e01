"""Runs JAX's own tests of Pallas for TPUs on the emulated ones, and says of each what became of it.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax
    pip install hypothesis
    python benchmarks/pallas/jax_tests.py jax [--files tpu_ops_test ...] [--targets v5e v6e] [--filter cumsum]
        [--sample 10] [--processes 2] [--out build/pallas/jax-tests] [--count]

First every test is run with stand-ins in the place of compiled programs (stand_in.py), which shows which tests compile
a kernel for the TensorCore of one device: these are the cases that count. Tests of SparseCores, of several devices
and of the interpreter, tests that JAX skips on the target, and tests whose kernels JAX itself does not lower or only
lowers, do not.
Then the cases run on the emulated device: all, or every N-th of each file. A case

    passes
    is refused      by the compiler; the reason is its error without locations and numbers
    is wrong        results are compared and differ
    not refused     it expects an error, and there is none or another one
    asserts         something else than values of arrays
    errs            with another exception, such as of a part of the client that is not implemented
    is skipped      by itself, after it lowered a kernel
    crashes, or takes too long (--seconds), or more of the host's memory than it may (--memory)

A run that was interrupted continues where it was: to repeat it, remove its folder, or the files of tests in it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import json
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import runner

OUTSIDE = re.compile(r"Interpret\w*::|_interpret(_|\d|$)|[Ss]parse_?[Cc]ore")
RESULTS = ["pass", "refused", "wrong", "not refused", "asserts", "errs", "crash", "timeout", "memory", "skipped"]
OF_DEVICE = ("JaxRuntimeError", "XlaRuntimeError", "MosaicError")
COMPARED = re.compile(r"Not equal to tolerance|Arrays are not|Mismatched elements|Items are not equal|not almost equal")
EXPECTED = re.compile(r"not raised|does not match|not found in", re.IGNORECASE)


def result_of(entry):
    """The outcome of a case, and the reason."""
    message = entry.get("message", "")
    error = entry.get("error", "")
    if entry["outcome"] == "passed":
        return "pass", ""
    if entry["outcome"] == "skipped":
        return "skipped", reason(message)
    if entry["outcome"] in ("timeout", "crash", "memory"):
        return entry["outcome"], reason(message)
    if error == "Timeout":
        return "timeout", reason(message)
    if error in OF_DEVICE:
        return "refused", reason(message)
    if error == "AssertionError":
        numpy = any(frame.startswith("numpy/") for frame in entry.get("frames", []))
        if COMPARED.search(message) or numpy:
            return "wrong", "values differ"
        if EXPECTED.search(message):
            return "not refused", reason(message)
        return "asserts", reason(message)
    return "errs", reason(message)


def reason(message):
    """An error's first line without what differs from test to test."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    line = next((line for line in lines if "error:" in line), lines[0] if lines else "")
    line = re.sub(r"^.*?\berror: ", "", line)
    line = re.sub(r"^[\w.]*(Error|Exception|Timeout): ", "", line)
    line = re.sub(r"loc\(.*?\)|<[^<>]*x\w+[^<>]*>|vector<.*?>|memref<.*?>+|tensor<.*?>", "T", line)
    line = re.sub(r"\(?T(, T)*\)? -> \(?T(, T)*\)?", "types", line)
    line = re.sub(r"\b0x[0-9a-f]+\b|\d+(\.\d+)?(e[+-]?\d+)?", "N", line)
    return line[:200]


def cases_of(entries):
    """The tests that compile a kernel for one TensorCore, by what the first run recorded."""
    return sorted(
        test
        for test, entry in entries.items()
        if "tpu_custom_call" in entry.get("custom_calls", [])
        and not entry.get("sparse_core")
        and not OUTSIDE.search(test)
    )


def left_out(entries):
    """Why the other tests of a file do not count."""
    counts = collections.Counter()
    for test, entry in entries.items():
        if entry.get("sparse_core"):
            counts["SparseCore"] += 1
        elif OUTSIDE.search(test):
            counts["interpreted"] += 1
        elif "tpu_custom_call" in entry.get("custom_calls", []):
            continue
        elif entry.get("kernels"):
            counts["only lowered"] += 1
        elif entry["outcome"] == "skipped":
            counts["skipped by JAX"] += 1
        elif entry["outcome"] == "passed":
            counts["no kernel"] += 1
        elif entry["outcome"] in ("crash", "timeout", "memory") or entry.get("error") == "Timeout":
            counts["not lowered in time"] += 1
        else:
            counts["JAX does not lower it"] += 1
    return counts


def run_file(options, target, name):
    path = options.jax / f"tests/pallas/{name}.py"
    lowered = runner.File(options, target, path, options.lowered / target / f"{name}.jsonl", PALLAS_LOWERED_ONLY=1)
    entries = lowered.run()
    cases = cases_of(entries)
    chosen = cases[:: options.sample]
    if options.count or not chosen:
        return entries, cases, {}
    only = options.out / target / f"{name}.cases"
    only.parent.mkdir(parents=True, exist_ok=True)
    only.write_text("\n".join(chosen) + "\n")
    record = options.out / target / f"{name}.jsonl"
    settings = {"PALLAS_ONLY": only.resolve(), "SYSTOLE_PRECISION": options.precision}
    outcomes = runner.File(options, target, path, record, **settings).run()
    return entries, cases, {test: outcomes[test] for test in chosen if test in outcomes}


def print_count(options, rows):
    kinds = ["skipped by JAX", "no kernel", "JAX does not lower it", "only lowered", "SparseCore", "interpreted"]
    kinds.append("not lowered in time")
    print("| target | file | tests | cases | " + " | ".join(kinds) + " |\n" + "|---" * (len(kinds) + 4) + "|")
    for target in options.targets:
        sums = collections.Counter()
        for name, (entries, cases, _) in rows[target].items():
            counts = collections.Counter(tests=len(entries), cases=len(cases)) + left_out(entries)
            sums += counts
            cells = [target, name, *(counts[each] for each in ("tests", "cases", *kinds))]
            print("| " + " | ".join(map(str, cells)) + " |")
        print("| " + " | ".join(map(str, [target, "all", *(sums[each] for each in ("tests", "cases", *kinds))])) + " |")


def print_results(options, rows, lines):
    print(
        "\n| target | file | cases run | " + " | ".join(RESULTS) + " | percent |\n" + "|---" * (len(RESULTS) + 4) + "|"
    )
    for target in options.targets:
        sums = collections.Counter()
        for name in [*rows[target], "all"]:
            counts = collections.Counter(
                each["result"] for each in lines if each["target"] == target and name in (each["file"], "all")
            )
            total = sum(counts.values()) - counts["skipped"]
            sums += counts
            share = f"{100 * counts['pass'] / total:.1f}" if total else ""
            cells = [target, name, sum(counts.values()), *(counts[each] for each in RESULTS), share]
            print("| " + " | ".join(map(str, cells)) + " |")
    reasons = collections.defaultdict(list)
    for each in lines:
        if each["result"] != "pass":
            reasons[each["target"], each["result"], each["reason"]].append(each["test"])
    print("\n| target | cases | result | reason | such as |\n|---|---|---|---|---|")
    for (target, result, text), tests in sorted(reasons.items(), key=lambda pair: (pair[0][0], -len(pair[1]))):
        text = text.replace("|", "\\|")
        print(f"| {target} | {len(tests)} | {result} | {text} | {tests[0]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    runner.add_options(parser)
    parser.add_argument("--sample", type=int, default=1, help="every N-th case of a file (1)")
    parser.add_argument("--precision", default="default", help="of products outside of kernels (default)")
    parser.add_argument("--count", action="store_true", help="only find the cases, run none")
    parser.add_argument("--out", type=pathlib.Path, default=runner.ROOT / "build/pallas/jax-tests")
    parser.add_argument(
        "--lowered", type=pathlib.Path, help="records of the first run, such as capture.py's (in --out)"
    )
    options = parser.parse_args()
    options.lowered = options.lowered or options.out / "lowered"

    pairs = [(target, name) for target in options.targets for name in options.files]
    with ThreadPoolExecutor(options.processes) as pool:
        results = list(pool.map(lambda pair: run_file(options, *pair), pairs))
    rows = {target: {} for target in options.targets}
    lines = []
    for (target, name), row in zip(pairs, results):
        rows[target][name] = row
        for test, entry in row[2].items():
            result, why = result_of(entry)
            line = {"target": target, "file": name, "test": test, "result": result, "reason": why}
            lines.append({**line, "seconds": entry.get("seconds"), "kernels": entry.get("kernels")})
    print_count(options, rows)
    if not options.count:
        (options.out / "results.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
        print_results(options, rows, lines)


if __name__ == "__main__":
    sys.exit(main())
