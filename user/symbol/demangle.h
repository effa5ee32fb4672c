/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file demangle.h - C++, Rust (legacy and v0) and D names as people write them.
 */
#ifndef TAMIS_SYMBOL_DEMANGLE_H
#define TAMIS_SYMBOL_DEMANGLE_H

/** @return the readable name, to be freed; NULL: @name is not mangled */
char *demangle(const char *name);

#endif
