"""The tool's contract: its output, and its rejection of bad input.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Bad input gives exit code 1 and one diagnostic, and writes nothing.
"""

import hashlib
import json
import os
import re
import subprocess

import numpy as np
import pytest

from bounds import BF16
from systole_cli import BIN, ROOT, load_results, save_args, systole

PROGRAM = """
func.func @main(%x: tensor<8x128xf32>, %y: tensor<128x64xbf16>, %n: tensor<i32>)
    -> (tensor<8x64xf32>, tensor<i32>) {
  %wide = stablehlo.convert %y : (tensor<128x64xbf16>) -> tensor<128x64xf32>
  %r = stablehlo.dot_general %x, %wide, contracting_dims = [1] x [0]
     : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32> loc("model.py":12:3)
  %m = stablehlo.add %n, %n : tensor<i32>
  return %r, %m : tensor<8x64xf32>, tensor<i32>
}
"""
X = (np.arange(8 * 128).reshape(8, 128) % 7).astype(np.float32)
Y = (np.arange(128 * 64).reshape(128, 64) % 5).astype(BF16)
N = np.asarray(21, np.int32)
PRODUCT = X @ Y.astype(np.float32)

BUNDLE_BYTES = 64


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    save_args(tmp_path / "args.npz", [X, Y, N])
    return path


def succeeds(done):
    assert done.returncode == 0, done.stderr
    return done


def is_refused(done, directory, *words):
    """Exit code 1, one diagnostic that names the error, and no new file."""
    assert done.returncode == 1, f"exit code {done.returncode}:\n{done.stdout}{done.stderr}"
    errors = re.findall(r"^.*\berror: .*$", done.stderr, re.MULTILINE)
    assert len(errors) == 1, f"{len(errors)} diagnostics:\n{done.stderr}"
    for word in words:
        assert word in done.stderr
    inputs = {"program.mlir", "args.npz", "bad.npz", "bad.npy", "bad.mlir", "bad.sysx", "bad.txtpb"}
    assert set(os.listdir(directory)) <= inputs


def run(program, *words, **options):
    return systole("run", program, "--target", "v3", *words, **options)


def test_run_writes_results(program, tmp_path):
    out = tmp_path / "out.npz"
    succeeds(run(program, "--args", tmp_path / "args.npz", "--out", out))
    product, doubled = load_results(out)
    assert (product == PRODUCT).all() and doubled == 42 and doubled.shape == ()


def test_arguments_one_file_each(program, tmp_path):
    files = []
    for number, array in enumerate([X, Y, N]):
        files.append(tmp_path / f"x{number}.npy")
        np.save(files[-1], array)
    out = tmp_path / "out.npz"
    succeeds(run(program, "--args", *files, "--out", out))
    assert (load_results(out)[0] == PRODUCT).all()


def test_bf16_is_accepted_as_raw_bytes_of_any_byte_order_mark(program, tmp_path):
    """NumPy writes the type of bf16 as |V2 or <V2, by its version."""
    for number, descr in enumerate(["|V2", "<V2"]):
        path = tmp_path / f"y{number}.npy"
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (128, 64), }}"
        header = header.ljust(117) + "\n"
        length = len(header).to_bytes(2, "little")
        path.write_bytes(b"\x93NUMPY\x01\x00" + length + header.encode() + Y.tobytes())
        for name, array in (("x", X), ("n", N)):
            np.save(tmp_path / f"{name}.npy", array)
        out = tmp_path / "out.npz"
        words = [tmp_path / "x.npy", path, tmp_path / "n.npy", "--out", out]
        succeeds(run(program, "--args", *words))
        assert (load_results(out)[0] == PRODUCT).all()


def test_arrays_in_column_order(program, tmp_path):
    """A Fortran-ordered file is the same array."""
    save_args(tmp_path / "args.npz", [np.asfortranarray(X), np.asfortranarray(Y), N])
    out = tmp_path / "out.npz"
    succeeds(run(program, "--args", tmp_path / "args.npz", "--out", out))
    assert (load_results(out)[0] == PRODUCT).all()


