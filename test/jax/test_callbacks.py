"""Callbacks to the host: values, order, counts and errors as JAX has them on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import io
import threading

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import checkify, io_callback
from process import run
from recorder import assert_same, noted, recorded

TYPES = [
    np.bool_,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.float32,
    np.float16,
    ml_dtypes.bfloat16,
]
SHAPES = [(), (1,), (0,), (7,), (129,), (127, 3), (1000, 3), (2, 5, 130)]


def array(shape, dtype):
    count = int(np.prod(shape))
    return (np.arange(count) % 5 - (1 if np.dtype(dtype).kind not in "ub" else 0)).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: np.dtype(t).name)
def test_arrays_of_every_type_go_both_ways(dtype):
    seen = []

    def host(*arrays):
        seen.append([np.array(a) for a in arrays])
        return tuple(a[::-1].copy() if a.ndim else a for a in seen[-1])

    inputs = [array(shape, dtype) for shape in SHAPES]
    shapes = tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in inputs)
    outputs = jax.block_until_ready(jax.jit(lambda *a: jax.pure_callback(host, shapes, *a))(*inputs))
    for i, (given, found, out) in enumerate(zip(inputs, seen[0], outputs)):
        assert found.dtype == given.dtype and out.dtype == given.dtype, SHAPES[i]
        np.testing.assert_array_equal(found, given, err_msg=str(SHAPES[i]))
        np.testing.assert_array_equal(np.asarray(out), given[::-1] if given.ndim else given)
    assert len(seen) == 1


def test_order_in_loops_and_branches(on_cpu):
    def build(note):
        def f(x, n):
            noted(note, x)

            def body(i, x):
                noted(note, i, x)

                def odd(x):
                    noted(note, -i)
                    return x * 2

                return jax.lax.cond(i % 2 == 1, odd, lambda x: x + 1, x)

            x = jax.lax.fori_loop(0, n, body, x)
            noted(note, x.sum())
            return x

        return f

    assert_same(recorded(build, jnp.arange(3.0), 5, on_cpu=on_cpu))


@pytest.mark.parametrize("trips", [0, 1, 7])
def test_once_per_iteration_of_while_and_scan(on_cpu, trips):
    def build(note):
        def f(n):
            def body(carry):
                i, x = carry
                noted(note, x, i)
                return i + 1, x * 2 + i

            _, x = jax.lax.while_loop(lambda c: c[0] < n, body, (0, jnp.int32(1)))
            noted(note, jnp.int32(-1))

            def step(c, y):
                noted(note, c, y)
                return c + y, c * y

            return jax.lax.scan(step, x, jnp.arange(3))

        return f

    assert_same(recorded(build, trips, on_cpu=on_cpu))


def test_returned_values_decide_control(on_cpu):
    """A loop that ends on a value from the host, with state that the host changes."""

    def run(call):
        left = iter(range(5, -1, -1))

        def step(_):
            return np.int32(next(left))

        def f(x):
            def body(c):
                left, x = c
                left = io_callback(step, jax.ShapeDtypeStruct((), jnp.int32), x, ordered=True)
                return left, jnp.where(left > 2, x + left, x * 2)

            return jax.lax.while_loop(lambda c: c[0] > 0, body, (jnp.int32(9), x))

        return call(jax.jit(f), jnp.float32(1))

    found, expected = run(lambda f, *a: f(*a)), run(on_cpu)
    jax.tree.map(np.testing.assert_array_equal, jax.device_get(found), expected)


def test_unordered_effects_are_neither_dropped_nor_repeated(on_cpu):
    def build(note):
        def f(x):
            for _ in range(3):  # equal calls
                jax.debug.callback(lambda v: note(v), x)
            jax.debug.callback(lambda v: note(v), x + 1)
            return x * 2

        return f

    assert_same(recorded(build, jnp.float32(3), on_cpu=on_cpu), ordered=False)


def test_a_callback_whose_result_is_not_used_still_runs():
    calls = []

    def host(x):
        calls.append(np.asarray(x).tolist())
        return x

    shape = jax.ShapeDtypeStruct((2,), jnp.float32)
    f = jax.jit(lambda x: (io_callback(host, shape, x), x)[1])
    f(jnp.zeros(2)).block_until_ready()
    jax.effects_barrier()
    assert calls == [[0, 0]]


def test_callbacks_without_arguments_or_results():
    calls = []
    f = jax.jit(lambda: (io_callback(lambda: calls.append(0), None, ordered=True), jnp.int32(3))[1])
    assert f() == 3 and f() == 3
    jax.effects_barrier()
    assert calls == [0, 0]


def test_debug_print_prints_as_on_the_cpu(capfd, on_cpu):
    def f(x):
        jax.debug.print("x {x} of {n:>4}", x=x, n=x.shape[0], ordered=True)
        jax.debug.print("mean {:.3f}", x.mean(), ordered=True)
        return jax.vmap(lambda v: (jax.debug.print("v={v}", v=v), v)[1])(x)

    x = jnp.array([1.5, -2.0, 7.0])
    texts = []
    for call in (lambda f, *a: f(*a), on_cpu):
        capfd.readouterr()
        call(jax.jit(f), x)
        jax.effects_barrier()
        texts.append(capfd.readouterr().out.splitlines())
    assert len(texts[1]) == 5 and sorted(texts[0]) == sorted(texts[1])
    for lines in texts:  # of those without an order nothing is known
        assert [line.split()[0] for line in lines if line[0] in "xm"] == ["x", "mean"]


@pytest.mark.parametrize("method", ["sequential", "expand_dims", "broadcast_all"])
def test_vmap(on_cpu, method):
    def f(x, y):
        shape = jax.ShapeDtypeStruct(jnp.broadcast_shapes(x.shape, y.shape), x.dtype)
        return jax.pure_callback(lambda a, b: np.asarray(a) * 2 + np.asarray(b), shape, x, y, vmap_method=method)

    x, y = jnp.arange(12.0).reshape(4, 3), jnp.arange(3.0)
    mapped = jax.jit(jax.vmap(f, in_axes=(0, None)))
    np.testing.assert_array_equal(mapped(x, y), on_cpu(mapped, x, y))


def test_gradient_through_a_callback(on_cpu):
    @jax.custom_jvp
    def sin(x):
        return jax.pure_callback(lambda v: np.sin(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    @sin.defjvp
    def sin_jvp(primals, tangents):
        (x,), (t,) = primals, tangents
        cos = jax.pure_callback(lambda v: np.cos(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x)
        return sin(x), cos * t

    f = jax.jit(jax.grad(lambda x: (sin(x) ** 2).sum()))
    x = jnp.linspace(-2, 2, 9)
    np.testing.assert_allclose(f(x), on_cpu(f, x), rtol=1e-6)


def test_bits_pass_unchanged_and_the_hosts_arithmetic_is_its_own():
    """The device flushes denormals in arithmetic, not in copies; the host's functions do not."""
    half = []

    def host(x):
        half.append(np.float32(1e-38) / np.float32(4))
        return x

    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((4,), jnp.float32), x))
    bits = np.array([0x7FC01234, 0x7F800000, 0x80000000, 0x00000123], np.uint32)
    out = np.asarray(f(bits.view(np.float32)))
    assert half[0] > 0
    np.testing.assert_array_equal(out.view(np.uint32), bits)


