"""The Python package: numerics, the first NaN and the debugger of a call.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re

import numpy as np
import pytest
from python_package import shared_site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return shared_site(tmp_path_factory)


NUMERICS = """
import functools, json
import jax, jax.numpy as jnp, systole

def model(params, x, key, unused, name):
    with jax.named_scope("first"):
        h = jnp.tanh(x @ params["w"]).astype(jnp.float8_e4m3fn).astype(x.dtype)
    with jax.named_scope("second"):
        return jnp.sum(h * params["s"] + jax.random.normal(key, h.shape, h.dtype))

params = {"w": jnp.ones((16, 8), jnp.bfloat16) * 0.03, "s": jnp.bfloat16(3)}
x = jnp.linspace(-1, 1, 64, dtype=jnp.bfloat16).reshape(4, 16)
call = functools.partial(model, name="a")
found = systole.numerics(call, params, x, jax.random.key(1), jnp.zeros(3), check=1)
print(json.dumps({
    "worst": found.ranked[0].name, "type": found.ranked[0].type, "layers": list(found.by_layer),
    "lines": list(found.by_line), "trials": [trial.advice for trial in found.trials], "html": found._repr_html_()[:7],
    "repr": repr(found)[:16], "equal": found.to_dict()["results_equal"], "results": list(found.results),
}))
try:
    systole.numerics(jax.jit(model, static_argnames="name"), params, x, jax.random.key(1), 0.0, name="a")
except ValueError as error:
    print(error)
print(systole.numerics(lambda: jnp.exp(jnp.arange(3.0)), wide="f64").ranked != ())
"""


def test_numerics(site, tmp_path):
    line, static, constant = site.script(NUMERICS, tmp_path).splitlines()
    found = json.loads(line)
    assert found["worst"].startswith("convert.") and found["type"] == "tensor<4x8xf8E4M3FN>"
    assert found["layers"][0] == "jit(model)/first" and found["lines"][0].startswith("script.py:7:")
    assert found["trials"] == ["a wider type than f8E4M3FN"]
    assert (found["html"], found["repr"], found["equal"]) == ("<table>", "<systole.Numeric", True)
    assert len(found["results"]) == 1
    assert static == "static arguments are not arrays; pass them by functools.partial"
    assert constant == "True"


FIRST = """
import jax, jax.numpy as jnp, systole

def step(w, x):
    w = w - jnp.log(jnp.sum(w) - x)
    return w, w

def train(w, xs):
    return jax.lax.scan(step, w, xs)

first = systole.first_nan(train, jnp.ones(4), jnp.array([1.0, 2.0, 50.0, 1.0]))
print(first.name, first.source, first.execution, first.elements, bool(first))
print(first)
print(bool(systole.first_nan(train, jnp.full(4, 4.0), jnp.array([1.0, 1.0]))))
print(systole.first_nan(train, jnp.full(4, jnp.nan), jnp.array([1.0])).arguments)
"""


def test_first_nan(site, tmp_path):
    head, *text, none, arguments = site.script(FIRST, tmp_path).splitlines()
    # The sum of 1 - log(3), four times, is less than 2.
    assert head.startswith("log.") and head.endswith(" script.py:5:12 1 ((),) True")
    assert any("operand subtract" in line and "has -2.39" in line for line in text), text
    assert none == "False" and arguments == "('w',)"


SCRIPT = """
import functools
import jax, jax.numpy as jnp, systole

@functools.partial(jax.jit, static_argnames=("mode",), static_argnums=(1,), donate_argnums=(0,))
def step(w, length, x, mode):
    assert mode == "sgd"
    w = w - jnp.sum(jnp.zeros(length) + x)
    return jax.lax.fori_loop(0, 3, lambda i, w: jnp.sqrt(w), w)

def train(w):
    for index in range(10):
        w = step(w, 2, 0.5, mode="sgd")
    return w

def caught(run):
    try:
        with systole.debug_nans():
            run()
    except FloatingPointError as error:
        print(error, error.first.execution, error.first.reason, sep="\\n")

