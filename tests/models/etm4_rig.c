/*
 * A trace unit on a bench; see etm4_rig.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/models/etm4_rig.h"

#include <stdlib.h>
#include <string.h>

#include "tests/oracle/etm4_reader.h"
#include "tests/tap/tap.h"

static void sink_push(void *self, unsigned port, uint8_t atid,
                      const uint8_t *bytes, size_t n)
{
    struct etm4_rig *r = self;

    (void)port;
    if (r->n + n > r->room) {
        r->room = 2 * (r->n + n);
        r->bytes = realloc(r->bytes, r->room);
        if (!r->bytes) {
            tap_bail("no memory");
        }
    }
    memcpy(r->bytes + r->n, bytes, n);
    r->n += n;
    r->chunks++;
    r->largest = n > r->largest ? n : r->largest;
    r->atid = atid;
}

static const struct atb_ops sink_ops = { sink_push, NULL };

void etm4_rig_init(struct etm4_rig *r, const struct etm4_params *p)
{
    struct etm4_params def;

    memset(r, 0, sizeof(*r));
    etm4_params_default(&def);
    etm4_init(&r->e, p ? p : &def);
    r->sink.ops = &sink_ops;
    r->sink.self = r;
    r->link.from = &r->e.atb;
    r->link.to = &r->sink;
    r->e.out = &r->link;
}

void etm4_rig_free(struct etm4_rig *r)
{
    free(r->bytes);
    r->bytes = NULL;
}

void etm4_rig_write(struct etm4_rig *r, uint32_t off, uint32_t val)
{
    enum reg_result res = etm4_write(&r->e, off, 4, val, 0);

    if (res != REG_OK) {
        tap_bail("write of %#x to %#x: %s", val, off, reg_result_text(res));
    }
}

uint32_t etm4_rig_read(struct etm4_rig *r, uint32_t off)
{
    uint64_t val;
    enum reg_result res = etm4_read(&r->e, off, 4, &val, 0);

    if (res != REG_OK) {
        tap_bail("read of %#x: %s", off, reg_result_text(res));
    }
    return (uint32_t)val;
}

void etm4_rig_unlock(struct etm4_rig *r)
{
    etm4_rig_write(r, 0xfb0, 0xc5acce55);
    etm4_rig_write(r, 0x300, 0);
}

void etm4_rig_program(struct etm4_rig *r, uint32_t configr)
{
    etm4_rig_unlock(r);
    etm4_rig_write(r, 0x010, configr);
    etm4_rig_write(r, 0x040, 0x10);
    etm4_rig_write(r, 0x080, 0x201);   /* SSSTATUS, EVENT = resource 1 */
}

void etm4_rig_enable(struct etm4_rig *r)
{
    etm4_rig_write(r, 0x004, 1);
}

void etm4_rig_disable(struct etm4_rig *r)
{
    etm4_rig_write(r, 0x004, 0);
    etm4_stopped(&r->e);
}

struct pe_record etm4_rig_record(enum pe_kind kind, uint64_t fields,
                                 uint64_t addr)
{
    struct pe_record rec = { (uint64_t)kind << PE_KIND_SHIFT | fields, addr };

    return rec;
}

static void feed(struct etm4_rig *r, enum pe_kind kind, uint64_t fields,
                 uint64_t addr)
{
    struct pe_record rec = etm4_rig_record(kind, fields, addr);

    etm4_pe(&r->e, &rec, 1);
}

static uint64_t word(const char *atoms)
{
    uint64_t w = 1;

    for (; *atoms; atoms++) {
        w = w << 1 | (*atoms == 'E');
    }
    return w;
}

void etm4_rig_indirect(struct etm4_rig *r, const char *atoms, uint64_t to)
{
    feed(r, PE_INDIRECT, word(atoms), to);
}

void etm4_rig_atoms(struct etm4_rig *r, const char *atoms)
{
    feed(r, PE_ATOMS, word(atoms), 0);
}

void etm4_rig_start(struct etm4_rig *r, uint64_t state, uint64_t addr)
{
    feed(r, PE_START, state, addr);
}

void etm4_rig_exception(struct etm4_rig *r, unsigned type, uint64_t ret,
                        uint64_t state, uint64_t vector)
{
    feed(r, PE_EXCEPTION, state | (uint64_t)type << PE_STATE_TYPE_SHIFT, ret);
    feed(r, PE_TARGET, 0, vector);
}

void etm4_rig_eret(struct etm4_rig *r, uint64_t state, uint64_t addr)
{
    feed(r, PE_ERET, state, addr);
}

void etm4_rig_context(struct etm4_rig *r, uint32_t cid, uint32_t vmid)
{
    feed(r, PE_CONTEXT, cid, vmid);
}

void etm4_rig_time(struct etm4_rig *r, uint64_t time)
{
    feed(r, PE_TIME, 0, time);
}

void etm4_rig_stop(struct etm4_rig *r, uint64_t addr)
{
    feed(r, PE_STOP, 0, addr);
}

void etm4_rig_range(struct etm4_rig *r, uint64_t what, uint64_t count,
                    uint64_t to)
{
    feed(r, PE_RANGE, what | count << PE_RANGE_COUNT_SHIFT, to);
}

void etm4_rig_span(struct etm4_rig *r, uint64_t count)
{
    feed(r, PE_SPAN, count << PE_RANGE_COUNT_SHIFT, 0);
}

void etm4_rig_write64(struct etm4_rig *r, uint32_t off, uint64_t val)
{
    enum reg_result res = etm4_write(&r->e, off, 8, val, 0);

    if (res != REG_OK) {
        tap_bail("64-bit write to %#x: %s", off, reg_result_text(res));
    }
}

void etm4_rig_address_range(struct etm4_rig *r, unsigned n, uint64_t low,
                            uint64_t high)
{
    etm4_rig_write64(r, 0x400 + 16 * n, low);
    etm4_rig_write64(r, 0x408 + 16 * n, high);
}

bool etm4_rig_traced(struct etm4_rig *r, uint64_t addr, uint64_t state,
                     uint32_t cid, uint32_t vmid)
{
    struct etm4_reader rd;
    struct etm4_pkt p;
    bool res = false;

    etm4_rig_enable(r);
    etm4_rig_context(r, cid, vmid);
    etm4_rig_start(r, state, addr);
    etm4_rig_range(r, PE_RANGE_TAKEN, 1, 0);
    etm4_rig_disable(r);
    etm4_reader_init(&rd, r->bytes, r->n, r->e.params.cid_size,
                     r->e.params.vmid_size);
    while (etm4_reader_next(&rd, &p) == 1) {
        res = res || p.kind == ETM4_PKT_ATOMS;
    }
    r->n = 0;
    return res;
}
