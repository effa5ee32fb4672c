# SPDX-License-Identifier: GPL-2.0-only
"""The ready scripts, each against somebody else's numbers."""

import collections
import os
import re
import resource
import socket
import subprocess
import threading
import time
from typing import Counter

import pytest

import support


@pytest.fixture
def run(tamis):
    """run("opens", options, command=[...]): its rows as lists of words."""

    def start(name, *options, command=(), wait=True):
        tail = ["--", *command] if command else []
        process = tamis.start("run", name, *options, *tail)
        return process.wait() if wait else process

    return start


def rows(process, after, rc=0):
    """The lines behind the last one that begins with `after`."""
    assert process.rc == rc, process.err
    lines = process.out.splitlines()
    start = max(i for i, line in enumerate(lines) if line.strip().startswith(after))
    return [line.split() for line in lines[start + 1 :]]


def lost(process):
    return sum(int(n) for n in re.findall(r"delivered \d+, lost (\d+)", process.err))


def strace(tmp_path, calls, command):
    """(name, arguments, result) of each call, as strace sees them."""
    support.require("tool:strace")
    log = tmp_path / "strace"
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "4096", "-e", f"trace={calls}", "-o", log, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found = re.findall(r"^\d+ +(\w+)\((.*)\) += (-?\d+)(?: (\w+))?", log.read_text(), re.M)
    return [(name, args, error or result) for name, args, result, error in found]


def test_list(tamis):
    names = [line.split()[0] for line in tamis("run").out.splitlines()]
    assert names == sorted(
        ["opens", "execs", "syscalls", "runqlat", "offcpu", "blocklat", "tcplife", "pagefaults"]
    )
    wrong = tamis("run", "nosuch")
    assert wrong.rc == 2 and "nosuch" in wrong.err


def test_scripts_are_short_and_say_how():
    for script in (support.TOP / "python/scripts").glob("*.py"):
        lines = script.read_text().splitlines()
        assert len(lines) <= 60, script
        # the kernel cuts a first line that is longer
        assert len(lines[0]) < 255 and lines[0].startswith("#!/usr/bin/env -S tamis python"), script
        assert os.access(script, os.X_OK), script
        text = script.read_text()
        assert f"usage: tamis run {script.stem}" in text and "\n$ tamis run" in text, script


def test_as_programs_of_their_own(tamis):
    path = f"{tamis.path.parent}:{os.environ['PATH']}"
    script = support.TOP / "python/scripts/execs.py"
    process = tamis.start("--", "true", program=script, env={**os.environ, "PATH": path}).wait()
    assert [row[3] for row in rows(process, "PID")] == ["true"]


def test_opens(run, tmp_path):
    command = ["cat", "/etc/hostname", "/nosuch", "/etc/passwd"]
    expected = [
        (re.findall(r'"(.*?)"', args)[0], result)
        for _, args, result in strace(tmp_path, "open,openat,openat2,creat", command)
    ]
    process = run("opens", command=command)
    got = [(row[3], row[2]) for row in rows(process, "PID", rc=1) if row[0].isdigit()]
    assert len(got) == len(expected)
    for (path, result), (expected_path, expected_result) in zip(got, expected):
        # memory that was never touched cannot be read when the call is made
        assert (path, result) == (expected_path, expected_result) or path == "?"
    failed = rows(run("opens", "--failed", command=command), "PID", rc=1)
    assert [row[2] for row in failed if row[0].isdigit()].count("ENOENT") == len(
        [result for _, result in expected if result == "ENOENT"]
    )


def test_execs(run, tmp_path):
    forks = support.workload_path("forks")
    command = ["sh", "-c", f"{forks} 7 0 /bin/true; env nosuch-program; exit 0"]
    calls = strace(tmp_path, "execve", command)
    got = [row for row in rows(run("execs", command=command), "PID") if row[0].isdigit()]
    programs = collections.Counter(row[4] for row in got)
    assert programs["/bin/true"] == 7
    assert programs["-"] == sum(result == "ENOENT" for _, _, result in calls) > 0
    assert len(got) == len(calls)
    pids = {row[0]: row for row in got}
    parent = [row for row in got if row[4] == str(forks)][0]
    assert all(pids[row[0]][1] == parent[0] for row in got if row[4] == "/bin/true")


