# SPDX-License-Identifier: GPL-2.0-only
"""Called as perf-prof: its python command line, and what its users and tests expect of a run."""

import re
import signal
import time
from pathlib import Path
from typing import Any, List

import pytest

import support

EVENTS = "sched:sched_wakeup,sched:sched_switch"

COUNTER = """
count = 0
def __init__(): print("INIT")
def __sample__(event):
    global count
    count += 1
def __interval__():
    print(f"Events: {count}")
def __print_stat__(indent): print(" " * indent + "STAT", flush=True)
def __lost__(start, end): print(f"Lost {start} {end}")
def __exit__(): print("EXIT")
"""

LATENCY = """
pending, latencies = {}, []
def sched__sched_wakeup(event): pending[event.pid] = event._time
def sched__sched_switch(event):
    pid = event.next_pid
    if pid in pending:
        latencies.append((event._time - pending.pop(pid)) / 1000)
def __interval__():
    if latencies:
        print(f"Latency: avg={sum(latencies) / len(latencies):.1f}us max={max(latencies):.1f}us")
        latencies.clear()
"""

FIELDS = """
import perf_prof
def __sample__(event):
    assert isinstance(event, perf_prof.PerfEvent)
    assert event['_pid'] == event._pid and '_pid' in event
    assert event.get('nonexistent', -1) == -1
    assert len(event) == len(event.keys()) == len(event.values()) == len(event.items())
    event.common_flags + event.common_preempt_count + event.common_pid + event._period
    assert event._realtime > 10**18
    for name, value in event: pass
    for frame in event.get('_callchain', []):
        assert set(frame) == {'addr', 'symbol', 'offset', 'kernel', 'dso'}
        assert frame['kernel'] is True
def __interval__(): print("fields ok")
"""

PRINT = """
n = 0
def __sample__(event):
    global n
    n += 1
    if n <= 5:
        event.print()
        event.print(timestamp=False, callchain=False)
"""


@pytest.fixture
def prof(tamis: Any, tmp_path: Path) -> Any:
    """prof(args...) starts it by a link of that name."""
    link = tmp_path / "perf-prof"
    link.symlink_to(tamis.path)

    def start(*args: Any) -> Any:
        return tamis.start(*args, program=link)

    return start


@pytest.fixture
def script(tmp_path: Path) -> Any:
    def write(text: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def run_for(run: Any, seconds: float) -> Any:
    """As its test-suite ends a run: statistics asked for, then interrupted, 10 s patience."""
    run.wait_for("Loaded module:")
    support.attached(run)
    time.sleep(seconds)
    run.signal(signal.SIGUSR2)
    time.sleep(0.1 * support.PATIENCE)
    return run.stop(signal.SIGINT, 10)


LOST = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} python: lost \d+ events \(total \d+\)"


def healthy(run: Any) -> bool:
    """Nothing on stderr; on a machine that is too busy to read small rings, lines about losses."""
    return run.rc == 0 and all(re.fullmatch(LOST, line) for line in run.err.splitlines())


