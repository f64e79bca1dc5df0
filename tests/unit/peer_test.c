/*
 * tests/unit/peer_test.c - the user of a socket, in tables as the kernel writes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/peer.h"

#include <arpa/inet.h>

#include "sc_test.h"

static struct sc_end end_of(const char *address, unsigned port)
{
    struct sc_end end = {.port = port};
    assert_int_equal(inet_pton(AF_INET6, address, end.address), 1);
    return end;
}

/* The user by one row; -1 for none. The row is of a machine that has the low byte first. */
static long user_in(const char *row, const char *from, unsigned from_port, const char *to,
                    unsigned to_port)
{
    struct sc_end local = end_of(from, from_port);
    struct sc_end remote = end_of(to, to_port);
    char text[512];
    (void)snprintf(text, sizeof(text), "  sl  local_address rem_address   st ...\n%s\n", row);
    FILE *table = fmemopen(text, strlen(text), "r");
    unsigned uid = 0;
    bool is_found = sc_peer_find(table, &local, &remote, &uid);
    (void)fclose(table);
    return is_found ? (long)uid : -1;
}

#define NARROW                                                                                     \
    "   1: 0100007F:C350 0100007F:2BE3 01 00000000:00000000 00:00000000 00000000  1000        0 "  \
    "90857 1 00000000aa29c098 20 4 30 10 -1"
#define CLOSED                                                                                     \
    "   1: 0100007F:C350 0100007F:2BE3 05 00000000:00000000 03:00000F6E 00000000     0        0 "  \
    "0 3 00000000aa29c098"
#define WIDE                                                                                       \
    "   2: 00000000000000000000000001000000:C350 00000000000000000000000001000000:2BE3 01 "        \
    "00000000:00000000 00:00000000 00000000  1001        0 90858 1 00000000aa29c098 20 4 30 10 -1"
#define MAPPED                                                                                     \
    "   3: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:2BE3 01 "        \
    "00000000:00000000 00:00000000 00000000  1002        0 90859 1 00000000aa29c098 20 4 30 10 -1"

TEST(the_user_of_a_socket_is_found)
{
    const char *narrow = "::ffff:127.0.0.1";
    assert_int_equal(user_in(NARROW, narrow, 50000, narrow, 11235), 1000);
    assert_int_equal(user_in(WIDE, "::1", 50000, "::1", 11235), 1001);
    assert_int_equal(user_in(MAPPED, narrow, 50000, narrow, 11235), 1002);
}

TEST(another_sockets_user_is_not_taken_for_it)
{
    const char *narrow = "::ffff:127.0.0.1";
    assert_int_equal(user_in(NARROW, narrow, 11235, narrow, 50000), -1);
    assert_int_equal(user_in(NARROW, narrow, 50001, narrow, 11235), -1);
    assert_int_equal(user_in(NARROW, narrow, 50000, narrow, 11236), -1);
    assert_int_equal(user_in(NARROW, "::ffff:127.0.0.2", 50000, narrow, 11235), -1);
    assert_int_equal(user_in(NARROW, "::1", 50000, "::1", 11235), -1);
}

TEST(a_socket_without_an_owner_is_not_roots)
{
    const char *narrow = "::ffff:127.0.0.1";
    assert_int_equal(user_in(CLOSED, narrow, 50000, narrow, 11235), -1);
}

TEST(what_is_no_row_is_passed_over)
{
    static const char *const rows[] = {"",
                                       ":",
                                       "1: ::",
                                       "   1: 01:C350 01:2BE3 01",
                                       "   1: 0100007F:C350 0100007F:2BE3 01 0:0 0:0 0",
                                       "   1: 0100007F01:C350 0100007F:2BE3 01 0:0 0:0 0 0 0 7"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(user_in(rows[i], "::ffff:127.0.0.1", 50000, "::ffff:127.0.0.1", 11235),
                         -1);
}
