// SPDX-License-Identifier: GPL-2.0-only
/*
 * flamegraph.c - a call tree as a flame graph: SVG with its script inside, roots at the bottom.
 *
 * Names come from traced programs and are hostile until they are escaped: they are written as
 * XML text and attributes only, never into the script.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "call_tree.h"

#define WIDTH	   1200
#define PAD	   10
#define ROW	   17
#define TOP	   60
#define BOTTOM	   50
#define CHAR_WIDTH 6.6
#define NODES_MAX  30000u	/* with more, those below a ten-thousandth are left out */

#define EMBED(name, file)                                                                          \
	__asm__(".pushsection .rodata\n"                                                           \
		".hidden " #name "\n.globl " #name "\n" #name ":\n.incbin \"" file "\"\n.byte 0\n"  \
		".popsection\n");                                                                  \
	extern const char name[] __attribute__((visibility("hidden")))

EMBED(flamegraph_js, "user/output/flamegraph.js");
EMBED(flamegraph_css, "user/output/flamegraph.css");

struct drawing {
	const struct call_tree *t;
	FILE *out;
	int height;
	u64 least; /* samples of a frame that is drawn */
};

/* @return bytes of the UTF-8 character at @s that XML allows; 0: none */
static int utf8_length(const unsigned char *s)
{
	int n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0, i;
	u32 c = n == 1 ? s[0] : s[0] & (0xff >> (n + 1));

	if (!n || s[0] > 0xf4)
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (n == 1)
		return c >= 0x20 && c != 0x7f;
	if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff)
		return 0;
	return (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe ? 0 : n;
}

