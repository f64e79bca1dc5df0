/*
 * report/tracks.c - which stacks are garbage collection, input and output, or waiting for the GIL.
 *
 * For profiles that have no tracks of their own (track_curves.c), as the original's. They have only
 * stacks, so tracks are found by the names of frames, those of CPython's collector and lock, of
 * system calls and of the modules that wait for them. Where a Python has no symbols, or a thread
 * was read from outside, a stack may be missed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "report/timeline.h"

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
