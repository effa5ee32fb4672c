#!/usr/bin/env -S tamis python -q --order -e syscalls:sys_enter_open*,syscalls:sys_exit_open*
# SPDX-License-Identifier: GPL-2.0-only
"""Files that are opened, with the result of each attempt

usage: tamis run opens [-p PID | --cgroup CG | ...] [--failed] [-- COMMAND...]

  --failed   only attempts that failed

Paths are read when the call is made; "?" where one was not in memory at that time.

$ tamis run opens -- cat /etc/hostname /nope
     PID COMM             RESULT  PATH
   12044 cat                   3  /etc/ld.so.cache
   12044 cat                   3  /etc/hostname
   12044 cat              ENOENT  /nope
"""

import argparse
import errno
from typing import Dict

from tamis import PerfEvent

parser = argparse.ArgumentParser(prog="tamis run opens", description="Files that are opened")
parser.add_argument("--failed", action="store_true", help="only attempts that failed")
options = parser.parse_args()

asked: Dict[int, PerfEvent] = {}


def __init__() -> None:
    print(f"{'PID':>8} {'COMM':<16} {'RESULT':>6}  PATH")


def __sample__(event: PerfEvent) -> None:
    if "filename" in event:
        asked[event._tid] = event
        return
    enter = asked.pop(event._tid, None)
    # open_by_handle_at and open_tree name no file, or were entered before we came
    if "ret" not in event or enter is None:
        return
    if event.ret >= 0 and options.failed:
        return
    result = event.ret if event.ret >= 0 else errno.errorcode.get(-event.ret, event.ret)
    path = "?" if enter.filename is None else enter.filename
    print(f"{event._pid:>8} {enter._comm:<16} {result:>6}  {path}")