def test_syscalls(run, tmp_path):
    """strace -c: the same numbers for the same program."""
    support.require("tool:strace")
    command = ["find", "/etc", "-name", "passwd"]
    summary = tmp_path / "summary"
    subprocess.run(["strace", "-c", "-f", "-o", summary, *command], stdout=subprocess.DEVNULL)
    expected = {}
    for line in summary.read_text().splitlines()[2:]:
        words = line.split()
        if len(words) in (5, 6) and words[3].isdigit() and words[-1] != "total":
            expected[words[-1]] = (int(words[3]), int(words[4]) if len(words) == 6 else 0)
    assert expected["newfstatat"][0] > 100
    table = rows(run("syscalls", "--top", 999, command=command), "SYSCALL")
    got = {row[0]: (int(row[1]), int(row[2])) for row in table if len(row) == 6}
    # in front of its exec the command is a copy of tamis that waits for being let go, and stdout differs
    for name in (
        "read",
        "write",
        "ioctl",
        "rt_sigaction",
        "rt_sigprocmask",
        "close",
        "set_robust_list",
    ):
        got.pop(name, None)
        expected.pop(name, None)
    assert got == expected


def test_runqlat(run):
    """/proc/PID/schedstat counts the same waits."""
    busy = (
        "import os,time\n"
        "end = time.monotonic() + 1.5\n"
        "while time.monotonic() < end: pass\n"
        "print(os.getpid(), open('/proc/self/schedstat').read().split()[1], flush=True)\n"
        "time.sleep(60)\n"
    )
    process = run("runqlat", "--top", 9999, "-i", 100000, wait=False)
    support.attached(process)
    command = ["taskset", "-c", "0", "python3", "-S", "-c", busy]
    loads = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [load.stdout.readline().split() for load in loads]
    process.stop()
    for load in loads:
        load.kill()
        load.wait()
    total: Counter[str] = collections.Counter()
    for row in rows(process, "PID"):  # two a process: it began as taskset
        total[row[0]] += float(row[3])
    for pid, waited in told:
        assert total[pid] == pytest.approx(int(waited) / 1e6, rel=0.1, abs=20), process.err


def test_plot_and_csv(run, tmp_path):
    drawing, table = tmp_path / "waits.svg", tmp_path / "calls.csv"
    run("runqlat", "--plot", drawing, command=["sh", "-c", "ls; ls"])
    assert drawing.read_text().startswith("<svg")
    process = run("syscalls", "--csv", table, "--top", 999, command=["cat", "/etc/hostname"])
    written = {
        line.split(",")[0]: int(line.split(",")[1]) for line in table.read_text().splitlines()[1:]
    }
    shown = {row[0]: int(row[1]) for row in rows(process, "SYSCALL") if len(row) == 6}
    assert written == shown and written["execve"] == 1


def test_offcpu(run):
    """The workload knows how often and how long it slept."""
    begin = time.monotonic()
    process = run("offcpu", "--min", 9000, command=[support.workload_path("sleeps"), "53", "10000"])
    elapsed = time.monotonic() - begin
    slept = [line for line in process.out.splitlines() if "absences: sleeps" in line]
    assert "do_nanosleep" in process.out
    total, count = float(slept[0].split()[0]), int(slept[0].split()[3])
    left = support.said(process.out)
    # sched_switch itself now and then shows a task leave and not come back: perf sees the same;
    # and who comes back when its slice is over leaves once more from the same place
    assert 50 <= count <= left["voluntary"] + left["preempted"]
    assert 10 * count <= total <= elapsed * 1000


def test_offcpu_folded(run):
    process = run("offcpu", "--folded", command=["sleep", "0.1"])
    line = [line for line in process.out.splitlines() if "do_nanosleep" in line][0]
    stack, weight = line.rsplit(" ", 1)
    assert stack.startswith("sleep;") and 100000 <= int(weight) < 1000000
    # nothing of the program that took it
    assert "bpf" not in stack


