/* assist/client.c - see client.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/client.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "assist/curl.h"
#include "assist/exchange.h"
#include "assist/providers.h"
#include "assist/settings.h"
#include "base/io.h"
#include "base/sort.h"

#define CONNECT_TIMEOUT_S 20L
#define POLL_MS           100 /* how soon a cancelled question ends */
#define NS_PER_S          1000000000U
#define ATTEMPTS          3

/* One attempt. */
struct transfer {
    const struct sc_curl *curl;
    CURL *handle;
    struct curl_slist *headers;
    struct sc_ai_exchange *exchange;
    uint64_t heard_ns; /* when the last byte came */
    bool is_cancelled;
    bool is_silent;
};

static uint64_t silence_ns(void)
{
    const char *text = getenv("SCALENE_AI_TIMEOUT");
    double seconds = text != NULL ? strtod(text, NULL) : 0.0;
    if (!(seconds > 0.0) || seconds > 86400.0)
        seconds = SC_AI_SILENCE_S;
    return (uint64_t)(seconds * NS_PER_S);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    struct sc_ai_exchange *exchange = transfer->exchange;
    transfer->heard_ns = sc_now_ns();
    if (exchange->status == 0) {
        char *type = NULL;
        (void)transfer->curl->easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE,
                                           &exchange->status);
        (void)transfer->curl->easy_getinfo(transfer->handle, CURLINFO_CONTENT_TYPE, &type);
        exchange->is_whole_json = type != NULL && strncasecmp(type, "application/json", 16) == 0 &&
                                  exchange->settings->provider->framing != SC_AI_LINES;
    }
    return sc_ai_exchange_take(exchange, bytes, size * count) ? size * count : 0;
}

static void add_headers(struct transfer *transfer)
{
    const struct sc_ai_request *request = transfer->exchange->request;
    const struct sc_curl *curl = transfer->curl;
    transfer->headers = curl->slist_append(NULL, "content-type: application/json");
    transfer->headers = curl->slist_append(transfer->headers, "expect:");
    for (size_t i = 0; i < request->headers.count; i++)
        transfer->headers = curl->slist_append(transfer->headers, request->headers.items[i]);
}

static void set_options(struct transfer *transfer)
{
    const struct sc_ai_request *request = transfer->exchange->request;
    const struct sc_curl *curl = transfer->curl;
    CURL *handle = transfer->handle;
    add_headers(transfer);
    sc_curl_prepare(handle, request->url, transfer->headers);
    (void)curl->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
    (void)curl->easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
    (void)curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl->easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
    if (strcmp(request->method, "POST") == 0) {
        (void)curl->easy_setopt(handle, CURLOPT_POST, 1L);
        (void)curl->easy_setopt(handle, CURLOPT_POSTFIELDS, sc_str_text(&request->body));
        (void)curl->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                                (curl_off_t)request->body.length);
    }
}

static bool should_stop(struct transfer *transfer)
{
    const struct sc_ai_watch *watch = transfer->exchange->watch;
    transfer->is_cancelled = watch->is_cancelled != NULL && watch->is_cancelled(watch->context);
    transfer->is_silent = sc_now_ns() - transfer->heard_ns > silence_ns();
    return transfer->is_cancelled || transfer->is_silent;
}

