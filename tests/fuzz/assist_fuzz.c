/*
 * tests/fuzz/assist_fuzz.c - answers of services from anywhere: streams, whole ones, and what they
 * propose.
 *
 * The lower six bits of the first byte choose the service and the upper two how it answers; the
 * second byte chooses where the bytes are cut.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "assist/answer.h"
#include "assist/exchange.h"
#include "assist/providers.h"
#include "assist/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] =
    "\"\"\"Doc.\"\"\"\nimport os\n\n\ndef f(x):\n    for y in x:\n        os.stat(y)\n";

static void propose(const char *answer, size_t length)
{
    struct sc_ai_place place = {
        .path = sc_strdup("/x.py"), .name = sc_strdup("x.py"), .first = 6, .last = 7};
    sc_str_add(&place.text, source);
    place.start = (size_t)(strstr(source, "    for") - source);
    place.end = place.text.length;
    struct sc_ai_proposal proposal;
    struct sc_err err = {0};
    if (sc_ai_proposal_make(&place, answer, length, &proposal, &err)) {
        struct sc_str diff = {0};
        sc_diff_unified(&proposal.diff, proposal.name, &diff);
        /* what is around the place stays */
        if (diff.length == 0 || strstr(sc_str_text(&proposal.new_text), "def f(x):\n") == NULL)
            abort();
        sc_str_done(&diff);
        sc_ai_proposal_done(&proposal);
    } else if (err.kind == SC_ERR_NONE) {
        abort();
    }
    sc_ai_place_done(&place);
}

/* The service with that number in the table, which begins again behind its last one. */
static const struct sc_ai_provider *provider_of(unsigned number)
{
    size_t count = 0;
    while (sc_ai_providers[count] != NULL)
        count++;
    return sc_ai_providers[number % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *bytes = (const char *)data + 2;
    size_t length = size - 2;
    size_t cut = length > 0 ? data[1] % length : 0;
    struct sc_ai_settings settings;
    struct sc_ai_watch watch = {0};
    struct sc_ai_request request = {0};
    sc_ai_settings_init(&settings, provider_of(data[0] & 0x3fU));
    struct sc_ai_exchange exchange = {
        .settings = &settings,
        .watch = &watch,
        .request = &request,
        .is_question = true,
        .status = (data[0] & 0x80U) != 0 ? 429 : 200,
        .is_whole_json = (data[0] & 0x40U) != 0,
    };
    if (sc_ai_exchange_take(&exchange, bytes, cut) &&
        sc_ai_exchange_take(&exchange, bytes + cut, length - cut))
        sc_ai_exchange_end(&exchange);
    struct sc_err err = {0};
    bool good = sc_ai_exchange_judge(&exchange, &err);
    if (good != (err.kind == SC_ERR_NONE))
        abort();
    if (good)
        propose(exchange.reply.text.data, exchange.reply.text.length);
    propose(bytes, length);
    sc_ai_exchange_done(&exchange);
    sc_ai_settings_done(&settings);
    return 0;
}
