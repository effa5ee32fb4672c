# SPDX-License-Identifier: GPL-2.0-only
"""Whose events: exact counts for each way of saying it. Cases B6, B7, F1, F2, F6, G1, G3."""

import json
import os
import subprocess
import time

import pytest

import support

GETPPID = "syscalls:sys_enter_getppid"
EXEC = "sched:sched_process_exec"


@pytest.fixture
def count(tamis):
    """count(options) starts a run that prints events; .stop() or .wait(), then result(run)."""

    def start(*options, event=GETPPID, command=()):
        tail = ["--", *command] if command else []
        run = tamis.start("trace", "--json", "-e", event, *options, *tail)
        if not command:
            support.attached(run)
        return run

    return start


def result(run):
    """How many events there were of each process, thread and command name."""
    # a workload writes to the same place
    events = [json.loads(line) for line in run.out.splitlines() if line.startswith("{")]
    counted = {"seen": len(events)}
    for key in ("pid", "tid", "comm"):
        counter = counted[key + "s"] = {}
        for event in events:
            name = str(event["_" + key])
            counter[name] = counter.get(name, 0) + 1
    return counted


def seen(run):
    return result(run)["seen"]


# --- processes and threads ---


def test_threads_there_before_and_made_later(count, workload):
    """8 threads that exist, 4 that come later, 1000 calls each."""
    work = workload("thread_calls", 8, 4, 1000)
    run = count("-p", work.begun)
    assert work.go()["calls"] == 12000
    assert seen(run.wait()) == 12000
    assert f"process {work.pid} has ended" in run.err


@pytest.mark.parametrize("threads", [1, 3, 12])
def test_single_threads(count, workload, threads):
    """Up to 8 are compared one by one, more are looked up."""
    work = workload("thread_calls", 20, 2, 1000)
    work.wait_for("pid=")
    tids = [support.said(work.out)[f"tid{i}"] for i in range(threads)]
    run = count("-t", ",".join(map(str, tids)))
    work.go()
    got = result(run.wait())
    assert got["tids"] == {str(tid): 1000 for tid in tids}


def test_children_are_followed_when_asked(count, workload):
    for options, expected in ([["--follow"], 5 * 1003], [[], 0]):
        work = workload("forks", 5, 1003)
        run = count("-p", work.begun, *options)
        work.go()
        assert seen(run.wait()) == expected, run.err


def test_followed_from_a_thread(count, workload):
    work = workload("forks", 3, 1003)
    run = count("-t", work.begun, "--follow")
    work.go()
    assert seen(run.wait()) == 3 * 1003


def test_children_outlive_their_parent(count, tmp_path):
    """The scope lives as long as one of the followed."""
    go = tmp_path / "go"
    os.mkfifo(go)
    script = f"read x < {go}; (sleep 0.5; {support.workload_path('syscalls')} getppid 777) & exit 0"
    parent = subprocess.Popen(["sh", "-c", script])
    run = count("-p", parent.pid, "--follow")
    go.write_text("x\n")
    parent.wait()
    assert seen(run.wait()) == 777


def test_a_workload_is_followed(count):
    """Case B6."""
    command = ["sh", "-c", "cat /etc/hostname; cat /etc/hostname"]
    on = count(event="raw_syscalls:sys_enter", command=command).wait()
    off = count("--no-follow", event="raw_syscalls:sys_enter", command=command).wait()
    # before its exec the command still has tamis's name
    assert set(result(on)["comms"]) - {"tamis"} == {"sh", "cat"}
    assert len(result(on)["pids"]) == 3
    assert set(result(off)["comms"]) - {"tamis"} == {"sh"}
    assert len(result(off)["pids"]) == 1


def test_a_workload_beside_p_only_ends_the_run(count, workload):
    work = workload("syscalls", "getppid", 501)
    run = count("-p", work.begun, event=GETPPID, command=["sleep", str(support.ms(1000) / 1000)])
    support.attached(run)
    work.go()
    assert seen(run.wait()) == 501
    assert "its end ends the run" in run.err


def test_first_instruction_to_last_of_a_fast_child(tamis):
    """Case B7, many times exactly one exec."""
    for _ in range(int(200 / support.PATIENCE)):
        run = tamis("trace", "--order=1", "-e", EXEC, "--", "/bin/true")
        lines = [line for line in run.out.splitlines() if EXEC in line]
        assert (run.rc, len(lines)) == (0, 1), run.out + run.err