def test_compressed_arguments(program, tmp_path):
    np.savez_compressed(tmp_path / "args.npz", arg0=X, arg1=Y, arg2=N)
    out = tmp_path / "out.npz"
    succeeds(run(program, "--args", tmp_path / "args.npz", "--out", out))
    assert (load_results(out)[0] == PRODUCT).all()


def test_results_on_the_terminal(program, tmp_path):
    """Without --out the results are shown."""
    done = succeeds(run(program, "--args", tmp_path / "args.npz"))
    assert "42" in done.stdout


def test_compiled_program_gives_the_same_bits(program, tmp_path):
    compiled, one, two = (tmp_path / name for name in ("p.sysx", "one.npz", "two.npz"))
    succeeds(systole("compile", program, "-o", compiled, "--target", "v2"))
    args = ["--args", tmp_path / "args.npz"]
    succeeds(systole("run", program, "--target", "v2", *args, "--out", one))
    succeeds(systole("run", compiled, "--target", "v2", *args, "--out", two))
    for a, b in zip(load_results(one), load_results(two), strict=True):
        assert a.tobytes() == b.tobytes()


def test_compiling_twice_gives_the_same_file(program, tmp_path):
    files = [tmp_path / "one.sysx", tmp_path / "two.sysx"]
    for file in files:
        succeeds(systole("compile", program, "-o", file, "--target", "v3"))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_objdump_shows_kernels_and_source(program, tmp_path):
    compiled = tmp_path / "p.sysx"
    succeeds(systole("compile", program, "-o", compiled, "--target", "v3"))
    listing = succeeds(systole("objdump", compiled)).stdout
    assert "mxu.push" in listing and "model.py:12" in listing


def test_targets_are_listed():
    listing = succeeds(systole("targets")).stdout
    assert re.search(r"\bv2\b", listing) and re.search(r"\bv3\b", listing)


REPORT_FIELDS = {
    "target": str,
    "target_hash": str,
    "cycles": int,
    "device_seconds": float,
    "flops": int,
    "mxu_busy_cycles": int,
    "mxu_utilization": float,
    "hbm_read_bytes": int,
    "hbm_write_bytes": int,
    "hbm_peak_bytes": int,
    "vmem_peak_bytes": int,
    "bundles": int,
    "kernels": list,
    "compile_seconds": float,
    "emulate_seconds": float,
    "usd": float,
    "usd_preemptible": float,
}
KERNEL_FIELDS = {
    "name": str,
    "source": str,
    "cycles": int,
    "flops": int,
    "bytes": int,
    "bound_by": str,
    "calls": int,
}


def report_of(program, directory, target, *words):
    file = directory / "report.json"
    how = ["--target", target, "--report", "json", "--report-file", file]
    succeeds(systole("run", program, *how, *words))
    return json.loads(file.read_text())


def is_kind(value, kind):
    return isinstance(value, (int, float) if kind is float else kind)


def test_report(program, tmp_path):
    report = report_of(program, tmp_path, "v3", "--args", tmp_path / "args.npz")
    for field, kind in REPORT_FIELDS.items():
        assert is_kind(report[field], kind), field
    assert report["target"] == "v3"
    assert report["kernels"]
    for kernel in report["kernels"]:
        for field, kind in KERNEL_FIELDS.items():
            assert is_kind(kernel[field], kind), field
    # A multiplication and an addition for each product of the contraction.
    assert report["flops"] >= 2 * 8 * 128 * 64
    assert any("model.py:12" in kernel["source"] for kernel in report["kernels"])
    assert report["device_seconds"] == pytest.approx(report["cycles"] / 940e6)
    # Whole chips are charged: 2.00 USD an hour each, preemptible 2.40 for the four of a v3-8.
    assert report["usd"] == pytest.approx(report["device_seconds"] / 3600 * 2.00)
    assert report["usd_preemptible"] == pytest.approx(report["device_seconds"] / 3600 * 0.60)
    bytes_in = X.nbytes + Y.nbytes + N.nbytes
    assert report["hbm_read_bytes"] >= bytes_in
    assert report["hbm_write_bytes"] >= PRODUCT.nbytes


