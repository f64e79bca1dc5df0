/*
 * cli/cmd_optimize.c - `scalene optimize FILE:LINE`: asks a service for better code.
 *
 * Keys come from the environment alone: the words of a command line are seen by everyone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assist/answer.h"
#include "assist/apply.h"
#include "assist/client.h"
#include "assist/command.h"
#include "assist/hardware.h"
#include "assist/keys.h"
#include "assist/measure.h"
#include "assist/prompt.h"
#include "assist/providers.h"
#include "assist/settings.h"
#include "base/io.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/interpreter.h"
#include "cli/options.h"
#include "cli/profile_file.h"
#include "render/screen.h"

/* -------- what is shown -------- */

/* What a service says is not trusted: no control character of it reaches the terminal. */

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define CYAN  "\033[36m"
#define PLAIN "\033[0m"

static void print(struct sc_str *text)
{
    (void)fwrite(sc_str_text(text), 1, text->length, stdout);
    (void)fflush(stdout);
    sc_str_done(text);
}

static void show_prompt(const struct sc_ai_prompt *prompt)
{
    struct sc_str text = {0};
    sc_str_add(&text, "--- instructions ---\n");
    sc_visible_add(&text, sc_str_text(&prompt->system), prompt->system.length, SC_VISIBLE_LINES);
    sc_str_add(&text, "\n--- question ---\n");
    sc_visible_add(&text, sc_str_text(&prompt->user), prompt->user.length, SC_VISIBLE_LINES);
    print(&text);
}

static const char *style_of(const char *line)
{
    if (sc_starts_with(line, "@@"))
        return CYAN;
    return line[0] == '+' ? GREEN : line[0] == '-' ? RED : NULL;
}

static void add_diff(struct sc_str *text, const char *diff, bool color)
{
    while (*diff != '\0') {
        size_t length = strcspn(diff, "\n");
        const char *style = color ? style_of(diff) : NULL;
        if (style != NULL)
            sc_str_add(text, style);
        /* with its newline, which says whether a \r is the end of the line */
        size_t whole = length + (diff[length] == '\n' ? 1 : 0);
        SC_AUTO(sc_str_done) struct sc_str line = {0};
        sc_visible_add(&line, diff, whole, SC_VISIBLE_LINES);
        sc_str_add_bytes(text, sc_str_text(&line), strcspn(sc_str_text(&line), "\n"));
        if (style != NULL)
            sc_str_add(text, PLAIN);
        sc_str_add_char(text, '\n');
        diff += length + (diff[length] == '\n' ? 1 : 0);
    }
}

static void add_sentences(struct sc_str *text, const char *title, const struct sc_texts *sentences)
{
    for (size_t i = 0; i < sentences->count; i++) {
        sc_str_add(text, i == 0 ? title : "");
        sc_str_add(text, "  ");
        sc_visible_add(text, sentences->items[i], strlen(sentences->items[i]), SC_VISIBLE_LINE);
        sc_str_add_char(text, '\n');
    }
}

static void show_proposal(const struct sc_ai_place *place, const struct sc_ai_proposal *proposal,
                          bool color)
{
    struct sc_str text = {0};
    SC_AUTO(sc_str_done) struct sc_str diff = {0};
    sc_diff_unified(&proposal->diff, proposal->name, &diff);
    add_diff(&text, sc_str_text(&diff), color);
    const char *remarks = sc_str_text(&proposal->remarks);
    remarks += strspn(remarks, " \r\n\t");
    if (remarks[0] != '\0') {
        sc_str_add_char(&text, '\n');
        sc_visible_add(&text, remarks, strlen(remarks), SC_VISIBLE_LINES);
        while (text.length > 1 && text.data[text.length - 1] == '\n' &&
               text.data[text.length - 2] == '\n')
            text.data[--text.length] = '\0';
    }
    add_sentences(&text, "\nOther code may notice, and fail:\n", &proposal->interface_changes);
    add_sentences(&text, "\nWARNING: this is not what it looks like:\n", &proposal->unseen);
    if (place->is_changed)
        sc_str_add(&text,
                   "\nThe file has changed since the run, or is inside an archive: the proposal "
                   "is for the text that ran.\n");
    print(&text);
}

