/*
 * mcp/server.c - the session with a client: what it asks, and runs of tools, one at a time.
 *
 * While a tool runs, requests are read on: calls of tools wait, and can be cancelled as the one
 * that runs; all else is answered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/own_folder.h"
#include "base/visible.h"
#include "benchmark/timed_run.h"
#include "mcp/channel.h"
#include "mcp/mcp.h"
#include "mcp/shorten.h"
#include "mcp/tools.h"

/* Bytes of an answer, and of the end of a program's output in it. */
#define ANSWER_MAX 24000U
#define OUTPUT_MAX 3000U
#define TEXT_MAX   3200U
/* What a command prints for a profile of any size that can be had. */
#define JSON_MAX_BYTES (64U << 20)

#define WAITING_MAX 64U /* calls, while a tool runs */

#define LOOK_MS     500 /* for a signal that came just before waiting */
#define PROGRESS_NS 5000000000U
#define VIEW_S      300.0 /* for showing the profile of a run */
#define GRACE_S     10.0  /* for a program that is interrupted, until SIGTERM */
/* The same when the server ends: clients kill one that takes 2 s. */
#define END_GRACE_S 0.8

#define NEWEST_VERSION "2025-06-18"

struct server {
    const struct sc_mcp_settings *settings;
    struct sc_mcp_channel channel;
    SC_VEC(json_t *) waiting; /* owned */
    char *folder;             /* private; NULL: nothing was run yet */
    char *output;             /* a file in it: what a command has printed */
    /* of the tool that runs: */
    struct sc_timed_command timed;
    json_t *id;       /* borrowed */
    json_t *progress; /* how the client names its progress; NULL: it does not ask. Borrowed */
    bool is_cancelled;
    uint64_t began_ns;
    uint64_t progress_sent_ns; /* when progress was last sent */
};

static volatile sig_atomic_t is_stopping;

static void on_signal(int number)
{
    (void)number;
    is_stopping = 1;
}

/* -------- while a tool runs -------- */

static const char *method_of(const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    return method != NULL ? method : "";
}

static void send_progress(struct server *server)
{
    uint64_t now_ns = sc_now_ns();
    if (server->progress == NULL || now_ns - server->progress_sent_ns < PROGRESS_NS)
        return;
    server->progress_sent_ns = now_ns;
    double passed_s = (double)(now_ns - server->began_ns) / 1e9;
    sc_mcp_send(&server->channel, json_pack("{s:s, s:s, s:{s:O, s:f}}", "jsonrpc", "2.0", "method",
                                            "notifications/progress", "params", "progressToken",
                                            server->progress, "progress", passed_s));
}

/* Takes a call that waits out of the queue. Owned. */
static json_t *take_waiting(struct server *server, size_t which)
{
    json_t *message = server->waiting.items[which];
    server->waiting.count--;
    memmove(server->waiting.items + which, server->waiting.items + which + 1,
            (server->waiting.count - which) * sizeof(json_t *));
    return message;
}

static void cancel(struct server *server, json_t *id)
{
    if (json_equal(id, server->id)) {
        server->is_cancelled = true;
        return;
    }
    for (size_t i = server->waiting.count; i-- > 0;)
        if (json_equal(json_object_get(server->waiting.items[i], "id"), id))
            json_decref(take_waiting(server, i));
}

static void answer(struct server *server, json_t *message);

/* Owns message. */
static void take_meanwhile(struct server *server, json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *method = method_of(message);
    if (strcmp(method, "notifications/cancelled") == 0)
        cancel(server, json_object_get(json_object_get(message, "params"), "requestId"));
    else if (strcmp(method, "tools/call") != 0)
        answer(server, message);
    else if (server->waiting.count < WAITING_MAX)
        sc_vec_push(&server->waiting, json_incref(message));
    else if (id != NULL)
        sc_mcp_reply_error(&server->channel, id, SC_RPC_NO_REQUEST, "too many calls wait");
    json_decref(message);
}

/* A program may print for hours. Only the end of that is shown: before it, the disk gets its room
 * back. */
static void free_output(const struct server *server)
{
    struct stat facts;
    SC_AUTO_CLOSE int fd = open(server->output, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size > (off_t)JSON_MAX_BYTES)
        (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        facts.st_size - (off_t)OUTPUT_MAX);
}

