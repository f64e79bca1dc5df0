/*
 * profile/profile.c - names of losses, how a program ended, and freeing a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define X_NAME(name, json, text) json,
const char *const sc_time_names[SC_TIME_COUNT_] = {SC_TIMES(X_NAME)};
const char *const sc_wait_names[SC_WAIT_COUNT_] = {SC_WAITS(X_NAME)};
const char *const sc_loss_names[SC_LOSS_COUNT_] = {SC_LOSSES(X_NAME)};
#undef X_NAME

#define X_TEXT(name, json, text) text,
const char *const sc_loss_texts[SC_LOSS_COUNT_] = {SC_LOSSES(X_TEXT)};
#undef X_TEXT

/* Frees a vector of strings. */
#define free_strings(strings)                                                                      \
    do {                                                                                           \
        for (size_t string_at = 0; string_at < (strings)->count; string_at++)                      \
            free((strings)->items[string_at]);                                                     \
        sc_vec_done(strings);                                                                      \
    } while (0)

static void free_cost(struct sc_cost *cost)
{
    sc_vec_done(&cost->cpu_samples);
    sc_vec_done(&cost->memory_samples);
    free_strings(&cost->async_task_names);
}

void sc_file_done(struct sc_file *file)
{
    free(file->name);
    free(file->source);
    for (size_t i = 0; i < file->lines.count; i++) {
        free(file->lines.items[i].text);
        free_cost(&file->lines.items[i].cost);
    }
    for (size_t i = 0; i < file->functions.count; i++) {
        free(file->functions.items[i].name);
        free_cost(&file->functions.items[i].cost);
    }
    sc_vec_done(&file->lines);
    sc_vec_done(&file->functions);
    free_strings(&file->imports);
    sc_vec_done(&file->leaks);
    *file = (struct sc_file){0};
}

static void free_own(struct sc_profile *profile)
{
    free(profile->python_version);
    free(profile->written_by);
    free(profile->mode);
    free(profile->command_mark);
    free(profile->task_lanes_json);
    free(profile->task_places_json);
    free(profile->tracks_json);
    for (size_t i = 0; i < profile->threads.count; i++)
        free(profile->threads.items[i].name);
    sc_vec_done(&profile->threads);
    for (size_t i = 0; i < profile->processes.count; i++) {
        free(profile->processes.items[i].command);
        free(profile->processes.items[i].exit_kind);
    }
    sc_vec_done(&profile->processes);
    for (size_t i = 0; i < profile->hidden_files.count; i++) {
        free(profile->hidden_files.items[i].name);
        free(profile->hidden_files.items[i].reason);
    }
    sc_vec_done(&profile->hidden_files);
    for (size_t i = 0; i < profile->findings.count; i++) {
        free(profile->findings.items[i].id);
        free(profile->findings.items[i].text);
        free(profile->findings.items[i].file);
    }
    sc_vec_done(&profile->findings);
    for (size_t i = 0; i < profile->gil_waits.count; i++) {
        free(profile->gil_waits.items[i].file);
        free(profile->gil_waits.items[i].holder_file);
    }
    sc_vec_done(&profile->gil_waits);
    sc_vec_done(&profile->rss);
    for (size_t i = 0; i < profile->gpu_devices.count; i++) {
        free(profile->gpu_devices.items[i].name);
        free(profile->gpu_devices.items[i].uuid);
    }
    sc_vec_done(&profile->gpu_devices);
    free(profile->gpu_trace);
    sc_vec_done(&profile->gpu_load);
    sc_vec_done(&profile->gpu_memory);
    free(profile->exit_kind);
    free_strings(&profile->notes);
}

void sc_profile_done(struct sc_profile *profile)
{
    free(profile->program);
    free(profile->entrypoint_dir);
    free(profile->root_dir);
    free_strings(&profile->args);
    free(profile->gpu_device);
    free(profile->max_footprint_fname);
    sc_vec_done(&profile->samples);
    for (size_t i = 0; i < profile->files.count; i++)
        sc_file_done(&profile->files.items[i]);
    sc_vec_done(&profile->files);
    for (size_t i = 0; i < sizeof(profile->stacks_json) / sizeof(*profile->stacks_json); i++)
        free(profile->stacks_json[i]);
    for (int i = 0; i < SC_CALLS_COUNT_; i++)
        free(profile->calls_json[i]);
    free_own(profile);
    *profile = (struct sc_profile){0};
}

char *sc_profile_ending(const struct sc_profile *profile)
{
    if (profile->exit_kind == NULL)
        return NULL;
    if (strcmp(profile->exit_kind, "signal") == 0)
        return sc_format("ended by signal %d (%s)", profile->exit_value,
                         strsignal(profile->exit_value));
    return profile->exit_value != 0 ? sc_format("exit status %d", profile->exit_value) : NULL;
}

bool sc_profile_is_empty(const struct sc_profile *profile)
{
    return profile->files.count == 0;
}
