# SPDX-License-Identifier: GPL-2.0-only
"""tamis trace: what it prints is what happened."""

import json
import os
import re
import subprocess
import time

import pytest

import support

GETPPID = "syscalls:sys_enter_getppid"
LINE = re.compile(
    r"^(?P<date>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) +(?P<comm>.*?) +(?P<tid>\d+) "
    r"(?P<flags>\S{4}) \[(?P<cpu>\d+)\] (?P<time>\d+\.\d{6}): (?P<event>[\w-]+:[\w-]+): ?(?P<fields>.*)$"
)


def records(out):
    """JSON lines, read by a strict parser."""

    def refuse(constant):
        raise ValueError(constant)

    return [json.loads(line, parse_constant=refuse) for line in out.splitlines() if line[:1] == "{"]


def test_one_event_is_one_line(tamis):
    run = tamis("trace", "-e", "sched:sched_process_exec", "--", "/bin/true")
    assert (run.rc, run.err) == (0, "")
    match = LINE.match(run.out.rstrip("\n"))
    assert match, run.out
    assert match["comm"] == "true"
    assert match["event"] == "sched:sched_process_exec"
    assert "filename=/bin/true" in match["fields"]


def test_times_are_the_wall_clock(tamis):
    """Case I7."""
    before = time.time()
    run = tamis("trace", "-e", "sched:sched_process_exec", "--json", "--", "/bin/true")
    after = time.time()
    (event,) = records(run.out)
    assert before - 0.01 <= event["_realtime"] / 1e9 <= after + 0.01
    assert abs(event["_realtime"] - event["_time"] - (time.time() - time.monotonic()) * 1e9) < 10e6


def test_32_bit_int_in_a_64_bit_slot(tamis, tmp_path):
    """Case A3: AT_FDCWD is -100, and both filters say so."""
    file = tmp_path / "a-file"
    file.write_text("x\n")
    for condition in ("dfd == -100", "dfd < 0"):
        run = tamis(
            "trace", "--json", "-e", f'syscalls:sys_enter_openat/{condition} && filename == "{file}"/',
            "--", "cat", file,
        )  # fmt: skip
        # an unreadable name passes a filter, flagged
        (event,) = [e for e in records(run.out) if e["filename"] is not None]
        assert (event["dfd"], event["filename"]) == (-100, str(file))


def test_negative_return_values(tamis, workload_path):
    """Case A2: read() of a closed descriptor."""
    run = tamis(
        "trace", "--json", "-e", "syscalls:sys_exit_read/ret<0/",
        "--", workload_path("syscalls"), "read", 100, 999, 0, 0,
    )  # fmt: skip
    events = records(run.out)
    assert len(events) == 100
    assert sum(event["ret"] for event in events) == -900


def test_array_of_unsigned_longs(tamis, workload_path):
    """Cases A5 and I2: 2**64-1 is exact in JSON."""
    run = tamis(
        "trace", "--json", "-e", "raw_syscalls:sys_enter/id==8&&args[2]==1/",
        "--", workload_path("syscalls"), "lseek", 3, 17, -1, 1,
    )  # fmt: skip
    events = records(run.out)
    assert [event["args"][:3] for event in events] == 3 * [[17, 2**64 - 1, 1]]


def test_names_that_are_not_utf8(tamis, workload_path):
    """Cases A9 and I2."""
    args = ["--", workload_path("comm"), r"\xff\xfeX", 1]
    event = 'task:task_rename/oldcomm == "comm"/'
    text = tamis("trace", "-e", event, *args)
    assert text.rc == 0
    assert len([line for line in text.out.splitlines() if "task_rename" in line]) == 1
    run = tamis("trace", "--json", "-e", event, *args)
    (event,) = records(run.out)
    assert os.fsencode(event["newcomm"]) == b"\xff\xfeX"


def test_control_bytes_stay_on_their_line(tamis, workload_path):
    event = 'task:task_rename/oldcomm == "comm"/'
    run = tamis("trace", "-e", event, "--", workload_path("comm"), r"a\nb\x1b[2J", 1)
    assert len([line for line in run.out.splitlines() if "task_rename" in line]) == 1
    assert "\x1b" not in run.out


@pytest.mark.parametrize("length", [400, 4000])
def test_long_paths(tamis, workload_path, length):
    """Case A11: whole, or cut with a flag."""
    path = "/" + "/".join(["d" * 99] * 40)
    path = path[:length]
    command = ["--", "stat", path]
    wanted = "syscalls:sys_enter_newfstatat//maxlen=4000/,syscalls:sys_enter_statx//maxlen=4000/"
    run = tamis("trace", "--json", "-e", wanted, *command)
    names = [e for e in records(run.out) if str(e.get("filename", "")).startswith("/ddd")]
    assert names
    for event in names:
        if event.get("_truncated"):
            assert path.startswith(event["filename"])
        else:
            assert event["filename"] == path
    cut = tamis(
        "trace", "--json", "-e", "syscalls:sys_enter_newfstatat,syscalls:sys_enter_statx", *command
    )
    names = [e for e in records(cut.out) if str(e.get("filename", "")).startswith("/ddd")]
    assert names and all(e["_truncated"] and path.startswith(e["filename"]) for e in names)


