/*
 * Flushes that concern all vCPUs, made cheap.
 *
 * A kernel that boots with 128 vCPUs makes about 109,000 broadcasts of TLB
 * maintenance; QEMU queues an allocated work item on every other vCPU for
 * each.  Where all vCPUs share one thread no other vCPU runs: the source's
 * flush is made at once, and the others' are noted and made before each next
 * runs.  The same holds for the jump caches, of which QEMU sweeps all for each
 * block that it drops, and for the TLB entries of pages that come to hold code.
 *
 * QEMU's files stay as they are: the linker's --wrap (hw/meson.build) sends
 * calls of these functions here.  Out of our scheduler's thread, or without
 * our scheduler, they go on to QEMU's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "exec/cputlb.h"
#include "exec/tb-flush.h"
#include "exec/target_page.h"
#include "hw/core/cpu.h"
#include "system/cpus.h"
#include "sched.h"

#define RING     256u           /* power of 2 */
#define CATCH_UP 128u           /* further behind: everything goes */

enum flush_kind {
    FLUSH_MODES,                /* all entries of the MMU modes */
    FLUSH_PAGE,                 /* a page in the MMU modes */
    FLUSH_RANGE,                /* a range, significant bits */
    FLUSH_DIRTY,                /* stores to this RAM must be seen */
};

struct flush_op {
    enum flush_kind kind;
    uint16_t modes;
    uint16_t bits;
    uint64_t addr;
    uint64_t len;
};

static struct {
    bool on;
    uint64_t head;              /* operations noted so far */
    struct flush_op ring[RING];
    uint64_t done[SCHED_CPUS_MAX];      /* by vCPU: operations made */
    bool stale[SCHED_CPUS_MAX];         /* by vCPU: jump cache to be swept */
} flush;

void __real_tlb_flush_by_mmuidx_all_cpus_synced(CPUState *src, uint16_t modes);
void __real_tlb_flush_page_by_mmuidx_all_cpus_synced(CPUState *src, vaddr addr,
                                                     uint16_t modes);
void __real_tlb_flush_range_by_mmuidx_all_cpus_synced(CPUState *src,
                                                      vaddr addr, vaddr len,
                                                      uint16_t modes,
                                                      unsigned bits);
void __real_tlb_reset_dirty(CPUState *cpu, ram_addr_t start,
                            ram_addr_t length);
void __real_tcg_flush_jmp_cache(CPUState *cpu);

void __wrap_tlb_flush_all_cpus_synced(CPUState *src);
void __wrap_tlb_flush_page_all_cpus_synced(CPUState *src, vaddr addr);
void __wrap_tlb_flush_by_mmuidx_all_cpus_synced(CPUState *src, uint16_t modes);
void __wrap_tlb_flush_page_by_mmuidx_all_cpus_synced(CPUState *src, vaddr addr,
                                                     uint16_t modes);
void __wrap_tlb_flush_page_bits_by_mmuidx_all_cpus_synced(CPUState *src,
                                                          vaddr addr,
                                                          uint16_t modes,
                                                          unsigned bits);
void __wrap_tlb_flush_range_by_mmuidx_all_cpus_synced(CPUState *src,
                                                      vaddr addr, vaddr len,
                                                      uint16_t modes,
                                                      unsigned bits);
void __wrap_tlb_reset_dirty(CPUState *cpu, ram_addr_t start,
                            ram_addr_t length);
void __wrap_tcg_flush_jmp_cache(CPUState *cpu);

/* ---- the ring ---- */

static bool flush_here(void)
{
    return flush.on && qemu_in_vcpu_thread();
}

static void flush_apply(CPUState *cpu, const struct flush_op *op)
{
    switch (op->kind) {
    case FLUSH_MODES:
        tlb_flush_by_mmuidx(cpu, op->modes);
        break;
    case FLUSH_PAGE:
        tlb_flush_page_by_mmuidx(cpu, op->addr, op->modes);
        break;
    case FLUSH_RANGE:
        tlb_flush_range_by_mmuidx(cpu, op->addr, op->len, op->modes, op->bits);
        break;
    case FLUSH_DIRTY:
        __real_tlb_reset_dirty(cpu, op->addr, op->len);
        break;
    }
}

static void flush_note(const struct flush_op *op)
{
    flush.ring[flush.head++ % RING] = *op;
}

