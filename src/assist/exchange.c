/* assist/exchange.c - see exchange.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "assist/settings.h"

/* A proposal is a few kilobytes. */
#define ANSWER_LIMIT_BYTES ((size_t)4 << 20)
#define ERROR_LIMIT_BYTES  ((size_t)64 << 10)
#define MESSAGE_MAX        240 /* of what a service says */

/* After a longer wait it is up to the user to ask again. */
#define REPEAT_WAIT_MAX_S 5

static void report_progress(struct sc_ai_exchange *exchange)
{
    const struct sc_str *text = &exchange->reply.text;
    if (text->length > exchange->passed_bytes && exchange->watch->text != NULL)
        exchange->watch->text(exchange->watch->context, text->data + exchange->passed_bytes,
                              text->length - exchange->passed_bytes);
    exchange->passed_bytes = text->length;
}

/* Takes in an answer, or a piece of it. Errors are the same in both, and with all services, whose
 * status says that all is well. */
static void take_json(struct sc_ai_exchange *exchange, const json_t *answer, const char *type)
{
    const struct sc_ai_provider *provider = exchange->settings->provider;
    const json_t *error = json_object_get(answer, "error");
    if (answer == NULL)
        (void)sc_fail(&exchange->trouble, SC_ERR_FAILED, "%s sent an answer that cannot be read",
                      provider->name);
    else if (json_is_object(error))
        sc_ai_reply_fail(&exchange->reply, sc_ai_dig_text(error, "message"));
    else if (json_is_string(error))
        sc_ai_reply_fail(&exchange->reply, json_string_value(error));
    else if (type != NULL && provider->take_piece != NULL)
        provider->take_piece(answer, type, &exchange->reply);
    else
        provider->take_whole(answer, &exchange->reply);
}

static void take_frame(void *context, const char *text, size_t length, const char *type)
{
    struct sc_ai_exchange *exchange = context;
    if (length == 6 && memcmp(text, "[DONE]", 6) == 0) {
        sc_ai_reply_end(&exchange->reply, SC_AI_ENDED);
        return;
    }
    json_auto_t *piece = json_loadb(text, length, JSON_ALLOW_NUL, NULL);
    if (piece != NULL || !exchange->is_over) /* else it is incomplete: the answer was cut off */
        take_json(exchange, piece, type);
}

bool sc_ai_exchange_take(struct sc_ai_exchange *exchange, const char *bytes, size_t length)
{
    const struct sc_ai_provider *provider = exchange->settings->provider;
    exchange->received += length;
    bool is_error = exchange->status / 100 != 2;
    if (is_error) {
        /* the rest is not waited for: the status is enough */
        size_t room = ERROR_LIMIT_BYTES - exchange->body.length;
        sc_str_add_bytes(&exchange->body, bytes, length < room ? length : room);
        return length <= room;
    }
    if (exchange->received > ANSWER_LIMIT_BYTES)
        return sc_fail(&exchange->trouble, SC_ERR_FAILED, "the answer of %s is larger than %zu MB",
                       provider->name, ANSWER_LIMIT_BYTES >> 20U);
    if (!exchange->is_question || exchange->is_whole_json) {
        sc_str_add_bytes(&exchange->body, bytes, length);
        return true;
    }
    exchange->frames.kind = provider->framing;
    exchange->frames.take = take_frame;
    exchange->frames.context = exchange;
    bool good = sc_ai_frames_add(&exchange->frames, bytes, length, &exchange->trouble);
    report_progress(exchange);
    return good && exchange->trouble.kind == SC_ERR_NONE;
}

void sc_ai_exchange_end(struct sc_ai_exchange *exchange)
{
    exchange->is_over = true;
    if (exchange->status / 100 != 2 || !exchange->is_question)
        return;
    if (!exchange->is_whole_json) {
        if (exchange->frames.take != NULL)
            sc_ai_frames_end(&exchange->frames);
    } else {
        json_auto_t *answer =
            json_loadb(sc_str_text(&exchange->body), exchange->body.length, JSON_ALLOW_NUL, NULL);
        take_json(exchange, answer, NULL);
    }
    report_progress(exchange);
}

bool sc_ai_exchange_may_repeat(const struct sc_ai_exchange *exchange)
{
    bool is_busy = exchange->status == 429 || exchange->status == 503 || exchange->status == 529;
    return is_busy && exchange->wait_s <= REPEAT_WAIT_MAX_S &&
           strstr(sc_str_text(&exchange->body), "quota") == NULL;
}

void sc_ai_exchange_done(struct sc_ai_exchange *exchange)
{
    sc_str_done(&exchange->body);
    sc_ai_frames_done(&exchange->frames);
    sc_ai_reply_done(&exchange->reply);
}

/* What the service says of the error, on one line and without keys. "" when it says nothing. */
static void read_message(const struct sc_ai_exchange *exchange, struct sc_str *ret_message)
{
    json_auto_t *body = json_loadb(sc_str_text(&exchange->body), exchange->body.length, 0, NULL);
    const json_t *first = json_is_array(body) ? json_array_get(body, 0) : body;
    const char *message = sc_ai_dig_text(first, "error/message");
    if (message == NULL)
        message = sc_ai_dig_text(first, "error");
    if (message == NULL)
        message = sc_ai_dig_text(first, "message");
    if (message == NULL)
        message = sc_ai_dig_text(first, "Message");
    if (message == NULL)
        message = sc_ai_dig_text(first, "detail");
    if (message != NULL)
        sc_ai_redact(exchange->settings, message, MESSAGE_MAX, ret_message);
}

static bool mentions(const struct sc_ai_exchange *exchange, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcasestr(sc_str_text(&exchange->body), words[i]) != NULL)
            return true;
    return false;
}

