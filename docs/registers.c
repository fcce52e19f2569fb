/*
 * Prints docs/registers.md from the register tables of models/: each register
 * of the manuals' maps, what the default unit has of it, and each field of the
 * ID registers with the test that uses what it advertises.
 *
 *   registers           the page
 *   registers --tests   FILE <tab> CASE <tab> REGISTER.FIELD, a line for each
 *                       field that advertises something in a default unit
 *
 * Exit status 1, and a line on stderr for each: a register that is absent or
 * reads as zero without a reason, a bit of an ID register without a field that
 * names a test.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/etm4.h"
#include "models/etm4_id_fields.h"
#include "models/funnel.h"
#include "models/funnel_regs.h"
#include "models/regs_mgmt.h"
#include "models/replicator.h"
#include "models/replicator_regs.h"
#include "models/tmc.h"
#include "models/tmc_regs.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CS_PAGE 0xf00u

struct field {
    uint16_t off;
    uint8_t lo, width;
    const char *name;
    const char *file, *test;     /* of what is advertised; NULL: */
    const char *why;             /* why it is always zero */
};

#define F(reg, lo, width, name, value, file, test) \
    { (reg), (lo), (width), name, file, test, NULL },
#define Z(reg, lo, width, name, why) \
    { (reg), (lo), (width), name, NULL, NULL, why },
#define M(reg, lo, width, name, file, test) \
    { (reg), (lo), (width), name, file, test, NULL },
static const struct field etm4_fields[] = {
    ETM4_ID_FIELDS(F, Z) ETM4_MGMT_FIELDS(M)
};
static const struct field tmc_fields[] = { TMC_ID_FIELDS(M) };
static const struct field funnel_fields[] = { FUNNEL_ID_FIELDS(M) };
static const struct field replicator_fields[] = { REPLICATOR_ID_FIELDS(M) };
static const struct field common_fields[] = { CS_ID_FIELDS(M) };
#undef M
#undef Z
#undef F

struct block {
    const char *title, *spec;
    const struct reg_desc *(*table)(size_t *n);
    enum reg_result (*read)(uint32_t off, uint32_t *val);
    const struct field *field;
    size_t fields;
};

static struct etm4 etm4;
static struct tmc tmc;
static struct funnel funnel;
static struct replicator replicator;

static enum reg_result read_etm4(uint32_t off, uint32_t *val)
{
    uint64_t v = 0;
    enum reg_result result = etm4_read(&etm4, off, 4, &v, 0);

    *val = (uint32_t)v;
    return result;
}

static enum reg_result read_tmc(uint32_t off, uint32_t *val)
{
    return tmc_read(&tmc, off, val, 0);
}

static enum reg_result read_funnel(uint32_t off, uint32_t *val)
{
    return funnel_read(&funnel, off, val);
}

static enum reg_result read_replicator(uint32_t off, uint32_t *val)
{
    return replicator_read(&replicator, off, val);
}

static const struct block blocks[] = {
    { "ETMv4 trace unit", "Arm IHI 0064H.b, chapter 7", etm4_table, read_etm4,
      etm4_fields, LEN(etm4_fields) },
    { "TMC, an ETR", "Arm DDI 0461B, chapter 3", tmc_table, read_tmc,
      tmc_fields, LEN(tmc_fields) },
    { "Funnel", "Arm DDI 0480G", funnel_table, read_funnel, funnel_fields,
      LEN(funnel_fields) },
    { "Replicator", "Arm DDI 0480G", replicator_table, read_replicator,
      replicator_fields, LEN(replicator_fields) },
};

static const char head[] =
    "# Registers\n"
    "\n"
    "Made by `make docs` from the tables in `models/*_regs.h`, which also make"
    " the code,\nthe log lines and the tests; `make check` fails where this"
    " page says something else.\nWhat an instance has (comparators, counters,"
    " sizes) are properties of its node; this\npage shows the default one.\n"
    "\n"
    "- **modelled**: does what the manual says; with a note where there is"
    " less.\n"
    "- **reads as zero**: is there, is always zero, for the reason given.\n"
    "- **absent**: of the manual's map, not implemented; the reason names the"
    " ID field\n  that says so. Reads as zero, writes are ignored, the log"
    " (`-d unimp`) tells.\n"
    "\n"
    "All other words of a page, IMPLEMENTATION DEFINED ones too, are as absent"
    " ones.\n"
    "Access: \"idle\" is ignored while the unit is not idle; \"key\" needs no"
    " unlocked LAR.\n";

