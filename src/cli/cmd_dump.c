/*
 * cli/cmd_dump.c - `scalene dump`: the stacks of a running Python, now, or of a core file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "cli/command.h"
#include "observer/snapshot/snapshot.h"

#define FUNCTION_COLUMNS 24
#define PLACE_COLUMNS    28
#define REPEATS_SHOWN    3U
#define AWAITED_SHOWN    8U
#define SOURCE_BYTES     200U /* of a line, at most */

/* Adds text from elsewhere, safe to be shown. */
static void add(struct sc_str *text, const char *other)
{
    sc_visible_add(text, other, strlen(other), SC_VISIBLE_LINE);
}

/* Where the names of files of packages and of Python's library begin, or NULL. */
static const char *library_part(const char *file)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(file, folders[i]);
        if (found != NULL)
            return found + strlen(folders[i]);
    }
    const char *library = strstr(file, "/lib/python3.");
    const char *slash = library != NULL ? strchr(library + strlen("/lib/"), '/') : NULL;
    return slash != NULL ? slash + 1 : NULL;
}

/* A file in the process's directory is named relative to it, one of a library by its part there. */
static const char *shown_file(const struct sc_snapshot *snapshot, const char *file)
{
    const char *part = file[0] == '<' ? NULL : library_part(file); /* "<string from ...>" */
    if (part != NULL)
        return part;
    size_t length = snapshot->directory != NULL ? strlen(snapshot->directory) : 0;
    if (length > 1 && strncmp(file, snapshot->directory, length) == 0 && file[length] == '/')
        return file + length + 1;
    return file;
}

static void pad(struct sc_str *text, size_t start, size_t columns)
{
    do {
        sc_str_add_char(text, ' ');
    } while (text->length < start + columns);
}

static void add_frame(const struct sc_snapshot *snapshot, const struct sc_snapshot_frame *frame,
                      struct sc_str *text)
{
    sc_str_add(text, "    ");
    size_t start = text->length;
    add(text, frame->function);
    pad(text, start, FUNCTION_COLUMNS);
    start = text->length;
    add(text,
        frame->is_native ? sc_after_last(frame->file, '/') : shown_file(snapshot, frame->file));
    if (frame->line > 0)
        sc_str_add_format(text, ":%u", frame->line);
    if (frame->source != NULL && frame->source[0] != '\0') {
        size_t length = strlen(frame->source);
        size_t shown = sc_utf8_fit(frame->source, length, SOURCE_BYTES);
        pad(text, start, PLACE_COLUMNS);
        sc_visible_add(text, frame->source, shown, SC_VISIBLE_LINE);
        sc_str_add(text, shown < length ? "..." : "");
    }
    if (frame->has_changed)
        sc_str_add_format(text, "   [changed since %s]",
                          snapshot->ending != NULL ? "the core was written"
                                                   : "the process started");
    sc_str_add(text, "\n");
    for (size_t i = 0; i < frame->variables.count; i++) {
        sc_str_add(text, "        ");
        add(text, frame->variables.items[i].name);
        sc_str_add(text, " = ");
        add(text, frame->variables.items[i].value);
        sc_str_add(text, "\n");
    }
}

static bool is_same_line(const struct sc_snapshot_frame *one, const struct sc_snapshot_frame *other)
{
    return one->line == other->line && one->variables.count == 0 && other->variables.count == 0 &&
           strcmp(one->function, other->function) == 0 && strcmp(one->file, other->file) == 0;
}

/* Of a line that calls itself again and again only the first few are shown, as in Python's own
 * tracebacks. */
static void add_frames(const struct sc_snapshot *snapshot, const struct sc_snapshot_frames *frames,
                       struct sc_str *text)
{
    size_t repeats = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const struct sc_snapshot_frame *frame = &frames->items[i];
        repeats = i > 0 && is_same_line(frame, frame - 1) ? repeats + 1 : 0;
        if (repeats < REPEATS_SHOWN)
            add_frame(snapshot, frame, text);
        bool is_last = i + 1 == frames->count || !is_same_line(frame, frame + 1);
        if (is_last && repeats >= REPEATS_SHOWN)
            sc_str_add_format(text, "    [the same %zu more times]\n", repeats + 1 - REPEATS_SHOWN);
    }
}

