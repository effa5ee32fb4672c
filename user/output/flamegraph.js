// Runs inside of a flame graph that tamis wrote: search, zoom, reset. Nothing is fetched.
(function () {
	"use strict";

	const PAD = 10, CHAR = 6.6;
	const script = document.currentScript;
	const svg = script && script.closest ? script.closest("svg") : document.documentElement;
	const byId = (id) => svg.querySelector("#" + id);
	const frames = Array.from(svg.querySelectorAll("g.f")).map((g) => ({
		g: g,
		rect: g.querySelector("rect"),
		text: g.querySelector("text"),
		title: g.querySelector("title").textContent,
		name: g.getAttribute("data-n"),
		start: Number(g.getAttribute("data-s")),
		count: Number(g.getAttribute("data-c")),
		depth: Number(g.getAttribute("data-d")),
	}));
	const all = frames[0];
	let zoomed = all;
	let pattern = null;

	function fit(name, width) {
		const room = Math.floor((width - 4) / CHAR);

		if (room < 3)
			return "";
		return name.length <= room ? name : name.slice(0, room - 2) + "..";
	}

	function width() {
		return svg.viewBox.baseVal.width - 2 * PAD;
	}

	// A frame is seen if it is below or above the zoomed one in some chain; callers get all the room.
	function place(f) {
		const inside = f.start >= zoomed.start && f.start + f.count <= zoomed.start + zoomed.count;
		const caller = f.start <= zoomed.start && f.start + f.count >= zoomed.start + zoomed.count &&
			f.depth <= zoomed.depth;
		const scale = width() / zoomed.count;
		const x = caller ? PAD : PAD + (f.start - zoomed.start) * scale;
		const w = caller ? width() : f.count * scale;

		if (!caller && !(inside && f.depth > zoomed.depth)) {
			f.g.style.display = "none";
			return;
		}
		f.g.style.display = w < 0.1 ? "none" : "";
		f.g.classList.toggle("caller", caller && f !== zoomed);
		f.rect.setAttribute("x", x.toFixed(2));
		f.rect.setAttribute("width", w.toFixed(2));
		f.text.setAttribute("x", (x + 3).toFixed(2));
		f.text.textContent = fit(f.name, w);
	}

	function zoom(f) {
		zoomed = f;
		frames.forEach(place);
		byId("reset").style.display = f === all && !pattern ? "none" : "";
	}

	function compile(term) {
		try {
			return new RegExp(term, "i");
		} catch (e) {
			return new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
		}
	}

	// Samples with a match anywhere in their chain: frames inside of a counted one are not counted again.
	function matched(hits) {
		let end = -1, sum = 0;

		hits.sort((a, b) => a.start - b.start || a.depth - b.depth);
		for (const f of hits) {
			if (f.start < end)
				continue;
			sum += f.count;
			end = f.start + f.count;
		}
		return sum;
	}

	function search(term) {
		const hits = [];

		pattern = term ? compile(term) : null;
		for (const f of frames) {
			const hit = Boolean(pattern) && f !== all && pattern.test(f.name);

			f.g.classList.toggle("hit", hit);
			if (hit)
				hits.push(f);
		}
		byId("matched").textContent = pattern ?
			"matched: " + (100 * matched(hits) / all.count).toFixed(2) + " %" : "";
		byId("reset").style.display = zoomed === all && !pattern ? "none" : "";
		return hits.length;
	}

	function reset() {
		search("");
		zoom(all);
	}

	function ask() {
		const term = window.prompt("Search for a regular expression:", pattern ? pattern.source : "");

		if (term !== null)
			search(term);
	}

	for (const f of frames) {
		f.g.addEventListener("click", () => zoom(f));
		f.g.addEventListener("mouseover", () => { byId("details").textContent = f.title; });
		f.g.addEventListener("mouseout", () => { byId("details").textContent = ""; });
	}
	byId("search").addEventListener("click", ask);
	byId("reset").addEventListener("click", reset);
	window.addEventListener("keydown", (e) => {
		if (e.key === "Escape")
			reset();
		if (e.key === "/" || (e.key === "f" && e.ctrlKey)) {
			e.preventDefault();
			ask();
		}
	});
	window.flamegraph = { search: search, reset: reset };
	zoom(all);
})();
