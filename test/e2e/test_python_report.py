"""Reports of the Python package from lines as the plugin writes them, without any device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import json
import sys

import pytest

from systole_cli import ROOT

sys.path.insert(0, str(ROOT / "python"))
from systole import Report, Run
from systole._text import scaled

UNITS = ("mxu", "valu", "load", "store", "xlu", "eup", "hbm")


LATENCIES = ("DMA start", "dependent chain", "issue")


def kernel(name, cycles, *, calls=1, source="", user="", module="", backward=False, **bounds):
    return {
        "name": name,
        "kind": "map",
        "source": source,
        "user_source": user,
        "name_stack": module and f"jit(f)/{module}/add",
        "module": module,
        "backward": backward,
        "calls": calls,
        "cycles": cycles,
        "stall_cycles": cycles // 4,
        "delay_cycles": 1,
        "flops": 1000,
        "bytes": 4096,
        "bound_by": "not read",
        "bound_cycles": {unit: bounds.get(unit, 0) for unit in UNITS},
        "latency": "not read",
        "latency_cycles": dict.fromkeys(LATENCIES, 0) | {"dependent chain": cycles},
    }


def run(program, kernels, **changes):
    cycles = sum(entry["cycles"] for entry in kernels)
    line = {
        "event": "run",
        "program": program,
        "device": 0,
        "target": "v3",
        "target_hash": "12ab",
        "precision": "default",
        "timing_only": False,
        "cores": 1,
        "chips": 1,
        "cycles": cycles,
        "device_seconds": cycles / 1e9,
        "flops": 1000 * len(kernels),
        "peak_flops_per_second": 1e12,
        "mxu_utilization": 0.5,
        "mxu_busy_cycles": cycles,
        "mxu_pushes": 7,
        "mxu_latch_cycles": 0,
        "mxu_latches": 0,
        "hbm_read_bytes": 1_500_000,
        "hbm_write_bytes": 500,
        "hbm_peak_bytes": 4_000_000,
        "vmem_peak_bytes": 2_000,
        "bundles": cycles,
        "program_bundles": 12,
        "bound_by": "not read",
        "bound_cycles": dict.fromkeys(UNITS, 0),
        "cycle_uses": {"bundles": cycles},
        "kernels": kernels,
        "compile_seconds": 0.25,
        "emulate_seconds": 0.5,
        "usd": 3e-9,
        "usd_preemptible": 1e-9,
        "what later plugins add": 1,
    }
    return Run.from_json({**line, **changes})


ONE = run("jit_f", [kernel("a", 300, hbm=150), kernel("b", 699, mxu=349, source="/else/f.py:1:2")])
TEXT = """\
program           jit_f, precision default
target            v3
predicted time    999 ns, 999 cycles
MXU utilisation   50.0%
useful flops      2 kflop, 2.002 Gflop/s, 0.2% of the peak
HBM traffic       1.5 MB read, 500 B written
memory in use     4 MB HBM, 2 kB VMEM
price             3e-09 USD on demand, 1e-09 USD preemptible

