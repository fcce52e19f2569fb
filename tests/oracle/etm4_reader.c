/*
 * ETMv4 instruction trace packet reader; see etm4_reader.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/oracle/etm4_reader.h"

#include <string.h>

const char *etm4_pkt_name(enum etm4_pkt_kind kind)
{
    static const char *const names[ETM4_PKT_KINDS] = {
        "A-Sync", "Trace Info", "Trace On", "Context", "Address",
        "Address with Context", "Exception", "Atoms", "Timestamp", "Event",
        "Cycle Count", "Overflow",
    };

    return kind < ETM4_PKT_KINDS ? names[kind] : "?";
}

void etm4_reader_init(struct etm4_reader *r, const uint8_t *bytes, size_t n,
                      unsigned cid_bytes, unsigned vmid_bytes)
{
    memset(r, 0, sizeof(*r));
    r->b = bytes;
    r->n = n;
    r->cid_bytes = cid_bytes;
    r->vmid_bytes = vmid_bytes;
}

/* Next byte; sets the error and returns 0 at the end. */
static unsigned byte(struct etm4_reader *r)
{
    if (r->pos >= r->n) {
        r->error = "packet cut at the end of the stream";
        return 0;
    }
    return r->b[r->pos++];
}

static uint64_t bytes_le(struct etm4_reader *r, unsigned n)
{
    uint64_t v = 0;
    unsigned i;

    for (i = 0; i < n; i++) {
        v |= (uint64_t)byte(r) << 8 * i;
    }
    return v;
}

static void remember(struct etm4_reader *r, struct etm4_pkt *p)
{
    r->hist[2] = r->hist[1];
    r->hist_is[2] = r->hist_is[1];
    r->hist[1] = r->hist[0];
    r->hist_is[1] = r->hist_is[0];
    r->hist[0] = p->addr;
    r->hist_is[0] = p->is;
}

/* 6.4.8: short, IS0 bits [8:2] and [16:9], IS1 bits [7:1] and [15:8] */
static void read_short(struct etm4_reader *r, struct etm4_pkt *p, unsigned is)
{
    unsigned lo = is ? 1 : 2;
    unsigned top = lo + 7;
    uint64_t bits;
    unsigned b = byte(r);

    bits = (uint64_t)(b & 0x7f) << lo;
    if (b & 0x80) {
        bits |= (uint64_t)byte(r) << (lo + 7);
        top += 8;
    }
    p->addr = (r->hist[0] & ~((1ull << top) - 1)) | bits;
    p->is = is;
}

/* 6.4.8: long, the two lowest bytes hold 7 + 7 (IS0) or 7 + 8 (IS1) bits */
static void read_long(struct etm4_reader *r, struct etm4_pkt *p, unsigned is,
                      unsigned n)
{
    unsigned b0 = byte(r), b1 = byte(r);
    uint64_t low = is ? (b0 & 0x7fu) << 1 | b1 << 8
                      : (b0 & 0x7fu) << 2 | (b1 & 0x7fu) << 9;
    uint64_t v = low | bytes_le(r, n - 2) << 16;

    if ((b0 & 0x80) || (!is && (b1 & 0x80))) {
        r->error = "reserved bit of a long address is set";
    }
    p->addr = n == 4 ? (r->hist[0] & ~0xffffffffull) | v : v;
    p->is = is;
    p->addr_long = true;
}

/* An address packet without context: 1 when @head is one. */
static bool read_address(struct etm4_reader *r, struct etm4_pkt *p,
                         unsigned head)
{
    p->match = 0;
    p->addr_long = false;
    switch (head) {
    case 0x90:
    case 0x91:
    case 0x92:
        p->match = head - 0x90 + 1;
        p->addr = r->hist[head - 0x90];
        p->is = r->hist_is[head - 0x90];
        break;
    case 0x95:
    case 0x96:
        read_short(r, p, head - 0x95);
        break;
    case 0x9a:
    case 0x9b:
        read_long(r, p, head - 0x9a, 4);
        break;
    case 0x9d:
    case 0x9e:
        read_long(r, p, head - 0x9d, 8);
        break;
    default:
        return false;
    }
    remember(r, p);
    return true;
}

