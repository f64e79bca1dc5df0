/* agent/announce.c - see announce.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/announce.h"

#include "agent/known_keys.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "channel/writer.h"

#define KNOWN_KEYS 12288U

static _Atomic uint64_t known_keys[KNOWN_KEYS];

SC_SIGNAL_SAFE static void copy(unsigned char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = (unsigned char)from[i];
}

SC_SIGNAL_SAFE static bool send_code(const struct sc_target *target,
                                     const struct sc_code_facts *facts,
                                     struct sc_announce_scratch *scratch)
{
    const struct sc_layout *layout = &sc_agent.layout;
    size_t file_length = 0;
    size_t name_length = 0;
    size_t table_length = 0;
    if (!sc_unicode_read(layout, target, facts->filename, scratch->file, sizeof(scratch->file),
                         &file_length) ||
        !sc_unicode_read(layout, target, facts->name, scratch->name, sizeof(scratch->name),
                         &name_length) ||
        !sc_bytes_size(layout, target, facts->line_table, &table_length)) {
        sc_agent_lose(SC_AGENT_LOSS_UNKNOWN_CODE);
        return false;
    }
    bool is_large = table_length > SC_LINE_TABLE_MAX; /* 10,000 statements and more */
    if (is_large)
        table_length = 0;
    size_t size = sizeof(struct sc_record_code) + file_length + name_length + table_length;
    struct sc_record_code *record = sc_ring_reserve(sc_agent.segment, size);
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_RING_FULL);
        return false;
    }
    unsigned char *texts = (unsigned char *)(record + 1);
    copy(texts, scratch->file, file_length);
    copy(texts + file_length, scratch->name, name_length);
    bool read = sc_bytes_read(layout, target, facts->line_table, texts + file_length + name_length,
                              table_length);
    record->code_key = facts->key;
    record->first_line = facts->first_line;
    record->file_length = (uint32_t)file_length;
    record->name_length = (uint32_t)name_length;
    record->large_code = is_large ? facts->code : 0;
    record->line_table_length = read ? (uint32_t)table_length : 0;
    sc_ring_commit(record, SC_RECORD_CODE, size);
    return true;
}

SC_SIGNAL_SAFE bool sc_announce(const struct sc_target *target, const struct sc_code_facts *facts,
                                struct sc_announce_scratch *scratch)
{
    if (sc_known_has(known_keys, KNOWN_KEYS, facts->key))
        return true;
    if (!send_code(target, facts, scratch))
        return false;
    sc_known_add(known_keys, KNOWN_KEYS, facts->key);
    return true;
}
