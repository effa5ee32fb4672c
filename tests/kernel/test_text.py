# SPDX-License-Identifier: GPL-2.0-only
"""What is printed is what the kernel itself prints for the same events; any bytes stay one line."""

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

import support


@pytest.fixture(name="instance")
def _instance(tmp_path: Path) -> Iterator[Path]:
    """A trace buffer of the kernel of its own, which its own text is read from."""
    tracefs = tmp_path / "tracefs"
    tracefs.mkdir()
    done = subprocess.run(["mount", "-t", "tracefs", "nodev", tracefs], check=False)
    if done.returncode:
        support.skip("tracefs cannot be mounted")
    instance = tracefs / f"instances/tamis-test-{os.getpid()}"
    try:
        instance.mkdir()
        yield instance
    finally:
        if instance.exists():
            instance.rmdir()
        subprocess.run(["umount", tracefs], check=False)


def records(out: str) -> List[Dict[str, Any]]:
    """The events among the lines of JSON."""
    lines = [line for line in out.splitlines() if line.startswith("{")]
    return [r for r in map(json.loads, lines) if "_event" in r and "_lost" not in r]


EVENTS = {
    "task:task_rename": 'newcomm == "tamistext"',
    "sched:sched_switch": 'prev_comm == "tamistext" || next_comm == "tamistext"',
    "sched:sched_process_exit": 'comm == "tamistext"',
    "signal:signal_generate": "sig == 42",
    "sched:sched_wakeup": 'comm == "tamistext"',
}


def test_same_text_as_the_kernel(tamis, instance):
    """A15: flags and states by name, numbers as the print format has them."""
    (instance / "trace_clock").write_text("mono")
    for event, condition in EVENTS.items():
        folder = instance / "events" / event.replace(":", "/")
        (folder / "filter").write_text(condition)
        (folder / "enable").write_text("1")
    spec = ",".join(f"{event}/{condition}/" for event, condition in EVENTS.items())
    run = tamis.start("trace", "-e", spec)
    support.attached(run)
    script = (
        "import ctypes, os, signal, time\n"
        "ctypes.CDLL(None).prctl(15, b'tamistext')\n"
        "signal.signal(42, lambda *a: None)\n"
        "for i in range(7): os.kill(os.getpid(), 42); time.sleep(0.01)\n"
    )
    subprocess.run(["/usr/bin/python3", "-c", script], check=True)
    for event in EVENTS:
        (instance / "events" / event.replace(":", "/") / "enable").write_text("0")
    run.stop()
    theirs = Counter(re.findall(r"\d+\.\d+: (\w+: .*)", (instance / "trace").read_text()))
    ours = Counter(re.findall(r"\d+\.\d+: \w+:(\w+: .*)", run.out))
    assert sum(theirs.values()) > 20
    # seen once: the kernel's trace had none of the switches from the idle task of one CPU
    idle = {text for text in ours if text not in theirs and "prev_comm=swapper" in text}
    assert {text: n for text, n in ours.items() if text not in idle} == dict(theirs), run.err


def test_prev_state(tamis):
    """A15: the text says S, the field stays a number."""
    event = 'sched:sched_switch/prev_comm == "sleep"/'
    run = tamis("trace", "-e", event, "--", "sleep", "0.05")
    assert "prev_state=S " in run.out, run.err
    run = tamis("trace", "--json", "-e", event, "--", "sleep", "0.05")
    assert 1 in [r["prev_state"] for r in records(run.out)], run.err


@pytest.mark.parametrize("name", [r"\xff\xfeX", r"a\x0ab\x1b[31m", r"\xc2\x9bm", "a b\"'\\"])
def test_any_name(tamis, workload_path, name):
    """A9: a command name of any bytes is one line, and comes back from JSON as it was."""
    event = "task:task_rename/newcomm != 'x'/"
    want = (
        name.encode().decode("unicode_escape").encode("latin-1") if "\\x" in name else name.encode()
    )
    run = tamis("trace", "--json", "-e", event, "--", workload_path("comm"), name, 1)
    got = [r["newcomm"].encode("utf-8", "surrogateescape") for r in records(run.out)]
    assert got[-1:] == [want], run.err
    run = tamis("trace", "-e", event, "--", workload_path("comm"), name, 1)
    line = [l for l in run.out.split("\n") if "task_rename" in l][-1]
    assert all(c >= " " and c != "\x7f" for c in line)
    assert f"newcomm=" in line


@pytest.mark.parametrize("length", [200, 3000])
def test_long_path(tamis, workload_path, length):
    """A1, A11: whole, or cut and marked."""
    path = "/" + "/".join(["x" * 99] * (length // 100))
    run = tamis(
        "trace", "--json", "-e", 'syscalls:sys_enter_openat/filename ~ "/xxx*"/', "--",
        workload_path("openat"), 1, path,
    )  # fmt: skip
    (got,) = records(run.out)
    if length < 256:
        assert got["filename"] == path and "_truncated" not in got
    else:
        assert path.startswith(got["filename"]) and len(got["filename"]) >= 250
        assert got["_truncated"] is True
    run = tamis(
        "trace", "--json", "-e", 'syscalls:sys_enter_openat/filename ~ "/xxx*"/maxlen=4000/', "--",
        workload_path("openat"), 1, path,
    )  # fmt: skip
    (got,) = records(run.out)
    assert got["filename"] == path


def test_connect_address(tamis):
    """A6: an address is four bytes, not text."""
    code = "import socket; s = socket.socket(); s.settimeout(1); s.connect_ex(('127.0.0.1', 9))"
    run = tamis(
        "trace", "--json", "-e", "sock:inet_sock_set_state/dport == 9/", "--",
        "/usr/bin/python3", "-c", code,
    )  # fmt: skip
    got = records(run.out)
    assert got, run.err
    assert {r["daddr"] for r in got} == {"7f000001"}
    run = tamis(
        "trace", "-e", "sock:inet_sock_set_state/dport == 9/", "--", "/usr/bin/python3", "-c", code
    )
    assert "family=AF_INET protocol=IPPROTO_TCP" in run.out
    assert "daddr=127.0.0.1" in run.out


def test_signs(tamis, workload_path):
    """A2, A3: a descriptor that is AT_FDCWD, results that are errors."""
    run = tamis(
        "trace", "-e", "syscalls:sys_enter_openat/dfd == -100/,syscalls:sys_exit_openat/ret < 0/",
        "--", workload_path("openat"), 5, "/nonexistent/x",
    )  # fmt: skip
    assert run.out.count('dfd: -100, filename: "/nonexistent/x"') == 5, run.err
    assert len(re.findall(r"sys_exit_openat: ret: -2$", run.out, re.M)) >= 5


def test_exec_tells_both_names(tamis):
    """A17: the exec has the new file, what follows has the new name."""
    run = tamis(
        "trace", "--json", "-e", "sched:sched_process_exec,sched:sched_process_exit", "--",
        "sh", "-c", "exec sleep 0.05",
    )  # fmt: skip
    got = records(run.out)
    execs = [r for r in got if r["_event"] == "sched:sched_process_exec"]
    assert [os.path.basename(r["filename"]) for r in execs] == ["sh", "sleep"], run.err
    assert got[-1]["comm"] == "sleep"
