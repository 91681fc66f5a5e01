"""Programs with faults, each found by one command of `systole numerics` or a few of `systole debug`.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Those with a repository and a number are the faults of its issue, written anew.
"""

import inspect
import json
import pathlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from systole_cli import save_args, systole


def files(folder, function, *args):
    lowered = jax.jit(function, keep_unused=True).trace(*args).lower(lowering_platforms=("tpu",))
    program, arguments = folder / "program.mlir", folder / "args.npz"
    program.write_text(lowered.as_text(debug_info=True))
    save_args(arguments, jax.tree.leaves(args))
    return program, "--args", arguments


def found(folder, function, args, *words):
    """The report of `systole numerics` on a call, as JSON."""
    report = folder / "report.json"
    done = systole("numerics", *files(folder, function, *args), "--json", report, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text())


def line_of(function, text):
    """The file's name and the line, the first one of a function that has a text."""
    lines, first = inspect.getsourcelines(function)
    offset = next(offset for offset, line in enumerate(lines) if text in line)
    return f"/{pathlib.Path(__file__).name}:{first + offset}:"


def f32(*values):
    return np.array(values, np.float32)


# Each: the function, its arguments, the operation, a text of its line (of the function, or of a function in it), and
# for NaN or infinities the flag.


def log_under_a_mask(x):
    def loss(x):
        safe = jnp.where(x > 0, jnp.log(x), 0.0)
        return jnp.sum(safe)

    return jax.grad(loss)(x)


def empty_rows(scores, mask):  # pytorch/pytorch#24816, iree-org/iree#24175: attention with rows that are masked
    scores = jnp.where(mask, scores, -jnp.inf)
    largest = jnp.max(scores, axis=1, keepdims=True)
    weights = jnp.exp(scores - largest)
    return weights / jnp.sum(weights, axis=1, keepdims=True)


def norm_of_zeros(x):  # jax-ml/jax#3058: the gradient of a norm at zero
    return jax.grad(lambda x: jnp.sqrt(jnp.sum(x * x)))(x)


def root_behind_where(x):  # jax-ml/jax#347: the branch that is not taken
    def loss(x):
        length = jnp.sqrt(jnp.sum(x**2, axis=1))
        return jnp.sum(jnp.where(length > 0.5, length, 1.0))

    return jax.grad(loss)(x)


def masked_softmax(x, mask):  # jax-ml/jax#17117: a large logit that the mask leaves out
    def loss(x):
        largest = jnp.max(x, initial=0.0, where=mask)
        weights = jnp.where(mask, jnp.exp(x - largest), 0.0)
        return weights[0] / jnp.sum(weights)

    return jax.grad(loss)(x)


def arc_cosine_at_one(p, q):  # jax-ml/jax#15798: the distance of equal distributions
    return jax.grad(lambda p: jnp.arccos(jnp.vdot(p, q)))(p)


def power_of_zero(x):  # jax-ml/jax#7440: the derivative of a power at zero
    return jax.grad(lambda x: jnp.sum(x**0.4))(x)


def half_attention(q, k):  # pytorch/pytorch#119131: scores beyond the range of f16
    scores = jnp.einsum("qd,kd->qk", q, k)
    return jax.nn.softmax(scores / 8)


def half_sum(output, target):  # qubvel-org/segmentation_models.pytorch#463: an intersection of 262,144 pixels in f16
    intersection = lax.reduce(output * target, np.float16(0), lax.add, (0,))
    return intersection / (jnp.sum(output) + jnp.sum(target))


def exploding_recurrence(w, x):
    def step(h, xt):
        h = h @ w + xt
        return h, jnp.sum(h * h)

    return lax.scan(step, jnp.zeros((2, 8)), x)


def initial_of_a_maximum(x):
    largest = lax.reduce(x, np.float32(np.nan), lax.max, (1,))
    return x - largest[:, None]


def variance_by_moments(x):  # google/objax#182: E[x^2] - E[x]^2
    variance = jnp.mean(x * x) - jnp.mean(x) ** 2
    return x / jnp.sqrt(variance - 1e-3)


