/*
 * mkcpio: write a newc cpio archive from a list, without root.
 *
 * Format: Linux Documentation/driver-api/early-userspace/buffer-format.rst
 * ("newc", magic 070701). The output depends on the list and the contents
 * of the files only: time stamps are 0, inodes count from 1, devices are 0.
 * Not made: device nodes (the guest mounts devtmpfs), hard links, checksums
 * (070702), files of 4 GiB or more (refused by name).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP_MODE 0xffffffffu

struct path_set {
    char **path;
    size_t n, cap;
};

static FILE *out;
static const char *out_name;
static unsigned long next_ino = 1;
static unsigned long long out_pos;
static struct path_set known;       /* folders (and links) already there */

/* Not half an archive; and never a device that was named as output. */
static void remove_output(void)
{
    struct stat st;

    if (!lstat(out_name, &st) && S_ISREG(st.st_mode)) {
        unlink(out_name);
    }
}

static void die(const char *fmt, ...)
{
    va_list ap;

    fputs("mkcpio: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    if (out) {
        fclose(out);
        remove_output();
    }
    exit(2);
}

static void *xmalloc(size_t n)
{
    void *p = malloc(n);

    if (!p) {
        die("out of memory");
    }
    return p;
}

static bool set_has(const struct path_set *s, const char *path)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!strcmp(s->path[i], path)) {
            return true;
        }
    }
    return false;
}

static void set_add(struct path_set *s, const char *path)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->path = realloc(s->path, s->cap * sizeof(*s->path));
        if (!s->path) {
            die("out of memory");
        }
    }
    s->path[s->n] = strdup(path);
    if (!s->path[s->n++]) {
        die("out of memory");
    }
}

static void put(const void *data, size_t n)
{
    if (n && fwrite(data, 1, n, out) != n) {
        die("cannot write %s: %s", out_name, strerror(errno));
    }
    out_pos += n;
}

static void pad4(void)
{
    static const char zero[4];

    put(zero, (size_t)(-out_pos & 3));
}

/* One header and name; the caller puts @size bytes of data and calls pad4. */
static void put_header(const char *name, unsigned mode, unsigned uid,
                       unsigned gid, unsigned nlink, unsigned long size,
                       unsigned long ino)
{
    char h[160];

    snprintf(h, sizeof(h),
             "070701%08lX%08X%08X%08X%08X%08X%08lX%08X%08X%08X%08X%08lX%08X",
             ino, mode, uid, gid, nlink, 0u, size, 0u, 0u, 0u, 0u,
             (unsigned long)strlen(name) + 1, 0u);
    put(h, 110);
    put(name, strlen(name) + 1);
    pad4();
}

static void put_dir(const char *name, unsigned perm, unsigned uid,
                    unsigned gid)
{
    put_header(name, S_IFDIR | perm, uid, gid, 2, 0, next_ino++);
    set_add(&known, name);
}