static bool is_cancelled(void *context)
{
    struct server *server = context;
    free_output(server);
    for (json_t *message; (message = sc_mcp_receive(&server->channel, 0)) != NULL;)
        take_meanwhile(server, message);
    send_progress(server);
    bool is_end = server->channel.has_ended || server->channel.has_failed || is_stopping != 0;
    if (is_end)
        server->timed.grace_s = END_GRACE_S;
    return is_end || server->is_cancelled;
}

/* -------- running commands -------- */

struct outcome {
    struct sc_timed_run run;
    bool is_late; /* it was interrupted after its time */
};

/* The root may have been removed; and old temporary folders are, by what tidies up. */
static bool is_ready(struct server *server, struct sc_err *err)
{
    const char *root = server->settings->root;
    if (access(root, X_OK) != 0)
        return sc_fail_errno(err, errno, "'%.200s' cannot be used", root);
    if (server->folder != NULL && sc_is_own_folder(server->folder))
        return true;
    free(server->folder);
    free(server->output);
    server->folder = sc_new_private_folder(err);
    server->output = server->folder != NULL ? sc_format("%s/output", server->folder) : NULL;
    return server->folder != NULL;
}

/* words: of this program's command line, without its name. What it prints is left in
 * server->output. False, with err set, when there is no outcome. */
static bool run_command(struct server *server, char *const *words, size_t count, double limit_s,
                        struct outcome *ret_outcome, struct sc_err *err)
{
    SC_VEC(char *) command = {0};
    if (!is_ready(server, err))
        return false;
    sc_vec_push(&command, (char *)(uintptr_t)server->settings->executable);
    for (size_t i = 0; i < count; i++)
        sc_vec_push(&command, words[i]);
    sc_vec_push(&command, NULL);
    server->timed = (struct sc_timed_command){
        .words = command.items,
        .environment = environ,
        .directory = server->settings->root,
        .output = server->output,
        .limit_s = limit_s,
        .grace_s = GRACE_S,
        .is_cancelled = is_cancelled,
        .context = server,
    };
    struct sc_err cause = {0};
    struct outcome outcome = {0};
    bool is_run = sc_timed_run(&server->timed, &outcome.run, &cause);
    outcome.is_late = !is_run && outcome.run.elapsed_s > limit_s;
    sc_vec_done(&command);
    *ret_outcome = outcome;
    return is_run || outcome.is_late || sc_fail(err, cause.kind, "%s", cause.text);
}

/* Where the JSON begins. Messages on standard error, which may hold braces, stand on lines before
 * it in the same file. */
static char *json_in(struct sc_str *output)
{
    char *start = output->length > 0 ? output->data : NULL;
    if (start != NULL && *start != '{')
        start = strstr(start, "\n{");
    /* bytes that are no UTF-8 are escaped in a way that JSON's readers refuse */
    for (char *at = start; at != NULL && (at = strchr(at, '\\')) != NULL;
         at += at[1] != '\0' ? 2 : 1)
        if (sc_starts_with(at, "\\udc")) { /* becomes \ufffd */
            memset(at + 2, 'f', 3);
            at[5] = 'd';
        }
    return start;
}

/* What the command has printed as its answer; NULL with err set, its message, when it has none. */
static json_t *run_for_json(struct server *server, char *const *words, size_t count, double limit_s,
                            struct sc_err *err)
{
    struct outcome outcome;
    SC_AUTO(sc_str_done) struct sc_str output = {0};
    json_t *answer = NULL;
    if (run_command(server, words, count, limit_s, &outcome, err) &&
        sc_read_file(server->output, JSON_MAX_BYTES, &output, err)) {
        /* a command that fails prints no JSON, but texts of others may look like it */
        const char *start = outcome.is_late || outcome.run.status != 0 ? NULL : json_in(&output);
        if (start != NULL)
            answer = json_loads(start, JSON_DISABLE_EOF_CHECK, NULL);
        if (answer != NULL && start > output.data)
            (void)json_object_set_new(answer, "messages",
                                      json_stringn(output.data, (size_t)(start - output.data)));
        while (output.length > 0 && output.data[output.length - 1] == '\n')
            output.data[--output.length] = '\0';
        if (answer == NULL && outcome.is_late)
            (void)sc_fail(err, SC_ERR_FAILED,
                          "it took more than %.0f s and was ended: give it less work, or raise "
                          "timeout_s (of measure: budget_s)",
                          limit_s);
        else if (answer == NULL)
            (void)sc_fail(err, SC_ERR_FAILED, "%.800s",
                          output.length == 0 ? "there is no answer" : output.data);
    }
    return answer;
}

