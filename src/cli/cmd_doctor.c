/*
 * cli/cmd_doctor.c - `scalene doctor`: says what can be profiled here, and why not the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accelerator/accelerator.h"
#include "assist/providers.h"
#include "assist/settings.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/help.h"
#include "render/screen.h"
#include "server/browser.h"

static const struct {
    const char *json;
    const char *word;
    const char *style; /* SGR sequence */
} states[] = {
    [SC_CHECK_GOOD] = {"ok", "ok", "32"},
    [SC_CHECK_PART] = {"part", "part", "33"},
    [SC_CHECK_BAD] = {"no", "NO", "1;31"},
};

static void check_devices(struct sc_diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str notes = {0};
    struct sc_device devices[SC_DEVICES_MAX] = {0};
    size_t count = 0;
    void *state = NULL;
    const struct sc_accelerator *const *kind = sc_accelerator_table;
    for (; *kind != NULL && state == NULL; kind++)
        state = (*kind)->open(&notes);
    if (state != NULL) {
        count = kind[-1]->devices(state, devices, SC_DEVICES_MAX);
        kind[-1]->close(state);
    }
    char *found = count > 0 ? sc_format("%zu found, the first is %s", count, devices[0].name)
                            : sc_strdup("none found, nor a driver for one");
    if (count == 0 && notes.length > 0) {
        free(found);
        found = sc_strdup(notes.data);
        found[strcspn(found, "\n")] = '\0';
    }
    bool is_missing = count == 0 && notes.length > 0;
    sc_diagnosis_add(diagnosis, "gpu", is_missing ? SC_CHECK_PART : SC_CHECK_GOOD, found,
                     is_missing ? sc_strdup("no GPU time and no GPU memory") : NULL);
}

static void check_screen(struct sc_diagnosis *diagnosis)
{
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    sc_diagnosis_add(diagnosis, "terminal", SC_CHECK_GOOD,
                     sc_format("%s%u columns, %s, %s",
                               screen.is_terminal ? "" : "no terminal: ", screen.rendering.width,
                               screen.rendering.unicode ? "UTF-8" : "ASCII alone",
                               screen.rendering.color ? "colours" : "no colours"),
                     NULL);
    bool has_browser = sc_browser_is_possible();
    sc_diagnosis_add(diagnosis, "browser", has_browser ? SC_CHECK_GOOD : SC_CHECK_PART,
                     sc_strdup(has_browser ? "can be opened" : "no graphical browser was found"),
                     has_browser ? NULL
                                 : sc_strdup("scalene view writes the page to a file; use --cli, "
                                             "or --no-browser to serve it"));
}

static void check_services(struct sc_diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str names = {0};
    for (size_t i = 0; sc_ai_providers[i] != NULL; i++) {
        SC_AUTO(sc_ai_settings_done) struct sc_ai_settings settings = {0};
        sc_ai_settings_init(&settings, sc_ai_providers[i]);
        bool is_set = false;
        for (size_t k = 0; k < sc_ai_providers[i]->field_count; k++)
            is_set = is_set || settings.values[k].origin == SC_AI_ENVIRONMENT;
        if (is_set)
            sc_str_add_format(&names, "%s%s", names.length > 0 ? ", " : "", sc_ai_providers[i]->id);
    }
    sc_diagnosis_add(
        diagnosis, "ai", SC_CHECK_GOOD,
        names.length > 0
            ? sc_format("in the environment: %s", names.data)
            : sc_strdup("no service is set up in the environment; ollama needs no key"),
        NULL);
}

static void show_json(const struct sc_diagnosis *diagnosis)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_json_out out = {.text = &text};
    sc_json_begin(&out, '{');
    sc_json_begin_under(&out, "checks", '[');
    SC_EACH(const struct sc_check, check, &diagnosis->checks) {
        sc_json_begin(&out, '{');
        sc_json_text_under(&out, "cost", check->cost != NULL ? check->cost : "");
        sc_json_text_under(&out, "found", check->found);
        sc_json_text_under(&out, "id", check->id);
        sc_json_text_under(&out, "state", states[check->state].json);
        sc_json_end(&out, '}');
    }
    sc_json_end(&out, ']');
    sc_json_bool_under(&out, "works", sc_diagnosis_is_good(diagnosis));
    sc_json_end(&out, '}');
    (void)printf("%s\n", sc_str_text(&text));
}

#define TEXT_COLUMN 20U

static void show_text(const struct sc_diagnosis *diagnosis)
{
    struct sc_screen screen = sc_screen_of(STDOUT_FILENO);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    SC_EACH(const struct sc_check, check, &diagnosis->checks) {
        const char *style = screen.rendering.color ? states[check->state].style : NULL;
        sc_str_add_format(&text, "%s%s%s%-6s%s%-14s", style != NULL ? "\033[" : "",
                          style != NULL ? style : "", style != NULL ? "m" : "",
                          states[check->state].word, style != NULL ? "\033[0m" : "", check->id);
        SC_AUTO_FREE char *found = sc_visible(check->found);
        sc_help_add_wrapped(&text, found, TEXT_COLUMN, TEXT_COLUMN, screen.rendering.width);
        if (check->cost == NULL)
            continue;
        SC_AUTO_FREE char *why = sc_visible(check->cost);
        SC_AUTO_FREE char *cost = sc_format("-> %s", why);
        sc_str_add_format(&text, "%*s", (int)TEXT_COLUMN, "");
        sc_help_add_wrapped(&text, cost, TEXT_COLUMN, TEXT_COLUMN, screen.rendering.width);
    }
    bool is_good = sc_diagnosis_is_good(diagnosis);
    bool is_whole = true;
    for (size_t i = 0; i < diagnosis->checks.count; i++)
        is_whole = is_whole && diagnosis->checks.items[i].state == SC_CHECK_GOOD;
    sc_str_add(&text, !is_good   ? "\nProfiling does not work here.\n"
                      : is_whole ? "\nProfiling works.\n"
                                 : "\nProfiling works, without what the lines with 'part' say.\n");
    (void)fputs(sc_str_text(&text), stdout);
}

int sc_cmd_doctor(const struct sc_values *values, const struct sc_words *operands,
                  struct sc_err *err)
{
    (void)operands;
    (void)err;
    SC_AUTO(sc_diagnosis_done) struct sc_diagnosis diagnosis = {0};
    sc_doctor_try(&diagnosis, values->of[SC_OPT_DOCTOR_PYTHON].text);
    sc_doctor_ask_system(&diagnosis);
    check_devices(&diagnosis);
    check_screen(&diagnosis);
    check_services(&diagnosis);
    if (values->of[SC_OPT_DOCTOR_JSON].flag)
        show_json(&diagnosis);
    else
        show_text(&diagnosis);
    return sc_diagnosis_is_good(&diagnosis) ? 0 : 1;
}
