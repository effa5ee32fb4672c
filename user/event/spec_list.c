// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "spec_parts.h"

void spec_list__free(struct spec_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i].s);
	free(list->v);
	*list = (struct spec_list){0};
}

static int push(struct spec_list *list, size_t *room, const struct span *p, struct err *err)
{
	struct spec_text t = {span__dup(p), p->at};

	if (t.s && !array__push(list->v, list->n, *room, t))
		return 0;
	free(t.s);
	return err__set(err, ENOMEM, "out of memory");
}

int spec_list__parse(struct spec_list *list, const struct span *value, struct err *err)
{
	struct span rest = *value, piece;
	size_t room = 0;
	int more;

	do {
		more = span__cut(&rest, ',', &piece, err);
		if (more < 0)
			return more;
		piece = span__trim(piece);
		if (!piece.len) {
			piece.len = piece.text[piece.at] != 0;
			return span__error(&piece, err, "a part of the list is missing here");
		}
		if (push(list, &room, &piece, err))
			return -ENOMEM;
	} while (more);
	return 0;
}
