#!/usr/bin/env -S tamis python -q -e rundelay//alias=delay/hist=latency/sum=latency/by=next_comm,next_pid/
# SPDX-License-Identifier: GPL-2.0-only
"""How long threads that could run waited for a CPU

usage: tamis run runqlat [-i MS] [--of NAME] [--top N] [--plot FILE] [-- COMMAND...]

  -i MS        a histogram each MS milliseconds, else one at the end
  --of NAME    only threads of that name
  --top N      the N threads that waited most (10)
  --plot FILE  a heat map of the intervals, .svg or .html

From the wake-up, or from being preempted, to the switch to the thread, counted in the kernel. A wake-up
happens in whoever wakes: with -p or a COMMAND, those that are woken or preempted there.

$ tamis run runqlat --top 1 -- make -j8
                           ns      COUNT
                   1024..2047        310 ###############
                   2048..4095        805 ########################################
     PID COMM                 WAITS     TOTAL ms       AVG us
   12210 cc1                     93       41.020      441.075
"""

import argparse
import collections
import time
from typing import Counter, List, Tuple

import tamis

parser = argparse.ArgumentParser(prog="tamis run runqlat", description="Waits for a CPU")
parser.add_argument("--of", metavar="NAME", help="only threads of that name")
parser.add_argument("--top", type=int, default=10, metavar="N", help="the N that waited most (10)")
parser.add_argument("--plot", metavar="FILE", help="a drawing, .svg or .html")
options = parser.parse_args()
seen: List[Tuple[float, tamis.Hist]] = []


def show(clear: bool) -> None:
    rows = tamis.tables["delay"].snapshot(clear=clear).items()
    rows = [row for row in rows if options.of in (None, row[0][0])]
    total: Counter[Tuple[int, int]] = collections.Counter()
    for _, value in rows:
        for low, high, n in value.hist.buckets():
            total[low, high] += n
    seen.append((time.time(), tamis.Hist([(*span, n) for span, n in sorted(total.items())])))
    seen[-1][1].print("ns")
    print(f"{'PID':>8} {'COMM':<16}{'WAITS':>10}{'TOTAL ms':>13}{'AVG us':>13}")
    rows.sort(key=lambda row: row[1].sum, reverse=True)
    for (comm, pid), v in rows[: options.top]:
        print(f"{pid:>8} {comm:<16}{v.count:>10}{v.sum / 1e6:>13.3f}{v.sum / v.count / 1e3:>13.3f}")


def __interval__() -> None:
    show(clear=True)


def __exit__() -> None:
    show(clear=False)
    if options.plot:
        tamis.plot.heatmap(seen, title="waits for a CPU", unit="ns").save(options.plot)
