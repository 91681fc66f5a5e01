"""The Python package: JAX finds the devices, and a report lists the programs that ran on them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each script is a process of its own: JAX chooses its devices once.
"""

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

from python_package import BUILD, shared_site
from systole_cli import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return shared_site(tmp_path_factory)


NAMES = """
import jax, jax.numpy as jnp
device = jax.devices()[0]
print(device.device_kind, len(jax.devices()), jax.default_backend())
print(jax.devices("systole")[0] is device, jax.devices("tpu")[0] is device)
print(jax.lax.platform_dependent(tpu=lambda: jnp.int32(1), default=lambda: jnp.int32(0)))
print((jnp.arange(5) * 3).tolist())
"""


def test_jax_finds_the_devices(site, tmp_path):
    out = site.script(NAMES, tmp_path)
    assert out.splitlines() == ["TPU v3 1 tpu", "True True", "1", "[0, 3, 6, 9, 12]"]


def test_tpu_is_systole_where_there_is_no_tpu(site, tmp_path):
    text = "import jax; print([device.device_kind for device in jax.devices()])"
    out = site.script(text, tmp_path, JAX_PLATFORMS="tpu", SYSTOLE_TARGET="v2-2")
    assert out == "['TPU v2', 'TPU v2']\n"


CPU = """
import jax, systole
try:
    systole.report(jax.jit(lambda x: x + 1), 1.0)
except RuntimeError as error:
    print(error)
"""


def test_the_cpu_stays_the_cpu(site, tmp_path):
    out = site.script(CPU, tmp_path, JAX_PLATFORMS="cpu")
    assert out.startswith("no program has finished on a device of Systole") and "cpu" in out


LIBTPU = """
def get_library_path():
    return "/no/such/libtpu.so"
"""

SHADOW = """
import jax
print(jax.devices()[0].device_kind)
try:
    print(jax.devices("tpu"))
except RuntimeError as error:
    print(error)
"""


def test_a_tpu_runtime_keeps_its_name(site, tmp_path):
    """Where libtpu is installed, `tpu` is libtpu and nothing else, even if it does not work."""
    (tmp_path / "libtpu.py").write_text(LIBTPU)
    out = site.script(SHADOW, tmp_path, paths=[tmp_path]).splitlines()
    assert out[0] == "TPU v3"  # what else there is: the platform `systole`
    assert "Backend 'tpu' failed to initialize" in out[1] and "libtpu.so" in out[1]

    done = site.run("script.py", cwd=tmp_path, paths=[tmp_path], JAX_PLATFORMS="tpu")
    assert done.returncode != 0 and "libtpu.so" in done.stderr


REPORT = """
import json, jax, jax.numpy as jnp, numpy as np, systole
x, w = np.ones((256, 384), np.float32), np.ones((384, 128), np.float32)
product = jax.jit(lambda x, w: x @ w)
first = systole.report(product, x, w)
assert first.to_dict()["cycles"] == systole.report(product, x, w=w).cycles
assert first.cycles == product.lower(x, w).compile().cost_analysis()["cycles"]
print(json.dumps({**json.loads(first.to_json()), "text": str(first), "short": repr(first)}))
"""


@pytest.fixture(scope="module")
def reported(site, tmp_path_factory):
    """A report as the package gives it, and the lines that the plugin wrote for the same runs."""
    directory = tmp_path_factory.mktemp("report")
    lines = directory / "lines.json"
    # The library of the build directory, by JAX's own way to a TPU: the report must ask that one.
    out = site.script(
        REPORT,
        directory,
        JAX_PLATFORMS="tpu",
        TPU_LIBRARY_PATH=str(BUILD / "lib/libsystole_pjrt.so"),
        SYSTOLE_REPORT=str(lines),
    )
    events = [json.loads(line) for line in lines.read_text().splitlines()]
    return json.loads(out), [event for event in events if event["event"] == "run"]


