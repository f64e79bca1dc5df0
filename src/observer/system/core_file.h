/*
 * observer/system/core_file.h - what a core file says: memory, mapped files, threads, the end.
 *
 * Nothing of it is believed: every offset and count is checked, and what makes no sense is left
 * out. The file is read in small parts, however large it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/procfs.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/* A piece of memory. Behind written_end the file was not to have it: the kernel leaves out what is
 * unchanged in mapped files. From held_end to written_end it was lost, as the file is cut. */
struct sc_core_segment {
    uint64_t start;
    uint64_t held_end;
    uint64_t written_end;
    uint64_t end;
    uint64_t offset; /* of start in the file */
    bool may_write;
    bool may_execute;
};

/* A piece of memory that was mapped from a file. */
struct sc_core_mapping {
    uint64_t start;
    uint64_t end;
    uint64_t offset; /* of start, in the mapped file */
    size_t name;     /* index of names */
};

struct sc_core_thread {
    pid_t tid;
    double cpu_s; /* of the first thread of a process: of all of them, also of those that ended */
    long call;    /* aarch64: the system call that it is in; -1 in the cores of the kernel */
    elf_gregset_t registers;
};

/* Why the core was written. */
struct sc_core_end {
    int signal; /* 0: not known */
    int code;   /* si_code */
    uint64_t address;
    pid_t sender;    /* 0 where it is outside the process's PID namespace */
    bool has_sender; /* the file says by what the signal was sent */
};

struct sc_core_file {
    int fd;
    uint64_t bytes;   /* the file's length */
    double written_s; /* when it was, since the epoch */
    bool has_psinfo;
    bool has_files;
    pid_t pid;
    char name[17];    /* of the first thread */
    char command[81]; /* the start of it */
    uint64_t entry;   /* an address in the program itself, or 0 */
    uint64_t vdso;    /* where it begins, or 0 */
    uint64_t lost_bytes;
    struct sc_core_end end;
    SC_VEC(struct sc_core_segment) segments; /* by start */
    SC_VEC(struct sc_core_mapping) mappings; /* by start */
    struct sc_texts names;                   /* of mapped files */
    SC_VEC(struct sc_core_thread) threads;   /* first the one that the signal met */
};

/* False with err set, in words that continue the file's name: it cannot be read, or is no core of a
 * 64-bit program of this processor. */
bool sc_core_file_open(const char *path, struct sc_core_file *ret, struct sc_err *err);
void sc_core_file_done(struct sc_core_file *file);

/* The segment that holds address, or NULL. */
const struct sc_core_segment *sc_core_file_segment(const struct sc_core_file *file,
                                                   uint64_t address);
/* The mapping that holds address, or NULL. */
const struct sc_core_mapping *sc_core_file_mapping(const struct sc_core_file *file,
                                                   uint64_t address);