/* 6.4.9: information byte, VMID, Context ID */
static void read_context(struct etm4_reader *r, struct etm4_pkt *p)
{
    unsigned info = byte(r);

    p->el = info & 3;
    p->sf = (info & 0x10) != 0;
    p->ns = (info & 0x20) != 0;
    p->has_vmid = (info & 0x40) != 0;
    p->has_cid = (info & 0x80) != 0;
    if (info & 0x0c) {
        r->error = "reserved bit of a context information byte is set";
    }
    if (p->has_vmid) {
        p->vmid = (uint32_t)bytes_le(r, r->vmid_bytes);
    }
    if (p->has_cid) {
        p->cid = (uint32_t)bytes_le(r, r->cid_bytes);
    }
}

static void set_atoms(struct etm4_pkt *p, unsigned format, uint32_t atoms,
                      unsigned n)
{
    p->kind = ETM4_PKT_ATOMS;
    p->format = format;
    p->atoms = atoms;
    p->natoms = n;
}

/* 6.4.13: atom packets, the whole of 0xC0-0xFF */
static void read_atoms(struct etm4_reader *r, struct etm4_pkt *p,
                       unsigned head)
{
    /* written with the oldest atom first: NEEE NNNN NENE ENEN */
    static const uint8_t f4[4] = { 0xe, 0x0, 0xa, 0x5 };
    unsigned count = head & 0x1f;

    if (head >= 0xf8) {
        set_atoms(p, 3, head & 7, 3);
    } else if (head == 0xf6 || head == 0xf7) {
        set_atoms(p, 1, head & 1, 1);
    } else if (head == 0xf5) {
        set_atoms(p, 5, 0x1e, 5);              /* NEEEE */
    } else if (head >= 0xdc && head <= 0xdf) {
        set_atoms(p, 4, f4[head & 3], 4);
    } else if (head >= 0xd8 && head <= 0xdb) {
        set_atoms(p, 2, head & 3, 2);
    } else if (head == 0xd5) {
        set_atoms(p, 5, 0x00, 5);
    } else if (head == 0xd6) {
        set_atoms(p, 5, 0x0a, 5);              /* NENEN */
    } else if (head == 0xd7) {
        set_atoms(p, 5, 0x15, 5);              /* ENENE */
    } else if (count <= 20) {
        uint32_t e = (1u << (count + 3)) - 1;

        set_atoms(p, 6, head & 0x20 ? e : e | 1u << (count + 3), count + 4);
    } else {
        r->error = "reserved atom packet";
    }
}

/* 6.4.3: eleven zero bytes (the first is read) and 0x80; 0x05: Overflow */
static void read_extension(struct etm4_reader *r, struct etm4_pkt *p)
{
    unsigned i, b = byte(r);

    if (b == 0x05) {
        p->kind = ETM4_PKT_OVERFLOW;
        return;
    }
    p->kind = ETM4_PKT_ASYNC;
    for (i = 2; i <= 11; i++) {
        if (b != 0) {
            r->error = "extension packet other than A-Sync and Overflow";
        }
        b = byte(r);
    }
    if (b != 0x80) {
        r->error = "A-Sync without its last byte";
    }
    r->synced = true;
}

/* Up to three bytes of seven bits, bit 7: more follow. */
static uint32_t read_count(struct etm4_reader *r)
{
    uint32_t v = 0;
    unsigned i, b = 0x80;

    for (i = 0; i < 3 && (b & 0x80); i++) {
        b = byte(r);
        v |= (b & 0x7f) << 7 * i;
    }
    if (b & 0x80) {
        r->error = "count of more than three bytes";
    }
    return v;
}

/* 6.4.2: PLCTL, INFO and, with cycle counting, CYCT */
static void read_info(struct etm4_reader *r, struct etm4_pkt *p)
{
    unsigned plctl = byte(r);

    p->kind = ETM4_PKT_TRACE_INFO;
    p->info = 0;
    if (plctl & ~9u) {
        r->error = "Trace Info with a section of an absent feature";
    } else if (plctl & 1) {
        p->info = byte(r);
        if (p->info & 0x80) {
            r->error = "Trace Info INFO field too long";
        }
    }
    if (!(plctl & 8) != !(p->info & 1)) {
        r->error = "Trace Info with INFO.CC but no CYCT, or the reverse";
    }
    p->threshold = plctl & 8 ? read_count(r) : 0;
    memset(r->hist, 0, sizeof(r->hist));
    memset(r->hist_is, 0, sizeof(r->hist_is));
    p->ts = 0;
}

