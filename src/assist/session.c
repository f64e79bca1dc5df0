/* assist/session.c - see session.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "assist/apply.h"
#include "assist/body.h"
#include "assist/client.h"
#include "assist/command.h"
#include "assist/hardware.h"
#include "assist/measure.h"
#include "base/visible.h"

#define KEPT_MAX 50U

/* A proposal, freed when its last user releases it; the list of kept ones counts as one user. */
struct kept {
    uint64_t id;
    unsigned users;
    struct sc_ai_proposal proposal;
};

struct sc_ai_session {
    const char *python;
    pthread_mutex_t lock; /* for all members below, and the number of users of kept ones */
    uint64_t last_id;
    struct kept *kept[KEPT_MAX]; /* the newest at last_id % KEPT_MAX */
};

struct sc_ai_session *sc_ai_session_new(const char *python)
{
    struct sc_ai_session *session = sc_alloc(1, sizeof(*session));
    session->python = python;
    (void)pthread_mutex_init(&session->lock, NULL);
    return session;
}

/* The lock is held. */
static void release_locked(struct kept *kept)
{
    if (kept == NULL || --kept->users > 0)
        return;
    sc_ai_proposal_done(&kept->proposal);
    free(kept);
}

static void release(struct sc_ai_session *session, struct kept *kept)
{
    (void)pthread_mutex_lock(&session->lock);
    release_locked(kept);
    (void)pthread_mutex_unlock(&session->lock);
}

void sc_ai_session_free(struct sc_ai_session *session)
{
    if (session == NULL)
        return;
    for (unsigned i = 0; i < KEPT_MAX; i++)
        release_locked(session->kept[i]);
    (void)pthread_mutex_destroy(&session->lock);
    free(session);
}

/* Takes ownership of the proposal and returns its number. */
static uint64_t keep(struct sc_ai_session *session, struct sc_ai_proposal *proposal)
{
    struct kept *kept = sc_alloc(1, sizeof(*kept));
    kept->users = 1;
    kept->proposal = *proposal;
    (void)pthread_mutex_lock(&session->lock);
    kept->id = ++session->last_id;
    struct kept **slot = &session->kept[kept->id % KEPT_MAX];
    release_locked(*slot);
    *slot = kept;
    uint64_t id = kept->id;
    (void)pthread_mutex_unlock(&session->lock);
    return id;
}

/* The proposal that a body names, with one user more. */
static struct kept *use(struct sc_ai_session *session, const json_t *object, struct sc_err *err)
{
    json_int_t id = json_integer_value(json_object_get(object, "proposal"));
    (void)pthread_mutex_lock(&session->lock);
    struct kept *kept = id > 0 ? session->kept[(uint64_t)id % KEPT_MAX] : NULL;
    if (kept != NULL && kept->id != (uint64_t)id)
        kept = NULL;
    if (kept != NULL)
        kept->users++;
    (void)pthread_mutex_unlock(&session->lock);
    if (kept == NULL)
        (void)sc_fail(err, SC_ERR_USAGE, "this proposal is not kept any more: ask again");
    return kept;
}

bool sc_ai_apply_json(struct sc_ai_session *session, const struct sc_ai_body *body,
                      struct sc_str *ret_json, struct sc_err *err)
{
    json_auto_t *object = sc_ai_body_read(body, err);
    struct kept *kept = object != NULL ? use(session, object, err) : NULL;
    SC_AUTO_FREE char *backup = NULL;
    bool good = kept != NULL && sc_ai_apply(&kept->proposal, &backup, err);
    if (good)
        sc_ai_json_add(json_pack("{s: o, s: o}", "path",
                                 sc_ai_json_text(kept->proposal.path, strlen(kept->proposal.path)),
                                 "backup", sc_ai_json_text(backup, strlen(backup))),
                       ret_json);
    if (kept != NULL)
        release(session, kept);
    return good;
}

struct sc_ai_task {
    struct sc_ai_session *session;
    const struct sc_ai_follower *follower; /* while it runs */
    /* a question */
    struct sc_ai_settings settings;
    struct sc_ai_place place;
    struct sc_ai_prompt prompt;
    /* a measurement */
    struct kept *kept; /* NULL for a question */
    char *command;
    unsigned rounds;
};

struct sc_ai_task *sc_ai_task_ask(struct sc_ai_session *session, const struct sc_ai_files *files,
                                  const struct sc_ai_body *body, struct sc_err *err)
{
    struct sc_ai_task *task = sc_alloc(1, sizeof(*task));
    SC_AUTO(sc_str_done) struct sc_str hardware = {0};
    enum sc_ai_goal goal = SC_AI_GOAL_PERFORMANCE;
    json_t *object = sc_ai_body_read(body, err);
    task->session = session;
    sc_hardware_add(&hardware, files->profile);
    bool good = object != NULL && sc_ai_body_place(object, files, &task->place, &goal, err) &&
                sc_ai_prompt_make(&task->place, goal, sc_str_text(&hardware), &task->prompt, err) &&
                sc_ai_body_settings(object, &task->settings, err) &&
                sc_ai_settings_check(&task->settings, err);
    /* the profile may be replaced while the service answers */
    task->place.profile = NULL;
    task->place.file = NULL;
    sc_ai_body_free(object);
    if (good)
        return task;
    sc_ai_task_free(task);
    return NULL;
}