def test_a_report_has_the_figures_of_the_plugin(reported):
    report, written = reported
    assert len(written) == 2 and len(report["runs"]) == 1
    run, line = report["runs"][0], written[0]
    for kernel in run.pop("kernels"):
        beside = next(k for k in line["kernels"] if k["name"] == kernel["name"])
        assert kernel.pop("program") == line["program"]
        assert kernel.items() <= beside.items()
    assert run.pop("slice") is None and "slice" not in line  # it runs on one core
    assert run.items() <= line.items()
    assert {k["name"]: k["bound_by"] for k in report["kernels"]} == {k["name"]: k["bound_by"] for k in line["kernels"]}


def test_figures_of_a_product(reported):
    report, _ = reported
    assert report["flops"] == 2 * 256 * 384 * 128
    assert report["hbm_read_bytes"] == 4 * (256 * 384 + 384 * 128)
    assert report["hbm_write_bytes"] == 4 * 256 * 128
    assert report["device_seconds"] == pytest.approx(report["cycles"] / 940e6)
    assert report["usd"] == pytest.approx(2.0 * report["device_seconds"] / 3600)
    # 48 pushes of 8 rows for each of 3 x 1 weights: two MXUs share them.
    busy = report["runs"][0]["mxu_busy_cycles"]
    assert report["mxu_utilization"] == pytest.approx(busy / (2 * report["cycles"]))
    assert sum(kernel["cycles"] for kernel in report["kernels"]) == report["cycles"]
    assert f"{report['cycles']:,} cycles" in report["text"]
    assert re.search(r"^dot +1 +[\d,]+ .*script\.py:4:\d+ +jit\(<lambda>\)/dot_general$", report["text"], re.MULTILINE)
    assert report["short"].startswith("<systole.Report of jit__lambda on v3: ")


SEVERAL = """
import threading
import jax, jax.numpy as jnp, systole

@jax.jit
def double(x):
    return x * 2

@jax.jit
def add(x):
    return x + 1

x = jnp.ones(1024)
with systole.record() as recording:
    for _ in range(100):
        add(x)
print(len(recording.report().runs))
busy = True
def serve():
    while busy:
        add(square)
thread = threading.Thread(target=serve)
square = jnp.ones((512, 512))
thread.start()
print("jit_double" in [run.program for run in systole.report(double, x).runs])
busy = False
thread.join()
square = jnp.ones((512, 512))
under_way = square @ square @ square @ square
print(systole.report(add, x).programs)
with systole.record() as recording:
    for _ in range(3):
        y = double(x)
    jax.block_until_ready(add(y))
    try:
        systole.report(add, x)
    except RuntimeError as error:
        print(error)
report = recording.report()
print([run.program for run in report.runs], report.programs)
print(report.cycles - 3 * systole.report(double, x).cycles - systole.report(add, x).cycles)
print({k.program: k.calls for k in report.kernels if k.kind != "sequencer"})
print([run.program for run in systole.report(lambda x: add(double(x)), x).runs])
try:
    systole.report(lambda: None)
except RuntimeError as error:
    print(error)
"""


def test_a_recording_adds_up(site, tmp_path):
    assert site.script(SEVERAL, tmp_path).splitlines() == [
        "100",
        "True",
        "('jit_add',)",
        "a recording is open already",
        "['jit_double', 'jit_double', 'jit_double', 'jit_add'] ('jit_double', 'jit_add')",
        "0",
        "{'jit_double': 3, 'jit_add': 1}",
        "['jit_double', 'jit_add']",
        "no program has finished on a device of Systole; JAX's default device is "
        "TPU v3(id=0, coords=(0,0,0), core_on_chip=0, emulated)",
    ]


# Of a product with the identity: what is left of 1 + 2^-10 as bf16, and as f32.
SETTINGS = """
import systole
for bad in ("v99", "v3-0", "/dev/null/x"):
    try:
        systole.set_target(bad)
    except ValueError as error:
        print(error)
try:
    systole.set_precision("sloppy")
except ValueError as error:
    print(error)
systole.set_target("v2-8")
systole.set_precision("highest")
import jax, jax.numpy as jnp
print(len(jax.devices()), jax.devices()[7].device_kind)
print(float(jnp.sum(jnp.full((8, 128), 1 + 2**-10) @ jnp.eye(128))))
systole.set_target("v2-8")
for change in (lambda: systole.set_target("v3"), lambda: systole.set_precision("default")):
    try:
        change()
    except RuntimeError as error:
        print(error)
"""


