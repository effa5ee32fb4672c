# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the bench: which load, which tools, and what is to be beaten. bench/README.md tells what each is."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from measure import (
    FLOOR,
    LOAD,
    PEERS,
    SYSTEM_PYTHON,
    TAMIS,
    Collector,
    Failed,
    Pair,
    Result,
    Tool,
    bootstrap,
    measure,
    ratios,
    run_load,
)

GETPGRP = {"x86_64": 111, "aarch64": 155}[os.uname().machine]
A_SECOND = 100_000


def number_after(pattern: str) -> Callable[[str], int]:
    """Reads the last number that `pattern` finds in what a tool printed."""

    def seen(out: str) -> int:
        found = re.findall(pattern, out)
        if not found:
            raise Failed(f"did not say what it saw: {out.strip()[-200:]}")
        return int(found[-1].replace(",", ""))

    return seen


floor_seen = number_after(r'"seen": (\d+)')
script_seen = number_after(r"seen=(\d+)")
perf_seen = number_after(r"([\d,]+)\s+\S+:\S+")


def lines_with(text: str) -> Callable[[str], int]:
    return lambda out: sum(text in line for line in out.splitlines())


def table_sum(out: str) -> int:
    """Counts of bpftrace's maps: @[...]: N"""
    return sum(int(n) for n in re.findall(r"^@\w*\[.*\]: (\d+)", out, re.M))


def hist_sum(out: str) -> int:
    """Counts of bpftrace's histograms."""
    return sum(int(n) for n in re.findall(r"^[\[(].*?[)\]]\s+(\d+) \|", out, re.M))


def json_sum(out: str) -> int:
    """Counts in the rows of `tamis top --json`."""
    total = 0
    for line in out.splitlines():
        if line.startswith("{"):
            total += json_count(json.loads(line))
    return total


def json_count(row: Dict) -> int:
    if "rows" in row:
        return sum(json_count(r) for r in row["rows"])
    for key in ("count", "value"):
        if isinstance(row.get(key), int):
            return int(row[key])
    return 0


def tamis(name: str, *args: str, seen: Optional[Callable[[str], int]] = None) -> Tool:
    return Tool(name, [TAMIS, *args], seen)


def bcc(job: str, *args: str) -> Tool:
    command = [SYSTEM_PYTHON, str(PEERS / "bcc_job.py"), job, *args]
    return Tool("bcc", command, script_seen, needs="bcc", settle=0.3)


def bpftrace(program: str, seen: Callable[[str], int], name: str = "bpftrace") -> Tool:
    return Tool(name, ["bpftrace", "-B", "full", "-e", program], seen, settle=0.3)


def perf_stat(event: str, *args: str) -> Tool:
    return Tool("perf stat", ["perf", "stat", "-a", "-e", event, *args], perf_seen, settle=0.4)


def rounds(
    result: Result,
    tools: Sequence[Tool],
    load: Sequence[str],
    events: int,
    pairs: int,
    wrap: Sequence[str] = (),
) -> None:
    """Each round measures every tool once, so that all see the same machine."""
    usable = []
    for tool in tools:
        reason = tool.missing()
        if reason:
            result.notes[tool.name] = f"skipped: {reason}"
        else:
            usable.append(tool)
    for _ in range(pairs):
        for tool in list(usable):
            try:
                pair = measure(tool, load, events, wrap)
            except Failed as why:
                result.notes[tool.name] = f"failed: {why}"
                usable.remove(tool)
                continue
            result.pairs.setdefault(tool.name, []).append(pair)


def against_floor(result: Result, limit: float, tool: str = "tamis", floor: str = "floor") -> None:
    got = ratios(result.added(tool), result.added(floor))
    result.bar(f"added({tool}) / added({floor})", got, limit)


def below_peers(result: Result, peers: Sequence[str], tool: str = "tamis") -> None:
    for peer in peers:
        if result.pairs.get(peer):
            got = ratios(result.added(tool), result.added(peer))
            result.bar(f"added({tool}) / added({peer})", got, 1)


def full_delivery(result: Result, tool: str = "tamis") -> None:
    got = [p.delivered for p in result.pairs.get(tool, []) if p.delivered is not None]
    if got:
        result.bar(f"delivered by {tool}", bootstrap(got), 0.99999, at_least=True)


# --- the rows ---


