/*
 * The emulator's QMP socket: commands one after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_CLI_QMP_H
#define CSVIRT_CLI_QMP_H

#include <glib.h>

struct qmp;

/*
 * qmp_open: connect to the socket @path, which the emulator has made.
 * returns: the connection, or NULL after saying what is wrong.
 */
struct qmp *qmp_open(const char *path);

/*
 * qmp_command: send @json, wait for what it returns.
 * returns: the answer's line (g_free); NULL after saying what is wrong.
 */
char *qmp_command(struct qmp *q, const char *json);

/*
 * qmp_until: repeat @json until the answer has @good in it.
 * in: @bad: text of an answer that ends the wait (or NULL); @limit_s: seconds.
 * returns: FALSE after saying what is wrong.
 */
gboolean qmp_until(struct qmp *q, const char *json, const char *good,
                   const char *bad, int limit_s);

void qmp_close(struct qmp *q);

#endif
