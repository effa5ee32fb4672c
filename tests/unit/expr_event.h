/* SPDX-License-Identifier: GPL-2.0-only */
/* expr_event.h - an event with a field of every kind, made by hand, and records of it. */
#ifndef TAMIS_TESTS_EXPR_EVENT_H
#define TAMIS_TESTS_EXPR_EVENT_H

#include <stdlib.h>
#include <string.h>
#include "user/base/log.h"
#include "user/event/event_fields.h"
#include "user/event/record.h"
#include "bpf/record.h"

static const char expr_format[] =
	"name: made\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:signed char i8;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield:unsigned char u8;\toffset:9;\tsize:1;\tsigned:0;\n"
	"\tfield:short i16;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:unsigned short u16;\toffset:12;\tsize:2;\tsigned:0;\n"
	"\tfield:int i32;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int u32;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:long i64;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long u64;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long args[3];\toffset:56;\tsize:24;\tsigned:0;\n"
	"\tfield:short nums[4];\toffset:80;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:88;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:92;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc int[] ids;\toffset:96;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 addr[4];\toffset:100;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * path;\toffset:104;\tsize:8;\tsigned:0;\n"
	"\tfield:char odd[13];\toffset:112;\tsize:13;\tsigned:0;\n"
	"\tfield:u8 hw[6];\toffset:125;\tsize:6;\tsigned:0;\n"
	"\tfield:void * ip;\toffset:136;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t cpus;\toffset:144;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->i32\n";

#define EXPR_STATIC 152

static inline void text_field(struct field *f)
{
	f->where = FIELD_USER_TEXT;
	f->kind = FIELD_TEXT;
	f->size = 0;
	f->elem_size = 1;
}

/* path is user text, as ustring=path makes it. */
static inline struct event *expr_event(void)
{
	struct event *e = calloc(1, sizeof(*e));
	struct err err = {0};
	size_t i;

	if (!e || event_format__parse(&e->format, "test", "made", expr_format, sizeof(expr_format) - 1,
				      &err))
		abort();
	e->refs = 1;
	e->transport = TRANSPORT_BPF;
	e->label = strdup("test:made");
	if (event_fields__make(e, NULL, &err))
		abort();
	for (i = 0; i < e->nr_fields; i++)
		if (!strcmp(e->fields[i].name, "path"))
			text_field(&e->fields[i]);
	e->layout.text[0] = sizeof(struct record_head);
	e->layout.raw = sizeof(struct record_head) + 8;
	return e;
}

#endif