def row_a1(pairs: int) -> Result:
    r = Result("A1", "count raw_syscalls:sys_enter by id, in the kernel")
    n = 500_000
    event = "raw_syscalls:sys_enter"
    top = ["top", "-e", f"{event}//count/by=id/", "-i", "600000", "--json"]
    tools = [
        Tool("floor", [FLOOR, "A1"], floor_seen),
        Tool("floor, own left out", [FLOOR, "A1-own"], floor_seen),
        tamis("tamis", *top, seen=json_sum),
        perf_stat(event),
        bcc("A1"),
        bpftrace(f"tracepoint:{event} {{ @[args->id] = count(); }}", table_sum),
    ]
    rounds(r, tools, ["getpgrp", str(n)], n, pairs)
    against_floor(r, 1.15)
    against_floor(r, 1.15, floor="floor, own left out")
    below_peers(r, ["perf stat", "bcc", "bpftrace"])
    full_delivery(r)
    for tool, limit in (("tamis", "perf stat"),):
        ours = [float(p.rss_kb) for p in r.pairs.get(tool, [])]
        theirs = [float(p.rss_kb) for p in r.pairs.get(limit, [])]
        r.bar(f"memory({tool}) / memory({limit})", ratios(ours, theirs), 1)
    return r


def row_a2(pairs: int) -> Result:
    r = Result("A2", "count sched:sched_switch by prev_comm")
    n = 30_000
    event = "sched:sched_switch"
    top = ["top", "-e", f"{event}//count/by=prev_comm/", "-i", "600000", "--json"]
    tools = [
        Tool("floor", [FLOOR, "A2"], floor_seen),
        tamis("tamis", *top, seen=json_sum),
        perf_stat(event),
        bcc("A2"),
        bpftrace(f"tracepoint:{event} {{ @[args->prev_comm] = count(); }}", table_sum),
    ]
    rounds(r, tools, ["pingpong", str(n)], 2 * n, pairs)
    against_floor(r, 1.15)
    below_peers(r, ["bcc", "bpftrace"])
    return r


