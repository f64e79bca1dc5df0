/* observer/report/report.c - see report.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/report/report.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/helper.h"
#include "base/io.h"
#include "base/mem.h"
#include "build/build.h"
#include "observer/lifecycle/ended.h"
#include "observer/lifecycle/guest.h"
#include "observer/report/explain.h"
#include "observer/report/report_gpu.h"
#include "observer/stack/naming.h"
#include "profile/command_mark.h"
#include "profile/labels.h"

static void count_losses(const struct sc_observation *observation, struct sc_profile *profile)
{
    SC_EACH_PROCESS(process, observation) {
#define X_ADD(name) profile->losses[SC_LOSS_##name] += process->counts.losses[SC_AGENT_LOSS_##name];
        SC_AGENT_LOSSES(X_ADD)
#undef X_ADD
        profile->losses[SC_LOSS_HELD_UP] += process->counts.held_up;
        profile->losses[SC_LOSS_MOVED] += process->looks.moved;
        profile->losses[SC_LOSS_BLOCKED_SIGNAL] += process->looks.failed;
        profile->losses[SC_LOSS_UNREADABLE] += process->looks.unreadable;
        profile->losses[SC_LOSS_TASK_MOVED] += process->tasks.moved;
    }
    profile->losses[SC_LOSS_TREE] += observation->tree.not_followed;
    if (observation->processes.count > 0) /* else the refused one is the program itself */
        profile->losses[SC_LOSS_TREE] += observation->tree.refused_count;
    const char *first = NULL;
    profile->losses[SC_LOSS_SILENT_FILE] += sc_helper_lost(observation->helper, &first) +
                                            sc_helper_lost(observation->slow, &first) +
                                            sc_helper_lost(observation->sources, &first);
    profile->losses[SC_LOSS_LABEL_LOST] += observation->collect.units.not_followed;
    profile->losses[SC_LOSS_STACKS_CUT] += observation->collect.stacks_cut;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Whether the program has loaded an agent, and was not only read from outside. */
static bool has_agent(const struct sc_observation *observation)
{
    return observation->processes.count > 0 && !observation->processes.items[0]->has_no_agent;
}

static void fill_costs(const struct sc_observation *observation, struct sc_profile *profile)
{
    struct rusage usage;
    uint64_t handler_ns = 0;
    uint64_t lost_bytes = 0;
    (void)getrusage(RUSAGE_SELF, &usage);
    profile->samples_taken = profile->samples_waiting = 0;
    SC_EACH_PROCESS(process, observation) {
        handler_ns += process->counts.handler_cpu_ns;
        lost_bytes += process->counts.memory_lost_bytes;
        profile->samples_taken += process->counts.samples + process->looks.outside;
        profile->samples_waiting += process->looks.waiting;
    }
    profile->observer_cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    profile->handler_cpu_s = (double)handler_ns / 1e9;
    profile->memory = observation->plan->memory && has_agent(observation);
    profile->memory_lost_mb = (double)lost_bytes / (1024.0 * 1024.0);
    count_losses(observation, profile);
}

/* What is read from outside is looked at in every poll. */
static bool is_even(const struct sc_observation *observation)
{
    return observation->plan->samples_evenly || !has_agent(observation);
}

static double mean_interval_s(const struct sc_observation *observation)
{
    struct sc_pace pace = {.interval_ns = (uint64_t)(observation->interval_s * 1e9),
                           .begun_ns = is_even(observation) ? 0 : observation->started_ns};
    double jiffy_ns = (double)sc_jiffy_ns();
    double mean_ns = sc_pace_mean_ns(&pace, sc_jiffy_ns(), sc_now_ns() - observation->started_ns);
    return (observation->is_coarse && mean_ns < jiffy_ns ? jiffy_ns : mean_ns) / 1e9;
}

