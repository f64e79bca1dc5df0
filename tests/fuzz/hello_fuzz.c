/*
 * tests/fuzz/hello_fuzz.c - any message at the rendezvous, and any order to the observer.
 *
 * The first byte chooses what comes with the message (no descriptor, one, several; of a file as
 * large as the message or as a segment) and whether both begin as ours do, of any version. No
 * descriptor may stay open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "channel/reader.h"
#include "observer/link/control.h"
#include "observer/link/rendezvous.h"
#include "observer/process/tree.h"

enum {
    SENT_MAX = 2,
    MESSAGE_MAX = 8192,
    DESCRIPTORS = 64,  /* are counted */
    CHOICE_OURS = 32,  /* both begin with what makes them a message and a segment of ours */
    CHOICE_WHOLE = 64, /* the file is as large as a segment */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int connect_to(const struct sc_rendezvous *rendezvous)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(rendezvous->name);
    memcpy(address.sun_path + 1, rendezvous->name, length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    int result = fd < 0 ? fd : connect(fd, (const struct sockaddr *)&address, size);
    while (result != 0 && fd >= 0 && errno == EINTR) /* by the fuzzer's own alarm */
        result = connect(fd, (const struct sockaddr *)&address, size);
    if (result != 0)
        abort();
    return fd;
}

/* What is sent stands at its start. */
static int segment_of(const uint8_t *data, size_t size, unsigned choice)
{
    static const struct {
        uint64_t magic;
        uint32_t version;
        uint32_t size_bytes;
    } ours = {SC_CHANNEL_MAGIC, SC_CHANNEL_VERSION, sizeof(struct sc_segment)};
    int fd = memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || pwrite(fd, data, size, 0) < 0 ||
        ((choice & CHOICE_OURS) != 0 && pwrite(fd, &ours, sizeof(ours), 0) < 0) ||
        ((choice & CHOICE_WHOLE) != 0 && ftruncate(fd, (off_t)sizeof(struct sc_segment)) != 0) ||
        fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) != 0)
        abort();
    return fd;
}

static void send_with(int to, const uint8_t *data, size_t size, unsigned choice)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(SENT_MAX * sizeof(int))];
    } control = {0};
    int fds[SENT_MAX] = {-1, -1};
    size_t count = choice % (SENT_MAX + 1);
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    for (size_t i = 0; i < count; i++)
        fds[i] = segment_of(data, size, choice);
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS,
                                          .cmsg_len = CMSG_LEN(count * sizeof(int))};
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
    }
    (void)sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    for (size_t i = 0; i < count; i++)
        (void)close(fds[i]);
}

static void take(const struct sc_met *met, int fd)
{
    struct sc_tree tree = {0};
    struct sc_reader reader = {0};
    enum sc_record_kind kind;
    if (strlen(met->name) > SC_TEXT_MAX)
        abort();
    if (met->hello.status != SC_HELLO_OK && met->hello.status != SC_HELLO_EXECUTES)
        sc_tree_add_refused(&tree, &met->hello, met->name);
    sc_tree_done(&tree);
    if (fd < 0 || !sc_reader_open(&reader, fd, NULL))
        return;
    while (sc_reader_next(&reader, &kind) != NULL)
        ;
    sc_reader_close(&reader);
}

static void hello(struct sc_rendezvous *rendezvous, const uint8_t *data, size_t size,
                  unsigned choice)
{
    struct sc_met met = {0};
    int fd = -1;
    int client = connect_to(rendezvous);
    send_with(client, data, size, choice);
    if (sc_rendezvous_accept(rendezvous, &met, &fd))
        take(&met, fd);
    else if (fd >= 0)
        abort();
    (void)close(client);
}

/* As if it had connected: the second end is where the observer waits for its order. */
static void order(const uint8_t *data, size_t size)
{
    struct sc_control control;
    int ends[2];
    int peer = -1;
    sc_control_init(&control);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        abort();
    control.fds[SC_CONTROL_SOCKETS] = ends[1];
    (void)send(ends[0], data, size, MSG_NOSIGNAL);
    enum sc_order taken = sc_control_take(&control, &peer);
    if ((taken != SC_ORDER_NONE) != (peer >= 0))
        abort();
    uint64_t moment_ns = sc_control_moment(&control, 10, 20);
    if (moment_ns < 10 || moment_ns > 20)
        abort();
    if (peer >= 0)
        sc_control_answer(peer, taken == SC_ORDER_ON);
    sc_control_close(&control);
    (void)close(ends[0]);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sc_rendezvous rendezvous = {.fd = -1};
    static uint8_t message[MESSAGE_MAX];
    const struct sc_hello ours = {.magic = SC_CHANNEL_MAGIC, .version = SC_CHANNEL_VERSION};
    if (size < 1 || size > MESSAGE_MAX)
        return 0;
    if (rendezvous.fd < 0 && !sc_rendezvous_open(&rendezvous, NULL))
        abort();
    int open_before = count_descriptors();
    order(data + 1, size - 1);
    memcpy(message, data + 1, size - 1);
    if ((data[0] & CHOICE_OURS) != 0 && size - 1 >= offsetof(struct sc_hello, status))
        memcpy(message, &ours, offsetof(struct sc_hello, status));
    hello(&rendezvous, message, size - 1, data[0]);
    if (count_descriptors() != open_before)
        abort();
    return 0;
}
