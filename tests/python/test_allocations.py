# SPDX-License-Identifier: GPL-2.0-only
"""The steady state allocates nothing per event in C: calls of malloc are counted from outside."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import support

PROGRAM = support.BUILD / "tests/python/embedded"

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long calls;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t n) { __atomic_add_fetch(&calls, 1, 5); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { __atomic_add_fetch(&calls, 1, 5); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { __atomic_add_fetch(&calls, 1, 5); return __libc_realloc(p, n); }
__attribute__((destructor)) static void say(void) { fprintf(stderr, "calls=%lu\n", calls); }
"""

SCRIPT = """
total = 0
def __sample__(event):
    global total
    total += event.pid + len(event.comm) + (event._time & 1)
def __exit__(): print("total", total > 0)
"""


@pytest.fixture(scope="module")
def counter(tmp_path_factory: Any) -> Path:
    if "san" in os.environ.get("LD_PRELOAD", ""):
        support.skip("the sanitizer's malloc is not to be replaced")
    path = tmp_path_factory.mktemp("counter")
    (path / "counter.c").write_text(COUNTER)
    command = ["gcc", "-O2", "-shared", "-fPIC", "-o", "counter.so", "counter.c"]
    subprocess.run(command, cwd=path, check=True)
    return path / "counter.so"


def calls(counter: Path, script: Path, rounds: int) -> int:
    run = subprocess.run(
        [str(PROGRAM), "-n", "4096", "-r", str(rounds), str(script)],
        env={**os.environ, "LD_PRELOAD": str(counter)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.returncode == 0 and "total True" in run.stdout, run.stderr
    return int(run.stderr.rpartition("calls=")[2])


def test_steady_state(counter: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    few, many = calls(counter, script, 10), calls(counter, script, 110)
    # 409,600 events more; the made-up session itself allocates twice a batch
    assert many - few < 100 * 10, f"{many - few} calls for 100 batches"
