# SPDX-License-Identifier: GPL-2.0-only
"""tamis kvmstat: what guests did is what it counts, in all modes."""

import re
import signal
import subprocess

import pytest

import support

N = 1009
COUNTED = ("kvm_pio", "kvm_userspace_exit", "kvm_entry", "kvm_exit")
FIELDS = rf"({'|'.join(COUNTED)})$|kvm_userspace_exit\(IO\)"


@pytest.fixture(autouse=True)
def needs_kvm():
    support.require("kvm")


@pytest.fixture
def guest(workload):
    """A guest that waits, and may be called something: guest(N, ms, "-name", "x")"""

    def start(*args):
        process = workload("kvmguest", *args)
        process.begun
        return process

    return start


def rows(text):
    """CSV as a list of dicts; headers between the lines are skipped."""
    names, found = None, []
    for line in text.splitlines():
        cells = line.split(",")
        if cells[0] == "timestamp":
            names = cells[1:]
        else:
            assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", cells[0]), line
            found.append(dict(zip(names, map(int, cells[1:]))))
    return found


def total(text, name):
    return sum(row[name] for row in rows(text))


def start_log(tamis, *args, fields=FIELDS):
    log = tamis.start("kvmstat", "-l", "-c", "-s", "0.2", "-f", fields, *args)
    support.wait_until(lambda: log.out.count("\n") >= 2, f"a first line: {log.err}")
    return log


def wait_quiet(log):
    """Two intervals more."""
    lines = log.out.count("\n")
    support.wait_until(lambda: log.out.count("\n") >= lines + 2, "two more lines")


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_a_guest_is_counted_exactly(tamis, guest, transport):
    support.require("tool:perf")
    vm = guest(N)
    # only this guest, as others may run on the machine
    log = start_log(tamis, "--transport", transport, "-p", vm.pid)
    with subprocess.Popen(
        ["perf", "stat", "-x,", "-e", ",".join(f"kvm:{n}" for n in COUNTED), "-p", str(vm.pid)],
        stderr=subprocess.PIPE,
        text=True,
    ) as perf:
        support.wait_until(
            lambda: any("perf_event" in f for f in fds(perf.pid)), "perf stat is counting"
        )
        vm.send("go")
        vm.wait_for("io=")
        wait_quiet(log)
        perf.send_signal(signal.SIGINT)
        oracle = {
            line.split(",")[2]: int(line.split(",")[0]) for line in perf.stderr if ",kvm:" in line
        }
    log.stop()
    assert support.said(vm.out)["io"] == N
    assert oracle["kvm:kvm_pio"] == oracle["kvm:kvm_userspace_exit"] == N
    # entries and exits are 0 where the host is itself a guest of another kind
    assert {f"kvm:{name}": total(log.out, name) for name in COUNTED} == oracle
    assert abs(oracle["kvm:kvm_entry"] - oracle["kvm:kvm_exit"]) <= 1
    assert total(log.out, "kvm_userspace_exit(IO)") == N
    assert log.rc == 0


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_entries_exits_and_their_reasons(tamis, transport):
    """On hardware, or software that plays it: not where the host is itself a guest of another kind."""
    support.require("tool:perf")
    command = [support.workload_path("kvmguest"), str(N)]
    perf = subprocess.run(
        ["perf", "stat", "-x,", "-e", "kvm:kvm_exit", *command],
        capture_output=True,
        text=True,
        check=True,
    )
    if perf.stderr.strip().splitlines()[-1].startswith("0,"):
        support.skip("kvm_exit never fires on this machine")
    run = tamis("kvmstat", "--transport", transport, "-f", "kvm_(exit|entry)", "--", *command)
    counts = {}
    for line in run.out.splitlines():
        match = re.fullmatch(r"(kvm_.*?) +(\d+) +(\d+)", line)
        if match:
            counts[match[1]] = int(match[2])
    reasons = {name: n for name, n in counts.items() if name.startswith("kvm_exit(")}
    assert run.rc == 0
    assert abs(counts["kvm_exit"] - counts["kvm_entry"]) <= 1
    assert counts["kvm_exit"] == sum(reasons.values())
    assert max(reasons, key=lambda name: reasons[name]) in (
        "kvm_exit(io)",
        "kvm_exit(IO_INSTRUCTION)",
    )
    assert reasons.get("kvm_exit(io)", 0) + reasons.get("kvm_exit(IO_INSTRUCTION)", 0) == N


