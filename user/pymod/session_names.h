/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session_names.h - a session as the origin of events: what they ask, it answers.
 */
#ifndef TAMIS_PYMOD_SESSION_NAMES_H
#define TAMIS_PYMOD_SESSION_NAMES_H

#include "../session.h"
#include "pymod.h"

/** The origin's ctx is the session, borrowed until origin__close(). */
struct origin *session_names__origin(struct session *session);

#endif