static void add_status(struct sc_str *text, int status)
{
    if (status < 0)
        sc_str_add_format(text, "signal %d", -status);
    else
        sc_str_add_format(text, "status %d", status);
}

static void add_row(struct sc_str *text, const char *name, const struct sc_ai_compared *row,
                    const char *unit, int digits)
{
    sc_str_add_format(text, "  %-12s %9.*f ± %-8.*f %9.*f ± %-8.*f %+7.1f ± %.1f %%  (%s)\n", name,
                      digits, row->original, digits, row->original_error, digits, row->changed,
                      digits, row->changed_error, row->change_percent, row->change_error_percent,
                      unit);
}

static void show_measured(const struct sc_ai_measured *measured)
{
    struct sc_str text = {0};
    SC_AUTO(sc_str_done) struct sc_str verdict = {0};
    sc_str_add_format(&text, "\nMeasured in %u run%s of each version:\n", measured->rounds,
                      measured->rounds == 1 ? "" : "s");
    sc_str_add_format(&text, "  %-12s %20s %20s %s\n", "", "original", "proposal", "    change");
    add_row(&text, "time", &measured->time_s, "s", 3);
    add_row(&text, measured->peak_is_footprint ? "peak memory" : "peak RSS", &measured->peak_mb,
            "MB", 1);
    sc_str_add(&text, "  exit         ");
    add_status(&text, measured->original_status);
    sc_str_add(&text, ", ");
    add_status(&text, measured->changed_status);
    sc_str_add_char(&text, '\n');
    if (measured->output_difference != NULL) {
        sc_str_add(&text, "  output       ");
        sc_visible_add(&text, measured->output_difference, strlen(measured->output_difference),
                       SC_VISIBLE_LINE);
        sc_str_add_char(&text, '\n');
    }
    sc_str_add(&text, "  result:      ");
    sc_ai_measured_verdict(measured, &verdict);
    sc_visible_add(&text, sc_str_text(&verdict), verdict.length, SC_VISIBLE_LINE);
    sc_str_add(&text, "\n");
    print(&text);
}

/* -------- a proposal is measured and applied -------- */

/* Whether the user agrees, by --yes or at the terminal. Nothing is run or written without that. */
static bool may(const struct sc_values *values, const char *question, const char *what,
                struct sc_err *err)
{
    if (values->of[SC_OPT_OPTIMIZE_YES].flag)
        return true;
    if (isatty(STDIN_FILENO) != 1)
        return sc_fail(err, SC_ERR_USAGE,
                       "nobody is here to be asked; --yes lets the proposal be %s", what);
    (void)fprintf(stderr, "%s [y/N] ", question);
    int letter = getchar();
    for (int rest = letter; rest != '\n' && rest != EOF;)
        rest = getchar();
    return letter == 'y' || letter == 'Y' ||
           sc_fail(err, SC_ERR_FAILED, "the proposal is not %s", what);
}

static void print_progress(void *context, const char *sentence)
{
    (void)context;
    SC_AUTO_FREE char *shown = sc_visible(sentence);
    (void)fprintf(stderr, "scalene: optimize: %s\n", shown);
}

/* Shows what will run, before the user agrees to it. */
static bool show_command(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                         struct sc_err *err)
{
    SC_AUTO(sc_ai_command_done) struct sc_ai_command command = {0};
    sc_ai_command_describe(proposal, trial, &command);
    bool is_runnable = command.line != NULL;
    if (is_runnable)
        (void)fprintf(stderr,
                      "scalene: optimize: measuring runs this, with the proposed code and without, "
                      "in copies of '%s':\n    %s\n",
                      command.folder != NULL ? command.folder : "its directory", command.line);
    else
        (void)sc_fail(err, SC_ERR_USAGE, "%s (--command)", command.why);
    return is_runnable;
}

