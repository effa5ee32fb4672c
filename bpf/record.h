/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file record.h - the wire format of the bpf transport, shared by the probe and its reader.
 *
 * A record in a ring is
 *
 *	struct record_head
 *	extras, values, text slots	where struct record_layout says, each aligned to its size
 *	raw record			aligned to 8, as the tracepoint lays it out; __data_loc
 *					words are rewritten to point to the payload below
 *	payload				dynamic fields and user texts, each aligned to 8
 *	call chain			u64 words from head.chain, to the end of the record
 *
 * The fixed-width names come from vmlinux.h or base/types.h, whichever was included before.
 */
#ifndef TAMIS_RECORD_H
#define TAMIS_RECORD_H

struct record_head {
	u64 time;	/* ns, CLOCK_MONOTONIC */
	u32 tgid, tid;	/* as the host numbers them */
	u32 size;	/* all bytes, this head included */
	u16 event;	/* index in the session */
	u16 cpu;
	u32 lost;	/* records of this event dropped on this CPU so far; wraps */
	u16 flags;	/* RECORD_* */
	u16 chain;	/* offset of the call chain in u64 words; 0: none */
};
_Static_assert(sizeof(struct record_head) == 32, "record_head is part of the wire format");

enum {
	RECORD_TRUNCATED = 1,	/* a dynamic field or text was cut to maxlen= */
	RECORD_UNREADABLE = 2,	/* a user text was not in memory */
	RECORD_CHAIN_CUT = 4,	/* the call chain was longer than max-stack= */
};

#define RECORD_NO_TEXT	0xffffffffu	/* text slot of a text that could not be read */
#define RECORD_MAX	4096u		/* largest record without its call chain */

#endif
