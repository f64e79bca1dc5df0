/* agent/wrapper.c - see wrapper.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/wrapper.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/meet.h"
#include "agent/own_stack.h"
#include "channel/format.h"

static bool is_wrapper;
static struct sockaddr_un observer;
static socklen_t observer_length;

void sc_wrapper_begin(const struct sockaddr_un *address, socklen_t length)
{
    observer = *address;
    observer_length = length;
    is_wrapper = true;
    sc_own_stack_begin_main(); /* for the hooks of exec */
}

void sc_wrapper_report(const char *name, size_t length)
{
    if (!is_wrapper || length == 0 || length > SC_TEXT_MAX)
        return;
    int saved_errno = errno;
    int cancel_state;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* exec ends no thread */
    struct sc_hello hello = {
        .magic = SC_CHANNEL_MAGIC, .version = SC_CHANNEL_VERSION, .status = SC_HELLO_EXECUTES};
    struct iovec parts[] = {
        {.iov_base = &hello, .iov_len = sizeof(hello)},
        {.iov_base = (char *)(uintptr_t)name, .iov_len = length},
    };
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    pid_t listener = 0;
    int fd = sc_meet(&observer, observer_length, &listener);
    if (fd >= 0) {
        (void)sendmsg(fd, &message, MSG_NOSIGNAL);
        (void)close(fd);
    }
    (void)pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}