def test_workload_status_and_errors(tamis):
    assert tamis("trace", "-e", EXEC, "--", "sh", "-c", "exit 7").rc == 7
    assert tamis("trace", "-e", EXEC, "--", "sh", "-c", "kill -9 $$").rc == 137
    run = tamis("trace", "-e", EXEC, "--", "no-such-command-xyz")
    assert run.rc != 0 and "no-such-command-xyz: command not found" in run.err
    run = tamis("trace", "-e", EXEC, "--", "/etc/passwd")
    assert run.rc != 0 and "/etc/passwd" in run.err and "Permission denied" in run.err


# --- what else narrows ---


def test_cpus(tamis):
    """One process on each of two CPUs; only one CPU is in the scope."""
    if len(os.sched_getaffinity(0)) < 2:
        support.skip("needs two CPUs")
    calls = support.workload_path("syscalls")
    script = f"taskset -c 0 {calls} getppid 100; taskset -c 1 {calls} getppid 1000"
    run = tamis("trace", "--json", "-e", GETPPID, "-C", "1", "--", "sh", "-c", script)
    assert result(run)["comms"]["syscalls"] == 1000
    run = tamis("trace", "--json", "-e", GETPPID + "//cpus=0/", "--", "sh", "-c", script)
    assert result(run)["comms"]["syscalls"] == 100


@pytest.mark.parametrize(
    "name, expected",
    [("syscalls", 1), ("sys*", 1), ("s?scal[k-m]s", 1), ("*calls", 1), ("syscall", 0), ("t*", 0)],
)
def test_command_name(count, workload, name, expected):
    work = workload("syscalls", "getppid", 303)
    work.wait_for("pid=")
    run = count("--comm", name)
    work.go()
    time.sleep(0.3)
    comms = result(run.stop())["comms"]
    assert comms.get("syscalls", 0) == 303 * expected


