# SPDX-License-Identifier: GPL-2.0-only
"""The flame graph in a browser: search, zoom and reset by real events, no script error, text escaped."""

import json
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any, Dict

import pytest

import support

# Runs in the page after it has loaded, and leaves what it saw in an attribute of the root element.
CHECKS = r"""
(function () {
	const seen = {errors: window.seenErrors};
	const svg = document.querySelector("svg") || document.documentElement;
	const frames = () => Array.from(svg.querySelectorAll("g.f"));
	const shown = () => frames().filter((g) => g.style.display !== "none").length;
	const named = (name) => frames().find((g) => g.getAttribute("data-n") === name);
	const width = (g) => Number(g.querySelector("rect").getAttribute("width"));
	const click = (e) => e.dispatchEvent(new MouseEvent("click", {bubbles: true}));
	const text = (id) => svg.querySelector("#" + id).textContent;
	const reset = svg.querySelector("#reset");

	seen.names = frames().map((g) => g.getAttribute("data-n"));
	seen.all = shown();
	seen.before = width(named("hot_fn"));
	seen.resetHidden = reset.style.display === "none";
	click(named("hot_fn"));
	seen.zoomed = width(named("hot_fn"));
	seen.callerZoomed = width(named("middle"));
	seen.shownZoomed = shown();
	seen.resetShown = reset.style.display !== "none";
	click(reset);
	seen.after = width(named("hot_fn"));
	seen.shownAfter = shown();
	window.prompt = () => "hot_fn";
	click(svg.querySelector("#search"));
	seen.hits = frames().filter((g) => g.classList.contains("hit")).map((g) => g.getAttribute("data-n"));
	seen.matched = text("matched");
	window.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
	seen.hitsAfter = svg.querySelectorAll(".hit").length;
	seen.matchedAfter = text("matched");
	window.prompt = () => "(broken[regexp";
	click(svg.querySelector("#search"));
	seen.brokenMatched = text("matched");
	click(reset);
	named("hot_fn").dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
	seen.details = text("details");
	seen.loaded = performance.getEntriesByType("resource").map((r) => r.name);
	document.documentElement.setAttribute("data-seen", JSON.stringify(seen));
})();
"""
CATCH = "window.seenErrors = []; window.onerror = (m) => { window.seenErrors.push(String(m)); };"


def in_browser(path: Path, tmp_path: Path) -> Dict[str, Any]:
    browser = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not browser:
        support.skip("no chromium to open the flame graph in")
    if support.PATIENCE > 1:
        support.skip("a browser takes many minutes in an emulated guest")
    text = path.read_text(encoding="utf-8")
    script = "<script><![CDATA[%s]]></script>" if "<?xml" in text else "<script>%s</script>"
    assert text.count("<script>") == 1
    text = text.replace("<script>", script % CATCH + "\n<script>", 1)
    end = "</svg>" if "<?xml" in text else "</body>"
    text = text.replace(end, script % CHECKS + end)
    page = tmp_path / ("page" + path.suffix)
    page.write_text(text, encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += [
        f"--user-data-dir={tmp_path / 'browser'}",
        "--virtual-time-budget=5000",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, f"file://{page}"], capture_output=True, text=True, timeout=120 * support.PATIENCE
    )
    seen = re.search(r'data-seen="([^"]*)"', done.stdout)
    assert seen, done.stdout[-2000:] + done.stderr[-2000:]
    unescaped = seen[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">")
    found: Dict[str, Any] = json.loads(unescaped.replace("&nbsp;", "\u00a0").replace("&amp;", "&"))
    return found


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_search_zoom_reset(tamis, workload_path, tmp_path, suffix):
    path = tmp_path / f"flame{suffix}"
    burn = workload_path("burn")
    both = f"{burn} 300; {burn} 150 vdso"
    done = tamis("profile", "-F", "499", "--flame-graph", path, "--", "sh", "-c", both)
    assert done.rc == 0, done.err
    seen = in_browser(path, tmp_path)
    assert seen["errors"] == [] and seen["loaded"] == []
    assert {"all", "burn", "main", "middle", "hot_fn", "read_clock"} <= set(seen["names"])
    assert seen["resetHidden"] and seen["resetShown"]
    assert seen["zoomed"] == 1180 and seen["callerZoomed"] == 1180
    assert seen["before"] < 1180 and abs(seen["after"] - seen["before"]) < 0.1
    assert seen["shownAfter"] == seen["all"] >= seen["shownZoomed"]
    assert set(seen["hits"]) == {"hot_fn"}
    assert float(re.fullmatch(r"matched: ([0-9.]+) %", seen["matched"])[1]) > 50
    assert seen["hitsAfter"] == 0 and seen["matchedAfter"] == ""
    assert seen["brokenMatched"] == "matched: 0.00 %"
    assert seen["details"].startswith("hot_fn (")


HOSTILE = "</script><script>seenErrors.push('ran')</script>]]>&<b>\"'"


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_names_are_text(tamis, tmp_path, suffix):
    """Names of functions and commands that would be markup or script."""
    process = support.Workload([support.workload_path("jit_aid"), "-w", 400])
    path = tmp_path / f"flame{suffix}"
    perf_map = Path(f"/tmp/perf-{process.begun}.map")
    # The checks look for frames of these names.
    perf_map.write_bytes(b"7e0000000000 20 middle \xff\xfe " + HOSTILE.encode() + b"\n")
    try:
        running = tamis.start("profile", "-F", "499", "--flame-graph", path, "-p", process.pid)
        time.sleep(0.5 * support.PATIENCE)
        process.send("go")
        process.wait_for("done=")
        process.close()
        running.wait()
        assert running.rc == 0, running.err
    finally:
        process.close()
        perf_map.unlink()
    text = path.read_text(encoding="utf-8")
    assert text.count("<script>") == 1 and "<b>" not in text
    if suffix == ".svg":
        names = [
            g.get("data-n") for g in xml.parse(path).getroot().iter("{http://www.w3.org/2000/svg}g")
        ]
        assert f"middle \ufffd\ufffd {HOSTILE}" in names, names


def test_self_contained(tamis, workload_path, tmp_path):
    path = tmp_path / "flame.html"
    tamis("profile", "--flame-graph", path, "--", workload_path("burn"), 100)
    text = path.read_text(encoding="utf-8")
    links = set(re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s]+)""", text))
    assert not links and set(re.findall(r"https?://[^\"\s]+", text)) == {
        "http://www.w3.org/2000/svg"
    }
