# SPDX-License-Identifier: GPL-2.0-only
"""tamis.Session in a plain interpreter: exact counts, several at once, the end in every way."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any, List

import pytest

import support

tamis = pytest.importorskip("tamis")

GETPPID = "syscalls:sys_enter_getppid"


def command(n: int, name: str = "getppid") -> List[str]:
    return [str(support.workload_path("syscalls")), name, str(n)]


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_exact_count(transport: str) -> None:
    with tamis.Session(GETPPID, workload=command(20011), transport=transport) as session:
        seen = sum(1 for event in session if event._event == GETPPID)
        stats = session.stats()[GETPPID]
    assert seen == 20011 and stats["delivered"] == 20011 and stats["lost"] == 0


def test_batches() -> None:
    with tamis.Session(GETPPID, "sched:sched_switch", workload=command(10007)) as session:
        sizes = {}
        for batch in session.batches():
            label = batch[0]._event
            times = batch["_time"].tolist()
            sizes[label] = sizes.get(label, 0) + len(times)
    assert sizes[GETPPID] == 10007


def test_two_at_once() -> None:
    first = tamis.Session(GETPPID, workload=command(3001))
    second = tamis.Session("syscalls:sys_enter_getuid", workload=command(5003, "getuid"))
    assert sum(1 for _ in first) == 3001
    assert sum(1 for _ in second) == 5003
    first.close(), second.close()


def test_kept_events_outlive_the_session() -> None:
    with tamis.Session("sched:sched_process_exec", workload=["/bin/true"]) as session:
        events = list(session)
    del session
    assert [e.filename for e in events] == ["/bin/true"]
    assert events[0].to_dict()["filename"] == "/bin/true" and events[0]._callchain == []


def test_poll_and_fileno() -> None:
    import select

    session = tamis.Session(GETPPID, pid=os.getpid(), self=True)
    begin = time.monotonic()
    assert session.poll(timeout=0) == [] and session.poll(timeout=0.2) == []
    assert 0.15 < time.monotonic() - begin < 5
    for _ in range(100):
        os.getppid()
    seen: List[Any] = []
    while len(seen) < 100:
        select.select([session.fileno()], [], [], 5)
        seen += session.poll(timeout=0.5)
    assert len(seen) == 100 and {e._pid for e in seen} == {os.getpid()}
    session.close()


def test_tables() -> None:
    with tamis.Session(GETPPID + "//count/by=_comm/alias=c/", workload=command(4001)) as session:
        assert list(session) == []
        assert session.tables["c"]["syscalls"] == 4001
        assert session.tables["c"].top(1) == [("syscalls", 4001)]
        tables = session.tables
    with pytest.raises(tamis.Error, match="closed"):
        tables["c"]


def test_errors() -> None:
    with pytest.raises(tamis.Error, match="near: sched:sched_wakeup") as caught:
        tamis.Session("sched:sched_wakup")
    assert caught.value.errno
    for arguments in ({"nosuch": 1}, {"pid": "x"}, {"transport": "pigeon"}, {"cgroup": "/nosuch"}):
        with pytest.raises(tamis.Error):
            tamis.Session(GETPPID, **arguments)
    with pytest.raises(TypeError):
        tamis.Session(5)
    with pytest.raises(tamis.Error):
        tamis.Session()
    with pytest.raises(tamis.Error):
        tamis.Session(GETPPID, workload=["/nosuch/program"])


def test_closed() -> None:
    session = tamis.Session(GETPPID)
    session.close()
    session.close()
    assert session.closed
    for use in (session.poll, session.fileno, session.stats, lambda: next(iter(session))):
        with pytest.raises(tamis.Error, match="closed"):
            use()


def test_forgotten() -> None:
    """conftest.py looks whether programs and links are left."""
    tamis.Session(GETPPID)
    with pytest.raises(ZeroDivisionError):
        session = tamis.Session(GETPPID, pid=os.getpid(), self=True)
        os.getppid()
        for _ in session:
            1 / 0


def test_another_thread() -> None:
    got: List[Any] = []

    def work() -> None:
        with tamis.Session(GETPPID, workload=command(2003)) as session:
            got.extend(session)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(got) == 2003 and got[-1]._event == GETPPID


def test_one_thread_at_a_time() -> None:
    session = tamis.Session("sched:sched_process_exec", pid=os.getpid())
    thread = threading.Thread(target=session.poll, args=(1.0,))
    thread.start()
    time.sleep(0.3)
    with pytest.raises(tamis.Error, match="another thread"):
        session.poll()
    with pytest.raises(tamis.Error, match="another thread"):
        session.close()
    thread.join()
    session.close()


def test_other_threads_run_meanwhile() -> None:
    count = [0]
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.001):
            count[0] += 1

    thread = threading.Thread(target=work)
    thread.start()
    with tamis.Session("sched:sched_process_exec", pid=os.getpid()) as session:
        session.poll(timeout=1)
    stop.set()
    thread.join()
    assert count[0] > 20


def plain(code: str, tmp_path: Path) -> "subprocess.Popen[str]":
    path = tmp_path / "plain.py"
    path.write_text(textwrap.dedent(code))
    env = {**os.environ, "PYTHONPATH": f"{support.BUILD}:{support.TOP}/python"}
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_interrupt(tmp_path: Path) -> None:
    child = plain(
        """
        import tamis
        with tamis.Session("sched:sched_process_exec", pid=1) as session:
            print("ready", flush=True)
            try:
                for event in session:
                    pass
            except KeyboardInterrupt:
                print("interrupted")
        print(session)
        """,
        tmp_path,
    )
    assert child.stdout and "ready" in child.stdout.readline()
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20 * support.PATIENCE)
    assert out == "interrupted\n<Session closed>\n" and child.returncode == 0, err


def test_session_open_at_exit(tmp_path: Path) -> None:
    child = plain(
        """
        import tamis
        session = tamis.Session("sched:sched_switch")
        kept = session.poll()
        cycle = [session]
        cycle.append(cycle)
        del session
        """,
        tmp_path,
    )
    out, err = child.communicate(timeout=60 * support.PATIENCE)
    assert child.returncode == 0 and err == ""


def test_forked_child_leaves_it_alone() -> None:
    with tamis.Session(GETPPID, workload=command(3001)) as session:
        pid = os.fork()
        if not pid:
            try:
                session.close()
                os._exit(0 if session.closed else 1)
            finally:
                os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0
        assert sum(1 for _ in session) == 3001


def test_notices_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="tamis"):
        name = "'averyveryverylongname'"
        tamis.Session(f"sched:sched_switch/prev_comm=={name}/").close()
    assert any("averyveryverylongname" in r.getMessage() for r in caplog.records)


def test_without_a_session() -> None:
    assert "sched:sched_switch" in tamis.events("sched:*")
    assert tamis.events("sched_switch") == ["sched:sched_switch"]
    assert tamis.parse("sched:sched_switch//alias=x/")[0]["alias"] == "x"
    with pytest.raises(tamis.Error):
        tamis.parse("sched:sched_switch//nosuch/")
    import ctypes

    address = ctypes.cast(ctypes.CDLL(None).getppid, ctypes.c_void_p).value
    frame = tamis.symbolize(os.getpid(), [address])[0]
    assert frame["symbol"] == "getppid" and frame["offset"] == 0 and "libc" in frame["dso"]