static CURLcode run_transfer(struct transfer *transfer, CURLM *multi)
{
    const struct sc_curl *curl = transfer->curl;
    int running = 1;
    while (running > 0 && !should_stop(transfer)) {
        if (curl->multi_perform(multi, &running) != CURLM_OK)
            return CURLE_FAILED_INIT;
        if (running > 0)
            (void)curl->multi_poll(multi, NULL, 0, POLL_MS, NULL);
    }
    int left = 0;
    for (CURLMsg *message; (message = curl->multi_info_read(multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE)
            return message->data.result;
    return CURLE_ABORTED_BY_CALLBACK;
}

static bool fail_transfer(const struct transfer *transfer, CURLcode code, struct sc_err *err)
{
    const char *name = transfer->exchange->settings->provider->name;
    const char *url = transfer->exchange->request->url;
    SC_AUTO_FREE char *host = sc_ai_address_shown(url);
    char *start = strstr(host, "://");
    if (start != NULL)
        start[3 + strcspn(start + 3, "/?#")] = '\0';
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return sc_fail(err, SC_ERR_FAILED,
                       "%s cannot be reached: '%.100s' is not known here; is there a network?",
                       name, host);
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
        if (sc_ai_is_loopback(host))
            return sc_fail(err, SC_ERR_FAILED,
                           "%s cannot be reached: nothing answers at '%.100s'; is it running?",
                           name, host);
        return sc_fail(err, SC_ERR_FAILED,
                       "%s cannot be reached: nothing answers at '%.100s'; is there a network?",
                       name, host);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return sc_fail(err, SC_ERR_FAILED, "the connection to '%.100s' is not safe: %s", host,
                       transfer->curl->easy_strerror(code));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2_STREAM:
        return sc_fail(err, SC_ERR_FAILED, "the answer of %s broke off before its end", name);
    default:
        return sc_fail(err, SC_ERR_FAILED, "%s cannot be asked: %s", name,
                       transfer->curl->easy_strerror(code));
    }
}

/* How an attempt ended, beyond what the exchange holds. */
static bool judge(const struct transfer *transfer, CURLcode code, struct sc_err *err)
{
    const struct sc_ai_exchange *exchange = transfer->exchange;
    if (transfer->is_cancelled)
        return sc_fail(err, SC_ERR_FAILED, "cancelled");
    bool is_open = exchange->reply.ending == SC_AI_OPEN; /* else all has come that matters */
    if (transfer->is_silent && is_open)
        return sc_fail(err, SC_ERR_FAILED, "%s did not answer in %.0f s",
                       exchange->settings->provider->name, (double)silence_ns() / NS_PER_S);
    if (code != CURLE_OK && is_open && exchange->trouble.kind == SC_ERR_NONE &&
        exchange->status / 100 < 3)
        return fail_transfer(transfer, code, err);
    return sc_ai_exchange_judge(exchange, err);
}

static void wipe_headers(struct transfer *transfer)
{
    for (struct curl_slist *header = transfer->headers; header != NULL; header = header->next)
        explicit_bzero(header->data, strlen(header->data));
    transfer->curl->slist_free_all(transfer->headers);
}

/* One attempt. *ret_repeat: the service did nothing for it, and a second attempt may succeed. */
static bool attempt(const struct sc_curl *curl, struct sc_ai_exchange *exchange, bool *ret_repeat,
                    struct sc_err *err)
{
    struct transfer transfer = {.curl = curl, .exchange = exchange, .heard_ns = sc_now_ns()};
    CURLM *multi = curl->multi_init();
    transfer.handle = curl->easy_init();
    if (multi == NULL || transfer.handle == NULL)
        return sc_fail(err, SC_ERR_FAILED, "libcurl cannot be started");
    set_options(&transfer);
    (void)curl->multi_add_handle(multi, transfer.handle);
    CURLcode code = run_transfer(&transfer, multi);
    (void)curl->easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &exchange->status);
    curl_off_t wait_s = 0;
    (void)curl->easy_getinfo(transfer.handle, CURLINFO_RETRY_AFTER, &wait_s);
    exchange->wait_s = (long)wait_s;
    sc_ai_exchange_end(exchange);
    bool good = judge(&transfer, code, err);
    *ret_repeat = !good && !transfer.is_cancelled && !transfer.is_silent &&
                  sc_ai_exchange_may_repeat(exchange);
    (void)curl->multi_remove_handle(multi, transfer.handle);
    curl->easy_cleanup(transfer.handle);
    (void)curl->multi_cleanup(multi);
    wipe_headers(&transfer);
    return good;
}

/* False when cancelled meanwhile. */
static bool wait_a_while(const struct sc_ai_watch *watch, long seconds)
{
    uint64_t end_ns = sc_now_ns() + (uint64_t)seconds * NS_PER_S;
    while (sc_now_ns() < end_ns) {
        if (watch->is_cancelled != NULL && watch->is_cancelled(watch->context))
            return false;
        (void)usleep(POLL_MS * 1000);
    }
    return true;
}

/* Repeats only requests that the service has refused without processing them. The caller ends the
 * exchange. */
