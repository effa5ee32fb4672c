# SPDX-License-Identifier: GPL-2.0-only
"""Events that no kernel sent: a format file by hand, and records for it."""

import struct
from typing import Any

import _tamis

FORMAT = """name: made
ID: 1234
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:short little;\toffset:28;\tsize:2;\tsigned:1;
\tfield:u8 byte;\toffset:30;\tsize:1;\tsigned:0;
\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;
\tfield:u64 big;\toffset:80;\tsize:8;\tsigned:0;
\tfield:s64 small;\toffset:88;\tsize:8;\tsigned:1;
\tfield:__u8 saddr[4];\toffset:96;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] file;\toffset:100;\tsize:4;\tsigned:1;
\tfield:__rel_loc char[] near;\toffset:104;\tsize:4;\tsigned:1;
\tfield:u8 keys;\toffset:108;\tsize:1;\tsigned:0;
\tfield:int class;\toffset:112;\tsize:4;\tsigned:1;

print fmt: "comm=%s pid=%d big=%llu", REC->comm, REC->pid, REC->big
"""

STATIC = 116
OWN = ["comm", "pid", "little", "byte", "args", "big", "small", "saddr", "file", "near", "keys"]
OWN += ["class"]
HEAD = ["_pid", "_tid", "_time", "_cpu", "_period", "common_type", "common_flags"]
HEAD += ["common_preempt_count", "common_pid", "_realtime", "_callchain", "_event"]


def raw(
    comm: bytes = b"bash",
    pid: int = 42,
    little: int = -3,
    byte: int = 255,
    args: Any = (1, 2**64 - 1, 3, 4, 5, 6),
    big: int = 2**64 - 1,
    small: int = -(2**63),
    saddr: bytes = b"\x7f\0\0\1",
    file: bytes = b"/etc/passwd",
    near: bytes = b"near",
    keys: int = 7,
    cls: int = 9,
) -> bytes:
    """The bytes of one record, laid out as FORMAT says."""
    fixed = struct.pack(
        "=HBBi16sihBx6QQq4s", 1234, 1, 2, pid, comm, pid, little, byte, *args, big, small, saddr
    )
    file_at, near_at = STATIC, STATIC + len(file) + 1
    fixed += struct.pack(
        "=II", (len(file) + 1) << 16 | file_at, (len(near) + 1) << 16 | near_at - 108
    )
    fixed += struct.pack("=Bxxxi", keys, cls)
    assert len(fixed) == STATIC
    return fixed + file + b"\0" + near + b"\0"


def kind(**more: Any) -> Any:
    return _tamis._make_kind(FORMAT, name="made", **more)


def event(k: Any = None, **more: Any) -> Any:
    head = {n: more.pop(n) for n in ("tid", "time", "cpu", "flags", "callchain") if n in more}
    return _tamis._make_event(k or kind(), raw(**more), pid=more.get("pid", 42), **head)