static void add_thread(const struct sc_snapshot *snapshot, const struct sc_snapshot_thread *thread,
                       struct sc_str *text)
{
    sc_str_add_format(text, "\nThread %d", (int)thread->tid);
    if (thread->name[0] != '\0') {
        sc_str_add(text, " ");
        add(text, thread->name);
    }
    sc_str_add(text, thread->is_daemon ? " (daemon)" : "");
    if (thread->interpreter != 0)
        sc_str_add_format(text, " (interpreter %" PRIu64 ")", thread->interpreter);
    sc_str_add(text, ": ");
    add(text, thread->doing);
    sc_str_add(text, thread->holds_gil ? ", holds the GIL" : "");
    if (thread->cpu_s >= 0)
        sc_str_add_format(text, ", CPU time %.2f s", thread->cpu_s);
    sc_str_add(text, "\n");
    add_frames(snapshot, &thread->frames, text);
    if (thread->is_cut)
        sc_str_add(text, "    [more calls, further out]\n");
    if (thread->is_moving)
        sc_str_add(text,
                   snapshot->ending != NULL
                       ? "    (the rest of it cannot be read)\n"
                       : "    (it ran while it was read: the innermost frames may be mixed)\n");
    else if (thread->frames.count == 0)
        sc_str_add(text,
                   thread->ident != 0 ? "    no Python frame\n" : "    not a thread of Python\n");
}

static void add_age(double seconds, struct sc_str *text)
{
    unsigned long whole = (unsigned long)seconds;
    if (whole >= 86400)
        sc_str_add_format(text, "%lu d %lu h", whole / 86400, whole / 3600 % 24);
    else if (whole >= 3600)
        sc_str_add_format(text, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        sc_str_add_format(text, "%lu min %lu s", whole / 60, whole % 60);
    else
        sc_str_add_format(text, "%lu s", whole);
}

static void add_awaited(const struct sc_snapshot_task *task, struct sc_str *text)
{
    const size_t count = task->awaited.count + task->awaited_left_out;
    const size_t shown = task->awaited.count < AWAITED_SHOWN ? task->awaited.count : AWAITED_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        bool is_last = i + 1 == count;
        sc_str_add(text, i == 0 ? ": awaits " : is_last ? " and " : ", ");
        sc_str_add(text, i > 0 ? "" : count == 1 ? "task " : "tasks ");
        add(text, task->awaited.items[i]);
    }
    if (count > shown)
        sc_str_add_format(text, " and %zu more", count - shown);
}

static void add_tasks(const struct sc_snapshot *snapshot, struct sc_str *text)
{
    if (snapshot->tasks.count > 0)
        sc_str_add_format(text, "\n%zu task%s\n", snapshot->tasks.count + snapshot->tasks_left_out,
                          snapshot->tasks.count + snapshot->tasks_left_out == 1 ? " waits"
                                                                                : "s wait");
    SC_EACH(const struct sc_snapshot_task, task, &snapshot->tasks) {
        sc_str_add(text, "\nTask ");
        add(text, task->name[0] != '\0' ? task->name : "without a name");
        add_awaited(task, text);
        sc_str_add(text, "\n");
        add_frames(snapshot, &task->frames, text);
    }
    if (snapshot->tasks_left_out > 0)
        sc_str_add_format(text, "\n%zu more tasks wait\n", snapshot->tasks_left_out);
}

static void add_greenlets(const struct sc_snapshot *snapshot, struct sc_str *text)
{
    size_t count = snapshot->greenlets.count + snapshot->greenlets_left_out;
    if (count > 0)
        sc_str_add_format(text, "\n%zu greenlet%s switched out\n", count,
                          count == 1 ? " is" : "s are");
    SC_EACH(const struct sc_snapshot_greenlet, greenlet, &snapshot->greenlets) {
        sc_str_add(text, "\nGreenlet ");
        add(text, greenlet->name);
        sc_str_add(text, ": ");
        add(text, greenlet->doing);
        sc_str_add(text, "\n");
        add_frames(snapshot, &greenlet->frames, text);
    }
    if (snapshot->greenlets_left_out > 0)
        sc_str_add_format(text, "\n%zu more greenlets\n", snapshot->greenlets_left_out);
    if (snapshot->greenlets_unreadable)
        sc_str_add(text, "\ngreenlets: not readable\n");
}

