/*
 * A client of the emulator's qtest socket and of its QMP monitor: registers,
 * guest memory and the virtual clock of a machine that runs no instruction.
 *
 * The emulator is $CSVIRT_QEMU or build/qemu-system-aarch64, topologies are
 * build/board/dts/NAME.dtbo; tests run in the top folder.  Any failure of the
 * protocol ends the test program (exit 99): it is no result.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_TESTS_QTEST_CLIENT_H
#define CSVIRT_TESTS_QTEST_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qtest;

/*
 * qtest_start: start a machine.
 * @machine: what follows "csvirt" in -M, e.g. ",topology=FILE"; "" for none.
 * @args: more arguments, NULL-terminated list, or NULL.
 */
struct qtest *qtest_start(const char *machine, const char *const *args);
/* Start with topology NAME and @cpus CPUs; @more: as @machine above. */
struct qtest *qtest_topology(const char *name, unsigned cpus,
                             const char *more);
/* Ask the emulator to quit and wait.  returns: its exit status, -1: signal */
int qtest_stop(struct qtest *q);

/*
 * qtest_fails: start a machine that must not start.
 * @text: receives what it wrote to stderr, at most @size - 1 bytes.
 * returns: exit status; -1 when a signal killed it or it did start.
 */
int qtest_fails(const char *machine, const char *const *args, char *text,
                size_t size);

uint32_t qtest_readl(struct qtest *q, uint64_t addr);
void qtest_writel(struct qtest *q, uint64_t addr, uint32_t val);
uint64_t qtest_readq(struct qtest *q, uint64_t addr);
void qtest_writeq(struct qtest *q, uint64_t addr, uint64_t val);
uint16_t qtest_readw(struct qtest *q, uint64_t addr);
void qtest_writew(struct qtest *q, uint64_t addr, uint16_t val);
uint8_t qtest_readb(struct qtest *q, uint64_t addr);
void qtest_writeb(struct qtest *q, uint64_t addr, uint8_t val);
void qtest_read(struct qtest *q, uint64_t addr, void *buf, size_t n);
void qtest_write(struct qtest *q, uint64_t addr, const void *buf, size_t n);
/* Let the virtual clock run @ns on. */
void qtest_clock_step(struct qtest *q, int64_t ns);

/*
 * qtest_qmp: one QMP command, a JSON object on one line.
 * returns: the answer's line, valid until the next call.
 */
const char *qtest_qmp(struct qtest *q, const char *command);
/* An integer property of a trace device: /machine/csvirt/@device */
uint64_t qtest_counter(struct qtest *q, const char *device,
                       const char *property);
/*
 * qtest_devices: the trace devices, in order of QOM.
 * @devices: at most @max; name "etr@c001000", type "csvirt-tmc-etr", base from
 * the name, 0 for static blocks.
 * returns: how many there are.
 */
struct qtest_device {
    char name[64];
    char type[32];
    uint64_t base;
};
size_t qtest_devices(struct qtest *q, struct qtest_device *devices, size_t max);
/* Wait for @event (a QMP event's name), seen since the last wait. */
void qtest_wait_event(struct qtest *q, const char *event);
/* What the emulator has written to stderr so far; NUL-terminated. */
const char *qtest_stderr(struct qtest *q);

#endif