/* On the vCPU that runs now, and noted for all others. */
static void flush_all(CPUState *src, const struct flush_op *op)
{
    flush_apply(src, op);
    flush_note(op);
    /* It has caught up before it ran. */
    flush.done[src->cpu_index] = flush.head;
}

void csvirt_flush_begin(unsigned cpus)
{
    assert(cpus <= SCHED_CPUS_MAX);
    flush.on = true;
}

void csvirt_flush_catch_up(CPUState *cpu)
{
    uint64_t *done = &flush.done[cpu->cpu_index];

    if (flush.stale[cpu->cpu_index]) {
        flush.stale[cpu->cpu_index] = false;
        __real_tcg_flush_jmp_cache(cpu);
    }
    if (flush.head - *done > CATCH_UP) {
        tlb_flush(cpu);
        *done = flush.head;
    }
    while (*done < flush.head) {
        flush_apply(cpu, &flush.ring[(*done)++ % RING]);
    }
}

/* ---- what QEMU calls ---- */

void __wrap_tlb_flush_by_mmuidx_all_cpus_synced(CPUState *src, uint16_t modes)
{
    if (flush_here()) {
        flush_all(src, &(struct flush_op){
            .kind = FLUSH_MODES, .modes = modes,
        });
    } else {
        __real_tlb_flush_by_mmuidx_all_cpus_synced(src, modes);
    }
}

void __wrap_tlb_flush_all_cpus_synced(CPUState *src)
{
    __wrap_tlb_flush_by_mmuidx_all_cpus_synced(src, UINT16_MAX);
}

void __wrap_tlb_flush_page_by_mmuidx_all_cpus_synced(CPUState *src, vaddr addr,
                                                     uint16_t modes)
{
    if (flush_here()) {
        flush_all(src, &(struct flush_op){
            .kind = FLUSH_PAGE, .addr = addr, .modes = modes,
        });
    } else {
        __real_tlb_flush_page_by_mmuidx_all_cpus_synced(src, addr, modes);
    }
}

void __wrap_tlb_flush_page_all_cpus_synced(CPUState *src, vaddr addr)
{
    __wrap_tlb_flush_page_by_mmuidx_all_cpus_synced(src, addr, UINT16_MAX);
}

void __wrap_tlb_flush_range_by_mmuidx_all_cpus_synced(CPUState *src,
                                                      vaddr addr, vaddr len,
                                                      uint16_t modes,
                                                      unsigned bits)
{
    if (flush_here()) {
        flush_all(src, &(struct flush_op){
            .kind = FLUSH_RANGE, .addr = addr, .len = len, .modes = modes,
            .bits = bits,
        });
    } else {
        __real_tlb_flush_range_by_mmuidx_all_cpus_synced(src, addr, len, modes,
                                                         bits);
    }
}

void __wrap_tlb_flush_page_bits_by_mmuidx_all_cpus_synced(CPUState *src,
                                                          vaddr addr,
                                                          uint16_t modes,
                                                          unsigned bits)
{
    __wrap_tlb_flush_range_by_mmuidx_all_cpus_synced(src, addr,
                                                     qemu_target_page_size(),
                                                     modes, bits);
}

/* QEMU calls this for each vCPU in turn: one note does for all of them. */
void __wrap_tlb_reset_dirty(CPUState *cpu, ram_addr_t start, ram_addr_t length)
{
    const struct flush_op *last = &flush.ring[(flush.head - 1) % RING];

    if (!flush_here() || cpu == current_cpu) {
        __real_tlb_reset_dirty(cpu, start, length);
    } else if (flush.done[cpu->cpu_index] == flush.head ||
               last->kind != FLUSH_DIRTY || last->addr != start ||
               last->len != length) {
        bool current_done = flush.done[current_cpu->cpu_index] == flush.head;

        flush_note(&(struct flush_op){
            .kind = FLUSH_DIRTY, .addr = start, .len = length,
        });
        if (current_done) {
            /* Its own is made by a call of its own. */
            flush.done[current_cpu->cpu_index] = flush.head;
        }
    }
}

void __wrap_tcg_flush_jmp_cache(CPUState *cpu)
{
    if (flush_here() && cpu != current_cpu) {
        flush.stale[cpu->cpu_index] = true;
    } else {
        __real_tcg_flush_jmp_cache(cpu);
    }
}
