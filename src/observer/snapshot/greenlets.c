/*
 * observer/snapshot/greenlets.c - the greenlets that are switched out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/greenlets.h"

#include <inttypes.h>
#include <string.h>

#include "cpython/modules.h"
#include "observer/snapshot/taking.h"
#include "observer/snapshot/wait_words.h"

#define GREENLETS_MAX   (1U << 20)
#define GREENLETS_SHOWN 200U
#define FRAMES_MAX      1024U
#define LISTINGS_MAX    8U
#define NAME_BYTES      128U

static char *name_of(const struct sc_python *python, const struct sc_greenlet *greenlet)
{
    char type[NAME_BYTES];
    if (greenlet->is_main)
        return sc_strdup("of the thread itself");
    if (!sc_type_name(python, greenlet->type, type, sizeof(type)))
        type[0] = '\0';
    const char *kind = strcmp(type, "Hub") == 0 ? "the hub of gevent" : sc_after_last(type, '.');
    bool is_plain = sc_is_among(kind, "greenlet Greenlet");
    return is_plain ? sc_format("0x%" PRIx64, greenlet->object)
                    : sc_format("0x%" PRIx64 " (%s)", greenlet->object, kind);
}

void sc_snapshot_greenlet_done(struct sc_snapshot_greenlet *greenlet)
{
    free(greenlet->name);
    free(greenlet->doing);
    sc_snapshot_frames_done(&greenlet->frames);
}

/* False when its frames make no sense though it has not gone on meanwhile. */
static bool add_greenlet(struct sc_taking *taking, const struct sc_greenlet *greenlet,
                         struct sc_py_frame *frames)
{
    struct sc_greenlet now;
    struct sc_snapshot_greenlet shown = {.name = name_of(&taking->python, greenlet)};
    size_t count = sc_greenlet_frames(&taking->python, taking->process.facts.code_type, greenlet,
                                      frames, FRAMES_MAX);
    bool is_named =
        sc_snapshot_name_frames(taking, frames, count, 0, 0, NULL, &shown.frames) && count > 0;
    const char *words = sc_wait_of_library(&shown.frames);
    shown.doing = sc_strdup(words != NULL ? words : "is switched out");
    sc_remote_forget(&taking->process.stacks.remote);
    bool is_same = sc_greenlet_read(&taking->python, greenlet->object, &now) &&
                   now.frame == greenlet->frame && now.start == greenlet->start &&
                   now.copy == greenlet->copy && now.copied_bytes == greenlet->copied_bytes;
    if (is_named && is_same)
        sc_vec_push(&taking->snapshot->greenlets, shown);
    else
        sc_snapshot_greenlet_done(&shown);
    return is_named || !is_same;
}

void sc_snapshot_take_greenlets(struct sc_taking *taking)
{
    const struct sc_python *python = &taking->python;
    struct sc_snapshot *snapshot = taking->snapshot;
    uint64_t runtime = taking->process.facts.runtime;
    SC_AUTO_FREE struct sc_greenlet *greenlets = sc_alloc(GREENLETS_MAX, sizeof(*greenlets));
    SC_AUTO_FREE struct sc_py_frame *frames = sc_alloc(FRAMES_MAX, sizeof(*frames));
    size_t count = 0;
    bool is_read = false;
    for (unsigned i = 0; i < LISTINGS_MAX && !is_read; i++) {
        sc_remote_forget(&taking->process.stacks.remote);
        is_read = sc_greenlets_list(python, runtime, sc_main_interpreter(python, runtime),
                                    greenlets, GREENLETS_MAX, &count);
    }
    for (size_t i = 0; i < count && i < GREENLETS_SHOWN && is_read; i++)
        is_read = add_greenlet(taking, &greenlets[i], frames);
    snapshot->greenlets_unreadable = !is_read;
    snapshot->greenlets_left_out = count > GREENLETS_SHOWN ? count - GREENLETS_SHOWN : 0;
}
