// SPDX-License-Identifier: GPL-2.0-only
/*
 * special.c - comparisons that are asked of the machine once and then are plain numbers:
 * x.function == name, CPU & CPUS{0-3}, _cgroup == "/path", _container == "name".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "lex.h"
#include "tree.h"
#include "world.h"

#define CPUS_MAX	  8192
#define CONTAINER_CGROUPS 64

static struct expr *number(const struct expr *like, u64 v)
{
	struct expr *e = expr__new(EXPR_NUM, NULL, NULL);

	if (!e)
		return NULL;
	e->at = like->at;
	e->len = like->len;
	e->bits = v <= INT32_MAX ? 32 : 64;
	e->is_signed = v <= INT64_MAX;
	e->num = v;
	return e;
}

/* Copies what is not resolved yet. */
static struct expr *copy(const struct expr *e)
{
	struct expr *c = e ? expr__new(e->op, NULL, NULL) : NULL;

	if (!c)
		return NULL;
	*c = *e;
	c->text = e->text ? strdup(e->text) : NULL;
	c->a = copy(e->a);
	c->b = copy(e->b);
	c->c = copy(e->c);
	return c;
}

static struct expr *pair(const struct expr *like, enum expr_op op, struct expr *a, struct expr *b)
{
	struct expr *e = a && b ? expr__new(op, a, b) : NULL;

	if (!e) {
		expr__free(a);
		expr__free(b);
		return NULL;
	}
	e->at = like->at;
	e->len = like->len;
	return e;
}

/* low <= x && x <= high; x stays the caller's */
static struct expr *between(const struct expr *like, const struct expr *x, u64 low, u64 high)
{
	if (low == high)
		return pair(like, EXPR_EQ, copy(x), number(like, low));
	return pair(like, EXPR_ANDAND, pair(like, EXPR_GE, copy(x), number(like, low)),
		    pair(like, EXPR_LE, copy(x), number(like, high)));
}

/* Makes @e what @by is, or its negation. */
static int become(struct parser *p, struct expr *e, struct expr *by, bool not )
{
	struct expr *inner = by, old = *e;

	if (by && not ) {
		by = expr__new(EXPR_NOT, inner, NULL);
		if (!by)
			expr__free(inner);
	}
	if (!by)
		return err__set(p->err, ENOMEM, "out of memory");
	expr__free(old.a);
	expr__free(old.b);
	free(old.text);
	*e = *by;
	e->at = old.at;
	e->len = old.len;
	free(by);
	return 0;
}

/* --- .function --- */

static int function_range(struct parser *p, const struct expr *e, u64 *low, u64 *high)
{
	_cleanup_free_ char *name = NULL;
	size_t len = e->len;
	int ret;

	if (e->op == EXPR_TEXT && !e->field)
		name = text__decode(e->text, e->text_len, false, &len);
	else
		name = strndup(p->s + e->at, e->len);
	if (!name)
		return err__set(p->err, ENOMEM, "out of memory");
	ret = world__function(p->world, name, low, high);
	if (ret == -ENOENT)
		return expr__error(p, e, "the kernel has no function %s", name);
	if (ret)
		return expr__error(
			p, e, "the address of %s cannot be read from /proc/kallsyms: %s", name,
			ret == -EPERM ? "kptr_restrict hides it, be root" : strerror(-ret));
	--*high;
	return 0;
}

static int compare_function(struct parser *p, struct expr *e, struct expr *x, struct expr *name)
{
	const struct field *f = event__field(p->event, x->a->text);
	u64 low, high;

	if (e->op != EXPR_EQ && e->op != EXPR_NE)
		return expr__error(p, e, ".function can only be compared by == or !=");
	if (!f)
		return type__resolve(p, x->a, EXPR_WANT_INT) ?: -EINVAL;
	if (f->kind != FIELD_INT || f->size != sizeof(u64))
		return expr__error(p, x, "%s (%s) holds no address: .function does not fit",
				   f->name, f->type);
	if (name->op == EXPR_NUM)
		low = high = name->num;
	else if (function_range(p, name, &low, &high))
		return -EINVAL;
	return become(p, e, between(e, x->a, low, high), e->op == EXPR_NE);
}

/* --- CPUS{} --- */

static int read_list(struct parser *p, const struct expr *e, u64 *words)
{
	const char *s = e->text + strlen("CPUS{");
	unsigned long low, high;
	char *end;

	for (;;) {
		s += strspn(s, " ");
		low = high = strtoul(s, &end, 10);
		if (end == s)
			break;
		if (*end == '-') {
			s = end + 1;
			high = strtoul(s, &end, 10);
			if (end == s)
				break;
		}
		if (high < low || high >= CPUS_MAX)
			break;
		for (; low <= high; low++)
			words[low / 64] |= 1ull << low % 64;
		s = end + strspn(end, " ");
		if (*s == '}')
			return 0;
		if (*s++ != ',')
			break;
	}
	return expr__error(p, e, "a list of CPUs is written CPUS{0-3,5}");
}

static bool has_cpu(const u64 *words, int cpu)
{
	return cpu < CPUS_MAX && words[cpu / 64] >> cpu % 64 & 1;
}

/* x is one of the CPUs: a comparison for each run of numbers */
static struct expr *any_of(const struct expr *e, const struct expr *x, const u64 *words)
{
	struct expr *all = NULL, *one;
	int low, high;

	for (low = 0; low < CPUS_MAX; low = high + 1) {
		high = low;
		if (!has_cpu(words, low))
			continue;
		while (has_cpu(words, high + 1))
			high++;
		one = between(e, x, low, high);
		all = all ? pair(e, EXPR_OROR, all, one) : one;
		if (!all)
			return NULL;
	}
	return all;
}