def out_of_the_table(table, index):  # jax-ml/jax#14193: jnp.take beyond the end
    return jnp.take(table, index, axis=0) @ jnp.ones((4, 2))


def divergence(w, x, y):
    def step(w, _):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        w = w - 10.0 * gradient
        return w, jnp.log(jnp.sum(w) / jnp.sum(jnp.abs(w)) + 1.1 - loss / 1e30)

    return lax.scan(step, w, None, length=60)


NORMAL = np.random.default_rng(5)
FAULTS = {
    "log": (log_under_a_mask, [f32(1, -2, 3)], "log", "jnp.log(x)", "--first-nan"),
    "empty rows": (
        empty_rows,
        [np.ones((3, 4), np.float32), np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool)],
        "subtract",
        "scores - largest",
        "--first-nan",
    ),
    "norm": (norm_of_zeros, [np.zeros(5, np.float32)], "multiply", "jnp.sum(x * x)", "--first-nan"),
    "root": (root_behind_where, [f32(1, 2, 3, 4, 0, 0).reshape(3, 2)], "multiply", "x**2", "--first-nan"),
    "softmax": (
        masked_softmax,
        [f32(1, 1, 100), np.array([1, 1, 0], bool)],
        "exponential",
        "jnp.exp(x - largest)",
        "--first-nonfinite",
    ),
    "arccos": (arc_cosine_at_one, [f32(0.6, 0.8), f32(0.6, 0.8)], None, "jnp.arccos", "--first-nonfinite"),
    "power": (power_of_zero, [f32(0, 1, 2)], "power", "x**0.4", "--first-nonfinite"),
    "f16 attention": (
        half_attention,
        [np.full((4, 64), 300, np.float16), np.full((4, 64), 200, np.float16)],
        "dot_general",
        "einsum",
        "--first-nonfinite",
    ),
    "f16 sum": (
        half_sum,
        [np.ones(262144, np.float16), np.ones(262144, np.float16)],
        "reduce",
        "lax.reduce",
        "--first-nonfinite",
    ),
    "recurrence": (
        exploding_recurrence,
        [np.full((8, 8), 2, np.float32), np.ones((40, 2, 8), np.float32)],
        "multiply",
        "h * h",
        "--first-nonfinite",
    ),
    "maximum": (initial_of_a_maximum, [np.ones((3, 5), np.float32)], "reduce", "lax.reduce", "--first-nan"),
    "variance": (
        variance_by_moments,
        [np.full(64, 1024, np.float32)],
        "sqrt",
        "jnp.sqrt",
        "--first-nan",
    ),
    "table": (
        out_of_the_table,
        [np.ones((5, 4), np.float32), np.array([1, 5], np.int32)],
        "select",
        "jnp.take(table",
        "--first-nan",
    ),
    "divergence": (
        divergence,
        [f32(1, 1, 1, 1), *(NORMAL.standard_normal(shape).astype(np.float32) for shape in ((9, 4), (9,)))],
        None,
        "",
        "--first-nan",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_first_number_that_is_not_finite(tmp_path, name):
    function, args, operation, text, flag = FAULTS[name]
    report = found(tmp_path, function, args, flag)
    first = report["first"]
    assert first, report
    if operation:
        assert first["operation"].endswith("." + operation), first
    if text:
        places = {first["source"], first["user_source"]}
        assert any(line_of(function, text) in place for place in places), places
    # Results of JAX's CPU have such numbers, too, but for those behind a mask.
    results = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*args))]
    assert all(np.isfinite(result.astype(np.float64)).all() for result in results) == (name == "log")


def lossy(folder, function, *args, words=()):
    """The operation that loses most."""
    report = found(folder, function, args, *words)
    return max((each for each in report["operations"] if each["own"]), key=lambda each: each["own"]["norm"])