/* 6.4.5: bits [6:0], [13:7] ... and bits [63:56] in a ninth byte */
static void read_timestamp(struct etm4_reader *r, struct etm4_pkt *p)
{
    unsigned i, b;

    p->kind = ETM4_PKT_TIMESTAMP;
    for (i = 0; i < 8; i++) {
        b = byte(r);
        p->ts = (p->ts & ~(0x7full << 7 * i)) | (uint64_t)(b & 0x7f) << 7 * i;
        if (!(b & 0x80)) {
            return;
        }
    }
    p->ts = (p->ts & ((1ull << 56) - 1)) | (uint64_t)byte(r) << 56;
}

/* 6.4.12: TYPE in bits 5:1, E1:E0 in bits 6 and 0, bit 7: a second byte */
static void read_exception(struct etm4_reader *r, struct etm4_pkt *p)
{
    unsigned b = byte(r);

    p->kind = ETM4_PKT_EXCEPTION;
    p->type = b >> 1 & 0x1f;
    p->e = (b >> 5 & 2) | (b & 1);
    if (b & 0x80) {
        r->error = "Exception packet with a second information byte";
    } else if (p->e != 1 && p->e != 2) {
        r->error = "Exception packet with a reserved E field";
    } else if (!read_address(r, p, byte(r))) {
        r->error = "Exception packet without an address packet";
    }
}

static void read_other(struct etm4_reader *r, struct etm4_pkt *p,
                       unsigned head)
{
    switch (head) {
    case 0x00:
        read_extension(r, p);
        break;
    case 0x01:
        read_info(r, p);
        break;
    case 0x02:
    case 0x03:
        read_timestamp(r, p);
        p->cycles = head & 1 ? read_count(r) : 0;
        if ((head & 1) != (p->info & 1)) {
            r->error = "Timestamp with a count but no cycle counting";
        }
        break;
    case 0x0e:
    case 0x0f:
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
        p->kind = ETM4_PKT_CYCLES;
        p->format = head < 0x10 ? 1 : 3;
        p->unknown = head == 0x0f;
        p->cycles = p->unknown ? 0 : p->threshold +
                    (head < 0x10 ? read_count(r) : head & 3);
        break;
    case 0x04:
        p->kind = ETM4_PKT_TRACE_ON;
        break;
    case 0x06:
        read_exception(r, p);
        break;
    case 0x80:
    case 0x81:
        p->kind = ETM4_PKT_CONTEXT;
        if (head & 1) {
            read_context(r, p);
        }
        break;
    case 0x82:
    case 0x83:
    case 0x85:
    case 0x86:
        p->kind = ETM4_PKT_ADDRESS_CONTEXT;
        read_long(r, p, head == 0x83 || head == 0x86, head < 0x85 ? 4 : 8);
        remember(r, p);
        read_context(r, p);
        break;
    default:
        if (head >= 0x71 && head <= 0x7f) {
            p->kind = ETM4_PKT_EVENT;
            p->event = head & 0xf;
        } else {
            p->kind = ETM4_PKT_ADDRESS;
            if (!read_address(r, p, head)) {
                r->error = "reserved packet header";
            }
        }
    }
}

int etm4_reader_next(struct etm4_reader *r, struct etm4_pkt *p)
{
    size_t start = r->pos;
    unsigned head;

    if (r->error) {
        return -1;
    }
    if (r->pos == r->n) {
        return 0;
    }
    *p = r->last;
    p->has_cid = p->has_vmid = false;
    head = byte(r);
    if (!r->synced && head != 0) {
        r->error = "no A-Sync before the first packet";
    } else if (head >= 0xc0) {
        read_atoms(r, p, head);
    } else {
        read_other(r, p, head);
    }
    if (r->error) {
        r->pos = start;
        return -1;
    }
    p->off = start;
    p->len = r->pos - start;
    r->last = *p;
    return 1;
}
