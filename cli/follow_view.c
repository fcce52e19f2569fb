/*
 * Address filters, followed; see follow_view.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "cli/follow_view.h"

#define TRCVICTLR   0x080u
#define TRCVIIECTLR 0x084u
#define TRCVISSCTLR 0x088u
#define TRCACVR     0x400u      /* 16 of 64 bits */
#define TRCACATR    0x480u
#define SSSTATUS    (1u << 9)
#define EXLEVEL_S   8           /* TRCACATR: no match in S EL0 to EL3 */
#define EXLEVEL_NS  12          /* ... NS EL0 to EL2 */

void follow_view_register(struct follow_view *v, uint32_t offset,
                          uint32_t value)
{
    if (offset == TRCVICTLR) {
        v->victlr = value;
        v->started = (value & SSSTATUS) != 0;
    } else if (offset == TRCVIIECTLR) {
        v->viiectlr = value;
    } else if (offset == TRCVISSCTLR) {
        v->vissctlr = value;
    } else if (offset >= TRCACVR && offset < TRCACATR) {
        uint64_t *r = &v->acvr[(offset - TRCACVR) / 8];

        *r = offset & 4 ? (uint32_t)*r | (uint64_t)value << 32
                        : (*r & ~(uint64_t)UINT32_MAX) | value;
    } else if (offset >= TRCACATR && offset < TRCACATR + 8 *
               VIEW_COMPARATORS && !(offset & 4)) {
        v->acatr[(offset - TRCACATR) / 8] = value;
    }
}

gboolean follow_view_active(const struct follow_view *v)
{
    return v->viiectlr || v->vissctlr || !v->started;
}

static gboolean level_matches(const struct follow_view *v, unsigned n,
                              const struct xl_state *state)
{
    return !(v->acatr[n] >> ((state->ns ? EXLEVEL_NS : EXLEVEL_S) +
                             state->el) & 1);
}

static gboolean in_range(const struct follow_view *v, uint32_t pairs,
                         uint64_t va, const struct xl_state *state)
{
    for (unsigned n = 0; n < VIEW_COMPARATORS / 2; n++) {
        if ((pairs >> n & 1) && va >= v->acvr[2 * n] &&
            va <= v->acvr[2 * n + 1] && level_matches(v, 2 * n, state)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean at_one_of(const struct follow_view *v, uint32_t comparators,
                          uint64_t va, const struct xl_state *state)
{
    for (unsigned n = 0; n < VIEW_COMPARATORS; n++) {
        if ((comparators >> n & 1) && (v->acvr[n] & ~3ull) == va &&
            level_matches(v, n, state)) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean follow_view_at(const struct follow_view *v, uint64_t va,
                        const struct xl_state *state)
{
    uint32_t include = v->viiectlr & 0xff, exclude = v->viiectlr >> 16 & 0xff;

    return (v->started ||
            at_one_of(v, v->vissctlr & 0xffff, va, state)) &&
           (!include || in_range(v, include, va, state)) &&
           !in_range(v, exclude, va, state);
}

gboolean follow_view_run(struct follow_view *v, uint64_t va,
                         const struct xl_state *state)
{
    gboolean seen = follow_view_at(v, va, state);

    v->started = (v->started ||
                  at_one_of(v, v->vissctlr & 0xffff, va, state)) &&
                 !at_one_of(v, v->vissctlr >> 16, va, state);
    return seen;
}