def test_settings(site, tmp_path):
    out = site.script(SETTINGS, tmp_path).splitlines()
    assert 'target "v99" is neither a known target (v2, v3' in out[0]
    assert 'target "v3-0": the number of cores' in out[1]
    assert "/dev/null/x" in out[2]
    assert out[3] == "the precision is 'sloppy'; it can be default, high or highest"
    assert out[4] == "8 TPU v2"
    assert float(out[5]) == 8 * 128 * (1 + 2**-10)
    assert out[6].startswith("the target cannot become 'v3': JAX has made its devices already")
    assert out[7].startswith("the precision cannot become 'default'")
    assert len(out) == 8


PREDICT = """
import jax, jax.numpy as jnp, numpy as np, systole

def product(x, w):
    with jax.named_scope("dense"):
        return x @ w

shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((256, 384), (384, 128))]
jitted = jax.jit(product)
there = systole.report(jitted, *shapes)
ran = systole.report(jitted, *[np.ones(s.shape, np.float32) for s in shapes])
print(there.cycles == ran.cycles, there.programs == ran.programs, there.memory == ran.memory)
print([k.name_stack for k in ran.kernels if k.kind != "sequencer"])
print([b.name for b in ran.memory.live()])

other = systole.report(product, *shapes, target="v2")
print(ran.target, other.target, jax.devices()[0].device_kind)
print(str(ran.compare(other)).splitlines()[0].split())

@jax.jit
def until(x):
    return jax.lax.while_loop(lambda x: jnp.sum(x) < 100, lambda x: x @ x, x)

square = jax.ShapeDtypeStruct((256, 256), jnp.float32)
calls = lambda report: max(k.calls for k in report.kernels if k.name.startswith("dot"))
print([calls(systole.report(until, square, **o)) for o in ({}, {"assume_trips": 7})])
for each in systole.report(until, square).assumptions:
    print(each.what, each.source.rpartition("/")[2].split(":")[0])
print(until.lower(square).compile().cost_analysis()["assumptions"])
stats = jax.jit(lambda x, y: (x + 1, y), donate_argnums=0).lower(
    jnp.ones((100, 3)), jnp.ones(3)).compile().memory_analysis()
print(stats.alias_size_in_bytes, stats.argument_size_in_bytes, stats.output_size_in_bytes)
try:
    systole.report(jax.jit(jax.ffi.ffi_call("nothing", square)), square)
except RuntimeError as error:
    print(str(error).splitlines()[0])
exact = jax.jit(lambda x: x @ x, compiler_options={"systole_precision": "highest"})
there, ran = systole.report(exact, square), systole.report(exact, jnp.ones((256, 256)))
print(there.precision, ran.precision, there.cycles == ran.cycles)
print(systole.report(exact, square, precision="high").precision)
"""


def test_reports_without_running(site, tmp_path):
    """The same cycles as of a run, for any target, with assumptions where data would decide."""
    out = site.script(PREDICT, tmp_path).splitlines()
    assert out[0] == "True True True"
    assert out[1] == "['jit(product)/dense/dot_general']"
    assert sorted(eval(out[2])) == ["result", "w", "x"]
    assert out[3] == "v3 v2 TPU v3"
    assert out[4] == "['v3', 'v2', 'change']"
    assert out[5] == "[1, 7]"
    assert out[6] == "the number of a loop's iterations script.py"
    assert out[7] == "1.0"
    # f32[100,3] takes 100 rows of 512 bytes and f32[3] one, both rounded up to eight.
    alias, arguments, results = map(int, out[8].split())
    assert alias == 104 * 512 and arguments == results == (104 + 8) * 512
    assert out[9].startswith("no report for v3: ") and "nothing" in out[9]
    # The precision of the jit applies, unless the report has another.
    assert out[10:] == ["highest highest True", "high"]


