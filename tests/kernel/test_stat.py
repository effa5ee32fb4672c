# SPDX-License-Identifier: GPL-2.0-only
"""tamis stat: counts of any tracepoints, and its live table on a terminal."""

import re
import shlex
import subprocess

import pytest

import support

CALLS = 100003


def listed(out):
    """name: (total, delta)"""
    found = {}
    for line in out.splitlines():
        match = re.fullmatch(r"(\S.*?) +(\d+) +(\d+)", line)
        if match:
            found[match[1]] = (int(match[2]), int(match[3]))
    return found


@pytest.mark.parametrize("transport", ["bpf", "perf"])
def test_a_command_is_counted_exactly(tamis, transport):
    run = tamis(
        "stat", "--transport", transport, "-e", "syscalls:sys_*_getppid", "--",
        support.workload_path("syscalls"), "getppid", CALLS,
    )  # fmt: skip
    assert (run.rc, run.err) == (0, "")
    assert listed(run.out) == {
        "syscalls:sys_enter_getppid": (CALLS, CALLS),
        "syscalls:sys_exit_getppid": (CALLS, CALLS),
    }


def test_values_add_up_to_their_event(tamis):
    run = tamis(
        "stat", "-e", "raw_syscalls:sys_enter", "--children", "sys_enter:id", "--",
        support.workload_path("syscalls"), "getppid", CALLS,
    )  # fmt: skip
    counts = listed(run.out)
    children = {k: v for k, v in counts.items() if "(" in k}
    assert counts["raw_syscalls:sys_enter"][0] == sum(total for total, _ in children.values())
    nr = support.said(run.out)["nr"]
    assert counts[f"raw_syscalls:sys_enter({nr})"][0] == CALLS


def test_values_have_the_names_of_the_print_format(tamis):
    run = tamis("stat", "-1", "-e", "sched:sched_switch", "--children", "sched_switch:prev_state")
    counts = listed(run.out)
    assert counts["sched:sched_switch(S)"][0] > 0
    assert counts["sched:sched_switch(R)"][0] > 0


def test_filter(tamis):
    run = tamis(
        "stat", "-e", "raw_syscalls:sys_enter/id == -5 || args[0] == 7777/", "--",
        support.workload_path("syscalls"), "getppid", 13, 7777,
    )  # fmt: skip
    assert listed(run.out) == {"raw_syscalls:sys_enter": (13, 13)}


def test_exit_status_is_the_commands(tamis):
    for transport in ("bpf", "perf"):
        run = tamis(
            "stat",
            "--transport",
            transport,
            "-e",
            "sched:sched_process_exec",
            "--",
            "sh",
            "-c",
            "exit 7",
        )
        assert run.rc == 7
        assert listed(run.out) == {"sched:sched_process_exec": (1, 1)}


@pytest.mark.parametrize(
    "args, says",
    [
        ([], "-e 'sched:*'"),
        (["-e", "schd:*"], "near: sched"),
        (["-e", "sched:sched_wakup"], "sched_wakeup"),
        (["-e", "sched:sched_switch", "--children", "sched_switch"], "EVENT:FIELD"),
        (["-e", "sched:sched_switch", "--children", "nosuch:x"], "no event of -e"),
        (["-e", "sched:sched_switch", "--children", "sched_switch:x"], "no field x"),
        (["-e", "sched:sched_switch", "--children", "sched_switch:prev_comm"], "no number"),
        (["-e", "sched:sched_switch//count/"], "counts by itself"),
        (["-e", "profile"], "tracepoints"),
        (["-e", "sched:sched_switch/prev_pid ==/"], "^"),
    ],
)
def test_mistakes(tamis, args, says):
    run = tamis("stat", *args)
    assert run.rc == 2
    assert says in run.err


# --- the live table, on a terminal of tmux ---


