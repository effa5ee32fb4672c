// SPDX-License-Identifier: GPL-2.0-only
/* State files of runtimes and cgroup paths: bytes of others, read with the rights of root. */
#include <stdlib.h>
#include <string.h>
#include "user/base/json.h"
#include "user/scope/container_path.h"

static int use(void *ctx, const struct json_value *v)
{
	*(size_t *)ctx += strlen(v->text) + strlen(v->key) + strlen(v->parent) + v->element;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = strndup((const char *)data, size), name[64];
	size_t sum = 0;

	json__each((const char *)data, size, use, &sum);
	if (path)
		container_path__short(path, name, sizeof(name));
	free(path);
	return 0;
}