def row_b(pairs: int) -> Result:
    r = Result("B", "openat of one name, 1 of 100 matches, the full line")
    n = 50_000
    event = "syscalls:sys_enter_openat"
    with tempfile.NamedTemporaryFile(prefix="bench-marked-") as marked:
        name = marked.name
        show = '{ printf("%d %s %s\\n", pid, comm, str(args->filename)); }'
        condition = f'/str(args->filename) == "{name}"/'
        tools = [
            Tool("floor", [FLOOR, "B", name], floor_seen),
            tamis(
                "tamis",
                "trace",
                "-q",
                "-e",
                f'{event}/filename == "{name}"/',
                seen=lines_with(name),
            ),
            bcc("B", name),
            bpftrace(f"tracepoint:{event} {condition} {show}", lines_with(name)),
        ]
        rounds(r, tools, ["openat", str(n), "/etc/passwd", name], n // 100, pairs)
    against_floor(r, 1)
    below_peers(r, ["bcc", "bpftrace"])
    full_delivery(r)
    return r


def tamis_python(name: str, script: str, *options: str) -> Tool:
    event = "raw_syscalls:sys_enter"
    args = ["python", "-q", "-e", event, *options, str(PEERS / script), str(GETPGRP)]
    return Tool(name, [TAMIS, *args], script_seen, settle=0.4)


def perf_pipe() -> Tool:
    script = "seen=$(perf script -i - 2>/dev/null | grep -c 'NR %d '); echo seen=$seen" % GETPGRP
    # Ctrl-C is for the writer; the reader ends with its input.
    record = "perf record -q -a -m 1024 -e raw_syscalls:sys_enter -o - 2>/dev/null"
    return Tool(
        "perf record | script",
        ["sh", "-c", f"trap : INT; {record} | (trap '' INT; {script})"],
        script_seen,
    )


# What a bpftrace user pipes into a script: a line an event.
PRINT_CALLS = (
    f"tracepoint:raw_syscalls:sys_enter /args->id == {GETPGRP}/ "
    '{ printf("a call %d %lld\\n", args->id, nsecs); }'
)


def row_c(pairs: int) -> Result:
    r = Result("C", "every system call to a Python handler that reads 2 fields, flat out")
    n = 300_000
    tools = [
        Tool("floor", [FLOOR, "C", str(GETPGRP)], floor_seen),
        tamis_python("tamis", "handler.py"),
        tamis_python("tamis batch", "batch.py"),
        tamis_python("tamis perf", "handler.py", "--transport=perf"),
        bcc("C", str(GETPGRP)),
        perf_pipe(),
        bpftrace(PRINT_CALLS, lines_with("a call"), "bpftrace printf"),
    ]
    rounds(r, tools, ["getpgrp", str(n)], n, pairs)
    got = ratios(r.slowdowns("tamis"), r.slowdowns("floor"))
    r.bar("slowdown(tamis) / slowdown(floor)", got, 1.1)
    full_delivery(r)
    cpu_bars(r, n)
    return r


def cpu_bars(r: Result, n: int) -> None:
    """Collector CPU an event, against a C drain and a bare Python loop of the same run."""
    bare = [bare_call_ns() for _ in range(5)]
    r.extra["bare Python call, ns"] = bootstrap(bare).median
    drain = [p.collector_cpu / n * 1e9 for p in r.pairs.get("floor", [])]
    ours = per_event(r, "tamis", n)
    batch = per_event(r, "tamis batch", n)
    for name, values in (("floor", drain), ("tamis", ours), ("tamis batch", batch)):
        if values:
            r.extra[f"collector CPU an event, ns: {name}"] = bootstrap(values).median
    limit = [d + r.extra["bare Python call, ns"] for d in drain]
    r.bar("CPU an event(tamis) / (C drain + bare call)", ratios(ours, limit), 1.5)
    r.bar("CPU an event(batch) / CPU an event(tamis)", ratios(batch, ours), 0.3)


def per_event(r: Result, tool: str, n: int) -> List[float]:
    return [p.collector_cpu / (n * (p.delivered or 1)) * 1e9 for p in r.pairs.get(tool, [])]


def bare_call_ns() -> float:
    done = subprocess.run(
        [SYSTEM_PYTHON, str(PEERS / "bare.py")], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def row_c100k(pairs: int) -> Result:
    r = Result("C100k", "the same at 100,000 events a second")
    n = 50_000
    tools = [
        Tool("floor", [FLOOR, "C", str(GETPGRP)], floor_seen),
        tamis_python("tamis", "handler.py"),
        bcc("C", str(GETPGRP)),
        perf_pipe(),
    ]
    rounds(r, tools, ["getpgrp", str(n), str(A_SECOND)], n, pairs)
    got = ratios(r.slowdowns("tamis"), r.slowdowns("floor"))
    r.bar("slowdown(tamis) / slowdown(floor)", got, 1.1)
    full_delivery(r)
    return r


def row_e(pairs: int) -> Result:
    r = Result("E", "histogram of the time from wakeup to switch")
    n = 30_000
    pair = (
        "sched:sched_wakeup//key=pid/alias=w/,"
        "sched:sched_switch//since=w/key=next_pid/hist=latency/"
    )
    program = (
        "tracepoint:sched:sched_wakeup { @at[args->pid] = nsecs; }"
        "tracepoint:sched:sched_switch /@at[args->next_pid]/"
        "{ @h = hist(nsecs - @at[args->next_pid]); delete(@at[args->next_pid]); }"
        "END { clear(@at); }"
    )
    tools = [
        Tool("floor", [FLOOR, "E"], floor_seen),
        tamis("tamis", "top", "-e", pair, "-i", "600000", "--json"),
        bcc("E"),
        bpftrace(program, hist_sum),
    ]
    rounds(r, tools, ["pingpong", str(n)], n, pairs)
    against_floor(r, 1.15)
    below_peers(r, ["bcc", "bpftrace"])
    return r


def row_startup(pairs: int) -> Result:
    """Time from exec to the first line about an event, while events come all the time."""
    r = Result("start-up", "from the command to the first event, and to its end")
    event = "raw_syscalls:sys_enter"
    load = subprocess.Popen([LOAD, "getpgrp", "1000000000", "20000"], stdout=subprocess.DEVNULL)
    times: Dict[str, List[float]] = {}
    script = PEERS / "first.py"
    commands = {
        "floor": [FLOOR, "C", str(GETPGRP)],
        "tamis trace": [TAMIS, "trace", "-q", "--no-order", "-e", event],
        "tamis python": [TAMIS, "python", "-q", "-e", event, str(script)],
        "bpftrace": ["bpftrace", "-e", f'tracepoint:{event} {{ printf("x\\n"); exit(); }}'],
        "perf trace": ["perf", "trace", "-a"],
    }
    try:
        for _ in range(pairs):
            times.setdefault("perf stat true", []).append(
                timed(["perf", "stat", "-a", "-e", event, "true"])
            )
            times.setdefault("python3 -c pass", []).append(timed([SYSTEM_PYTHON, "-c", "pass"]))
            for name, command in commands.items():
                if name in r.notes:
                    continue
                try:
                    times.setdefault(name, []).append(first_line(command))
                except (Failed, OSError) as why:
                    r.notes[name] = f"failed: {why}"
    finally:
        load.kill()
        load.wait()
    for name, values in times.items():
        if values:
            r.extra[f"ms: {name}"] = bootstrap([1000 * v for v in values]).median
    limit = [0.7 * v for v in times["perf stat true"]]
    r.bar("start(trace) / 0.7 perf stat", ratios(times.get("tamis trace", []), limit), 1)
    limit = [a + 1.5 * b for a, b in zip(limit, times["python3 -c pass"])]
    r.bar("start(python) / (that + 1.5 python3)", ratios(times.get("tamis python", []), limit), 1)
    return r


def timed(command: Sequence[str]) -> float:
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def first_line(command: Sequence[str]) -> float:
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        try:
            assert child.stdout
            line = child.stdout.readline()
            while line.startswith(b"Attaching"):
                line = child.stdout.readline()
            took = time.monotonic() - start
        finally:
            child.terminate()
            child.stdout.close()
            child.wait()
        if not line:
            errors.seek(0)
            raise Failed(errors.read().decode(errors="replace").strip()[-200:] or "no line")
    return took


def row_idle(pairs: int) -> Result:
    r = Result("idle", "wakeups a second without events")
    script = str(PEERS / "first.py")
    tools = {
        "tamis trace": [TAMIS, "trace", "-q", "-e", "sched:sched_process_hang"],
        "tamis python": [TAMIS, "python", "-q", "-e", "sched:sched_process_hang", script],
    }
    for name, command in tools.items():
        collector = Collector(Tool(name, command))
        try:
            collector.wait_ready()
            time.sleep(4)  # what is counted for the first 3 s is switched off
            before, start = collector.switches(), time.monotonic()
            time.sleep(min(pairs, 5))
            rate = (collector.switches() - before) / (time.monotonic() - start)
            r.bar(f"wakeups a second of {name}", bootstrap([rate]), 10)
            collector.finish()
        except Failed as why:
            r.notes[name] = f"failed: {why}"
            collector.kill()
    return r


def row_consumer(pairs: int) -> Result:
    """Fills the rings while the collector is stopped, then takes the CPU time of reading them."""
    r = Result("consumer", "records a second of CPU into Python, the consumer alone")
    n = 60_000
    bare = [bare_call_ns() for _ in range(5)]
    r.extra["bare Python call, M/s"] = 1000 / bootstrap(bare).median
    costs: Dict[str, List[float]] = {}
    tools = {
        "floor (C)": Tool("floor", [FLOOR, "C", str(GETPGRP)], floor_seen),
        "tamis": tamis_python("tamis", "handler.py", "-m", "16M"),
        "tamis batch": tamis_python("tamis batch", "batch.py", "-m", "16M"),
        "bcc": bcc("C", str(GETPGRP)),
    }
    for _ in range(pairs):
        for name, tool in tools.items():
            if name in r.notes or tool.missing():
                continue
            try:
                costs.setdefault(name, []).append(drain_cost(tool, n))
            except Failed as why:
                r.notes[name] = f"failed: {why}"
    for name, values in costs.items():
        if values:
            r.extra[f"{name}, M/s"] = bootstrap([1000 / v for v in values]).median
    ours, batch = costs.get("tamis", []), costs.get("tamis batch", [])
    r.bar(
        "rate(tamis) / rate(bare call)",
        ratios([bootstrap(bare).median] * len(ours), ours),
        0.5,
        True,
    )
    r.bar("rate(batch) / rate(tamis)", ratios(ours, batch), 6, True)
    return r


def drain_cost(tool: Tool, n: int) -> float:
    """ns of collector CPU a record that waited in the ring."""
    collector = Collector(tool)
    try:
        collector.wait_ready()
        os.killpg(collector.child.pid, 19)
        before = collector.cpu_seconds()
        run_load(["getpgrp", str(n)])
        os.killpg(collector.child.pid, 18)
        time.sleep(0.1)
        last = -1.0
        while collector.cpu_seconds() - last > 0.002:
            last = collector.cpu_seconds()
            time.sleep(0.1)
        used = collector.cpu_seconds() - before
    except Failed:
        collector.kill()
        raise
    seen = tool.seen(collector.finish().out) if tool.seen else n
    if seen < n:
        raise Failed(f"read {seen} of {n}")
    return used / n * 1e9


# --- D: profiles ---

Stacks = List[Tuple[List[str], int]]  # root first


def folded_stacks(out: str) -> Stacks:
    """comm;frame;frame N"""
    stacks = []
    for line in out.splitlines():
        names, _, count = line.rpartition(" ")
        if names.startswith("load;") and count.isdigit():
            stacks.append((names.split(";")[1:], int(count)))
    return stacks


def perf_stacks(out: str) -> Stacks:
    """perf script: a line for the sample, one for each frame, an empty line."""
    stacks = []
    for sample in out.split("\n\n"):
        lines = sample.splitlines()
        if lines and lines[0].startswith("load "):
            frames = [
                re.sub(r"\+0x.*", "", f.split(maxsplit=1)[1])
                for f in lines[1:]
                if len(f.split()) > 1
            ]
            stacks.append((frames[::-1], 1))
    return stacks


def bpftrace_stacks(out: str) -> Stacks:
    """@[ lines of frames ]: N"""
    stacks = []
    for body, count in re.findall(r"^@\[(.*?)\]: (\d+)$", out, re.M | re.S):
        frames = [re.sub(r"\+\d+$", "", f.strip()) for f in body.splitlines() if f.strip()]
        stacks.append((frames[::-1], int(count)))
    return stacks


def profile_quality(stacks: Stacks, cpu: float) -> Dict[str, float]:
    total = sum(n for _, n in stacks)
    if not total:
        raise Failed("no sample of the burner")
    in_leaf = {
        leaf: sum(n for f, n in stacks if f and f[-1].startswith(leaf))
        for leaf in ("leaf_a", "leaf_b")
    }
    whole = sum(n for f, n in stacks if sum(x.startswith("level") for x in f) == 20 and "main" in f)
    below = sum(n for f, n in stacks if any(x.startswith("level") for x in f))
    leaves = sum(in_leaf.values()) or 1
    return {
        "whole stacks": whole / (below or 1),
        "leaf_a share": in_leaf["leaf_a"] / leaves,
        "samples / (cpu x 999)": total / (cpu * 999),
    }


def row_d(pairs: int) -> Result:
    r = Result("D", "profile of the machine at 999 Hz: folded stacks, 20 levels deep")
    with tempfile.TemporaryDirectory() as tmp:
        data = f"{tmp}/perf.data"
        record = f"perf record -q -F 999 -e cpu-clock -a -g -o {data}"
        script = f"perf script -i {data} 2>/dev/null"
        program = 'profile:hz:999 /comm == "load"/ { @[ustack(127)] = count(); }'
        tools = {
            "tamis": (tamis("tamis", "profile", "-q", "-F", "999", "--folded"), folded_stacks),
            "perf": (
                Tool("perf", ["sh", "-c", f"trap : INT; {record}; {script}"], needs="perf"),
                perf_stacks,
            ),
            "bpftrace": (
                Tool("bpftrace", ["bpftrace", "-e", program], settle=0.3),
                bpftrace_stacks,
            ),
        }
        quality: Dict[str, Dict[str, List[float]]] = {}
        for _ in range(min(pairs, 5)):
            for name, (tool, parse) in tools.items():
                if tool.missing() or name in r.notes:
                    continue
                try:
                    profile_once(r, name, tool, parse, quality.setdefault(name, {}))
                except Failed as why:
                    r.notes[name] = f"failed: {why}"
    for name, values in quality.items():
        for what, got in values.items():
            r.extra[f"{what}: {name}"] = bootstrap(got).median
    profile_bars(r, quality.get("tamis", {}))
    return r


def profile_once(
    r: Result,
    name: str,
    tool: Tool,
    parse: Callable[[str], Stacks],
    quality: Dict[str, List[float]],
) -> None:
    alone = run_load(["burn", "2"])
    collector = Collector(tool)
    try:
        collector.wait_ready()
        before = collector.cpu_seconds()
        traced = run_load(["burn", "2"])
        used = collector.cpu_seconds() - before
    except Failed:
        collector.kill()
        raise
    end = collector.finish()
    pair = Pair(alone["cpu"] / alone["n"], traced["cpu"] / traced["n"], 1, None, used)
    pair.rss_kb, pair.map_kb, pair.ended_after = end.rss_kb, end.map_kb, end.ended_after
    r.pairs.setdefault(name, []).append(pair)
    for what, value in profile_quality(parse(end.out), traced["cpu"]).items():
        quality.setdefault(what, []).append(value)


def profile_bars(r: Result, quality: Dict[str, List[float]]) -> None:
    if not quality:
        return
    r.bar("slowdown(tamis) / slowdown(perf)", ratios(r.slowdowns("tamis"), r.slowdowns("perf")), 1)
    r.bar("whole stacks", bootstrap(quality["whole stacks"]), 0.997, True)
    r.bar(
        "|leaf_a share - 0.75|", bootstrap([abs(v - 0.75) for v in quality["leaf_a share"]]), 0.02
    )
    off = [abs(v - 1) for v in quality["samples / (cpu x 999)"]]
    r.bar("|samples / (cpu x 999) - 1|", bootstrap(off), 0.05)
    for what, key in (("end", "ended_after"), ("memory", "rss_kb")):
        ours = [float(getattr(p, key)) for p in r.pairs["tamis"]]
        peer = "perf" if what == "end" else "bpftrace"
        theirs = [float(getattr(p, key)) for p in r.pairs.get(peer, [])]
        r.bar(f"{what}(tamis) / {what}({peer})", ratios(ours, theirs), 1)


# --- F: a cgroup and its children ---


def cgroup_mounts() -> List[Path]:
    """cgroup2, and v1's perf_event hierarchy, where perf looks."""
    with open("/proc/self/mounts") as mounts:
        fields = [line.split() for line in mounts]
    v2 = [Path(f[1]) for f in fields if f[2] == "cgroup2"]
    v1 = [Path(f[1]) for f in fields if f[2] == "cgroup" and "perf_event" in f[3].split(",")]
    return v2[:1] + v1[:1]


def row_f(pairs: int, inside: bool = True) -> Result:
    where = "inside, in a child of it" if inside else "outside"
    r = Result("F" if inside else "F-out", f"A1 for a cgroup and what is below; the load {where}")
    mounts = cgroup_mounts()
    groups = [m / "tamis-bench" for m in mounts]
    n = 500_000
    event = "raw_syscalls:sys_enter"
    try:
        for group in groups:
            (group / "child").mkdir(parents=True, exist_ok=True)
        enter = "".join(f"echo $$ > {g}/child/cgroup.procs; " for g in groups) if inside else ""
        wrap = ["sh", "-c", enter + 'exec "$@"', "sh"]
        top = [
            "top",
            "-e",
            f"{event}//count/by=id/",
            "-i",
            "600000",
            "--json",
            "--cgroup",
            str(groups[0]),
        ]
        program = (
            f'tracepoint:{event} /cgroup == cgroupid("{groups[0]}")/ {{ @[args->id] = count(); }}'
        )
        tools = [
            Tool("floor", [FLOOR, "F", str(groups[0])], floor_seen),
            tamis("tamis", *top, seen=json_sum),
            perf_stat(event, "-G", "tamis-bench"),
            bcc("F", str(groups[0])),
            bpftrace(program, table_sum, "bpftrace, by id"),
        ]
        rounds(r, tools, ["getpgrp", str(n)], n, pairs, wrap)
    finally:
        for group in groups:
            for path in (group / "child", group):
                if path.exists():
                    path.rmdir()
    against_floor(r, 1.15)
    if inside:
        full_delivery(r)
    return r


def row_f_out(pairs: int) -> Result:
    return row_f(pairs, inside=False)


ROWS: Dict[str, Callable[[int], Result]] = {
    "A1": row_a1,
    "A2": row_a2,
    "B": row_b,
    "C": row_c,
    "C100k": row_c100k,
    "D": row_d,
    "E": row_e,
    "F": row_f,
    "F-out": row_f_out,
    "start-up": row_startup,
    "idle": row_idle,
    "consumer": row_consumer,
}