static int bad;

static void complain(const struct block *b, const char *reg, const char *what)
{
    fprintf(stderr, "registers: %s, %s: %s\n", b->title, reg, what);
    bad = 1;
}

/* "TRCIDR3", and "TRCCNTVR0-3" of an array whose last element is @last. */
static void print_name(const struct reg_desc *d, unsigned first, unsigned last)
{
    char name[REG_NAME_MAX], more[REG_NAME_MAX];
    size_t same = strlen(d->name);

    regs_name(d, first, name);
    regs_name(d, last, more);
    while (same && d->name[same - 1] >= '0' && d->name[same - 1] <= '9') {
        same--;
    }
    printf("%s", name);
    if (last > first) {
        printf("-%s", more + same);
    }
}

static unsigned count_of(const struct reg_desc *d)
{
    return d->count ? d->count : 1u;
}

static void print_access(const struct reg_desc *d)
{
    printf("%s%s%s%s", d->flags & REG_F_ABSENT ? "-" :
           d->flags & REG_F_RO ? "RO" : d->flags & REG_F_WO ? "WO" : "RW",
           d->flags & REG_F_IDLE ? ", idle" : "",
           d->flags & REG_F_NOLAR ? ", key" : "",
           d->flags & REG_F_64 ? ", 64 bits" : "");
}

/* What the elements of @d read as after a reset. */
struct seen {
    unsigned there;              /* elements that exist */
    uint32_t all, first;         /* all values ORed; that of the first one */
};

static struct seen look(const struct block *b, const struct reg_desc *d)
{
    struct seen s = { 0, 0, 0 };
    unsigned i;

    for (i = 0; i < count_of(d); i++) {
        uint32_t val;

        if (b->read(d->off + i * d->stride, &val) != REG_RES0) {
            s.first = s.there++ ? s.first : val;
            s.all |= val;
        }
    }
    return s;
}

static void print_status(const struct block *b, const struct reg_desc *d,
                         struct seen s)
{
    unsigned n = count_of(d);
    const char *note = d->note;

    if (d->flags & REG_F_ABSENT) {
        printf("absent");
    } else if ((d->flags & REG_F_RO) && !(d->flags & REG_F_VOLATILE) &&
               !s.all) {
        printf("reads as zero");
    } else {
        printf(s.there < n ? "modelled, %u of %u" : "modelled", s.there, n);
        /* A note of the shared page says why it is zero: here it is not. */
        note = d->off >= CS_PAGE && n == 1 ? NULL : note;
        if (note) {
            printf(": %s", note);
        }
        return;
    }
    if (note) {
        printf(": %s", note);
    } else {
        complain(b, d->name, "no reason given");
    }
}

static void print_registers(const struct block *b, const struct reg_desc *t,
                            size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct seen s = look(b, &t[i]);

        printf("| %03x | ", t[i].off);
        print_name(&t[i], 0, count_of(&t[i]) - 1);
        printf(" | ");
        print_access(&t[i]);
        if (t[i].flags & (REG_F_ABSENT | REG_F_WO)) {
            printf(" | - | ");
        } else if (count_of(&t[i]) > 1 && s.all != s.first) {
            printf(" | see below | ");
        } else {
            printf(" | %" PRIx32 " | ", s.first);
        }
        print_status(b, &t[i], s);
        printf(" |\n");
    }
}

/* ---- ID fields ---- */

static uint32_t mask_of(const struct field *f)
{
    return (uint32_t)(((1ull << f->width) - 1u) << f->lo);
}

static const struct reg_desc *find(const struct block *b, uint32_t off,
                                   unsigned *index)
{
    size_t n;
    const struct reg_desc *t = off < CS_PAGE ? b->table(&n)
                                             : cs_mgmt_table(&n);

    return regs_find(t, n, off, index);
}

