# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the Python and kernel tests; what they are made of stands in support.py."""

import os
import subprocess
import sys
from typing import Any, Callable, Iterator, List

import pytest

import support

# The extension module that was built, and the package over it.
sys.path.insert(0, str(support.BUILD))


class Tamis:
    """tamis("trace", "-e", ...) runs the program to its end; tamis.start(...) leaves it running."""

    def __init__(self) -> None:
        self.path = support.BUILD / "tamis"
        self.started: List[support.Process] = []

    def start(self, *args: support.Arg, program: Any = None, **popen: Any) -> support.Process:
        process = support.Process([program or self.path, *args], **popen)
        self.started.append(process)
        return process

    def __call__(self, *args: support.Arg, timeout: float = 60, **popen: Any) -> support.Process:
        popen.setdefault("stdin", subprocess.DEVNULL)
        return self.start(*args, **popen).wait(timeout)

    def close(self) -> None:
        for process in self.started:
            process.close()


@pytest.fixture
def tamis() -> Iterator[Tamis]:
    """The program under test. What a test leaves running is ended."""
    runner = Tamis()
    assert runner.path.exists(), f"{runner.path} is not built"
    yield runner
    runner.close()


@pytest.fixture
def workload() -> Iterator[Callable[..., support.Workload]]:
    """workload("syscalls", "getppid", 100003) starts it waiting; .begun is its pid, .go() lets it run."""
    started: List[support.Workload] = []

    def start(name: str, *args: support.Arg, **popen: Any) -> support.Workload:
        process = support.Workload([support.workload_path(name), "-w", *args], **popen)
        started.append(process)
        return process

    yield start
    for process in started:
        process.close()


@pytest.fixture
def busy() -> Iterator[support.Process]:
    """Somebody who makes system calls: a guest that is idle makes none."""
    process = support.Process(["sh", "-c", "while sleep 0.01; do :; done"])
    yield process
    process.close()


@pytest.fixture
def requires() -> Callable[..., None]:
    """requires("kprobes", "tool:perf"): skips, with the reason, where the machine lacks one."""
    return support.require


@pytest.fixture
def requires_root() -> None:
    support.require("root")


@pytest.fixture
def workload_path() -> Callable[[str], Any]:
    """The path of a workload program, to put behind `--`."""
    return support.workload_path


def pytest_report_header() -> str:
    return f"tamis: {support.BUILD}, kernel {os.uname().release}"