/* From the first beginning of user code to the last end. */
static void find_time_span(const struct sc_observation *observation, uint64_t *ret_first_ns,
                           uint64_t *ret_last_ns)
{
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    SC_EACH_PROCESS(process, observation) {
        if (!process->charge.begun)
            continue;
        first_ns = process->charge.begun_ns < first_ns ? process->charge.begun_ns : first_ns;
        last_ns = process->ending.ended_ns > last_ns ? process->ending.ended_ns : last_ns;
    }
    if (last_ns == 0)
        first_ns = last_ns = observation->started_ns;
    *ret_first_ns = first_ns;
    *ret_last_ns = last_ns;
}

/* Sets the span, and what of it was measured: the rest is before, after or between. */
static void fill_span(const struct sc_observation *observation, struct sc_build_input *input)
{
    find_time_span(observation, &input->begun_ns, &input->ended_ns);
    uint64_t span_ns = input->ended_ns - input->begun_ns;
    uint64_t paused_ns = observation->paused_ns;
    uint64_t to_ns = observation->paused ? observation->paused_from_ns : input->ended_ns;
    if (input->ended_ns > to_ns)
        paused_ns += input->ended_ns - to_ns;
    input->elapsed_ns = span_ns > paused_ns ? span_ns - paused_ns : 0;
    uint64_t from_ns = observation->on_from_ns;
    from_ns = from_ns < input->ended_ns ? from_ns : input->ended_ns;
    input->measured_from_ns = from_ns > input->begun_ns ? from_ns : input->begun_ns;
    input->measured_to_ns = to_ns > input->measured_from_ns ? to_ns : input->measured_from_ns;
}

static void fill_times(const struct sc_observation *observation, const struct sc_build_input *input,
                       struct sc_profile *profile)
{
    uint64_t first_ns = input->begun_ns;
    uint64_t span_ns = input->ended_ns - first_ns;
    uint64_t cpu_ns = 0;
    SC_EACH_PROCESS(process, observation) {
        if (process->charge.begun)
            cpu_ns += process->charge.charged_cpu_ns - process->charge.begun_cpu_ns;
    }
    profile->elapsed_s = (double)input->elapsed_ns / 1e9;
    profile->span_s = input->elapsed_ns < span_ns ? (double)span_ns / 1e9 : 0;
    if (observation->on_from_ns > first_ns && observation->on_from_ns < input->ended_ns)
        profile->measured_from_s = (double)(observation->on_from_ns - first_ns) / 1e9;
    profile->start_time_perf_s = (double)first_ns / 1e9;
    profile->start_time_absolute_s = (double)observation->started_realtime_ns / 1e9 +
                                     ((double)first_ns - (double)observation->started_ns) / 1e9;
    profile->target_cpu_s = (double)cpu_ns / 1e9;
}

/* Adds the CPU time of such processes to that of their parents, since they have no rows. */
static void add_passing(const struct sc_observation *observation, struct sc_profile *profile)
{
    SC_EACH_PROCESS(process, observation) {
        if (!sc_process_is_passing(process) || process->summed_count > 0)
            continue;
        for (size_t k = profile->processes.count; k-- > 0;) {
            struct sc_process_cost *cost = &profile->processes.items[k];
            if (cost->pid == (uint64_t)process->parent_pid) {
                cost->cpu_s += sc_process_own_cpu_s(process);
                break;
            }
        }
    }
}

static void list_processes(const struct sc_observation *observation, struct sc_profile *profile)
{
    SC_EACH_PROCESS(process, observation) {
        if (sc_process_is_passing(process) || process->summed_count > 0 ||
            profile->processes.count == SC_ROWS_MAX)
            continue;
        struct sc_process_cost cost = {
            .pid = (uint64_t)process->pid,
            .parent_pid = (uint64_t)process->parent_pid,
            .command = sc_strdup(process->command),
            .cpu_s = sc_process_own_cpu_s(process) + process->passing_cpu_s,
            .max_rss_mb = (double)process->memory.max_rss_bytes / (1024.0 * 1024.0),
        };
        /* a program may run beyond the profile, which it has ended itself */
        bool goes_on = process->pid == observation->pid && sc_guest_is(observation) &&
                       !process->program.is_replaced && process->ending.signal == 0 &&
                       !process->ending.has_status && !sc_process_is_over(process->pid);
        if (process->ending.has_outlived || !process->ending.is_over || goes_on)
            cost.exit_kind = sc_strdup("running");
        else if (process->program.is_replaced)
            cost.exit_kind = sc_strdup("exec");
        else if (process->ending.signal != 0)
            cost.exit_kind = sc_strdup("signal");
        else if (process->ending.has_status)
            cost.exit_kind = sc_strdup("exit");
        cost.exit_value =
            process->ending.signal != 0 ? process->ending.signal : process->ending.status;
        sc_vec_push(&profile->processes, cost);
    }
    add_passing(observation, profile);
}

