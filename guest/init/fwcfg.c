/*
 * csvirt-init: reads named files of QEMU's fw_cfg device.
 *
 * QEMU docs/specs/fw_cfg: selector register (16 bits, big endian) at +8,
 * data register at +0; item 0x0019 is the directory. The device is driven
 * through /dev/mem, not through the qemu_fw_cfg module, because that module
 * reads the directory once, and a restored machine has another one. Where
 * /dev/mem is closed or the module holds the device, its sysfs files serve.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "init.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FW_CFG_DATA 0
#define FW_CFG_SELECTOR 8
#define FW_CFG_FILE_DIR 0x0019
#define FW_CFG_MAX_FILES 4096

struct fw_cfg_file {
    uint32_t size;              /* all big endian */
    uint16_t select;
    uint16_t reserved;
    char name[56];
};

static volatile uint8_t *device;

/* Address of the first fw-cfg node at the top of the device tree, or 0. */
static uint64_t device_address(void)
{
    DIR *d = opendir("/proc/device-tree");
    uint64_t addr = 0;
    struct dirent *e;

    while (d && !addr && (e = readdir(d))) {
        char path[320];
        uint64_t reg;
        int fd;

        if (strncmp(e->d_name, "fw-cfg@", 7)) {
            continue;
        }
        snprintf(path, sizeof(path), "/proc/device-tree/%s/reg", e->d_name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            if (read(fd, &reg, sizeof(reg)) == sizeof(reg)) {
                addr = be64toh(reg);
            }
            close(fd);
        }
    }
    if (d) {
        closedir(d);
    }
    return addr;
}

static bool device_map(void)
{
    static bool tried;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t addr;
    void *map;
    int fd;

    if (tried) {
        return device != NULL;
    }
    tried = true;
    addr = device_address();
    fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    if (!addr || fd < 0) {
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
               (off_t)(addr & ~(uint64_t)(page - 1)));
    close(fd);
    if (map != MAP_FAILED) {
        device = (volatile uint8_t *)map + (addr & (page - 1));
    }
    return device != NULL;
}

static void device_select(uint16_t key)
{
    *(volatile uint16_t *)(device + FW_CFG_SELECTOR) = htobe16(key);
}

/* The data register gives the next bytes in string order at any width. */
static void device_bytes(void *buf, size_t len)
{
    uint8_t *p = buf;

    for (; len >= 8; len -= 8, p += 8) {
        uint64_t v = *(volatile uint64_t *)(device + FW_CFG_DATA);

        memcpy(p, &v, 8);
    }
    for (; len; len--) {
        *p++ = *(volatile uint8_t *)(device + FW_CFG_DATA);
    }
}

static char *device_read(const char *name, size_t *len)
{
    uint32_t count;
    struct fw_cfg_file f;

    device_select(FW_CFG_FILE_DIR);
    device_bytes(&count, sizeof(count));
    count = be32toh(count);
    if (count > FW_CFG_MAX_FILES) {
        fatal("fw_cfg lists %u files", count);
    }
    while (count--) {
        char *text;

        device_bytes(&f, sizeof(f));
        if (strncmp(f.name, name, sizeof(f.name))) {
            continue;
        }
        text = calloc(1, (size_t)be32toh(f.size) + 1);
        if (!text) {
            fatal("fw_cfg %s: no memory for %u bytes", name, be32toh(f.size));
        }
        *len = be32toh(f.size);
        device_select(be16toh(f.select));
        device_bytes(text, be32toh(f.size));
        return text;
    }
    return NULL;
}

static char *sysfs_read(const char *name, size_t *size)
{
    char path[256];
    char *text = NULL;
    size_t len = 0, cap = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/sys/firmware/qemu_fw_cfg/by_name/%s/raw",
             name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    do {
        if (cap - len < 4097) {
            cap += 65536;
            text = realloc(text, cap);
            if (!text) {
                fatal("fw_cfg %s: no memory", name);
            }
        }
        n = read(fd, text + len, cap - len - 1);
        len += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    text[len] = '\0';
    *size = len;
    close(fd);
    return text;
}

char *fwcfg_read_all(const char *name, size_t *len)
{
    *len = 0;
    return device_map() ? device_read(name, len) : sysfs_read(name, len);
}

char *fwcfg_read(const char *name, size_t *len)
{
    char *text = fwcfg_read_all(name, len);

    *len = text ? strlen(text) : 0;
    return text;
}
