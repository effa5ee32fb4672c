# SPDX-License-Identifier: GPL-2.0-only
"""
perf map files, with a program whose code at a known address no file describes (jit_aid): every
variant of a map is written by the test.
"""

import atexit
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator, List, Optional

import pytest

import support
from folded import of, parse, profile, share

CODE = 0x7E0000000000
SIZE = 0x20
MS = support.ms(400)  # of running code


class Aid(support.Workload):
    """jit_aid, waiting; its map file goes with it."""

    def __init__(self, ms: int, *args: support.Arg) -> None:
        super().__init__([support.workload_path("jit_aid"), "-w", ms, *args])
        self.map = Path(f"/tmp/perf-{self.begun}.map")

    def write(self, text: str, mode: str = "w") -> None:
        with open(self.map, mode, encoding="latin-1", newline="") as f:
            f.write(text)

    def close(self) -> None:
        super().close()
        if self.map.is_symlink() or self.map.exists():
            if self.map.is_dir() and not self.map.is_symlink():
                self.map.rmdir()
            else:
                self.map.unlink()


@pytest.fixture
def aid() -> Iterator[Any]:
    started: List[Aid] = []

    def start(ms: int = MS, *args: support.Arg) -> Aid:
        started.append(Aid(ms, *args))
        return started[-1]

    yield start
    for process in started:
        process.close()


def line(name: str, start: int = CODE, size: int = SIZE) -> str:
    return f"{start:x} {size:x} {name}\n"


def run(tamis: Any, process: Aid, *args: support.Arg) -> Any:
    """Profiles it from its start to its end."""
    running = tamis.start("profile", "-F", "499", "--folded", "-v", "-p", process.pid, *args)
    support.attached(running)
    process.send("go")
    process.wait_for("done=")
    assert process.popen.stdin
    process.popen.stdin.close()
    process.wait()
    running.wait()
    assert running.rc == 0, running.err
    return running


def stacks_of(running: Any) -> Any:
    return of(parse(running.out), "jit_aid")


@pytest.mark.parametrize("prefix", ["", "0x", "0X"])
def test_hex_prefix(tamis, aid, prefix):
    """E1"""
    process = aid()
    process.write(f"{prefix}{CODE:016x} {prefix}{SIZE:x} counter\n")
    assert share(stacks_of(run(tamis, process)), "main", "run_code", "counter_[j]") > 0.8