static void put_escaped(FILE *out, const char *s)
{
	while (*s) {
		int n = utf8_length((const unsigned char *)s);

		if (!n)
			fputs("\xef\xbf\xbd", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
}

/* The first characters of a name that fit, as the script would cut it. */
static void put_label(FILE *out, const char *name, double width)
{
	int room = (width - 4) / CHAR_WIDTH, len = strlen(name), n = 0;
	char label[256];

	if (room < 3)
		return;
	if (room > (int)sizeof(label) - 3)
		room = sizeof(label) - 3;
	while (n < len && n < (len <= room ? len : room - 2))
		n++;
	while (n && n < len && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--; /* not inside of a character */
	memcpy(label, name, n);
	strcpy(label + n, n < len ? ".." : "");
	put_escaped(out, label);
}

static const char *const kind_names[] = {
	[FRAME_NATIVE] = "native",
	[FRAME_KERNEL] = "kernel",
	[FRAME_JIT] = "JIT",
	[FRAME_PYTHON] = "Python",
};

static const int hues[] = {
	[FRAME_NATIVE] = 42,
	[FRAME_KERNEL] = 8,
	[FRAME_JIT] = 125,
	[FRAME_PYTHON] = 205,
};

/* Neighbours differ a little; the same name always looks the same. */
static void put_colour(FILE *out, const char *name, enum frame_kind kind)
{
	u32 h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	fprintf(out, "hsl(%d,%u%%,%u%%)", hues[kind] + (int)(h % 17) - 8, 65 + h / 17 % 20,
		62 + h / 340 % 13);
}

static void put_frame(const struct drawing *d, const struct call_node *n, u64 start, int depth)
{
	double scale = (WIDTH - 2.0 * PAD) / call_tree__total(d->t), width = n->total * scale;
	double x = PAD + start * scale;
	int y = d->height - BOTTOM - (depth + 1) * ROW;

	fprintf(d->out, "<g class=\"f\" data-s=\"%llu\" data-c=\"%llu\" data-d=\"%d\" data-n=\"",
		(unsigned long long)start, (unsigned long long)n->total, depth);
	put_escaped(d->out, n->name);
	fputs("\"><title>", d->out);
	put_escaped(d->out, n->name);
	fprintf(d->out, " (%llu samples, %.2f %%", (unsigned long long)n->total,
		100.0 * n->total / call_tree__total(d->t));
	if (n->dso) {
		fputs(", ", d->out);
		put_escaped(d->out, n->dso);
	}
	fprintf(d->out, ")</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"", x,
		y, width, ROW - 1);
	if (depth < 2)
		fputs(depth ? "#bbb" : "#ddd", d->out); /* everything, and the commands */
	else
		put_colour(d->out, n->name, n->kind);
	fprintf(d->out, "\"/><text x=\"%.2f\" y=\"%d\">", x + 3, y + ROW - 5);
	put_label(d->out, n->name, width);
	fputs("</text></g>\n", d->out);
}

static void draw(const struct drawing *d, u32 node, u64 start, int depth)
{
	u32 n, i, *kids;

	put_frame(d, call_tree__node(d->t, node), start, depth);
	kids = call_tree__children(d->t, node, BY_NAME, &n);
	for (i = 0; i < n; i++) {
		const struct call_node *kid = call_tree__node(d->t, kids[i]);

		if (kid->total >= d->least)
			draw(d, kids[i], start, depth + 1);
		start += kid->total;
	}
	free(kids);
}

static int depth_of(const struct call_tree *t)
{
	u32 i, n = call_tree__nr(t);
	int most = 0, *depth = calloc(n, sizeof(*depth));

	for (i = 1; depth && i < n; i++) { /* parents come before their children */
		depth[i] = depth[call_tree__node(t, i)->parent] + 1;
		most = depth[i] > most ? depth[i] : most;
	}
	free(depth);
	return most;
}

static void put_text(FILE *out, const char *id, int x, int y, const char *text)
{
	fprintf(out, "<text id=\"%s\" x=\"%d\" y=\"%d\">", id, x, y);
	put_escaped(out, text);
	fputs("</text>\n", out);
}

static void put_head(const struct drawing *d, const struct flame_graph *g)
{
	int h = d->height;

	fprintf(d->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>\n%s</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fafafa\"/>\n",
		WIDTH, h, WIDTH, h, flamegraph_css);
	put_text(d->out, "title", WIDTH / 2, 24, g->title);
	put_text(d->out, "subtitle", WIDTH / 2, 44, g->subtitle ? g->subtitle : "");
	fprintf(d->out,
		"<text id=\"reset\" class=\"button\" x=\"%d\" y=\"24\" style=\"display:none\">"
		"Reset</text>\n"
		"<text id=\"search\" class=\"button\" x=\"%d\" y=\"24\">Search</text>\n",
		PAD, WIDTH - PAD - 50);
	put_text(d->out, "details", PAD, h - 30, "");
	put_text(d->out, "matched", WIDTH - PAD - 150, h - 30, "");
}

static void put_legend(const struct drawing *d)
{
	int x = PAD;
	size_t i;

	for (i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
		fprintf(d->out,
			"<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" "
			"fill=\"hsl(%d,75%%,68%%)\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
			x, d->height - 18, hues[i], x + 14, d->height - 9, kind_names[i]);
		x += 90;
	}
}

int flame_graph__write(const struct call_tree *t, FILE *out, const struct flame_graph *g)
{
	struct drawing d = {t, out, TOP + BOTTOM + (depth_of(t) + 1) * ROW, 1};

	if (call_tree__nr(t) > NODES_MAX)
		d.least = call_tree__total(t) / 10000 + 1;
	if (g->html) {
		fputs("<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>", out);
		put_escaped(out, g->title);
		fputs("</title></head><body style=\"margin:0\">\n", out);
	} else {
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n", out);
	}
	put_head(&d, g);
	if (call_tree__total(t))
		draw(&d, 0, 0, 0);
	put_legend(&d);
	if (call_tree__total(t))
		fprintf(out, "<script><![CDATA[\n%s]]></script>\n", flamegraph_js);
	fputs(g->html ? "</svg>\n</body></html>\n" : "</svg>\n", out);
	return ferror(out) ? -EIO : 0;
}
