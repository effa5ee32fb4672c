# SPDX-License-Identifier: GPL-2.0-only
"""CPython's own perf maps: -X perf of 3.12 and later, built with frame pointers or without."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, List, Tuple

import pytest

import support
from folded import Folded, of, parse

FIB = """
import os, sys, time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def child_only(end):
    while time.process_time() < end:
        fib(15)
def before_fork(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        fib(16)
def outer(seconds):
    before_fork(seconds)
    if len(sys.argv) > 2 and os.fork() == 0:
        child_only(seconds)
        os._exit(0)
    if len(sys.argv) > 2:
        os.wait()
outer(float(sys.argv[1]))
"""


def find_python() -> str:
    names = [shutil.which(f"python3.{minor}") for minor in (12, 13, 14)]
    names += sorted(map(str, Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3")))
    for name in names:
        if not name:
            continue
        asked = "import sys; sys.exit(not sys.version_info >= (3, 12))"
        real = subprocess.run([name, "-X", "perf", "-c", asked], capture_output=True)
        if real.returncode == 0:
            out = subprocess.run(
                [name, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True
            )
            return str(Path(out.stdout.strip()).resolve())
    support.skip("no CPython 3.12 or later with -X perf")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "fib.py"
    path.write_text(FIB)
    return path


def chain(stack: Any) -> List[str]:
    """The Python functions of a stack, outermost first, without their files."""
    return [f[4:].partition(":")[0] for f in stack if f.startswith("py::")]


def shares(stacks: Folded, pattern: str) -> float:
    """How much of the samples in fib have this nesting of Python functions."""
    all_of_them = {s: n for s, n in stacks.items() if "fib" in chain(s)}
    total = sum(all_of_them.values())
    assert total >= 50, sorted(stacks.items(), key=lambda i: i[1])[-3:]
    return sum(n for s, n in all_of_them.items() if re.search(pattern, " ".join(chain(s)))) / total


def profile(tamis, *command: support.Arg) -> Tuple[Folded, str]:
    """The stacks, and what is to be seen where they are not right."""
    done = tamis("profile", "-F", "499", "--folded", "--", *command)
    assert done.rc == 0, done.err
    return parse(done.out), done.err + done.out[-3000:]


def test_functions_in_their_nesting(tamis, script):
    stacks, seen = profile(tamis, find_python(), "-X", "perf", script, support.ms(1500) / 1000)
    assert shares(stacks, r"^<module> outer before_fork fib( fib)*$") > 0.6, seen


def test_child_after_a_fork(tamis, script):
    """E14: functions from before the fork by the parent's map, the child's own by its own."""
    seconds = support.ms(2000) / 1000
    stacks, seen = profile(tamis, find_python(), "-X", "perf", script, seconds, "fork")
    assert shares(stacks, r"<module> outer before_fork fib") > 0.4, seen
    assert shares(stacks, r"<module> outer child_only( fib)+$") > 0.4, seen
    assert shares(stacks, r"child_only.*before_fork|before_fork.*child_only") == 0


def test_inside_of_namespaces_and_gone(tamis, script):
    """E7: private pid namespace and /tmp; all of it is gone by the time of output."""
    support.require("tool:unshare")
    python = find_python()
    inner = f"mount -t tmpfs none /mnt && cp {script} /mnt/fib.py && mount -t tmpfs none /tmp"
    inner += f" && exec {python} -X perf /mnt/fib.py {support.ms(1500) / 1000}"
    stacks, seen = profile(tamis, "unshare", "-pmf", "--mount-proc", "sh", "-c", inner)
    assert shares(stacks, r"<module> outer before_fork fib") > 0.6, seen


def test_without_its_map_nothing_is_invented(tamis, script):
    done = tamis(
        "profile", "-F", "499", "--folded", "--", find_python(), script, support.ms(700) / 1000
    )
    assert "py::" not in done.out
