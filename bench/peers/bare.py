# SPDX-License-Identifier: GPL-2.0-only
"""The least that Python can do per event: a call that reads two attributes. Prints ns of CPU a call."""

import time


class Event:
    __slots__ = ("id", "_pid")

    def __init__(self) -> None:
        self.id = 111
        self._pid = 1


seen = 0


def handler(event):
    global seen
    if event.id == 111 and event._pid:
        seen += 1


event = Event()
start = time.process_time_ns()
for _ in range(2_000_000):
    handler(event)
print((time.process_time_ns() - start) / 2_000_000)
