#!/usr/bin/env -S tamis python -q -e exceptions:page_fault_user//alias=user/count/by=_pid,_comm/,exceptions:page_fault_kernel//alias=kernel/count/by=_pid,_comm/
# SPDX-License-Identifier: GPL-2.0-only
"""Page faults by process

usage: tamis run pagefaults [-p PID | --cgroup CG | ...] [-i MS] [--top N] [-- COMMAND...]

  -i MS     a table each MS milliseconds, else one at the end
  --top N   so many rows (20)

USER faults are those of the program itself, KERNEL ones happen while the kernel reads or writes its
memory in a system call. Together they are what getrusage() calls minor and major faults, plus those
that the kernel had to take twice and those that were errors.

$ tamis run pagefaults --top 2 -- ls -R /etc
     PID COMM                    USER   KERNEL
   12301 ls                       119       43
   12301 tamis                     21        3
"""

import argparse
import collections
from typing import Counter, Tuple

import tamis

parser = argparse.ArgumentParser(prog="tamis run pagefaults", description="Page faults by process")
parser.add_argument("--top", type=int, default=20, metavar="N", help="so many rows (20)")
options = parser.parse_args()


def show(clear: bool) -> None:
    user = tamis.tables["user"].snapshot(clear=clear)
    kernel = tamis.tables["kernel"].snapshot(clear=clear)
    total: Counter[Tuple[int, str]] = collections.Counter(user)
    total.update(kernel)
    print(f"{'PID':>8} {'COMM':<16}{'USER':>9}{'KERNEL':>9}")
    for (pid, comm), _ in total.most_common(options.top):
        key = (pid, comm)
        print(f"{pid:>8} {comm:<16}{user.get(key, 0):>9}{kernel.get(key, 0):>9}")


def __interval__() -> None:
    show(clear=True)


def __exit__() -> None:
    show(clear=False)