static int count_cpus(const u64 *words)
{
	int n = 0;

	for (int i = 0; i < CPUS_MAX / 64; i++)
		n += __builtin_popcountll(words[i]);
	return n;
}

static const struct field *mask_field(const struct parser *p, const struct expr *x)
{
	const struct field *f = x->op == EXPR_WORD ? event__field(p->event, x->text) : NULL;

	return f && f->kind != FIELD_INT && strstr(f->type, "cpumask") ? f : NULL;
}

static int compare_mask(struct parser *p, struct expr *e, const struct field *f, const u64 *words)
{
	size_t n = CPUS_MAX / 64;
	bool not = e->op == EXPR_NE;
	struct expr *mask;

	while (n > 1 && !words[n - 1])
		n--;
	mask = expr__new(EXPR_MASK, NULL, NULL);
	if (!mask)
		return err__set(p->err, ENOMEM, "out of memory");
	mask->at = e->at;
	mask->len = e->len;
	mask->field = f;
	mask->bits = 32;
	mask->is_signed = true;
	mask->num = e->op == EXPR_AND ? MASK_INTERSECTS : MASK_EQ;
	mask->text_len = n * sizeof(u64);
	mask->text = malloc(mask->text_len);
	if (!mask->text) {
		expr__free(mask);
		return err__set(p->err, ENOMEM, "out of memory");
	}
	memcpy(mask->text, words, mask->text_len);
	return become(p, e, mask, not );
}

static int compare_cpus(struct parser *p, struct expr *e, struct expr *x, struct expr *list)
{
	u64 words[CPUS_MAX / 64] = {0};
	const struct field *f = mask_field(p, x);
	struct expr *in;

	if (e->op == EXPR_GLOB)
		return expr__error(p, list, "CPUS{} follows & == or !=");
	if (read_list(p, list, words))
		return -EINVAL;
	if (f)
		return compare_mask(p, e, f, words);
	/* as the kernel has it, a number equals a set that holds nothing else */
	in = e->op == EXPR_AND || count_cpus(words) == 1 ? any_of(e, x, words) : number(e, 0);
	return become(p, e, in, e->op == EXPR_NE);
}

/* --- _cgroup and _container --- */

static char *quoted(struct parser *p, const struct expr *e)
{
	size_t len;
	char *s = text__decode(e->text, e->text_len, false, &len);

	if (!s)
		expr__error(p, e, "a text cannot hold a NUL byte");
	return s;
}

static int compare_cgroup(struct parser *p, struct expr *e, struct expr *x, struct expr *text)
{
	_cleanup_free_ char *path = quoted(p, text);
	u64 id;
	int ret;

	if (!path)
		return -EINVAL;
	if (e->op == EXPR_GLOB)
		return expr__error(p, e, "_cgroup is compared with one path: == or !=");
	ret = world__cgroup(p->world, path, &id);
	if (ret)
		return expr__error(p, text, "no cgroup %s: %s", path, strerror(-ret));
	return become(p, e, between(e, x, id, id), e->op == EXPR_NE);
}

static struct expr *one_of_ids(const struct expr *e, const u64 *ids, int n)
{
	struct expr *all = NULL, *one, *cgroup;

	for (int i = 0; i < n; i++) {
		cgroup = expr__new(EXPR_OPERAND, NULL, NULL);
		if (cgroup) {
			cgroup->operand = OPERAND_CGROUP;
			cgroup->bits = 64;
		}
		one = pair(e, EXPR_EQ, cgroup, number(e, ids[i]));
		all = all ? pair(e, EXPR_OROR, all, one) : one;
		if (!all)
			return NULL;
	}
	return all;
}

static int compare_container(struct parser *p, struct expr *e, struct expr *text)
{
	_cleanup_free_ char *name = quoted(p, text);
	u64 ids[CONTAINER_CGROUPS];
	int n;

	if (!name)
		return -EINVAL;
	if (e->op == EXPR_GLOB)
		return expr__error(p, e, "_container is compared with one name: == or !=");
	n = world__container(p->world, name, ids, CONTAINER_CGROUPS);
	if (n <= 0)
		return expr__error(p, text, "no container %s: %s", name,
				   n == -EOPNOTSUPP
					   ? "they cannot be looked up here, use --container"
					   : strerror(n ? -n : ENOENT));
	return become(p, e, one_of_ids(e, ids, n), e->op == EXPR_NE);
}

static enum expr_operand operand_of(struct parser *p, const struct expr *e)
{
	return e->op == EXPR_WORD && !event__field(p->event, e->text)
		       ? operand__find(e->text, e->text_len)
		       : OPERAND_NONE;
}

static bool is_function(const struct expr *e)
{
	return e->op == EXPR_SUFFIX && !strcmp(e->text, ".function") && e->a->op == EXPR_WORD;
}

static int special(struct parser *p, struct expr *e, struct expr *x, struct expr *other)
{
	bool is_text = other->op == EXPR_TEXT && !other->field && !other->operand;

	if (other->op == EXPR_CPUS)
		return compare_cpus(p, e, x, other);
	if (is_function(x))
		return compare_function(p, e, x, other);
	if (is_text && operand_of(p, x) == OPERAND_CGROUP)
		return compare_cgroup(p, e, x, other);
	if (is_text && operand_of(p, x) == OPERAND_CONTAINER)
		return compare_container(p, e, other);
	return 1;
}

int type__special(struct parser *p, struct expr *e, bool *done)
{
	int ret = special(p, e, e->a, e->b);

	if (ret == 1)
		ret = special(p, e, e->b, e->a);
	*done = ret != 1;
	return ret == 1 ? 0 : ret;
}
