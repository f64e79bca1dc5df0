/* export/gzip.c - see gzip.h. SPDX-License-Identifier: Apache-2.0 */
#include "export/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#define PART_BYTES ((size_t)1 << 30)

/* zlib counts in 32 bits, so long texts are given in parts. */
void sc_export_gzip(const struct sc_str *from, struct sc_str *ret_bytes)
{
    unsigned char chunk[1 << 16];
    z_stream zip = {0};
    size_t given = 0;
    /* it fails for want of memory alone, which ends the program elsewhere, too */
    if (deflateInit2(&zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    do {
        size_t left = from->length - given;
        zip.next_in = (unsigned char *)from->data + given;
        zip.avail_in = (unsigned)(left < PART_BYTES ? left : PART_BYTES);
        given += zip.avail_in;
        do {
            zip.next_out = chunk;
            zip.avail_out = sizeof(chunk);
            (void)deflate(&zip, given == from->length ? Z_FINISH : Z_NO_FLUSH);
            sc_str_add_bytes(ret_bytes, (const char *)chunk, sizeof(chunk) - zip.avail_out);
        } while (zip.avail_out == 0);
    } while (given < from->length);
    (void)deflateEnd(&zip);
}