def test_sum_in_a_loop(tmp_path):  # jax-ml/jax#29323: a sum in bf16 that stops growing
    def function(x):
        return lax.fori_loop(0, 1000, lambda i, total: total + x[i], jnp.zeros((), x.dtype))

    report = found(tmp_path, function, [np.ones(1000, ml_dtypes.bfloat16)])
    [total] = [each for each in report["operations"] if each["operation"] == "stablehlo.add" and each["own"]]
    assert line_of(test_sum_in_a_loop, "total + x[i]") in total["source"]
    # Up to 256 nothing is lost, and all of the rest is: the totals are 256 and 1000.
    assert total["steps"][255] == 0 and total["steps"][256] > 0
    assert total["steps"][-1] == pytest.approx(744 / 1000)
    assert total["advice"] == "f32 instead of bf16"


def test_sum_of_many_terms(tmp_path):
    """10^5 terms in bf16, each partial sum of which is rounded."""

    def function(x):
        return lax.scan(lambda total, xs: (total + jnp.sum(xs), None), jnp.zeros((), x.dtype), x)[0]

    worst = lossy(tmp_path, function, np.full((100, 1000), 0.01, ml_dtypes.bfloat16))
    assert worst["operation"] == "stablehlo.add" and worst["total"]["max_relative"] > 0.01


def test_cancellation(tmp_path):
    """The difference of large numbers, whose digits products with bf16 operands have lost."""

    def function(x, w):
        first = x @ w
        second = x @ (w + 0.001)
        return first - second

    x, w = (np.random.default_rng(seed).uniform(1, 2, (16, 16)).astype(np.float32) for seed in (1, 2))
    report = found(tmp_path, function, [x, w])
    line = line_of(test_cancellation, "first - second")
    [difference] = [each for each in report["operations"] if line in each["source"]]
    assert difference["total"]["norm"] > 0.1 and difference["own"] is None
    report = found(tmp_path, function, [x, w], "--precision", "highest")
    assert max(each["total"]["norm"] for each in report["operations"]) < 1e-2


def test_gradients_that_are_flushed(tmp_path):
    """Gradients in f16 without a scale of the loss: below the smallest number."""

    def function(w, x):
        def loss(w):
            return jnp.mean((x @ w).astype(jnp.float32) ** 2) * 1e-9

        return jax.grad(loss)(w)

    worst = lossy(tmp_path, function, np.full((8, 4), 0.1, np.float16), np.ones((2, 8), np.float16))
    assert worst["type"].endswith("f16>") and worst["own"]["flushed"] > 0


def test_step_of_the_first_nan(tmp_path):
    """The iteration is the first one at which the loss of JAX's CPU is not a number."""
    function, args, *_ = FAULTS["divergence"]
    first = found(tmp_path, function, args, "--first-nan")["first"]
    _, values = jax.jit(function)(*args)
    assert abs(first["execution"] - int(np.argmax(np.isnan(values)))) <= 1


def off_by_one(table, steps):  # jax-ml/jax#3774, #11277: indices that clamp
    def step(total, i):
        return total + table[i + 1], i

    return lax.scan(step, jnp.zeros(table.shape[1]), steps)


def slice_beyond(x, start):
    return lax.dynamic_slice(x, (start, 0), (3, 2))


def dropped_update(x, index):
    return x.at[index].add(1.0)


def clipped(x, index):
    return jnp.take(x, index, axis=1, mode="clip")


INDICES = {
    "loop": (off_by_one, [np.ones((5, 3), np.float32), np.arange(5)], "table[i + 1]", 4, (5, 0, 4)),
    "slice": (slice_beyond, [np.ones((5, 3), np.float32), np.int32(3)], "lax.dynamic_slice", 0, (3, 0, 2)),
    "scatter": (dropped_update, [np.ones(8, np.float32), np.array([1, 9, 2])], "x.at[index]", 0, (9, 0, 7)),
    "clip": (clipped, [np.ones((2, 6), np.float32), np.array([0, -1, 7])], "jnp.take(x, index", 0, (-1, 0, 5)),
}


