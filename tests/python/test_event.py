# SPDX-License-Identifier: GPL-2.0-only
"""PerfEvent over made records: every way to read a field, and what the value is."""

import copy
import gc
import json
import struct
import sys

import pytest

import _tamis
import made
import perf_prof
import tamis


def test_one_type() -> None:
    assert tamis.PerfEvent is perf_prof.PerfEvent is _tamis.PerfEvent
    with pytest.raises(TypeError):
        tamis.PerfEvent()
    with pytest.raises(TypeError):
        object.__new__(tamis.PerfEvent)
    with pytest.raises(TypeError):
        type("Sub", (tamis.PerfEvent,), {})


def test_values() -> None:
    e = made.event(tid=43, time=5, cpu=3)
    assert (e._pid, e._tid, e._time, e._cpu, e._period) == (42, 43, 5, 3, 1)
    assert e.comm == "bash" and e.pid == 42 and e.little == -3 and e.byte == 255
    assert e.big == 2**64 - 1 and e.small == -(2**63)
    assert e.saddr == b"\x7f\0\0\1"
    assert e.file == "/etc/passwd" and e.near == "near"
    assert e.common_type == 1234 and e.common_pid == 42
    assert e._event == "test:made"
    assert e._callchain == []


def test_bpf_gives_no_flags() -> None:
    e = made.event()
    assert e.common_flags is None and e.common_preempt_count is None


def test_text_that_is_not_utf8() -> None:
    e = made.event(comm=b"\xff\xfeX", file="ж".encode() * 150 + b"\xd0")
    assert e.comm.encode(errors="surrogateescape") == b"\xff\xfeX"
    assert e.file.encode(errors="surrogateescape") == "ж".encode() * 150 + b"\xd0"
    assert repr(e) and str(e)
    assert json.loads(e.to_json())["comm"] == e.comm


def test_text_that_fills_its_array() -> None:
    assert made.event(comm=b"0123456789abcdef").comm == "0123456789abcdef"


def test_arrays() -> None:
    e = made.event()
    assert len(e.args) == 48
    args = e.array("args")
    assert args.tolist() == [1, 2**64 - 1, 3, 4, 5, 6] and args[1] == 2**64 - 1
    assert args.readonly and args.format == "Q"
    del e
    gc.collect()
    assert args[5] == 6
    with pytest.raises(TypeError):
        args[0] = 1
    e = made.event()
    with pytest.raises(TypeError, match="not an array"):
        e.array("pid")
    with pytest.raises(tamis.FieldError):
        e.array("nosuch")
    assert e.array("saddr").tolist() == [127, 0, 0, 1]


def test_names() -> None:
    e = made.event()
    assert e["keys"] == 7 and e.keys == 7  # a field wins over a method
    assert e["class"] == 9
    assert [name for name, _ in e] == made.HEAD + made.OWN
    assert len(e) == len(made.HEAD + made.OWN)
    assert "comm" in e and "nosuch" not in e and 3 not in e
    assert "_comm" not in e and e._comm is None


def test_names_built_at_run_time() -> None:
    e = made.event()
    name = "".join(["co", "mm"])
    assert e[name] == "bash" and getattr(e, "".join(["_", "pid"])) == 42

    class Name(str):
        pass

    assert e[Name("comm")] == "bash"


def test_missing() -> None:
    e = made.event()
    for read in (lambda: e.nosuch, lambda: e["nosuch"]):
        with pytest.raises(tamis.FieldError) as caught:
            read()
        assert isinstance(caught.value, AttributeError) and isinstance(caught.value, KeyError)
        assert str(caught.value) == "test:made has no field 'nosuch'"
    assert e.get("nosuch") is None and e.get("nosuch", -1) == -1
    assert e.get("nosuch", default=-2) == -2 and e.get("comm", 1) == "bash"
    with pytest.raises(TypeError):
        e.get()
    with pytest.raises(TypeError):
        e.get("a", 1, 2)
    with pytest.raises(TypeError):
        e.get("a", other=1)
    assert not hasattr(e, "nosuch")
    with pytest.raises(tamis.FieldError):
        e[0]


def test_read_only() -> None:
    e = made.event()
    with pytest.raises(AttributeError):
        e.comm = "x"
    with pytest.raises(TypeError):
        e["comm"] = "x"
    with pytest.raises(AttributeError):
        del e.comm


