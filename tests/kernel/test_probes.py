# SPDX-License-Identifier: GPL-2.0-only
"""uprobe, uretprobe and usdt events, counted exactly, with the arguments that were passed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

import support

N = 10007


@pytest.fixture(name="probed")
def _probed(workload_path, tmp_path):
    """A copy of the workload: nobody else runs it."""
    if not re.search(r"\bregister_uprobe|uprobe_register\b", open("/proc/kallsyms").read()):
        support.skip("this kernel has no uprobes")
    copy = tmp_path / "probed"
    shutil.copy(workload_path("probes"), copy)
    return copy


def records(run) -> List[Dict[str, Any]]:
    """The events among the lines of JSON."""
    lines = [line for line in run.out.splitlines() if line.startswith("{")]
    return [r for r in map(json.loads, lines) if "_event" in r and "_lost" not in r]


def test_arguments_by_name(tamis, probed):
    """DWARF names and types; a double in between does not count as an integer argument."""
    run = tamis(
        "trace", "--json", "-e", f'uprobe:square@"{probed}"//ustring=name/', "--", probed, 3
    )
    assert run.rc == 0, run.err
    got = [[r[name] for name in ("a", "b", "name", "c")] for r in records(run)]
    assert got == [[0, 250, "a name", -7], [-1, 250, "a name", -7], [-2, 250, "a name", -7]]


def test_returned(tamis, probed):
    """The filter sees the return value in the kernel."""
    run = tamis("trace", "--json", "-e", f'uretprobe:square@"{probed}"/ret > 10/', "--", probed, 6)
    assert [r["ret"] for r in records(run)] == [16, 25], run.err


def test_pairs_of_call_and_return(tamis, probed):
    """key= and since= work as for tracepoints."""
    run = tamis(
        "trace", "--json", "-e",
        f'uprobe:square@"{probed}"//alias=in/key=_tid/keep=a/,'
        f'uretprobe:square@"{probed}"//since=in/key=_tid/', "--", probed, 5,
    )  # fmt: skip
    got = records(run)
    assert [(r["start.a"], r["ret"]) for r in got] == [(-i, i * i) for i in range(5)], run.err
    assert all(0 < r["latency"] < 10**9 for r in got)


def test_stripped(tamis, probed):
    """Without debug information arguments go by position; without symbols an address will do."""
    if not shutil.which("strip") or not shutil.which("nm"):
        support.skip("no binutils")
    nm = subprocess.run(["nm", probed], stdout=subprocess.PIPE, encoding="ascii", check=True)
    address = next(l.split()[0] for l in nm.stdout.splitlines() if l.endswith(" square"))
    subprocess.run(["strip", "-g", probed], check=True)
    run = tamis("trace", "--json", "-e", f'uprobe:square@"{probed}"', "--", probed, 2)
    got = records(run)
    assert [r["arg0"] & 0xFFFFFFFF for r in got] == [0, 0xFFFFFFFF], run.err
    assert [r["arg1"] & 0xFF for r in got] == [250, 250]
    subprocess.run(["strip", probed], check=True)
    run = tamis("trace", "-e", f'uprobe:square@"{probed}"', "--", probed, 2)
    assert run.rc == 2
    assert "has no function square" in run.err
    run = tamis("trace", "--json", "-e", f'uprobe:0x{address}@"{probed}"', "--", probed, 2)
    assert len(records(run)) == 2, run.err


def test_counts_by_binary(tamis, probed, workload_path, tmp_path):
    """Two processes run the same path; in one's mount namespace another binary is there."""
    other = tmp_path / "other"
    shutil.copy(workload_path("probes"), other)
    script = (
        f"{probed} {N} & unshare -m sh -c 'mount --bind {other} {probed} && {probed} 503'; wait"
    )
    run = tamis(
        "trace", "--json", "-e", f'uprobe:square@"{probed}"', "-m", "16M", "--", "sh", "-c", script
    )
    got = records(run)
    assert len(got) == N, run.err
    assert len({r["_pid"] for r in got}) == 1
    assert sorted(-r["a"] for r in got) == list(range(N))


