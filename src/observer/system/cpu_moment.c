/* observer/system/cpu_moment.c - see cpu_moment.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/cpu_moment.h"

#include <string.h>

/* Which registers the kernel copies (asm/perf_regs.h), and their DWARF numbers in that order. */
#if defined(__x86_64__)
#define MASK 0xff01ffU
static const uint8_t dwarf_of[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};
static const size_t pc_at = 8;
static const unsigned char system_call[] = {0x0f, 0x05};
#else /* AArch64 */
#define MASK 0x1ffffffffU
static const uint8_t dwarf_of[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
static const size_t pc_at = 32;
static const unsigned char system_call[] = {0x01, 0x00, 0x00, 0xd4};
#endif
#define REGISTERS (sizeof(dwarf_of) / sizeof(dwarf_of[0]))

/* Header, clock, ABI, registers, size, stack, size of what of it was copied. */
#define RECORD_BYTES_MAX                                                                           \
    (sizeof(struct perf_event_header) + 64 + 8 * REGISTERS + SC_MOMENT_STACK_BYTES)

/* What is left of a record. */
struct rest {
    const unsigned char *at;
    size_t bytes;
};

void sc_cpu_moment_ask(struct perf_event_attr *attributes)
{
    attributes->sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes->sample_regs_user = MASK;
    attributes->sample_stack_user = SC_MOMENT_STACK_BYTES;
}

static bool take_bytes(struct rest *rest, void *ret_bytes, size_t length)
{
    if (length > rest->bytes)
        return false;
    memcpy(ret_bytes, rest->at, length);
    rest->at += length;
    rest->bytes -= length;
    return true;
}

static bool take_word(struct rest *rest, uint64_t *ret_word)
{
    return take_bytes(rest, ret_word, sizeof(*ret_word));
}

static bool take_registers(struct rest *rest, struct sc_registers *ret)
{
    *ret = (struct sc_registers){0};
    for (size_t i = 0; i < REGISTERS; i++) {
        uint64_t value;
        uint8_t column = sc_machine.columns[dwarf_of[i]];
        if (!take_word(rest, &value))
            return false;
        if (i == pc_at)
            ret->pc = value;
        if (column == SC_COLUMN_NONE)
            continue;
        ret->values[column] = value;
        ret->known |= 1U << column;
    }
    return true;
}

/* The size is that of the room in the record; what was copied is at its start. */
static bool take_stack(struct rest *rest, struct sc_cpu_moment *ret)
{
    uint64_t room = 0;
    uint64_t copied = 0;
    if (!take_word(rest, &room) || room > sizeof(ret->stack) ||
        !take_bytes(rest, ret->stack, room) || (room > 0 && !take_word(rest, &copied)) ||
        copied > room)
        return false;
    ret->stack_start = ret->registers.values[sc_machine.stack_column];
    ret->stack_bytes = copied;
    return true;
}

static bool parse(const struct perf_event_header *header, struct rest rest,
                  struct sc_cpu_moment *ret)
{
    uint64_t abi;
    if (header->type != PERF_RECORD_SAMPLE)
        return false;
    ret->in_kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    return take_word(&rest, &ret->clock_ns) && take_word(&rest, &abi) &&
           abi == PERF_SAMPLE_REGS_ABI_64 && take_registers(&rest, &ret->registers) &&
           take_stack(&rest, ret);
}

static void copy_out(const unsigned char *data, size_t ring_bytes, uint64_t from, void *ret_bytes,
                     size_t length)
{
    size_t at = from % ring_bytes;
    size_t first = length < ring_bytes - at ? length : ring_bytes - at;
    memcpy(ret_bytes, data + at, first);
    memcpy((unsigned char *)ret_bytes + first, data, length - first);
}

bool sc_cpu_moment_take(struct perf_event_mmap_page *ring, const unsigned char *data,
                        size_t ring_bytes, struct sc_cpu_moment *ret)
{
    unsigned char record[RECORD_BYTES_MAX];
    bool is_found = false;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->data_tail;
    while (head - tail >= sizeof(struct perf_event_header) && head - tail <= ring_bytes) {
        struct perf_event_header header;
        copy_out(data, ring_bytes, tail, &header, sizeof(header));
        if (header.size < sizeof(header) || header.size > head - tail)
            break;
        if (header.size <= sizeof(record)) {
            copy_out(data, ring_bytes, tail, record, header.size);
            const struct rest rest = {record + sizeof(header), header.size - sizeof(header)};
            is_found = parse(&header, rest, ret) || is_found;
        }
        tail += header.size;
    }
    __atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
    return is_found;
}

bool sc_cpu_moment_in_call(const struct sc_cpu_moment *moment, const struct sc_target *target)
{
    unsigned char before[sizeof(system_call)];
    return moment->in_kernel &&
           sc_target_read(target, moment->registers.pc - sizeof(before), before, sizeof(before)) &&
           memcmp(before, system_call, sizeof(before)) == 0;
}

bool sc_cpu_moment_read(void *context, uint64_t address, void *bytes, size_t length)
{
    const struct sc_cpu_moment_memory *memory = context;
    const struct sc_cpu_moment *moment = memory->moment;
    uint64_t at = address - moment->stack_start;
    if (address < moment->stack_start || at > moment->stack_bytes ||
        length > moment->stack_bytes - at)
        return sc_target_read(memory->now, address, bytes, length);
    memcpy(bytes, moment->stack + at, length);
    return true;
}
