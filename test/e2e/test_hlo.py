"""HLO as XLA writes it, before and after its optimizations, as proto and as text.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import jax
import ml_dtypes
import numpy as np
import pytest

from hlo_functions import FUNCTIONS
from systole_cli import load_results, save_args, systole

# Of f32 operands JAX on the CPU multiplies all bits, and transcendental functions differ by a few units in the
# last place, which sums and products add up.
RELATIVE = {"bfloat16": 2**-7, "float16": 2**-10}
F32 = 2e-5


def run(path, args, directory):
    save_args(directory / "args.npz", args)
    given = ["--args", directory / "args.npz"] if args else []
    out = directory / "out.npz"
    done = systole("run", path, *given, "--out", out, "--precision", "highest")
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(out)


def compare(results, expected):
    assert len(results) == len(expected)
    for result, value in zip(results, map(np.asarray, expected)):
        assert (result.shape, result.dtype) == (value.shape, value.dtype)
        if value.dtype.kind in "biu":
            np.testing.assert_array_equal(result, value)
            continue
        bound = RELATIVE.get(value.dtype.name, F32)
        wide = value.astype(np.float64)
        scale = np.abs(wide[np.isfinite(wide)]).max(initial=1.0)
        np.testing.assert_allclose(result.astype(np.float64), wide, rtol=bound, atol=bound * scale)


def forms(lowered):
    """name -> contents, of the four forms of a function's HLO."""
    before, compiled = lowered.compiler_ir("hlo"), lowered.compile()
    (optimized,) = compiled.runtime_executable().hlo_modules()
    return {
        "before.pb": before.as_serialized_hlo_module_proto(),
        "before.hlo": before.as_hlo_text(print_large_constants=True).encode(),
        "after.pb": optimized.as_serialized_hlo_module_proto(),
        "after.hlo": optimized.to_string().encode(),
    }


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_module(name, tmp_path):
    function, args, options = FUNCTIONS[name]
    jitted = jax.jit(function, keep_unused=True, **options)
    with jax.default_matmul_precision("highest"):
        expected = jax.tree.leaves(jax.jit(function)(*args))
    for form, contents in forms(jitted.lower(*args)).items():
        path = tmp_path / form
        path.write_bytes(contents)
        if b"{...}" not in contents:
            compare(run(path, jax.tree.leaves(args), tmp_path), expected)


def test_optimized_modules_have_fusions():
    function, args, _ = FUNCTIONS["mlp_gradient"]
    assert b" fusion(" in forms(jax.jit(function).lower(*args))["after.hlo"]


def test_names_and_lines_reach_the_report(tmp_path):
    function, args, _ = FUNCTIONS["mlp"]
    path = tmp_path / "mlp.pb"
    path.write_bytes(forms(jax.jit(function).lower(*args))["before.pb"])
    save_args(tmp_path / "args.npz", args)
    done = systole("run", path, "--args", tmp_path / "args.npz", "--report", "text")
    assert "hlo_functions.py:" in done.stdout, done.stdout


def test_parts_of_a_proto_are_refused(tmp_path):
    """Every length of a module's proto is refused with one line, or is that of another module."""
    function, args, _ = FUNCTIONS["scalar"]
    contents = forms(jax.jit(function).lower(*args))["before.pb"]
    path = tmp_path / "part.pb"
    for length in range(1, len(contents), 7):
        path.write_bytes(contents[:length])
        done = systole("compile", path, "-o", tmp_path / "x.sysx")
        assert done.returncode in (0, 1)
        assert done.returncode == 0 or done.stderr.count("error:") in (1, 2), done.stderr


MEMORIES = """HloModule memories, entry_computation_layout={(f32[8,3]{1,0:S(5)}, f32[8,3]{1,0})->(f32[8,3]{1,0}, \
f32[8,3]{1,0:S(5)}, f32[4,3]{1,0})}

ENTRY main {
  a = f32[8,3]{1,0:S(5)} parameter(0)
  b = f32[8,3]{1,0} parameter(1)
  d = f32[8,3]{1,0} copy(a)
  s = f32[8,3]{1,0} add(d, b)
  started = (f32[8,3]{1,0:S(5)}, f32[8,3]{1,0}, u32[]) copy-start(s)
  h = f32[8,3]{1,0:S(5)} copy-done(started)
  part = f32[4,3]{1,0} slice(a), slice={[2:6], [0:3]}
  square = f32[4,3]{1,0} multiply(part, part)
  ROOT r = (f32[8,3]{1,0}, f32[8,3]{1,0:S(5)}, f32[4,3]{1,0}) tuple(s, h, square)
}
"""


