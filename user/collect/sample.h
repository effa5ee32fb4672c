/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sample.h - for files that looked for event/sample.h here. */
#include "../event/sample.h"
