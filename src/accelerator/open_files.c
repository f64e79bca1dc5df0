/* accelerator/open_files.c - see open_files.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/open_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A program may have a million sockets open; CUDA's files are among the early ones. */
#define FILES_MAX 4096

static void look_at(const char *target, struct sc_open_devices *ret)
{
    static const char device[] = "/dev/nvidia";
    if (strcmp(target, "/dev/dxg") == 0) {
        ret->computes = ret->all = true;
    } else if (strcmp(target, "/dev/nvidia-uvm") == 0) {
        ret->computes = true;
    } else if (strncmp(target, device, sizeof(device) - 1) == 0) {
        char *end = NULL;
        const char *digits = target + sizeof(device) - 1;
        unsigned long minor = strtoul(digits, &end, 10);
        if (end != digits && *end == '\0' && minor < 64)
            ret->minors |= (uint64_t)1 << minor;
    }
}

void sc_open_devices_read(const char *proc, pid_t pid, struct sc_open_devices *ret)
{
    char path[PATH_MAX];
    char target[64];
    *ret = (struct sc_open_devices){0};
    (void)snprintf(path, sizeof(path), "%s/%ld/fd", proc, (long)pid);
    DIR *files = opendir(path);
    if (files == NULL)
        return;
    const struct dirent *file = NULL;
    for (int i = 0; i < FILES_MAX && (file = readdir(files)) != NULL; i++) {
        ssize_t length = readlinkat(dirfd(files), file->d_name, target, sizeof(target) - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        look_at(target, ret);
    }
    (void)closedir(files);
}

bool sc_has_own_pids(const char *proc)
{
    /* the inode number of the initial pid namespace: PROC_PID_INIT_INO, linux/proc_ns.h */
    static const char initial[] = "pid:[4026531836]";
    char path[PATH_MAX];
    char target[64];
    (void)snprintf(path, sizeof(path), "%s/self/ns/pid", proc);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    return strcmp(target, initial) != 0;
}

bool sc_has_nvidia_devices(const char *root)
{
    /* The driver; the device of the Windows Subsystem for Linux; that of GPUs integrated in a chip.
     * Not /dev/nvidiactl: the driver's libraries create that file even where there is no driver. */
    static const char *const names[] = {"proc/driver/nvidia/version", "dev/dxg", "dev/nvmap"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}