static void show_text(const struct sc_snapshot *snapshot, struct sc_str *text)
{
    bool is_core = snapshot->ending != NULL;
    sc_str_add_format(text,
                      is_core ? "Core file of process %d: " : "Process %d: ", (int)snapshot->pid);
    add(text, snapshot->command);
    sc_str_add_format(text, "\nPython %s%s, ", snapshot->version,
                      snapshot->is_free_threaded ? " (free-threaded)" : "");
    sc_str_add(text, is_core ? "" : "running for ");
    if (is_core)
        add(text, snapshot->ending);
    else
        add_age(snapshot->age_s, text);
    if (is_core && snapshot->cpu_s >= 0)
        sc_str_add_format(text, ", CPU time %.2f s", snapshot->cpu_s);
    sc_str_add_format(text, ", %zu thread%s; innermost call first\n", snapshot->threads.count,
                      snapshot->threads.count == 1 ? "" : "s");
    for (size_t i = 0; i < snapshot->findings.count; i++) {
        sc_str_add(text, i == 0 ? "\n! " : "! ");
        add(text, snapshot->findings.items[i]);
        sc_str_add(text, "\n");
    }
    for (size_t i = 0; i < snapshot->losses.count; i++) {
        sc_str_add(text, i == 0 ? "\n(" : "(");
        add(text, snapshot->losses.items[i]);
        sc_str_add(text, ")\n");
    }
    for (size_t i = 0; i < snapshot->threads.count; i++)
        add_thread(snapshot, &snapshot->threads.items[i], text);
    add_tasks(snapshot, text);
    add_greenlets(snapshot, text);
}

static void put_frames(struct sc_json_out *out, const struct sc_snapshot_frames *frames)
{
    SC_JSON_OBJECTS(out, "frames", const struct sc_snapshot_frame, frame, frames) {
        sc_json_text_under(out, "function", frame->function);
        sc_json_text_under(out, "file", frame->file);
        sc_json_count_under(out, "line", frame->line);
        sc_json_text_under(out, "source", frame->source);
        sc_json_bool_under(out, "is_native", frame->is_native);
        sc_json_bool_under(out, "source_has_changed", frame->has_changed);
        sc_json_begin_under(out, "locals", '{');
        for (size_t k = 0; k < frame->variables.count; k++)
            sc_json_text_under(out, frame->variables.items[k].name,
                               frame->variables.items[k].value);
        sc_json_end(out, '}');
    }
}

static void put_seconds(struct sc_json_out *out, const char *key, double seconds)
{
    sc_json_key(out, key);
    if (seconds < 0)
        sc_json_null(out);
    else
        sc_json_rounded(out, seconds, 6);
}

static void put_thread(struct sc_json_out *out, const struct sc_snapshot *snapshot,
                       const struct sc_snapshot_thread *thread)
{
    sc_json_count_under(out, "tid", (uint64_t)thread->tid);
    sc_json_count_under(out, "ident", thread->ident);
    sc_json_count_under(out, "interpreter", thread->interpreter);
    sc_json_text_under(out, "name", thread->name);
    sc_json_bool_under(out, "is_main", thread->is_main);
    sc_json_bool_under(out, "is_daemon", thread->is_daemon);
    sc_json_bool_under(out, "holds_gil", thread->holds_gil);
    sc_json_bool_under(out, "is_blocked", thread->is_blocked);
    sc_json_bool_under(out, "is_moving", thread->is_moving);
    sc_json_bool_under(out, "is_cut", thread->is_cut);
    sc_json_text_under(out, "doing", thread->doing);
    if (thread->waits_for != SC_SNAPSHOT_NOBODY)
        sc_json_count_under(out, "waits_for_tid",
                            (uint64_t)snapshot->threads.items[thread->waits_for].tid);
    else
        sc_json_text_under(out, "waits_for_tid", NULL);
    put_seconds(out, "cpu_s", thread->cpu_s);
    sc_json_bool_under(out, "has_crashed", thread->has_crashed);
    put_frames(out, &thread->frames);
}