def test_compat_calls_are_not_misnamed(tamis, requires, workload_path):
    """Case A13: ia32's 12 is chdir, not brk."""
    requires("compat")
    run = tamis("trace", "-e", "syscalls:sys_enter_brk", "--", workload_path("compat"), 12, 7)
    plain = tamis("trace", "-e", "syscalls:sys_enter_brk", "--", workload_path("compat"), 12, 0)
    count = lambda r: r.out.count("sys_enter_brk")
    assert count(run) == count(plain)


def test_symbolic_values(tamis):
    """Case A15: the text says S, the field is an int."""
    args = [
        "-e",
        'sched:sched_switch/prev_comm == "sleep" && prev_state == 1/',
        "--",
        "sleep",
        "0.1",
    ]
    assert "prev_state=S" in tamis("trace", *args).out
    events = records(tamis("trace", "--json", *args).out)
    assert events and all(event["prev_state"] == 1 for event in events)


def test_exec_renames(tamis):
    """Case A17: after the exec every event shows sleep."""
    run = tamis("trace", "--json", "-e", "sched:sched_process_exec,sched:sched_switch",
                "--", "sh", "-c", "exec sleep 0.1")  # fmt: skip
    events = records(run.out)
    at = [i for i, e in enumerate(events) if e.get("filename", "").endswith("sleep")]
    assert len(at) == 1
    later = events[at[0] + 1 :]
    assert later and all(e["prev_comm"] == "sleep" and e["_comm"] == "sleep" for e in later)


def test_head_ends_quietly(tamis, busy):
    """Case H4."""
    command = f"{tamis.path} trace -e raw_syscalls:sys_enter | head -3"
    begun = time.monotonic()
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert time.monotonic() - begun < 10 * support.PATIENCE
    assert (done.returncode in (0, 141), done.stderr) == (True, "")
    assert len(done.stdout.splitlines()) == 3


def test_full_device_is_one_error(tamis):
    """Case H4."""
    run = tamis("trace", "-e", "raw_syscalls:sys_enter", "-o", "/dev/full")
    assert (run.rc, run.err) == (1, "tamis: cannot write to stdout: No space left on device\n")


def pid_of_tamis(shell):
    for pid in (shell.pid, *support.descendants(shell.pid)):
        if open(f"/proc/{pid}/comm").read() == "tamis\n":
            return pid
    return 0


@pytest.mark.parametrize("how", ["redirect", "-o", "pipe"])
def test_output_is_not_late(tamis, workload, tmp_path, how):
    """Case I1: one event, and its line is there soon."""
    out = tmp_path / "out"
    work = workload("syscalls", "getppid", 1, 4242)
    event = "raw_syscalls:sys_enter/id==110 && args[0]==4242/"
    trace = f"exec {tamis.path} trace -e '{event}'"
    command = {
        "redirect": f"{trace} > {out}",
        "-o": f"{trace} -o {out}",
        "pipe": f"{trace} | cat > {out}",
    }
    run = tamis.start("-c", command[how], program="bash", start_new_session=True)
    support.attached(run, support.wait_until(lambda: pid_of_tamis(run), "a start"))
    work.go()
    support.wait_until(lambda: out.exists() and "NR 110" in out.read_text(), "the line", 5)
    os.killpg(run.pid, 2)
    run.wait()


def test_losses_are_records(tamis, workload_path):
    """Case I2: received and lost are told in the JSON too."""
    n = 100003
    run = tamis(
        "trace", "--json", "-m", 1, "-e", GETPPID, "--", workload_path("syscalls"), "getppid", n
    )
    events = records(run.out)
    lost = sum(event["_lost"] for event in events if "_lost" in event)
    assert lost > 0
    assert lost + len([event for event in events if "_time" in event]) == n


def test_show_selects_fields(tamis):
    run = tamis(
        "trace", "--show", "prev_comm,next_pid", "-e", "sched:sched_switch", "--", "sleep", "0.05"
    )
    lines = [LINE.match(line) for line in run.out.splitlines()]
    assert lines and all(lines)
    assert all(re.fullmatch(r"prev_comm=.* next_pid=\d+", m["fields"]) for m in lines)
    wrong = tamis("trace", "--show", "prev_com", "-e", "sched:sched_switch", "--", "true")
    assert wrong.rc == 2 and "prev_com" in wrong.err


def test_interrupted_run_ends_with_0(tamis):
    run = tamis.start("trace", "-e", "sched:sched_switch")
    run.wait_for("sched_switch")
    assert run.stop().rc == 0