/* The end of what a program has printed, as text. */
static json_t *end_of_output(const struct server *server)
{
    char bytes[OUTPUT_MAX];
    struct stat facts = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    int fd = sc_open_regular(server->output);
    if (fd >= 0 && fstat(fd, &facts) == 0) {
        size_t length = facts.st_size > OUTPUT_MAX ? OUTPUT_MAX : (size_t)facts.st_size;
        uint64_t start = (uint64_t)facts.st_size - length;
        if (start > 0)
            sc_str_add(&text, "... ");
        if (sc_read_part(fd, start, bytes, length))
            sc_visible_add(&text, bytes, length, SC_VISIBLE_LINES);
    }
    if (fd >= 0)
        (void)close(fd);
    json_t *value = json_string(sc_str_text(&text));
    return value;
}

/* A program's run and the profile that it has left. */
static json_t *run_program(struct server *server, const struct sc_mcp_call *call,
                           struct sc_err *err)
{
    struct outcome outcome;
    struct stat before = {0};
    struct stat now;
    /* one of before stays until there is another; a link is not followed */
    bool is_kept = lstat(call->profile, &before) == 0 && S_ISREG(before.st_mode);
    if (!is_kept && unlink(call->profile) != 0 && errno != ENOENT) {
        (void)sc_fail_errno(err, errno, "'%.200s' cannot be replaced", call->profile);
        return NULL;
    }
    if (!run_command(server, call->words.items, call->words.count, call->limit_s, &outcome, err))
        return NULL;
    int status = outcome.run.status;
    SC_AUTO_FREE char *ending =
        sc_format("%s%s %d", outcome.is_late ? "interrupted when its time was over, " : "",
                  status < 0 ? "ended by signal" : "exit status", status < 0 ? -status : status);
    json_t *answer = json_pack("{s:s, s:f, s:o}", "ending", ending, "elapsed_s",
                               outcome.run.elapsed_s, "output", end_of_output(server));
    json_t *shown = json_string("there is none");
    if (lstat(call->profile, &now) == 0 &&
        !(is_kept && now.st_ino == before.st_ino && now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
          now.st_ctim.tv_nsec == before.st_ctim.tv_nsec)) {
        struct sc_err cause = {0};
        char view[] = "view";
        char json[] = "--json";
        char *words[] = {view, json, call->profile};
        json_decref(shown);
        shown = run_for_json(server, words, 3, VIEW_S, &cause);
        shown = shown != NULL ? shown : json_string(cause.text);
        (void)json_object_set_new(answer, "profile_file", json_string(call->profile));
    }
    (void)json_object_set_new(answer, "profile", shown);
    return answer;
}

/* -------- requests -------- */

static json_t *text_result(const char *text, bool is_error)
{
    return json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text", text, "isError",
                     (int)is_error);
}

static json_t *call_result(struct server *server, const struct sc_mcp_call *call)
{
    struct sc_err err = {0};
    json_t *answer = call->profile != NULL ? run_program(server, call, &err)
                                           : run_for_json(server, call->words.items,
                                                          call->words.count, call->limit_s, &err);
    bool has_profile = call->profile == NULL || json_is_object(json_object_get(answer, "profile"));
    const struct sc_mcp_limits limits = {server->settings->root, call->items, TEXT_MAX,
                                         call->is_sparse};
    SC_AUTO_FREE char *text = answer != NULL ? sc_mcp_shorten(answer, limits, ANSWER_MAX) : NULL;
    json_t *result =
        text != NULL
            ? text_result(text, !has_profile)
            : text_result(err.kind != SC_ERR_NONE ? err.text : "the answer is too long", true);
    json_decref(answer);
    return result;
}

