"""`systole sweep`: the command times a function of a script, and says in one line what is wrong with its input.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import subprocess
import sys

import pytest

from systole_cli import BIN, ROOT, systole

sys.path.insert(0, str(ROOT / "python"))
from systole import _predict, _sweep_command

SHAPES = """\
import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.matmul import matmul

x = jax.ShapeDtypeStruct((512, 512), jnp.bfloat16)
args = (x, x)
"""
_PRODUCT = """
parameters = {"rows": [128, 512], "depth": [512]}

def product(x, y, rows, depth):
    return matmul(x, y, block_shape=(rows, 256), block_k=depth)
"""
PRODUCT = SHAPES + _PRODUCT
SUM = """
def total(x, y, times):
    return x * times + y
"""


@pytest.fixture(autouse=True)
def built(monkeypatch, tmp_path):
    for module in (_predict, _sweep_command):
        monkeypatch.setattr(module, "command_path", lambda: BIN / "systole")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, _sweep_command._MODULE, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def sweep(tmp_path, capsys):
    """Runs the command on a script: its exit code, output and errors."""

    def run(script, *words):
        (tmp_path / "script.py").write_text(script)
        code = _sweep_command.main(["script.py", *map(str, words)])
        return code, *capsys.readouterr()

    return run


def as_installed(*words, cwd):
    variables = {"PYTHONPATH": str(ROOT / "python"), "TPU_LIBRARY_PATH": str(BIN.parent / "lib/libsystole_pjrt.so")}
    return subprocess.run(
        [sys.executable, "-m", "systole", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **variables, "JAX_PLATFORMS": "cpu"},
    )


def test_the_table_of_a_script_and_its_files(tmp_path):
    (tmp_path / "script.py").write_text(PRODUCT)
    words = ["--target", "v6e", "--target", "v5e", "--json", "found.json", "--program", "best.mlirbc"]
    done = as_installed("sweep", "script.py", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split()[:5] == ["target", "rows", "depth", "cycles", "time"]
    assert [row.removeprefix("*").split()[0] for row in rows] == ["v6e", "v6e", "v5e", "v5e"]
    found = json.loads((tmp_path / "found.json").read_text())
    assert [(trial["target"], trial["parameters"]["rows"]) for trial in found] == [
        ("v6e", 128),
        ("v5e", 128),
        ("v6e", 512),
        ("v5e", 512),
    ]
    for target in ("v6e", "v5e"):
        cycles = [trial["cycles"] for trial in found if trial["target"] == target]
        (marked,) = [row for row in rows if row.startswith(f"*  {target}")]
        assert f"{min(cycles):,}" in marked
        assert all(0 <= trial["idle_share"] <= 1 for trial in found)
    options = ("--target", "v6e", "--timing-only", "--report", "json")
    report = json.loads(systole("run", tmp_path / "best.mlirbc", *options).stdout)
    assert report["cycles"] == min(trial["cycles"] for trial in found if trial["target"] == "v6e")


def test_values_of_the_command_replace_those_of_the_script(sweep):
    code, out, _ = sweep(PRODUCT, "--set", "rows=256", "--target", "v5e", "--jobs", 1)
    assert code == 0 and len(out.splitlines()) == 2 and out.splitlines()[1].split()[:4] == ["*", "v5e", "256", "512"]
    code, out, _ = sweep(SHAPES + SUM, "--set", "times=2,0.5", "--target", "v5e", "--precision", "highest")
    assert code == 0 and {row.removeprefix("*").split()[1] for row in out.splitlines()[1:]} == {"2", "0.5"}


def test_the_function_is_the_one_with_the_parameters(sweep):
    both = PRODUCT + SUM
    code, out, _ = sweep(both, "--target", "v5e")
    assert code == 0 and "rows" in out
    code, _, errors = sweep(both, "--set", "times=2")
    assert code == 1 and errors.endswith(
        "no function has the parameters rows, depth, times; choose one by --function\n"
    )
    code, _, errors = sweep(both, "--function", "total")
    assert code == 1 and "total() has no parameter 'rows'; its parameters are x, y, times" in errors
    code, _, errors = sweep(both.replace("parameters =", "other ="), "--set", "times=2", "--target", "v5e")
    assert code == 0


def test_choices_of_a_list(sweep):
    listed = PRODUCT + 'parameters = [{"rows": 128, "depth": 256}, {"rows": 512, "depth": 512}]\n'
    code, out, _ = sweep(listed, "--target", "v5e")
    assert code == 0 and len(out.splitlines()) == 3
    code, _, errors = sweep(listed, "--set", "rows=128")
    assert code == 1 and "they are a list of choices" in errors


BAD = {
    "no script": (None, [], "nowhere.py: No such file or directory"),
    "no function of the name": (PRODUCT, ["--function", "quotient"], "script.py has no function 'quotient'"),
    "no function": (SHAPES, ["--set", "rows=1"], "script.py defines no function"),
    "no parameters": (SHAPES + SUM, [], "script.py has no `parameters`; define them there or use --set"),
    "an unknown parameter": (PRODUCT, ["--set", "row=1"], "product() has no parameter 'row'; its parameters are x, y,"),
    "a parameter of the arguments": (PRODUCT, ["--set", "x=1"], "multiple values for argument 'x'"),
    "a missing parameter": (SHAPES + SUM + "parameters = [{}]\n", [], "missing a required argument: 'times'"),
    "a missing argument": (
        PRODUCT + "args = (x,)\n",
        [],
        "with the 1 arguments of `args`: missing a required argument",
    ),
    "arguments that are no tuple": (PRODUCT + "args = x\n", [], "`args` is not a tuple of arrays or shapes"),
    "a value that is not a number": (PRODUCT, ["--set", "rows=128,big"], "--set rows=128,big: 'big' is not a number"),
    "a value that is not finite": (PRODUCT, ["--set", "rows=nan"], "'nan' is not a number"),
    "no value": (PRODUCT, ["--set", "rows="], "--set rows=: '' is not a number"),
    "no name": (PRODUCT, ["--set", "128"], "--set 128: write NAME=VALUE,VALUE,..."),
    "a parameter twice": (PRODUCT, ["--set", "rows=1", "--set", "rows=2"], "rows has values already"),
    "a parameter of one value": (PRODUCT + "parameters = {'rows': 1}\n", [], "parameters['rows'] is 1 and not a list"),
    "parameters of no choice": (PRODUCT + "parameters = []\n", [], "`parameters` has no choice to try"),
    "parameters that are a number": (PRODUCT + "parameters = 1\n", [], "`parameters` is 1 and not a dictionary"),
    "choices that are numbers": (PRODUCT + "parameters = [1]\n", [], "some elements are no dictionaries"),
    "an unknown target": (PRODUCT, ["--target", "v99"], 'target "v99" is neither a known target'),
    "no number of processes": (PRODUCT, ["--jobs", "0"], "argument --jobs: '0' is not a number of processes"),
    "an unknown option": (PRODUCT, ["--rows", "1"], "unrecognized arguments: --rows 1"),
    "a script that raises": ("x = 1\n\nint('a')\n", [], "script.py:3: ValueError: invalid literal"),
    "a script that ends Python": ("import sys\nsys.exit(2)\n", [], "script.py:2: SystemExit: 2"),
    "a script that is no Python": ("x = 1\nx x\n", [], "script.py:2: SyntaxError: invalid syntax"),
    "a folder without a name": (PRODUCT, ["--json", "no/f.json", "--target", "v5e"], "no/f.json: No such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_an_error_of_one_line(case, sweep, capsys):
    script, words, message = BAD[case]
    if script is None:
        code, errors = _sweep_command.main(["nowhere.py"]), capsys.readouterr().err
    else:
        code, _, errors = sweep(script, *words)
    assert code == 1
    assert errors.startswith("systole: error: ") and message in errors and errors.count("\n") == 1


def test_a_function_that_raises_is_named_with_its_line(sweep):
    code, out, errors = sweep(SHAPES + "def total(x, y, times):\n    return x + z\n", "--set", "times=1")
    assert code == 1 and errors == "systole: error: no choice of the parameters compiles\n"
    assert out.splitlines()[-1] == "error 1: script.py:8: NameError: name 'z' is not defined"


def test_an_error_of_several_choices_is_shown_once(sweep):
    big = SHAPES.replace("(512, 512)", "(8192, 8192)") + _PRODUCT
    code, out, _ = sweep(big, "--set", "rows=8192", "--set", "depth=4096,8192", "--target", "v2", "--target", "v3")
    assert code == 1 and [row.split()[-2:] for row in out.splitlines()[1:5]] == [["error", n] for n in "1212"]
    assert out.count("\nerror ") == 2 and out.count("bytes of VMEM, and a core has") == 2


PYPLOT = """\
import pathlib

class Any:
    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def savefig(self, path):
        if not path.endswith(".png"):
            raise ValueError("Format is not supported")
        pathlib.Path(path).write_text("drawn")

Any.figure = property(lambda self: self)
subplots = lambda **options: (Any(), Any())
"""


def test_plots(sweep, tmp_path, monkeypatch):
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib/__init__.py").touch()
    (tmp_path / "matplotlib/pyplot.py").write_text(PYPLOT)
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    words = ("--set", "rows=512", "--target", "v5e", "--plot")
    assert sweep(PRODUCT, *words, "cycles.png")[0] == 0
    assert (tmp_path / "cycles.png").read_text() == "drawn"
    assert sweep(PRODUCT, *words, "cycles.abc")[2] == "systole: error: cycles.abc: Format is not supported\n"
    monkeypatch.setattr(_sweep_command.importlib.util, "find_spec", lambda name: None)
    assert sweep(PRODUCT, *words, "c.png")[2] == "systole: error: --plot needs matplotlib: pip install matplotlib\n"


def test_help(capsys):
    with pytest.raises(SystemExit) as ended:
        _sweep_command.main(["--help"])
    assert ended.value.code == 0 and "--function" in capsys.readouterr().out
