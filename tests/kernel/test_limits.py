# SPDX-License-Identifier: GPL-2.0-only
"""Limits of the process: smaller rings with a note, many events, and nothing left of a tool that was killed."""

import re
import signal
import subprocess

import pytest

import support

EXEC = "sched:sched_process_exec"


def limited(tamis, limit, *args):
    """tamis under a shell's ulimit."""
    words = " ".join(f"'{a}'" for a in args)
    return subprocess.run(
        ["bash", "-c", f"ulimit {limit}; exec {tamis.path} {words}"],
        capture_output=True,
        text=True,
        timeout=60 * support.PATIENCE,
    )


def execs(out):
    return len(re.findall(r"sched_process_exec: filename=\S*true ", out))


def test_rings_fit_the_address_space(tamis):
    """Case C8: starts smaller, and says so."""
    run = limited(tamis, "-v 300000", "trace", "-m", "256M", "-e", EXEC, "--", "/bin/true")
    assert run.returncode == 0, run.stderr
    assert re.search(r"rings of \d+ KiB a CPU instead of 262144 KiB", run.stderr), run.stderr
    assert execs(run.stdout) == 1


def test_smallest_ring(tamis):
    run = limited(tamis, "-v unlimited", "trace", "-m", "1", "-e", EXEC, "--", "/bin/true")
    assert (run.returncode, execs(run.stdout)) == (0, 1), run.stderr
    assert "instead of" not in run.stderr


def test_too_few_descriptors_attach_nothing(tamis):
    run = limited(tamis, "-n 40", "trace", "-e", "ext4:*", "--", "/bin/true")
    if "no event" in run.stderr or "matches nothing" in run.stderr:
        support.skip("this kernel has no ext4 events")
    assert run.returncode == 1
    assert re.search(r"RLIMIT_NOFILE is 40|descriptors|Too many open files", run.stderr), run.stderr


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left(tamis, sent):
    """Case J7: what the kernel holds for it goes with the process; conftest.py looks for what stays."""
    run = tamis.start("trace", "-e", "raw_syscalls:*,sched:sched_switch,syscalls:sys_enter_getppid")
    run.wait_for("raw_syscalls")
    run.signal(sent)
    run.wait()
    assert run.rc == (0 if sent == signal.SIGINT else -sent)