static void print_field(const struct block *b, const struct field *f,
                        uint32_t val, bool tests)
{
    unsigned index;
    const struct reg_desc *d = find(b, f->off, &index);
    uint32_t value = (val & mask_of(f)) >> f->lo;

    if (tests) {
        if (f->test) {
            printf("%s\t%s\t", f->file, f->test);
            print_name(d, index, index);
            printf(".%s\n", f->name);
        }
        return;
    }
    printf("| ");
    print_name(d, index, index);
    printf(f->width > 1 ? " | %u:%u" : " | %u", f->lo + f->width - 1u, f->lo);
    printf(" | %s | %" PRIx32 " | ", f->name, value);
    if (f->test) {
        printf("%s: %s |\n", f->file, f->test);
    } else {
        printf("none: %s |\n", f->why);
    }
}

/* The fields of the register at @off; its bits that no field's test uses. */
static void print_id(const struct block *b, uint32_t off, bool tests)
{
    const struct field *lists[] = { b->field, common_fields };
    const size_t lens[] = { b->fields, LEN(common_fields) };
    uint32_t val, left;
    unsigned index;
    size_t k, i;

    if (b->read(off, &val) != REG_OK) {
        return;
    }
    left = val;
    for (k = 0; k < LEN(lists); k++) {
        for (i = 0; i < lens[k]; i++) {
            if (lists[k][i].off == off) {
                print_field(b, &lists[k][i], val, tests);
                left &= ~(lists[k][i].test ? mask_of(&lists[k][i]) : 0);
            }
        }
    }
    if (left) {
        char name[REG_NAME_MAX], what[64];

        regs_name(find(b, off, &index), index, name);
        snprintf(what, sizeof(what), "bits %#" PRIx32 " without a test", left);
        complain(b, name, what);
    }
}

/* ID registers: those that only read, and never change. */
static void print_ids(const struct block *b, const struct reg_desc *t,
                      size_t n, bool tests)
{
    size_t i;
    unsigned k;

    for (i = 0; i < n; i++) {
        for (k = 0; k < count_of(&t[i]) && (t[i].flags & REG_F_RO) &&
             !(t[i].flags & REG_F_VOLATILE); k++) {
            print_id(b, t[i].off + k * t[i].stride, tests);
        }
    }
}

static void print_block(const struct block *b, bool tests)
{
    size_t n, nm;
    const struct reg_desc *t = b->table(&n), *m = cs_mgmt_table(&nm);

    if (!tests) {
        printf("\n## %s\n\n%s. Offsets and values are hexadecimal.\n\n"
               "| offset | register | access | reset | status |\n"
               "|---|---|---|---|---|\n", b->title, b->spec);
        print_registers(b, t, n);
        print_registers(b, m, nm);
        printf("\nFields of its ID registers, and the test that uses them:\n\n"
               "| register | bits | field | value | test |\n"
               "|---|---|---|---|---|\n");
    }
    print_ids(b, t, n, tests);
    print_ids(b, m, nm, tests);
}

int main(int argc, char **argv)
{
    bool tests = argc == 2 && !strcmp(argv[1], "--tests");
    const struct tmc_ops none = { NULL, NULL, NULL };
    struct etm4_params ep;
    struct tmc_params tp;
    size_t i;

    if (argc > 1 && !tests) {
        fprintf(stderr, "usage: registers [--tests]\n");
        return 2;
    }
    etm4_params_default(&ep);
    ep.mpidr = 0x80000000;       /* of the first CPU */
    etm4_init(&etm4, &ep);
    tmc_params_default(&tp);
    tmc_init(&tmc, &tp, &none);
    funnel_init(&funnel, false);
    replicator_init(&replicator, false);
    if (!tests) {
        fputs(head, stdout);
    }
    for (i = 0; i < LEN(blocks); i++) {
        print_block(&blocks[i], tests);
    }
    return bad || ferror(stdout) || fflush(stdout) ? 1 : 0;
}