@pytest.mark.parametrize(
    "name",
    ids=["c", "java", "regexp", "percent", "tab", "python", "mark", "long", "html"],
    argvalues=[
        "void a.b(int, long)",
        "Lcom/x/Y;::z",
        r"RegExp:(^|;)\s",
        "%s%n%s%n",
        "a\tb",
        "py::fib:/tmp/fib.py",
        "looks like a kernel frame_[k]",
        "x" * 5000,
        "<script>&amp;",
    ],
)
def test_names_are_kept_whole(tamis, aid, name):
    """E3: also with a carriage return behind, which is no part of a name."""
    process = aid(MS // 2)
    process.write(line(name + "\r"))
    running = run(tamis, process)
    kind = "" if name.startswith("py::") else "_[j]"
    shown = name.replace(";", ":").replace("\t", "?")
    if shown.endswith("_[k]"):
        shown = shown[:-3] + "(k)"
    assert share(stacks_of(running), "main", "run_code", shown + kind) > 0.8, running.out[:3000]


def test_broken_lines(tamis, aid):
    """E4"""
    process = aid()
    bad = ["", f"{CODE:x}", f"{CODE:x} 20", "nothex 20 n", f"{CODE:x} 0 size0", f"{CODE:x} zz n"]
    bad += [
        "fffffffffffffff0 20 overflow",
        f"{CODE:x} 20 a\0b",
        "c.py",
        f"{CODE:x} 20 " + "y" * 70000,
    ]
    process.write("".join(b + "\n" for b in bad) + line("good") + f"{CODE:x} 20 unfinished")
    running = run(tamis, process)
    assert share(stacks_of(running), "main", "run_code", "good_[j]") > 0.8
    assert re.search(rf"perf map files: 1 lines, {len(bad)} malformed", running.err), running.err


def test_later_line_wins(tamis, aid):
    process = aid()
    process.write(line("old", CODE - 0x1000, 0x2000) + line("new"))
    assert share(stacks_of(run(tamis, process)), "run_code", "new_[j]") > 0.8


def test_wrong_owner(tamis, aid):
    """E6: files of root and of the process's user; else one notice, and nothing of its content."""
    process = aid()
    process.write(line("counter"))
    os.chown(process.map, 65534, 65534)
    running = run(tamis, process)
    assert "counter" not in running.out + running.err
    assert running.err.count("65534, neither root nor the process's user") == 1
    assert share(stacks_of(running), "main", "run_code") > 0.8


def test_of_the_targets_user(tamis, tmp_path):
    """E6, the reverse: a process of another user, with maps of that user, root, and a third one."""
    support.require("tool:setpriv")
    for owner, works in ((65534, True), (0, True), (1234, False)):
        script = f"ulimit -c 0; exec {support.workload_path('jit_aid')} -w {MS // 2}"
        process = support.Workload(
            ["setpriv", "--reuid", "65534", "--clear-groups", "sh", "-c", script], cwd="/"
        )
        path = Path(f"/tmp/perf-{process.begun}.map")
        try:
            path.write_text(line("counter"))
            os.chown(path, owner, owner)
            process.map = path  # type: ignore[attr-defined]
            stacks = stacks_of(run(tamis, process))  # type: ignore[arg-type]
            assert (share(stacks, "run_code", "counter_[j]") > 0.8) == works, (owner, stacks)
            assert works or "counter_[j]" not in str(stacks)
        finally:
            process.close()
            path.unlink()


@pytest.mark.parametrize("kind", ["symlink", "fifo", "directory"])
def test_only_regular_files(tamis, aid, kind, tmp_path):
    process = aid(MS // 2)
    secret = tmp_path / "secret"
    secret.write_text(line("secret_name"))
    if kind == "symlink":
        process.map.symlink_to(secret)
    elif kind == "fifo":
        os.mkfifo(process.map)
    else:
        process.map.mkdir()
    running = run(tamis, process)
    assert "secret" not in running.out + running.err
    assert (
        running.err.count(f"{process.map.name} of process {process.pid} is not read") == 1
    ), running.err


def test_no_map_is_no_notice(tamis, aid):
    """E10: absent, empty"""
    for text in (None, ""):
        process = aid(MS // 2)
        if text is not None:
            process.write(text)
        running = run(tamis, process)
        assert "perf-" not in running.err, running.err
        nameless = re.findall(r"run_code;\[anon\]\+0x[4-9ab]_\[j\].* (\d+)", running.out)
        assert sum(map(int, nameless)) > 50, running.out


def test_map_that_grows(tamis, aid):
    """E10: what comes later is read when an address needs it."""
    process = aid(300)
    running = tamis.start("profile", "-F", "499", "--folded", "-p", process.begun)
    support.attached(running)
    process.send("go")
    process.wait_for("done=300")
    time.sleep(1.2 * support.PATIENCE)
    process.write(line("first"))
    process.send("run 400")
    process.wait_for("done=400")
    time.sleep(1.2 * support.PATIENCE)
    process.write(line("second"), "a")
    process.send("run 500")
    process.wait_for("done=500")
    running.stop()
    stacks = stacks_of(running)
    assert 0.1 < share(stacks, "run_code", "first_[j]") < 0.55, running.out
    assert share(stacks, "run_code", "second_[j]") > 0.25, running.out
    assert any("[anon]+" in frame for stack in stacks for frame in stack), "before the first map"


def test_file_without_symbols(tamis, aid, tmp_path):
    """E12: code mapped from a plain file is named by the map, and its module stays."""
    process = aid(300, tmp_path / "code.bin")
    process.write(line("counter"))
    assert share(stacks_of(run(tamis, process)), "main", "run_code", "counter_[j]") > 0.8
    process = aid(3000, tmp_path / "code.bin")
    process.write(line("counter"))
    process.send("go")
    time.sleep(0.3)
    asked = subprocess.run(
        [tamis.path, "symbols", "-p", str(process.pid)],
        input=f"{CODE + 4:x}\n",
        capture_output=True,
        text=True,
    )
    assert asked.stdout == f"{CODE + 4:x} counter+0x4 ({tmp_path / 'code.bin'})\n", asked
    assert process.popen.stdin
    process.popen.stdin.close()


def test_leftover_of_an_older_process(tamis, aid):
    """A map that is older than its process: only what was written to it since counts."""
    support.require("root")
    last_pid = Path("/proc/sys/kernel/ns_last_pid")
    victim = 30000 + os.getpid() % 1000
    path = Path(f"/tmp/perf-{victim}.map")
    path.write_text(line("of_the_dead"))
    time.sleep(0.1)
    process = None
    try:
        for _ in range(50):
            last_pid.write_text(str(victim - 1))
            process = aid(300)
            if process.pid == victim:
                break
        else:
            support.skip("the pid could not be had again")
        assert process
        running = run(tamis, process)
        assert "of_the_dead" not in running.out
    finally:
        path.unlink(missing_ok=True)


def test_appended_to_a_leftover(tamis, aid):
    last_pid = Path("/proc/sys/kernel/ns_last_pid")
    victim = 31000 + os.getpid() % 1000
    path = Path(f"/tmp/perf-{victim}.map")
    path.write_text(line("of_the_dead") + f"{CODE:x} 20 cut")
    time.sleep(0.1)
    script = (
        f"echo {victim - 1} > /proc/sys/kernel/ns_last_pid; "
        f"{support.workload_path('jit_aid')} 300 & sleep 0.15; "
        f"printf 'off\\n{CODE:x} 20 fresh\\n' >> {path}; wait"
    )
    try:
        stacks = of(profile(tamis, "--", "sh", "-c", script), "jit_aid")
        if Path(f"/tmp/perf-{victim}.map").exists() and share(stacks, "run_code", "fresh_[j]") == 0:
            support.skip("the pid could not be had again")
        # half of the samples were taken before the name was there: those may stay without one
        assert share(stacks, "run_code", "fresh_[j]") > 0.4, stacks
        assert "of_the_dead" not in str(stacks) and "cut" not in str(stacks)
    finally:
        path.unlink(missing_ok=True)


IN_NAMESPACE = """
mount -t tmpfs none /tmp
echo "$$" > /proc/self/comm 2>/dev/null
{before}
printf '{start:x} 20 inner_name\\n' > /tmp/perf-$$.map
exec {aid} {ms}
"""


def namespaced(ms: int, before: str = "") -> List[str]:
    support.require("tool:unshare")
    # the checkout may be below the /tmp that the namespace hides
    aid = Path(tempfile.mkdtemp(dir="/var/tmp")) / "jit_aid"
    atexit.register(shutil.rmtree, aid.parent)
    shutil.copy(support.workload_path("jit_aid"), aid)
    script = IN_NAMESPACE.format(start=CODE, aid=aid, ms=ms, before=before)
    return ["unshare", "-pmf", "--mount-proc", "sh", "-c", script]


def command_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def inner_aid(running: support.Process) -> int:
    """The host's number of the aid in its namespace."""
    return support.wait_until(
        lambda: [p for p in support.descendants(running.pid) if command_name(p) == "jit_aid"],
        "the aid in its namespace",
    )[0]


def test_inside_of_namespaces(tamis):
    """E7: found by the inner pid below the process's own root; gone by the time of output."""
    stacks = of(profile(tamis, "--", *namespaced(support.ms(500))), "jit_aid")
    assert share(stacks, "main", "run_code", "inner_name_[j]") > 0.8, stacks


def test_inside_of_namespaces_and_alive(tamis):
    running = support.Process(namespaced(support.ms(5000)))
    try:
        inner = inner_aid(running)
        # E8: a decoy under the host's number; the container's own comes first.
        decoy = Path(f"/tmp/perf-{inner}.map")
        decoy.write_text(line("decoy"))
        try:
            stacks = of(profile(tamis, "-p", inner, "--", "sleep", "0.7"), "jit_aid")
        finally:
            decoy.unlink()
        assert share(stacks, "main", "run_code", "inner_name_[j]") > 0.8, stacks
        assert "decoy" not in str(stacks)
    finally:
        running.close()
        for pid in support.descendants(running.pid):
            os.kill(pid, 9)


def test_host_file_where_there_is_no_own(tamis):
    """E8: the host's map serves a process whose own root has none."""
    script = f"mount -t tmpfs none /tmp; exec {support.workload_path('jit_aid')} 5000"
    support.require("tool:unshare")
    running = support.Process(["unshare", "-pmf", "--mount-proc", "sh", "-c", script])
    try:
        inner = inner_aid(running)
        path = Path(f"/tmp/perf-{inner}.map")
        path.write_text(line("by_the_host"))
        try:
            stacks = of(profile(tamis, "-p", inner, "--", "sleep", "0.5"), "jit_aid")
        finally:
            path.unlink()
        assert share(stacks, "run_code", "by_the_host_[j]") > 0.8, stacks
    finally:
        running.close()


def test_child_has_its_parents_names(tamis, aid):
    """A fork without exec: old code by the parent's map, as of the fork; new code by its own."""
    process = aid(MS // 2)
    process.write(line("of_parent", size=0x900))
    running = tamis.start("profile", "-F", "499", "--folded", "-p", process.begun, "--follow")
    support.attached(running)
    process.send("go")
    process.wait_for(f"done={MS // 2}")
    process.send(f"fork {MS // 4 * 3}")
    process.wait_for(f"done={MS // 4 * 3}")
    time.sleep(0.3 * support.PATIENCE)  # named before the map says more
    process.write(line("after_the_fork", CODE + 0x800), "a")
    process.send(f"fork {MS}")
    process.wait_for(f"done={MS}")
    running.stop()
    stacks = stacks_of(running)
    assert share(stacks, "run_in_child", "run_code", "of_parent_[j]") > 0.2, running.out
    assert share(stacks, "run_in_child", "run_code", "after_the_fork_[j]") > 0.3, running.out
    assert share(stacks, "main", "run_code", "after_the_fork_[j]") == 0, running.out


def test_child_that_was_forked_before(tamis, aid):
    """The same, when nobody was there to see the fork."""
    process = aid(50)
    process.write(line("of_parent", size=0x900))
    process.send("go")
    process.wait_for("done=50")
    process.send(f"fork {support.ms(3000)}")
    child = support.wait_until(lambda: support.descendants(process.pid), "the child")[0]
    time.sleep(0.2)
    stacks = of(profile(tamis, "-p", child, "--", "sleep", "0.6"), "jit_aid")
    assert share(stacks, "run_in_child", "run_code", "of_parent_[j]") > 0.8, stacks


def test_map_directory(tamis, aid, tmp_path):
    process = aid(MS // 2)
    (tmp_path / process.map.name).write_text(line("elsewhere"))
    running = run(tamis, process, "--perf-map-dir", tmp_path)
    assert share(stacks_of(running), "run_code", "elsewhere_[j]") > 0.8
    done = tamis("profile", "--perf-map-dir", tmp_path / "nothing", "--", "true")
    assert done.rc == 1 and "nothing: No such file" in done.err


# --- real writers ---

NODE = "function spin(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }\n"
NODE += "const t = process.cpuUsage(); while (process.cpuUsage(t).user < 1e6) spin(1e6);\n"


@pytest.mark.parametrize("interpreted", [False, True])
def test_node(tamis, tmp_path, interpreted):
    """E16"""
    support.require("tool:node")
    if support.PATIENCE > 1:
        support.skip("node starts longer than it runs in an emulated guest")
    script = tmp_path / "spin.js"
    script.write_text(NODE)
    options = ["--perf-basic-prof", "--no-logfile-per-isolate", f"--logfile={tmp_path}/v8.log"]
    if interpreted:
        options += ["--interpreted-frames-native-stack", "--no-opt", "--no-sparkplug"]
    stacks = profile(tamis, "--", "node", *options, script)
    pattern = r"JS:[~^]spin .*" if interpreted else r"JS:[*+]+'?spin .*"
    hits = sum(n for stack, n in stacks.items() if any(re.match(pattern, f) for f in stack))
    assert hits > sum(stacks.values()) * 0.2, sorted(stacks, key=stacks.get)[-5:]


def test_jvm(tamis, tmp_path):
    """E1, written by OpenJDK's jcmd."""
    support.require("tool:java", "tool:javac", "tool:jcmd")
    (tmp_path / "Spin.java").write_text(
        "public class Spin { static long spin(long n) { long x = 0;"
        " for (long i = 0; i < n; i++) x = (x * 31 + i) % 65521; return x; }\n"
        " public static void main(String[] a) { long s = 0; while (true) s += spin(1000000); } }\n"
    )
    subprocess.run(["javac", "Spin.java"], cwd=tmp_path, check=True)
    running = support.Process(["java", "-XX:+PreserveFramePointer", "-cp", tmp_path, "Spin"])
    path = Path(f"/tmp/perf-{running.pid}.map")
    try:
        time.sleep(2 * support.PATIENCE)
        subprocess.run(
            ["jcmd", str(running.pid), "Compiler.perfmap"], check=True, capture_output=True
        )
        stacks = profile(tamis, "-p", running.pid, "--", "sleep", "1")
        hits = sum(n for stack, n in stacks.items() if any("Spin.spin" in f for f in stack))
        assert hits > sum(stacks.values()) * 0.7, sorted(stacks, key=stacks.get)[-5:]
    finally:
        running.close()
        path.unlink(missing_ok=True)