OPTIONS: List[List[str]] = [
    ["-C", "0", "-i", "300", "-m", "64"],
    ["--cpus", support.FIRST_CPUS, "--interval", "300", "--mmap-pages", "128"],
    ["-i", "300", "-m", "128", "--order"],
    ["-i", "300", "--watermark", "50", "--monotonic", "--usage-self", "1000"],
    ["-i", "300", "-g", "--user-callchain", "-m", "256"],
    ["-i", "300", "-g", "--no-kernel-callchain"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_counter(prof: Any, script: Any, options: List[str]) -> None:
    run = run_for(prof("python", "-e", EVENTS, *options, script(COUNTER)), 1.5)
    assert healthy(run), run.err
    assert "INIT" in run.out and "STAT" in run.out and run.out.count("EXIT") == 1
    assert int(re.findall(r"Events: (\d+)", run.out)[-1]) > 0


def test_nothing_on_stderr(prof: Any, script: Any) -> None:
    run = prof("python", "-e", "sched:sched_process_exec", "-i", "300", script(COUNTER))
    run = run_for(run, 1.5)
    assert run.rc == 0 and run.err == "" and run.out.count("Events: ") >= 2


@pytest.mark.parametrize("text", [LATENCY, FIELDS, PRINT], ids=["latency", "fields", "print"])
@pytest.mark.parametrize("g", [[], ["-g"]], ids=["", "g"])
def test_scripts_of_its_manual(prof: Any, script: Any, text: str, g: List[str]) -> None:
    run = run_for(prof("python", "-e", EVENTS, "-i", "500", *g, script(text)), 1.8)
    assert healthy(run), run.err
    if text == LATENCY:
        assert "Latency: avg=" in run.out
    if text == FIELDS:
        assert "fields ok" in run.out
    if text == PRINT:
        assert run.out.count("sched:sched_") == 10 and bool("\n\t" in run.out) == bool(g)


def test_stack_attribute_is_kernel_only(prof: Any, script: Any) -> None:
    event = "sched:sched_wakeup//stack/"
    run = run_for(prof("python", "-e", event, "-i", "500", script(FIELDS)), 1.5)
    assert healthy(run) and "fields ok" in run.out, run.err


def test_arguments(prof: Any, script: Any) -> None:
    path = script("import sys\nprint('argv', sys.argv[1:])\nraise SystemExit")
    for words in (
        ["--", path, "--foo", "bar", "-i", "5", "--", "x"],
        [path, "--foo", "bar"],
    ):
        run = prof("python", "-e", "sched:sched_wakeup", "-i", "1000", *words).wait(20)
        want = [str(w) for w in words if w not in (path, "--")] + []
        shown = "['--foo', 'bar', '-i', '5', '--', 'x']" if len(words) > 3 else "['--foo', 'bar']"
        assert run.rc == 0 and f"argv {shown}" in run.out, (run.out, want)


def test_alias(prof: Any, script: Any) -> None:
    text = "seen = set()\ndef sched__w1(event): seen.add(event._event)\n"
    text += "def __sample__(event): seen.add(event._event)\ndef __exit__(): print(sorted(seen))"
    events = "sched:sched_wakeup//alias=w1/,sched:sched_wakeup//alias=w2/"
    run = run_for(prof("python", "-e", events, script(text)), 1.5)
    assert run.rc == 0 and "['sched:w1', 'sched:w2']" in run.out


def test_number_of_events(prof: Any, script: Any) -> None:
    run = prof("python", "-e", EVENTS, "-N", "100", script(COUNTER)).wait(20)
    assert healthy(run) and "EXIT" in run.out


def test_errors_do_not_end_it(prof: Any, script: Any) -> None:
    text = "n = 0\ndef __sample__(event):\n  global n; n += 1\n  1/0\ndef __exit__(): print('n', n)"
    run = run_for(prof("python", "-e", EVENTS, script(text)), 1)
    assert int(re.findall(r"n (\d+)", run.out)[-1]) > 1 and run.err.count("Traceback") == 1


def test_lost(prof: Any, script: Any) -> None:
    """Losses are lines with date and time; nothing else stands on stderr."""
    text = COUNTER.replace("count += 1", "count += 1\n    __import__('time').sleep(0.002)")
    run = run_for(prof("python", "-e", EVENTS, "-m", "1", "-i", "500", "--order", script(text)), 4)
    assert healthy(run), run.err
    assert bool(run.err) == ("Lost " in run.out)


@pytest.mark.parametrize("option", ["--tsc", "--kvmclock", "--clock-offset"])
def test_refused(prof: Any, script: Any, option: str) -> None:
    run = prof("python", "-e", EVENTS, option, script("")).wait(20)
    assert run.rc == 2 and option in run.err


def test_help(prof: Any) -> None:
    for args in ([], ["-h"]):
        run = prof(*args).wait(20)
        assert run.out == "" and "Available Profilers:\n  python " in run.err
    run = prof("python", "-h").wait(20)
    assert run.out == "" and run.err.startswith("Usage: perf-prof python ")
    assert "\nEXAMPLES\n" in run.err and re.search(r"PYTHONHOME: +/", run.err)


def test_template(prof: Any, script: Any) -> None:
    run = prof("python", "-e", "sched:sched_wakeup//alias=mywakeup/,sched:sched_switch", "help")
    assert run.wait(20).rc == 0 and run.err == ""
    assert "def sched__mywakeup(event)" in run.out and "def __sample__(event)" in run.out
    again = run_for(prof("python", "-e", "sched:sched_switch", script(run.out)), 1)
    assert again.rc == 0 and "sched:sched_switch:" in again.out


def test_missing_module(prof: Any) -> None:
    run = prof("python", "-e", "sched:sched_wakeup", "nonexistent_module_xyz123").wait(20)
    assert run.rc == 1 and "Failed to load Python module" in run.err
    assert "ModuleNotFoundError" in run.err
