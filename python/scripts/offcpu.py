#!/usr/bin/env -S tamis python -q --order -e sched:sched_switch/prev_pid/alias=off/key=prev_pid/emit/stack/,sched:sched_switch//alias=on/since=off/key=next_pid/
# SPDX-License-Identifier: GPL-2.0-only
"""Where threads were when they left the CPU, and for how long

usage: tamis run offcpu [-p PID | --cgroup CG | ...] [--min US] [--folded] [--top N] [-- COMMAND...]

  --min US    only absences of at least US microseconds
  --folded    one line a stack, for flame graphs; the weight is microseconds
  --top N     the N stacks with most time (10)

$ tamis run offcpu --top 1 -- sleep 0.2
     200.108 ms in 1 absences: sleep
        schedule
        do_nanosleep
        hrtimer_nanosleep
        __x64_sys_clock_nanosleep
        do_syscall_64
        clock_nanosleep
"""

import argparse
from typing import Any, Dict, List, Tuple

from tamis import PerfEvent

parser = argparse.ArgumentParser(prog="tamis run offcpu", description="Time off the CPU by stack")
parser.add_argument("--min", type=float, default=0, metavar="US", help="absences of at least US us")
parser.add_argument("--folded", action="store_true", help="one line a stack, for flame graphs")
parser.add_argument("--top", type=int, default=10, metavar="N", help="the N stacks with most time")
options = parser.parse_args()

gone: Dict[int, PerfEvent] = {}
stacks: Dict[Tuple[str, ...], List[Any]] = {}


def sched__off(event: PerfEvent) -> None:
    gone[event.prev_pid] = event


def sched__on(event: PerfEvent) -> None:
    off = gone.pop(event.next_pid, None)
    if off is None or event.latency < options.min * 1000:
        return
    frames = tuple(frame["symbol"] for frame in off._callchain)
    total = stacks.setdefault((off.prev_comm, *frames), [0, 0])
    total[0] += event.latency
    total[1] += 1


def __exit__() -> None:
    rows = sorted(stacks.items(), key=lambda row: row[1][0], reverse=True)
    for (comm, *frames), (ns, n) in rows if options.folded else rows[: options.top]:
        if options.folded:
            print(";".join([comm, *reversed(frames)]), ns // 1000)
        else:
            print(f"{ns / 1e6:>12.3f} ms in {n} absences: {comm}")
            print("\n".join(f"        {frame}" for frame in frames))