caught(lambda: train(jnp.float32(3)))
caught(lambda: jnp.log(jnp.float32(-2)))
with systole.debug_nans():
    print(step(jnp.float32(9), 2, 0.5, mode="sgd") > 1)
try:
    with systole.debug_nans(infinities=True):
        jax.jit(lambda x: jnp.exp(x))(jnp.float32(100))
except FloatingPointError as error:
    print(error.first.reason)
print(jnp.log(jnp.float32(-1)))  # behind it, all is as before
"""


def test_a_script_stops_at_its_first_nan(site, tmp_path):
    text = site.script(SCRIPT, tmp_path)
    # w is 2 ** (1 / 8), then (w - 1) ** (1 / 8) = 0.74, and then w - 1 is negative.
    loop, eager = text.split("the first NaN is in ")[1:]
    assert (
        loop.startswith("sqrt.")
        and "at script.py:9:" in loop
        and "fori_loop(0, 3, lambda i, w: jnp.sqrt(w), w)" in loop
    )
    assert loop.splitlines()[-2:] == ["0", "the square root of a negative number"]
    assert eager.startswith("log.0") and "at script.py:24:" in eager
    assert eager.splitlines()[-3:] == ["True", "the result is beyond the largest number of f32", "nan"]


DEBUG = """
import jax, jax.numpy as jnp, systole

def layer(x):
    return jnp.tanh(x) * 2

x = jnp.full((4, 4), 0.5)
name = systole.debug(layer, x, commands=["info values tanh"]).split()[0]
print(systole.debug(layer, x, commands=["goto 1000000", "print out0[0, :2]", f"print {name}[1, 1]"]))


def head(x):
    return jnp.tanh(x @ x)

name = systole.debug(head, x, commands=["info values tanh"]).split()[0]
print(systole.debug(head, x, commands=[f"break op {name}", f"whereis {name}", "continue", "reverse-operation", "whereis x"]))
try:
    systole.debug(layer, jnp.ones(3), commands=["print nothing"])
except RuntimeError as error:
    print(error)
"""


def test_debug(site, tmp_path):
    text = site.script(DEBUG, tmp_path)
    assert "[0.924234" in text and "0.462117" in text
    # The tangent has bundles of its own in the product's kernel.
    begin = re.search(r"breakpoint 1: bundle (\d+), kernel `dot_tanh_fusion`, at script.py:13:11", text)[1]
    assert re.search(r"in registers and VMEM of kernel `dot_tanh_fusion`, bundles \d+ to \d+\n", text)
    assert "breakpoint 1, op tanh.1\ncycle" in text and f"bundle {begin}, kernel" in text
    assert "at script.py:13:20" in text.split("breakpoint 1, op")[1]
    assert "HBM words 0 to 1023, region `arg0`, in the whole run" in text
    assert "there is no argument or result 'nothing'" in text


# The host's answers depend on the iteration and on how often it was asked.
CALLBACKS = """
import jax, jax.numpy as jnp, numpy as np, systole

calls = []

def host(i, v):
    calls.append(int(i))
    return np.float32(np.asarray(v) + len(calls))

def f(x):
    def body(i, c):
        h = jax.pure_callback(host, jax.ShapeDtypeStruct(c.shape, c.dtype), i, c)
        jax.debug.breakpoint()
        return h * 2
    x = jax.lax.fori_loop(0, 3, body, x)
    jax.debug.print("sum {}", x.sum(), ordered=True)
    return jnp.log(35 - x)

x = jnp.array([1.0, 2.0, 3.0])
commands = ["continue", "info locals", "continue", "print h", "print c", "continue", "print h", "reverse-continue",
            "print h", "delete", "continue", "print out1"]
print(systole.debug(f, x, commands=commands))
print(calls)
# Tokens, the iterations and the loop's values are of 2 h, where h is c plus the number of calls.
first = systole.first_nan(f, x)
print(first.name, first.source, first.elements)
print(systole.numerics(f, x).error)
print(calls)
print(systole.debug(f, x, target="v6e", commands=["goto 10000000", "print out1"]))

