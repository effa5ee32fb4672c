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
SLEEP = 0.01

# Waits to be let go, sleeps and computes, says how long the kernel saw it wait for a CPU.
SLEEPER = f"""
import sys, time
def delay():
    return int(open("/proc/self/schedstat").read().split()[1])
print("pid=0", flush=True)
sys.stdin.readline()
before = delay()
for _ in range({SLEEPS}):
    time.sleep({SLEEP})
    sum(range(20000))
print(f"delay={{delay() - before}}", flush=True)
sys.stdin.readline()
"""


def records(run: support.Process) -> List[Dict[str, Any]]:
    """The events among the lines of JSON."""
    lines = [line for line in run.out.splitlines() if line.startswith("{")]
    return [r for r in map(json.loads, lines) if "_event" in r and "_lost" not in r]


def attached(process: support.Process) -> bool:
    """Has it attached a BPF program?"""
    try:
        fds = [os.readlink(fd) for fd in Path(f"/proc/{process.pid}/fd").iterdir()]
    except OSError:
        return False
    return any("bpf_link" in fd or "bpf-link" in fd for fd in fds)


def trace_sleeper(tamis, event: str) -> Any:
    """The events of `event` while the sleeper sleeps, and what it says. {} in event is its pid."""
    sleeper = support.Workload([sys.executable, "-c", SLEEPER])
    try:
        sleeper.wait_for("pid=")
        run = tamis.start("trace", "--json", "-e", event.replace("{}", str(sleeper.pid)))
        support.wait_until(lambda: attached(run) or run.rc is not None, "attached programs")
        sleeper.send("go")
        sleeper.wait_for("delay=")
        run.stop()
        said = support.said(sleeper.out)
    finally:
        sleeper.close()
    assert run.rc == 0, run.err
    return records(run), said["delay"], run.err


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
    got, delay, err = trace_sleeper(tamis, "rundelay/next_pid == {}/")
    assert len(got) >= SLEEPS, err
    assert {r["_event"] for r in got} == {"rundelay"}
    # the last wakeup, by this test, and clocks read at slightly different places
    total = sum(r["latency"] for r in got)
    assert abs(total - delay) < 0.1 * delay + 3e6, (total, delay)


def test_task_state(tamis):
    """A sleep is blocked from its switch on as long as it lasts, and interruptible."""
    got, _, err = trace_sleeper(tamis, "task-state")
    pid = max(
        {r["pid"] for r in got if r["_event"] == "task-state:blocked"},
        key=lambda pid: sum(
            r.get("pid") == pid and "blocked" in r["_event"] and r["latency"] > 9e6 for r in got
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
    support.wait_until(lambda: attached(run) or run.rc is not None, "attached programs")
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
