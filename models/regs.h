/*
 * Register tables: one declaration per register drives decode, access rules,
 * log names, migration and tests.
 *
 * A block declares an X-macro list (see etm4_regs.h, tmc_regs.h, ...), expands
 * it into a const table of struct reg_desc and calls regs_find().  The common
 * CoreSight management page (0xF00-0xFFF) is one shared table with its own
 * state, struct cs_mgmt.  Spec: Arm IHI 0029F (CoreSight v3.0), part B2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_REGS_H
#define CSVIRT_MODELS_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of one guest access; the glue turns it into a log line. */
enum reg_result {
    REG_OK = 0,
    REG_RES0,      /* no register at this offset: RAZ/WI */
    REG_RO,        /* write to a read-only register: ignored */
    REG_WO,        /* read of a write-only register: reads as zero */
    REG_LOCKED,    /* write ignored: software lock (LAR) or OS lock */
    REG_BUSY,      /* write ignored: the unit must be idle or disabled */
    REG_RESERVED,  /* value with reserved bits or encoding: those ignored */
    REG_SIZE,      /* access size or alignment not supported: RAZ/WI */
};

/* Access rule flags of a register. */
enum {
    REG_F_RO      = 1u << 0,   /* writes ignored */
    REG_F_WO      = 1u << 1,   /* reads as zero */
    REG_F_NOLAR   = 1u << 2,   /* writable while the software lock is set */
    REG_F_IDLE    = 1u << 3,   /* writes ignored unless the unit is idle */
    REG_F_64      = 1u << 4,   /* 64-bit access allowed (low word here) */
    REG_F_ABSENT  = 1u << 5,   /* in the manual, not implemented: RAZ/WI */
    REG_F_VOLATILE = 1u << 6,  /* a read has an effect, or it changes alone */
};

/* One register (or an array of @count registers, @stride bytes apart). */
struct reg_desc {
    uint16_t off;
    uint16_t count;
    uint16_t stride;
    uint16_t flags;
    uint32_t reset;       /* value after reset, for arrays: of each element */
    uint32_t mask;        /* writable bits; the others keep their reset value */
    const char *name;     /* as in the manual, e.g. "TRCVICTLR", "TRCIDR8" */
    /*
     * Why it is absent, or reads as zero; else what to know of it, or NULL.
     * The log and docs/registers.md say it.
     */
    const char *note;
};

#define REG_NAME_MAX 24u

/*
 * regs_name: the name of element @index of @d, "TRCCNTVR1"; arrays whose name
 * ends with a number count on from there: TRCIDR8 and 2 is "TRCIDR10".
 * @name: out, cut to REG_NAME_MAX bytes with its end.
 */
void regs_name(const struct reg_desc *d, unsigned index,
               char name[REG_NAME_MAX]);

/*
 * regs_find: the descriptor that covers a byte offset.
 * @table: @n descriptors, sorted by offset.  @off: byte offset in the 4 KiB
 * page, word aligned.  @index: out, the element of an array (0 for scalars);
 * may be NULL.
 * returns: the descriptor, or NULL when no register is there.
 */
const struct reg_desc *regs_find(const struct reg_desc *table, size_t n,
                                 uint32_t off, unsigned *index);

/*
 * regs_write_rule: what the table says about a write, before the value counts.
 * @d: NULL means no register.  @locked: the software lock is set.  @idle: the
 * unit is disabled or idle.
 * returns: REG_OK, or REG_RES0, REG_LOCKED, REG_RO, REG_BUSY.
 */
enum reg_result regs_write_rule(const struct reg_desc *d, bool locked,
                                bool idle);

/* The text of a result, for logs: "read-only", "locked", ... never NULL. */
const char *reg_result_text(enum reg_result result);

/*
 * Management registers that each CoreSight component has.
 * ITCTRL F00 (RAZ/WI), CLAIMSET FA0, CLAIMCLR FA4, DEVAFF0/1 FA8/FAC, LAR FB0,
 * LSR FB4, AUTHSTATUS FB8, DEVARCH FBC, DEVID2/1/0 FC0/FC4/FC8, DEVTYPE FCC,
 * PIDR4-7 FD0, PIDR0-3 FE0, CIDR0-3 FF0.
 */
struct cs_mgmt {
    /* identity: constant after init */
    uint32_t devid;
    uint32_t devarch;
    uint32_t devtype;
    uint32_t authstatus;
    uint32_t devaff0, devaff1;
    uint32_t part;          /* 12-bit part number of PIDR0/1 */
    uint8_t revision;       /* PIDR2[7:4] */
    bool has_lock;          /* the software lock is implemented (LSR.SLI) */
    uint8_t claim_bits;     /* number of claim tags, 4 in SoC-400 parts */
    /* state */
    uint32_t claim;
    bool locked;
};

void cs_mgmt_reset(struct cs_mgmt *m);
/* Offsets 0xF00..0xFFF only.  returns: REG_OK or the reason (see above). */
enum reg_result cs_mgmt_read(const struct cs_mgmt *m, uint32_t off,
                             uint32_t *val);
enum reg_result cs_mgmt_write(struct cs_mgmt *m, uint32_t off, uint32_t val);
/* The shared table itself, for logs, docs and register walks. */
const struct reg_desc *cs_mgmt_table(size_t *n);

#endif
