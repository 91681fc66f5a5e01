#!/usr/bin/env python3
"""Public functions of JAX by element type: which agree with JAX on the CPU, which are refused and why.

    python benchmarks/jax_sweep.py [--plugin build/lib/libsystole_pjrt.so] [--docs docs/jax.md]
                                   [--types f32 i32] [NAME...]

Names are those of modules (jnp, jnp.linalg, lax) or of functions (jnp.sort). Each function runs with
arrays of several shapes (benchmarks/sweep/table.py) jitted on both devices of one process, with
jax_enable_x64 if the type has 64 bits (c128: parts of 64); functions that cannot be jitted run
eagerly. A function that JAX on the CPU does not accept with a type is left out. Exits with 1 if a
result is wrong or a process dies.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import inspect
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[1]
SECONDS = 180  # for one function of one type


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--plugin", default=str(ROOT / "build/lib/libsystole_pjrt.so"))
    parser.add_argument("--types", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument(
        "--json",
        type=pathlib.Path,
        help="where results are written to as they come, a line each; those that are "
        "there already are not computed again",
    )
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def sweep_of(call, name, dtype):
    """`outcome_of` with jax_enable_x64 where the type needs it."""
    import jax
    from sweep import arguments

    with jax.enable_x64(dtype in arguments.WIDE):
        return outcome_of(call, name, dtype)


def outcome_of(call, name, dtype):
    """One function of one type: "pass", "refused" or "WRONG" and why; None if JAX does not accept
    it."""
    import jax
    import numpy as np
    from sweep import arguments, compare, rounding

    cpu, systole = jax.devices("cpu")[0], jax.devices("tpu")[0]

    own = arguments.DTYPES[dtype]

    def function(*args, element=own):
        return call.function(element, *args) if call.takes_dtype else call.function(*args)

    with jax.default_device(cpu):
        cases, jitted = [], True
        for number, case in enumerate(call.cases):
            args = arguments.arguments(name, dtype, case, number)
            try:
                jax.eval_shape(function, *args)
            except jax.errors.ConcretizationTypeError:
                jitted = False
            except Exception:  # any kind of refusal
                continue
            cases.append(args)

    def run_on(device, cases, element=own):
        def all_cases(cases):
            return [function(*args, element=element) for args in cases]

        with jax.default_device(device):
            results = (jax.jit(all_cases) if jitted else all_cases)(jax.device_put(cases, device))
        leaves = [leaf for leaf in jax.tree.leaves(results) if hasattr(leaf, "dtype")]
        return [np.asarray(jax.random.key_data(leaf) if jax.dtypes.issubdtype(
            leaf.dtype, jax.dtypes.prng_key) else leaf) for leaf in leaves]  # fmt: skip

    rng = np.random.default_rng(2)

    def otherwise(cases):
        """With other roundings: in float64, or with an error of each operation."""
        if dtype in arguments.WIDE or dtype == "c64":
            with jax.default_device(cpu):
                leaves = rounding.with_errors(lambda cases: [function(*args) for args in cases], [cases], rng)
            return [np.asarray(leaf) for leaf in leaves]
        with jax.enable_x64(True):
            wide = jax.tree.map(lambda leaf: compare.widened(leaf) if compare.is_float(leaf) else leaf, cases)
            return run_on(cpu, wide, np.float64 if compare.is_float(np.zeros(0, own)) else own)

    def by_itself(cases, number, place):
        """An element of a result, from the elements at the same index in arguments of its shape:
        each operation is rounded to the function's type. Operations that XLA fuses on the CPU are
        computed in f32."""
        (args,) = cases
        with jax.default_device(cpu), jax.disable_jit():
            return np.asarray(jax.tree.leaves(function(*(leaf[place] for leaf in args)))[number])

    def check(cases):
        try:
            expected = run_on(cpu, cases)
        except Exception:  # a limit of JAX itself
            return None
        if not expected:
            return None
        try:
            actual = run_on(systole, cases)
        except (jax.errors.JaxRuntimeError, NotImplementedError) as error:
            return "refused", str(error)
        wrong = compare.disagreement(
            actual, expected,
            lambda: compare.noise(lambda args: run_on(cpu, args), otherwise, cases, expected),
            lambda number, place: by_itself(cases, number, place))  # fmt: skip
        return ("WRONG", wrong) if wrong else ("pass", "")

    if not cases:
        return None
    outcome = check(cases)
    if outcome is None or outcome[0] != "pass":
        # One by one, to name the failing cases: the worst outcome of all that JAX accepts, and
        # whether some pass.
        outcomes = [o and (o[0], f"{[a.shape for a in c]}: {o[1]}")
                    for c in cases for o in [check([c])]]  # fmt: skip
        outcomes = [o for o in outcomes if o]
        for status in ("WRONG", "refused", "pass"):
            of_status = [o for o in outcomes if o[0] == status]
            if of_status:
                return of_status[0]
        return None
    return outcome


def calls():
    """Name -> Call of every public function that computes arrays."""
    sys.path.insert(0, str(HERE.parent))
    from sweep import arguments, table

    found = {}
    for prefix, (module, named) in table.MODULES.items():
        for name in dir(module):
            value = getattr(module, name)
            hidden = name.startswith("_") or name in table.NOT_OF_ARRAYS[prefix].split()
            if hidden or not callable(value) or inspect.isclass(value):
                continue
            if name in named:
                found[f"{prefix}.{name}"] = named[name]
                continue
            arity = getattr(value, "nin", 0) or sum(
                p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
                for p in inspect.signature(value).parameters.values())  # fmt: skip
            found[f"{prefix}.{name}"] = arguments.call(value, *table.GENERIC.get(arity, ()))
    return found


def work():
    """Sweeps the functions and types that standard input lists, one a line; answers in JSON, a line
    each."""
    known = calls()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of the functions themselves is discarded
    for line in sys.stdin:
        name, dtype = line.split()
        outcome = sweep_of(known[name], name, dtype) or ("none", "")
        print(json.dumps(outcome), file=answers, flush=True)


def worker(plugin):
    environment = dict(
        os.environ, TPU_LIBRARY_PATH=plugin, TPU_SKIP_MDS_QUERY="1", JAX_PLATFORMS="tpu,cpu",
        SYSTOLE_PRECISION="highest", SYSTOLE_CACHE="", PYTHONWARNINGS="ignore")  # fmt: skip
    return subprocess.Popen(
        [sys.executable, HERE, "--work"], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip


def sweep_all(tasks, plugin, jobs, report):
    """Calls `report` with the outcome of every task; a process that dies is one, too."""
    waiting = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def feed():
        process = None
        while not waiting.empty():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                break
            process = process or worker(plugin)
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            process.stdin.write(" ".join(task) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            timer.cancel()
            if answer:
                report(*task, *json.loads(answer))
                continue
            code = process.wait()
            report(*task, "DIED", f"no answer in {SECONDS} s" if code == -9 else f"exit code {code}")
            process = None
        if process:
            process.stdin.close()
            process.wait()

    threads = [threading.Thread(target=feed) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    opts = options()
    if opts.work:
        return work()
    known = calls()
    from sweep import arguments, pages

    tasks = [(name, dtype) for dtype in arguments.DTYPES for name, call in known.items()
             if dtype in call.dtypes
             and (not opts.names or name in opts.names or pages.module_of(name) in opts.names)
             and (not opts.types or dtype in opts.types)]  # fmt: skip
    lock, results = threading.Lock(), {}
    if opts.json and opts.json.exists():
        for line in opts.json.read_text().splitlines():
            name, dtype, *outcome = json.loads(line)
            results[name, dtype] = tuple(outcome)
    tasks = [task for task in tasks if task not in results]
    results = {task: outcome for task, outcome in results.items() if outcome[0] != "none"}
    log = opts.json.open("a") if opts.json else None

    def report(name, dtype, status, reason):
        with lock:
            if log:
                print(json.dumps([name, dtype, status, reason]), file=log, flush=True)
            if status == "none":
                return
            results[name, dtype] = status, reason
            if status in ("WRONG", "DIED"):
                print(f"{name} {dtype}: {status} {reason}", flush=True)

    sweep_all(tasks, opts.plugin, opts.jobs, report)
    print(pages.summary(results))
    if opts.docs:
        opts.docs.write_text(pages.page(results, opts.docs.read_text()))
    return int(any(status in ("WRONG", "DIED") for status, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())