class Screen:
    """A program on a terminal of its own."""

    def __init__(self, tmp_path, width=80, height=24):
        support.require("tool:tmux")
        self.tmux = ["tmux", "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]
        self.size = ["-x", str(width), "-y", str(height)]

    def __call__(self, *args):
        return subprocess.run(
            [*self.tmux, *args], capture_output=True, text=True, check=True
        ).stdout

    def start(self, *command):
        words = " ".join(shlex.quote(str(word)) for word in command)
        self("new-session", "-d", *self.size, f"{words}; echo status $?; stty -a; exec sleep 1000")

    @property
    def text(self):
        return self("capture-pane", "-p")

    def keys(self, *keys):
        self("send-keys", *keys)

    def wait(self, pattern, seconds=20):
        return support.wait_until(
            lambda: re.search(pattern, self.text, re.M), f"{pattern!r} on\n{self.text}", seconds
        )

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def screen(tmp_path):
    made = Screen(tmp_path)
    yield made
    made.close()


@pytest.fixture
def live(screen, tamis):
    """stat on two events that happen all the time."""
    screen.start(
        tamis.path, "stat", "-s", "0.3", "-e", "sched:sched_switch,sched:sched_wakeup",
        "--children", "sched_switch:prev_state",
    )  # fmt: skip
    screen.wait(r"^ sched:sched_switch +\d+ +\d+\.\d +\d+")
    return screen


def test_live_table(live):
    text = live.text
    assert text.startswith("tamis stat - summary")
    assert re.search(r"^ Event +Total +%Total +CurAvg/s", text, re.M)
    assert re.search(r"^   sched:sched_switch\(S\) +\d+", text, re.M)
    total = re.search(r"^ Total +(\d+) +100\.0", text, re.M)
    parents = re.findall(r"^ sched:\w+ +(\d+)", text, re.M)
    assert int(total[1]) == sum(map(int, parents))


def test_live_keys(live):
    live.keys("x")
    support.wait_until(lambda: "(S)" not in live.text, "no values")
    live.keys("x")
    live.wait(r"\(S\)")
    live.keys("f")
    live.wait("^Show events that begin")
    live.keys("(", "Enter")
    live.wait("no regular expression")
    live.keys(*"sched:sched_wakex", "BSpace", "Enter")
    live.wait("^Filter: sched:sched_wake$")
    support.wait_until(lambda: "sched_switch" not in live.text, "one event")
    live.keys("c")
    live.wait("^ sched:sched_switch")
    live.keys("b")
    live.wait("^ +Pid +Process")
    live.keys("b", "h")
    live.wait("^  x   values of fields")
    live.keys("o")
    live.wait("^ Event")
    live.keys("p")
    live.wait("^Show the process of this pid")
    live.keys(*"999999999", "Enter")
    live.wait("no such process")
    live.keys("1", "Enter")
    live.wait(r"^tamis stat - pid 1 \(")
    live.keys("c", "s")
    live.wait("^Seconds of an interval")
    live.keys("Escape")
    live.wait("^tamis stat - summary")
    live.keys("q")
    live.wait("^status 0")


def test_reset(live):
    def total():
        match = re.search(r"^ Total +(\d+)", live.text, re.M)
        return int(match[1]) if match else 0

    support.wait_until(lambda: total() > 300, "some hundred events")
    before = total()
    live.keys("r")
    support.wait_until(lambda: total() < before, "a smaller total")


def test_small_terminal(live):
    live("resize-window", "-x", "40", "-y", "8")
    live.wait(r"^ Event +Total +%Total +CurAvg/s$")
    assert all(len(line) <= 40 for line in live.text.splitlines())
    live("resize-window", "-x", "12", "-y", "3")
    live.keys("Space")
    live("resize-window", "-x", "100", "-y", "30")
    live.wait("^ Total +")


@pytest.mark.parametrize("end", ["q", "C-c"])
def test_terminal_is_given_back(live, end):
    live.keys(end)
    live.wait("^status 0")
    live.wait(r"\becho\b")
    assert not re.search(r"-echo\b|-icanon\b", live.text)


def test_stop_and_continue(tmp_path, tamis):
    screen = Screen(tmp_path)
    try:
        screen("new-session", "-d", *screen.size, "bash", "--norc", "-i")
        screen.keys(f"{tamis.path} stat -s 0.3 -e sched:sched_switch", "Enter")
        screen.wait("^ sched:sched_switch")
        screen.keys("C-z")
        screen.wait("Stopped")
        screen.keys("fg", "Enter")
        screen.wait("^tamis stat - summary")
        screen.wait("^ sched:sched_switch")
        screen.keys("q")
        support.wait_until(lambda: "tamis stat - summary" not in screen.text, "the shell again")
    finally:
        screen.close()


def test_terminal_that_goes_away(live):
    pid = int(live("list-panes", "-F", "#{pane_pid}"))
    stat = support.descendants(pid)
    live.close()
    support.wait_until(
        lambda: not any(support.Path(f"/proc/{p}").exists() for p in stat), "the end of tamis"
    )


def test_unknown_terminal(screen, tamis):
    screen.start("env", "TERM=nosuch", tamis.path, "stat", "-e", "sched:sched_switch")
    screen.wait("cannot show a table")
    screen.wait("^status 1")
