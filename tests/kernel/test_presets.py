# SPDX-License-Identifier: GPL-2.0-only
"""The presets that come with tamis, against what the workload or the kernel itself counts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

import support

SLEEPS = 23
# long beside what another process may take of the only CPU
SLEEP = 0.01 * support.PATIENCE

# Waits to be let go, sleeps and computes, says how long the kernel saw it wait for a CPU, and when it
# asked for that: the first time at some point from begin0 to begin1.
SLEEPER = f"""
import sys, time
def delay():
    schedstat.seek(0)
    before = time.monotonic_ns()
    text = schedstat.read()
    return before, int(text.split()[1]), time.monotonic_ns()
schedstat = open("/proc/self/schedstat")
print("pid=0", flush=True)
sys.stdin.readline()
begin0, at_first, begin1 = delay()
for _ in range({SLEEPS}):
    time.sleep({SLEEP})
    sum(range(20000))
end0, at_last, end1 = delay()
print(f"begin0={{begin0}}", f"begin1={{begin1}}", f"end0={{end0}}", f"end1={{end1}}", sep="\\n")
print(f"delay={{at_last - at_first}}", flush=True)
sys.stdin.readline()
"""


def records(run: support.Process) -> List[Dict[str, Any]]:
    """The events among the lines of JSON."""
    lines = [line for line in run.out.splitlines() if line.startswith("{")]
    return [r for r in map(json.loads, lines) if "_event" in r and "_lost" not in r]


def trace_sleeper(tamis, event: str) -> Any:
    """The events of `event` while the sleeper sleeps, and what it says. {} in event is its pid."""
    sleeper = support.Workload([sys.executable, "-c", SLEEPER])
    try:
        sleeper.wait_for("pid=")
        run = tamis.start("trace", "--json", "-e", event.replace("{}", str(sleeper.pid)))
        support.attached(run)
        sleeper.send("go")
        sleeper.wait_for("delay=")
        run.stop()
        said = support.said(sleeper.out)
    finally:
        sleeper.close()
    assert run.rc == 0, run.err
    return records(run), said, run.err


def waited(got: List[Dict[str, Any]], begin: int, end: int) -> int:
    """The latencies of the events between two times."""
    return sum(r["latency"] for r in got if begin <= r["_time"] <= end)


def test_syscalls(tamis, workload_path):
    """Each call once, with its time; the call that the workload counts, exactly."""
    run = tamis(
        "trace", "--json", "-e", "syscalls", "-m", "16M", "--",
        workload_path("syscalls"), "getppid", 10007,
    )  # fmt: skip
    number = {"x86_64": 110, "aarch64": 173}[os.uname().machine]
    got = [r for r in records(run) if r["id"] == number]
    assert len(got) == 10007, run.err
    assert {r["_event"] for r in got} == {"syscalls"}
    assert all(0 < r["latency"] < 10**10 and r["ret"] > 0 for r in got)


def test_rundelay(tamis):
    """The sum is what /proc/PID/schedstat says."""
    got, said, err = trace_sleeper(tamis, "rundelay/next_pid == {}/")
    assert len(got) >= SLEEPS, err
    assert {r["_event"] for r in got} == {"rundelay"}
    # clocks are read at slightly different places, between which a guest's kernel does more
    slack = 0.1 * said["delay"] + 3e6 * max(1, support.PATIENCE / 4)
    assert waited(got, said["begin1"], said["end0"]) <= said["delay"] + slack, said
    assert waited(got, said["begin0"], said["end1"]) >= said["delay"] - slack, said


def test_task_state(tamis):
    """A sleep is blocked from its switch on as long as it lasts, and interruptible."""
    got, _, err = trace_sleeper(tamis, "task-state")
    pid = max(
        {r["pid"] for r in got if r["_event"] == "task-state:blocked"},
        key=lambda pid: sum(
            r.get("pid") == pid and "blocked" in r["_event"] and r["latency"] > SLEEP * 0.8e9
            for r in got
        ),
    )
    slept = [
        r for r in got
        if r["_event"] == "task-state:blocked" and r["pid"] == pid and r["latency"] >= SLEEP * 0.8e9
    ]  # fmt: skip
    assert len(slept) >= SLEEPS, err
    assert {r["start.prev_state"] for r in slept} == {1}
    running = [r for r in got if r["_event"] == "task-state:running" and r["prev_pid"] == pid]
    ready = [r for r in got if r["_event"] == "task-state:ready" and r["next_pid"] == pid]
    assert len(running) >= SLEEPS and len(ready) >= SLEEPS


def test_block(tamis, tmp_path):
    """Requests that are written around the page cache complete; what was missed is told."""
    run = tamis.start("trace", "--json", "-e", "block")
    support.attached(run)
    dd = ["dd", "if=/dev/zero", f"of={tmp_path}/x", "bs=64k", "count=23", "oflag=direct,dsync"]
    if subprocess.run(dd, stderr=subprocess.DEVNULL, check=False).returncode:
        support.skip("no direct writes here")
    run.stop()
    got = records(run)
    if not got:
        support.skip("no block device below the test's folder")
    lost = sum(r["_lost"] for r in map(json.loads, run.out.splitlines()) if "_lost" in r)
    # a start that the kernel skipped leaves its end alone
    lost += sum(map(int, re.findall(r"unmatched (\d+)", run.err)))
    written = [r for r in got if "W" in r["rwbs"] and r["start.bytes"] >= 65536]
    assert len(written) + lost >= 23, run.err
    # direct writes are issued by who makes them, and complete in whatever runs then
    assert all(r["start.comm"] == "dd" for r in written), run.out
    assert all(r["latency"] > 0 for r in got)


def test_kvm_exit(tamis):
    """Attaches where the kernel has KVM."""
    if not Path("/sys/module/kvm").exists():
        support.skip("no kvm module")
    run = tamis("trace", "--json", "-e", "kvm-exit", "--", "/bin/true")
    assert run.rc == 0, run.err
    assert {r["_event"] for r in records(run)} <= {"kvm-exit"}


@pytest.mark.parametrize("preset", ["block", "kvm-exit", "rundelay", "syscalls", "task-state"])
def test_named_in_the_list(tamis, preset):
    """With a line of help."""
    run = tamis("list", preset)
    assert any(l.startswith(preset) and "preset: " in l for l in run.out.splitlines()), run.err
