# SPDX-License-Identifier: GPL-2.0-only
"""tamis.perf_map: entries of code that scripts generate, in the interpreter's file or our own."""

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Iterator

import pytest

import support

CODE = """
import os, sys
sys.path[:0] = [{build!r}, {python!r}]
from tamis import perf_map
if {own}:
    perf_map._function = lambda name: None
"""


def run(code: str, own: bool) -> "subprocess.CompletedProcess[str]":
    head = CODE.format(build=str(support.BUILD), python=str(support.TOP / "python"), own=own)
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(params=[False, True], ids=["interpreter", "own"])
def own(request: Any) -> bool:
    return bool(request.param)


def test_entries(own: bool) -> None:
    got = run(
        """
        perf_map.write(0x7e0000000000, 0x40, "jit::one, two; three")
        perf_map.write(2**64 - 4096, 16, "top")
        perf_map.close()
        perf_map.write(0x1000, 1, "after")
        name = perf_map.path()
        print(open(name).read(), end="")
        print(oct(os.stat(name).st_mode & 0o777))
        os.unlink(name)
        """,
        own,
    )
    lines = got.stdout.splitlines()
    assert lines[0].split(" ", 2) == ["7e0000000000", "40", "jit::one, two; three"], got.stderr
    assert lines[2].endswith("1000 1 after") and lines[3] == "0o600"


def test_copy(own: bool, tmp_path: Path) -> None:
    (tmp_path / "other.map").write_text("10 20 one\nff 1 two words\n")
    got = run(
        f"""
        perf_map.write(1, 1, "first")
        perf_map.copy_from({str(tmp_path / 'other.map')!r})
        perf_map.close()
        print(open(perf_map.path()).read(), end="")
        os.unlink(perf_map.path())
        try: perf_map.copy_from("/nosuch.map")
        except OSError as e: print(e.errno)
        """,
        own,
    )
    assert got.stdout == f"1 1 first\n10 20 one\nff 1 two words\n{errno.ENOENT}\n", got.stderr


def test_children_write_their_own(own: bool) -> None:
    got = run(
        """
        perf_map.write(1, 1, "parent")
        pid = os.fork()
        if not pid:
            perf_map.close()
            perf_map.write(2, 2, "child")
            print(open(perf_map.path()).read(), end="", flush=True)
            os.unlink(perf_map.path())
            os._exit(0)
        os.waitpid(pid, 0)
        print(open(perf_map.path()).read(), end="")
        os.unlink(perf_map.path())
        """,
        own,
    )
    assert got.stdout == "2 2 child\n1 1 parent\n", got.stderr


def test_stale_file_is_replaced_once() -> None:
    got = run(
        """
        name = perf_map.path()
        open(name, "w").write("old entry\\n")
        os.utime(name, (1, 1))
        perf_map.write(1, 1, "new")
        perf_map.close()
        perf_map.write(2, 2, "newer")
        print(open(name).read(), end="")
        os.unlink(name)
        """,
        True,
    )
    assert got.stdout == "1 1 new\n2 2 newer\n", got.stderr


def test_links_are_not_followed(own: bool, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    got = run(
        f"""
        os.symlink({str(target)!r}, perf_map.path())
        try: perf_map.write(1, 1, "x")
        except OSError as e: print("refused", e.errno)
        os.unlink(perf_map.path())
        """,
        own,
    )
    assert got.stdout == f"refused {errno.ELOOP}\n", got.stderr
    assert target.read_text() == ""


@pytest.mark.parametrize("arguments", ["-1, 1, 'x'", "1, 0, 'x'", "1, 1, 'a\\nb'", "1, 1, ''"])
def test_nonsense(arguments: str) -> None:
    got = run(f"try: perf_map.write({arguments})\nexcept ValueError as e: print('no')", False)
    assert got.stdout == "no\n", got.stderr
