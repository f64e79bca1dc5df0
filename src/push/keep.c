/* push/keep.c - see keep.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "export/deltas.h"
#include "export/writers.h"
#include "push/pieces.h"

#define NS_PER_S 1000000000U

/* Pieces of less than a second are named as if they were of one, and may so be ahead. */
#define AHEAD_S 10U

struct sc_keep {
    char *folder;
    uint64_t bytes_max;
    struct sc_export_deltas deltas;
    uint64_t taken_ns; /* since 1970, when the last one was taken; 0: none yet */
    uint64_t end_s;    /* as the name of the last one has it: the next begins there */
    unsigned pieces;
    unsigned lost;
    double lost_s;
    struct sc_err why; /* the last one was */
};

struct sc_keep *sc_keep_new(const char *folder, uint64_t bytes_max, struct sc_err *err)
{
    struct stat facts;
    bool is_there = mkdir(folder, 0700) == 0 || errno == EEXIST;
    if (is_there && (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode))) {
        is_there = false;
        errno = ENOTDIR;
    }
    is_there = is_there && access(folder, W_OK | X_OK) == 0;
    if (!is_there) {
        (void)sc_fail(err, SC_ERR_FAILED, "nothing can be kept in '%.200s': %s", folder,
                      strerror(errno));
        return NULL;
    }
    struct sc_keep *keep = sc_alloc(1, sizeof(*keep));
    keep->folder = sc_strdup(folder);
    keep->bytes_max = bytes_max;
    return keep;
}

/* Removes the oldest pieces until the rest, and that many bytes more, is as small as it may be. */
static void make_room(const struct sc_keep *keep, uint64_t bytes)
{
    SC_AUTO(sc_pieces_done) struct sc_pieces pieces = {0};
    struct sc_err err = {0};
    if (!sc_pieces_list(keep->folder, &pieces, &err))
        return;
    SC_EACH(const struct sc_piece, piece, &pieces)
        bytes += piece->bytes;
    SC_EACH(const struct sc_piece, piece, &pieces) {
        if (bytes <= keep->bytes_max)
            return;
        SC_AUTO_FREE char *path = sc_format("%s/%s", keep->folder, piece->name);
        (void)unlink(path);
        bytes -= piece->bytes;
    }
}

static void write_piece(struct sc_keep *keep, struct sc_export_samples *samples, uint64_t end_ns)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err err = {0};
    uint64_t now_s = end_ns / NS_PER_S + 1;
    uint64_t begin_s = keep->end_s;
    if (begin_s == 0 || begin_s > now_s + AHEAD_S) /* the first one, or the clock was set back */
        begin_s = (uint64_t)samples->begin_s < now_s ? (uint64_t)samples->begin_s : now_s - 1;
    keep->end_s = begin_s < now_s ? now_s : begin_s + 1; /* of several in a second, one each */
    SC_AUTO_FREE char *name = sc_piece_name(begin_s, keep->end_s, getpid());
    SC_AUTO_FREE char *path = sc_format("%s/%s", keep->folder, name);
    sc_export_pprof_of(samples, NULL, &bytes);
    make_room(keep, bytes.length);
    keep->pieces++;
    if (sc_write_private_file(path, sc_str_text(&bytes), bytes.length, &err))
        return;
    keep->lost++;
    keep->lost_s += samples->span_s;
    keep->why = err;
}

bool sc_keep_is_ready(void *context)
{
    (void)context;
    return true;
}

void sc_keep_take(void *context, const struct sc_profile *profile)
{
    struct sc_keep *keep = context;
    SC_AUTO(sc_export_samples_done) struct sc_export_samples samples = {0};
    uint64_t end_ns = sc_realtime_ns();
    sc_export_samples_init(&samples, profile);
    sc_export_deltas_take(&keep->deltas, &samples);
    samples.begin_s =
        keep->taken_ns > 0 ? (double)keep->taken_ns / 1e9 : profile->start_time_absolute_s;
    double span_s = (double)end_ns / 1e9 - samples.begin_s;
    samples.span_s = span_s > 0 ? span_s : 0;
    keep->taken_ns = end_ns;
    bool has_any = false;
    for (int value = 0; value < SC_EXPORT_COUNT_; value++)
        has_any |= samples.self[value] != NULL;
    if (has_any)
        write_piece(keep, &samples, end_ns);
}

char *sc_keep_end(void *context, const struct sc_profile *profile)
{
    struct sc_keep *keep = context;
    sc_keep_take(keep, profile);
    if (keep->lost == 0)
        return NULL;
    return sc_format("%u of %u pieces could not be kept, %.1f s of the run, which only this "
                     "profile has: %s",
                     keep->lost, keep->pieces, keep->lost_s, keep->why.text);
}

void sc_keep_free(struct sc_keep *keep)
{
    if (keep == NULL)
        return;
    sc_export_deltas_done(&keep->deltas);
    free(keep->folder);
    free(keep);
}