static bool send_request(struct sc_ai_exchange *exchange, struct sc_err *err)
{
    const struct sc_curl *curl = sc_curl_load(err);
    struct sc_ai_exchange fresh = *exchange;
    for (int i = 1; curl != NULL; i++) {
        struct sc_err cause = {0};
        bool repeat = false;
        if (attempt(curl, exchange, &repeat, &cause))
            return true;
        long wait_s = exchange->wait_s > 0 ? exchange->wait_s : i;
        if (!repeat || i == ATTEMPTS || !wait_a_while(exchange->watch, wait_s))
            return sc_fail(err, cause.kind, "%s", cause.text);
        sc_ai_exchange_done(exchange);
        *exchange = fresh;
    }
    return false;
}

static const struct sc_ai_watch nobody;

bool sc_ai_ask(const struct sc_ai_settings *settings, const struct sc_ai_question *question,
               const struct sc_ai_watch *watch, struct sc_str *ret_text, struct sc_err *err)
{
    if (!sc_ai_settings_check(settings, err))
        return false;
    if (settings->model == NULL)
        return sc_fail(err, SC_ERR_USAGE, "name a model of %s", settings->provider->name);
    SC_AUTO(sc_ai_request_done) struct sc_ai_request request = {0};
    SC_AUTO(sc_ai_exchange_done)
    struct sc_ai_exchange exchange = {.settings = settings,
                                      .watch = watch != NULL ? watch : &nobody,
                                      .request = &request,
                                      .is_question = true};
    bool good =
        settings->provider->ask(settings, question, &request, err) && send_request(&exchange, err);
    if (good)
        sc_str_add_bytes(ret_text, exchange.reply.text.data, exchange.reply.text.length);
    return good;
}

static void take_models(const struct sc_ai_provider *provider, const json_t *answer,
                        struct sc_texts *ret_models)
{
    size_t i;
    json_t *item;
    if (provider->take_models != NULL)
        provider->take_models(answer, ret_models);
    json_array_foreach(json_object_get(answer, provider->models_path), i, item)
        sc_ai_models_add(ret_models, sc_ai_dig_text(item, provider->model_path));
}

static bool ask_for_list(const struct sc_ai_settings *settings, const struct sc_ai_watch *watch,
                         struct sc_texts *ret_models, struct sc_err *err)
{
    SC_AUTO(sc_ai_request_done) struct sc_ai_request request = {0};
    SC_AUTO(sc_ai_exchange_done)
    struct sc_ai_exchange exchange = {
        .settings = settings, .watch = watch != NULL ? watch : &nobody, .request = &request};
    bool good = settings->provider->list(settings, &request, err) && send_request(&exchange, err);
    json_t *answer =
        good ? json_loadb(sc_str_text(&exchange.body), exchange.body.length, 0, NULL) : NULL;
    if (good && answer == NULL)
        good = sc_fail(err, SC_ERR_FAILED, "%s sent a list of models that cannot be read",
                       settings->provider->name);
    if (good)
        take_models(settings->provider, answer, ret_models);
    if (good && ret_models->count == 0)
        good = sc_fail(err, SC_ERR_FAILED, "%s has no model that can be asked%s",
                       settings->provider->name,
                       settings->provider == &sc_ai_ollama ? "; 'ollama pull NAME' gets one" : "");
    json_decref(answer);
    return good;
}

/* Of texts, for embeddings, images or sound: where no model is named, the first is asked. */
static bool answers_questions(const char *model)
{
    return !sc_holds_any(model, "embed Embed bge- -e5- minilm MiniLM rerank Rerank dall-e image "
                                "audio realtime transcribe tts whisper moderation");
}

static int by_use(const void *left, const void *right)
{
    int one = answers_questions(*(const char *const *)left) ? 0 : 1;
    int other = answers_questions(*(const char *const *)right) ? 0 : 1;
    return one != other ? one - other : sc_by_text(left, right);
}

bool sc_ai_list(const struct sc_ai_settings *settings, const struct sc_ai_watch *watch,
                struct sc_texts *ret_models, struct sc_err *err)
{
    if (!sc_ai_settings_check(settings, err))
        return false;
    if (settings->provider->list == NULL) {
        sc_ai_usual_models(settings, ret_models);
        return true;
    }
    if (!ask_for_list(settings, watch, ret_models, err))
        return false;
    qsort(ret_models->items, ret_models->count, sizeof(char *), by_use);
    return true;
}