def test_timing_without_data_takes_the_same_cycles(program, tmp_path):
    with_data = report_of(program, tmp_path, "v2", "--args", tmp_path / "args.npz")
    without = report_of(program, tmp_path, "v2", "--timing-only")
    assert without["cycles"] == with_data["cycles"]


def test_text_report(program, tmp_path):
    file = tmp_path / "report.txt"
    words = ["--args", tmp_path / "args.npz", "--report", "text", "--report-file", file]
    succeeds(run(program, *words))
    assert "v3" in file.read_text() and "cycles" in file.read_text()


def test_every_level_is_dumped(program, tmp_path):
    directory = tmp_path / "ir"
    compiled = tmp_path / "p.sysx"
    succeeds(systole("compile", program, "-o", compiled, "--dump-ir", directory))
    dumps = " ".join(sorted(os.listdir(directory)))
    assert len(os.listdir(directory)) >= 5, dumps
    assert all((directory / name).stat().st_size for name in os.listdir(directory))


def test_missing_program(tmp_path):
    missing = tmp_path / "missing.mlir"
    is_refused(run(missing), tmp_path, "missing.mlir")
    is_refused(systole("compile", missing, "-o", tmp_path / "p.sysx"), tmp_path, "missing.mlir")
    is_refused(systole("objdump", tmp_path / "missing.sysx"), tmp_path, "missing.sysx")


def test_a_directory_is_no_program(tmp_path):
    is_refused(run(tmp_path), tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"ML\xefR" + b"\xff" * 60, b"not mlir"])
def test_program_of_no_known_kind(content, tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_bytes(content)
    is_refused(run(path, "--out", tmp_path / "out.npz"), tmp_path)


def test_missing_arguments_file(program, tmp_path):
    words = ["--args", tmp_path / "missing.npz", "--out", tmp_path / "out.npz"]
    is_refused(run(program, *words), tmp_path, "missing.npz")


BAD_ARGUMENTS = {
    "too few": ([X, Y], ["3"]),
    "too many": ([X, Y, N, N], ["3", "4"]),
    "none": ([], ["3"]),
    "wrong shape": ([X[:7], Y, N], ["8x128"]),
    "wrong rank": ([X.reshape(-1), Y, N], ["8x128"]),
    "wrong float type": ([X.astype(np.float64), Y, N], ["f32"]),
    "f32 for bf16": ([X, Y.astype(np.float32), N], ["bf16"]),
    "f16 for bf16": ([X, Y.astype(np.float16), N], ["bf16"]),
    "wrong integer type": ([X, Y, N.astype(np.int64)], ["i32"]),
    "unsigned for signed": ([X, Y, N.astype(np.uint32)], ["i32"]),
    "array for a scalar": ([X, Y, N.reshape(1)], ["i32"]),
}


@pytest.mark.parametrize("kind", BAD_ARGUMENTS)
def test_arguments_that_do_not_fit(kind, program, tmp_path):
    args, words = BAD_ARGUMENTS[kind]
    save_args(tmp_path / "bad.npz", args)
    done = run(program, "--args", tmp_path / "bad.npz", "--out", tmp_path / "out.npz")
    is_refused(done, tmp_path, *words)


def test_no_arguments_given(program, tmp_path):
    is_refused(run(program, "--out", tmp_path / "out.npz"), tmp_path, "3")


def test_wrong_names_in_the_archive(program, tmp_path):
    np.savez(tmp_path / "bad.npz", arg0=X, arg1=Y, arg3=N)
    done = run(program, "--args", tmp_path / "bad.npz", "--out", tmp_path / "out.npz")
    is_refused(done, tmp_path, "arg")


@pytest.mark.parametrize("damage", ["truncated", "text", "empty", "wrong checksum"])
def test_damaged_arguments(damage, program, tmp_path):
    data = (tmp_path / "args.npz").read_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0xFF
    content = {
        "truncated": data[: len(data) // 2],
        "text": b"not an archive",
        "empty": b"",
        "wrong checksum": bytes(flipped),
    }[damage]
    (tmp_path / "bad.npz").write_bytes(content)
    done = run(program, "--args", tmp_path / "bad.npz", "--out", tmp_path / "out.npz")
    is_refused(done, tmp_path, "bad.npz")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 128), ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (8, 128), }",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (8, 128), }",
        "{}",
        "",
    ],
)
def test_malformed_npy(header, program, tmp_path):
    path = tmp_path / "bad.npy"
    length = len(header).to_bytes(2, "little")
    path.write_bytes(b"\x93NUMPY\x01\x00" + length + header.encode() + b"\0" * 64)
    words = ["--args", path, path, path, "--out", tmp_path / "out.npz"]
    is_refused(run(program, *words), tmp_path, "bad.npy")


