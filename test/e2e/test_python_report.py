"""Reports of the Python package from lines as the plugin writes them, without any device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import json
import re
import sys

import pytest

from systole_cli import ROOT

sys.path.insert(0, str(ROOT / "python"))
from systole import Memory, Report, Run
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
        "estimated_cycles": cycles,
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
        "hbm_padding_bytes": 1_000_000,
        "hbm_bytes_per_second": 1e11,
        "assumptions": [],
        "latency_hints": {"dependent chain": "vmap"},
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
memory in use     4 MB HBM (25.0% padding), 2 kB VMEM
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
    """A stand-in for matplotlib's axes."""

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


def test_plot_tells_collectives_apart():
    axes = Axes()
    reduce = {**kernel("all_reduce.1", 500, hbm=400), "kind": "collective"}
    Report((run("jit_f", [reduce, kernel("a", 300, hbm=200)]),)).plot(axes)
    assert axes.bars == [([1], [300], "hbm"), ([0], [500], "collective")]


def test_no_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        Report((ONE,)).plot()


def buffer(name, size, *, padding=0, permanent=False, begin=0, end=0, stack=""):
    return {
        "name": name,
        "source": "/else/f.py:3:1",
        "user_source": "",
        "name_stack": stack,
        "bytes": size,
        "padding_bytes": padding,
        "permanent": permanent,
        "begin": begin,
        "end": end,
    }


def memory():
    """Three steps; at the second one 1,000 + 600 + 300 bytes are live."""
    steps = [(1, 1600), (2, 1900), (5, 1300)]
    return Memory.from_json(
        {
            "buffers": [
                buffer("params['w']", 1000, padding=950, permanent=True),
                buffer("value", 600, begin=1, end=2, stack="jit(f)/Net/dense/add"),
                buffer("value", 300, begin=2, end=5, stack="jit(f)/Net/out/add"),
            ],
            "steps": [{"step": n, "kernel": f"k{n}", "name_stack": "", "live_bytes": live} for n, live in steps],
            "peak": 1,
        }
    )


def test_memory_at_the_peak_and_later():
    plan = memory()
    assert [each.bytes for each in plan.live()] == [1000, 600, 300]
    assert [each.bytes for each in plan.live(5)] == [1000, 300]
    head, *rows = str(plan).splitlines()
    assert head == "HBM at its fullest: 1.9 kB live, 50.0% of it padding, in step 2, k2"
    assert rows[1].split() == ["params['w']", "1", "kB", "95.0%", "always", "/else/f.py:3:1"]
    assert rows[3].endswith("2 to 5  /else/f.py:3:1  jit(f)/Net/out/add")
    report = Report((ONE,), (Memory((), (), 0), plan))
    assert report.memory is plan
    assert str(plan) in report.details()


def test_memory_needs_a_plan():
    assert Report((ONE,)).memory is None
    with pytest.raises(ValueError, match="no memory"):
        Report((ONE,)).plot_memory(Axes())


def test_details_have_all_tables():
    uses = {"bundles": 600, "wait": 399, "idle": 0}
    bounds = dict.fromkeys(UNITS, 0) | {"mxu": 250}
    line = run("jit_f", [kernel("a", 999, module="Net/a")], cycle_uses=uses, bound_cycles=bounds)
    text = Report((line, line)).details()
    assert re.search(r"^MXU +500 +25\.0%$", text, re.MULTILINE)
    assert re.search(r"^waiting for copies +798 +39\.9%$", text, re.MULTILINE)
    assert "cores that are done" not in text
    assert re.search(r"^Net/a +2 +1,998 +100\.0% +1,998 +0 ", text, re.MULTILINE)
    assert "\n\nWhat usually helps against latency\ndependent chain: vmap" in text


def test_assumptions_are_named():
    entry = {"what": "the number of a loop's iterations", "source": "/else/f.py:4:1", "times": 6}
    text = str(Report((run("jit_f", [kernel("a", 9)], assumptions=[entry]),)))
    head = "\n\nAssumed where control depends on data\n"
    assert re.search(head + r"what +times +source\n.*iterations +6  /else/f\.py:4:1\n\n", text)


