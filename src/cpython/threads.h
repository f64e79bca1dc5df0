/*
 * cpython/threads.h - all threads of a process that its interpreters know, their names, and who
 * holds the interpreter lock, read through a callback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"

/* What an interpreter knows of a thread. */
struct sc_thread_entry {
    uint64_t state; /* addresses */
    uint64_t interpreter;
    uint64_t ident;     /* threading.get_ident(), which is pthread_self() */
    uint64_t native_id; /* the kernel's number, 3.11 and later; else 0 */
};

struct sc_gil {
    uint64_t holder;   /* a thread state, 0: nobody, or there is no such lock */
    uint64_t switches; /* how often it came to another thread than the one before */
};

/* The lock of an interpreter; up to 3.11 there is one for all. */
struct sc_gil sc_gil_read(const struct sc_python *python, uint64_t runtime, uint64_t interpreter);

/* The threads of all interpreters, at most capacity; the newest first. *ret_is_whole: false when
 * the lists changed while they were read, so that threads may be missing. */
size_t sc_threads_read(const struct sc_python *python, uint64_t runtime,
                       struct sc_thread_entry *entries, size_t capacity, bool *ret_is_whole);

/* What the module threading knows of a thread. */
struct sc_named_thread {
    uint64_t object;
    uint64_t ident;
    char name[128];
    bool is_daemon;
};

/* Threads that the module threading of the interpreter has listed, at most capacity; 0 when it was
 * not imported. */
size_t sc_named_threads_read(const struct sc_python *python, uint64_t interpreter,
                             struct sc_named_thread *threads, size_t capacity);

/* The same for one Thread object. */
bool sc_named_thread_read(const struct sc_python *python, uint64_t object,
                          struct sc_named_thread *ret_thread);
