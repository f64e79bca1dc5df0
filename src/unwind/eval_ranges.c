/*
 * unwind/eval_ranges.c - finds the machine code of the evaluation loop. Runs once, at start.
 *
 * The symbol is not enough: optimised builds move code that rarely runs, or nearly all of the loop,
 * to a second place without a symbol, and builds with tail calls have a function for each opcode.
 * Every place is covered by an unwind record, though, and these places can be found because
 *  - two parts of one function jump into the middle of each other, which no two functions do;
 *  - a table of 256 pointers holds the functions for opcodes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <link.h>

#include "unwind/machine.h"
#include "unwind/record.h"
#include "unwind/unwind.h"

/* If less than this was found (the smallest known loop has 34 KB), the opcode table is searched
 * for. */
#define LOOP_BYTES_MIN 16384

/* Bytes that only look like jumps hit the middle of another record about once in a loop's 50 KB,
 * and never in both directions. */
#define LINKS_MIN 4

#define OPCODES              256
#define DISTINCT_OPCODES_MIN 128

/* Unrelated records that a part may seem to jump into. */
#define CANDIDATES_MAX 16

struct search {
    struct sc_unwind_module module;
    struct sc_unwind_table table;
    struct sc_eval_ranges *ranges; /* sorted only at the end */
};

struct candidate {
    struct sc_range range;
    size_t links;
};

/* The code of the record that covers address. */
static bool find_record(const struct search *search, uint64_t address, struct sc_range *ret_range)
{
    uint32_t index;
    struct sc_unwind_entry entry;
    struct sc_unwind_record record;
    if (!sc_unwind_table_search(&search->table, address, &index, &entry) ||
        !sc_unwind_record_read(&search->module, entry.record, &record) || address < record.start ||
        address >= record.end || record.start < search->module.start ||
        record.end > search->module.end)
        return false;
    *ret_range = (struct sc_range){record.start, record.end};
    return true;
}

static bool is_known(const struct search *search, uint64_t start)
{
    for (uint32_t i = 0; i < search->ranges->count; i++) {
        if (search->ranges->ranges[i].start == start)
            return true;
    }
    return false;
}

static bool add_range(struct search *search, struct sc_range range)
{
    if (search->ranges->count == SC_EVAL_RANGES_MAX)
        return false;
    if (!is_known(search, range.start))
        search->ranges->ranges[search->ranges->count++] = range;
    return true;
}

/* Finds the next jump in part, at *offset or later, to a target elsewhere in the module. */
static bool next_jump(const struct search *search, struct sc_range part, size_t *offset,
                      uint64_t *ret_target)
{
    const uint8_t *code = (const uint8_t *)part.start;
    size_t length = part.end - part.start;
    while (*offset < length) {
        size_t at = *offset;
        *offset += sc_machine_code_step();
        if (sc_machine_jump(code + at, length - at, part.start + at, ret_target) &&
            (*ret_target < part.start || *ret_target >= part.end) &&
            *ret_target >= search->module.start && *ret_target < search->module.end)
            return true;
    }
    return false;
}

static size_t count_jumps_into(const struct search *search, struct sc_range part,
                               struct sc_range target_part)
{
    size_t count = 0;
    size_t offset = 0;
    uint64_t target;
    while (next_jump(search, part, &offset, &target))
        count += target > target_part.start && target < target_part.end;
    return count;
}

static void add_candidate(struct candidate *candidates, size_t *count, struct sc_range range)
{
    size_t i = 0;
    while (i < *count && candidates[i].range.start != range.start)
        i++;
    if (i == CANDIDATES_MAX)
        return;
    if (i == *count)
        candidates[(*count)++] = (struct candidate){range, 0};
    candidates[i].links++;
}

/* Adds the other parts of the function that part belongs to. */
static void add_linked_parts(struct search *search, struct sc_range part)
{
    struct candidate candidates[CANDIDATES_MAX];
    size_t count = 0;
    size_t offset = 0;
    uint64_t target;
    while (next_jump(search, part, &offset, &target)) {
        struct sc_range range;
        if (find_record(search, target, &range) && target != range.start)
            add_candidate(candidates, &count, range);
    }
    for (size_t i = 0; i < count; i++) {
        size_t back = count_jumps_into(search, candidates[i].range, part);
        if (back > 0 && candidates[i].links + back >= LINKS_MIN)
            (void)add_range(search, candidates[i].range);
    }
}

static bool is_code(const struct search *search, uint64_t address)
{
    return address >= search->module.start && address < search->module.end;
}

