# SPDX-License-Identifier: GPL-2.0-only
"""Who waits for a CPU, and how long: each line a command, for every second."""

from collections import defaultdict

waits = defaultdict(list)


def sched__sched_switch(event):
    waits[event.next_comm].append(event.latency)


def __interval__():
    print(f"{'command':<16} {'times':>8} {'mean us':>9} {'max us':>9}")
    for comm, ns in sorted(waits.items(), key=lambda item: -len(item[1]))[:6]:
        print(f"{comm:<16} {len(ns):>8} {sum(ns) / len(ns) / 1000:>9.1f} {max(ns) / 1000:>9.1f}")
    waits.clear()
