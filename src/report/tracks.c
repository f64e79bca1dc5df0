/*
 * report/tracks.c - garbage collection, input and output, and waiting for the GIL over time: as the
 * profile has them, or by its stacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/timeline.h"

/* -------- which stacks are of a track -------- */

/* For profiles that have no tracks of their own, as the original's. They have only stacks, so
 * tracks are found by the names of frames, those of CPython's collector and lock, of system calls
 * and of the modules that wait for them. Where a Python has no symbols, or a thread was read from
 * outside, a stack may be missed. */

/* Python/gc.c, Modules/gcmodule.c of 3.8 to 3.15; _Py_Dealloc frees one object and is no
 * collection. */
static const char gc_parts[] =
    "gc_collect PyGC deduce_unreachable subtract_refs move_unreachable delete_garbage "
    "untrack_tuples visit_reachable visit_decref gc_refs _Py_RunGC collect_generations";

/* Python/ceval_gil.h, Python/ceval_gil.c */
static const char gil_parts[] =
    "take_gil PyEval_LockGIL PyGILState_Ensure PyEval_AcquireThread PyEval_RestoreThread";

/* Without the underscores before them and what is behind an @. */
static const char io_calls[] =
    "read write pread pwrite pread64 pwrite64 readv writev recv recvfrom recvmsg send sendto "
    "sendmsg sendfile select pselect poll ppoll epoll_wait epoll_pwait accept accept4 connect open "
    "open64 openat close fsync fdatasync stat fstat getdents64 wait4 waitpid waitid io_getevents "
    "getaddrinfo libc_read libc_write libc_open64";

static const char io_files[] =
    "/socket.py /selectors.py /selector_events.py /subprocess.py /ssl.py /_pyio.py";

static bool is_io_call(const char *name)
{
    name += strspn(name, "_");
    return sc_is_one_of(name, strcspn(name, "@"), io_calls) ||
           (strncmp(name, "io_", 3) == 0 && strstr(name, "_impl") != NULL);
}

static unsigned char marks_of_native(const char *name)
{
    unsigned char marks = 0;
    if (sc_holds_any(name, gc_parts))
        marks |= 1U << SC_TRACK_GC;
    if (sc_holds_any(name, gil_parts))
        marks |= 1U << SC_TRACK_GIL;
    if (is_io_call(name))
        marks |= 1U << SC_TRACK_IO;
    return marks;
}

static unsigned char marks_of_python(const char *name, const char *path)
{
    bool is_io = sc_starts_with(name, "[await]") || strstr(path, "/asyncio/") != NULL ||
                 sc_ends_with_any(path, io_files);
    return is_io ? 1U << SC_TRACK_IO : 0;
}

static unsigned char marks_of(const struct sc_stacks *stacks, const struct sc_frame *frame)
{
    const char *name = sc_intern_text(&stacks->texts, frame->name);
    const char *path = sc_intern_text(&stacks->texts, frame->path);
    return sc_frame_is_python(frame) ? marks_of_python(name, path) : marks_of_native(name);
}

unsigned char *sc_stack_marks(const struct sc_stacks *stacks)
{
    const struct sc_trie *trie = &stacks->tries[SC_GRAIN_LINE];
    SC_AUTO_FREE unsigned char *of_frame = sc_alloc(stacks->frames.count + 1, 1);
    unsigned char *marks = sc_alloc(trie->nodes.count, 1);
    for (size_t i = 0; i < stacks->frames.count; i++)
        of_frame[i] = marks_of(stacks, &stacks->frames.items[i]);
    for (size_t i = 1; i < trie->nodes.count; i++) /* parents come before */
        marks[i] = marks[trie->nodes.items[i].parent] | of_frame[trie->nodes.items[i].frame];
    /* a wait for the interpreter is no wait for input, whatever is around it */
    for (size_t i = 1; i < trie->nodes.count; i++) {
        if ((marks[i] & (1U << SC_TRACK_GIL)) != 0)
            marks[i] &= (unsigned char)~(1U << SC_TRACK_IO);
    }
    return marks;
}

/* -------- the tracks that a profile itself has, and their part in spans of time -------- */

/* Ours have 1,024. */
#define SLOTS_MAX 100000U

/* No run is longer than a century. */
#define TIME_MAX_S 3e9

#define X_ID(name, id, title)    id,
#define X_TITLE(name, id, title) title,
const char *const sc_track_ids[SC_TRACK_COUNT_] = {SC_TRACKS(X_ID)};
const char *const sc_track_titles[SC_TRACK_COUNT_] = {SC_TRACKS(X_TITLE)};
#undef X_ID
#undef X_TITLE

/* The track with that id; SC_TRACK_COUNT_ when it is not known. */
static int track_of(const char *id)
{
    int track = 0;
    while (track < SC_TRACK_COUNT_ && strcmp(id, sc_track_ids[track]) != 0)
        track++;
    return track;
}

void sc_track_curves_init(struct sc_track_curve *curves, const struct sc_profile *profile)
{
    SC_EACH(const struct sc_profile_track, from, &profile->tracks) {
        int track = track_of(from->id);
        if (track == SC_TRACK_COUNT_ || curves[track].is_there || from->begin_s < 0 ||
            from->begin_s > TIME_MAX_S || from->slot_s <= 0 || from->slot_s > TIME_MAX_S)
            continue;
        struct sc_track_curve *curve = &curves[track];
        *curve = (struct sc_track_curve){true, from->begin_s, from->slot_s, {0}};
        for (size_t k = 0; k < from->shares.count && k < SLOTS_MAX; k++)
            sc_vec_push(&curve->shares, (float)fmin(fmax(from->shares.items[k], 0), 1));
    }
}

void sc_track_curves_done(struct sc_track_curve *curves)
{
    for (int track = 0; track < SC_TRACK_COUNT_; track++)
        sc_vec_done(&curves[track].shares);
}

void sc_track_curve_bins(const struct sc_track_curve *curve, double from_s, double to_s,
                         size_t bins, float *ret_shares)
{
    double grain_s = (to_s - from_s) / (double)bins;
    double end_s = curve->begin_s + (double)curve->shares.count * curve->slot_s;
    for (size_t i = 0; i < bins; i++) {
        double first_s = from_s + (double)i * grain_s;
        double last_s = fmin(first_s + grain_s, end_s);
        double sum_s = 0;
        double at_s = fmax(first_s, curve->begin_s);
        while (at_s < last_s) {
            size_t slot = (size_t)((at_s - curve->begin_s) / curve->slot_s);
            if (slot >= curve->shares.count)
                break;
            double next_s = fmin(curve->begin_s + (double)(slot + 1) * curve->slot_s, last_s);
            if (!(next_s > at_s)) /* too small a step for a double */
                next_s = nextafter(at_s, INFINITY);
            sum_s += (double)curve->shares.items[slot] * (next_s - at_s);
            at_s = next_s;
        }
        ret_shares[i] = (float)fmin(1, sum_s / grain_s);
    }
}