static void call_tool(struct server *server, json_t *id, const json_t *parameters)
{
    const char *name = json_string_value(json_object_get(parameters, "name"));
    json_t *arguments = json_object_get(parameters, "arguments");
    arguments = json_is_null(arguments) ? NULL : arguments;
    struct sc_mcp_call call = {0};
    struct sc_err err = {0};
    if (name == NULL || (arguments != NULL && !json_is_object(arguments))) {
        sc_mcp_reply_error(&server->channel, id, SC_RPC_WRONG_PARAMETERS,
                           "a call has a name and an object of arguments");
        return;
    }
    server->id = id;
    json_t *token = json_object_get(json_object_get(parameters, "_meta"), "progressToken");
    server->progress = json_is_string(token) || json_is_integer(token) ? token : NULL;
    server->is_cancelled = false;
    server->began_ns = server->progress_sent_ns = sc_now_ns();
    switch (sc_mcp_call_init(server->settings, name, arguments, &call, &err)) {
    case SC_MCP_NO_TOOL:
        sc_mcp_reply_error(&server->channel, id, SC_RPC_WRONG_PARAMETERS,
                           "there is no tool of this name");
        break;
    case SC_MCP_REFUSED:
        sc_mcp_reply(&server->channel, id, text_result(err.text, true));
        break;
    case SC_MCP_CALL: {
        json_t *result = call_result(server, &call);
        /* who has cancelled a request waits for no answer */
        if (server->is_cancelled)
            json_decref(result);
        else
            sc_mcp_reply(&server->channel, id, result);
        break;
    }
    }
    server->id = server->progress = NULL;
    sc_mcp_call_done(&call);
}

/* The client's version of the protocol where this server speaks it, else the newest that it does.
 */
static const char *version_for(const char *asked)
{
    static const char *const versions[] = {"2024-11-05", "2025-03-26", NEWEST_VERSION};
    for (size_t i = 0; asked != NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
        if (strcmp(versions[i], asked) == 0)
            return versions[i];
    return NEWEST_VERSION;
}

static json_t *greeting(const json_t *parameters)
{
    const char *asked = json_string_value(json_object_get(parameters, "protocolVersion"));
    return json_pack(
        "{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion", version_for(asked), "capabilities",
        "tools", "serverInfo", "name", "scalene", "version", SC_VERSION, "instructions",
        "Profiles Python programs. To make one faster: `run` it, `explain` its most expensive "
        "lines, write a new version beside the old one, prove it with `measure`.");
}

static void answer(struct server *server, json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *method = method_of(message);
    const json_t *parameters = json_object_get(message, "params");
    if (id == NULL || json_object_get(message, "result") != NULL ||
        json_object_get(message, "error") != NULL)
        return; /* a notification, or an answer: none was asked for */
    if (!json_is_string(id) && !json_is_integer(id))
        sc_mcp_reply_error(&server->channel, json_null(), SC_RPC_NO_REQUEST,
                           "an id is a text or a whole number");
    else if (strcmp(method, "initialize") == 0)
        sc_mcp_reply(&server->channel, id, greeting(parameters));
    else if (strcmp(method, "ping") == 0)
        sc_mcp_reply(&server->channel, id, json_object());
    else if (strcmp(method, "tools/list") == 0)
        sc_mcp_reply(&server->channel, id, sc_mcp_tools());
    else if (strcmp(method, "tools/call") == 0)
        call_tool(server, id, parameters);
    else
        sc_mcp_reply_error(&server->channel, id, SC_RPC_NO_METHOD, "there is no such method");
}

static json_t *next(struct server *server)
{
    /* nobody waits for what is asked before the end */
    bool is_awaited = server->waiting.count > 0 && !server->channel.has_ended;
    return is_awaited ? take_waiting(server, 0) : sc_mcp_receive(&server->channel, LOOK_MS);
}

bool sc_mcp_serve(const struct sc_mcp_settings *settings, int in, int out, struct sc_err *err)
{
    struct server server = {.settings = settings, .channel = {in, out, &is_stopping}};
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL); /* what is ignored, programs would ignore, too */
    if (!sc_ignores_hangup())
        (void)signal(SIGHUP, on_signal);
    while (is_stopping == 0 && !server.channel.has_failed) {
        json_t *message = next(&server);
        if (message != NULL)
            answer(&server, message);
        else if (server.channel.has_ended)
            break;
        json_decref(message);
    }
    for (size_t i = 0; i < server.waiting.count; i++)
        json_decref(server.waiting.items[i]);
    sc_vec_done(&server.waiting);
    sc_mcp_channel_done(&server.channel);
    if (server.folder != NULL) {
        (void)unlink(server.output);
        (void)rmdir(server.folder);
    }
    free(server.output);
    free(server.folder);
    return !server.channel.has_failed ||
           sc_fail(err, SC_ERR_FAILED, "the client reads no more answers");
}