# A line that is traced several times, jitted functions that are called several times, two calls on one line.
def unrolled(x):
    for i in range(3):
        x = x * (i + 2)
        jax.debug.breakpoint()
    return x

@jax.jit
def layer(x):
    h = x * 10
    jax.debug.breakpoint()
    return h + 1

def two(a):
    b = a + 1; jax.debug.breakpoint(); s1 = b * 2; jax.debug.breakpoint()
    return s1

for function, name, stops in (unrolled, "x", 3), (lambda x: layer(layer(layer(x))), "x", 3), (two, "b", 2):
    shown = systole.debug(function, jnp.float32(1), commands=["continue", f"print {name}"] * stops)
    print("shown", *(line for line in shown.splitlines() if line[-1] == "." and line[:-1].isdigit()))
shown = systole.debug(two, jnp.float32(1), commands=["continue", "continue", "print s1", "stepi", "print arg0"])
print("shown", *(line for line in shown.splitlines() if line[-1] == "." and line[:-1].isdigit()))
def grows(x):
    def body(i, c):
        z = c * 3
        jax.debug.breakpoint()
        return z
    return jax.lax.fori_loop(0, 5, body, x)

commands = ["condition 1 z > 50 and c < 30", "continue", "print z", "delete", "goto 0"]
shown = systole.debug(grows, jnp.float32(1), commands=commands)
print("shown", *(line for line in shown.splitlines() if line[-1] == "." and line[:-1].isdigit()))
def helper(x):
    z = x * 2
    jax.debug.breakpoint()
    return z

def places(x):
    return helper(x).sum() + helper(x[0] * 10)

shown = systole.debug(places, jnp.array([1.0, 2.0]), commands=["condition 1 z > 15", "continue", "print z"])
print("shown", *(line for line in shown.splitlines() if line[-1] == "." and line[:-1].isdigit()))
try:
    systole.debug(grows, jnp.float32(1), commands=["print z"])
except RuntimeError as error:
    print(error)
nan = systole.first_nan(lambda x: jax.pure_callback(lambda v: v * np.nan, jax.ShapeDtypeStruct((), jnp.float32), x), 1.0)
print("callback", nan.name, nan.source)
try:
    systole.debug(f, x, commands=["print send2"])
except RuntimeError as error:
    print(error)
"""


def test_callbacks(site, tmp_path):
    text = site.script(CALLBACKS, tmp_path)
    arrays = [line for line in text.splitlines() if line.startswith("[")]
    # c is 1, 2, 3; h is c + 1; then c is 2 h, and h is c + 2; then h is 2 h + 3.
    first = np.array([1, 2, 3]) + 1
    second = first * 2 + 2
    third = second * 2 + 3
    assert [np.fromstring(line.strip("[]"), sep=" ").tolist() for line in arrays[:4]] == [
        second.tolist(),
        (first * 2).tolist(),
        third.tolist(),
        second.tolist(),
    ]
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(np.fromstring(arrays[4].strip("[]"), sep=" "), np.log(35 - third * 2), rtol=1e-5)
    assert arrays[5] == "[0, 1, 2]" and arrays[6] == "[0, 1, 2, 0, 1, 2, 0, 1, 2]"
    assert text.count("breakpoint 1, script.py:13") == 4 and "(jdb)" not in text
    assert "i tensor<i32> 0\nc tensor<3xf32>\nh tensor<3xf32>" in text
    assert "log." in text and "script.py:17:11 ((" in text
    assert "the program has not sent it yet" in text
    shown = [line for line in text.splitlines() if line.startswith("shown")]
    assert shown == ["shown 2. 6. 24.", "shown 1. 11. 111.", "shown 2. 2.", "shown 4. 1.", "shown 81.", "shown 20."]
    assert re.search(r"z is a variable at breakpoint 1, script.py:\d+, at which this core is not", text)
    assert re.search(r"callback recv\.\d+ script.py:\d+", text)