@pytest.mark.parametrize("name", INDICES)
def test_index_out_of_bounds(tmp_path, name):
    function, args, text, execution, (index, least, most) = INDICES[name]
    args = [arg.astype(np.int32) if arg.dtype == np.int64 else arg for arg in args]
    first = found(tmp_path, function, args, "--first-out-of-bounds")["first"]
    assert line_of(function, text) in first["user_source"], first
    assert (first["execution"], first["index"], first["least"], first["most"]) == (execution, index, least, most)


def test_indices_within_bounds(tmp_path):
    table = np.ones((6, 3), np.float32)
    assert found(tmp_path, off_by_one, [table, np.arange(5, dtype=np.int32)], "--first-out-of-bounds")["first"] is None


HEAD = """.program faulty
.region x hbm 8
.region y hbm 8
.region tile vmem 8
.region other vmem 8
.descriptor load hbm to vmem chunk 1024
.descriptor short hbm to vmem chunk 896
.descriptor store vmem to hbm chunk 1024
.argument x f32[8, 128] in x
.result y f32[8, 128] in y
routine main {
  kernel compute source "compute.py:3:1" kind loop {
"""
TAIL = """
  }
  halt
}
"""
LOAD = "dma.start dst=0, src=0, dstRegion=tile, srcRegion=x, descriptor=load, flag=0\n"
COMPUTE = "v0 = vld.b32 0, region=tile delay 3\nv0 = v.fadd v0, 1.0 delay 1\nvst.b32 v0, 0, region=tile delay 1\n"
STORE = "dma.start dst=0, src=0, dstRegion=y, srcRegion=tile, descriptor=store, flag=0\nwait 1, flag=0"
RIGHT = LOAD + "wait 1, flag=0\n" + COMPUTE + STORE


def session(folder, code, *commands):
    """The debugger's output for a program of the machine."""
    program, arguments = folder / "faulty.sysasm", folder / "args.npz"
    program.write_text(HEAD + code + TAIL)
    save_args(arguments, [np.arange(1024, dtype=np.float32).reshape(8, 128)])
    words = [word for command in commands for word in ("-e", command)]
    done = systole("debug", program, "--args", arguments, "--batch", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_without_a_fault(tmp_path):
    text = session(tmp_path, RIGHT, "continue", "print out0[7, 125:]")
    assert "[1022. 1023. 1024.]" in text


def test_race_with_a_copy(tmp_path):
    """Without a wait the load comes while the copy flies: the run stops before it."""
    text = session(tmp_path, LOAD + COMPUTE + STORE, "continue", "info copies", "where")
    assert "trap:" in text and "vld.b32" in text
    assert "HBM:0 to VMEM:0, 1024 words, flag 0" in text


def test_uninitialized_rows(tmp_path):
    """A copy of seven of eight rows: nothing has written the last one where it is read."""
    code = RIGHT.replace("descriptor=load", "descriptor=short")
    text = session(tmp_path, code, "awatch vmem:896+128", "continue", "last vmem:896+128")
    assert "read by bundle 2" in text and "nothing has written it before this place" in text


def test_overwritten_before_it_is_read(tmp_path):
    """The argument's buffer is written, as one that is donated too early, before the kernel reads it."""
    early = "dma.start dst=0, src=0, dstRegion=x, srcRegion=other, descriptor=store, flag=0\nwait 1, flag=0\n"
    text = session(tmp_path, early + RIGHT, "watch arg0", "continue", "print arg0[1, :3]", "reverse-continue")
    assert "written by bundle 0" in text and "[0. 0. 0.]" in text and "the start of the program" in text


def test_wrong_tile(tmp_path):
    """The result is stored from a tile that nothing has computed."""
    code = RIGHT.replace("srcRegion=tile, descriptor=store", "srcRegion=other, descriptor=store")
    text = session(tmp_path, code, "goto 1000000", "last out0[0, 5]", "disassemble 1", "last vmem:1029")
    assert "written by bundle 5" in text and "nothing has written it before this place" in text


def test_deadlock(tmp_path):
    """A wait for a flag that nothing raises."""
    text = session(tmp_path, RIGHT.replace("wait 1, flag=0", "wait 1, flag=3", 1), "continue", "info copies")
    assert "deadlock: sync flag 3" in text and "1024 words, flag 0" in text
