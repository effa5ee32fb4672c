// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include "format.h"
#include "print_format.h"

struct print_format {
	struct tep_handle *handle;
	struct tep_event *event; /* NULL: could not be parsed */
};

void print_format__free(struct print_format *p)
{
	if (!p)
		return;
	if (p->handle)
		tep_free(p->handle);
	free(p);
}

/* A handle of its own: libtraceevent keeps state in it, and events outlive their catalog. */
static struct tep_handle *new_handle(void)
{
	struct tep_handle *h = tep_alloc();

	if (!h)
		return NULL;
	tep_set_long_size(h, 8);
	tep_set_page_size(h, 4096);
	tep_set_file_bigendian(h, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(h, TEP_LITTLE_ENDIAN);
	return h;
}

static struct print_format *parse(const struct event_format *f)
{
	struct print_format *p = calloc(1, sizeof(*p));
	struct tep_event *e = NULL;

	if (!p)
		return NULL;
	p->handle = new_handle();
	if (!p->handle || !f->text)
		return p;
	if (!tep_parse_format(p->handle, &e, f->text, strlen(f->text), f->system) && e &&
	    !(e->flags & TEP_EVENT_FL_FAILED))
		p->event = e;
	return p;
}

struct tep_event *event_format__tep(struct event_format *f)
{
	struct print_format *p = __atomic_load_n(&f->print, __ATOMIC_ACQUIRE), *was = NULL;

	if (!p) {
		p = parse(f);
		if (!p)
			return NULL;
		if (!__atomic_compare_exchange_n(&f->print, &was, p, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
			print_format__free(p);
			p = was;
		}
	}
	return p->event;
}
