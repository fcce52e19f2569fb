/*
 * csvirt-init: PID 1 of the guest. Shared declarations.
 *
 * Host interface (all optional; without a command the guest is interactive):
 *   fw_cfg  opt/csvirt/cmd    shell text to run          (see fwcfg.c)
 *           opt/csvirt/mode   "park": wait for a command, see main.c
 *           opt/csvirt/files  cpio archive to unpack before the command
 *           opt/csvirt/parked read once when parked: a moment to save us
 *           opt/csvirt/pull   guest paths to send afterwards, one per line
 *   virtio-serial ports csvirt.ctl, .out, .err, .pull    (see ports.c)
 * docs/guest.md has the protocol.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CSVIRT_INIT_H
#define CSVIRT_INIT_H

#include <stdbool.h>
#include <stddef.h>

#define PROTOCOL_VERSION 1

enum port {
    PORT_CTL,
    PORT_OUT,
    PORT_ERR,
    PORT_PULL,
    PORT_COUNT,
};

/* main.c */

/* Prints one line, "csvirt-init: " before it, on the console. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* say() and "fail REASON" to the host, then power off. */
void fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/*
 * Waits until @ready(@opaque) is true, looking every @period_ms.
 * returns: true, or false once @limit_ms of guest time have passed.
 */
bool wait_for(bool (*ready)(void *opaque), void *opaque, int period_ms,
              int limit_ms);

/* setup.c */

/* Mounts, links, host name, loopback, sysctls. Failures are said. */
void setup_system(void);

/* Writes @text to @path. returns: 0 or -errno. */
int write_text(const char *path, const char *text);

/* Number of entries of a folder, 0 if it cannot be read. */
int count_entries(const char *path);

/* modules.c */

/* Loads what /etc/csvirt/modules lists. returns: the number now loaded. */
int load_modules(void);

/*
 * Waits for every coresight node of the device tree to have its device.
 * returns: devices there; *@expected is the number of nodes with a driver.
 */
int settle_coresight(int *expected);

/* fwcfg.c */

/*
 * Reads the fw_cfg file @name afresh from the device.
 * returns: its contents with a NUL behind them and, in *@len, the length up
 *          to the first NUL (a host may pad); NULL if there is no such file.
 */
char *fwcfg_read(const char *name, size_t *len);

/* The same, of any bytes: *@len is its size. */
char *fwcfg_read_all(const char *name, size_t *len);

/* ports.c */

/* Opens the ports that there are; waits for those the device announces. */
void ports_open(void);

bool port_there(enum port p);

/* Writes all, returns once the host has taken it. returns: 0 or -errno. */
int port_write(enum port p, const void *data, size_t len);

/* One line to csvirt.ctl; nothing if there is no such port. */
void control(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* run.c */

/*
 * Runs @cmd by /bin/sh -c, its output to PORT_OUT and PORT_ERR; kills what
 * it left running, and returns when every byte is with the host.
 * returns: 0..255 as a shell says it (128 + signal).
 */
int run_command(const char *cmd);

/* A shell with job control on the console. Returns when it exits. */
void run_console_shell(void);

/* Sends each file named in @list (one path per line) to PORT_PULL. */
void send_files(char *list);

#endif