struct sc_ai_task *sc_ai_task_measure(struct sc_ai_session *session, const struct sc_ai_body *body,
                                      struct sc_err *err)
{
    json_auto_t *object = sc_ai_body_read(body, err);
    struct sc_ai_task *task = NULL;
    if (object != NULL && !json_is_true(json_object_get(object, "allowed")))
        (void)sc_fail(err, SC_ERR_USAGE, "measuring runs the proposed code and was not allowed");
    struct kept *kept =
        object != NULL && err->kind == SC_ERR_NONE ? use(session, object, err) : NULL;
    const char *command = object != NULL ? sc_ai_dig_text(object, "command") : NULL;
    bool is_file = false;
    if (kept != NULL && (command == NULL || command[0] == '\0') &&
        !sc_ai_command_check(&kept->proposal.program, &is_file, err)) {
        release(session, kept);
    } else if (kept != NULL) {
        json_int_t rounds = json_integer_value(json_object_get(object, "rounds"));
        task = sc_alloc(1, sizeof(*task));
        task->session = session;
        task->kept = kept;
        task->command = command != NULL && command[0] != '\0' ? sc_strdup(command) : NULL;
        task->rounds = rounds > 0 && rounds <= SC_AI_ROUNDS_MAX ? (unsigned)rounds : 0;
    }
    return task;
}

void sc_ai_task_free(struct sc_ai_task *task)
{
    sc_ai_prompt_done(&task->prompt);
    sc_ai_place_done(&task->place);
    if (task->settings.provider != NULL)
        sc_ai_settings_done(&task->settings);
    if (task->kept != NULL)
        release(task->session, task->kept);
    free(task->command);
    free(task);
}

static void emit(const struct sc_ai_task *task, const char *event, json_t *value)
{
    SC_AUTO(sc_str_done) struct sc_str json = {0};
    sc_ai_json_add(value, &json);
    task->follower->event(task->follower->context, event, sc_str_text(&json));
}

static void emit_text(const struct sc_ai_task *task, const char *event, const char *name,
                      const char *text, size_t length)
{
    emit(task, event, json_pack("{s: o}", name, sc_ai_json_text(text, length)));
}

static void on_text(void *context, const char *text, size_t length)
{
    emit_text(context, "delta", "text", text, length);
}

static void on_run(void *context, const char *sentence)
{
    emit_text(context, "run", "text", sentence, strlen(sentence));
}

static bool is_cancelled(void *context)
{
    const struct sc_ai_task *task = context;
    return task->follower->is_cancelled(task->follower->context);
}

static json_t *str_json(const struct sc_str *str)
{
    return sc_ai_json_text(sc_str_text(str), str->length);
}

/* Text that is only shown, with invisible characters made visible. */
static json_t *visible_json(const char *text, size_t length, enum sc_visible kind)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    sc_visible_add(&shown, text, length, kind);
    return str_json(&shown);
}

static json_t *sentences_json(const struct sc_texts *sentences)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sentences->count; i++)
        (void)json_array_append_new(
            list, visible_json(sentences->items[i], strlen(sentences->items[i]), SC_VISIBLE_LINE));
    return list;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? sc_ai_json_text(text, strlen(text)) : json_null();
}

/* The command that measuring it would run. */
static json_t *command_json(const struct sc_ai_session *session,
                            const struct sc_ai_proposal *proposal)
{
    struct sc_ai_trial trial = {.python = session->python};
    SC_AUTO(sc_ai_command_done) struct sc_ai_command command = {0};
    sc_ai_command_describe(proposal, &trial, &command);
    return json_pack("{s: o, s: o, s: o}", "line", text_or_null(command.line), "why",
                     text_or_null(command.why), "folder", text_or_null(command.folder));
}

/* The changes, each with some lines around it. */
static json_t *rows_json(const struct sc_diff *diff)
{
    enum { AROUND = 3 };
    json_t *rows = json_array();
    size_t last = 0; /* behind the last change so far */
    bool any = false;
    for (size_t i = 0; i < diff->rows.count; i++) {
        bool is_near = any && i < last + AROUND;
        for (size_t k = i; k < diff->rows.count && k <= i + AROUND && !is_near; k++)
            is_near = diff->rows.items[k].kind != SC_DIFF_SAME;
        const struct sc_diff_row *row = &diff->rows.items[i];
        bool has_return = row->length > 0 && row->text[row->length - 1] == '\r';
        size_t length = row->length - (has_return ? 1 : 0);
        if (row->kind != SC_DIFF_SAME) {
            any = true;
            last = i + 1;
        }
        if (is_near)
            (void)json_array_append_new(
                rows, json_pack("[s#, I, I, o]", &" -+"[row->kind], 1,
                                (json_int_t)row -> old_lineno, (json_int_t)row -> new_lineno,
                                visible_json(row->text, length, SC_VISIBLE_LINE)));
    }
    return rows;
}