def test_latency(tamis):
    run = tamis("kvmstat", "--latency", "--", support.workload_path("kvmguest"), N)
    assert run.rc == 0
    header = next(line for line in run.out.splitlines() if line.startswith("kvm_exit to"))
    assert header.split() == ["kvm_exit", "to", "kvm_entry", "count", "avg", "p50", "p99", "max"]
    match = re.search(r"^(io|IO_INSTRUCTION) +(\d+)", run.out, re.M)
    if not match:
        support.skip("kvm_exit never fires on this machine")
    assert N - 1 <= int(match[2]) <= N  # the last exit may not be followed by an entry
    bars = re.findall(r"\.\. +\S+ +(\d+) \|", run.out)
    counts = re.findall(r"^\S.* +(\d+) +[\d.]+[num]?s +", run.out, re.M)
    assert sum(map(int, bars)) == sum(map(int, counts))


def fds(pid):
    found = []
    for fd in support.Path(f"/proc/{pid}/fd").glob("*"):
        try:
            found.append(str(fd.readlink()))
        except OSError:
            pass
    return found


def test_once(tamis, guest):
    vm = guest(1 << 30, 20)
    vm.send("go")
    run = tamis("kvmstat", "-1", "-s", "1", "-p", vm.pid, "-f", "kvm_pio")
    vm.signal(signal.SIGKILL)
    vm.wait()
    name, all_of_it, delta = run.out.split()
    assert (run.rc, name) == (0, "kvm_pio")
    assert all_of_it == delta
    assert 5 <= int(delta) <= 50


def test_guests_by_name(tamis, guest):
    one = guest(N, 0, "-name", "guest=tamis-one,debug-threads=on")
    two = guest(2 * N, 0, "-name", "tamis-two")
    log = start_log(tamis, "-g", "tamis-one")
    for vm in (one, two):
        vm.send("go")
        vm.wait_for("io=")
    wait_quiet(log)
    log.stop()
    assert total(log.out, "kvm_pio") == N
    for vm in (one, two):
        vm.send("end")
        vm.wait()


def test_one_name_for_two_guests(tamis, guest):
    vms = [guest(1, 0, "-name", "tamis-twin") for _ in range(2)]
    run = tamis("kvmstat", "-g", "tamis-twin", "-1")
    assert run.rc == 1
    for vm in vms:
        assert str(vm.pid) in run.err
        vm.send("go")
        vm.send("end")
        vm.wait()
    assert tamis("kvmstat", "-g", "tamis-nobody", "-1").rc == 1


def test_file_is_appended_to_and_rotated(tamis, guest, tmp_path):
    """One header, whatever happens to the file, and no interval is lost over a rotation."""
    path, old = tmp_path / "kvm.csv", tmp_path / "kvm.csv.1"
    command = ["kvmstat", "-L", path, "-c", "-s", "0.2", "-f", "kvm_pio"]
    first = tamis.start(*command)
    support.wait_until(lambda: path.exists() and path.read_text().count("\n") >= 2, "lines")
    first.stop()
    assert (first.rc, first.out) == (0, "")
    vm = guest(200, 10)
    second = tamis.start(*command, "-p", vm.pid)
    lines = path.read_text().count("\n")
    support.wait_until(lambda: path.read_text().count("\n") > lines, "appended lines")
    vm.send("go")
    support.wait_until(lambda: total(path.read_text(), "kvm_pio"), "counts")
    path.rename(old)
    second.signal(signal.SIGHUP)
    support.wait_until(path.exists, "the file again")
    vm.wait_for("io=")
    lines = path.read_text().count("\n")
    support.wait_until(lambda: path.read_text().count("\n") >= lines + 2, "the last counts")
    second.stop()
    assert (second.rc, second.err) == (0, "")
    assert old.read_text().count("timestamp") == 1
    assert path.read_text().count("timestamp") == 1
    assert total(old.read_text(), "kvm_pio") + total(path.read_text(), "kvm_pio") == 200
    vm.send("end")


