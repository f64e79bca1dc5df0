/*
 * assist/bedrock.c - Amazon Bedrock, by its Converse interface, which is the same for all models.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 * A request is signed (sigv4.h), or carries a Bedrock key where one is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assist/provider.h"
#include "assist/providers.h"
#include "assist/settings.h"
#include "assist/sigv4.h"
#include "assist/wipe.h"

#define NOVA_ANSWER_TOKENS 10000U

enum { ACCESS_KEY, SECRET_KEY, SESSION_TOKEN, BEARER, REGION, ENDPOINT };

static const struct sc_ai_field fields[] = {
    [ACCESS_KEY] = {"aws-access-key", "access key", {"AWS_ACCESS_KEY_ID"}, NULL, .is_secret = true},
    [SECRET_KEY] =
        {"aws-secret-key", "secret key", {"AWS_SECRET_ACCESS_KEY"}, NULL, .is_secret = true},
    [SESSION_TOKEN] = {"aws-session-token",
                       "session token",
                       {"AWS_SESSION_TOKEN"},
                       NULL,
                       .is_secret = true,
                       .is_advanced = true},
    [BEARER] = {"aws-bearer-token",
                "Bedrock API key, in place of the two keys",
                {"AWS_BEARER_TOKEN_BEDROCK"},
                NULL,
                .is_secret = true,
                .is_advanced = true},
    [REGION] = {"aws-region",
                "region",
                {"AWS_DEFAULT_REGION", "AWS_REGION"},
                "us-east-1",
                .is_required = true},
    [ENDPOINT] = {"aws-endpoint-url",
                  "address, where it is not Amazon's own",
                  {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"},
                  NULL,
                  .is_address = true,
                  .is_advanced = true},
};

/* The region is part of the host's name. */
static bool check_region(const char *region, struct sc_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (region[0] != '\0' && strlen(region) < 40 && region[strspn(region, letters)] == '\0')
        return true;
    return sc_fail(err, SC_ERR_USAGE, "'%.60s' is not a region of Amazon's", region);
}

static void time_text(char ret_text[20])
{
    time_t now = time(NULL);
    struct tm parts;
    (void)gmtime_r(&now, &parts);
    (void)strftime(ret_text, 20, "%Y%m%dT%H%M%SZ", &parts);
}

static void sign(const struct sc_ai_settings *settings, const char *host, const char *path,
                 const char *query, struct sc_ai_request *request)
{
    char now[20];
    time_text(now);
    const char *token = sc_ai_value(settings, SESSION_TOKEN);
    const char *headers[] = {"content-type", "application/json", "x-amz-security-token", token,
                             NULL};
    if (token == NULL)
        headers[2] = NULL;
    struct sc_sigv4 parts = {
        .method = request->method,
        .path = path,
        .query = query,
        .host = host,
        .headers = headers,
        .body = sc_str_text(&request->body),
        .body_length = request->body.length,
        .time = now,
        .region = sc_ai_value(settings, REGION),
        .service = "bedrock",
        .access_key = sc_ai_value(settings, ACCESS_KEY),
        .secret_key = sc_ai_value(settings, SECRET_KEY),
    };
    SC_AUTO(sc_ai_wipe_str) struct sc_str authorization = {0};
    sc_sigv4_sign(&parts, &authorization);
    sc_ai_request_header(request, "x-amz-date: %s", now);
    if (token != NULL)
        sc_ai_request_header(request, "x-amz-security-token: %s", token);
    sc_ai_request_header(request, "authorization: %s", sc_str_text(&authorization));
}

/* Fills the address and the headers; the body is set already. part is the host's first word. */
static bool finish(const struct sc_ai_settings *settings, const char *part, const char *path,
                   const char *query, struct sc_ai_request *request, struct sc_err *err)
{
    const char *region = sc_ai_value(settings, REGION);
    const char *bearer = sc_ai_value(settings, BEARER);
    bool has_keys =
        sc_ai_value(settings, ACCESS_KEY) != NULL && sc_ai_value(settings, SECRET_KEY) != NULL;
    if (bearer == NULL && !has_keys)
        return sc_fail(err, SC_ERR_USAGE,
                       "Amazon Bedrock needs its access key ($AWS_ACCESS_KEY_ID) and its secret "
                       "key ($AWS_SECRET_ACCESS_KEY)");
    if (!check_region(region, err))
        return false;
    const char *endpoint = sc_ai_value(settings, ENDPOINT);
    SC_AUTO_FREE char *base = endpoint != NULL
                                  ? sc_ai_base(endpoint)
                                  : sc_format("https://%s.%s.amazonaws.com", part, region);
    const char *host = strstr(base, "://") + 3;
    if (strchr(host, '/') != NULL)
        return sc_fail(err, SC_ERR_USAGE, "the address of Amazon Bedrock must have no path");
    request->url = sc_format("%s%s%s%s", base, path, query[0] != '\0' ? "?" : "", query);
    if (bearer != NULL)
        sc_ai_request_header(request, "authorization: Bearer %s", bearer);
    else
        sign(settings, host, path, query, request);
    return true;
}

