# SPDX-License-Identifier: GPL-2.0-only
"""Running a load alone and traced, and what the collector cost meanwhile."""

import atexit
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

TOP = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TAMIS_BUILD", TOP / "build")).resolve()
LOAD = str(BUILD / "bench/load")
FLOOR = str(BUILD / "bench/floor")
TAMIS = str(BUILD / "tamis")
PEERS = TOP / "bench/peers"
SYSTEM_PYTHON = "/usr/bin/python3"


class Failed(Exception):
    """A tool could not do its job; the reason goes beside its row."""


@dataclass
class Tool:
    """A way to do a row's job. `seen` takes what it printed and returns the events it saw, if it says."""

    name: str
    command: List[str]
    seen: Optional[Callable[[str], int]] = None
    needs: str = ""
    settle: float = 0.15
    stop: int = signal.SIGINT

    def missing(self) -> str:
        """Why it cannot run here; "" if it can."""
        program = self.needs or self.command[0]
        if program == "bcc":
            done = subprocess.run([SYSTEM_PYTHON, "-c", "import bcc"], capture_output=True)
            return "" if done.returncode == 0 else "python3-bpfcc is not installed"
        return "" if shutil.which(program) else f"{program} is not installed"


def group_members(group: int) -> List[int]:
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            members.append(int(stat.parent.name))
    return members


ATTACHED = re.compile(r"anon_inode:(bpf[-_]link|\[perf_event\]|bpf-raw)")


running: List["Collector"] = []


def end_all() -> None:
    """Whatever ends the bench, no tool stays: one whose program returns 0 hides events from perf."""
    for collector in list(running):
        collector.kill()


atexit.register(end_all)
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))


class Collector:
    """A tool that is running, in a process group of its own."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.out = tempfile.TemporaryFile()
        self.started = time.monotonic()
        self.child = subprocess.Popen(
            tool.command,
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=TOP,
        )
        running.append(self)
        self.rss_kb = self.map_kb = 0

    def text(self) -> str:
        self.out.seek(0)
        return self.out.read().decode(errors="replace")

    def _attached(self) -> int:
        """Links and perf events that its processes hold."""
        found = 0
        for pid in group_members(self.child.pid):
            try:
                for fd in os.scandir(f"/proc/{pid}/fd"):
                    found += bool(ATTACHED.match(os.readlink(fd.path)))
            except OSError:
                pass
        return found

    def wait_ready(self, seconds: float = 30) -> None:
        """Until it holds links or perf events, and no more are added."""
        end = time.monotonic() + seconds
        before, since = 0, time.monotonic()
        while time.monotonic() < end:
            if self.child.poll() is not None:
                raise Failed(f"ended with {self.child.returncode}: {self.text().strip()[-300:]}")
            now = self._attached()
            if now != before:
                before, since = now, time.monotonic()
            if before and time.monotonic() - since > self.tool.settle:
                return
            time.sleep(0.02)
        raise Failed("attached nothing")

    def cpu_seconds(self) -> float:
        """CPU time of its living threads."""
        total = 0
        for pid in group_members(self.child.pid):
            for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                try:
                    total += int(stat.read_text().split()[0])
                except OSError:
                    pass
        return total / 1e9

    def switches(self) -> int:
        """How often its threads have given up the CPU by themselves: its wakeups."""
        total = 0
        for pid in group_members(self.child.pid):
            for status in Path(f"/proc/{pid}/task").glob("*/status"):
                match = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)
                total += int(match.group(1)) if match else 0
        return total

    def note_memory(self) -> None:
        """Resident memory of all its processes, ring and perf buffers apart."""
        rss = maps = 0
        for pid in group_members(self.child.pid):
            try:
                smaps = Path(f"/proc/{pid}/smaps").read_text(errors="replace")
            except OSError:
                continue
            shared = False
            for line in smaps.splitlines():
                if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                    shared = "bpf-map" in line or "[perf_event]" in line
                elif line.startswith("Rss:"):
                    kb = int(line.split()[1])
                    rss += 0 if shared else kb
                    maps += kb if shared else 0
        self.rss_kb, self.map_kb = max(rss, self.rss_kb), max(maps, self.map_kb)

    def kill(self) -> None:
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()
        self.out.close()
        if self in running:
            running.remove(self)

    def finish(self) -> "Finished":
        """Ctrl-C, then what it printed, and what it cost from its start to its end."""
        self.note_memory()
        asked = time.monotonic()
        try:
            os.killpg(self.child.pid, self.tool.stop)
        except ProcessLookupError:
            pass
        timer = time.monotonic() + 60
        usage = None
        while time.monotonic() < timer:
            pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
            if pid:
                self.child.returncode = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.002)
        else:
            self.kill()
            raise Failed("does not end")
        ended = time.monotonic() - asked
        out = self.text()
        self.out.close()
        running.remove(self)
        assert usage
        return Finished(out, usage.ru_utime + usage.ru_stime, ended, self.rss_kb, self.map_kb)


@dataclass
class Finished:
    out: str
    cpu: float
    ended_after: float
    rss_kb: int
    map_kb: int


@dataclass
class Pair:
    """One untraced and one traced run of the load, CPU seconds each."""

    alone: float
    traced: float
    n: int
    delivered: Optional[float] = None  # of what the load made
    collector_cpu: float = 0  # while the load ran and until its records were read
    rss_kb: int = 0
    map_kb: int = 0
    ended_after: float = 0

    @property
    def added_ns(self) -> float:
        return (self.traced - self.alone) / self.n * 1e9

    @property
    def slowdown(self) -> float:
        return self.traced / self.alone


def run_load(args: Sequence[str], wrap: Sequence[str] = ()) -> Dict[str, Any]:
    done = subprocess.run([*wrap, LOAD, *args], capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip())
    return dict(json.loads(done.stdout))


def measure(tool: Tool, load: Sequence[str], events: int, wrap: Sequence[str] = ()) -> Pair:
    """The load alone, then under the tool. `events` is what the tool should see of the load."""
    alone = run_load(load, wrap)
    collector = Collector(tool)
    try:
        collector.wait_ready()
        before = collector.cpu_seconds()
        traced = run_load(load, wrap)
        settle(collector)
        used = collector.cpu_seconds() - before
    except Failed:
        collector.kill()
        raise
    end = collector.finish()
    pair = Pair(alone["cpu"], traced["cpu"], alone["n"], None, used, end.rss_kb, end.map_kb)
    pair.ended_after = end.ended_after
    if tool.seen:
        pair.delivered = tool.seen(end.out) / events
    return pair


def settle(collector: Collector, seconds: float = 20) -> None:
    """Until the collector has caught up: it uses no more CPU."""
    end = time.monotonic() + seconds
    before = collector.cpu_seconds()
    while time.monotonic() < end:
        time.sleep(0.1)
        now = collector.cpu_seconds()
        if now - before < 0.005:
            return
        before = now


@dataclass
class Interval:
    """A median and where it lies with 95 %."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}, {self.high:.2f}]"