static void put_parents(const char *name)
{
    char *copy = strdup(name);

    if (!copy) {
        die("out of memory");
    }
    for (char *p = strchr(copy, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (!set_has(&known, copy)) {
            put_dir(copy, 0755, 0, 0);
        }
        *p = '/';
    }
    free(copy);
}

static void put_symlink(const char *name, const char *target, unsigned uid,
                        unsigned gid)
{
    put_header(name, S_IFLNK | 0777, uid, gid, 1, strlen(target), next_ino++);
    put(target, strlen(target));
    pad4();
    set_add(&known, name);
}

static void put_file(const char *name, const char *host, unsigned perm,
                     unsigned uid, unsigned gid)
{
    static char buf[1 << 16];
    unsigned long left;
    struct stat st;
    FILE *f;

    if (stat(host, &st)) {
        die("cannot read %s: %s", host, strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        die("%s is a folder, not a file", host);
    }
    if (!S_ISREG(st.st_mode)) {
        die("%s is not a regular file", host);
    }
    f = fopen(host, "rb");
    if (!f) {
        die("cannot read %s: %s", host, strerror(errno));
    }
    if ((unsigned long long)st.st_size > 0xffffffffull) {
        die("%s is too large for a newc archive (4 GiB)", host);
    }
    if (perm == KEEP_MODE) {
        perm = st.st_mode & 0111 ? 0755 : 0644;
    }
    put_header(name, S_IFREG | perm, uid, gid, 1, (unsigned long)st.st_size,
               next_ino++);
    for (left = (unsigned long)st.st_size; left;) {
        size_t want = left < sizeof(buf) ? left : sizeof(buf);
        size_t got = fread(buf, 1, want, f);

        if (!got) {
            die("%s became shorter while it was read", host);
        }
        put(buf, got);
        left -= got;
    }
    pad4();
    fclose(f);
}

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 2;
    char *p = xmalloc(size);

    snprintf(p, size, "%s/%s", a, b);
    return p;
}

static int not_dots(const struct dirent *e)
{
    return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A host folder and all below it; symbolic links stay links. */
static void put_tree(const char *name, const char *host, unsigned uid,
                     unsigned gid)
{
    struct dirent **list;
    int n = scandir(host, &list, not_dots, by_bytes);

    if (n < 0) {
        die("cannot read %s: %s", host, strerror(errno));
    }
    if (!set_has(&known, name)) {
        put_dir(name, 0755, uid, gid);
    }
    for (int i = 0; i < n; i++) {
        char *h = join(host, list[i]->d_name);
        char *g = join(name, list[i]->d_name);
        char target[4096];
        struct stat st;
        ssize_t len;

        if (lstat(h, &st)) {
            die("cannot read %s: %s", h, strerror(errno));
        }
        if (S_ISLNK(st.st_mode)) {
            len = readlink(h, target, sizeof(target) - 1);
            if (len < 0) {
                die("cannot read %s: %s", h, strerror(errno));
            }
            target[len] = '\0';
            put_symlink(g, target, uid, gid);
        } else if (S_ISDIR(st.st_mode)) {
            put_tree(g, h, uid, gid);
        } else {
            put_file(g, h, KEEP_MODE, uid, gid);
        }
        free(h);
        free(g);
        free(list[i]);
    }
    free(list);
}

static unsigned number(const char *s, int base, const char *file,
                       unsigned long line)
{
    char *end;
    unsigned long v;

    if (base == 8 && !strcmp(s, "-")) {
        return KEEP_MODE;
    }
    errno = 0;
    v = strtoul(s, &end, base);
    if (*end || end == s || errno || v > 0x7fffffff) {
        die("%s:%lu: '%s' is not a number", file, line, s);
    }
    return (unsigned)v;
}

/*
 * One line of a list, fields separated by one tab:
 *   dir PATH MODE UID GID | file PATH HOST MODE UID GID
 *   slink PATH TARGET UID GID | tree PATH HOST UID GID
 * MODE is octal, or '-' for a file: 0755 if the host's is executable, else
 * 0644. @assume: note what exists in the guest, write nothing.
 */
static void do_line(char *text, const char *file, unsigned long line,
                    bool assume)
{
    char *f[8];
    const char *name;
    int n = 0;

    for (char *p = text; p && n < 8; n++) {
        f[n] = p;
        p = strchr(p, '\t');
        if (p) {
            *p++ = '\0';
        }
    }
    if (n < 5) {
        die("%s:%lu: too few fields", file, line);
    }
    for (name = f[1]; *name == '/'; name++) {
    }
    if (!*name || name[strlen(name) - 1] == '/') {
        die("%s:%lu: '%s' names no file in the guest", file, line, f[1]);
    }
    if (assume) {
        if (strcmp(f[0], "file")) {
            set_add(&known, name);
        }
        return;
    }
    put_parents(name);
    if (!strcmp(f[0], "dir") && n == 5) {
        put_dir(name, number(f[2], 8, file, line),
                number(f[3], 10, file, line), number(f[4], 10, file, line));
    } else if (!strcmp(f[0], "file") && n == 6) {
        put_file(name, f[2], number(f[3], 8, file, line),
                 number(f[4], 10, file, line), number(f[5], 10, file, line));
    } else if (!strcmp(f[0], "slink") && n == 5) {
        put_symlink(name, f[2], number(f[3], 10, file, line),
                    number(f[4], 10, file, line));
    } else if (!strcmp(f[0], "tree") && n == 5) {
        put_tree(name, f[2], number(f[3], 10, file, line),
                 number(f[4], 10, file, line));
    } else {
        die("%s:%lu: unknown entry '%s' of %d fields", file, line, f[0], n);
    }
}

static void do_list(const char *file, bool assume)
{
    FILE *f = strcmp(file, "-") ? fopen(file, "r") : stdin;
    unsigned long line = 0;
    char *text = NULL;
    size_t cap = 0;
    ssize_t len;

    if (!f) {
        die("cannot read %s: %s", file, strerror(errno));
    }
    while ((len = getline(&text, &cap, f)) > 0) {
        line++;
        if (text[len - 1] == '\n') {
            text[--len] = '\0';
        }
        if (len && text[0] != '#') {
            do_line(text, file, line, assume);
        }
    }
    free(text);
    if (f != stdin) {
        fclose(f);
    }
}

int main(int argc, char **argv)
{
    static const char zero[512];
    int i = 1;

    for (; i + 1 < argc && !strcmp(argv[i], "--assume"); i += 2) {
        do_list(argv[i + 1], true);
    }
    if (argc - i < 2) {
        die("usage: mkcpio [--assume LIST]... OUT.cpio LIST...");
    }
    out_name = argv[i++];
    out = fopen(out_name, "wb");
    if (!out) {
        die("cannot write %s: %s", out_name, strerror(errno));
    }
    for (; i < argc; i++) {
        do_list(argv[i], false);
    }
    put_header("TRAILER!!!", 0, 0, 0, 1, 0, 0);
    put(zero, (size_t)(-out_pos & 511));
    if (fclose(out)) {
        out = NULL;
        remove_output();
        die("cannot write %s: %s", out_name, strerror(errno));
    }
    return 0;
}