def test_unknown_target(program, tmp_path):
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz"]
    is_refused(systole("run", program, "--target", "v99", *words), tmp_path, "v99")


def test_malformed_target_file(program, tmp_path):
    path = tmp_path / "bad.txtpb"
    path.write_text("name: 'mine'\nclock_mhz: banana\n")
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz"]
    is_refused(systole("run", program, "--target", path, *words), tmp_path, "bad.txtpb")


@pytest.mark.parametrize("option", ["--report-file", "--trace"])
def test_nothing_is_written_if_not_all_can_be(option, program, tmp_path):
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz"]
    is_refused(run(program, *words, option, tmp_path / "no/file.json"), tmp_path, "file.json")
    is_refused(run(program, *words, option, tmp_path), tmp_path, "directory")
    is_refused(run(program, *words, option, tmp_path / "out.npz"), tmp_path, "several outputs")


def test_the_input_is_not_overwritten(program, tmp_path):
    text = program.read_text()
    is_refused(systole("compile", program, "-o", program), tmp_path, "is an input")
    target = tmp_path / "bad.txtpb"
    target.write_text((ROOT / "dialects/Machine/Target/targets/v3.textproto").read_text())
    words = ["compile", program, "--target", target, "-o", target]
    is_refused(systole(*words), tmp_path, "is an input")
    for option in ("--out", "--trace", "--report-file"):
        words = ["run", program, "--args", tmp_path / "args.npz"]
        is_refused(systole(*words, option, program), tmp_path, "is an input")
        is_refused(systole(*words, option, tmp_path / "args.npz"), tmp_path, "is an input")
    assert program.read_text() == text


def test_a_file_holds_no_ir(program, tmp_path):
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz"]
    is_refused(run(program, *words, "--dump-ir", tmp_path / "args.npz"), tmp_path, "hold the IR")


def test_unknown_precision(program, tmp_path):
    words = ["--args", tmp_path / "args.npz", "--precision", "sloppy"]
    is_refused(run(program, *words), tmp_path, "sloppy")


def test_unwritable_output(program, tmp_path):
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "no/such/directory/out.npz"]
    is_refused(run(program, *words), tmp_path, "out.npz")
    compiled = tmp_path / "no/such/directory/p.sysx"
    is_refused(systole("compile", program, "-o", compiled), tmp_path, "p.sysx")


def test_an_existing_file_survives_a_failure(program, tmp_path):
    out = tmp_path / "out.npz"
    out.write_text("precious")
    save_args(tmp_path / "bad.npz", [X])
    done = run(program, "--args", tmp_path / "bad.npz", "--out", out)
    assert done.returncode == 1 and out.read_text() == "precious"