def test_compare():
    before = Report((run("jit_f", [kernel("a", 400, module="N/x"), kernel("b", 600, module="N/y")]),))
    after = Report(
        (
            run(
                "jit_f",
                [kernel("a", 300, module="N/x"), kernel("c", 100, module="N/y")],
                target="v2",
                device_seconds=8e-7,
            ),
        )
    )
    changes = before.compare(after)
    # 1,000 cycles take 1 us; 400 cycles 0.8 us.
    figures = {c.name: (c.before, c.after) for c in changes.kernels}
    assert figures == {
        "b": (pytest.approx(6e-7), 0),
        "c": (0, pytest.approx(2e-7)),
        "a": (pytest.approx(4e-7), pytest.approx(6e-7)),
    }
    assert [c.name for c in changes.kernels][0] == "b"
    assert {c.name: round(c.difference * 1e9) for c in changes.modules} == {"N/x": 200, "N/y": -400}
    lines = str(changes).splitlines()
    assert lines[0].split() == ["v3", "v2", "change"]
    assert lines[1].split() == ["predicted", "time", "1", "us", "800", "ns", "-20.0%"]
    row = next(line for line in lines if line.startswith("c "))
    assert row.split()[1:7] == ["0", "s", "200", "ns", "+200", "ns"] and "new" in row
    assert repr(changes) == "<systole.Comparison: 1 us to 800 ns>"


def test_html():
    entry = kernel("a<b", 300, module="Net/a")
    text = Report((run("jit_f", [entry]),), (memory(),))._repr_html_()
    assert "a&lt;b" in text and "a<b" not in text
    tables = re.findall(r"<table>.*?</table>", text, re.DOTALL)
    assert len(tables) == 5 and text.count("<details>") == 3
    assert all(table.count("<tr>") == table.count("</tr>") > 1 for table in tables)
    assert "HBM at its fullest" in text


class Chart(Axes):
    """Axes that record every call."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args, **kwargs: self.calls.append((name, args, kwargs))

    def of(self, name):
        return [(args, kwargs) for called, args, kwargs in self.calls if called == name]


def test_roofline():
    chart = Chart()
    slow, fast = kernel("slow", 750), kernel("fast", 250, mxu=250)
    assert Report((run("jit_f", [slow, fast]),)).plot_roofline(chart) is chart
    ((limit, _),) = chart.of("plot")
    # 1e12 flop/s and 1e11 B/s meet at ten flops a byte; both kernels have 1000 / 4096.
    assert limit[0][1] == 10 and limit[1][1:] == [1e12, 1e12]
    points = {kwargs["label"]: (args[0], args[1]) for args, kwargs in chart.of("scatter")}
    assert points["mxu"] == ([1000 / 4096], [pytest.approx(1000 / 250e-9)])
    assert points["latency"] == ([1000 / 4096], [pytest.approx(1000 / 750e-9)])


def test_memory_plot():
    chart = Chart()
    memory().plot(chart)
    ((layers, options),) = chart.of("stackplot")
    assert layers == ([1, 2, 5], [1000] * 3, [600, 600, 0], [0, 300, 300], [0, 0, 0])
    assert options["labels"][0] == "params['w']" and options["labels"][-1] == "others"


def test_runs_on_a_slice():
    sharded = {
        "cores": [{"place": n, "chip": n // 2, "cycles": 100} for n in range(2)],
        "links": [{"name": "chip 0 +x", "bytes": 4096, "cycles": 60, "utilization": 0.6}],
        "link_bounds": [{"gb_per_second": 70, "cycles": 55, "seconds": 5e-8, "source": "somewhere"}],
        "sent_bytes": 4096,
        "collective_cycles": 50,
        "collective_share": 0.25,
        "whole_operations": [{"name": "stablehlo.sort", "source": "net.py:3:1", "count": 2}],
    }
    step = run("step", [kernel("sort", 100)], cores=2, slice=sharded)
    report = Report((step,) * 2)
    assert report.runs[0].slice.links[0].utilization == 0.6
    # Of two runs of two cores and 100 cycles.
    assert (report.sent_bytes, report.core_cycles, report.collective_share) == (8192, 400, 0.25)
    assert [entry.count for entry in report.whole_operations] == [2]
    text = str(report)
    assert re.search(r"^collectives +25.0% of the cycles of all cores, 8.192 kB sent", text, re.MULTILINE)
    assert re.search(r"^stablehlo.sort +2 +net.py:3:1", text, re.MULTILINE)
