# SPDX-License-Identifier: GPL-2.0-only
"""The workload programs do what they say, by perf's count: the other tests stand on them."""

import re
import subprocess

import pytest


def perf_count(event, command):
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", event, "--", *map(str, command)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    match = re.search(rf"^(\d+),,{re.escape(event)}", done.stderr, re.M)
    assert match, done.stderr
    return int(match.group(1))


@pytest.mark.parametrize(
    "args, event, count",
    [
        (["syscalls", "getppid", "100003"], "syscalls:sys_enter_getppid", 100003),
        (["threads", "3", "1001"], "syscalls:sys_enter_getppid", 3003),
        (["forks", "5", "7", "true"], "syscalls:sys_enter_getppid", 35),
        (["forks", "5", "0", "true"], "sched:sched_process_exec", 6),
        (["comm", r"a\xff b", "23"], "syscalls:sys_enter_getppid", 23),
    ],
)
def test_counts(workload_path, requires, args, event, count):
    requires("tool:perf")
    assert perf_count(event, [workload_path(args[0]), *args[1:]]) == count


def test_ping_pong_switches_at_each_hand_over(workload_path, requires):
    requires("tool:perf")
    seen = perf_count("sched:sched_switch", [workload_path("pingpong"), "1000"])
    # A side that is preempted between writing and reading need not wait.
    assert seen >= 1000


def test_a_workload_says_what_it_did(workload):
    started = workload("openat", 1000, "/etc/passwd", 100, "/nowhere")
    assert started.begun > 0
    assert started.go() == {"pid": started.pid, "calls": 1000, "marked": 10, "opened": 990}
