/* observer/system/remote_blocks.c - see remote_blocks.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/remote_blocks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "observer/system/remote.h"

#define PAGE_BYTES     4096U
#define BLOCK_PAGES    (SC_BLOCK_BYTES / PAGE_BYTES)
#define WORDS_PER_CALL 256U

void sc_remote_blocks_use(struct sc_remote_blocks *blocks, pid_t pid)
{
    if (blocks->blocks == NULL)
        blocks->blocks = sc_alloc(SC_BLOCKS_CACHED, sizeof(*blocks->blocks));
    if (blocks->pid == pid)
        return;
    sc_remote_blocks_forget(blocks);
    blocks->pid = pid;
    blocks->forbidden = false;
}

void sc_remote_blocks_done(struct sc_remote_blocks *blocks)
{
    free(blocks->blocks);
    blocks->blocks = NULL;
}

void sc_remote_blocks_forget(struct sc_remote_blocks *blocks)
{
    for (size_t i = 0; i < SC_BLOCKS_CACHED; i++)
        blocks->blocks[i].number = 0;
}

/* Reads pages of the block from first on; returns how many could be read. */
static unsigned read_pages(struct sc_remote_blocks *blocks, struct sc_remote_block *block,
                           uint64_t number, unsigned first, unsigned count)
{
    struct iovec to[BLOCK_PAGES];
    struct iovec from[BLOCK_PAGES];
    uint64_t base = number * SC_BLOCK_BYTES + (uint64_t)first * PAGE_BYTES;
    unsigned char *bytes = block->bytes + (size_t)first * PAGE_BYTES;
    /* a call that meets a hole ends with the last part before it */
    for (size_t i = 0; i < count; i++) {
        to[i] = (struct iovec){.iov_base = bytes + i * PAGE_BYTES, .iov_len = PAGE_BYTES};
        from[i] = (struct iovec){.iov_base = (void *)(uintptr_t)(base + i * PAGE_BYTES),
                                 .iov_len = PAGE_BYTES};
    }
    ssize_t got = sc_remote_readv(blocks->pid, to, from, count, &blocks->forbidden);
    return got > 0 ? (unsigned)((size_t)got / PAGE_BYTES) : 0;
}

static const unsigned char *page_of(void *context, uint64_t page)
{
    struct sc_remote_blocks *blocks = context;
    uint64_t number = page / BLOCK_PAGES;
    unsigned wanted = (unsigned)(page % BLOCK_PAGES);
    struct sc_remote_block *block = &blocks->blocks[number % SC_BLOCKS_CACHED];
    if (block->number != number + 1) {
        unsigned count = read_pages(blocks, block, number, 0, BLOCK_PAGES);
        block->number = number + 1;
        block->pages = ((uint64_t)1 << count) - 1;
    }
    if ((block->pages >> wanted & 1) == 0) {
        if (read_pages(blocks, block, number, wanted, 1) == 0)
            return NULL;
        block->pages |= (uint64_t)1 << wanted;
    }
    return block->bytes + (size_t)wanted * PAGE_BYTES;
}

bool sc_remote_words(struct sc_remote_blocks *blocks, struct sc_remote_word *words, size_t count)
{
    struct iovec to[WORDS_PER_CALL];
    struct iovec from[WORDS_PER_CALL];
    for (size_t done = 0; done < count;) {
        size_t held = count - done < WORDS_PER_CALL ? count - done : WORDS_PER_CALL;
        size_t wanted = 0;
        for (size_t i = 0; i < held; i++) {
            struct sc_remote_word *word = &words[done + i];
            to[i] = (struct iovec){.iov_base = word->bytes, .iov_len = word->length};
            from[i] = (struct iovec){.iov_base = (void *)(uintptr_t)word->address,
                                     .iov_len = word->length};
            wanted += word->length;
        }
        if (sc_remote_readv(blocks->pid, to, from, held, &blocks->forbidden) != (ssize_t)wanted)
            return false;
        done += held;
    }
    return true;
}

bool sc_remote_blocks_read(void *context, uint64_t address, void *bytes, size_t length)
{
    return sc_remote_copy(page_of, context, address, bytes, length);
}
