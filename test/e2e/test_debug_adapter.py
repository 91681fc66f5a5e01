"""`systole debug --dap`: sessions of a public client of the Debug Adapter Protocol, which checks each message.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
import os
import pathlib
import subprocess
import threading

import dap
import dap.base
import dap.handler
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from dap import events, responses
from systole_cli import BIN, ROOT, save_args

INCREMENT = ROOT / "test/lit/tools/systole/Inputs/increment.sysasm"
SECONDS = 60


# Where dap-python 0.5.0 differs from the protocol: responses without a body; instructions whose addresses it drops, and
# answers about function breakpoints and exceptions; and numbers of breakpoints that it takes for texts.
UNREAD = (
    *("launch", "configurationDone", "next", "stepIn", "stepBack", "stepOut", "reverseContinue"),
    *("disconnect", "terminate", "pause"),
    *("disassemble", "setFunctionBreakpoints", "exceptionInfo"),
)


class StoppedEvent(events.StoppedEvent):
    hitBreakpointIds: list[int] | None = None


class Handler(dap.handler.Handler):
    def handle_response(self, response):
        return response if response.command in UNREAD else super().handle_response(response)

    def handle_event(self, event):
        return StoppedEvent.model_validate(event.body) if event.event == "stopped" else super().handle_event(event)


class Editor:
    """The client library over the pipes of a server."""

    def __init__(self, *words, cwd=None):
        command = [str(BIN / "systole"), "debug", "--dap", *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd)
        self.timer = threading.Timer(SECONDS, self.process.kill)
        self.client = dap.Client("systole")
        self.client.handler = Handler(self.client)
        self.received = []

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()

    def send(self):
        self.process.stdin.write(self.client.send())
        self.process.stdin.flush()

    def wait(self, kind):
        """The next message of a kind."""
        self.send()
        while True:
            for number, message in enumerate(self.received):
                if isinstance(message, kind):
                    return self.received.pop(number)
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, "the server has ended"
            self.received += self.client.receive(data)

    def body(self, command):
        """That of the next response to a command."""
        response = self.wait(dap.base.Response)
        while response.command != command:
            response = self.wait(dap.base.Response)
        return response.body

    def launch(self, **configuration):
        self.capabilities = self.wait(responses.Initialized)
        self.client.send_request("launch", configuration)
        self.wait(events.InitializedEvent)

    def start(self, **configuration):
        """Launches, and stops at the entry."""
        self.launch(**configuration)
        self.client.configuration_done()
        return self.stopped()

    def stopped(self):
        return self.wait(StoppedEvent)

    def frames(self):
        self.client.stack_trace(1)
        return self.wait(responses.StackTraceResponse).stackFrames

    def evaluate(self, expression, context="watch"):
        self.client.evaluate(expression, context=context)
        return self.wait(responses.EvaluateResponse).result

    def cycle(self):
        return int(self.evaluate("where", "repl").partition("cycle ")[2].split(",")[0].split("\n")[0])

    def scopes(self):
        """The variables of each scope, by name."""
        self.client.scopes(0)
        return {scope.name: scope.variablesReference for scope in self.wait(responses.ScopesResponse).scopes}

    def variables(self, reference):
        self.client.variables(reference)
        return {each.name: each for each in self.wait(responses.VariablesResponse).variables}

    def breakpoints(self, kind):
        return self.wait(kind).breakpoints


@pytest.fixture
def ramp(tmp_path):
    save_args(tmp_path / "args.npz", [np.arange(1024, dtype=np.float32).reshape(8, 128)])
    return {"program": str(INCREMENT), "args": str(tmp_path / "args.npz")}


def test_session(ramp):
    """Launch, breakpoint, step, step back, variables, watch, disconnect."""
    with Editor() as editor:
        editor.launch(**ramp)
        assert editor.capabilities.supportsStepBack
        editor.client.set_breakpoints(dict(path="/somewhere/increment.py"), [dict(line=3)])
        [answer] = editor.breakpoints(responses.SetBreakpointsResponse)
        assert answer.verified and answer.line == 3
        editor.client.configuration_done()
        assert editor.stopped().reason == "entry"
        [frame] = editor.frames()
        assert (frame.line, frame.column, frame.source.name) == (3, 1, "increment.py")
        assert frame.name == "increment"

        editor.client.next(1, granularity="instruction")
        assert editor.stopped().reason == "step"
        assert editor.cycle() == 1
        editor.client.step_back(1, granularity="instruction")
        editor.stopped()
        assert editor.cycle() == 0

        editor.client.continue_(1)
        assert editor.stopped().description.startswith("the program has halted")
        end = editor.cycle()
        tensors = editor.variables(editor.scopes()["Tensors"])
        rows = editor.variables(tensors["out0 y"].variablesReference)
        assert len(rows) == 8 and rows["[3]"].type == "tensor<128xf32>"
        elements = editor.variables(rows["[3]"].variablesReference)
        assert float(elements["[5]"].value) == 3 * 128 + 5 + 1
        assert elements["[5]"].evaluateName == "out0[3, 5]"
        assert editor.evaluate("out0[3, 5]") == "390."

        # Back to the start, since a run does not stop where it begins.
        editor.client.reverse_continue(1)
        assert editor.stopped().reason == "breakpoint"
        assert editor.cycle() == 0 and editor.evaluate("out0[3, 5]") == "0."
        editor.client.continue_(1)
        editor.stopped()
        assert editor.cycle() == end
        # A command that moves: clients take one stop after another for an error.
        assert "cycle 0" in editor.evaluate("goto 0", "repl")
        editor.wait(events.ContinuedEvent)
        assert editor.stopped().reason == "goto"
        editor.evaluate(f"goto {end}", "repl")
        editor.stopped()
        editor.client.continue_(1)
        editor.wait(events.TerminatedEvent)
        editor.client.disconnect()
        editor.send()
        assert editor.process.wait(SECONDS) == 0


def test_data_breakpoints(ramp):
    with Editor() as editor:
        editor.start(**ramp)
        tensors = editor.variables(editor.scopes()["Tensors"])
        rows = editor.variables(tensors["out0 y"].variablesReference)
        editor.client.data_breakpoint_info("[5]", rows["[3]"].variablesReference)
        found = editor.wait(responses.DataBreakpointInfoResponse)
        assert found.dataId == "out0[3, 5]" and "write" in found.accessTypes
        watch = dict(dataId=found.dataId, accessType="write")
        editor.client.set_data_breakpoints([watch])
        [answer] = editor.breakpoints(responses.SetDataBreakpointsResponse)
        editor.client.continue_(1)
        stop = editor.stopped()
        assert stop.reason == "data breakpoint" and stop.hitBreakpointIds == [answer.id]
        assert editor.evaluate("out0[3, 5]") == "390."
        # Each request replaces what the last one of its kind has set.
        editor.client.set_data_breakpoints([])
        editor.breakpoints(responses.SetDataBreakpointsResponse)
        editor.client.continue_(1)
        assert editor.stopped().description.startswith("the program has halted")


def test_parts_of_slices(ramp):
    """Elements of a slice are those of the tensor, also for data breakpoints."""
    with Editor() as editor:
        editor.start(**ramp)
        editor.client.evaluate("arg0[2:4]", context="watch")
        reference = editor.wait(responses.EvaluateResponse).variablesReference
        rows = editor.variables(reference)
        assert [row.evaluateName for row in rows.values()] == ["arg0[2]", "arg0[3]"]
        elements = editor.variables(rows["[1]"].variablesReference)
        assert len(elements) == 128 and elements["[5]"].value == "389." and elements["[5]"].evaluateName == "arg0[3, 5]"
        editor.client.data_breakpoint_info("[1]", reference)
        assert editor.wait(responses.DataBreakpointInfoResponse).dataId == "arg0[3]"
        editor.client.evaluate("arg0[1, 10:2:-2]", context="watch")
        reference = editor.wait(responses.EvaluateResponse).variablesReference
        assert editor.variables(reference)["[1]"].evaluateName == "arg0[1, 8]"
        assert editor.evaluate("cycle") == "0"


def test_code(ramp):
    with Editor() as editor:
        editor.start(**ramp)
        [frame] = editor.frames()
        editor.client.send_request(
            "disassemble",
            {"memoryReference": frame.instructionPointerReference, "instructionCount": 5, "instructionOffset": -1},
        )
        before, first, *_, last = editor.body("disassemble")["instructions"]
        assert before["presentationHint"] == "invalid" and first["instruction"].startswith("dma.start")
        assert first["line"] == 3 and "v.fadd" in last["instruction"]
        point = dict(instructionReference=last["address"], offset=1)
        editor.client.set_instruction_breakpoints([point])
        [answer] = editor.breakpoints(responses.SetInstructionBreakpointsResponse)
        assert answer.verified
        editor.client.continue_(1)
        assert editor.stopped().reason == "breakpoint"
        assert "vst.b32" in editor.evaluate("disassemble 1", "repl")
        assert editor.evaluate("v0").startswith("tensor<8x128xf32>")


def test_trap(tmp_path):
    text = INCREMENT.read_text().replace("    wait 1, flag=0\n", "", 1)
    (tmp_path / "race.sysasm").write_text(text)
    save_args(tmp_path / "args.npz", [np.zeros((8, 128), np.float32)])
    with Editor() as editor:
        editor.start(program=str(tmp_path / "race.sysasm"), args=[str(tmp_path / "args.npz")])
        editor.client.continue_(1)
        stop = editor.stopped()
        assert stop.reason == "exception" and stop.text
        editor.client.exception_info(1)
        assert editor.body("exceptionInfo")["description"] == stop.text
        assert any(name.startswith("copy") for name in editor.variables(editor.scopes()["Machine"]))


def layer(x):
    for _ in range(2):
        x = jnp.tanh(x @ x)
    return x


def test_a_program_of_jax(tmp_path):
    """Breakpoints at lines of this file and at kernels, with conditions."""
    lowered = jax.jit(layer).lower(jnp.eye(128) * 0.5)
    (tmp_path / "layer.mlir").write_text(lowered.as_text(debug_info=True))
    save_args(tmp_path / "args.npz", [np.eye(128, dtype=np.float32) * 0.5])
    line = inspect.getsourcelines(layer)[1] + 2
    with Editor(tmp_path / "layer.mlir", "--args", tmp_path / "args.npz", "--target", "v3") as editor:
        editor.launch(stopOnEntry=False)
        place = [dict(line=line, condition="cycle > 0"), dict(line=line + 50)]
        editor.client.set_breakpoints(dict(path=__file__), place)
        good, bad = editor.breakpoints(responses.SetBreakpointsResponse)
        assert good.verified and not bad.verified and "no code" in bad.message
        editor.client.set_function_breakpoints([dict(name="absent*")])
        [answer] = editor.body("setFunctionBreakpoints")["breakpoints"]
        assert not answer["verified"]
        editor.client.configuration_done()
        assert editor.stopped().reason == "breakpoint"
        frame = editor.frames()[0]
        assert frame.source.name == pathlib.Path(__file__).name and frame.line == line
        assert editor.cycle() > 0


def test_mistakes(ramp):
    with Editor() as editor:
        editor.wait(responses.Initialized)
        for command, arguments in (
            ("threads", None),
            ("stackTrace", {"threadId": 1}),
            ("launch", {"program": "absent.mlir"}),
            ("launch", {}),
            ("launch", ramp),
            ("nonsense", {}),
            ("evaluate", {"expression": "print z", "context": "repl"}),
            ("variables", {"variablesReference": 99}),
            ("disassemble", {"memoryReference": "x", "instructionCount": 1}),
        ):
            editor.client.send_request(command, arguments)
        editor.client.disconnect()
        data = editor.client.send()
        # Neither is a message, and the parser recurses.
        deep = b"[" * 200_000
        data = b"Content-Length: 3\r\n\r\n{}}Content-Length: %d\r\n\r\n%b" % (len(deep), deep) + data
        output, _ = editor.process.communicate(data, SECONDS)
        for text in (
            "no program has been launched",
            "absent.mlir",
            "names no",
            "'nonsense' is not supported",
            "there is no argument or result 'z'",
            "no such variable",
            "'x' is no instruction",
        ):
            assert text in output.decode(), text
        assert editor.process.returncode == 0
