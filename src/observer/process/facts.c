/* observer/process/facts.c - see facts.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/facts.h"

#include <string.h>

#include "cpython/find_layout.h"

struct sc_interpreter_facts sc_facts_read(const struct sc_reader *reader)
{
    struct sc_segment_facts sent;
    sc_reader_facts(reader, &sent);
    return sent.interpreter;
}

/* Memory of the process, as far as the agent has sent it. */
static bool read_sent(void *context, uint64_t address, void *bytes, size_t length)
{
    const struct sc_segment_facts *facts = context;
    uint64_t at = address - facts->interpreter.runtime;
    if (address < facts->interpreter.runtime || at > sizeof(facts->runtime_head) ||
        length > sizeof(facts->runtime_head) - at)
        return false;
    memcpy(bytes, facts->runtime_head + at, length);
    return true;
}

bool sc_facts_layout(const struct sc_reader *reader, bool allow_unknown,
                     struct sc_layout *ret_layout)
{
    struct sc_segment_facts facts;
    sc_reader_facts(reader, &facts);
    const struct sc_target sent = {.read = read_sent, .context = &facts};
    return sc_layout_init(ret_layout, facts.interpreter.version,
                          facts.interpreter.free_threaded != 0, &sent, facts.interpreter.runtime,
                          allow_unknown) == SC_LAYOUT_OK;
}