def memories(path, directory):
    """Whether each argument and result of a program is in the memory of the host."""
    assert systole("compile", path, "-o", directory / "x.sysx").returncode == 0
    listing = systole("objdump", directory / "x.sysx").stdout.splitlines()
    return ["of pinned_host" in line for line in listing if line.startswith((".argument", ".result"))]


def test_memories_of_layouts(tmp_path):
    """Of an argument, a copy, a result, and what a slice takes out of the host's memory."""
    path = tmp_path / "memories.hlo"
    path.write_text(MEMORIES)
    a, b = (np.random.default_rng(seed).standard_normal((8, 3), np.float32) for seed in (0, 1))
    compare(run(path, [a, b], tmp_path), [a + b, a + b, a[2:6] * a[2:6]])
    assert memories(path, tmp_path) == [True, False, False, True, False]


ASYNCHRONOUS = """HloModule asynchronous, entry_computation_layout={(f32[4]{0})->(f32[4]{0}, f32[2]{0})}

%double (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %sum = f32[4]{0} add(%p, %p)
}

ENTRY %main (x: f32[4]) -> (f32[4], f32[2]) {
  %x = f32[4]{0} parameter(0)
  %start = ((f32[4]{0}), f32[4]{0}) call-start(%x), to_apply=%double
  %done = f32[4]{0} call-done(%start)
  %from = ((f32[4]{0}), f32[2]{0}, s32[]) slice-start(%done), slice={[1:3]}
  %part = f32[2]{0} slice-done(%from)
  ROOT %r = (f32[4]{0}, f32[2]{0}) tuple(%done, %part)
}
"""


def test_asynchronous_operations(tmp_path):
    """Those that begin in one line of the text and end in another."""
    path = tmp_path / "asynchronous.hlo"
    path.write_text(ASYNCHRONOUS)
    x = np.array([1.5, -2, 0.25, 3], np.float32)
    compare(run(path, [x], tmp_path), [2 * x, 2 * x[1:3]])


def test_placements_of_jax(tmp_path):
    """Frontend attributes of the proto say where arrays are; layouts before XLA's passes do not."""

    def function(a, b):
        kept = jax.device_put(a + b, jax.memory.Space.Host)
        return a * b, kept, jax.device_put(kept, jax.memory.Space.Device) * b

    arguments = [np.random.default_rng(seed).standard_normal((8, 3), np.float32) for seed in (0, 1)]
    a, b = arguments
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",))
    path = tmp_path / "placements.pb"
    path.write_bytes(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())
    compare(run(path, arguments, tmp_path), [a * b, a + b, (a + b) * b])
    path.with_suffix(".hlo").write_text(lowered.compiler_ir("hlo").as_hlo_text())
    compare(run(path.with_suffix(".hlo"), arguments, tmp_path), [a * b, a + b, (a + b) * b])


def rounded_once(values, mantissa, least, largest):
    """Floats of `mantissa` bits and exponents from `least`, to nearest and to even, as f64."""
    finite = np.where(np.isfinite(values), values, 0)
    exponents = np.frexp(finite)[1] - 1
    quanta = np.ldexp(1.0, np.maximum(exponents, least) - mantissa)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.rint(finite / quanta) * quanta
    rounded = np.where(np.abs(rounded) > largest, np.copysign(np.inf, finite), rounded)
    return np.where(np.isfinite(values), rounded, values)


# NumPy rounds an f64 to bf16 by way of f32.
@pytest.mark.parametrize(
    "target, mantissa, least, largest",
    [("f32", 23, -126, 3.4028234663852886e38), ("bf16", 7, -126, 3.3895313892515355e38), ("f16", 10, -14, 65504)],
)  # fmt: skip
def test_f64_arguments_are_rounded_once(target, mantissa, least, largest, tmp_path):
    """Scalars as PyTorch passes them: of f64, and used as narrower floats."""
    tiny = np.finfo(np.float32).tiny
    ties = [1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40]
    edges = [3.4028235e38, 3.4028236e38, 1e39, -1e300, tiny, tiny / 2, 65519.99, 65520.0, 1e-310]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, np.pi, -0.1]
    random = np.random.RandomState(0).standard_normal(500) * 2.0 ** np.arange(-120, 120, 0.48)
    values = np.array([*ties, *edges, *special, *random])
    path = tmp_path / "convert.hlo"
    shape = f"[{len(values)}]"
    path.write_text(
        f"HloModule m\nENTRY e {{\n x = f64{shape} parameter(0)\n ROOT y = {target}{shape} convert(x)\n}}\n"
    )
    (result,) = run(path, [values], tmp_path)
    # Numbers that are subnormal in f32 are zero on the machine.
    flushed = np.where(np.abs(values) < tiny, np.copysign(0, values), values)
    expected = rounded_once(flushed, mantissa, least, largest)
    np.testing.assert_array_equal(result.astype(np.float64), expected)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