def outcome(call, f, *args):
    with pytest.raises(Exception) as caught:
        jax.block_until_ready(call(f, *args))
        jax.effects_barrier()
    return caught.value


def test_errors_reach_who_waits_and_the_device_goes_on(on_cpu):
    def host(x):
        raise ValueError("the host says no")

    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((3,), jnp.float32), x) + 1)
    x = jnp.arange(3.0)
    found, expected = outcome(lambda f, *a: f(*a), f, x), outcome(on_cpu, f, x)
    assert type(found) is type(expected)
    # The CPU's text begins with the code, too, and ends with the traceback's last line.
    for text in (str(found), str(expected)):
        assert text.startswith("INTERNAL: ") and "ValueError: the host says no" in text
    np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(x), [1, 2, 3])
    good = jax.jit(lambda x: jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((3,), jnp.float32), x))
    np.testing.assert_array_equal(good(x), x)


def test_an_error_ends_the_program():
    calls = []

    def host(i):
        calls.append(int(i))
        if i == 2:
            raise RuntimeError("enough")

    def f(n):
        return jax.lax.fori_loop(0, n, lambda i, c: (io_callback(host, None, i, ordered=True), c + 1)[1], 0)

    def run_and_wait():
        with pytest.raises(Exception, match="enough"):
            jax.block_until_ready(jax.jit(f)(6))
            jax.effects_barrier()
        passed.append(True)

    # Ordered effects of a thread come one after the other: after an error there are no more.
    passed = []
    thread = threading.Thread(target=run_and_wait)
    thread.start()
    thread.join(60)
    assert passed
    assert calls == [0, 1, 2]


def test_wrong_shapes_from_the_host_are_refused():
    f = jax.jit(
        lambda x: jax.pure_callback(lambda v: np.zeros(4, np.float32), jax.ShapeDtypeStruct((3,), jnp.float32), x)
    )
    with pytest.raises(Exception, match="Expected: \\(3,\\), Actual: \\(4,\\)"):
        jax.block_until_ready(f(jnp.zeros(3)))


