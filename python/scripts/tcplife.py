#!/usr/bin/env -S tamis python -q --order -e sock:inet_sock_set_state/protocol==6/with=_comm/
# SPDX-License-Identifier: GPL-2.0-only
"""TCP connections: who, with whom, and for how long

usage: tamis run tcplife [--port PORT] [-i MS]

  --port PORT   only connections with this port on either side

A connection is shown when it is closed. PID and COMM are those of the process that began it: the one
that connected; of a connection that was accepted, often whoever ran when its packet came.

$ tamis run tcplife --port 8080
     PID COMM             LOCAL                 REMOTE                      MS
   12290 curl             127.0.0.1:41522       127.0.0.1:8080           4.118
"""

import argparse
import ipaddress
import struct
from typing import Dict

from tamis import PerfEvent

ESTABLISHED, SYN_SENT, SYN_RECV, CLOSE = 1, 2, 3, 7
AF_INET = 2

parser = argparse.ArgumentParser(prog="tamis run tcplife", description="TCP connections")
parser.add_argument("--port", type=int, help="only connections with this port on either side")
options = parser.parse_args()

begun: Dict[int, PerfEvent] = {}


def address(event: PerfEvent, side: str) -> str:
    raw = event[f"{side}addr"] if event.family == AF_INET else event[f"{side}addr_v6"]
    ip = ipaddress.ip_address(bytes(raw))
    port = event.sport if side == "s" else event.dport
    return f"{ip}:{port}" if ip.version == 4 else f"[{ip}]:{port}"


def __init__() -> None:
    print(f"{'PID':>8} {'COMM':<16} {'LOCAL':<21} {'REMOTE':<21}{'MS':>12}")


def sock__inet_sock_set_state(event: PerfEvent) -> None:
    if event.newstate in (SYN_SENT, SYN_RECV) or event.newstate == ESTABLISHED:
        begun.setdefault(event.skaddr, event)
    if event.newstate != CLOSE:
        return
    first = begun.pop(event.skaddr, None)
    if first is None or (options.port and options.port not in (event.sport, event.dport)):
        return
    who = f"{first._pid:>8} {first._comm:<16} {address(event, 's'):<21} {address(event, 'd'):<21}"
    print(f"{who}{(event._time - first._time) / 1e6:>12.3f}")