DIRECTIONS = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
}
NARROW = {
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "pred": np.bool_,
    "s8": np.int8,
    "u16": np.uint16,
    "s32": np.int32,
    "s64": np.int64,
    "u64": np.uint64,
}


def narrow_numbers(dtype, doubles):
    """Numbers around which comparisons with f64 change."""
    if dtype is np.bool_:
        return np.array([False, True])
    if np.issubdtype(dtype, np.integer):
        least, largest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        places = [0, 3, 2**24, 2**53, 2**53 + 2, largest - 1023, largest - 511, least, least + 512, least + 1024]
        near = {sign * place + step for place in places for sign in (1, -1) for step in range(-2, 3)}
        return np.array(sorted(number for number in near if least <= number <= largest), dtype)
    with np.errstate(over="ignore", under="ignore"):
        singles = doubles.astype(np.float32)
        steps = [np.nextafter(singles, np.float32(end)) for end in (np.inf, -np.inf)]
        numbers = np.concatenate([singles, *steps]).astype(dtype)
    # Subnormal numbers of f32 are zero on the machine.
    return np.where(np.abs(numbers.astype(np.float64)) < np.finfo(np.float32).tiny, dtype(0), numbers)


@pytest.mark.parametrize("source", ["parameter", "constant"])
@pytest.mark.parametrize("element", NARROW)
def test_comparisons_with_f64(element, source, tmp_path):
    """As PyTorch compares with its scalars: every element with every f64, which no f32 may be equal to."""
    tiny = float(np.finfo(np.float32).tiny)
    edges = [0.0, 0.3, 1.0, 2.5, 3.0, 1 + 2.0**-24, 1 + 2.0**-23, 65504.0, 65504.5, tiny, tiny / 2, tiny * 1.0001]
    edges += [1e-310, 1e38, 3.4028234663852886e38, 3.4028235e38, 1e300, np.inf, np.nan]
    edges += [2.0**24 + 1, 2.0**53, 2.0**53 + 2, 2.0**53 + 4, 2.0**63, 2.0**63 - 1024, 2.0**64, 2.0**64 - 2048]
    doubles = np.array([*edges, *(-edge for edge in edges)])
    numbers = narrow_numbers(NARROW[element], doubles)
    shape = f"[{len(doubles)},{len(numbers)}]"
    given = "parameter(1)"
    if source == "constant":
        given = "constant({" + ", ".join(map(repr, doubles.tolist())) + "})"
    lines = [f"d = f64[{len(doubles)}] {given}", f"x = {element}[{len(numbers)}] parameter(0)"]
    lines += [f"w = f64[{len(numbers)}] convert(x)", f"a = f64{shape} broadcast(w), dimensions={{1}}"]
    lines += [f"b = f64{shape} broadcast(d), dimensions={{0}}"]
    for name in DIRECTIONS:
        lines += [f"{name} = pred{shape} compare(a, b), direction={name}"]
        lines += [f"of_{name} = pred{shape} compare(b, a), direction={name}"]
    results = [prefix + name for name in DIRECTIONS for prefix in ("", "of_")]
    lines += [f"ROOT all = ({', '.join([f'pred{shape}'] * len(results))}) tuple({', '.join(results)})"]
    path = tmp_path / "compare.hlo"
    path.write_text("HloModule m\nENTRY e {\n" + "\n".join(lines) + "\n}\n")
    args = [numbers] if source == "constant" else [numbers, doubles]
    a, b = numbers.astype(np.float64)[None], doubles[:, None]
    expected = [order(*pair) for order in DIRECTIONS.values() for pair in ((a, b), (b, a))]
    for name, result, value in zip(results, run(path, args, tmp_path), expected, strict=True):
        np.testing.assert_array_equal(result, value, name)
