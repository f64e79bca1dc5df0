/* server/peer.c - see peer.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/peer.h"

#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often a table is read: it changes meanwhile, and then a row may be missed. */
#define LOOKS 3

static const unsigned char narrow_prefix[12] = {[10] = 0xff, [11] = 0xff};

static bool end_of(const struct sockaddr_storage *from, struct sc_end *ret_end)
{
    struct sockaddr_in6 wide;
    struct sockaddr_in narrow;
    memcpy(&wide, from, sizeof(wide));
    memcpy(&narrow, from, sizeof(narrow));
    if (from->ss_family == AF_INET6) {
        memcpy(ret_end->address, &wide.sin6_addr, sizeof(ret_end->address));
        ret_end->port = ntohs(wide.sin6_port);
    } else if (from->ss_family == AF_INET) {
        memcpy(ret_end->address, narrow_prefix, sizeof(narrow_prefix));
        memcpy(ret_end->address + sizeof(narrow_prefix), &narrow.sin_addr, 4);
        ret_end->port = ntohs(narrow.sin_port);
    }
    return from->ss_family == AF_INET6 || from->ss_family == AF_INET;
}

static bool is_loopback(const struct sc_end *end)
{
    bool is_narrow = memcmp(end->address, narrow_prefix, sizeof(narrow_prefix)) == 0;
    return is_narrow ? end->address[12] == 127
                     : memcmp(end->address, &in6addr_loopback, sizeof(end->address)) == 0;
}

/* An address as the tables have it: words of 32 bits, each as a number of this machine. */
static bool read_address(const char *digits, struct sc_end *ret_end)
{
    size_t words = strlen(digits) / 8;
    if (strlen(digits) % 8 != 0 || (words != 1 && words != 4))
        return false;
    memcpy(ret_end->address, narrow_prefix, sizeof(narrow_prefix));
    for (size_t i = 0; i < words; i++) {
        char word[9] = {0};
        memcpy(word, digits + 8 * i, 8);
        uint32_t bytes = (uint32_t)strtoul(word, NULL, 16);
        memcpy(ret_end->address + (words == 1 ? 12 : 4 * i), &bytes, sizeof(bytes));
    }
    return true;
}

/* Reads a row whose socket a process has open. A closed socket that only remains in the kernel has
 * no inode, and its row names root. */
static bool read_row(const char *line, struct sc_end *ret_local, struct sc_end *ret_remote,
                     unsigned *ret_uid)
{
    char local[33];
    char remote[33];
    unsigned long inode = 0;
    int count =
        sscanf(line, " %*u: %32[0-9A-Fa-f]:%4x %32[0-9A-Fa-f]:%4x %*2x %*17s %*11s %*8x %u %*u %lu",
               local, &ret_local->port, remote, &ret_remote->port, ret_uid, &inode);
    return count == 6 && inode != 0 && read_address(local, ret_local) &&
           read_address(remote, ret_remote);
}

static bool is_same_endpoint(const struct sc_end *one, const struct sc_end *other)
{
    return one->port == other->port &&
           memcmp(one->address, other->address, sizeof(one->address)) == 0;
}

bool sc_peer_find(FILE *table, const struct sc_end *local, const struct sc_end *remote,
                  unsigned *ret_uid)
{
    char line[512];
    while (fgets(line, sizeof(line), table) != NULL) {
        struct sc_end from;
        struct sc_end to;
        unsigned uid;
        if (read_row(line, &from, &to, &uid) && is_same_endpoint(&from, local) &&
            is_same_endpoint(&to, remote)) {
            *ret_uid = uid;
            return true;
        }
    }
    return false;
}

/* Looks in both tables: an IPv6 socket may have an IPv4 connection. */
static bool find_user(const struct sc_end *local, const struct sc_end *remote, unsigned *ret_uid)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    bool is_found = false;
    for (size_t i = 0; i < (size_t)LOOKS * 2 && !is_found; i++) {
        FILE *table = fopen(tables[i % 2], "re");
        if (table == NULL)
            continue;
        is_found = sc_peer_find(table, local, remote, ret_uid);
        (void)fclose(table);
    }
    return is_found;
}

/* All users unknown in this user namespace have the same number in it. Where that is our own
 * number, other users cannot be distinguished from ourselves. */
static bool is_number_of_strangers(unsigned uid)
{
    unsigned overflow = 65534;
    unsigned first = 1;
    unsigned outside = 0;
    unsigned count = 0;
    FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
    if (file != NULL && fscanf(file, "%u", &overflow) != 1)
        overflow = 65534;
    if (file != NULL)
        (void)fclose(file);
    if (uid != overflow)
        return false;
    file = fopen("/proc/self/uid_map", "re");
    bool is_whole = file != NULL && fscanf(file, "%u %u %u", &first, &outside, &count) == 3 &&
                    first == 0 && count == UINT32_MAX;
    if (file != NULL)
        (void)fclose(file);
    return !is_whole;
}

enum sc_peer sc_peer_of(int connection, unsigned *ret_uid)
{
    struct sockaddr_storage names[2] = {{0}};
    socklen_t lengths[2] = {sizeof(names[0]), sizeof(names[1])};
    struct sc_end here;
    struct sc_end there;
    unsigned uid = 0;
    if (getsockname(connection, (struct sockaddr *)&names[0], &lengths[0]) != 0 ||
        getpeername(connection, (struct sockaddr *)&names[1], &lengths[1]) != 0 ||
        !end_of(&names[0], &here) || !end_of(&names[1], &there))
        return SC_PEER_UNKNOWN;
    if (!find_user(&there, &here, &uid))
        return is_loopback(&here) ? SC_PEER_UNKNOWN : SC_PEER_ELSEWHERE;
    if (uid == 0 || (uid == getuid() && !is_number_of_strangers(uid)))
        return SC_PEER_OWN;
    *ret_uid = uid;
    return SC_PEER_FOREIGN;
}
