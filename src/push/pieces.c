/* push/pieces.c - see pieces.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/pieces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/str.h"

#define EXTENSION    ".pb.gz"
#define MOMENT       "%Y%m%dT%H%M%SZ"
#define MOMENT_CHARS 16U /* of years with four digits */

char *sc_pieces_folder(const char *profile)
{
    size_t length = strlen(profile) - (sc_ends_with(profile, ".json") ? strlen(".json") : 0);
    return sc_format("%.*s.kept", (int)length, profile);
}

static void add_moment(char text[MOMENT_CHARS + 1], uint64_t moment_s)
{
    struct tm parts = {0};
    time_t moment = (time_t)moment_s;
    (void)gmtime_r(&moment, &parts);
    if (strftime(text, MOMENT_CHARS + 1, MOMENT, &parts) != MOMENT_CHARS)
        text[0] = '\0';
}

char *sc_piece_name(uint64_t begin_s, uint64_t end_s, pid_t pid)
{
    char begin[MOMENT_CHARS + 1];
    char end[MOMENT_CHARS + 1];
    add_moment(begin, begin_s);
    add_moment(end, end_s);
    return sc_format("%s-%s-%d" EXTENSION, begin, end, (int)pid);
}

/* Cuts a moment and the "-" behind it off a name. */
static bool take_moment(const char **name, uint64_t *ret_s)
{
    struct tm parts = {0};
    const char *end = strptime(*name, MOMENT, &parts);
    time_t moment = end != NULL && *end == '-' ? timegm(&parts) : -1;
    if (moment < 0)
        return false;
    *ret_s = (uint64_t)moment;
    *name = end + 1;
    return true;
}

static bool read_name(const char *name, struct sc_piece *ret_piece)
{
    char *end = NULL;
    if (!take_moment(&name, &ret_piece->begin_s) || !take_moment(&name, &ret_piece->end_s))
        return false;
    ret_piece->pid = strtoull(name, &end, 10);
    return strcmp(end, EXTENSION) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sc_piece *)a)->name, ((const struct sc_piece *)b)->name);
}

bool sc_pieces_list(const char *folder, struct sc_pieces *ret_pieces, struct sc_err *err)
{
    DIR *directory = opendir(folder);
    struct dirent *entry = NULL;
    if (directory == NULL)
        return sc_fail(err, SC_ERR_FAILED, "'%.200s': %s", folder, strerror(errno));
    while ((entry = readdir(directory)) != NULL) {
        struct sc_piece piece = {0};
        struct stat facts;
        if (!read_name(entry->d_name, &piece) ||
            fstatat(dirfd(directory), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        piece.name = sc_strdup(entry->d_name);
        piece.bytes = (uint64_t)facts.st_blocks * 512U;
        sc_vec_push(ret_pieces, piece);
    }
    (void)closedir(directory);
    if (ret_pieces->count > 0)
        qsort(ret_pieces->items, ret_pieces->count, sizeof(*ret_pieces->items), by_name);
    return true;
}

void sc_pieces_done(struct sc_pieces *pieces)
{
    SC_EACH(struct sc_piece, piece, pieces)
        free(piece->name);
    sc_vec_done(pieces);
}