def bootstrap(values: Sequence[float], times: int = 2000) -> Interval:
    """Of the median, by resampling; the seed is fixed, so that the same data give the same table."""
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(times))
    return Interval(
        statistics.median(values), medians[int(0.025 * times)], medians[int(0.975 * times)]
    )


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Optional[Interval]:
    """Of the same rounds. None where the denominator cannot be told from nothing."""
    if not theirs or bootstrap(theirs).low <= 0:
        return None
    pairs = [(a, b) for a, b in zip(ours, theirs) if b > 0]
    if len(pairs) < max(1, len(theirs) // 2):
        return None
    return bootstrap([a / b for a, b in pairs])


@dataclass
class Result:
    """What came out for one row: pairs by tool, and why some tools have none."""

    name: str
    title: str
    pairs: Dict[str, List[Pair]] = field(default_factory=dict)
    notes: Dict[str, str] = field(default_factory=dict)
    bars: List[Tuple[str, str, str]] = field(default_factory=list)  # what, measured, verdict
    extra: Dict[str, Any] = field(default_factory=dict)

    def bar(self, what: str, got: Optional[Interval], limit: float, at_least: bool = False) -> None:
        """Missed only when the whole interval lies beyond."""
        if got is None:
            self.bars.append((what, "-", "not measured"))
            return
        missed = got.high < limit if at_least else got.low > limit
        met = got.low >= limit if at_least else got.high <= limit
        sign = ">=" if at_least else "<="
        verdict = "MISSED" if missed else "met" if met else "within noise"
        self.bars.append((f"{what} {sign} {limit:g}", str(got), verdict))

    def added(self, tool: str) -> List[float]:
        return [p.added_ns for p in self.pairs.get(tool, [])]

    def slowdowns(self, tool: str) -> List[float]:
        return [p.slowdown for p in self.pairs.get(tool, [])]
