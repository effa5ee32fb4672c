#!/usr/bin/env -S tamis python -q -e raw_syscalls:sys_enter//alias=enter/key=_tid/,raw_syscalls:sys_exit//alias=all/since=enter/key=_tid/sum=latency/max=latency/by=id/,raw_syscalls:sys_exit/ret<0&&ret>-4096/alias=failed/count/by=id/
# SPDX-License-Identifier: GPL-2.0-only
"""System calls by name: how many, how many failed, how long they took

usage: tamis run syscalls [-p PID | --cgroup CG | ...] [-i MS] [--top N] [--csv FILE] [-- COMMAND...]

  -i MS       a table each MS milliseconds, else one at the end
  --top N     so many rows (20)
  --csv FILE  all rows of the last table, in ns

All is counted in the kernel. Calls that have not returned yet are not in it.

$ tamis run syscalls --top 3 -- find /etc -name passwd
SYSCALL                   CALLS   FAILED     TOTAL ms       AVG us       MAX us
getdents64                  484        0        1.812        3.743       65.370
newfstatat                  266        0        0.321        1.208        8.911
openat                      265       11        0.518        1.954       17.030
"""

import argparse

import tamis
from tamis import syscalls

parser = argparse.ArgumentParser(prog="tamis run syscalls", description="System calls by name")
parser.add_argument("--top", type=int, default=20, metavar="N", help="so many rows (20)")
parser.add_argument("--csv", metavar="FILE", help="all rows of the last table, in ns")
options = parser.parse_args()


def show(clear: bool) -> None:
    table = tamis.tables["all"].snapshot(clear=clear)
    failed = tamis.tables["failed"].snapshot(clear=clear)
    print(f"{'SYSCALL':<24}{'CALLS':>8}{'FAILED':>9}{'TOTAL ms':>13}{'AVG us':>13}{'MAX us':>13}")
    rows = sorted(table.items(), key=lambda row: row[1].sum, reverse=True)
    for number, v in rows[: options.top]:
        times = f"{v.sum / 1e6:>13.3f}{v.sum / v.count / 1e3:>13.3f}{v.max / 1e3:>13.3f}"
        print(f"{syscalls.name(number):<24}{v.count:>8}{failed.get(number, 0):>9}{times}")
    if options.csv:
        all_of_it = (
            {
                "syscall": syscalls.name(n),
                "calls": v.count,
                "failed": failed.get(n, 0),
                "sum": v.sum,
            }
            for n, v in rows
        )
        tamis.export.csv(all_of_it, options.csv)


def __interval__() -> None:
    show(clear=True)
    print()


def __exit__() -> None:
    show(clear=False)
