// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <string.h>
#include "ctype.h"

static const struct known {
	const char *name;
	u32 size;
	bool is_signed;
} known_types[] = {
	{"bool", 1, false},	   {"_Bool", 1, false},		{"u8", 1, false},
	{"__u8", 1, false},	   {"uint8_t", 1, false},	{"s8", 1, true},
	{"__s8", 1, true},	   {"int8_t", 1, true},		{"u16", 2, false},
	{"__u16", 2, false},	   {"uint16_t", 2, false},	{"s16", 2, true},
	{"__s16", 2, true},	   {"int16_t", 2, true},	{"u32", 4, false},
	{"__u32", 4, false},	   {"uint32_t", 4, false},	{"s32", 4, true},
	{"__s32", 4, true},	   {"int32_t", 4, true},	{"u64", 8, false},
	{"__u64", 8, false},	   {"uint64_t", 8, false},	{"s64", 8, true},
	{"__s64", 8, true},	   {"int64_t", 8, true},	{"__le16", 2, false},
	{"__le32", 4, false},	   {"__le64", 8, false},	{"__be16", 2, false},
	{"__be32", 4, false},	   {"__be64", 8, false},	{"uint", 4, false},
	{"u_int", 4, false},	   {"ulong", 8, false},		{"size_t", 8, false},
	{"ssize_t", 8, true},	   {"off_t", 8, true},		{"loff_t", 8, true},
	{"pid_t", 4, true},	   {"uid_t", 4, false},		{"gid_t", 4, false},
	{"old_uid_t", 2, false},   {"old_gid_t", 2, false},	{"qid_t", 4, false},
	{"umode_t", 2, false},	   {"mqd_t", 4, true},		{"key_t", 4, true},
	{"key_serial_t", 4, true}, {"timer_t", 4, true},	{"clockid_t", 4, true},
	{"rwf_t", 4, true},	   {"aio_context_t", 8, false}, {"dev_t", 4, false},
	{"gfp_t", 4, false},	   {"cpumask_t", 8, false},
};

/* Says nothing about the value. */
static bool is_qualifier(const char *w, size_t n)
{
	static const char *const words[] = {"const", "volatile", "restrict", "__user",
					    "__rcu", "__percpu", "__seg_gs", "__iomem"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], w, n))
			return true;
	return false;
}

/* The words of C's own integer types, counted. */
struct words {
	int is_unsigned, is_signed, longs, ints, shorts, chars, all;
};

static bool count_word(struct words *c, const char *w, size_t n)
{
	const struct {
		const char *word;
		int *count;
	} table[] = {
		{"unsigned", &c->is_unsigned}, {"signed", &c->is_signed},
		{"long", &c->longs},	       {"int", &c->ints},
		{"short", &c->shorts},	       {"char", &c->chars},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strlen(table[i].word) == n && !memcmp(table[i].word, w, n)) {
			++*table[i].count;
			c->all++;
			return true;
		}
	}
	return false;
}

static struct ctype plain(const struct words *c)
{
	struct ctype t = {CTYPE_INT, 4, !c->is_unsigned};

	if (c->chars) {
		t.size = 1;
		if (!c->is_unsigned && !c->is_signed)
			t.class = CTYPE_CHAR;
	} else if (c->shorts) {
		t.size = 2;
	} else if (c->longs) {
		t.size = 8;
	}
	return t;
}

static struct ctype named(const char *w, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_types); i++)
		if (strlen(known_types[i].name) == n && !memcmp(known_types[i].name, w, n))
			return (struct ctype){CTYPE_INT, known_types[i].size,
					      known_types[i].is_signed};
	return (struct ctype){.class = CTYPE_UNKNOWN};
}

static bool is_word(const char *w, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(w, word, n);
}

struct ctype ctype__parse(const char *text, size_t len)
{
	const char *end = text + len, *w, *name = NULL;
	size_t n, name_len = 0;
	struct words c = {0};

	if (memchr(text, '*', len))
		return (struct ctype){CTYPE_POINTER, 8, false};
	for (w = text; w < end; w += n ? n : 1) {
		for (n = 0; w + n < end && (isalnum((u8)w[n]) || w[n] == '_'); n++)
			;
		if (!n || is_qualifier(w, n))
			continue;
		if (is_word(w, n, "struct") || is_word(w, n, "union"))
			return (struct ctype){.class = CTYPE_STRUCT};
		if (is_word(w, n, "enum"))
			return (struct ctype){.class = CTYPE_ENUM};
		if (!count_word(&c, w, n)) {
			name = w;
			name_len = n;
		}
	}
	if (c.all && !name)
		return plain(&c);
	return name ? named(name, name_len) : (struct ctype){.class = CTYPE_UNKNOWN};
}