/* Whether one number has grown for certain, and the other has not become less for certain. */
static bool is_worse(const struct sc_ai_compared *one, const struct sc_ai_compared *other)
{
    return one->is_certain && one->change_percent > 0.0 &&
           !(other->is_certain && other->change_percent < 0.0);
}

static bool run_both(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                     const struct sc_ai_trial *trial, const char **ret_why_not, struct sc_err *err)
{
    SC_AUTO(sc_ai_measured_done) struct sc_ai_measured measured = {0};
    if (!show_command(proposal, trial, err) ||
        !may(values, "This runs the proposed code on this machine, as you. Do that?", "run", err) ||
        !sc_ai_measure(proposal, trial, &measured, err))
        return false;
    show_measured(&measured);
    if (measured.original_status != 0)
        *ret_why_not = "the program itself fails here, so that nothing was tried";
    else if (!measured.same_status || !measured.same_output)
        *ret_why_not = "the program does something else with it";
    else if (measured.is_unseen)
        *ret_why_not = "what was run did not try it";
    else if (is_worse(&measured.time_s, &measured.peak_mb) ||
             is_worse(&measured.peak_mb, &measured.time_s))
        *ret_why_not = "it is certainly for the worse";
    return true;
}

static bool measure(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                    bool (*is_cancelled)(void *context), const char **ret_why_not,
                    struct sc_err *err)
{
    struct sc_ai_trial trial = {
        .command = sc_value_given(&values->of[SC_OPT_OPTIMIZE_COMMAND]),
        .rounds = (unsigned)values->of[SC_OPT_OPTIMIZE_ROUNDS].count,
        .progress = print_progress,
        .is_cancelled = is_cancelled,
    };
    /* as a path: what is shown is what runs */
    const char *wanted = sc_value_given(&values->of[SC_OPT_OPTIMIZE_PYTHON]);
    SC_AUTO_FREE char *python = trial.command == NULL ? sc_interpreter_find(wanted, err) : NULL;
    trial.python = python;
    return (python != NULL || trial.command != NULL) &&
           run_both(values, proposal, &trial, ret_why_not, err);
}

static bool apply(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                  struct sc_err *err)
{
    SC_AUTO_FREE char *backup = NULL;
    SC_AUTO_FREE char *path = sc_visible(proposal->path);
    SC_AUTO_FREE char *question = sc_format("Write the proposal into '%s'?", path);
    if (!may(values, question, "applied", err) || !sc_ai_apply(proposal, &backup, err))
        return false;
    SC_AUTO_FREE char *kept = sc_visible(backup);
    (void)fprintf(stderr, "scalene: optimize: '%s' is changed; what it was is in '%s'\n", path,
                  kept);
    return true;
}

/* Does what --measure and --apply say, after asking the user where there is a terminal. */
static bool try_proposal(const struct sc_values *values, const struct sc_ai_proposal *proposal,
                         bool (*is_cancelled)(void *context), struct sc_err *err)
{
    const char *why_not = NULL;
    if (values->of[SC_OPT_OPTIMIZE_MEASURE].flag &&
        !measure(values, proposal, is_cancelled, &why_not, err))
        return false;
    if (!values->of[SC_OPT_OPTIMIZE_APPLY].flag)
        return true;
    /* a user who is asked at a terminal has seen the changes */
    if (proposal->interface_changes.count > 0 && values->of[SC_OPT_OPTIMIZE_YES].flag &&
        !values->of[SC_OPT_OPTIMIZE_MEASURE].flag)
        why_not = "other code may call what it changes; --measure tries it";
    if (proposal->unseen.count > 0 && values->of[SC_OPT_OPTIMIZE_YES].flag)
        why_not = "it is not what it looks like; look at it and go without --yes";
    if (why_not != NULL)
        return sc_fail(err, SC_ERR_FAILED, "the proposal is not applied, as %s", why_not);
    return apply(values, proposal, err);
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* So that the copies of the program are removed; what is ignored stays that (nohup). */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction old;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

/* How far an answer has come, on a terminal. */
struct progress {
    bool is_terminal;
    size_t bytes;
};

static void on_text(void *context, const char *text, size_t length)
{
    struct progress *progress = context;
    (void)text;
    progress->bytes += length;
    if (progress->is_terminal)
        (void)fprintf(stderr, "\r  %zu bytes of the answer so far", progress->bytes);
}

static bool load(const char *path, struct sc_profile *profile, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str bytes = {0};
    struct sc_err cause = {0};
    bool loaded = sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, &cause) &&
                  sc_profile_from_json(sc_str_text(&bytes), bytes.length, profile, &cause);
    if (!loaded)
        (void)sc_fail(err, SC_ERR_FAILED, "'%.200s' is no profile that can be used: %s", path,
                      cause.text);
    return loaded;
}