def test_long_command_name(count, tmp_path):
    """Case B1: a notice, and the kernel's 15 bytes of it."""
    program = tmp_path / "averyveryverylongname"
    program.symlink_to(support.workload_path("syscalls"))
    run = count("--comm", program.name)
    subprocess.run([program, "getppid", "99"], check=True, stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    assert seen(run.stop()) == 99
    assert '"averyveryverylo"' in run.err


def test_user(count):
    run = count("-u", "65533")
    command = [support.workload_path("syscalls"), "getppid", "99"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=65533)
    time.sleep(0.3)
    assert seen(run.stop()) == 99


def test_pid_namespace(count, tmp_path):
    ready = tmp_path / "ready"
    script = f"touch {ready}; sleep 1.5; {support.workload_path('syscalls')} getppid 41"
    inner = subprocess.Popen(["unshare", "-pf", "sh", "-c", script], stdout=subprocess.DEVNULL)
    support.wait_until(ready.exists, "the namespace")
    child = [pid for pid in support.descendants(inner.pid)][0]
    run = count("--pidns", child)
    subprocess.run([support.workload_path("syscalls"), "getppid", "9"], stdout=subprocess.DEVNULL)
    inner.wait()
    time.sleep(0.3)
    got = result(run.stop())
    assert got["comms"].get("syscalls") == 41


def test_own_events_are_left_out_and_counted(tamis):
    """Case B9: printing writes does not make more of them."""
    run = tamis.start("trace", "-e", "syscalls:sys_enter_write", "-o", "/dev/null", "-v")
    time.sleep(2)
    run.stop()
    assert run.rc == 0
    assert "own" in run.err, run.err


def test_an_interval_is_in_the_scope_of_its_start(count):
    """A switch to a task happens in the task before it, which is somebody else."""
    off = "sched:sched_switch/prev_state & 1/alias=off/key=prev_pid/"
    on = "sched:sched_switch/latency > 9ms/alias=on/since=off/key=next_pid/"
    command = [support.workload_path("sleeps"), "53", "10000"]
    run = count(event=f"{off},{on}", command=command).wait()
    left = support.said("\n".join(l for l in run.out.splitlines() if l[:1] != "{"))
    # sched_switch itself now and then shows a task leave and not come back: perf sees the same
    assert 50 <= seen(run) <= left["voluntary"] + left["earlier"]
    times = int(100 * support.PATIENCE)  # until the run is over
    stranger = subprocess.Popen(
        [support.workload_path("sleeps"), str(times), "10000"], stdout=subprocess.DEVNULL
    )
    run = count("-p", stranger.pid, event=f"{off},{on}", command=command).wait()
    stranger.wait()
    assert 0 < seen(run) <= times
    assert {json.loads(line)["next_pid"] for line in run.out.splitlines() if line[0] == "{"} == {
        stranger.pid
    }


# --- what cannot match is an error, before anything is attached ---


@pytest.mark.parametrize(
    "options, rc, text",
    [
        (["-p", "4194304"], 1, "no such process"),
        (["-p", "x"], 2, "^"),
        (["-t", "4194304"], 1, "no such thread"),
        (["-C", "4095"], 2, "not online"),
        (["-u", "no-such-user"], 2, "unknown user"),
        (["--cgroup", "no/such/cgroup"], 1, "no such cgroup"),
        (["--container", "no-such-container"], 1, "no such container"),
        (["--pidns", "4194304"], 1, "4194304"),
        (["--exact"], 2, "--exact"),
        (["--comm", ""], 2, "--comm"),
    ],
)
def test_nothing_can_match(tamis, options, rc, text):
    run = tamis("trace", "-e", GETPPID, *options)
    assert run.rc == rc, run.err
    assert text in run.err
    assert run.out == ""


# --- cgroups ---


@pytest.fixture
def cgroups():
    """make(name) makes a cgroup below one of the test's own."""
    support.require("cgroup2")
    yield from _cgroups(support.cgroup2())


@pytest.fixture
def v1_cgroups():
    for name in ("pids", "freezer", "memory"):
        if os.access(f"/sys/fs/cgroup/{name}", os.W_OK):
            yield from _cgroups(support.Path("/sys/fs/cgroup") / name)
            return
    support.skip("no v1 controller is mounted")


def _cgroups(mount):
    top = mount / f"tamis-test-{os.getpid()}"
    made = [top]
    top.mkdir()

    def make(name):
        path = top / name
        path.mkdir()
        made.append(path)
        return path

    make.top = top
    make.mount = mount
    yield make
    for path in reversed(made):
        if path.exists():
            support.wait_until(lambda: not (path / "cgroup.procs").read_text(), f"{path} is empty")
            path.rmdir()


def run_in(cgroup, *command):
    """Runs it in the cgroup from its exec on."""
    shell = f'echo $$ > {cgroup}/cgroup.procs; exec "$@"'
    subprocess.run(
        ["sh", "-c", shell, "sh", *map(str, command)], check=True, stdout=subprocess.DEVNULL
    )


def calls_in(cgroup, n):
    run_in(cgroup, support.workload_path("syscalls"), "getppid", n)


def test_a_cgroup_and_what_comes_below_it(count, cgroups):
    """Cases F1 and F2: descendants that were made later; nobody else."""
    run = count("--cgroup", cgroups.top.name)
    child = cgroups("c")
    deep = cgroups("c/d")
    calls_in(cgroups.top, 100)
    calls_in(child, 1000)
    calls_in(deep, 10000)
    calls_in(cgroups.mount, 5)
    time.sleep(0.3)
    assert result(run.stop())["comms"]["syscalls"] == 11100


def test_exact_cgroup(count, cgroups):
    run = count("--cgroup", cgroups.top, "--exact")
    child = cgroups("c")
    calls_in(cgroups.top, 100)
    calls_in(child, 1000)
    time.sleep(0.3)
    assert result(run.stop())["comms"]["syscalls"] == 100


def test_forms_of_a_cgroup(count, cgroups):
    child = cgroups("c")
    below = f"{cgroups.top.name}/c"
    for form in (below, f"/{below}", child, child.stat().st_ino):
        run = count("--cgroup", form)
        calls_in(child, 101)
        calls_in(cgroups.top, 7)
        time.sleep(0.3)
        assert result(run.stop())["comms"]["syscalls"] == 101, form


def test_several_cgroups(count, cgroups):
    all_of_them = [cgroups(f"c{i}") for i in range(8)]
    options = [word for path in all_of_them[:6] for word in ("--cgroup", path)]
    run = count(*options)
    for i, path in enumerate(all_of_them):
        calls_in(path, 10**i if i < 6 else 7)
    time.sleep(0.5)
    assert result(run.stop())["comms"]["syscalls"] == 111111


def test_root_cgroup_is_everything(count, cgroups, tmp_path):
    """Other processes of the machine are in it, too, so this one has a name of its own."""
    program = tmp_path / "in-root-cgroup"
    program.symlink_to(support.workload_path("syscalls"))
    run = count("--cgroup", "/")
    run_in(cgroups.top, program, "getppid", 100)
    time.sleep(0.3)
    assert result(run.stop())["comms"][program.name] == 100


def test_v1_cgroup(count, v1_cgroups):
    """Case F1: through the task's css set, exact."""
    child = v1_cgroups("c")
    run = count("--cgroup", v1_cgroups.top)
    exact = count("--cgroup", v1_cgroups.top, "--exact")
    calls_in(v1_cgroups.top, 100)
    calls_in(child, 1000)
    calls_in(v1_cgroups.mount, 5)
    time.sleep(0.3)
    assert result(run.stop())["comms"]["syscalls"] == 1100
    assert result(exact.stop())["comms"]["syscalls"] == 100


def test_v1_path_below_cgroup2_is_explained(tamis, v1_cgroups):
    run = tamis("trace", "-e", GETPPID, "--cgroup", v1_cgroups.top.name)
    assert run.rc == 1
    assert str(v1_cgroups.top) in run.err


def test_first_exec_in_a_new_cgroup(count, cgroups):
    """Case F6, many times."""
    times = int(100 / support.PATIENCE)
    run = count("--cgroup", cgroups.top, event=EXEC)
    for i in range(times):
        run_in(cgroups(f"new-{i}"), "/bin/true")
    time.sleep(0.3)
    assert result(run.stop())["comms"] == {"true": times}


def test_a_cgroup_that_is_removed_ends_the_run(count, cgroups):
    gone = cgroups("gone")
    run = count("--cgroup", gone)
    calls_in(gone, 55)
    support.wait_until(lambda: not (gone / "cgroup.procs").read_text(), "the end of the process")
    gone.rmdir()
    assert seen(run.wait()) == 55
    assert f"{gone} has been removed" in run.err


def test_perf_ends_with_its_process(count, workload):
    work = workload("syscalls", "getppid", 5)
    run = count("-p", work.begun, "--transport", "perf")
    work.go()
    assert run.wait().out.count("sys_enter_getppid") == 5


def test_keep_waits_on(count, workload):
    work = workload("syscalls", "getppid", 5)
    run = count("-p", work.begun, "--keep")
    work.go()
    time.sleep(2.5)
    assert run.rc is None
    assert seen(run.stop()) == 5


def test_names_of_cgroups_outlive_them(count, cgroups):
    run = count("--with", "_cgroup", "--cgroup", cgroups.top, event=EXEC)
    expected = []
    for i in range(20):
        path = cgroups(f"brief-{i}")
        run_in(path, "/bin/true")
        support.wait_until(
            lambda: not (path / "cgroup.procs").read_text(), "the end of the process"
        )
        path.rmdir()
        expected.append(f"/{cgroups.top.name}/brief-{i}")
    run.stop()
    assert [json.loads(line)["_cgroup"] for line in run.out.splitlines()] == expected


# --- containers ---


@pytest.fixture
def container(tmp_path):
    """start(name, command) runs it in a container made by runc."""
    support.require("tool:runc")
    busybox = next((p for p in ("/bin/busybox", "/usr/bin/busybox") if os.path.exists(p)), None)
    if not busybox:
        support.skip("busybox is not installed")
    root = tmp_path / "rootfs"
    for name in ("bin", "proc", "dev", "sys"):
        (root / name).mkdir(parents=True)
    (root / "bin/busybox").write_bytes(support.Path(busybox).read_bytes())
    (root / "bin/busybox").chmod(0o755)
    for name in ("sh", "sleep", "true"):
        (root / "bin" / name).symlink_to("busybox")
    subprocess.run(["runc", "spec"], cwd=tmp_path, check=True)
    started = []

    def start(name, script):
        spec = json.loads((tmp_path / "config.json").read_text())
        spec["process"].update(terminal=False, args=["sh", "-c", script])
        (tmp_path / "config.json").write_text(json.dumps(spec))
        done = subprocess.run(
            ["runc", "run", "-d", name], cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=open(tmp_path / "runc.err", "w"),
        )  # fmt: skip
        started.append(name)
        if done.returncode:
            support.skip(f"runc cannot start here: {(tmp_path / 'runc.err').read_text()}")

    yield start
    for name in started:
        subprocess.run(["runc", "delete", "-f", name], capture_output=True)


def test_a_container_by_name(count, container):
    name = f"tamis-test-{os.getpid()}"
    container(name, "sleep 1.5; i=0; while [ $i -lt 30 ]; do /bin/true; i=$((i+1)); done; sleep 30")
    run = count("--container", name, event=EXEC)
    # nobody else's: these are on the host
    subprocess.run(["/bin/true"], check=True)
    time.sleep(3)
    got = result(run.stop())
    # busybox's own name for an applet it execs
    assert sum(got["comms"].values()) == 31, got
    assert got["comms"]["true"] == 30


def test_expression_names_a_container(count, container):
    name = f"tamis-test-{os.getpid()}"
    container(name, "sleep 1.5; /bin/true; sleep 30")
    run = count(event=f'{EXEC}/_container=="{name}"/')
    subprocess.run(["/bin/true"], check=True)
    time.sleep(1.5)
    run.stop()
    names = [json.loads(line)["_comm"] for line in run.out.splitlines()]
    assert names.count("true") == 1
    assert set(names) <= {"true", "exe"}  # busybox executes itself for its applets


# --- from inside a container's namespaces ---


def test_pids_are_those_of_the_own_namespace(tamis, tmp_path):
    """In a pid namespace -p 1 is that namespace's first process."""
    out = tmp_path / "out"
    calls = support.workload_path("syscalls")
    inner = (
        f"{tamis.path} trace --json -e {GETPPID} -p 1 --follow -o {out} & t=$!; sleep 1.5; "
        f"{calls} getppid 345; sleep 0.4; kill -INT $t; wait $t"
    )
    command = ["unshare", "-pf", "--mount-proc", "sh", "-c", inner]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 * support.PATIENCE)
    events = [json.loads(line) for line in out.read_text().splitlines()]
    ours = [e for e in events if e["_comm"] == "syscalls"]
    assert len(ours) == 345, done.stderr
    # numbers of the namespace, not of the host
    assert max(e["_pid"] for e in events) < 100
    # strangers are not followed
    assert {e["_comm"] for e in events} <= {"syscalls", "sh", "sleep", "tamis"}