def test_decoded_once() -> None:
    e = made.event()
    assert e.comm is e.comm and e.args is e.args and e._callchain is e._callchain


def test_dicts_and_json() -> None:
    e = made.event(time=9)
    d = e.to_dict()
    assert list(d) == made.HEAD + made.OWN
    assert d["args"] == [1, 2**64 - 1, 3, 4, 5, 6]
    again = json.loads(e.to_json())
    assert again["args"] == d["args"] and again["big"] == 2**64 - 1
    assert again["saddr"] == "7f000001" and again["_time"] == 9
    assert again["common_flags"] is None
    assert e.items() == [(n, v) for n, v in e]
    assert e.values() == [v for _, v in e]
    assert eval(str(e)) == d


def test_repr() -> None:
    e = made.event(cpu=1, time=2)
    assert repr(e) == "<PerfEvent test:made cpu=1 pid=42 time=2>"
    long = made.event(made.kind(label="x:" + "y" * 5000))
    assert len(repr(long)) < 300


def test_equality_and_hash() -> None:
    k = made.kind()
    a, b, c = made.event(k), made.event(k), made.event(k, big=1)
    assert a == b and hash(a) == hash(b) and not a != b
    assert a != c and a != 1 and len({a, b, c}) == 2
    with pytest.raises(TypeError):
        a < b


def test_copies() -> None:
    e = made.event(time=77)
    for twin in (copy.copy(e), copy.deepcopy(e)):
        assert twin == e and twin is not e and twin.to_dict() == e.to_dict()


def test_realtime() -> None:
    assert made.event(made.kind(clock=10**18), time=5)._realtime == 10**18 + 5


def test_callchain() -> None:
    chain = struct.pack("=4Q", 2**64 - 128, 0xFFFFFFFF81000010, 2**64 - 512, 0x401000)
    frames = made.event(callchain=chain)._callchain
    assert [f["addr"] for f in frames] == [0xFFFFFFFF81000010, 0x401000]
    assert [f["kernel"] for f in frames] == [True, False]
    assert all(set(f) == {"addr", "symbol", "offset", "kernel", "dso"} for f in frames)
    assert frames[0]["symbol"] == "Unknown"


def test_flags() -> None:
    e = made.event(flags=1)
    assert e.truncated and not e.unreadable and not e.late
    e = made.event(flags=0x102)
    assert not e.truncated and e.unreadable and e.late


def test_cut_records_do_not_crash() -> None:
    k, whole = made.kind(), made.raw()
    for size in range(len(whole)):
        e = _tamis._make_event(k, whole[:size])
        assert len(e.to_dict()) == len(e)
        repr(e), str(e), e.to_json()
        e.array("args")


def test_wild_offsets_do_not_crash() -> None:
    k = made.kind()
    for word in (0xFFFFFFFF, 0xFFFF0000, 0x0000FFFF, 0x00100074, 0xFFFF0074):
        wild = bytearray(made.raw())
        struct.pack_into("=II", wild, 100, word, word)
        e = _tamis._make_event(k, bytes(wild))
        e.to_dict(), e.to_json()


def test_cycles_are_collected() -> None:
    gc.collect()
    before = _tamis._counts()["kept"]
    for _ in range(100):
        e = made.event()
        e._callchain.append(e)
    del e
    gc.collect()
    assert _tamis._counts()["kept"] == before


def test_iterator_alone_keeps_the_event() -> None:
    it = iter(made.event())
    method = made.event().get
    gc.collect()
    assert dict(it)["comm"] == "bash" and method("big") == 2**64 - 1


def test_references_are_counted() -> None:
    e = made.event()
    reads = (
        lambda: e.comm,
        lambda: e["_time"],
        lambda: e.get("x", 1),
        lambda: list(e),
        lambda: "comm" in e,
    )
    reads += (lambda: e.to_dict(), lambda: e.to_json(), lambda: e.array("args"), lambda: hash(e))
    for read in reads:
        read()
    before = sys.getrefcount(e)
    for _ in range(1000):
        for read in reads:
            read()
    assert sys.getrefcount(e) == before


def test_docs() -> None:
    import inspect

    assert "surrogateescape" in (tamis.PerfEvent.__doc__ or "")
    assert str(inspect.signature(tamis.PerfEvent.get)) == "(self, /, name, default=None)"
