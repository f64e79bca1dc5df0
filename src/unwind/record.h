/*
 * unwind/record.h - the parts of unwinding: modules, records, rows, frames, and the cache of rows.
 *
 * Formats: DWARF 5 section 6.4, and the Linux Standard Base's .eh_frame and .eh_frame_hdr, which
 * differ from it in small ways. All of it runs in a signal handler unless said otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpython/target.h"
#include "unwind/machine.h"

/* A loaded object with unwind data. Between its segments there may be memory without rights, and
 * its file may point anywhere. */
struct sc_unwind_module {
    uint64_t start;
    uint64_t end;
    uint64_t header; /* .eh_frame_hdr */
    /* What plain loads may read: the segment that holds header, and nearly always .eh_frame. Empty
     * where it is not known, and for an object that the loader has not just reported. */
    uint64_t plain_start;
    uint64_t plain_end;
    const struct sc_target *target; /* the reader for all other bytes */
};

/* Finds the module that holds address. */
bool sc_unwind_module_find(uint64_t address, const struct sc_target *target,
                           struct sc_unwind_module *ret_module);

/* Sets what plain loads may read, by the program headers at the module's start; base is what the
 * loader has added to the addresses in them. The module must be loaded. */
void sc_unwind_module_set_bounds(struct sc_unwind_module *module, uint64_t base);

/* In normal context: lists the modules that are loaded now, for a C library without
 * _dl_find_object. */
void sc_unwind_modules_gather(void);

/* In normal context, for tests: whether to use _dl_find_object when there is one. */
void sc_unwind_modules_ask_loader(bool ask);

/* Copies bytes that plain loads may read. */
void sc_unwind_load(uint64_t address, void *ret_bytes, size_t length);

/* Copies bytes of unwind data; false when they are not all inside the module or cannot be read. */
bool sc_unwind_data(const struct sc_unwind_module *module, uint64_t address, void *bytes,
                    size_t length);

/* Unaligned words. Volatile, so that the compiler does not merge, split or repeat the reads. */
struct sc_unaligned_word {
    volatile uint64_t word;
} __attribute__((packed, may_alias));

/* A pointer to unwind data in place; NULL when it is not all where plain loads may read. */
static inline const struct sc_unaligned_word *sc_unwind_at(const struct sc_unwind_module *module,
                                                           uint64_t address, size_t length)
{
    bool is_plain = address >= module->plain_start && address <= module->plain_end &&
                    length <= module->plain_end - address;
    return is_plain ? (const struct sc_unaligned_word *)address : NULL;
}

/* Part of a hash. */
static inline uint64_t sc_unwind_mix(uint64_t first, uint64_t second)
{
    uint64_t mixed = (first ^ (second * 0x9e3779b97f4a7c15U)) * 0xbf58476d1ce4e5b9U;
    return mixed ^ (mixed >> 29);
}

/* A range of bytes that is read sequentially. After a failed read every value is 0 and failed is
 * set. */
struct sc_unwind_bytes {
    const struct sc_unwind_module *module;
    uint64_t next;
    uint64_t end;
    bool failed;
    uint8_t held;  /* bytes in buffer */
    uint8_t taken; /* how many of them were returned */
    uint8_t buffer[32];
};

void sc_unwind_bytes_begin(struct sc_unwind_bytes *bytes, const struct sc_unwind_module *module,
                           uint64_t start, uint64_t end);
uint8_t sc_unwind_byte(struct sc_unwind_bytes *bytes);
uint64_t sc_unwind_fixed(struct sc_unwind_bytes *bytes, size_t length);
uint64_t sc_unwind_uleb(struct sc_unwind_bytes *bytes);
int64_t sc_unwind_sleb(struct sc_unwind_bytes *bytes);
uint64_t sc_unwind_position(const struct sc_unwind_bytes *bytes);
/* Reads a pointer in one of the DW_EH_PE encodings, except indirect ones. */
uint64_t sc_unwind_pointer(struct sc_unwind_bytes *bytes, uint8_t encoding);

/* The search table of a module. */
struct sc_unwind_table {
    const struct sc_unwind_module *module;
    uint64_t entries; /* address of the first; each is a pair of offsets from the header */
    uint32_t count;
};

struct sc_unwind_entry {
    uint64_t start;  /* of the code */
    uint64_t record; /* address of the FDE */
};

bool sc_unwind_table_open(const struct sc_unwind_module *module, struct sc_unwind_table *ret_table);
bool sc_unwind_table_entry(const struct sc_unwind_table *table, uint32_t index,
                           struct sc_unwind_entry *ret_entry);
/* Whether the entry at index covers address; ret_entry is filled in when it does. */
bool sc_unwind_table_covers(const struct sc_unwind_table *table, uint32_t index, uint64_t address,
                            struct sc_unwind_entry *ret_entry);