/* After how many seconds to ask again: from a header, or, for Google, from the error's text. 0: not
 * given. */
static long wait_of(const struct sc_ai_exchange *exchange)
{
    if (exchange->wait_s > 0)
        return exchange->wait_s;
    json_auto_t *body = json_loadb(sc_str_text(&exchange->body), exchange->body.length, 0, NULL);
    const json_t *first = json_is_array(body) ? json_array_get(body, 0) : body;
    double wait_s = 0.0;
    size_t i;
    json_t *detail;
    json_array_foreach(sc_ai_dig(first, "error/details"), i, detail)
    {
        const char *delay = json_string_value(json_object_get(detail, "retryDelay"));
        if (delay != NULL)
            wait_s = strtod(delay, NULL);
    }
    return wait_s > 0.0 && wait_s < 1e6 ? (long)wait_s + 1 : 0;
}

/* Whether the exhausted limit is one that is restored within minutes, whatever the message says of
 * plans and bills. */
static bool is_rate(const struct sc_ai_exchange *exchange)
{
    static const char *const rate[] = {"rate_limit_exceeded", "rate_limit_error",
                                       "Rate limit reached", "PerMinute", NULL};
    static const char *const other[] = {"insufficient_quota", "PerDay", NULL};
    return exchange->status == 429 && !mentions(exchange, other) &&
           (mentions(exchange, rate) || wait_of(exchange) > 0);
}

/* One sentence for a status that is not a success. message is what the service said, or "". */
static bool fail_status(const struct sc_ai_exchange *exchange, const char *message,
                        struct sc_err *err)
{
    static const char *const credit[] = {"insufficient_quota", "credit balance", "billing",
                                         "exceeded your current quota", NULL};
    static const char *const bad_key[] = {"API_KEY_INVALID", "API key not valid", "API key expired",
                                          NULL};
    const char *name = exchange->settings->provider->name;
    const char *model = exchange->settings->model != NULL ? exchange->settings->model : "";
    const char *colon = message[0] != '\0' ? ": " : "";
    long status = exchange->status;
    /* the message about a bad key may repeat a part of the key */
    if (status == 401 || (status == 400 && mentions(exchange, bad_key)))
        return sc_fail(err, SC_ERR_FAILED, "%s does not accept the key: check it", name);
    if (status == 403)
        return sc_fail(err, SC_ERR_FAILED,
                       "%s does not accept the key for this: check it, and that it may use the "
                       "model '%.80s'",
                       name, model);
    if (status == 402 || (mentions(exchange, credit) && !is_rate(exchange)))
        return sc_fail(err, SC_ERR_FAILED,
                       "the quota or the credit at %s is used up: look at the account's plan and "
                       "billing",
                       name);
    if (status == 429 && wait_of(exchange) > 0)
        return sc_fail(err, SC_ERR_FAILED, "%s was asked too often or too much: try again in %ld s",
                       name, wait_of(exchange));
    if (status == 429)
        return sc_fail(err, SC_ERR_FAILED,
                       "%s was asked too often or too much: try again in a minute", name);
    if (status == 404 && exchange->is_question)
        return sc_fail(err, SC_ERR_FAILED, "%s has no model '%.80s'%s%s", name, model, colon,
                       message);
    if (status == 404)
        return sc_fail(err, SC_ERR_FAILED, "there is no list of models at this address of %s",
                       name);
    if (status == 413)
        return sc_fail(err, SC_ERR_FAILED, "the question is too long for %s", name);
    if (status / 100 == 3)
        return sc_fail(err, SC_ERR_FAILED,
                       "%s sends us to another address, which is not followed with a key: check "
                       "the address",
                       name);
    if (status >= 500)
        return sc_fail(err, SC_ERR_FAILED,
                       "%s has a problem of its own (status %ld%s%s): try "
                       "again later",
                       name, status, colon, message);
    return sc_fail(err, SC_ERR_FAILED, "%s did not take the question (status %ld%s%s)", name,
                   status, colon, message);
}

static bool judge_reply(const struct sc_ai_exchange *exchange, struct sc_err *err)
{
    const char *name = exchange->settings->provider->name;
    struct sc_str message = {0};
    switch (exchange->reply.ending) {
    case SC_AI_ENDED:
        if (exchange->reply.text.length > 0)
            return true;
        return sc_fail(err, SC_ERR_FAILED, "%s gave an empty answer", name);
    case SC_AI_TOO_LONG:
        return sc_fail(err, SC_ERR_FAILED,
                       "the answer of %s was cut at its limit of length: ask about less code, or "
                       "another model",
                       name);
    case SC_AI_REFUSED:
        return sc_fail(err, SC_ERR_FAILED, "%s refused to answer this question", name);
    case SC_AI_FAILED:
        sc_ai_redact(exchange->settings, sc_str_text(&exchange->reply.error), MESSAGE_MAX,
                     &message);
        (void)sc_fail(err, SC_ERR_FAILED, "%s stopped with an error%s%s", name,
                      message.length > 0 ? ": " : "", sc_str_text(&message));
        sc_str_done(&message);
        return false;
    case SC_AI_OPEN:
    default:
        return sc_fail(err, SC_ERR_FAILED, "the answer of %s broke off before its end", name);
    }
}

bool sc_ai_exchange_judge(const struct sc_ai_exchange *exchange, struct sc_err *err)
{
    if (exchange->status / 100 != 2) {
        SC_AUTO(sc_str_done) struct sc_str message = {0};
        read_message(exchange, &message);
        (void)fail_status(exchange, sc_str_text(&message), err);
        return false;
    }
    if (exchange->trouble.kind != SC_ERR_NONE)
        return sc_fail(err, exchange->trouble.kind, "%s", exchange->trouble.text);
    return !exchange->is_question || judge_reply(exchange, err);
}