def test_damaged_compiled_program(program, tmp_path):
    compiled = tmp_path / "p.sysx"
    succeeds(systole("compile", program, "-o", compiled))
    data = bytearray(compiled.read_bytes())
    compiled.unlink()
    data[len(data) // 2] ^= 1
    (tmp_path / "bad.sysx").write_bytes(data)
    words = ["--args", tmp_path / "args.npz", "--out", tmp_path / "out.npz"]
    is_refused(run(tmp_path / "bad.sysx", *words), tmp_path, "bad.sysx")


SOURCE_ERRORS = {
    "unknown operation": ("stablehlo.add %n, %n", "stablehlo.bogus %n, %n"),
    "unsupported operation": ("stablehlo.add %n, %n", "chlo.bessel_i1e %n"),
    "wrong shape": ("-> tensor<8x64xf32> loc", "-> tensor<8x65xf32> loc"),
    "undefined value": ("stablehlo.add %n, %n", "stablehlo.add %n, %q"),
    "unclosed": ("return %r, %m", "return %r, %m ("),
}


@pytest.mark.parametrize("kind", SOURCE_ERRORS)
def test_error_in_the_program_names_its_place(kind, program, tmp_path):
    before, after = SOURCE_ERRORS[kind]
    assert before in PROGRAM
    path = tmp_path / "bad.mlir"
    path.write_text(PROGRAM.replace(before, after))
    done = systole("compile", path, "-o", tmp_path / "p.sysx")
    is_refused(done, tmp_path)
    assert re.search(r"(bad\.mlir|model\.py):\d+:\d+: ", done.stderr)


@pytest.mark.parametrize("words", [[], ["bogus"], ["run"], ["compile", "x.mlir"], ["run", "--bogus"]])
def test_wrong_command_lines(words):
    done = systole(*words)
    assert done.returncode == 1 and done.stderr.strip()


def test_help_and_version():
    for words in (["--help"], ["run", "--help"], ["--version"]):
        assert succeeds(systole(*words)).stdout.strip()


def test_a_program_without_entry(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("module {}\n")
    is_refused(systole("compile", path, "-o", tmp_path / "p.sysx"), tmp_path)


def test_a_program_too_large_for_the_device(tmp_path):
    """Planned statically: an array beyond HBM is a compile error, not an attempt."""
    path = tmp_path / "bad.mlir"
    path.write_text(
        "func.func @main(%x: tensor<f32>) -> tensor<100000x100000xf32> {\n"
        "  %r = stablehlo.broadcast_in_dim %x, dims = [] "
        ": (tensor<f32>) -> tensor<100000x100000xf32>\n"
        "  return %r : tensor<100000x100000xf32>\n}\n"
    )
    is_refused(systole("compile", path, "-o", tmp_path / "p.sysx"), tmp_path, "100000x100000")


def test_objdump_reports_invalid_bundles(tmp_path):
    path = tmp_path / "increment.sysx"
    succeeds(systole("compile", ROOT / "test/lit/tools/systole/Inputs/increment.sysasm", "-o", path))
    data = bytearray(path.read_bytes())
    data[-2 * BUNDLE_BYTES : -BUNDLE_BYTES] = b"\xff" * BUNDLE_BYTES
    data[16:48] = hashlib.sha256(data[48:]).digest()
    path.write_bytes(data)
    done = systole("objdump", path)
    assert done.returncode == 1
    assert "// invalid bundle" in done.stdout
    assert "bundle 6: " in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["targets"],
        ["targets", "v3"],
        ["operations"],
        ["objdump", "program.sysx"],
        ["run", "program.mlir", "--args", "args.npz"],
        ["run", "program.mlir", "--args", "args.npz", "--out", "out.npz", "--report", "text"],
    ],
    ids=" ".join,
)
def test_unwritable_output_is_an_error(words, program, tmp_path):
    succeeds(systole("compile", program, "-o", tmp_path / "program.sysx"))
    paths = [tmp_path / word if "." in word else word for word in words]
    with open("/dev/full", "w") as full:
        done = subprocess.run([BIN / "systole", *paths], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "systole: error: standard output cannot be written\n"
