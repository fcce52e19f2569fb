/*
 * Bit fields of registers and little-endian loads, for all models.
 *
 * A field is named once by its lowest bit and its width:
 *     #define TMC_DEVID_AXIAW  17, 7
 *     aw = field_get(devid, TMC_DEVID_AXIAW);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_MODELS_BITS_H
#define CSVIRT_MODELS_BITS_H

#include <stdint.h>
#include <string.h>

/* @len ones from bit @shift up; @len 1..32, @shift + @len <= 32. */
static inline uint32_t field_mask(unsigned shift, unsigned len)
{
    return (uint32_t)(((1ull << len) - 1u) << shift);
}

static inline uint32_t field_get(uint32_t word, unsigned shift, unsigned len)
{
    return (word & field_mask(shift, len)) >> shift;
}

/* @word with the field replaced by @val; bits of @val above @len are cut. */
static inline uint32_t field_set(uint32_t word, unsigned shift, unsigned len,
                                 uint32_t val)
{
    uint32_t mask = field_mask(shift, len);

    return (word & ~mask) | ((val << shift) & mask);
}

/* Zero bits above the highest one of @v, which must not be 0. */
static inline unsigned clz64(uint64_t v)
{
#ifdef __GNUC__
    return (unsigned)__builtin_clzll(v);
#else
    unsigned n = 0;

    while (!(v >> 63)) {
        v <<= 1;
        n++;
    }
    return n;
#endif
}

/*
 * Loads and stores, the first byte the least significant; any alignment.
 * Where the host has that order they are one access; compilers do not see that
 * in the portable form when the value is put together from parts.
 */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof(v));
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof(v));
}
#else
static inline uint64_t load_le64(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
    p[4] = (uint8_t)(v >> 32);
    p[5] = (uint8_t)(v >> 40);
    p[6] = (uint8_t)(v >> 48);
    p[7] = (uint8_t)(v >> 56);
}
#endif

#endif