kernel  calls  cycles  of all  flops  HBM bytes  bound by                   source
b           1     699   70.0%    1 k    4.096 k  latency (dependent chain)  /else/f.py:1:2
a           1     300   30.0%    1 k    4.096 k  hbm"""


def test_text():
    assert str(Report((ONE,))) == TEXT
    assert repr(Report((ONE,))) == "<systole.Report of jit_f on v3: 999 ns, 999 cycles>"


def test_paths_below_are_shown_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = Report((run("jit_f", [kernel("a", 1, source=f"{tmp_path}/model.py:12:3")]),))
    assert str(report).endswith("  model.py:12:3")
    assert report.kernels[0].source == f"{tmp_path}/model.py:12:3"


def test_layers_are_named_with_the_users_line_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    library = "/venv/lib/python3.11/site-packages/flax/linen/linear.py:271:4"
    entry = kernel("dot", 1, source=library, user=f"{tmp_path}/model.py:12:3", module="Net/dense")
    row = str(Report((run("jit_f", [entry]),))).splitlines()[-1]
    assert row.endswith("  model.py:12:3 (flax/linen/linear.py:271:4)  jit(f)/Net/dense/add")


def test_modules():
    entries = [
        kernel("dot", 100, module="Net/a/dense"),
        kernel("dot", 70, module="Net/b/dense"),
        kernel("dot.1", 50, module="Net/a/dense", backward=True),
        kernel("add", 20, calls=3),
        kernel("sequencer: control flow and waits", 5, calls=0),
    ]
    report = Report((run("jit_f", entries),))
    figures = [(m.name, m.calls, m.forward_cycles, m.backward_cycles) for m in report.by_module()]
    assert figures == [
        ("Net/a/dense", 2, 100, 50),
        ("Net/b/dense", 1, 70, 0),
        ("(no module)", 3, 20, 0),
        ("sequencer: control flow and waits", 0, 5, 0),
    ]
    assert [(m.name, m.cycles) for m in report.by_module(depth=1)][0] == ("Net", 220)


def test_a_machine_without_a_second_price():
    report = Report((run("jit_f", [kernel("a", 10)], usd_preemptible=0.0),))
    assert "price             3e-09 USD on demand\n" in str(report)


def test_runs_add_up():
    other = run("jit_g", [kernel("a", 4001)], mxu_utilization=0.1, hbm_peak_bytes=5_000_000)
    report = Report((ONE, ONE, other))
    assert report.programs == ("jit_f", "jit_g")
    assert report.cycles == 2 * 999 + 4001
    assert report.device_seconds == pytest.approx(5.999e-6)
    assert report.mxu_utilization == pytest.approx((0.5 * 1998 + 0.1 * 4001) / 5999)
    assert (report.hbm_peak_bytes, report.vmem_peak_bytes) == (5_000_000, 2_000)
    assert report.hbm_read_bytes == 4_500_000
    assert report.usd == pytest.approx(9e-9)
    assert [(k.program, k.name, k.calls, k.cycles, k.bytes) for k in report.kernels] == [
        ("jit_g", "a", 1, 4001, 4096),
        ("jit_f", "b", 2, 1398, 8192),
        ("jit_f", "a", 2, 600, 8192),
    ]
    assert report.kernels[2].bound_cycles["hbm"] == 300 and report.kernels[2].bound_by == "hbm"
    text = str(report)
    assert text.startswith("program           2 programs in 3 runs, precision default\n")
    assert "\njit_f b      2   1,398   23.3%" in text


def test_many_kernels_are_cut_short():
    report = Report((run("jit_f", [kernel(f"k{n}", 100 - n) for n in range(25)]),))
    # 80 + 79 + 78 + 77 + 76
    assert str(report).endswith("\nand 5 more with 390 cycles")


def test_json():
    report = Report((ONE, ONE))
    back = json.loads(report.to_json(indent=2))
    assert back == json.loads(json.dumps(report.to_dict()))
    assert back["cycles"] == 1998 and back["programs"] == ["jit_f"]
    assert [k["bound_by"] for k in back["kernels"]] == ["latency", "hbm"]
    assert Run.from_json(back["runs"][0]) == ONE


def test_reports_are_values():
    assert Report((ONE,)) == Report((ONE,)) != Report((ONE, ONE))
    assert len({Report((ONE,)), Report((ONE,))}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        ONE.cycles = 1


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0 B"),
        (999.96, "1 kB"),
        (999.94, "999.9 B"),
        (1.5e-7, "150 nB"),
        (2e-10, "0.2 nB"),
        (3e16, "30 PB"),
    ],
)
def test_prefixes(value, text):
    assert scaled(value, "B") == text


class Axes:
    """What a chart asks of matplotlib."""

    def __init__(self):
        self.bars, self.rest = [], {}

    def barh(self, places, lengths, *, color, label):
        self.bars.append((places, lengths, label))

    def __getattr__(self, name):
        return lambda *args, **kwargs: self.rest.update({name: args})


def test_plot():
    axes = Axes()
    assert Report((ONE,)).plot(axes) is axes
    assert axes.bars == [([1], [300], "hbm"), ([0], [699], "latency")]
    assert axes.rest["set_yticks"] == ([0, 1], ["b", "a"])
    assert axes.rest["set_title"] == ("999 ns on v3, MXU utilisation 50.0%",)


def test_no_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        Report((ONE,)).plot()