def test_log_repeats_its_header(tamis):
    log = tamis.start("kvmstat", "-l", "-s", "0.1", "-f", "kvm_pio")
    support.wait_until(lambda: log.out.count("\n") >= 25, "25 lines", 60)
    log.stop()
    lines = log.out.splitlines()
    assert [i for i, line in enumerate(lines) if line.startswith("kvm_pio")] == [0, 21]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+", lines[1])


def test_quiet_intervals_are_skipped(tamis, guest):
    vm = guest(1)
    log = tamis.start("kvmstat", "-l", "-c", "-z", "-s", "0.2", "-f", "kvm_pio", "-p", vm.pid)
    log.wait_for("timestamp")
    support.attached(log)
    support.time.sleep(1.5)
    vm.send("go")
    support.wait_until(lambda: log.out.count("\n") == 2, "one line")
    log.stop()
    assert [row["kvm_pio"] for row in rows(log.out)] == [1]
    vm.send("end")


def test_fields_are_listed(tamis):
    run = tamis("kvmstat", "-f", "help")
    assert run.rc == 0
    names = run.out.split("\n")
    assert "kvm_pio" in names and "kvm_exit" in names
    assert "kvm_userspace_exit(IO)" in names


@pytest.mark.parametrize(
    "args, says",
    [
        (["-f", "("], "no regular expression"),
        (["-c"], "-c needs -l"),
        (["-z"], "-z needs -l"),
        (["-1", "-l"], "exclude each other"),
        (["-p", "1", "-g", "x"], "exclude each other"),
        (["-s", "0.01"], "0.1 seconds"),
        (["-p", "999999999"], "no such process"),
        (["-p", "one"], "a pid is a number"),
        (["--nosuch"], "no option '--nosuch'"),
        (["word"], "no option"),
    ],
)
def test_mistakes(tamis, args, says):
    run = tamis("kvmstat", *args)
    assert run.rc == 2
    assert says in run.err
    assert run.out == ""


def test_debugfs(tamis, guest):
    """Where its files can be read they count; where not (lockdown), that is said once."""
    vm = guest(N)
    log = tamis.start("kvmstat", "-d", "-l", "-c", "-s", "0.2", "-p", vm.pid)
    support.wait_until(lambda: log.out.count("\n") >= 2 or log.rc is not None, "lines")
    if log.rc is not None:
        assert "debugfs" in log.err
        support.skip(log.err)
    vm.send("go")
    vm.wait_for("io=")
    wait_quiet(log)
    log.stop()
    vm.send("end")
    assert log.err.count("\n") <= 1
    if log.err:
        assert "cannot be read" in log.err
        support.skip(log.err)
    assert total(log.out, "exits") >= N


def test_help_has_runnable_examples(tamis):
    run = tamis("kvmstat", "-h")
    assert run.rc == 0
    assert run.out.count("\n  tamis kvmstat") == 5


SCRIPT = """
counts = {}

def kvmstat(event):
    pio, exits = counts.get(event.guest, (0, 0))
    counts[event.guest] = (pio + event.kvm_pio, exits + event["kvm_userspace_exit"])
    assert event._pid == event.pid

def __exit__():
    print(counts)
"""


def test_python_gets_an_event_for_each_guest_and_interval(tamis, guest, tmp_path):
    script = tmp_path / "guests.py"
    script.write_text(SCRIPT)
    vms = [guest(400, 5, "-name", "tamis-a"), guest(200, 5, "-name", "tamis-b")]
    run = tamis.start("python", "-e", "kvmstat/-s 0.2/", script)
    support.attached(run)
    for vm in vms:
        vm.send("go")
    for vm in vms:
        vm.wait_for("io=")
    support.time.sleep(0.5 * support.PATIENCE)
    run.stop()
    assert run.rc == 0, run.err
    assert "'tamis-a': (400, 400)" in run.out
    assert "'tamis-b': (200, 200)" in run.out
    for vm in vms:
        vm.send("end")


def test_python_source_mistakes(tamis):
    run = tamis("trace", "-e", "kvmstat/-F 99/")
    assert run.rc == 2
    assert "kvmstat takes -s SECONDS" in run.err
