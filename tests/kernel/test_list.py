# SPDX-License-Identifier: GPL-2.0-only
"""tamis list, names that do not exist (A14), and tracefs wherever it is (F5)."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

import support

TRACEFS = "/sys/kernel/tracing"


def run(*args: str, **kwargs: Any) -> "subprocess.CompletedProcess[str]":
    """Output as it is, whatever bytes it has."""
    return subprocess.run(
        [str(support.BUILD / "tamis"), *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=60 * support.PATIENCE,
        check=False,
        **kwargs,
    )


def listed(*args: str) -> List[str]:
    """The lines of `tamis list`."""
    done = run("list", *args)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def private(script: str, **kwargs: Any) -> "subprocess.CompletedProcess[str]":
    """A shell script in a mount namespace of its own; $TAMIS is the program."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60 * support.PATIENCE,
        check=False,
        env={**os.environ, "TAMIS": str(support.BUILD / "tamis")},
        **kwargs,
    )


def test_same_events_as_tracefs(tmp_path: Path) -> None:
    """Every event that has an id, and no other."""
    script = f"""
        umount -q -l {TRACEFS} 2>/dev/null; mount -t tracefs nodev {tmp_path} || exit 77
        cd {tmp_path}/events && ls -d */*/id
    """
    done = private(script)
    if done.returncode == 77:
        support.skip(f"tracefs cannot be mounted: {done.stderr}")
    want = {":".join(line.split("/")[:2]) for line in done.stdout.split()}
    want = {name for name in want if not name.startswith("ftrace:")}
    got = {line for line in listed() if ":" in line.split()[0]}
    assert got == want


def test_fields() -> None:
    """As handlers see them: the name of a file as text, its pointer beside it."""
    lines = [line.split() for line in listed("-v", "syscalls:sys_enter_openat")]
    openat = lines[: next((i for i, l in enumerate(lines) if i and len(l) == 1), len(lines))]
    assert ["dfd", "int", "int32"] in openat
    assert ["filename", "const", "char", "*", "text"] in openat
    assert ["filename_ptr", "const", "char", "*", "uint64"] in openat
    assert ["prev_comm", "char[16]", "text"] in [
        line.split() for line in listed("-v", "sched:sched_switch")
    ]


def test_json() -> None:
    """One object a line; the raw system call's six arguments."""
    events: Dict[str, Any] = {}
    for line in listed("-v", "--json"):
        event = json.loads(line)
        events[event["name"]] = event
    args = {f["name"]: f for f in events["raw_syscalls:sys_enter"]["fields"]}["args"]
    assert args == {
        "name": "args",
        "type": "unsigned long[6]",
        "kind": "array",
        "size": 48,
        "signed": False,
    }
    assert events["profile"]["kind"] == "source"
    assert events["rundelay"]["kind"] == "preset"
    assert "sched:sched_switch" in events["rundelay"]["events"]


def test_words_and_globs() -> None:
    """A word is looked for anywhere, a glob fits the whole name or what is behind the colon."""
    assert "sched:sched_wakeup" in listed("wakeup")
    assert "sched:sched_wakeup" in listed("sched_wakeup*")
    assert all(line.startswith("sched:") for line in listed("sched:*"))
    assert listed("sched:sched_[w]akeup_n*") == ["sched:sched_wakeup_new"]


@pytest.mark.parametrize(
    "event,words",
    [
        ("syscalls:sys_enter_opan", ["syscalls:sys_enter_opan", "near: syscalls:sys_enter_open"]),
        ("syscalls:nosuch", ["syscalls:nosuch", "tamis list 'syscalls:*'"]),
        ("nosys:x", ["nosys:x", "no such system"]),
    ],
)
def test_unknown_event(event: str, words: List[str]) -> None:
    """A14: the bad part, what is near, exit code 2."""
    for command in (["trace", "-e", event], ["list", event]):
        done = run(*command)
        assert done.returncode == 2
        assert done.stdout == ""
        message, text, caret = done.stderr.splitlines()
        assert all(word in message for word in words)
        assert text.strip() == event
        at = len(caret) - len(caret.lstrip())
        assert text[at:].startswith(event.split(":")[0 if event.startswith("nosys") else 1])


def test_not_mounted() -> None:
    """F5: without any mount the program makes one that nobody else sees."""
    done = private(
        f"umount -l {TRACEFS} /sys/kernel/debug 2>/dev/null; $TAMIS list sched:sched_switch;"
        f" ls {TRACEFS}; grep -c 'tracefs' /proc/mounts"
    )
    assert done.stdout.split() == ["sched:sched_switch", "0"], done.stderr


def test_mounted_elsewhere(tmp_path: Path) -> None:
    """F5: by option and by environment."""
    done = private(
        f"umount -l {TRACEFS} /sys/kernel/debug 2>/dev/null; mount -t tracefs nodev {tmp_path} &&"
        f" $TAMIS list --tracefs {tmp_path} sched:sched_switch &&"
        f" TAMIS_TRACEFS={tmp_path} $TAMIS list sched:sched_wakeup_new"
    )
    assert done.stdout.split() == ["sched:sched_switch", "sched:sched_wakeup_new"], done.stderr
    done = private(f"$TAMIS list --tracefs {tmp_path}")
    assert done.stdout == ""
    assert done.stderr == (
        f"tamis: --tracefs {tmp_path} is not a tracefs: it has no directory events\n"
    )


def test_cannot_be_mounted() -> None:
    """F5: one line that says what to mount."""
    if not shutil.which("setpriv"):
        support.skip("no setpriv")
    done = private(
        f"umount -l {TRACEFS} /sys/kernel/debug 2>/dev/null;"
        " setpriv --reuid 65534 --clear-groups --bounding-set -all --inh-caps -all"
        " $TAMIS list sched:sched_switch"
    )
    if "Permission denied" in done.stderr and "$TAMIS" in done.stderr:
        support.skip("the program may not be run by another user here")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"mount -t tracefs nodev {TRACEFS}" in done.stderr
