# SPDX-License-Identifier: GPL-2.0-only
"""Sampling sources where something is short: memory, permissions, a PMU."""

import os
import shutil
import stat

import pytest

import support

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
WITHOUT = [*NOBODY, "--bounding-set", "-all"]
PERFMON = [
    "prlimit",
    "--memlock=65536",
    *NOBODY,
    "--inh-caps",
    "+perfmon",
    "--ambient-caps",
    "+perfmon",
]


@pytest.fixture
def program():
    """A copy that any user can run."""
    support.require("tool:setpriv")
    path = support.Path("/tmp") / f"tamis-test-{os.getpid()}"
    shutil.copy(support.BUILD / "tamis", path)
    path.chmod(path.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    yield path
    path.unlink()


def run(tamis, command, *args):
    return tamis(*command[1:], *args, program=command[0])


def test_without_a_right_the_reason_is_named(tamis, program):
    """Case G1."""
    got = run(tamis, WITHOUT, program, "trace", "-e", "profile")
    assert got.rc == 1
    assert got.err.count("\n") == 1
    assert "kernel.perf_event_paranoid is" in got.err and "CAP_PERFMON" in got.err


def test_with_perfmon_it_works(tamis, program, paranoid):
    """Case G1: it is the capability that counts, not the uid. Rings fit what may be locked (C8)."""
    got = run(tamis, PERFMON, program, "trace", "-e", "page-faults", "-m", "16M", "--", "true")
    assert got.rc == 0, got.err
    assert got.out.count("page-faults:") > 20
    assert "perf_event_mlock_kb" in got.err


def test_own_processes_need_no_right(tamis, program, paranoid):
    got = run(tamis, WITHOUT, program, "trace", "-e", "page-faults/--exclude-kernel/", "--", "true")
    assert got.rc == 0, got.err
    assert got.out.count("page-faults:") > 20


@pytest.mark.parametrize("kib", [300000, 120000])
def test_little_address_space(tamis, kib):
    """Case C8: smaller rings, with a notice."""
    command = f"ulimit -v {kib}; exec '{tamis.path}' trace -e page-faults -m 64M -- true"
    got = run(tamis, ["sh"], "-c", command)
    assert got.rc == 0, got.err
    assert "perf rings have" in got.err
    assert got.out.count("page-faults:") > 20


def test_no_pmu(tamis):
    if support.PROBES["pmu"][0]():
        support.skip("this machine has a PMU")
    got = tamis("trace", "-e", "cycles")
    assert got.rc == 1
    assert "cycles" in got.err and "cpu-clock" in got.err


@pytest.mark.parametrize(
    "event, bad",
    [
        ("profile/-F fast/", "fast"),
        ("profile/--sample ip,adr/", "adr"),
        ("page-faults/--sample regs_user=zz/", "zz"),
        ("profile/-F 99 -c 7/", "-F 99 -c 7"),
        ("cpu-clock/--nosuch/", "--nosuch"),
    ],
)
def test_mistakes_have_a_caret(tamis, event, bad):
    got = tamis("trace", "-e", event)
    assert got.rc == 2
    _, text, caret = got.err.rstrip("\n").split("\n")
    assert text.strip() == event
    assert caret.index("^") == text.index(bad)
    assert caret.count("^") == len(bad)


def test_one_in_ten_and_at_most_fifty(tamis):
    command = ["--", support.workload_path("syscalls"), "getppid", "10003"]
    event = "syscalls:sys_enter_getppid//transport=perf"
    assert (
        tamis("trace", "-e", f"{event}/sample=10/", *command).out.count("sys_enter_getppid:")
        == 1000
    )
    limited = tamis("trace", "-e", f"{event}/rate=50/", *command).out.count("sys_enter_getppid:")
    assert 50 <= limited <= 200  # a second on a CPU, of which the loop may see two of each


def test_names_of_tasks_that_are_gone(tamis):
    """comm of short processes on the perf transport, which carries none itself."""
    got = tamis("trace", "-e", "page-faults", "--", "sh", "-c", "/bin/true; /bin/true; exit 0")
    names = {line.split()[2] for line in got.out.splitlines() if "page-faults:" in line}
    assert {"sh", "true"} <= names
    assert not any(name.startswith("<") for name in names)