/* The place of a name in a list of them; count when it is not there. */
static int find_name(const char *const *names, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static bool refuse_provider(const char *name, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str known = {0};
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++)
        sc_str_add_format(&known, "%s%s (or %s)", i > 0 ? ", " : "", sc_ai_providers[i]->id,
                          sc_ai_providers[i]->alias);
    return sc_fail(err, SC_ERR_USAGE, "unknown service '%.60s'; known services: %s", name,
                   known.data);
}

static bool choose_provider(const struct sc_values *values, struct sc_ai_settings *settings,
                            struct sc_err *err)
{
    const char *name = values->of[SC_OPT_OPTIMIZE_PROVIDER].text;
    bool is_named = name != NULL && name[0] != '\0';
    const struct sc_ai_provider *provider =
        is_named ? sc_ai_provider_find(name) : sc_ai_provider_ready();
    if (provider == NULL && is_named)
        return refuse_provider(name, err);
    if (provider == NULL)
        return sc_fail(err, SC_ERR_USAGE,
                       "no service is set up: set $ANTHROPIC_API_KEY, $OPENAI_API_KEY or "
                       "$GEMINI_API_KEY, or name one with --provider (ollama needs no key)");
    sc_ai_settings_init(settings, provider);
    const char *url = values->of[SC_OPT_OPTIMIZE_URL].text;
    for (size_t i = 0; url != NULL && i < provider->field_count; i++)
        if (provider->fields[i].is_address)
            (void)sc_ai_settings_set(settings, provider->fields[i].id, url, NULL);
    sc_ai_settings_model(settings, values->of[SC_OPT_OPTIMIZE_MODEL].text);
    sc_ai_settings_usual_model(settings);
    return sc_ai_settings_check(settings, err);
}

/* Where no model is named and the service has no usual one, its first. */
static bool choose_model(struct sc_ai_settings *settings, const struct sc_ai_watch *watch,
                         struct sc_err *err)
{
    if (settings->model != NULL)
        return true;
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    bool good = sc_ai_list(settings, watch, &models, err);
    if (good)
        sc_ai_settings_model(settings, models.items[0]);
    return good;
}

static bool list_models(const struct sc_values *values, struct sc_err *err)
{
    struct sc_ai_settings settings = {0};
    SC_AUTO(sc_texts_done) struct sc_texts models = {0};
    struct sc_ai_watch watch = {.is_cancelled = is_interrupted};
    bool good =
        choose_provider(values, &settings, err) && sc_ai_list(&settings, &watch, &models, err);
    for (size_t i = 0; i < models.count; i++) {
        SC_AUTO_FREE char *name = sc_visible(models.items[i]);
        (void)printf("%s\n", name);
    }
    if (settings.provider != NULL)
        sc_ai_settings_done(&settings);
    return good;
}

