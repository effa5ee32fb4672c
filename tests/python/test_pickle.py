# SPDX-License-Identifier: GPL-2.0-only
"""Events that travel: pickled, read by another process, read from bytes that were tampered with."""

import copy
import os
import pickle
import subprocess
import sys

import pytest

import _tamis
import made
import support


def test_round_trip() -> None:
    k = made.kind(clock=10**18)
    events = [made.event(k, pid=i, time=i, cpu=2, file=b"\xff%d" % i) for i in range(100)]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(events, protocol))
        assert again == events and [hash(e) for e in again] == [hash(e) for e in events]
        assert [e.to_dict() for e in again] == [e.to_dict() for e in events]
    # what they have in common is pickled once
    assert len(pickle.dumps(events)) < 100 * (len(made.raw()) + 150) + 4000


def test_another_process() -> None:
    events = [made.event(pid=i, callchain=b"\1" * 16) for i in range(10)]
    code = (
        "import sys, pickle; es = pickle.load(sys.stdin.buffer);"
        "print([e.pid for e in es], es[3].file, es[1].big, len(es[0]._callchain))"
    )
    path = os.pathsep.join([str(support.BUILD), str(support.TOP / "python")])
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(events),
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
    )
    assert run.stdout.decode() == f"{list(range(10))} /etc/passwd {2**64 - 1} 2\n"


def test_copies_of_pickled() -> None:
    e = pickle.loads(pickle.dumps(made.event()))
    assert copy.copy(e) == e and pickle.loads(pickle.dumps(e)) == e


def test_source() -> None:
    k = _tamis._make_kind(name="profile", sample_type=1)
    e = _tamis._make_event(k, b"\x09\0\0\0\0\0\x10\0" + (77).to_bytes(8, "little"), pid=5)
    again = pickle.loads(pickle.dumps(e))
    assert e.ip == again.ip == 77 and again._event == "profile"


def test_nonsense() -> None:
    restore, args = made.kind().__reduce__()
    with pytest.raises(ValueError):
        restore(*args[:10], b"short", *args[11:])
    with pytest.raises((ValueError, TypeError)):
        restore(*args[:9], ((1, 2, 3),), *args[10:])
    with pytest.raises(TypeError):
        _tamis._restore(1, 2)
    # layouts that point anywhere
    k = restore(*args[:10], b"\xff" * len(args[10]), *args[11:])
    e = _tamis._restore(k, 0, 0, 0, 0, 0, made.raw())
    e.to_dict()