static char *version_text(const struct sc_observation *observation)
{
    if (observation->processes.count == 0)
        return NULL;
    const struct sc_process *process = observation->processes.items[0];
    return sc_format(
        "%u.%u.%u%s", process->facts.version_hex >> 24, process->facts.version_hex >> 16 & 255U,
        process->facts.version_hex >> 8 & 255U, process->facts.free_threaded ? "t" : "");
}

static void fill_program(const struct sc_observation *observation, struct sc_profile *profile)
{
    const struct sc_run_plan *plan = observation->plan;
    profile->program = sc_strdup(observation->run_scope.program);
    profile->entrypoint_dir = sc_strdup(observation->run_scope.entrypoint_dir);
    profile->root_dir = sc_strdup(observation->run_scope.root_dir);
    profile->args_known = true;
    for (char *const *argument = plan->program_args; argument != NULL && *argument != NULL;
         argument++)
        sc_vec_push(&profile->args, sc_strdup(*argument));
    if (plan->labels != NULL)
        sc_labels_copy(&profile->labels, plan->labels);
    profile->python_version = version_text(observation);
    profile->mode = sc_strdup(plan->use_virtual_time ? "virtual" : "wall");
    profile->interval_s = mean_interval_s(observation);
    if (observation->exited)
        profile->exit_kind = sc_strdup(observation->exit_signal != 0 ? "signal" : "exit");
    profile->exit_value =
        observation->exit_signal != 0 ? observation->exit_signal : observation->exit_status;
}

void sc_observation_report(const struct sc_observation *observation, struct sc_profile *ret_profile)
{
    const struct sc_run_plan *plan = observation->plan;
    fill_program(observation, ret_profile);
    ret_profile->command_mark = sc_command_mark_make(ret_profile);
    struct sc_naming naming = {.symbols = observation->symbols, .collect = &observation->collect};
    struct sc_build_input input = {
        .collect = &observation->collect,
        .scope = &observation->run_scope.scope,
        .virtual_time = plan->use_virtual_time,
        .program_start_realtime_ns = observation->started_realtime_ns - observation->program_age_ns,
        .text = observation->run_scope.text,
        .cell_sources = &observation->cell_sources,
        .ledger = plan->memory ? &observation->ledger : NULL,
        .find_leaks = plan->find_leaks,
        .stacks = plan->stacks,
        .interval_ns = (uint64_t)(ret_profile->interval_s * 1e9),
        .namer = observation->symbols != NULL ? sc_name_native : NULL,
        .namer_context = &naming,
        .awaits = plan->async_profile ? &observation->awaits : NULL,
        .gpu = plan->gpu ? &observation->gpu : NULL,
    };
    fill_span(observation, &input);
    fill_times(observation, &input, ret_profile);
    sc_profile_build(&input, ret_profile);
    free(naming.place);
    sc_map_done(&naming.prepared);
    SC_EACH(const struct sc_thread, thread, &ret_profile->threads) {
        if (thread->is_main && ret_profile->main_thread_id == 0)
            ret_profile->main_thread_id = thread->python_ident;
        if (!thread->has_python)
            ret_profile->native_threads_cpu_s += thread->cpu_s;
    }
    fill_costs(observation, ret_profile);
    list_processes(observation, ret_profile);
    double max_rss_mb = (double)observation->max_rss_bytes / (1024.0 * 1024.0);
    if (plan->memory && max_rss_mb > ret_profile->max_rss_mb)
        ret_profile->max_rss_mb = max_rss_mb;
    sc_report_gpu(observation, ret_profile);
    sc_observation_explain(observation, ret_profile);
}