def test_checkify(on_cpu):
    def f(x, i):
        checkify.check(x.sum() > 0, "sum {s} is not positive", s=x.sum())
        return jnp.log(x)[i]

    checked = jax.jit(checkify.checkify(f, errors=checkify.user_checks | checkify.index_checks))
    for x, i in ((jnp.ones(3), 1), (-jnp.ones(3), 0), (jnp.ones(3), 5)):
        found, expected = checked(x, i)[0], on_cpu(lambda x, i: checked(x, i)[0], x, i)
        assert found.get() == expected.get()


def test_computing_inside_a_callback(device):
    """A callback may use the device that waits for it, also for programs with callbacks."""
    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    inner = jax.jit(lambda x: jax.pure_callback(lambda v: v + np.float32(1), scalar, x) * 2)

    def host(x):
        y = jax.device_put(np.float32(x), device)
        return np.asarray(inner(y) + jnp.sin(y))

    f = jax.jit(lambda x: jax.pure_callback(host, scalar, x) + 1)
    for n in range(3):  # the second time both are known to be short
        found = f(jax.device_put(np.float32(n), device))
        np.testing.assert_allclose(found, (n + 1) * 2 + np.sin(n) + 1, rtol=1e-6)


def test_threads_and_devices():
    """Callbacks of programs on eight devices, called by sixteen threads, meet each other."""
    met = threading.Barrier(8, timeout=60)

    def host(x, rounds):
        for _ in range(2):
            met.wait()
        return np.asarray(x) + rounds

    f = jax.jit(lambda x, n: jax.pure_callback(host, jax.ShapeDtypeStruct((5,), jnp.float32), x, n))
    g = jax.jit(lambda x: (jax.debug.callback(lambda v: None, x), x + 1)[1])
    results = [None] * 16

    def work(i):
        device = jax.devices("tpu")[i % 8]
        if i < 8:
            results[i] = [
                np.asarray(f(jax.device_put(np.full(5, i, np.float32), device), jax.device_put(np.float32(n), device)))
                for n in range(3)
            ]
        else:
            for n in range(20):
                results[i] = np.asarray(g(jax.device_put(np.float32(n), device)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    for i in range(8):
        np.testing.assert_array_equal(results[i], [np.full(5, i + n) for n in range(3)])
        assert results[8 + i] == 20


def test_a_caller_that_holds_a_lock_does_not_block_its_callback():
    lock = threading.Lock()

    def host(x):
        with lock:
            return x

    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((), jnp.float32), x) + 1)
    for n in range(5):
        with lock:
            result = f(jnp.float32(n))
        assert result == n + 1


def test_exit_while_a_callback_is_under_way():
    """The process waits for effects, as on the CPU."""
    done = run("""
import time, jax, jax.numpy as jnp
from jax.experimental import io_callback
def host(x):
    time.sleep(0.3)
    print("done", int(x), flush=True)
f = jax.jit(lambda x: (io_callback(host, None, x, ordered=True), x + 1)[1])
for i in range(3):
    f(jnp.int32(i))
""")
    assert done.split() == ["done", "0", "done", "1", "done", "2"]


@pytest.mark.parametrize("ordered", [False, True])
def test_breakpoints(on_cpu, ordered):
    """Of values of several types, in a loop and a branch that is not always taken."""

    def session(call):
        stdin, stdout = io.StringIO("p x\np y\nc\n" * 3), io.StringIO()

        def pause():
            jax.debug.breakpoint(stdin=stdin, stdout=stdout, backend="cli", ordered=ordered)

        def f(x):
            def body(i, x):
                y = (x > 3, i - 1)
                jax.lax.cond(i % 2 == 0, lambda x, y: pause(), lambda x, y: None, x, y)
                return x + y[1] * 2

            return jax.lax.fori_loop(0, 6, body, x)

        out = jax.device_get(call(jax.jit(f), jnp.arange(4.0)))
        jax.effects_barrier()
        return stdout.getvalue(), out.tolist()

    found = session(lambda f, *a: f(*a))
    assert found == session(on_cpu)
    assert found[0].count("Entering jdb") == 3


def test_programs_with_callbacks_are_not_mixed_up():
    """Equal programs with functions of their own: compiled code may be shared, callbacks may
    not."""
    results = []
    for n in range(3):
        f = jax.jit(
            lambda x, n=n: jax.pure_callback(lambda v: v + np.float32(n), jax.ShapeDtypeStruct((), jnp.float32), x)
        )
        results.append(float(f(jnp.float32(10))))
    assert results == [10, 11, 12]
