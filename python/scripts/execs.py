#!/usr/bin/env -S tamis python -q --order -e sched:sched_process_exec//with=_comm,_ppid,_uid/,syscalls:sys_exit_execve*/ret<0/with=_comm,_ppid,_uid/
# SPDX-License-Identifier: GPL-2.0-only
"""Programs that are executed, and attempts that failed

usage: tamis run execs [-p PID --follow | --cgroup CG | ...] [--summary] [-- COMMAND...]

  --summary  only a count by program at the end

$ tamis run execs -- sh -c 'ls >/dev/null; exec /nosuch'
     PID    PPID   UID COMM             PROGRAM
   12101   12099     0 sh               /usr/bin/sh
   12102   12101     0 ls               /usr/bin/ls
   12101   12099     0 sh               - (ENOENT)
"""

import argparse
import collections
import errno
from typing import Counter

from tamis import PerfEvent

parser = argparse.ArgumentParser(prog="tamis run execs", description="Programs that are executed")
parser.add_argument("--summary", action="store_true", help="only a count by program at the end")
options = parser.parse_args()

programs: Counter[str] = collections.Counter()


def show(event: PerfEvent, program: str) -> None:
    programs[program] += 1
    if not options.summary:
        print(f"{event._pid:>8}{event._ppid:>8}{event._uid:>6} {event._comm:<16} {program}")


def __init__() -> None:
    if not options.summary:
        print(f"{'PID':>8}{'PPID':>8}{'UID':>6} {'COMM':<16} PROGRAM")


def sched__sched_process_exec(event: PerfEvent) -> None:
    show(event, event.filename)


def __sample__(event: PerfEvent) -> None:
    show(event, f"- ({errno.errorcode.get(-event.ret, event.ret)})")


def __exit__() -> None:
    if options.summary:
        for program, n in programs.most_common():
            print(f"{n:>8} {program}")