static void put_task(struct sc_json_out *out, const struct sc_snapshot_task *task)
{
    sc_json_text_under(out, "name", task->name);
    sc_json_begin_under(out, "awaits_tasks", '[');
    for (size_t i = 0; i < task->awaited.count; i++)
        sc_json_string(out, task->awaited.items[i]);
    sc_json_end(out, ']');
    sc_json_count_under(out, "awaits_tasks_left_out", task->awaited_left_out);
    put_frames(out, &task->frames);
}

static void show_json(const struct sc_snapshot *snapshot, struct sc_str *text)
{
    struct sc_json_out out = {.text = text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "pid", (uint64_t)snapshot->pid);
    sc_json_text_under(&out, "command", snapshot->command);
    sc_json_text_under(&out, "python", snapshot->version);
    sc_json_bool_under(&out, "is_free_threaded", snapshot->is_free_threaded);
    sc_json_text_under(&out, "directory", snapshot->directory);
    bool is_core = snapshot->ending != NULL;
    put_seconds(&out, "age_s", is_core ? SC_SNAPSHOT_NO_TIME : snapshot->age_s);
    sc_json_text_under(&out, "ending", snapshot->ending);
    if (is_core)
        put_seconds(&out, "cpu_s", snapshot->cpu_s);
    sc_json_texts_under(&out, "losses", snapshot->losses.items, snapshot->losses.count);
    sc_json_texts_under(&out, "findings", snapshot->findings.items, snapshot->findings.count);
    SC_JSON_OBJECTS(&out, "threads", const struct sc_snapshot_thread, thread, &snapshot->threads)
        put_thread(&out, snapshot, thread);
    SC_JSON_OBJECTS(&out, "tasks", const struct sc_snapshot_task, task, &snapshot->tasks)
        put_task(&out, task);
    sc_json_count_under(&out, "tasks_left_out", snapshot->tasks_left_out);
    SC_JSON_OBJECTS(&out, "greenlets", const struct sc_snapshot_greenlet, greenlet,
                    &snapshot->greenlets) {
        sc_json_text_under(&out, "name", greenlet->name);
        sc_json_text_under(&out, "doing", greenlet->doing);
        put_frames(&out, &greenlet->frames);
    }
    sc_json_count_under(&out, "greenlets_left_out", snapshot->greenlets_left_out);
    sc_json_bool_under(&out, "greenlets_are_readable", !snapshot->greenlets_unreadable);
    sc_json_end(&out, '}');
    sc_str_add(text, "\n");
}

/* -------- the command -------- */

int sc_cmd_dump(const struct sc_values *values, const struct sc_words *operands, struct sc_err *err)
{
    const struct sc_snapshot_options wish = {
        .with_native = values->of[SC_OPT_DUMP_NATIVE].flag,
        .with_variables = values->of[SC_OPT_DUMP_LOCALS].flag,
    };
    SC_AUTO(sc_snapshot_done) struct sc_snapshot snapshot = {0};
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_err cause = {0};
    pid_t pid = 0;
    if (operands->count != 1)
        return sc_fail(err, SC_ERR_USAGE, "dump: name one process by its number, or one core file");
    const char *word = operands->items[0];
    bool is_file = word[strspn(word, "0123456789")] != '\0';
    if (!is_file && !sc_pid_word_read("dump", word, &pid, err))
        return 1;
    if (is_file && !sc_snapshot_take_core(word, &wish, &snapshot, &cause))
        return sc_fail(err, cause.kind, "dump: '%.200s': %s", word, cause.text);
    if (!is_file && !sc_snapshot_take(pid, &wish, &snapshot, &cause))
        return sc_fail(err, cause.kind, "dump: process %d: %s", (int)pid, cause.text);
    if (values->of[SC_OPT_DUMP_JSON].flag)
        show_json(&snapshot, &text);
    else
        show_text(&snapshot, &text);
    (void)fputs(sc_str_text(&text), stdout);
    return 0;
}