static bool ask(const struct sc_values *values, const struct sc_ai_prompt *prompt,
                struct sc_str *ret_answer, struct sc_err *err)
{
    struct sc_ai_settings settings = {0};
    struct progress progress = {.is_terminal = isatty(STDERR_FILENO) == 1};
    struct sc_ai_watch watch = {on_text, is_interrupted, &progress};
    bool good = choose_provider(values, &settings, err) && choose_model(&settings, &watch, err);
    if (good) {
        SC_AUTO_FREE char *model = sc_visible(settings.model);
        (void)fprintf(stderr, "scalene: optimize: asking %s (%.100s) about %zu bytes\n",
                      settings.provider->name, model, prompt->system.length + prompt->user.length);
        good = sc_ai_ask(&settings, &prompt->question, &watch, ret_answer, err);
        if (progress.is_terminal && progress.bytes > 0)
            (void)fputs("\r\033[K", stderr);
    }
    if (settings.provider != NULL)
        sc_ai_settings_done(&settings);
    return good;
}

/* Shows the proposal and does with it what the options say. */
static bool propose(const struct sc_values *values, const struct sc_ai_place *place,
                    const struct sc_str *answer, struct sc_err *err)
{
    SC_AUTO(sc_ai_proposal_done) struct sc_ai_proposal proposal = {0};
    if (!sc_ai_proposal_make(place, sc_str_text(answer), answer->length, &proposal, err))
        return false;
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    show_proposal(place, &proposal, screen.rendering.color);
    return try_proposal(values, &proposal, is_interrupted, err);
}

static bool optimize_place(const struct sc_values *values, const struct sc_ai_place *place,
                           enum sc_ai_goal goal, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str hardware = {0};
    SC_AUTO(sc_ai_prompt_done) struct sc_ai_prompt prompt = {0};
    SC_AUTO(sc_str_done) struct sc_str answer = {0};
    sc_hardware_add(&hardware, place->profile);
    if (!sc_ai_prompt_make(place, goal, sc_str_text(&hardware), &prompt, err))
        return false;
    if (!values->of[SC_OPT_OPTIMIZE_SHOW_PROMPT].flag)
        return ask(values, &prompt, &answer, err) && propose(values, place, &answer, err);
    show_prompt(&prompt);
    return true;
}

static bool optimize(const struct sc_values *values, const char *words, struct sc_err *err)
{
    const char *goal_name = values->of[SC_OPT_OPTIMIZE_GOAL].text;
    const char *scope_name = values->of[SC_OPT_OPTIMIZE_SCOPE].text;
    int goal = find_name(sc_ai_goal_names, SC_AI_GOAL_COUNT_, goal_name);
    int scope = find_name(sc_ai_scope_names, SC_AI_SCOPE_COUNT_, scope_name);
    if (goal == SC_AI_GOAL_COUNT_)
        return sc_fail(err, SC_ERR_USAGE, "--goal is performance or memory, not '%.60s'",
                       goal_name);
    if (scope == SC_AI_SCOPE_COUNT_)
        return sc_fail(err, SC_ERR_USAGE, "--scope is region, line, loop or function, not '%.60s'",
                       scope_name);
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    SC_AUTO(sc_ai_place_done) struct sc_ai_place place = {0};
    return load(values->of[SC_OPT_OPTIMIZE_PROFILE].text, &profile, err) &&
           sc_ai_place_parse(&profile, words, (enum sc_ai_scope)scope, &place, err) &&
           optimize_place(values, &place, (enum sc_ai_goal)goal, err);
}

int sc_cmd_optimize(const struct sc_values *values, const struct sc_words *places,
                    struct sc_err *err)
{
    catch_signals();
    sc_ai_shut_process();
    if (values->of[SC_OPT_OPTIMIZE_LIST_MODELS].flag)
        (void)list_models(values, err);
    else if (places->count != 1)
        (void)sc_fail(err, SC_ERR_USAGE, "name one place: FILE:LINE or FILE:FIRST-LAST");
    else
        (void)optimize(values, places->items[0], err);
    return 0;
}