/* Amazon's own models refuse to be asked for a longer answer. */
static unsigned answer_tokens(const struct sc_ai_settings *settings,
                              const struct sc_ai_question *question)
{
    bool is_short = strstr(settings->model, "amazon.nova") != NULL &&
                    question->answer_tokens > NOVA_ANSWER_TOKENS;
    return is_short ? NOVA_ANSWER_TOKENS : question->answer_tokens;
}

static bool build_request(const struct sc_ai_settings *settings,
                          const struct sc_ai_question *question, struct sc_ai_request *ret_request,
                          struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str path = {0};
    sc_str_add(&path, "/model/");
    sc_str_add_encoded(&path, settings->model, "");
    sc_str_add(&path, "/converse-stream");
    ret_request->method = "POST";
    sc_ai_request_json(ret_request,
                       json_pack("{s: [{s: s}], s: [{s: s, s: [{s: s}]}], s: {s: i}}", "system",
                                 "text", question->system, "messages", "role", "user", "content",
                                 "text", question->user, "inferenceConfig", "maxTokens",
                                 (int)answer_tokens(settings, question)));
    return finish(settings, "bedrock-runtime", sc_str_text(&path), "", ret_request, err);
}

static bool list(const struct sc_ai_settings *settings, struct sc_ai_request *ret_request,
                 struct sc_err *err)
{
    ret_request->method = "GET";
    return finish(settings, "bedrock", "/inference-profiles", "maxResults=1000", ret_request, err);
}

static void take_reason(const char *reason, struct sc_ai_reply *reply)
{
    sc_ai_reply_reason(reply, reason, "max_tokens model_context_window_exceeded",
                       "guardrail_intervened content_filtered");
}

static void take_whole(const json_t *answer, struct sc_ai_reply *reply)
{
    sc_ai_reply_blocks(reply, sc_ai_dig(answer, "output/message/content"));
    take_reason(sc_ai_dig_text(answer, "stopReason"), reply);
}

static void take_piece(const json_t *piece, const char *type, struct sc_ai_reply *reply)
{
    if (strcmp(type, "contentBlockDelta") == 0) {
        const char *text = sc_ai_dig_text(piece, "delta/text");
        if (text != NULL)
            sc_str_add(&reply->text, text);
    } else if (strcmp(type, "messageStop") == 0) {
        take_reason(sc_ai_dig_text(piece, "stopReason"), reply);
    } else if (sc_ends_with(type, "Exception")) {
        const char *message = sc_ai_dig_text(piece, "message");
        sc_ai_reply_fail(reply, message != NULL ? message : type);
    }
}

/* Most models can be called only by an inference profile, whose name begins with the regions in
 * which it may run.
 * Regions and profiles:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html. */
static const struct geography {
    const char *regions;     /* what the region's name begins with */
    const char *prefixes[4]; /* the nearest first; ended by NULL */
} geographies[] = {
    {"us-gov-", {"us-gov"}},
    {"us-", {"us", "global"}},
    {"ca-central-", {"us", "global"}},
    {"eu-", {"eu", "global"}},
    {"ap-northeast-1", {"jp", "apac", "global"}},
    {"ap-northeast-3", {"jp", "apac", "global"}},
    {"ap-southeast-2", {"au", "apac", "global"}},
    {"ap-southeast-4", {"au", "apac", "global"}},
    {"ap-", {"apac", "global"}},
    {"me-central-", {"apac", "global"}},
    {"", {"global"}}, /* all others */
};

static const struct offered {
    const char *name;
    const char *prefixes; /* there is a profile for each of these */
} offered[] = {
    {"anthropic.claude-sonnet-4-5-20250929-v1:0", "us us-gov eu jp au global"},
    {"anthropic.claude-opus-4-5-20251101-v1:0", "us eu global"},
    {"anthropic.claude-haiku-4-5-20251001-v1:0", "us eu jp au global"},
    {"amazon.nova-pro-v1:0", "us eu apac"},
};

/* A model that has no profile for the region is left out. */
static void usual(const struct sc_ai_settings *settings, struct sc_texts *ret_models)
{
    const char *region = sc_ai_value(settings, REGION);
    const struct geography *here = geographies;
    while (!sc_starts_with(region != NULL ? region : "", here->regions))
        here++;
    for (size_t i = 0; i < sizeof(offered) / sizeof(offered[0]); i++)
        for (size_t k = 0; here->prefixes[k] != NULL; k++)
            if (sc_is_among(here->prefixes[k], offered[i].prefixes)) {
                SC_AUTO_FREE char *name = sc_format("%s.%s", here->prefixes[k], offered[i].name);
                sc_ai_models_add(ret_models, name);
                break;
            }
}

const struct sc_ai_provider sc_ai_bedrock = {
    .id = "amazon",
    .alias = "bedrock",
    .name = "Amazon Bedrock",
    .framing = SC_AI_AWS,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .usual = usual,
    .ask = build_request,
    .list = list,
    .models_path = "inferenceProfileSummaries",
    .model_path = "inferenceProfileId",
    .take_whole = take_whole,
    .take_piece = take_piece,
};
