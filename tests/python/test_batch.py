# SPDX-License-Identifier: GPL-2.0-only
"""Batches: columns that own their memory, events of a batch, batches that are kept."""

from typing import Any, List

import pytest

import _tamis
import made
import tamis


def deliver(n: int, handler: Any, **kind: Any) -> None:
    raws = [made.raw(pid=i, big=2**64 - 1 - i, comm=b"c%d" % i, file=b"f" * i) for i in range(n)]
    _tamis._deliver(made.kind(**kind), raws, handler, batch=True)


def kept(n: int) -> Any:
    batches: List[Any] = []
    deliver(n, batches.append)
    return batches[0]


def test_columns_inside_and_after() -> None:
    got: List[Any] = []

    def handler(batch: Any) -> None:
        got.append((batch["pid"], batch["big"], batch["_time"], batch["_cpu"], batch["comm"]))

    deliver(100, handler)
    pid, big, time, cpu, comm = got[0]
    assert pid.tolist() == list(range(100)) and pid.format == "i" and pid.contiguous
    assert big.tolist() == [2**64 - 1 - i for i in range(100)] and big.format == "Q"
    assert time.tolist() == list(range(1, 101))
    assert cpu.tolist() == [0] * 100
    assert comm.format == "16s" and bytes(comm)[16:19] == b"c1\0"
    assert pid.readonly


def test_columns_of_every_field() -> None:
    batch = kept(3)
    assert batch["little"].tolist() == [-3] * 3 and batch["byte"].tolist() == [255] * 3
    assert batch["args"].tolist() == [[1, 2**64 - 1, 3, 4, 5, 6]] * 3
    assert batch["saddr"].tolist() == [[127, 0, 0, 1]] * 3
    assert batch["common_type"].tolist() == [1234] * 3
    assert batch["_realtime"].tolist() == [1, 2, 3]
    assert batch["_period"].tolist() == [1, 1, 1]
    assert bytes(batch["_event"])[:9] == b"test:made"
    assert batch["file"].itemsize >= 2
    with pytest.raises(TypeError, match="no column"):
        batch["_callchain"]
    with pytest.raises(tamis.FieldError):
        batch["nosuch"]


def test_events_of_a_batch() -> None:
    got: List[Any] = []

    def handler(batch: Any) -> None:
        assert len(batch) == 50
        assert [e.pid for e in batch] == list(range(50))
        assert batch[-1].pid == 49 and [e.pid for e in batch[10:20:3]] == [10, 13, 16, 19]
        with pytest.raises(IndexError):
            batch[50]
        got.append(batch[7])

    deliver(50, handler)
    assert got[0].pid == 7 and got[0].file == "f" * 7


def test_kept_batch() -> None:
    batch = kept(64)
    assert [e.file for e in batch] == ["f" * i for i in range(64)]
    assert batch[3] == batch[3] and batch.to_dict()["pid"] == list(range(64))
    assert repr(batch) == "<Batch test:made of 64 events>"
    assert batch.keys() == made.HEAD + made.OWN


def test_batch_of_nothing() -> None:
    batch = kept(0)
    assert len(batch) == 0 and batch["pid"].tolist() == [] and batch.to_dict()["comm"] == []


def test_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    batch = kept(20)
    view = batch["big"]
    column = numpy.asarray(view)
    assert column.dtype == numpy.uint64 and column[0] == 2**64 - 1
    assert numpy.shares_memory(column, numpy.asarray(view))
    assert numpy.asarray(batch["comm"])[3] == b"c3"
    array = batch.to_numpy()
    assert array["pid"].tolist() == list(range(20)) and array["args"].shape == (20, 6)
    assert array["comm"][5] == b"c5"