def test_inside_all_of_a_containers_namespaces(tamis, cgroups, tmp_path):
    """Own pid, mount and cgroup namespace: paths and numbers are those that are seen there."""
    inner = cgroups("inner")
    out = tmp_path / "out"
    calls = support.workload_path("syscalls")
    script = f"""
        mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/here &&
        mount -t cgroup2 none /sys/fs/cgroup/here || exit 3
        {tamis.path} trace --json -e {GETPPID} --with _cgroup,_nspid --cgroup inner -o {out} & t=$!
        sleep 2
        sh -c 'echo $$ > /sys/fs/cgroup/here/inner/cgroup.procs; exec {calls} getppid 321'
        {calls} getppid 99
        sleep 0.5; kill -INT $t; wait $t
    """
    enter = f'echo $$ > {cgroups.top}/cgroup.procs; exec unshare -pmCf --mount-proc sh -c "$1"'
    done = subprocess.run(
        ["sh", "-c", enter, "sh", script],
        capture_output=True,
        text=True,
        timeout=60 * support.PATIENCE,
    )
    assert done.returncode != 3, done.stderr
    events = [json.loads(line) for line in out.read_text().splitlines()]
    ours = [e for e in events if e["_comm"] == "syscalls"]
    assert len(ours) == 321, done.stderr
    assert {e["_cgroup"] for e in ours} == {"/inner"}
    assert {e["_pid"] for e in ours} == {e["_nspid"] for e in ours}
    assert max(e["_pid"] for e in events) < 100
    assert inner.exists()


