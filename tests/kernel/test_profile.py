# SPDX-License-Identifier: GPL-2.0-only
"""tamis profile: counts that add up, scope, without BPF, interrupts, mistakes."""

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any, List

import pytest

import support
from folded import FP, compile_c, of, parse, share


def samples_said(err: str) -> int:
    match = re.search(r"(\d+) samples in ([0-9.]+) s, lost (\d+)", err)
    assert match, err
    return int(match[1]) - int(match[3])


def test_samples_add_up(tamis, workload_path):
    """Every sample is in the tree, and their number is that of the CPU time."""
    done = tamis(
        "profile", "-F", support.hz(999), "--folded", "--", workload_path("burn"), support.ms(1000)
    )
    stacks = parse(done.out)
    assert sum(stacks.values()) == samples_said(done.err)
    assert 850 < sum(of(stacks, "burn").values()) < 1150, done.err


def test_scope(tamis, workload_path):
    inside = support.Process([workload_path("burn"), support.ms(3000)])
    outside = support.Process([workload_path("burn"), support.ms(3000), "vdso"])
    try:
        done = tamis(
            "profile",
            "-F",
            "499",
            "--folded",
            "-p",
            inside.pid,
            "--",
            "sleep",
            support.ms(500) / 1000,
        )
        stacks = parse(done.out)
        assert share(of(stacks, "burn"), "middle", "hot_fn") > 0.8
        assert "read_clock" not in done.out
        done = tamis("profile", "-F", "499", "--folded", "--comm", "sleep", "--", "sleep", "0.3")
        assert not of(parse(done.out), "burn")
        assert not of(parse(done.out), "swapper/0")
    finally:
        inside.close()
        outside.close()


def test_sides_can_be_left_out(tamis, workload_path):
    calls = [workload_path("syscalls"), "getppid", 1000000]
    done = tamis("profile", "-F", "499", "--folded", "--no-kernel-callchain", "--", *calls)
    assert "_[k]" not in done.out and of(parse(done.out), "syscalls")
    done = tamis("profile", "-F", "499", "--folded", "--no-user-callchain", "--", *calls)
    assert "main" not in done.out and "_[k]" in done.out


@pytest.mark.parametrize("how", ["option", "capabilities"])
def test_without_bpf(tamis, workload_path, how, paranoid):
    command = ["profile", "-F", support.hz(499), "--folded"]
    workload = ["--", workload_path("burn"), support.ms(400)]
    if how == "option":
        done = tamis(*command, "--transport", "perf", *workload)
    else:
        support.require("tool:setpriv")
        drop = "-sys_admin,-bpf"
        done = tamis.start(
            "--bounding-set",
            drop,
            "--inh-caps",
            drop,
            tamis.path,
            *command,
            *workload,
            program="setpriv",
        ).wait()
        assert "without BPF each sample travels" in done.err and "CAP_BPF" in done.err
    assert done.rc == 0, done.err
    stacks = of(parse(done.out), "burn")
    assert share(stacks, "main", "middle", "hot_fn") > 0.8
    assert 150 < sum(stacks.values()) < 250


MANY = """
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
/* Each call chain of 16 levels is one number: its bits say which of two functions is called. */
__attribute__((noinline)) void left(unsigned path, int depth);
__attribute__((noinline)) void right(unsigned path, int depth);
static void down(unsigned path, int depth)
{
	if (!depth) {
		for (volatile int i = 0; i < 3000; i++)
			sink += i;
		return;
	}
	if (path & 1)
		left(path >> 1, depth - 1);
	else
		right(path >> 1, depth - 1);
}
void left(unsigned path, int depth) { down(path, depth); sink++; }
void right(unsigned path, int depth) { down(path, depth); sink++; }
int main(void)
{
	for (unsigned i = 0;; i++)
		down(i * 2654435761u, 16);
}
"""


def workloads(program: Path) -> List[int]:
    """A workload outlives an interrupted run: whoever runs this program, its path is the test's own."""
    found = []
    for exe in Path("/proc").glob("[0-9]*/exe"):
        try:
            if exe.readlink() == program:
                found.append(int(exe.parent.name))
        except OSError:
            pass
    return found


def test_interrupt_with_many_stacks(tamis, tmp_path):
    """D12: the first Ctrl-C ends the run and prints, soon."""
    program = compile_c(tmp_path / "many", MANY, *FP)
    running = tamis.start("profile", "-F", "4999", "--folded", "--", program)
    support.attached(running)
    time.sleep(3)
    began = time.monotonic()
    running.signal(2)
    running.wait(5)
    took = time.monotonic() - began
    for pid in support.descendants(running.pid) + workloads(program):
        os.kill(pid, 9)
    stacks = of(parse(running.out), "many")
    assert len(stacks) > 1000, running.err
    assert took < 1.5 * support.PATIENCE, took


def test_second_interrupt(tamis, tmp_path):
    """D12: a second Ctrl-C ends it at once, also while nobody takes what it prints."""
    program = compile_c(tmp_path / "many", MANY, *FP)
    command = [tamis.path, "profile", "-F", "4999", "--folded", "--", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        wchan = Path(f"/proc/{running.pid}/wchan")
        time.sleep(2 * support.PATIENCE)
        running.send_signal(2)
        support.wait_until(lambda: "pipe_write" in wchan.read_text(), "a full pipe")
        began = time.monotonic()
        running.send_signal(2)
        assert running.wait(10) == 130
        assert time.monotonic() - began < 1 * support.PATIENCE
    for pid in workloads(program):
        os.kill(pid, 9)


@pytest.mark.parametrize(
    "args, text",
    [
        (["-F", "0"], "want a number above 0"),
        (["-F", "10000000"], "at most 100000"),
        (["--unwind", "magic"], "auto, fp or dwarf"),
        (["stray"], "is no option"),
    ],
)
def test_mistakes(tamis, args, text):
    done = tamis("profile", *args)
    assert done.rc == 2 and text in done.err and not done.out


def test_output_that_cannot_be_written(tamis, workload_path):
    burn = ["--", workload_path("burn"), 50]
    done = tamis("profile", "--flame-graph", "/nonexistent/x.svg", *burn)
    assert done.rc == 1 and "/nonexistent/x.svg" in done.err
    with open("/dev/full", "w") as full:
        done = tamis("profile", *burn, stdout=full)
    assert done.rc == 1 and "No space left" in done.err


def test_exit_status_is_the_workloads(tamis: Any):
    assert tamis("profile", "--", "sh", "-c", "exit 7").rc == 7
    assert tamis("profile", "--", "sh", "-c", "kill -9 $$").rc == 137
