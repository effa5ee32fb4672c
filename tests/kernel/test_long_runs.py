# SPDX-License-Identifier: GPL-2.0-only
"""Many events, many processes, CPUs that are away: what a long run meets."""

import re
import time
from pathlib import Path

import pytest

import support

COUNT = """
seen = 0

def __sample__(event):
    global seen
    seen += 1
    event._callchain

def __interval__():
    print("tick", seen, flush=True)

def __exit__():
    print(f"seen={seen}")
"""

CPU1 = Path("/sys/devices/system/cpu/cpu1/online")


@pytest.fixture
def count_script(tmp_path):
    path = tmp_path / "count.py"
    path.write_text(COUNT)
    return path


def test_first_event_ends_the_run(tamis, workload_path, tmp_path):
    """Case C3: no warning without a loss, and no number twice."""
    script = tmp_path / "first.py"
    script.write_text(
        "import sys\nnumbers = []\n"
        "def raw_syscalls__sys_enter(event):\n"
        "    numbers.append(event.array('args')[0])\n"
        "    sys.exit(0)\n"
        "def __exit__():\n"
        "    print(f'seen={len(numbers)} different={len(set(numbers))}')\n"
    )
    event = "raw_syscalls:sys_enter/id==110/"
    run = tamis(
        "python",
        "-e",
        event,
        "-m",
        "8M",
        script,
        "--",
        workload_path("syscalls"),
        "getppid",
        1000,
        5,
    )
    assert (run.rc, run.err) == (0, "")
    assert "seen=1 different=1" in run.out


def test_all_system_calls_at_once(tamis, count_script):
    """Case J6: about 720 events, up and down in seconds, and nothing is left (see conftest.py)."""
    run = tamis.start("python", "-e", "syscalls:*", "-i", 200, count_script)
    run.wait_for("tick", 30)
    time.sleep(1)
    begun = time.monotonic()
    run.stop()
    assert run.rc == 0, run.err
    assert support.said(run.out)["seen"] > 0
    assert time.monotonic() - begun < 10 * support.PATIENCE


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_start_with_a_cpu_offline(tamis, workload_path, count_script, transport):
    """Case J2."""
    if not CPU1.exists():
        support.skip("cpu1 cannot be taken offline here")
    CPU1.write_text("0")
    try:
        run = tamis(
            "python", "-e", "syscalls:sys_enter_getppid", "--transport", transport, count_script,
            "--", workload_path("syscalls"), "getppid", 1009,
        )  # fmt: skip
    finally:
        CPU1.write_text("1")
    assert (run.rc, support.said(run.out)["seen"]) == (0, 1009), run.err


def rss(pid):
    """kB in memory, without the rings."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status).group(1))


def test_memory_is_flat(tamis, count_script):
    """Case J3, shortened: a storm of short processes, with call chains and names."""
    if support.PATIENCE > 1:
        support.skip("caches of thousands of processes take half an hour to fill in a guest")
    storm = support.Process(["sh", "-c", "while :; do /bin/true; done"])
    run = tamis.start("python", "-e", "sched:sched_process_exec", "-g", "-i", 500, count_script)
    try:
        run.wait_for("tick", 30)
        time.sleep(10)
        before = rss(run.pid)
        time.sleep(10)
        after = rss(run.pid)
    finally:
        storm.close()
    run.stop()
    assert support.said(run.out)["seen"] > 1000
    assert after <= 1.1 * before, (before, after)
