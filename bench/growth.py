# SPDX-License-Identifier: GPL-2.0-only
"""How cost grows: with events, keys, processes, distinct stacks and their depth. No bars, no peers but perf."""

import dataclasses
import time
from typing import Any, Dict, List, Sequence

from measure import (
    Collector,
    Failed,
    Finished,
    Pair,
    Result,
    Tool,
    bootstrap,
    measure,
    run_load,
    settle,
)
from rows import GETPGRP
from rows import tamis as tamis_tool


def tamis(*args: str) -> Tool:
    """What watches processes holds perf events before its own program is attached."""
    return dataclasses.replace(tamis_tool("tamis", *args), settle=1.0)


def row_attach(pairs: int) -> Result:
    r = Result("attach", "time to attach and to end, and memory, for 1, some and many events")
    for events in ("sched:sched_switch", "sched:*", "syscalls:*"):
        tools = {
            "tamis": tamis_tool(
                "tamis", "trace", "-q", "-e", f"{events}//cpus=0/", "--comm", "nobody"
            ),
            "perf stat": Tool("perf stat", ["perf", "stat", "-a", "-e", events], settle=0.4),
        }
        for name, tool in tools.items():
            times, ends, memory = [], [], []
            for _ in range(min(pairs, 3)):
                try:
                    collector = Collector(tool)
                    collector.wait_ready()
                    times.append(time.monotonic() - collector.started - tool.settle)
                    end = collector.finish()
                    ends.append(end.ended_after)
                    memory.append(end.rss_kb / 1024)
                except Failed as why:
                    r.notes[f"{name} {events}"] = f"failed: {why}"
                    break
            if ends:
                r.extra[f"attach s: {name} {events}"] = bootstrap(times).median
                r.extra[f"end s: {name} {events}"] = bootstrap(ends).median
                r.extra[f"MB: {name} {events}"] = bootstrap(memory).median
    return r


def finished(tool: Tool, load: Sequence[str]) -> Finished:
    """One run of the load under the tool, which is ended when it has caught up."""
    collector = Collector(tool)
    try:
        collector.wait_ready()
        run_load(load)
        settle(collector)
    except Failed:
        collector.kill()
        raise
    return collector.finish()


def note(r: Result, label: str, tool: Tool, load: Sequence[str], pairs: int) -> None:
    """Median memory and time to end of some runs."""
    ends: List[Finished] = []
    try:
        for _ in range(min(pairs, 3)):
            ends.append(finished(tool, load))
    except Failed as why:
        r.notes[label] = f"failed: {why}"
        return
    r.extra[f"MB: {label}"] = bootstrap([e.rss_kb / 1024 for e in ends]).median
    r.extra[f"end s: {label}"] = bootstrap([e.ended_after for e in ends]).median


def measured(
    r: Result, label: str, tool: Tool, load: Sequence[str], n: int, pairs: int
) -> List[Pair]:
    """Some pairs, and what was added an operation; none, and a note, if the tool failed."""
    try:
        got = [measure(tool, load, n) for _ in range(min(pairs, 3))]
    except Failed as why:
        r.notes[label] = f"failed: {why}"
        return []
    r.extra[f"added ns: {label}"] = bootstrap([p.added_ns for p in got]).median
    return got


def row_keys(pairs: int) -> Result:
    """Seeks to so many different places, each a key of the table."""
    r = Result("keys", "counts by a key of 10 to a million values")
    n = 1_000_000
    for keys in (10, 1_000, 100_000, 1_000_000):
        spec = f"syscalls:sys_enter_lseek//count/by=offset/entries={2 * keys}/"
        tool = tamis("top", "-q", "-i", "1000000", "-e", spec)
        label = f"{keys:,} keys"
        got = measured(r, label, tool, ["lseek", str(n), str(keys)], n, pairs)
        if got:
            r.extra[f"MB: {label}"] = bootstrap([p.rss_kb / 1024 for p in got]).median
            r.extra[f"end s: {label}"] = bootstrap([p.ended_after for p in got]).median
    return r


def row_processes(pairs: int) -> Result:
    """What is remembered of processes that have come and gone."""
    r = Result("processes", "memory after many short-lived processes, with their names")
    tool = tamis("trace", "-q", "-g", "-e", "raw_syscalls:sys_enter", "--comm", "nobody")
    for n in (1_000, 10_000, 100_000):
        note(r, f"{n:,} processes", tool, ["forks", str(n)], 1)
    return r


def row_stacks(pairs: int) -> Result:
    """Calls from so many different stacks, counted by stack; all are named at the end."""
    r = Result("stacks", "time and memory to name 10 to 100,000 distinct stacks")
    for n in (10, 1_000, 10_000, 100_000):
        spec = f"raw_syscalls:sys_enter/id=={GETPGRP}/count/by=ustack/entries={2 * n}/top={n}/"
        tool = tamis("top", "-q", "-i", "1000000", "-o", "/dev/null", "-e", spec)
        note(r, f"{n:,} stacks", tool, ["stacks", str(n)], pairs)
    return r


def row_depth(pairs: int) -> Result:
    """One call from below so many others, with its call chain."""
    r = Result("depth", "added by call chains of so many frames")
    n = 100_000
    for depth in (5, 20, 60, 120):
        tool = tamis(
            "trace", "-q", "--user-callchain", "--no-kernel-callchain", "-o", "/dev/null",
            "-e", f"raw_syscalls:sys_enter/id=={GETPGRP}/", "-m", "64M",
        )  # fmt: skip
        label = f"{depth} frames"
        got = measured(r, label, tool, ["depth", str(n), str(depth)], n, pairs)
        if got:
            cost = [p.collector_cpu / n * 1e9 for p in got]
            r.extra[f"collector ns: {label}"] = bootstrap(cost).median
    return r


GROWTH: Dict[str, Any] = {
    "attach": row_attach,
    "keys": row_keys,
    "processes": row_processes,
    "stacks": row_stacks,
    "depth": row_depth,
}