@pytest.mark.parametrize("by", ["_cgroup", "_cgroup,_container"])
def test_a_count_by_cgroup(tamis, cgroups, by, tmp_path):
    """50 cgroups with 4 processes each, half of the cgroups gone by the time of the table."""
    ids = [f"{i:02}" + 62 * "a" for i in range(50)]
    made = [cgroups(f"docker-{id}.scope" if i % 2 else f"plain-{i}") for i, id in enumerate(ids)]
    run = tamis.start(
        "top", "--json", "-e", f"{GETPPID}//count/by={by}/top=100/", "--cgroup", cgroups.top,
        "-i", 100000, "-o", tmp_path / "out",
    )  # fmt: skip
    support.attached(run)
    loads = [
        subprocess.Popen(
            [
                "sh",
                "-c",
                f"echo $$ > {path}/cgroup.procs; exec {support.workload_path('syscalls')} getppid {n}",
            ],
            stdout=subprocess.DEVNULL,
        )
        for i, path in enumerate(made)
        for n in (100 + i, 200 + i, 300 + i, 400 + i)
    ]
    for load in loads:
        assert load.wait() == 0
    for path in made[::3]:
        path.rmdir()
    time.sleep(0.3)
    run.stop()
    found = {}
    for line in (tmp_path / "out").read_text().splitlines():
        row = json.loads(line)
        if "_cgroup" in row:
            found[row["_cgroup"]] = (row["count"], row.get("_container"))
    # the shell makes one call of its own, before or after it has moved
    expected = {f"/{cgroups.top.name}/{path.name}": 1000 + 4 * i for i, path in enumerate(made)}
    assert {name: n - n % 4 for name, (n, _) in found.items() if name in expected} == expected
    if "_container" in by:
        names = [found[f"/{cgroups.top.name}/{path.name}"][1] for path in made]
        assert names == [id[:12] if i % 2 else None for i, id in enumerate(ids)]