/* The word may be in a gap between variables: the address sanitizer would report such a read. */
__attribute__((no_sanitize_address)) static uint64_t word_at(const uint64_t *words, size_t index)
{
    return words[index];
}

/* If words is a table of opcodes, adds the functions or parts that it points into. */
static bool add_table(struct search *search, const uint64_t *words)
{
    uint32_t before = search->ranges->count;
    size_t distinct = 0;
    for (size_t i = 0; i < OPCODES; i++) {
        size_t same = 0;
        while (same < i && word_at(words, same) != word_at(words, i))
            same++;
        distinct += same == i;
    }
    if (distinct < DISTINCT_OPCODES_MIN)
        return false;
    size_t starts = 0;
    for (size_t i = 0; i < OPCODES; i++) {
        struct sc_range range;
        if (!find_record(search, word_at(words, i), &range) || !add_range(search, range)) {
            search->ranges->count = before;
            return false;
        }
        starts += range.start == word_at(words, i);
    }
    /* One function per opcode, or labels in at most two parts of one function. */
    if (starts == OPCODES || search->ranges->count - before <= 2)
        return true;
    search->ranges->count = before;
    return false;
}

/* Searches for the table in one readable segment that holds no code. */
static bool search_segment(struct search *search, uint64_t start, uint64_t end)
{
    const uint64_t *words = (const uint64_t *)((start + 7) & ~UINT64_C(7));
    size_t count = end > (uint64_t)words ? (end - (uint64_t)words) / sizeof(*words) : 0;
    size_t run = 0;
    for (size_t i = 0; i < count; i++) {
        run = is_code(search, word_at(words, i)) ? run + 1 : 0;
        if (run < OPCODES)
            continue;
        struct sc_range range;
        if (find_record(search, word_at(words, i), &range) &&
            find_record(search, word_at(words, i + 1 - OPCODES), &range) &&
            add_table(search, words + i + 1 - OPCODES))
            return true;
    }
    return false;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    bool ours = false;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        ours = ours || (segment->p_type == PT_GNU_EH_FRAME &&
                        info->dlpi_addr + segment->p_vaddr == search->module.header);
    }
    for (size_t i = 0; ours && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && !(segment->p_flags & PF_X) &&
            search_segment(search, start, start + segment->p_filesz))
            return 1;
    }
    return ours;
}

/* Sorts the ranges, and merges those that overlap or touch. */
static void put_in_order(struct sc_eval_ranges *ranges)
{
    for (uint32_t i = 1; i < ranges->count; i++) {
        struct sc_range range = ranges->ranges[i];
        uint32_t place = i;
        for (; place > 0 && ranges->ranges[place - 1].start > range.start; place--)
            ranges->ranges[place] = ranges->ranges[place - 1];
        ranges->ranges[place] = range;
    }
    uint32_t kept = 0;
    for (uint32_t i = 1; i < ranges->count; i++) {
        struct sc_range *previous = &ranges->ranges[kept];
        if (ranges->ranges[i].start > previous->end)
            ranges->ranges[++kept] = ranges->ranges[i];
        else if (ranges->ranges[i].end > previous->end)
            previous->end = ranges->ranges[i].end;
    }
    if (ranges->count > 0)
        ranges->count = kept + 1;
}

static uint64_t bytes_in(const struct sc_eval_ranges *ranges)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        bytes += ranges->ranges[i].end - ranges->ranges[i].start;
    return bytes;
}

static void add_all_linked_parts(struct search *search)
{
    for (uint32_t i = 0; i < search->ranges->count; i++)
        add_linked_parts(search, search->ranges->ranges[i]);
}

void sc_eval_ranges_find(struct sc_eval_ranges *ret_ranges, const struct sc_target *target,
                         uint64_t function, size_t size_bytes)
{
    sc_unwind_init();
    ret_ranges->count = 0;
    struct search search = {.ranges = ret_ranges};
    struct sc_range range;
    if (!sc_unwind_module_find(function, target, &search.module) ||
        !sc_unwind_table_open(&search.module, &search.table) ||
        !find_record(&search, function, &range)) {
        if (size_bytes > 0)
            ret_ranges->ranges[ret_ranges->count++] =
                (struct sc_range){function, function + size_bytes};
        return;
    }
    (void)add_range(&search, range);
    add_all_linked_parts(&search);
    if (bytes_in(ret_ranges) < LOOP_BYTES_MIN) {
        (void)dl_iterate_phdr(search_object, &search);
        add_all_linked_parts(&search);
    }
    put_in_order(ret_ranges);
}