EXPLAIN = """
import json, jax, jax.numpy as jnp, numpy as np, subprocess, systole
from systole._library import command_path

def product(x, w):
    return x @ w

x, w = np.ones((256, 384), np.float32), jnp.ones((384, 128))
reports = [
    systole.report(jax.jit(product, donate_argnums=1), x, w),
    systole.report(product, *[jax.ShapeDtypeStruct(each.shape, jnp.float32) for each in (x, w)]),
]
print([report.explain().to_dict()["cycles"] == report.cycles for report in reports])
systole.dump_ir(product, x, x.T[:, :128], directory="ir")
command = [command_path(), "explain", "ir/00-input.mlirbc"]
run = lambda *words: subprocess.run([*command, *words], capture_output=True, check=True, text=True).stdout
text = str(reports[0].explain(1))
print(text.split(" on ", 1)[0], text.split(" on ", 1)[1] == run("--kernels", "1").rstrip().split(" on ", 1)[1])
ours, theirs = json.loads(reports[0].explain().to_json()), json.loads(run("--report", "json"))
print([name for name in theirs if ours[name] != theirs[name]])
try:
    systole.Report(reports[0].runs).explain()
except ValueError as error:
    print(error)
"""


def test_explain_is_the_commands(site, tmp_path):
    """Of a call and of shapes, as text and as JSON: only names of files and times of this host differ."""
    out = site.script(EXPLAIN, tmp_path).splitlines()
    assert out[0] == "[True, True]"
    assert out[1] == "jit_product True"
    assert set(eval(out[2])) <= {"program", "compile_seconds", "emulate_seconds"}
    assert out[3].startswith("there is no function to explain")


LINES = """
import jax, jax.numpy as jnp, systole
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
def first(x):
    return jnp.tanh(x) * 2
def second(x):
    return jnp.tanh(x) * 2
def third(x):
    return jnp.tanh(x) * 2
x = jnp.ones((8, 128))
for function in first, second, third:
    function.__name__ = "same"
    kernels = systole.report(jax.jit(function), x).kernels
    lines = {kernel.source.split(":")[1] for kernel in kernels if kernel.source}
    print(lines == {str(function.__code__.co_firstlineno + 1)} or lines)
"""


@pytest.mark.parametrize("cache", ["ours", "JAX's"])
def test_equal_programs_have_their_own_lines(cache, site, tmp_path):
    """From the cache, too: in this process, and the second time from the folder."""
    settings = {
        "ours": {"SYSTOLE_CACHE": str(tmp_path / "cache")},
        "JAX's": {
            "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"),
            "JAX_COMPILATION_CACHE_INCLUDE_METADATA_IN_KEY": "1",
        },
    }
    for _ in range(2):
        assert site.script(LINES, tmp_path, **settings[cache]).split() == ["True"] * 3
        assert any((tmp_path / "cache").iterdir())


SHARDY = """
import jax, jax.numpy as jnp, numpy as np, systole
from jax.sharding import Mesh, NamedSharding, PartitionSpec

shape = jax.ShapeDtypeStruct((8, 8), jnp.float32)
one = NamedSharding(Mesh(np.array(jax.devices()), "x"), PartitionSpec("x"))

def host(x):
    return jax.pure_callback(lambda a: a, shape, x * 2) @ x

def printed(x):
    jax.debug.print("{}", x)
    return jnp.tanh(x)

def sharded(x):
    return jax.lax.with_sharding_constraint(x * 2, one) @ x

for function in host, printed, sharded:
    lowered = jax.jit(function).lower(shape)
    cycles = lowered.compile().cost_analysis()["cycles"]
    print("sdy." in lowered.as_text(), systole.report(function, shape).cycles == cycles)
"""


def test_reports_of_callbacks_and_shardings_without_running(site, tmp_path):
    """Their text has a dialect that is read from artifacts alone; PJRT's compiler gets those."""
    assert site.script(SHARDY, tmp_path).splitlines() == ["True True"] * 3


