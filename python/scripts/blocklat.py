#!/usr/bin/env -S tamis python -q -e block//alias=done/hist=latency/sum=latency/max=latency/by=dev,rwbs/
# SPDX-License-Identifier: GPL-2.0-only
"""How long block devices took for their requests

usage: tamis run blocklat [-p PID | ...] [-i MS] [--hist] [--csv FILE] [-- COMMAND...]

  -i MS       a table each MS milliseconds, else one at the end
  --hist      a histogram for each device and kind of request
  --csv FILE  the table of the end, with all its numbers

From the issue of a request to its completion, counted in the kernel. With -p and the like: requests
that were issued in that scope; writes are often issued later, by the kernel's own threads.
RWBS: R read, W write, D discard, F flush; S synchronous, M metadata, A ahead of need.

$ tamis run blocklat -- dd if=/dev/vda of=/dev/null bs=64K count=1000 iflag=direct
DEVICE   RWBS     REQUESTS       AVG us       MAX us       P99 us
254:0    RS           1000      121.204      903.511      262.144
"""

import argparse

import tamis

parser = argparse.ArgumentParser(prog="tamis run blocklat", description="Latency of block requests")
parser.add_argument("--hist", action="store_true", help="a histogram for each")
parser.add_argument("--csv", metavar="FILE", help="the table of the end")
options = parser.parse_args()


def show(clear: bool) -> None:
    rows = tamis.tables["done"].snapshot(clear=clear)
    print(f"{'DEVICE':<9}{'RWBS':<8}{'REQUESTS':>9}{'AVG us':>13}{'MAX us':>13}{'P99 us':>13}")
    for (dev, rwbs), v in sorted(rows.items(), key=lambda row: row[1].sum, reverse=True):
        name = f"{dev >> 20}:{dev & 0xFFFFF}"
        p99 = min(v.hist.percentile(99), v.max)
        times = f"{v.sum / v.count / 1e3:>13.3f}{v.max / 1e3:>13.3f}{p99 / 1e3:>13.3f}"
        print(f"{name:<9}{rwbs:<8}{v.count:>9}{times}")
        if options.hist:
            v.hist.print("ns")


def __interval__() -> None:
    show(clear=True)


def __exit__() -> None:
    show(clear=False)
    if options.csv:
        tamis.export.csv(tamis.tables["done"], options.csv)
