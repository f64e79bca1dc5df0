/*
 * push/pieces.h - the folder that `scalene run --keep` leaves: a file for each piece of the run.
 *
 * A file's name says what it covers, in UTC, and the process that wrote it:
 * 20261201T030000Z-20261201T030100Z-4711.pb.gz. Other files there are nobody's business.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

struct sc_piece {
    char *name;       /* without the folder; owned */
    uint64_t bytes;   /* on the disk */
    uint64_t begin_s; /* since 1970 */
    uint64_t end_s;   /* the first second that is no longer covered */
    uint64_t pid;     /* of the process that wrote it */
};

struct sc_pieces SC_VEC_OF(struct sc_piece);

/* The folder of a profile: "p.kept" of "p.json". To be freed. */
char *sc_pieces_folder(const char *profile);

/* To be freed. */
char *sc_piece_name(uint64_t begin_s, uint64_t end_s, pid_t pid);

/* Those in the folder, the one that begins first in front. */
bool sc_pieces_list(const char *folder, struct sc_pieces *ret_pieces, struct sc_err *err);

void sc_pieces_done(struct sc_pieces *pieces);
