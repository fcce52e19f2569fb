/*
 * The emulator's QMP socket. One JSON object is one line; only whether a line
 * is an event, an error or a result is looked at.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/qmp.h"

#define ANSWER_LIMIT_MS 60000
#define PERIOD_US       2000

struct qmp {
    int fd;
    GString *in;                /* received, not yet taken */
};

/* One line of the emulator's, or NULL when it is gone or late. */
static char *next_line(struct qmp *q)
{
    for (;;) {
        char *nl = strchr(q->in->str, '\n');
        struct pollfd p = { .fd = q->fd, .events = POLLIN };
        char buf[4096], *line;
        ssize_t n;

        if (nl) {
            line = g_strndup(q->in->str, (gsize)(nl - q->in->str));
            g_string_erase(q->in, 0, nl - q->in->str + 1);
            return line;
        }
        if (poll(&p, 1, ANSWER_LIMIT_MS) <= 0) {
            return NULL;
        }
        n = read(q->fd, buf, sizeof(buf));
        if (n <= 0) {
            return NULL;
        }
        g_string_append_len(q->in, buf, n);
    }
}

struct qmp *qmp_open(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct qmp *q = g_new0(struct qmp, 1);
    char *line;

    q->in = g_string_new(NULL);
    q->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof(to.sun_path)) {
        say("%s: too long for a socket", path);
        qmp_close(q);
        return NULL;
    }
    strcpy(to.sun_path, path);
    if (q->fd < 0 || connect(q->fd, (struct sockaddr *)&to, sizeof(to))) {
        say("%s: %s", path, strerror(errno));
        qmp_close(q);
        return NULL;
    }
    g_free(next_line(q));
    line = qmp_command(q, "{\"execute\":\"qmp_capabilities\"}");
    if (!line) {
        qmp_close(q);
        return NULL;
    }
    g_free(line);
    return q;
}

char *qmp_command(struct qmp *q, const char *json)
{
    char *text = g_strconcat(json, "\n", NULL);
    size_t n = strlen(text);
    gboolean sent = send(q->fd, text, n, MSG_NOSIGNAL) == (ssize_t)n;
    char *line = NULL;

    g_free(text);
    do {
        g_free(line);
        line = sent ? next_line(q) : NULL;
    } while (line && strstr(line, "\"event\": "));
    if (!line) {
        say("the emulator does not answer to %s", json);
    } else if (!strstr(line, "\"return\": ")) {
        say("the emulator refuses %s: %s", json, g_strchomp(line));
        g_free(line);
        line = NULL;
    }
    return line;
}

gboolean qmp_until(struct qmp *q, const char *json, const char *good,
                   const char *bad, int limit_s)
{
    gint64 end = g_get_monotonic_time() + limit_s * G_USEC_PER_SEC;

    for (;;) {
        char *line = qmp_command(q, json);
        gboolean found = line && strstr(line, good);
        gboolean over = line && !found &&
                        ((bad && strstr(line, bad)) ||
                         g_get_monotonic_time() >= end);

        if (over) {
            say("the emulator: %s", g_strchomp(line));
        }
        g_free(line);
        if (!line || found || over) {
            return found;
        }
        g_usleep(PERIOD_US);
    }
}

void qmp_close(struct qmp *q)
{
    if (q->fd >= 0) {
        close(q->fd);
    }
    g_string_free(q->in, TRUE);
    g_free(q);
}