static json_t *proposal_json(const struct sc_ai_session *session,
                             const struct sc_ai_proposal *proposal, bool is_changed)
{
    SC_AUTO(sc_str_done) struct sc_str diff = {0};
    sc_diff_unified(&proposal->diff, proposal->name, &diff);
    return json_pack(
        "{s: o, s: o, s: I, s: I, s: o, s: o, s: o, s: o, s: o, s: o, s: o, s: o, s: o, s: b}",
        "file", visible_json(proposal->name, strlen(proposal->name), SC_VISIBLE_LINE), "path",
        visible_json(proposal->path, strlen(proposal->path), SC_VISIBLE_LINE), "first",
        (json_int_t)proposal->first, "last", (json_int_t)proposal->last, "original",
        str_json(&proposal->original), "code", str_json(&proposal->code), "imports",
        str_json(&proposal->imports), "remarks",
        visible_json(sc_str_text(&proposal->remarks), proposal->remarks.length, SC_VISIBLE_LINES),
        "diff", str_json(&diff), "rows", rows_json(&proposal->diff), "interface",
        sentences_json(&proposal->interface_changes), "unseen", sentences_json(&proposal->unseen),
        "run", command_json(session, proposal), "changed", is_changed);
}

/* Asks a service that has no usual model for its first. */
static bool find_model(struct sc_ai_task *task, const struct sc_ai_watch *watch, struct sc_err *err)
{
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    bool good = task->settings.model != NULL || sc_ai_list(&task->settings, watch, &models, err);
    if (good && task->settings.model == NULL)
        sc_ai_settings_model(&task->settings, models.items[0]);
    return good;
}

static bool run_question(struct sc_ai_task *task, struct sc_err *err)
{
    struct sc_ai_watch watch = {on_text, is_cancelled, task};
    struct sc_ai_proposal proposal = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    bool good =
        find_model(task, &watch, err) &&
        sc_ai_ask(&task->settings, &task->prompt.question, &watch, &answer, err) &&
        sc_ai_proposal_make(&task->place, sc_str_text(&answer), answer.length, &proposal, err);
    if (good) {
        /* once it is in the list, another task may cause it to be freed */
        json_t *object = proposal_json(task->session, &proposal, task->place.is_changed);
        uint64_t id = keep(task->session, &proposal);
        (void)json_object_set_new(object, "id", json_integer((json_int_t)id));
        emit(task, "done", object);
    }
    return good;
}

static json_t *compared_json(const struct sc_ai_compared *compared)
{
    return json_pack("{s: f, s: f, s: f, s: f, s: f, s: f, s: b}", "original", compared->original,
                     "original_error", compared->original_error, "changed", compared->changed,
                     "changed_error", compared->changed_error, "change_percent",
                     compared->change_percent, "change_error_percent",
                     compared->change_error_percent, "is_certain", compared->is_certain);
}

static json_t *measured_json(const struct sc_ai_measured *measured)
{
    SC_AUTO(sc_str_done) struct sc_str verdict = {0};
    sc_ai_measured_verdict(measured, &verdict);
    const char *difference = measured->output_difference;
    return json_pack(
        "{s: i, s: o, s: o, s: o, s: b, s: i, s: i, s: b, s: b, s: b, s: b, s: o, s: o}", "rounds",
        (int)measured->rounds, "command",
        sc_ai_json_text(measured->command, strlen(measured->command)), "time_s",
        compared_json(&measured->time_s), "peak_mb", compared_json(&measured->peak_mb),
        "peak_is_footprint", measured->peak_is_footprint, "original_status",
        measured->original_status, "changed_status", measured->changed_status, "same_status",
        measured->same_status, "same_output", measured->same_output, "is_steady",
        measured->is_steady, "is_unseen", measured->is_unseen, "output_difference",
        difference != NULL ? sc_ai_json_text(difference, strlen(difference)) : json_null(),
        "verdict", visible_json(sc_str_text(&verdict), verdict.length, SC_VISIBLE_LINE));
}

static bool run_measurement(struct sc_ai_task *task, struct sc_err *err)
{
    struct sc_ai_trial trial = {
        .command = task->command,
        .python = task->session->python,
        .rounds = task->rounds,
        .progress = on_run,
        .is_cancelled = is_cancelled,
        .context = task,
    };
    SC_AUTO(sc_ai_measured_done) struct sc_ai_measured measured = {0};
    bool good = sc_ai_measure(&task->kept->proposal, &trial, &measured, err);
    if (good)
        emit(task, "done", measured_json(&measured));
    return good;
}

void sc_ai_task_run(struct sc_ai_task *task, const struct sc_ai_follower *follower)
{
    struct sc_err err = {0};
    task->follower = follower;
    bool good = task->kept != NULL ? run_measurement(task, &err) : run_question(task, &err);
    if (!good)
        emit_text(task, "error", "error", err.text, strlen(err.text));
    task->follower = NULL;
}
