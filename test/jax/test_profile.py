"""jax.profiler on the emulated devices, read by JAX's own reader of profiles.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import threading

import jax
import jax.numpy as jnp
import pytest


@jax.jit
def train_step(weights, images, labels):
    def loss(weights):
        hidden = jax.nn.relu(images @ weights["hidden"])
        scores = jax.nn.log_softmax(hidden @ weights["scores"])
        return -jnp.mean(jnp.sum(labels * scores, axis=1))

    value, slopes = jax.value_and_grad(loss)(weights)
    return value, jax.tree.map(lambda w, slope: w - 0.02 * slope, weights, slopes)


def arguments(device):
    weights = {"hidden": jnp.ones((30, 140)), "scores": jnp.ones((140, 10))}
    return jax.device_put((weights, jnp.ones((16, 30)), jnp.ones((16, 10))), device)


def planes_of(folder):
    (file,) = folder.rglob("*.xplane.pb")
    data = jax.profiler.ProfileData.from_file(str(file))
    return {
        plane.name: {line.name: list(line.events) for line in plane.lines}
        for plane in data.planes
        if plane.name.startswith("/device:TPU:")
    }


def test_the_profile_of_training_steps(tmp_path, device):
    weights, images, labels = arguments(device)
    compiled = train_step.lower(weights, images, labels).compile()
    expected = compiled.cost_analysis()
    reference = jax.block_until_ready(compiled(weights, images, labels))
    with jax.profiler.trace(tmp_path):
        for _ in range(3):
            result = jax.block_until_ready(compiled(weights, images, labels))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), result, reference))

    planes = planes_of(tmp_path)
    assert list(planes) == ["/device:TPU:0"]
    lines = planes["/device:TPU:0"]
    assert {"Steps", "XLA Modules", "XLA Ops", "Waits", "_counters_", "Copies 0"} <= set(lines)
    modules = lines["XLA Modules"]
    assert [event.name for event in modules] == ["jit_train_step(1)"] * 3
    # As predicted without a run, and one after the other whatever emulation took.
    for event in modules:
        assert event.duration_ns == pytest.approx(expected["optimal_seconds"] * 1e9, abs=2)
    for before, after in zip(modules, modules[1:]):
        assert after.start_ns == pytest.approx(before.end_ns, abs=2)
    # All kernels lie in their runs, do not overlap, and each run has the same ones.
    ops = lines["XLA Ops"]
    for before, after in zip(ops, ops[1:]):
        assert before.end_ns <= after.start_ns + 1
    runs = [[op.name for op in ops if module.start_ns - 1 <= op.start_ns < module.end_ns - 1] for module in modules]
    assert sum(map(len, runs)) == len(ops) and len(runs[0]) >= 4
    assert runs[0] == runs[1] == runs[2]
    # Each copy is of a kernel; each kernel has its counters.
    assert {event.name.removeprefix("copy for ") for event in lines["Copies 0"]} <= set(runs[0])
    counters = {event.name for event in lines["_counters_"]}
    assert counters == {"HBM bandwidth", "MXU utilization", "HBM in use"}
    shares = [value for event in lines["_counters_"] if event.name == "MXU utilization" for _, value in event.stats]
    assert len(shares) == len(ops) + 3 and 0 < max(shares) <= 100


def test_each_device_has_a_plane_and_sessions_are_apart(tmp_path):
    devices = jax.devices("tpu")
    inputs = {place: arguments(devices[place]) for place in (2, 5)}
    for place, folder in ((2, tmp_path / "a"), (5, tmp_path / "b")):
        with jax.profiler.trace(folder):
            jax.block_until_ready(train_step(*inputs[place]))
        planes = planes_of(folder)
        assert list(planes) == [f"/device:TPU:{place}"]
        assert len(planes[f"/device:TPU:{place}"]["XLA Modules"]) == 1


def test_runs_that_were_called_before_the_session_are_not_in_it(tmp_path, device):
    entered, released = threading.Event(), threading.Event()

    def wait(x):
        entered.set()
        released.wait()
        return x

    @jax.jit
    def early(x):
        return x + 1

    @jax.jit
    def late(x):
        return x * 2

    x = jax.device_put(jnp.ones(8), device)
    jax.block_until_ready((early(x), late(x)))
    held = jax.jit(lambda x: jax.pure_callback(wait, x, x))(x)
    entered.wait()
    before = early(x)  # behind the one that waits
    with jax.profiler.trace(tmp_path):
        within = late(x)
        released.set()
        jax.block_until_ready((held, before, within))
    modules = planes_of(tmp_path)["/device:TPU:0"]["XLA Modules"]
    assert [event.name.partition("(")[0] for event in modules] == ["jit_late"]