def test_usdt_arguments(tamis, probed):
    """Every width and sign: registers, memory, constants."""
    run = tamis("trace", "--json", "-e", f'usdt:test:passed@"{probed}"', "--", probed, 300)
    got = [[r[f"arg{i}"] for i in range(5)] for r in records(run)]
    assert got == [[2**64 - 1 - i, -i, i % 256, -5000000000 - i, 77] for i in range(300)], run.err


def test_usdt_semaphore(tamis, probed):
    """The probe is on while it is traced, and only then."""
    run = tamis("trace", "--json", "-e", f'usdt:test:passed@"{probed}"', "--", probed, 103)
    assert support.said(run.out)["looked"] == 103, run.err
    alone = subprocess.run([probed, "103"], stdout=subprocess.PIPE, encoding="ascii", check=True)
    assert support.said(alone.stdout) == {"calls": 103, "looked": 0}


def test_usdt_of_the_system_python(tamis):
    """Debian's Python has probes of its own: one collection is one start and one end."""
    python = "/usr/bin/python3"
    notes = subprocess.run(
        ["readelf", "-n", python], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    if "gc__start" not in notes.stdout:
        support.skip(f"{python} has no USDT probes")
    code = "import gc; gc.disable(); gc.collect(0); gc.collect(1)"
    run = tamis(
        "trace", "--json", "-e",
        f'usdt:python:gc__start@"{python}",usdt:python:gc__done@"{python}"', "--",
        python, "-I", "-S", "-c", code,
    )  # fmt: skip
    starts = [r["arg0"] for r in records(run) if r["_event"] == "usdt:python:gc__start"]
    done = [r for r in records(run) if r["_event"] == "usdt:python:gc__done"]
    assert [0, 1] == [g for g in starts if g < 2][-2:], run.err
    assert len(starts) == len(done)


def test_libraries_by_name(tamis):
    """As the dynamic linker finds them."""
    run = tamis("trace", "--json", "-e", 'uprobe:getppid@"libc.so.6"', "--", sys.executable, "-c",
                "import os; [os.getppid() for _ in range(23)]")  # fmt: skip
    assert len(records(run)) == 23, run.err


def test_wildcards(tamis, probed):
    """Each match is an event of its own, with the name that it has."""
    run = tamis("trace", "--json", "-e", f'uprobe:s[q]uar?*@"{probed}"', "--", probed, 5)
    assert [r["_event"] for r in records(run)] == ["uprobe:square"] * 5, run.err
    run = tamis("trace", "--json", "-e", f'usdt:t*:p*@"{probed}"', "--", probed, 5)
    assert [r["_event"] for r in records(run)] == ["usdt:test:passed"] * 5, run.err
    run = tamis("trace", "-e", f'uprobe:no_such*@"{probed}"', "--", probed, 5)
    assert run.rc == 2 and "no function" in run.err


AMBIGUOUS = """
static inline __attribute__((always_inline)) int inlined_one(int x) { return x * 3; }
int NAME(int x);
static __attribute__((noinline)) int both(int x) { asm volatile(""); return inlined_one(x) + 1; }
int NAME(int x) { return both(x); }
"""


def test_ambiguous_and_inlined(tamis, tmp_path):
    """Two local functions of one name: their addresses. Inlined: it says so."""
    if not shutil.which("gcc"):
        support.skip("no compiler")
    objects = []
    for name in ("one", "two"):
        source = tmp_path / f"{name}.c"
        source.write_text(AMBIGUOUS.replace("NAME", name))
        objects.append(source)
    (tmp_path / "main.c").write_text(
        "int one(int); int two(int); int main(int c, char **v) { return one(c) == two(c) + 1; }"
    )
    binary = tmp_path / "ambiguous"
    subprocess.run(["gcc", "-g", "-O2", "-o", binary, tmp_path / "main.c", *objects], check=True)
    run = tamis("trace", "-e", f'uprobe:both@"{binary}"', "--", binary)
    assert run.rc == 2
    addresses = re.findall(r"0x[0-9a-f]+", run.err.splitlines()[0])
    assert len(addresses) == 2 and "several functions both" in run.err, run.err
    run = tamis("trace", "--json", "-e", f'uprobe:{addresses[0]}@"{binary}"', "--", binary)
    assert len(records(run)) == 1, run.err
    run = tamis("trace", "-e", f'uprobe:inlined_one@"{binary}"', "--", binary)
    assert run.rc == 2
    assert "it is inlined wherever it is called" in run.err


@pytest.mark.parametrize(
    "event,words",
    [
        ('uprobe:squar@"{}"', ["has no function squar", "near: square"]),
        ('uprobe:square@"/nonexistent"', ["/nonexistent: No such file"]),
        ('uprobe:square@"nosuchlib"', ["no library or program of that name"]),
        ('uprobe:x@"/etc/passwd"', ["no ELF binary"]),
        ('usdt:test:pased@"{}"', ["no USDT probe test:pased", "near: test:passed"]),
        ('uprobe:square+5000@"{}"', ["shorter than the offset"]),
        ('uprobe:square@"{}"/nofield>1/', ["nofield"]),
        ('uprobe:square@"{}"//transport=perf/', ["by BPF only"]),
        ("fentry:no_such_function_here", ["no function no_such_function_here"]),
    ],
)
def test_mistakes(tamis, probed, event, words):
    """One message, exit code 2, nothing attached."""
    run = tamis("trace", "-e", event.format(probed), "--", "/bin/true")
    assert run.rc == 2
    assert all(word in run.err for word in words), run.err


def linked(process: support.Process) -> bool:
    """Has it attached a BPF program?"""
    try:
        fds = [os.readlink(fd) for fd in Path(f"/proc/{process.pid}/fd").iterdir()]
    except OSError:
        return False
    return any("bpf_link" in fd or "bpf-link" in fd for fd in fds)


def test_binary_of_a_container(tamis, workload_path, tmp_path):
    """The scoped process's root decides which file a path is, also behind an absolute link."""
    libraries = subprocess.run(
        ["ldd", workload_path("probes")], stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    for library in re.findall(r"(/\S+) \(0x", libraries.stdout):
        (tmp_path / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, tmp_path / library[1:])
    (tmp_path / "data").mkdir()
    shutil.copy(workload_path("probes"), tmp_path / "data/probed")
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/probed").symlink_to("/data/probed")
    process = support.Workload(["chroot", tmp_path, "/usr/bin/probed", "-w", 53])
    try:
        run = tamis.start(
            "trace", "--json", "-e", 'uprobe:square@"/usr/bin/probed",usdt:test:passed@"probed"',
            "-p", process.begun,
        )  # fmt: skip
        support.wait_until(lambda: linked(run) or run.rc is not None, "attached probes")
        process.go()
        run.wait(20)
    finally:
        process.close()
    got = [r["_event"] for r in records(run)]
    assert got.count("uprobe:square") == 53, run.err
    assert got.count("usdt:test:passed") == 53, run.err


def refused(run) -> None:
    """Skips where this kernel has no such probes; the message has to say so."""
    if run.rc == 1 and re.search(r"refuses fentry and fexit|has no kprobes", run.err):
        support.skip(run.err.splitlines()[0])


@pytest.mark.parametrize("kind", ["fentry", "kprobe"])
def test_kernel_function(tamis, workload_path, tmp_path, kind):
    """Arguments by the names that the kernel's types give them."""
    run = tamis(
        "trace", "--json", "-e", f'{kind}:do_sys_openat2/dfd == -100/ustring=filename/', "--",
        workload_path("openat"), 23, tmp_path / "a",
    )  # fmt: skip
    refused(run)
    got = [r for r in records(run) if r["filename"] == str(tmp_path / "a")]
    assert len(got) == 23, run.err
    assert {r["dfd"] for r in got} == {-100}


@pytest.mark.parametrize("kind", ["fexit", "kretprobe"])
def test_kernel_function_returns(tamis, workload_path, tmp_path, kind):
    """ENOENT is -2, of whatever width the function's type is."""
    run = tamis(
        "trace", "--json", "-e", f"{kind}:do_sys_openat2/ret == -2/", "--",
        workload_path("openat"), 23, tmp_path / "nonexistent/a",
    )  # fmt: skip
    refused(run)
    assert len(records(run)) >= 23, run.err
    assert {r["ret"] for r in records(run)} == {-2}