DUMP = """
import jax, jax.numpy as jnp
import systole
systole.set_target("v2")
shape = jax.ShapeDtypeStruct((100, 7), jnp.float32)
options = {"systole_precision": "high"}
folder = systole.dump_ir(
    jax.jit(lambda x: jnp.tanh(x) * 2, compiler_options=options), shape, directory="ir"
)
print(*sorted(path.name for path in folder.iterdir()))
systole.dump_ir(jax.jit(lambda x: jax.debug.print("{}", x)), shape, directory="callback")
try:
    systole.dump_ir(jax.jit(jax.ffi.ffi_call("nothing", shape)), shape, directory="refused")
except RuntimeError as error:
    print(error)
"""


def test_dump_ir(site, tmp_path):
    """A file for each level, and a program that runs; a refusal is the compiler's message."""
    files, refusal = site.script(DUMP, tmp_path).split("\n", 1)
    assert {"00-input.mlir", "program.sysasm", "program.sysx"} < set(files.split())
    assert all(f"-{level}.mlir" in files for level in ("simplify", "fuse", "form-kernels", "codegen"))
    assert "tanh" in (tmp_path / "ir/00-input.mlir").read_text()
    program = (tmp_path / "ir/program.sysasm").read_text()
    assert '.target "v2"' in program and '.precision "high"' in program
    x = np.linspace(-3, 3, 700, dtype=np.float32).reshape(100, 7)
    np.save(tmp_path / "x.npy", x)
    words = ("run", "ir/program.sysx", "--args", "x.npy", "--out", "out.npz")
    assert site.run("-m", "systole", *words, cwd=tmp_path).returncode == 0
    result = np.load(tmp_path / "out.npz")["out0"]
    np.testing.assert_allclose(result, 2 * np.tanh(x.astype(np.float64)), rtol=1e-6, atol=1e-7)
    assert "nothing" in refusal and ".py:" in refusal
    # Its text has operations of Shardy.
    assert "kernel.send" in "".join(p.read_text() for p in (tmp_path / "callback").glob("*.mlir"))


def test_the_libraries_come_along(site):
    """Other systems have glibc and libstdc++; all else is in the package, as are the licences."""
    of_the_system = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))[-.]")
    for file in ("lib/libsystole_pjrt.so", "bin/systole"):
        lines = subprocess.run(
            ["ldd", site.package / file], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        needed = [line.split("(")[0].split("=>") for line in lines]
        assert len(needed) > 5
        for name, *place in needed:
            name = pathlib.Path(name.strip()).name
            if not of_the_system.match(name):
                path = pathlib.Path(place[0].strip())
                assert path.parent.resolve() == (site.package / "lib").resolve(), name
    assert not [path for path in site.directory.rglob("*") if path.is_symlink()]
    if pathlib.Path("/usr/bin/dpkg-query").exists():
        licences = [file.read_text() for file in (site.package / "lib/licenses").iterdir()]
        assert any("Google" in text for text in licences)


def test_the_command(site, tmp_path):
    done = site.run("-m", "systole", "--version", cwd=tmp_path)
    version = re.search(r"project\(Systole VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert done.stdout == f"systole {version[1]}\n"
    done = site.run("-m", "systole", "bogus", cwd=tmp_path)
    assert done.returncode == 1 and "unknown command 'bogus'" in done.stderr


def test_a_source_tree_uses_its_build_directory_or_names_what_is_missing(site, tmp_path):
    python = tmp_path / "checkout/python"
    shutil.copytree(ROOT / "python/systole", python / "systole")
    words = ["-c", "import systole; print(systole.plugin_path())"]
    done = site.run(*words, cwd=tmp_path, paths=[python])
    assert "FileNotFoundError" in done.stderr and "`pip install .` or `make build`" in done.stderr
    library = tmp_path / "checkout/build/lib/libsystole_pjrt.so"
    library.parent.mkdir(parents=True)
    library.touch()
    assert site.run(*words, cwd=tmp_path, paths=[python]).stdout == f"{library}\n"
