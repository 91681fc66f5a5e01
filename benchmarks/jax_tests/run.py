"""Runs JAX's own tests on the plugin and on JAX's CPU device, and prints a table of both.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax
    python benchmarks/jax_tests/run.py jax [lax_test ...] [--cases 10] [--x64] [--jobs 2] [--out build/jax-tests]
    python benchmarks/jax_tests/run.py jax --devices 8        the tests of several devices, on a slice of that many cores

Both run the same tests: JAX draws `--cases` of the cases of each parametrized test by its name. A test counts against
the plugin if it passes on the CPU and neither passes nor is skipped here; each such test is listed with its reason.
A run that was interrupted continues where it was. Fails if less than 99 percent pass.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]

FILES = """lax_test lax_numpy_test lax_numpy_operators_test lax_numpy_reducers_test lax_numpy_indexing_test
lax_numpy_einsum_test lax_numpy_setops_test lax_numpy_ufuncs_test lax_numpy_vectorize_test lax_control_flow_test nn_test
random_test random_lax_test linalg_test eigh_test svd_test qdwh_test fft_test scipy_fft_test lax_scipy_test
lax_scipy_special_functions_test lax_scipy_sparse_test lax_scipy_spectral_dac_test lax_autodiff_test lax_vmap_test
lax_vmap_op_test api_test export_test export_back_compat_test dtypes_test x64_context_test custom_linear_solve_test
jet_test image_test ode_test sparse_test sparse_bcoo_bcsr_test sparsify_test checkify_test debugging_primitives_test
python_callback_test pmap_test shard_map_test memories_test""".split()

FILES_OF_SLICES = """pjit_test shard_map_test pmap_test array_test mutable_array_test linalg_sharding_test layout_test
multi_device_test shard_alike_test custom_partitioning_test memories_test""".split()


def environment(device, options, record):
    """Variables of a process that runs tests on a device."""
    result = dict(os.environ)
    result.update(
        JAX_NUM_GENERATED_CASES=str(options.cases),
        JAX_ENABLE_X64=str(int(options.x64)),
        JAX_TESTS_RECORD=str(record),
        JAX_TESTS_SECONDS=str(options.seconds),
        JAX_PLATFORMS="cpu",
        PYTHONPATH=os.pathsep.join([str(ROOT / "benchmarks/jax_tests"), str(options.jax / "tests")]),
    )
    if options.devices > 1:
        result["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
    if device == "systole":
        plugin = options.build.resolve() / "lib/libsystole_pjrt.so"
        result.update(JAX_PLATFORMS="tpu,cpu", TPU_LIBRARY_PATH=str(plugin), SYSTOLE_PRECISION="highest")
        result.update(TPU_SKIP_MDS_QUERY="1", SYSTOLE_CACHE="", SYSTOLE_PROGRESS="0")
        if options.devices > 1:
            result["SYSTOLE_TARGET"] = f"v3-{options.devices}"
    return result


def run_file(device, name, options):
    """Runs the tests of a file, in a new process after each one that dies. A dict of outcomes by test."""
    kind = ("x64" if options.x64 else "x32") + (f"-{options.devices}" if options.devices > 1 else "")
    folder = options.out / kind / device
    folder.mkdir(parents=True, exist_ok=True)
    record, log = folder / f"{name}.jsonl", folder / f"{name}.log"
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "recorder", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["-o", "addopts=", "--rootdir", options.jax, options.jax / f"tests/{name}.py"]
    while True:
        started = record.stat().st_size if record.exists() else 0
        with log.open("a") as file:
            try:
                code = subprocess.run(
                    command,
                    env=environment(device, options, record),
                    stdout=file,
                    stderr=file,
                    timeout=options.file_seconds,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                code = None
        ended = record.stat().st_size if record.exists() else 0
        if code in (0, 1, 5) or ended == started:
            return outcomes(record)


def outcomes(record):
    """What a record says of each test; a test that began and has no end died."""
    result = {}
    if record.exists():
        for line in record.read_text().splitlines():
            entry = json.loads(line)
            entry.setdefault("outcome", "died")
            known = result.get(entry["test"])
            if not known or known["outcome"] in ("died", "passed"):
                result[entry["test"]] = entry
    return result


def reason(message):
    """A failure's message without what differs from test to test."""
    line = next((line for line in message.splitlines() if "error:" in line), message.split("\n")[0])
    line = re.sub(r"^.*?error: ", "", line)
    line = re.sub(r"tensor<[^ ]*|\b0x[0-9a-f]+\b|\d+(\.\d+)?(e[+-]?\d+)?", "N", line)
    return line[:150]


def table(rows):
    """Lines of a table in Markdown: of each file, counts on the CPU and on the plugin."""
    yield "| file | CPU passed | failed | skipped | Systole passed | failed | skipped | of the CPU's, percent |"
    yield "|---|---|---|---|---|---|---|---|"
    total = collections.Counter()
    for name, cpu, here in rows:
        counts = collections.Counter()
        for test, entry in cpu.items():
            counts["cpu " + entry["outcome"]] += 1
            outcome = here.get(test, {"outcome": "missing"})["outcome"]
            counts["here " + outcome] += 1
            if entry["outcome"] == "passed" and outcome != "skipped":
                counts["both"] += 1
                counts["held"] += outcome == "passed"
        total += counts
        yield line_of(name, counts)
    yield line_of("all", total)


def line_of(name, counts):
    failed = {side: counts[f"{side} failed"] + counts[f"{side} died"] for side in ("cpu", "here")}
    failed["here"] += counts["here missing"]
    share = f"{100 * counts['held'] / counts['both']:.2f}" if counts["both"] else ""
    cells = [name, counts["cpu passed"], failed["cpu"], counts["cpu skipped"]]
    cells += [counts["here passed"], failed["here"], counts["here skipped"], share]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jax", type=pathlib.Path, help="JAX's sources at the tag of the installed version")
    parser.add_argument("files", nargs="*", help="names of files in its folder of tests")
    parser.add_argument("--devices", type=int, default=1, help="cores of a slice of v3 (1)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--cases", type=int, default=10, help="of each parametrized test (10)")
    parser.add_argument("--x64", action="store_true", help="with jax_enable_x64")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=120, help="of a test, until it is interrupted (120)")
    parser.add_argument("--file-seconds", type=int, default=7200, help="of a process (7200)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/jax-tests")
    options = parser.parse_args()
    options.files = options.files or (FILES_OF_SLICES if options.devices > 1 else FILES)

    with ThreadPoolExecutor(options.jobs) as pool:
        pairs = [(name, device) for name in options.files for device in ("cpu", "systole")]
        results = dict(zip(pairs, pool.map(lambda pair: run_file(pair[1], pair[0], options), pairs), strict=True))
    rows = [(name, results[name, "cpu"], results[name, "systole"]) for name in options.files]

    reasons = collections.defaultdict(list)
    both = held = 0
    for name, cpu, here in rows:
        for test, entry in cpu.items():
            other = here.get(test, {"outcome": "missing", "message": ""})
            if entry["outcome"] != "passed" or other["outcome"] == "skipped":
                continue
            both += 1
            held += other["outcome"] == "passed"
            if other["outcome"] != "passed":
                reasons[reason(other.get("message", "")) or other["outcome"]].append(f"{name}::{test}")
    print("\n".join(table(rows)))
    print()
    for text, tests in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(tests):5} {text}\n          {tests[0]}")
    return held < 0.99 * both


if __name__ == "__main__":
    sys.exit(main())