/* Finds the last entry that starts at or before address. */
bool sc_unwind_table_search(const struct sc_unwind_table *table, uint64_t address,
                            uint32_t *ret_index, struct sc_unwind_entry *ret_entry);

/* A frame description entry (FDE), with the fields of its common information entry (CIE). */
struct sc_unwind_record {
    uint64_t address; /* of the FDE */
    uint64_t start;   /* of the code */
    uint64_t end;
    uint64_t program; /* of the FDE */
    uint64_t program_end;
    uint64_t common; /* address of the CIE */
    uint64_t common_program;
    uint64_t common_program_end;
    uint64_t code_alignment;
    int64_t data_alignment;
    uint8_t encoding; /* of pointers in the FDE */
    bool augmented;   /* the FDE has augmentation data */
    bool signal_frame;
    uint8_t return_column;
};

bool sc_unwind_record_read(const struct sc_unwind_module *module, uint64_t address,
                           struct sc_unwind_record *ret_record);

enum sc_unwind_rule_kind {
    SC_RULE_SAME,
    SC_RULE_UNDEFINED,
    SC_RULE_OFFSET,           /* saved at CFA + value */
    SC_RULE_VALUE_OFFSET,     /* is CFA + value */
    SC_RULE_COLUMN,           /* is in column value */
    SC_RULE_EXPRESSION,       /* saved where the expression at record + value points */
    SC_RULE_VALUE_EXPRESSION, /* is the result of the expression at record + value */
    SC_RULE_UNKNOWN,          /* saved in a way that we do not support */
};

/* How to get from a frame's registers to its caller's, at one address. */
struct sc_unwind_row {
    int32_t values[SC_SLOTS];
    uint8_t kinds[SC_SLOTS];
    bool is_plain; /* all kinds are among the first three */
    bool frame_is_expression;
    uint8_t frame_column; /* CFA = column + frame_offset, or the expression at record + offset */
    int32_t frame_offset;
};

/* Computes the row for pc. ret_used is the number of bytes, from the record's start, that were
 * used. */
bool sc_unwind_row_find(const struct sc_unwind_module *module,
                        const struct sc_unwind_record *record, uint64_t pc,
                        struct sc_unwind_row *ret_row, size_t *ret_used);

/* Evaluates a DWARF expression (a uleb length, then its operations) at address; if has_push, the
 * stack starts with the value push. ret_constant: whether the value's distance from the stack
 * pointer is the same each time that this code runs. */
bool sc_unwind_expression(const struct sc_unwind_module *module, const struct sc_target *target,
                          const struct sc_registers *registers, uint64_t address, bool has_push,
                          uint64_t push, uint64_t *ret_value, bool *ret_constant);

/* The value of a column, read from memory if it was saved there. */
static inline bool sc_unwind_value(const struct sc_target *target,
                                   const struct sc_registers *registers, uint8_t column,
                                   uint64_t *ret_value)
{
    if (column >= SC_COLUMNS || !(registers->known & (1U << column)))
        return false;
    *ret_value = registers->values[column];
    if (!(registers->in_memory & (1U << column)))
        return true;
    return sc_target_read(target, registers->values[column], ret_value, sizeof(*ret_value));
}

/* What leads from one frame to the next. In a row without expressions nothing but the row is used.
 */
struct sc_unwind_step {
    bool has_module; /* module and table are those of the previous frame */
    struct sc_unwind_module module;
    struct sc_unwind_table table;
    struct sc_unwind_record record;
    struct sc_unwind_row row;
    uint32_t index; /* of the record in the table */
};

/* The frame's address (DWARF's CFA), for a row just computed or from the cache. A row whose
 * expression is found to be a plain offset is replaced by that. */
bool sc_unwind_frame(struct sc_unwind_step *step, const struct sc_target *target,
                     const struct sc_registers *registers, uint64_t *ret_frame);

enum sc_unwind_caller {
    SC_CALLER_FOUND,
    SC_CALLER_NONE, /* this is the thread's outermost frame */
    SC_CALLER_LOST, /* its address is not known, or makes no sense */
};

/* Turns the registers of a function into its caller's. innermost: they are not those of a caller
 * themselves. */
enum sc_unwind_caller sc_unwind_caller(const struct sc_unwind_step *step,
                                       const struct sc_target *target, uint64_t frame,
                                       bool innermost, struct sc_registers *registers);

/* The cache of rows, shared by all threads. A row is returned only if pc still belongs to the
 * record that the row was computed from, so modules may be loaded and unloaded. */
bool sc_unwind_memo_get(const struct sc_unwind_table *table, uint64_t pc,
                        struct sc_unwind_row *ret_row);
void sc_unwind_memo_put(const struct sc_unwind_table *table, uint64_t pc, uint32_t index,
                        const struct sc_unwind_record *record, size_t used,
                        const struct sc_unwind_row *row);
