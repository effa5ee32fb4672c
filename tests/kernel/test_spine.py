# SPDX-License-Identifier: GPL-2.0-only
"""The main job: kernel events reach a Python script, all of them, on both transports."""

import re
import subprocess
import time

import pytest

import support

N = 100003
GETPPID = "syscalls:sys_enter_getppid"

COUNT = """
import os, sys, time
seen = late = lost_calls = 0
last = 0
pause = float(os.environ.get("PAUSE", "0"))

def __sample__(event):
    global seen, late, last
    seen += 1
    if event._time < last:
        late += 1
    last = event._time
    if pause:
        time.sleep(pause)

def __lost__(start, end):
    global lost_calls
    lost_calls += 1

def __interval__():
    print("tick", seen, flush=True)

def __exit__():
    print(f"seen={seen}\\nlate={late}\\nlost_calls={lost_calls}")
"""


@pytest.fixture
def count_script(tmp_path):
    path = tmp_path / "count.py"
    path.write_text(COUNT)
    return path


def lost_total(err):
    """What the exit summary says was lost."""
    return sum(int(n) for n in re.findall(r"delivered \d+, lost (\d+)", err))


@pytest.mark.parametrize("transport", ["bpf", "perf"])
@pytest.mark.parametrize("order", [[], ["--order"]], ids=["as-they-come", "order"])
def test_every_call_is_seen(tamis, workload_path, count_script, transport, order):
    run = tamis(
        "python", "-e", GETPPID, "--transport", transport, *order, count_script,
        "--", workload_path("syscalls"), "getppid", N,
    )  # fmt: skip
    got = support.said(run.out)
    assert (run.rc, got["seen"], got["lost_calls"]) == (0, N, 0), run.err
    assert run.err == ""
    if order:
        assert got["late"] == 0


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_received_and_lost_is_produced(tamis, workload_path, count_script, transport):
    """Case C1: a tiny ring and a handler that sleeps."""
    run = tamis(
        "python", "-e", GETPPID, "--transport", transport, "-m", 1, count_script,
        "--", workload_path("syscalls"), "getppid", N,
        env={"PAUSE": "0.0005", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    got = support.said(run.out)
    lost = lost_total(run.err)
    assert run.rc == 0
    assert lost > 0 and got["lost_calls"] > 0
    assert got["seen"] + lost == N, run.err
    totals = re.findall(r"lost \d+ events \(total (\d+)\)", run.err)
    assert int(totals[-1]) == lost


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_threads_come_in_order(tamis, workload_path, count_script, transport):
    run = tamis(
        "python", "-e", GETPPID, "--transport", transport, "--order", count_script,
        "--", workload_path("threads"), 4, 5003,
    )  # fmt: skip
    got = support.said(run.out)
    assert (got["seen"], got["late"]) == (4 * 5003, 0), run.err


def test_exec_of_the_workload_is_seen_once(tamis, count_script):
    """Case B7: nothing of a short workload is missed, not even its exec."""
    for _ in range(10):
        run = tamis("python", "-e", "sched:sched_process_exec", count_script, "--", "/bin/true")
        assert (run.rc, support.said(run.out)["seen"]) == (0, 1), run.err


def test_the_tail_is_seen(tamis, workload_path, count_script):
    """Case C7: the last calls before the workload's _exit."""
    for _ in range(3):
        run = tamis(
            "python", "-e", GETPPID, count_script, "--", workload_path("syscalls"), "getppid", 10007
        )
        assert support.said(run.out)["seen"] == 10007, run.err


def perf_count(path, *args):
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", GETPPID, "--", path, *map(str, args)],
        capture_output=True, text=True,
    )  # fmt: skip
    return int(done.stderr.split(",")[0])


def test_perf_counts_the_same_beside_us(tamis, requires, workload_path, count_script):
    """A program that returned 0 would hide the event from perf."""
    requires("tool:perf")
    run = tamis.start("python", "-e", GETPPID + "/_pid==1/", "-i", 100, count_script)
    run.wait_for("tick")
    assert perf_count(workload_path("syscalls"), "getppid", 1003) == 1003
    assert run.stop().rc == 0


def test_two_instances_with_different_filters(tamis, workload, count_script):
    """Cases B4 and J7: each sees what it should, also after the other was killed."""
    event = "raw_syscalls:sys_enter"
    work = workload("syscalls", "getppid", 2003, 77)
    one = tamis.start("python", "-e", f"{event}/id==110&&args[0]==77/", "-i", 100, count_script)
    two = tamis.start(
        "python", "-e", f"{event}/id==111/", "-p", work.begun, "-i", 100, count_script
    )
    three = tamis.start("python", "-e", event + "/id==110/", "-i", 100, count_script)
    for run in (one, two, three):
        run.wait_for("tick")
    three.stop(9)
    work.go()
    time.sleep(0.3)
    assert support.said(one.stop().out)["seen"] == 2003
    assert support.said(two.stop().out)["seen"] == 0


def test_silence_is_explained(tamis, count_script):
    run = tamis.start("python", "-e", "syscalls:sys_enter_swapoff", count_script)
    run.wait_for("syscalls:sys_enter_swapoff: never fired so far", 10)
    run.stop()


def test_silence_of_a_filter_is_explained(tamis, workload, count_script):
    work = workload("syscalls", "getppid", 103)
    run = tamis.start("python", "-e", GETPPID + "/common_pid==1/", "-i", 100, count_script)
    run.wait_for("tick")
    work.go()
    run.wait_for("rejected by the filter", 10)
    fired, rejected = map(
        int, re.search(r"fired (\d+), .* rejected by the filter (\d+)", run.err).groups()
    )
    assert fired >= rejected >= 103
    run.stop()


def test_idle_wakes_seldom(tamis, count_script):
    def switches(pid):
        with open(f"/proc/{pid}/status") as f:
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", f.read(), re.M).group(1))

    run = tamis.start("python", "-e", "sched:sched_process_exec/_pid==1/", "-q", count_script)
    support.wait_until(lambda: run.rc is None and switches(run.pid) > 3, "a start")
    time.sleep(4)
    before = switches(run.pid)
    time.sleep(5)
    assert switches(run.pid) - before <= 50
    run.stop()


def test_number_of_events(tamis, workload_path, count_script):
    run = tamis(
        "python",
        "-e",
        GETPPID,
        "-N",
        17,
        count_script,
        "--",
        workload_path("syscalls"),
        "getppid",
        101,
    )
    assert support.said(run.out)["seen"] == 17


def test_output_file_is_reopened(tamis, tmp_path, count_script):
    out = tmp_path / "out"
    run = tamis.start("python", "-e", GETPPID, "-i", 50, "-o", out, count_script)
    support.wait_until(lambda: out.exists() and "tick" in out.read_text(), "a line in -o")
    out.rename(tmp_path / "old")
    run.signal(10)
    support.wait_until(lambda: out.exists() and "tick" in out.read_text(), "a line after SIGUSR1")
    assert run.stop().rc == 0
    assert "seen=" in out.read_text()


@pytest.mark.parametrize("exists, reason", [(False, "No such file"), (True, "Permission denied")])
def test_workload_that_cannot_start(tamis, tmp_path, count_script, exists, reason):
    command = str(tmp_path / "program")
    if exists:
        (tmp_path / "program").write_text("no program")
    run = tamis("python", "-e", GETPPID, count_script, "--", command)
    assert run.rc == 1
    assert command in run.err and reason in run.err
    assert run.err.count("\n") == 1


def test_workload_exit_status(tamis, count_script):
    assert tamis("python", "-e", GETPPID, count_script, "--", "sh", "-c", "exit 7").rc == 7
    assert tamis("python", "-e", GETPPID, count_script, "--", "sh", "-c", "kill -9 $$").rc == 137


def test_usage(tamis):
    alone = tamis()
    assert alone.rc == 0
    assert alone.out.count("  tamis ") >= 5
    wrong = tamis("pyhton")
    assert wrong.rc == 2
    assert "no command 'pyhton' (nearest: python)" in wrong.err
    for command in ("python", "trace"):
        shown = tamis(command, "-h")
        assert shown.rc == 0
        assert shown.out.count(f"  tamis {command} ") >= 5


@pytest.mark.parametrize(
    "event, words",
    [
        ("syscalls:sys_enter_opan", ["sys_enter_opan", "sys_enter_open"]),
        ("syscalls:nosuch", ["nosuch"]),
        ("nosys:x", ["nosys"]),
    ],
)
def test_unknown_event(tamis, count_script, event, words):
    """Case A14."""
    run = tamis("python", "-e", event, count_script)
    assert run.rc == 2
    assert all(word in run.err for word in words), run.err
    assert "Traceback" not in run.err
