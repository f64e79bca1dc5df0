/* base/archive.c - see archive.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/archive.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/mem.h"

/* Sizes and positions of the parts of an archive. */
enum {
    END_BYTES = 22,
    COMMENT_MAX = 65535,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1,
};

#define END_MARK   0x06054b50U
#define ENTRY_MARK 0x02014b50U
#define LOCAL_MARK 0x04034b50U
#define IS_64_BIT  UINT32_MAX /* the number stands elsewhere */

#define DIRECTORY_BYTES_MAX ((size_t)64 << 20)

struct member {
    uint32_t flags;
    uint32_t method;
    uint32_t checksum;
    uint32_t packed_bytes;
    uint32_t bytes;
    uint64_t at; /* of its local header in the file */
};

static uint32_t u16(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t u32(const unsigned char *bytes)
{
    return u16(bytes) | u16(bytes + 2) << 16;
}

/* The list of the archive's files, to be freed, or NULL. ret_before: bytes before the archive, as
 * of a line that names an interpreter, which its positions do not count. */
static unsigned char *read_directory(int fd, size_t *ret_length, uint64_t *ret_before)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || facts.st_size < END_BYTES)
        return NULL;
    uint64_t size = (uint64_t)facts.st_size;
    size_t tail = size < END_BYTES + COMMENT_MAX ? (size_t)size : (size_t)END_BYTES + COMMENT_MAX;
    SC_AUTO_FREE unsigned char *end = sc_alloc(tail, 1);
    if (!sc_read_part(fd, size - tail, end, tail))
        return NULL;
    size_t at = tail - END_BYTES + 1;
    while (at > 0 && u32(end + at - 1) != END_MARK)
        at--;
    if (at == 0)
        return NULL;
    uint64_t end_at = size - tail + at - 1;
    uint32_t length = u32(end + at - 1 + 12);
    uint32_t offset = u32(end + at - 1 + 16);
    if (length > DIRECTORY_BYTES_MAX || offset == IS_64_BIT || end_at < (uint64_t)length + offset)
        return NULL;
    unsigned char *directory = sc_alloc((size_t)length + 1, 1);
    if (!sc_read_part(fd, end_at - length, directory, length)) {
        free(directory);
        return NULL;
    }
    *ret_before = end_at - length - offset;
    *ret_length = length;
    return directory;
}

static bool find_member(const unsigned char *directory, size_t length, const char *name,
                        struct member *ret_member)
{
    size_t wanted = strlen(name);
    for (size_t at = 0; length - at >= ENTRY_BYTES && u32(directory + at) == ENTRY_MARK;) {
        const unsigned char *entry = directory + at;
        size_t name_length = u16(entry + 28);
        size_t whole = ENTRY_BYTES + name_length + u16(entry + 30) + u16(entry + 32);
        if (whole > length - at)
            return false;
        if (name_length == wanted && memcmp(entry + ENTRY_BYTES, name, wanted) == 0) {
            *ret_member = (struct member){
                .flags = u16(entry + 8),
                .method = u16(entry + 10),
                .checksum = u32(entry + 16),
                .packed_bytes = u32(entry + 20),
                .bytes = u32(entry + 24),
                .at = u32(entry + 42),
            };
            return true;
        }
        at += whole;
    }
    return false;
}

/* True when the packed bytes are exactly those of the member. */
static bool unpack(const struct member *member, unsigned char *packed, unsigned char *bytes)
{
    z_stream stream = {.next_in = packed, .avail_in = member->packed_bytes};
    if (member->method == STORED && member->packed_bytes == member->bytes) {
        memcpy(bytes, packed, member->bytes);
    } else if (member->method == DEFLATED && inflateInit2(&stream, -MAX_WBITS) == Z_OK) {
        stream.next_out = bytes;
        stream.avail_out = member->bytes;
        int result = inflate(&stream, Z_FINISH);
        bool is_whole = result == Z_STREAM_END && stream.total_out == member->bytes;
        (void)inflateEnd(&stream);
        if (!is_whole)
            return false;
    } else {
        return false;
    }
    return crc32(0, bytes, member->bytes) == member->checksum;
}

static bool read_member(int fd, const struct member *member, uint64_t before, size_t limit_bytes,
                        struct sc_str *ret_bytes)
{
    unsigned char local[LOCAL_BYTES];
    struct stat facts;
    uint64_t at = before + member->at;
    if ((member->flags & ENCRYPTED) != 0 || member->bytes > limit_bytes || fstat(fd, &facts) != 0 ||
        member->packed_bytes > (uint64_t)facts.st_size ||
        !sc_read_part(fd, at, local, LOCAL_BYTES) || u32(local) != LOCAL_MARK)
        return false;
    at += LOCAL_BYTES + u16(local + 26) + u16(local + 28);
    SC_AUTO_FREE unsigned char *packed = sc_alloc((size_t)member->packed_bytes + 1, 1);
    SC_AUTO_FREE unsigned char *bytes = sc_alloc((size_t)member->bytes + 1, 1);
    if (!sc_read_part(fd, at, packed, member->packed_bytes) || !unpack(member, packed, bytes))
        return false;
    sc_str_add_bytes(ret_bytes, (const char *)bytes, member->bytes);
    return true;
}

char *sc_archive_of(const char *path, const char **ret_member)
{
    struct stat facts;
    char *archive = sc_strdup(path);
    for (char *slash; (slash = strrchr(archive, '/')) != NULL && slash > archive;) {
        *slash = '\0';
        if (stat(archive, &facts) != 0)
            continue;
        if (!S_ISREG(facts.st_mode))
            break;
        *ret_member = path + (slash - archive) + 1;
        return archive;
    }
    free(archive);
    return NULL;
}

bool sc_archive_read(const char *archive, const char *member, size_t limit_bytes,
                     struct sc_str *ret_bytes)
{
    struct member found;
    size_t length = 0;
    uint64_t before = 0;
    SC_AUTO_CLOSE int fd = sc_open_regular(archive);
    SC_AUTO_FREE unsigned char *directory = fd >= 0 ? read_directory(fd, &length, &before) : NULL;
    return directory != NULL && find_member(directory, length, member, &found) &&
           read_member(fd, &found, before, limit_bytes, ret_bytes);
}
