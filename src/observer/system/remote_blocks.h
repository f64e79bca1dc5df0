/*
 * observer/system/remote_blocks.h - memory of another process, many neighbouring pages at a time.
 *
 * For walks over many small objects, which the interpreter keeps close together: thousands of tasks
 * lie in hundreds of pages, and one call reads eight of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SC_BLOCK_BYTES   32768U
#define SC_BLOCKS_CACHED 256U

struct sc_remote_block {
    uint64_t number; /* its number + 1; 0: empty */
    uint64_t pages;  /* one bit for each page that is here */
    unsigned char bytes[SC_BLOCK_BYTES];
};

/* One for all processes, which are read in turn. Initialise with {0}. */
struct sc_remote_blocks {
    pid_t pid;
    bool forbidden;                 /* the system does not let us read the process */
    struct sc_remote_block *blocks; /* 8 MiB, of which the system provides what is used */
};

/* From now on this process is read; what was read of another one is forgotten. */
void sc_remote_blocks_use(struct sc_remote_blocks *blocks, pid_t pid);
void sc_remote_blocks_done(struct sc_remote_blocks *blocks);
void sc_remote_blocks_forget(struct sc_remote_blocks *blocks);

/* One small read of many. */
struct sc_remote_word {
    uint64_t address;
    uint64_t length; /* at most 16 */
    unsigned char bytes[16];
};

/* Reads all words from the process, not from kept blocks; false when any cannot be read. */
bool sc_remote_words(struct sc_remote_blocks *blocks, struct sc_remote_word *words, size_t count);

/* sc_target's read function; context is a struct sc_remote_blocks. */
bool sc_remote_blocks_read(void *context, uint64_t address, void *bytes, size_t length);
