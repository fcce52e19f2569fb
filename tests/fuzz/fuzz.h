/*
 * For fuzzers: the input as a stream of small numbers, and a check that stops
 * the fuzzer with a line that says what broke.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_FUZZ_H
#define CSVIRT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct fuzz_in {
    const uint8_t *at;
    size_t left;
};

/* Little-endian, @n bytes 1..8; zero past the end. */
static inline uint64_t fuzz_take(struct fuzz_in *in, unsigned n)
{
    uint64_t val = 0;

    for (unsigned i = 0; i < n && in->left; i++) {
        val |= (uint64_t)*in->at++ << (8 * i);
        in->left--;
    }
    return val;
}

#define fuzz_check(cond, what) \
    do { \
        if (!(cond)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (what)); \
            abort(); \
        } \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
