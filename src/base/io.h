/*
 * base/io.h - whole files and clocks, for the tool.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "base/err.h"
#include "base/str.h"

/* Adds the file's bytes to ret_bytes. limit_bytes bounds what is read; a longer file is an error,
 * found before it is read where its size is known. */
bool sc_read_file(const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                  struct sc_err *err);

/* Adds the bytes of a regular file. The kind of file that a path from elsewhere leads to is checked
 * before it is opened, as opening alone may block or have an effect; a file without bytes is not
 * opened. */
bool sc_read_regular_file(const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                          struct sc_err *err);

/* A descriptor to read a regular file by, or -1 with errno; a file of another kind is not
 * opened. */
int sc_open_regular(const char *path);

/* Copies the bytes from offset on; false when the file has not that many there. */
bool sc_read_part(int fd, uint64_t offset, void *bytes, size_t length);

/* Replaces the file by the bytes as one step: a temporary file beside it, then a rename. Mode,
 * owner and group stay, and so does a link: what it leads to is replaced, or made. A target that is
 * no regular file (/dev/stdout, a pipe) is written in place, and so is one that cannot be replaced,
 * since its directory takes no new file, it is a mount point or its owner would be another. */
bool sc_write_file(const char *path, const char *bytes, size_t length, struct sc_err *err);

/* The same for a file that holds source text, which may come from a file that only its owner can
 * read: no other user can read the new file, nor the temporary one. A file that is replaced keeps
 * its mode if that is stricter. */
bool sc_write_private_file(const char *path, const char *bytes, size_t length, struct sc_err *err);

/* Writes them all to a descriptor; false with errno. */
bool sc_write_all(int fd, const char *bytes, size_t length);

/* Whether the directory that sc_write_file would make the file in takes a new one, by making one
 * and removing it; errno says why not. The file's own name is not checked. */
bool sc_can_make_file(const char *path);

/* CLOCK_MONOTONIC in nanoseconds, as the kernel has it. */
uint64_t sc_now_ns(void);

/* CLOCK_BOOTTIME, which /proc has the beginnings of processes by. */
uint64_t sc_boottime_ns(void);

/* CLOCK_REALTIME, which files have their times by. */
uint64_t sc_realtime_ns(void);

/* The time between the kernel's ticks, in nanoseconds: CPU timers are checked at each tick. */
uint64_t sc_jiffy_ns(void);

/* CPU time of the calling thread in nanoseconds: a host that takes the processor away adds none. */
uint64_t sc_own_cpu_ns(void);

/* The same time, or a span of it, as system calls take it. */
struct timespec sc_timespec(uint64_t time_ns);

/* The same time for functions of libc that wait until then: a preloaded library that has other
 * times (libfaketime) has them in these functions, too. */
struct timespec sc_libcs_moment(uint64_t time_ns);
