/* agent/safe_read.c - see safe_read.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/safe_read.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/rules.h"

#define PAGE_SHIFT          12U
#define PAGE_BYTES          (1U << PAGE_SHIFT)
#define NO_SUCH_HOW         0x7fffffff
#define KERNEL_SIGSET_BYTES 8

SC_SIGNAL_SAFE static bool page_is_readable(struct sc_safe_reader *reader, uint64_t page)
{
    uint64_t *known = &reader->pages[page % SC_SAFE_PAGES];
    if (*known == page + 1)
        return true;
    /* not stored in pages: it is known to be readable only for this reading */
    if (page >= reader->sure_start >> PAGE_SHIFT && page << PAGE_SHIFT < reader->sure_end &&
        reader->sure_start < reader->sure_end)
        return true;
    if (syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, page << PAGE_SHIFT, NULL, KERNEL_SIGSET_BYTES) !=
            -1 ||
        errno != EINVAL)
        return false;
    *known = page + 1;
    return true;
}

/* The loads are volatile so that the compiler does not move them before the check, nor turn them
 * into a call of memcpy. */
SC_SIGNAL_SAFE static void load(uint64_t address, unsigned char *bytes, size_t length)
{
    for (; length >= 8 && address % 8 == 0; length -= 8, address += 8, bytes += 8) {
        uint64_t word = *(const volatile uint64_t *)address;
        __builtin_memcpy(bytes, &word, 8);
    }
    if (length == 4 && address % 4 == 0) {
        uint32_t word = *(const volatile uint32_t *)address;
        __builtin_memcpy(bytes, &word, 4);
        return;
    }
    const volatile unsigned char *from = (const volatile unsigned char *)address;
    for (size_t i = 0; i < length; i++)
        bytes[i] = from[i];
}

SC_SIGNAL_SAFE bool sc_safe_read(void *context, uint64_t address, void *bytes, size_t length)
{
    const struct sc_safe_reader *reader = context;
    if (length == 0)
        return true;
    uint64_t last = address + length - 1;
    if (address < PAGE_BYTES || last < address)
        return false;
    uint64_t page = address >> PAGE_SHIFT;
    bool is_known = last >> PAGE_SHIFT == page && reader->pages[page % SC_SAFE_PAGES] == page + 1;
    if (SC_LIKELY(is_known) || (address >= reader->sure_start && last < reader->sure_end)) {
        load(address, bytes, length);
        return true;
    }
    for (; page <= last >> PAGE_SHIFT; page++) {
        if (!page_is_readable(context, page))
            return false;
    }
    load(address, bytes, length);
    return true;
}