@pytest.fixture
def loop_device(tmp_path):
    """A block device of its own, completed by a kernel thread."""
    backing = tmp_path / "disk"
    backing.write_bytes(b"")
    os.truncate(backing, 1 << 20)
    made = subprocess.run(["losetup", "-f", "--show", backing], capture_output=True, text=True)
    if made.returncode:
        support.skip("no loop devices")
    yield made.stdout.strip()
    subprocess.run(["losetup", "-d", made.stdout.strip()])


def writes(process):
    return [row for row in rows(process, "DEVICE") if row[1].startswith("W")]


def dd(target):
    """Writes a known number of blocks, none of them through the cache."""
    return ["dd", "if=/dev/zero", f"of={target}", "bs=4k", "count=103", "oflag=direct"]


def test_blocklat(run, loop_device):
    # of the whole machine: some kernels leave the issuing to a thread of their own
    process = run("blocklat", wait=False)
    support.attached(process)
    subprocess.run(dd(loop_device), check=True, capture_output=True)
    device = os.stat(loop_device).st_rdev
    name = f"{os.major(device)}:{os.minor(device)}"
    table = [row for row in writes(process.stop()) if row[0] == name]
    assert sum(int(row[2]) for row in table) == 103 and lost(process) == 0, process.err


def test_blocklat_of_a_disk(run, tmp_path):
    """A disk completes in interrupts, also where another program runs."""
    target = tmp_path / "blocklat"
    if subprocess.run(dd(target), capture_output=True).returncode:
        support.skip("the file system takes no direct writes")
    process = run("blocklat", command=[*dd(target), "conv=notrunc"])
    table = writes(process)
    if not table:
        support.skip("the file system is not on a block device")
    # a kernel that skips programs in interrupts of one process (6.18 here: of pid 1) does not count it
    assert 100 <= int(table[0][2]) <= 103 and lost(process) == 0, process.err


def test_tcplife(run):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    def serve():
        for _ in range(3):
            connection, _ = server.accept()
            connection.recv(1)
            connection.close()

    process = run("tcplife", "--port", port, "-i", 100000, wait=False)
    support.attached(process)
    thread = threading.Thread(target=serve)
    thread.start()
    local = []
    for i in range(3):
        with socket.create_connection(("127.0.0.1", port)) as client:
            local.append(client.getsockname()[1])
            time.sleep(0.1 * (i + 1))
            client.send(b"x")
            client.recv(1)
    thread.join()
    server.close()
    time.sleep(0.5)
    table = rows(process.stop(), "PID")
    clients = {row[2]: row for row in table if row[3] == f"127.0.0.1:{port}"}
    for i, number in enumerate(local):
        row = clients[f"127.0.0.1:{number}"]
        assert row[0] == str(os.getpid())
        assert 100 * (i + 1) <= float(row[4]) < 100 * (i + 1) + 500
    # the same connections from their other end
    assert len(table) == 6


def test_tcplife_ipv6(run):
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError as e:
        support.skip(f"no IPv6: {e}")
    port = server.getsockname()[1]
    process = run("tcplife", "--port", port, "-i", 100000, wait=False)
    support.attached(process)
    with socket.create_connection(("::1", port)):
        server.accept()[0].close()
    server.close()
    time.sleep(0.5)
    assert any(row[3] == f"[::1]:{port}" for row in rows(process.stop(), "PID"))


def test_pagefaults(run):
    """getrusage() of the same program, run alone."""
    command = [support.workload_path("faults"), "2003"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    expected = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt
    table = rows(run("pagefaults", command=command), "PID")
    faults = [row for row in table if row[1] == "faults"][0]
    got = int(faults[2]) + int(faults[3])
    # its fork and exec, which getrusage() has too, are counted under tamis's name
    assert 2003 <= got <= expected + 20
    assert got >= expected - 150
