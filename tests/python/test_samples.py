# SPDX-License-Identifier: GPL-2.0-only
"""Fields of sampling sources: each part of a sample, from bytes as the kernel lays them out."""

import platform
import struct
from typing import Any, List, Tuple

import pytest

import _tamis

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW = (1 << i for i in range(11))
BRANCH_STACK, REGS_USER, STACK_USER = 1 << 11, 1 << 12, 1 << 13
WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR = (1 << i for i in range(14, 20))
AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE = (1 << i for i in range(20, 24))

ENABLED, RUNNING, FORMAT_ID, GROUP, LOST = 1, 2, 4, 8, 16
TOP = 2**64 - 1


def u64(*words: int) -> bytes:
    return struct.pack(f"={len(words)}Q", *words)


def sample(sample_type: int, body: bytes, **kind: Any) -> Any:
    header = struct.pack("=IHH", 9, 0, 8 + len(body))
    k = _tamis._make_kind(name="profile", sample_type=sample_type, **kind)
    return _tamis._make_event(k, header + body, pid=7, tid=8, time=9, cpu=1)


NUMBERS: List[Tuple[int, str]] = [
    (IDENTIFIER, "identifier"),
    (IP, "ip"),
    (TIME, "time"),
    (ADDR, "addr"),
    (ID, "id"),
    (STREAM_ID, "stream_id"),
    (PERIOD, "period"),
    (WEIGHT, "weight"),
    (DATA_SRC, "data_src"),
    (TRANSACTION, "transaction"),
    (PHYS_ADDR, "phys_addr"),
    (CGROUP, "cgroup"),
    (DATA_PAGE_SIZE, "data_page_size"),
    (CODE_PAGE_SIZE, "code_page_size"),
]


@pytest.mark.parametrize("bit, name", NUMBERS)
def test_numbers(bit: int, name: str) -> None:
    for value in (0, 1, 2**63, TOP):
        e = sample(bit, u64(value))
        assert e[name] == getattr(e, name) == value
        assert e.keys() == ["_pid", "_tid", "_time", "_cpu", "_realtime", "_event", name]


def test_ids_and_cpu() -> None:
    e = sample(TID | CPU, struct.pack("=IIII", 77, 78, 5, 0))
    assert (e.pid, e.tid, e.cpu) == (77, 78, 5)
    assert (e._pid, e._tid, e._time, e._cpu, e._event) == (7, 8, 9, 1, "profile")


def test_raw_and_branches_and_stack() -> None:
    raw = struct.pack("=I", 12) + b"0123456789ab"
    branches = u64(2) + u64(1, 2, 3, 4, 5, 6)
    stack = u64(16) + b"s" * 16 + u64(10)
    e = sample(RAW | BRANCH_STACK | STACK_USER, raw + branches + stack)
    assert e.raw == b"0123456789ab" and e.stack_user == b"s" * 10
    assert e.branch_stack == branches
    assert sample(AUX, u64(8) + b"auxauxau").aux == b"auxauxau"


def test_callchain() -> None:
    chain = u64(4, 2**64 - 128, 0xFFFFFFFF81000000, 2**64 - 512, 0x401000)
    e = sample(IP | CALLCHAIN, u64(1) + chain)
    assert [f["addr"] for f in e.callchain] == [0xFFFFFFFF81000000, 0x401000]
    assert [f["kernel"] for f in e.callchain] == [True, False]
    assert e._callchain == e.callchain and "_callchain" not in e


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86's registers")
def test_registers() -> None:
    names = "ax bx cx dx si di bp sp ip flags cs ss".split() + [f"r{i}" for i in range(8, 16)]
    mask = 0xFFF | 0xFF << 16
    words = [TOP - i for i in range(20)]
    e = sample(REGS_USER, u64(2, *words), regs_user=mask)
    assert e.regs_user == {"abi": 2, **dict(zip(names, words))}
    e = sample(REGS_INTR, u64(2, 5, 6), regs_intr=1 << 2 | 1 << 40)
    assert e.regs_intr == {"abi": 2, "cx": 5, "reg40": 6}
    assert sample(REGS_USER, u64(0), regs_user=mask).regs_user == {"abi": 0}


@pytest.mark.parametrize("bits", range(32))
def test_read(bits: int) -> None:
    """Every read_format: only what it asks for, alone and in groups."""
    times = [("time_enabled", 100)] * bool(bits & ENABLED)
    times += [("time_running", 50)] * bool(bits & RUNNING)
    extra = [("id", 3)] * bool(bits & FORMAT_ID) + [("lost", 2)] * bool(bits & LOST)
    numbers = [n for _, n in times]
    if bits & GROUP:
        counters = [TOP, *(n for _, n in extra), 9, *(n for _, n in extra)]
        e = sample(READ, u64(2, *numbers, *counters), read_format=bits)
        one = [{"value": v, **dict(extra)} for v in (TOP, 9)]
        assert e.read == {"nr": 2, **dict(times), "cntr": one}
    else:
        e = sample(READ, u64(TOP, *numbers, *(n for _, n in extra)), read_format=bits)
        assert e.read == {"value": TOP, **dict(times), **dict(extra)}


def test_all_together() -> None:
    body = u64(1) + u64(2) + struct.pack("=II", 3, 4) + u64(5, 6, 7, 8)
    body += struct.pack("=II", 9, 0) + u64(10) + u64(11) + u64(0) + struct.pack("=I", 4) + b"rawr"
    kinds = IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU | PERIOD | READ | CALLCHAIN
    e = sample(kinds | RAW, body)
    assert e.identifier == 1 and e.ip == 2 and (e.pid, e.tid) == (3, 4)
    assert (e.time, e.addr, e.id, e.stream_id, e.cpu, e.period) == (5, 6, 7, 8, 9, 10)
    assert e.read == {"value": 11} and e.callchain == [] and e.raw == b"rawr"
    assert len(e) == len(e.to_dict()) == 6 + 13


def test_cut_samples_do_not_crash() -> None:
    body = (
        u64(1, 2, 3)
        + u64(3, 4, 5, 6)
        + struct.pack("=I", 20)
        + b"x" * 20
        + u64(2, 1, 2, 3, 4, 5, 6)
    )
    body += u64(2, *range(20)) + u64(16) + b"s" * 16 + u64(16)
    kinds = IP | TID | TIME | CALLCHAIN | RAW | BRANCH_STACK | REGS_USER | STACK_USER
    for size in range(0, len(body), 3):
        e = sample(kinds, body[:size], regs_user=0xFF0FFF)
        assert len(e.to_dict()) == len(e)
        e.to_json(), repr(e), str(e)


def test_columns() -> None:
    batches: List[Any] = []
    k = _tamis._make_kind(name="profile", sample_type=IP | PERIOD)
    raws = [struct.pack("=IHHQQ", 9, 0, 24, TOP - i, i) for i in range(10)]
    _tamis._deliver(k, raws, batches.append, batch=True)
    assert batches[0]["ip"].tolist() == [TOP - i for i in range(10)]
    assert batches[0]["period"].tolist() == list(range(10))
