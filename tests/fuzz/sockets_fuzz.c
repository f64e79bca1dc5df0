/*
 * tests/fuzz/sockets_fuzz.c - any bytes as the kernel's table of TCP sockets, and a row of the
 * kernel's form among them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "server/peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sc_end here = {.address = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1},
                                   .port = 0xf00d};
static const struct sc_end there = {.address = {[15] = 1}, .port = 0xbeef};

/* A row that no table can have by chance: one end is IPv4, the other one IPv6. */
static const char row[] =
    "\n   1: 0100007F:F00D 00000000000000000000000001000000:BEEF 01 00000000:00000000 00:00000000 "
    "00000000  4711        0 99 1 0000000000000000 20 0 0 10 -1\n";

static bool finds(char *text, size_t length, unsigned *ret_uid)
{
    FILE *table = fmemopen(text, length, "r");
    if (table == NULL)
        return false;
    bool is_found = sc_peer_find(table, &here, &there, ret_uid);
    (void)fclose(table);
    return is_found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length = size + sizeof(row) - 1;
    SC_AUTO_FREE char *text = malloc(length);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    memcpy(text + size, row, sizeof(row) - 1);
    unsigned uid = 0;
    bool is_own = memmem(data, size, ":F00D", 5) == NULL && memmem(data, size, ":f00d", 5) == NULL;
    bool is_found = finds(text, length, &uid);
    if (!is_found || (is_own && uid != 4711))
        abort();
    return 0;
}
