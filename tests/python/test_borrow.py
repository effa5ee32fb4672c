# SPDX-License-Identifier: GPL-2.0-only
"""Borrowed events: what is kept keeps its value, what is not costs nothing."""

import gc
import threading
from typing import Any, List

import pytest

import _tamis
import made


def raws(n: int) -> List[bytes]:
    return [made.raw(pid=i, big=i * 3, file=b"f%d" % i) for i in range(n)]


def test_kept_events_equal_what_was_seen() -> None:
    kept: List[Any] = []
    seen: List[Any] = []

    def handler(event: Any) -> None:
        if event.pid % 7 == 0:
            kept.append(event)
            seen.append((event._time, event.pid, event.big, event.file, event.comm))

    _tamis._deliver(made.kind(), raws(1000), handler)
    assert len(kept) == 143
    assert [(e._time, e.pid, e.big, e.file, e.comm) for e in kept] == seen


def test_kept_unread() -> None:
    kept: List[Any] = []
    _tamis._deliver(made.kind(), raws(300), kept.append)
    assert [e.file for e in kept] == [f"f{i}" for i in range(300)]


def test_kept_by_method_or_iterator_alone() -> None:
    kept: List[Any] = []

    def handler(event: Any) -> None:
        kept.append((event.get, iter(event), event.pid))
        del event

    _tamis._deliver(made.kind(), raws(10), handler)
    for get, it, pid in kept:
        assert get("pid") == pid and dict(it)["pid"] == pid


def test_nothing_is_kept_by_itself() -> None:
    gc.collect()
    before = _tamis._counts()["kept"]

    def handler(event: Any) -> None:
        event.pid, event.comm, event._callchain

    _tamis._deliver(made.kind(), raws(1000), handler)
    assert _tamis._counts()["kept"] == before


def test_free_list_is_bounded() -> None:
    kept: List[Any] = []
    _tamis._deliver(made.kind(), raws(2000), kept.append)
    assert _tamis._counts()["kept"] >= 2000
    kept.clear()
    gc.collect()
    assert _tamis._counts()["free"] == 256


def test_one_object_serves_them_all() -> None:
    ids = set()
    _tamis._deliver(made.kind(), raws(1000), lambda event: ids.add(id(event)))
    assert len(ids) == 1


def test_values_do_not_leak_into_the_next_event() -> None:
    files: List[str] = []

    def handler(event: Any) -> None:
        files.append(event.file)

    _tamis._deliver(made.kind(), raws(100), handler)
    assert files == [f"f{i}" for i in range(100)]


def test_raising_handler() -> None:
    def handler(event: Any) -> None:
        raise ValueError(event.pid)

    with pytest.raises(ValueError) as caught:
        _tamis._deliver(made.kind(), raws(3), handler)
    # the traceback keeps the handler's frame, and that the event
    tb = caught.value.__traceback__
    while tb and "event" not in tb.tb_frame.f_locals:
        tb = tb.tb_next
    assert tb and tb.tb_frame.f_locals["event"].file == "f0"


def test_cycle_through_a_kept_event() -> None:
    gc.collect()
    before = _tamis._counts()["kept"]

    def handler(event: Any) -> None:
        event._callchain.append(event)

    _tamis._deliver(made.kind(), raws(500), handler)
    gc.collect()
    assert _tamis._counts()["kept"] == before


def test_del_method_that_reads_the_event() -> None:
    read: List[int] = []

    class Keeper:
        def __init__(self, event: Any) -> None:
            self.event = event

        def __del__(self) -> None:
            read.append(self.event.pid)

    keepers: List[Any] = []
    _tamis._deliver(made.kind(), raws(100), lambda e: keepers.append(Keeper(e)))
    keepers.clear()
    assert sorted(read) == list(range(100))


def test_threads_read_while_the_batch_ends() -> None:
    shared: List[Any] = []
    wrong: List[Any] = []
    stop = threading.Event()

    def reader() -> None:
        while not stop.is_set():
            for event in shared[-50:]:
                pid = event.pid
                if (event.file, event.big, event.to_dict()["pid"]) != (f"f{pid}", 3 * pid, pid):
                    wrong.append(pid)

    thread = threading.Thread(target=reader)
    thread.start()
    for _ in range(20):
        _tamis._deliver(made.kind(), raws(200), shared.append)
    stop.set()
    thread.join()
    assert not wrong
