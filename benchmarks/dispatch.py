"""The cost of calling programs: start, eager operations, compiling, many arguments; Systole and XLA's CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: dispatch.py [--plugin build/lib/libsystole_pjrt.so]

Each figure is measured on both platforms, in processes of their own that alternate. "Emulated"
is the time of the same program inside of the plugin, from arguments to results; the rest of a
call is dispatch: JAX's and the plugin's. The steps have 600 arguments of 100 MB in all. One
sums eight elements of each, the other updates half of them by the others. Resident memory is that
of the process behind their calls.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

JITS = 200
CALLS = 10_000
STEPS, ARGUMENTS, MEGABYTES = 1000, 600, 100


def quantiles(seconds):
    ordered = sorted(seconds)
    return {"median": statistics.median(ordered), "p99": ordered[int(len(ordered) * 0.99)]}


def timed(call, times):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return quantiles(seconds)


def small_functions():
    """Functions of the size of eager code: a few operations on small arrays, all different."""
    import jax.numpy as jnp
    from jax import lax

    bodies = [
        lambda x, c: x * c + 1,
        lambda x, c: jnp.tanh(x) @ x.T + c,
        lambda x, c: jnp.where(x > c, x, 0).sum(0),
        lambda x, c: jnp.concatenate([x[1:], x[:1] * c]),
        lambda x, c: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + c),
        lambda x, c: lax.fori_loop(0, 5, lambda i, v: v + c, x),
        lambda x, c: jnp.argmax(x, 1) + int(c),
        lambda x, c: jnp.exp(x - jnp.max(x)).astype(jnp.bfloat16) * c,
    ]
    for index in range(JITS):
        body = bodies[index % len(bodies)]
        shape = (3 + index // len(bodies), 40 + index)
        yield lambda x, body=body, index=index: body(x, float(index)), jnp.ones(shape)


def resident():
    """Bytes of this process's memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_steps():
    """Prints figures of steps with many arguments, as JSON: one reads little of them, one donates half of them."""
    import jax
    import jax.numpy as jnp

    size = MEGABYTES * 1_000_000 // ARGUMENTS // 4
    arrays = [jnp.full(size, float(i)) for i in range(ARGUMENTS)]
    read = jax.jit(lambda arrays: sum(x[:8].sum() for x in arrays))
    update = jax.jit(lambda some, others: [x - 0.1 * y for x, y in zip(some, others, strict=True)], donate_argnums=0)
    read(arrays).block_until_ready()
    result = {"reading step": timed(lambda: read(arrays).block_until_ready(), STEPS)}
    some, others = arrays[::2], arrays[1::2]
    del arrays

    def step():
        nonlocal some
        some = jax.block_until_ready(update(some, others))

    step()
    result["updating step"] = timed(step, STEPS // 10)
    print(json.dumps({**result, "resident": resident()}))


def measure():
    """The figures of this process's first platform, as JSON."""
    import jax
    import jax.numpy as jnp

    x = y = jnp.ones(8)
    add = jax.jit(lambda a, b: a + b)
    for _ in range(100):
        (x + add(x, y)).block_until_ready()
    result = {
        "jitted add": timed(lambda: add(x, y).block_until_ready(), CALLS),
        "eager add": timed(lambda: (x + y).block_until_ready(), CALLS),
    }
    result["small resident"] = resident()
    compiling = []
    for function, argument in small_functions():
        lowered = jax.jit(function).lower(argument)
        start = time.perf_counter()
        lowered.compile()
        compiling.append(time.perf_counter() - start)
    result["compile"] = quantiles(compiling)
    print(json.dumps(result))


FIRST = "import jax.numpy as jnp; (jnp.ones(8) + 1).block_until_ready()"


def environment(platform, plugin, **more):
    names = {"JAX_PLATFORMS": platform, "SYSTOLE_CACHE": "", **more}
    if platform == "tpu":
        names["TPU_LIBRARY_PATH"] = str(plugin)
    return {**os.environ, **names}


def run(arguments, platform, plugin, **more):
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, *arguments],
        env=environment(platform, plugin, **more),
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, result.stdout


def emulated(plugin):
    """Host seconds of runs of `jit(a + b)` inside of the plugin, as its report has them."""
    code = (
        "import jax, jax.numpy as jnp; f = jax.jit(lambda a, b: a + b); x = jnp.ones(8)\n"
        "for _ in range(500): f(x, x).block_until_ready()"
    )
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.jsonl"
        run(["-c", code], "tpu", plugin, SYSTOLE_REPORT=str(report))
        lines = [json.loads(line) for line in report.read_text().splitlines()]
    return quantiles(
        line["emulate_seconds"] for line in lines if line["event"] == "run" and line["program"] == "jit__lambda"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", type=pathlib.Path, default="build/lib/libsystole_pjrt.so")
    parser.add_argument("--measure", choices=["small", "steps"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        return measure() if arguments.measure == "small" else measure_steps()
    plugin = arguments.plugin.resolve()

    starts = {"tpu": [], "cpu": []}
    imports = []
    with tempfile.TemporaryDirectory() as cache:
        run(["-c", FIRST], "tpu", plugin, SYSTOLE_CACHE=cache)
        cached = [run(["-c", FIRST], "tpu", plugin, SYSTOLE_CACHE=cache)[0] for _ in range(5)]
    for _ in range(5):
        imports.append(run(["-c", "import jax.numpy"], "cpu", plugin)[0])
        for platform, seconds in starts.items():
            seconds.append(run(["-c", FIRST], platform, plugin)[0])
    figures = {
        platform: {
            name: value
            for part in ("small", "steps")
            for name, value in json.loads(run([__file__, "--measure", part], platform, plugin)[1]).items()
        }
        for platform in ("tpu", "cpu")
    }
    inside = emulated(plugin)

    def row(name, systole, cpu, unit, scale):
        cells = [f"{scale * value:.1f} {unit}" if value is not None else "" for value in (systole, cpu)]
        print(f"{name:<46}{cells[0]:>14}{cells[1]:>14}")

    print(f"{'':<46}{'Systole':>14}{'XLA on CPU':>14}")
    row("start to first result of jnp.ones(8) + 1", min(starts["tpu"]), min(starts["cpu"]), "s ", 1)
    row("  programs from disk", min(cached), None, "s ", 1)
    row("  of which importing JAX", min(imports), min(imports), "s ", 1)
    for name in ("jitted add", "eager add"):
        for quantile in ("median", "p99"):
            row(f"{name}, {quantile}", *(figures[p][name][quantile] for p in ("tpu", "cpu")), "us", 1e6)
    row("  emulated, median", inside["median"], None, "us", 1e6)
    row("resident behind these", *(figures[p]["small resident"] for p in ("tpu", "cpu")), "MB", 1e-6)
    for name in ("reading step", "updating step"):
        for quantile in ("median", "p99"):
            row(f"{name}, {quantile}", *(figures[p][name][quantile] for p in ("tpu", "cpu")), "us", 1e6)
    row("resident behind the steps", *(figures[p]["resident"] for p in ("tpu", "cpu")), "MB", 1e-6)
    for quantile in ("median", "p99"):
        row(
            f"compile, {JITS} small jits, {quantile}",
            *(figures[p]["compile"][quantile] for p in ("tpu", "cpu")),
            "ms",
            1e3,
        )


if __name__ == "__main__":
    main()
