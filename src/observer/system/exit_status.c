/* observer/system/exit_status.c - see exit_status.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/exit_status.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observer/system/descriptors.h"
#include "observer/system/procfs.h"

/* struct pidfd_info of Linux 6.13 (include/uapi/linux/pidfd.h), its first version; older headers do
 * not have it. */
struct process_info {
    uint64_t mask; /* wanted; then given */
    uint64_t control_group;
    uint32_t pid, thread_group, parent;
    uint32_t users_and_groups[8];
    int32_t exit_code;
};

_Static_assert(sizeof(struct process_info) == 64, "the kernel's size");

#define GET_PROCESS_INFO _IOWR(0xFF, 11, struct process_info)
#define INFO_EXIT        ((uint64_t)1 << 3) /* since 6.15, once a process has waited for it */

int sc_exit_status_open(pid_t pid)
{
    return sc_descriptors_keep((int)syscall(SYS_pidfd_open, pid, 0));
}

bool sc_exit_status_is_lost(int fd)
{
    return fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) != 0 && errno == ESRCH;
}

bool sc_exit_status_read(int fd, pid_t pid, int *ret_status)
{
    struct process_info info = {.mask = INFO_EXIT};
    if (fd >= 0 && ioctl(fd, GET_PROCESS_INFO, &info) == 0 && (info.mask & INFO_EXIT) != 0) {
        *ret_status = info.exit_code;
        return true;
    }
    /* once a process has waited for it, its number may be another one's */
    return !sc_exit_status_is_lost(fd) && sc_zombie_status(pid, ret_status);
}