# --- rights and limits ---


def as_user(tamis, caps, *args):
    drop = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
    if caps:
        drop += ["--inh-caps", caps, "--ambient-caps", caps]
    return tamis.start(*drop[1:], tamis.path, *args, program=drop[0]).wait()


def count_as_user(tamis, caps):
    calls = support.workload_path("syscalls")
    return as_user(tamis, caps, "trace", "--json", "-e", GETPPID, "--", calls, "getppid", "321")


def test_capabilities_are_enough(tamis, paranoid):
    """Case G1: the main job with CAP_BPF and CAP_PERFMON, or a message that names what else."""
    run = count_as_user(tamis, "+bpf,+perfmon")
    if run.rc:
        assert "/tracing may not be read" in run.err and "CAP_DAC_READ_SEARCH" in run.err
        assert len(run.err.strip().splitlines()) < 5
    else:
        assert result(run)["seen"] == 321


def test_capabilities_for_all_of_it(tamis, paranoid):
    run = count_as_user(tamis, "+bpf,+perfmon,+dac_read_search")
    assert run.rc == 0, run.err
    assert result(run)["seen"] == 321


def test_no_capabilities(tamis):
    """Case G1: one message, which says what is missing."""
    run = as_user(tamis, "", "trace", "-e", GETPPID, "--", "true")
    assert run.rc != 0
    assert run.out == ""
    paranoid = support.Path("/proc/sys/kernel/perf_event_paranoid").read_text().strip()
    assert f"perf_event_paranoid is {paranoid}" in run.err, run.err
    assert run.err.count("perf_event_paranoid") == 1


def test_few_descriptors(tamis):
    """Case G3: 'syscalls:*' under ulimit -n 64."""
    shell = f"ulimit -Sn 64; exec {tamis.path} trace -e 'syscalls:*' -o /dev/null -- true"
    run = tamis.start("-c", shell, program="bash").wait(180)
    assert run.rc == 0, run.err
    shell = f"ulimit -n 64; exec {tamis.path} trace -e 'syscalls:*' -o /dev/null -- true"
    run = tamis.start("-c", shell, program="bash").wait(180)
    assert run.rc == 0 or "RLIMIT_NOFILE" in run.err or "descriptors" in run.err, run.err


# --- doctor ---


def test_doctor(tamis):
    run = tamis("doctor", "--json")
    told = json.loads(run.out)
    states = {f["name"]: f["state"] for f in told["features"]}
    assert run.rc == 0 and told["main_job"]
    assert states["trace by BPF"] == "ok"
    assert states["ring buffer"] == "ok"
    has_kprobes = os.path.exists("/sys/bus/event_source/devices/kprobe")
    assert (states["kprobe, kretprobe"] == "ok") == has_kprobes
    for feature in told["features"]:
        if feature["state"] == "missing":
            assert feature["todo"] or feature["found"]


def test_doctor_without_rights(tamis):
    run = as_user(tamis, "", "doctor", "--json")
    told = json.loads(run.out)
    assert run.rc == 1 and not told["main_job"]
    capabilities = [f for f in told["features"] if f["name"] == "capabilities"][0]
    assert "CAP_BPF" in capabilities["found"] and "CAP_PERFMON" in capabilities["found"]
