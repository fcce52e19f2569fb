/*
 * Functions of ELF programs: which one is at an address.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_SYMBOLS_H
#define CSVIRT_CLI_SYMBOLS_H

#include <glib.h>
#include <stdint.h>

/* One loaded piece of a program. */
struct sym_segment {
    uint64_t va;
    const uint8_t *bytes;       /* in the mapped file */
    uint64_t size;
};

struct sym_function {
    uint64_t va, size;
    const char *name;           /* in the mapped file */
};

struct symbols {
    GPtrArray *maps;            /* GMappedFile */
    GArray *segments;           /* struct sym_segment */
    GArray *functions;          /* struct sym_function, sorted by va */
};

void symbols_init(struct symbols *s);
void symbols_free(struct symbols *s);

/*
 * symbols_add: an ELF64 AArch64 program, at its own addresses.
 * returns: TRUE, or FALSE with *@error set (g_free): one line.
 */
gboolean symbols_add(struct symbols *s, const char *file, char **error);

/* The function that @va is in, or NULL. */
const struct sym_function *symbols_find(const struct symbols *s, uint64_t va);

/* The A64 opcode that a program has at @va. returns: FALSE: none has. */
gboolean symbols_opcode(const struct symbols *s, uint64_t va,
                        uint32_t *opcode);

#endif
