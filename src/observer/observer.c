/*
 * observer/observer.c - starts a command with the agent, watches it to its end, writes the profile.
 *
 * One thread, one loop: it sleeps until the next poll, a signal, or an agent's hello.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/io.h"
#include "base/mem.h"
#include "observer/attach/attach.h"
#include "observer/lifecycle/all_processes.h"
#include "observer/lifecycle/ended.h"
#include "observer/lifecycle/following.h"
#include "observer/lifecycle/guest.h"
#include "observer/lifecycle/loads.h"
#include "observer/lifecycle/observation.h"
#include "observer/lifecycle/pauses.h"
#include "observer/lifecycle/process_life.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/link/launch.h"
#include "observer/report/interim.h"
#include "observer/report/output.h"
#include "observer/report/report.h"
#include "observer/report/status.h"
#include "observer/sample/account.h"
#include "observer/system/cpu_alarm.h"
#include "observer/system/descriptors.h"

#define TICK_NS          10000000U
#define TICK_MAX_NS      20000000U
#define IDLE_TICK_NS     40000000U
#define THREAD_TICK_NS   25000U /* more for each thread: a look at all of them stays cheap */
#define THREADS_TICK_NS  100000000U
#define IDLE_AFTER_POLLS 20U
#define HELPERS_NS       150000000 /* how long to wait for other processes at the end */
#define HELPERS_LOOKS    15U

/* How long a file is waited for: while the program runs, and when nothing else is to be done; and
 * the symbols of a file, then. */
#define TIMEOUT_NS      1000000000U
#define END_TIMEOUT_NS  3000000000U
#define SLOW_TIMEOUT_NS 8000000000U

static const int forwarded[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};

static bool catch_signals(struct sc_observation *observation, struct sc_err *err)
{
    sigset_t wanted;
    (void)sigemptyset(&wanted);
    (void)sigaddset(&wanted, SIGCHLD);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        (void)sigaddset(&wanted, forwarded[i]);
    if (observation->plan->attaches)
        sc_cpu_alarm_catch(&wanted);
    (void)sigprocmask(SIG_BLOCK, &wanted, &observation->mask_before);
    observation->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (observation->signal_fd < 0)
        return sc_fail_errno(err, errno, "cannot wait for signals");
    return true;
}

static void note_status(struct sc_process *process, int code, int status)
{
    process->ending.has_status = code == CLD_EXITED;
    process->ending.status = process->ending.has_status ? status : 0;
    process->ending.signal = process->ending.has_status ? 0 : status;
}

static void note_exit(struct sc_observation *observation)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)observation->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != observation->pid)
        return;
    observation->ended_ns = sc_now_ns();
    /* still a zombie: its CPU clock and its user can be read */
    observation->is_other_users = sc_process_is_other_users(observation->pid);
    SC_EACH_PROCESS(process, observation) {
        uint64_t cpu_ns = 0;
        (void)sc_process_cpu(process->pid, &cpu_ns);
        if (process->pid == observation->pid && !process->ending.is_over) {
            sc_process_end(process, observation->ended_ns, cpu_ns);
            note_status(process, info.si_code, info.si_status);
        }
    }
    struct rusage usage;
    int status = 0;
    uint64_t own_ns = 0;
    (void)sc_process_cpu(observation->pid, &own_ns);
    if (wait4(observation->pid, &status, 0, &usage) != observation->pid)
        return;
    double all_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    observation->children_cpu_s += own_ns > 0 ? all_s - (double)own_ns / 1e9 : 0;
    observation->exited = true;
    observation->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024; /* of its largest process */
    observation->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    observation->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void take_signals(struct sc_observation *observation)
{
    struct signalfd_siginfo info;
    while (read(observation->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGCHLD)
            note_exit(observation);
        else if (info.ssi_signo == (uint32_t)SC_CPU_ALARM_SIGNAL)
            sc_attach_take_alarm(observation, info.ssi_fd);
        else if (observation->plan->attaches)
            observation->is_left = observation->is_left || sc_attach_is_farewell(info.ssi_signo);
        else if (sc_guest_is(observation) && info.ssi_signo == SIGTERM)
            sc_guest_leave(observation);
        else if (!observation->exited && !sc_guest_is(observation))
            sc_group_forward(&observation->group, &info, observation->pid);
    }
}

static void take_hello(struct sc_observation *observation)
{
    struct sc_met met;
    int fd = -1;
    while (sc_rendezvous_accept(&observation->rendezvous, &met, &fd)) {
        struct sc_hello hello = met.hello;
        struct sc_reader reader;
        SC_AUTO_FREE char *missed = NULL;
        if (hello.status == SC_HELLO_EXECUTES)
            sc_tree_add_executed(&observation->tree, (pid_t)hello.pid, met.name, false);
        else if (hello.status == SC_HELLO_OTHER_USER) {
            if (sc_following_misses(observation, (pid_t)hello.pid, &missed))
                sc_tree_add_refused(&observation->tree, &hello, missed != NULL ? missed : "");
        } else if (hello.status != SC_HELLO_OK)
            sc_tree_add_refused(&observation->tree, &hello, met.name);
        if (hello.status != SC_HELLO_OK && fd >= 0)
            (void)close(fd);
        if (hello.status != SC_HELLO_OK || fd < 0)
            continue;
        if (!sc_reader_open(&reader, fd, &observation->failure) ||
            !sc_following_begin(observation, (pid_t)hello.pid, met.name, &reader, false))
            sc_tree_add_refused(&observation->tree, &hello, met.name);
    }
}

/* Ends a process whose agent is gone. A child's end is reported by its agent, or seen in /proc; the
 * command's own end comes from waitid. */
static void end_if_over(const struct sc_observation *observation, struct sc_process *process,
                        uint64_t now_ns)
{
    uint64_t cpu_ns = 0;
    bool is_own = process->pid == observation->pid;
    if (process->ending.is_reported && !is_own) {
        process->ending.is_unmeasured =
            process->ending.is_least && !sc_process_cpu(process->pid, &cpu_ns);
        sc_process_end(process, process->ending.reported_ns, cpu_ns);
        return;
    }
    bool has_executed = sc_process_has_executed(process, now_ns);
    if (!has_executed && (is_own || process->gap.ran || !sc_process_is_over(process->pid)))
        return;
    (void)sc_process_cpu(process->pid, &cpu_ns); /* a zombie's clock can still be read */
    sc_process_end(process, now_ns, cpu_ns);
}

/* Ticks the roots of trees, or all others; true when one of them has run since the last time. */
static bool poll_some(struct sc_observation *observation, bool roots, uint64_t now_ns)
{
    bool ran = false;
    SC_EACH_PROCESS(process, observation) {
        if (process->ending.is_over || process->is_root != roots)
            continue;
        bool is_loading =
            observation->loading_ns != 0 && process->known_ns >= observation->loading_ns;
        if (observation->paused || is_loading)
            sc_process_skip(process, now_ns);
        else
            sc_process_poll(process, now_ns);
        ran = ran || process->gap.ran;
        end_if_over(observation, process, now_ns);
    }
    return ran;
}

static bool poll_all(struct sc_observation *observation, uint64_t now_ns)
{
    observation->polled_ns = now_ns;
    /* children first: what a parent does once they are gone comes after their end */
    bool ran = poll_some(observation, false, now_ns);
    ran = poll_some(observation, true, now_ns) || ran || observation->processes.count == 0;
    sc_observation_match_ends(observation, now_ns);
    if (observation->processes.count == 0)
        sc_observation_note_executable(observation);
    sc_residents_poll(observation, now_ns);
    sc_loads_poll(observation, now_ns);
    return ran;
}

/* While processes load the agent. False when the user wants to leave. */
static bool attend(struct sc_observation *observation)
{
    take_hello(observation);
    take_signals(observation);
    if (sc_now_ns() > observation->polled_ns + TICK_NS) /* their rings fill meanwhile */
        (void)poll_all(observation, sc_now_ns());
    return !observation->is_left;
}

/* Half to one and a half times the mean, so that polls do not keep step with the program. */
static uint64_t draw_poll_ns(struct sc_observation *observation, unsigned idle_polls)
{
    uint64_t mean = (uint64_t)(observation->interval_s * 1e9);
    mean = mean < TICK_NS ? TICK_NS : mean > TICK_MAX_NS ? TICK_MAX_NS : mean;
    if (idle_polls > IDLE_AFTER_POLLS)
        mean = IDLE_TICK_NS;
    uint64_t threads_ns = 0;
    SC_EACH_PROCESS(process, observation)
        threads_ns += THREAD_TICK_NS * sc_process_living_threads(process);
    mean += threads_ns < THREADS_TICK_NS ? threads_ns : THREADS_TICK_NS;
    uint64_t *state = &observation->collect.random_state;
    *state = sc_mix(*state, 1);
    return mean / 2 + *state % (mean + 1);
}

/* Time before the order is charged by the old state, time after it by the new one. */
static void set_paused(struct sc_observation *observation, bool paused)
{
    if (observation->paused == paused)
        return;
    SC_EACH_PROCESS(process, observation)
        process->threads.all_blocked = false; /* looks at blocked threads, too */
    if (!paused && observation->on_from_ns == UINT64_MAX)
        observation->rss_ns = 0; /* resident memory of before is to be known */
    if (!paused) /* a poll may take long, so one comes before: the profile begins at the answer */
        (void)poll_all(observation, sc_now_ns());
    uint64_t now_ns = sc_control_moment(&observation->control, observation->polled_ns, sc_now_ns());
    (void)poll_all(observation, now_ns);
    for (size_t i = 0; paused && i < observation->processes.count; i++)
        sc_process_charge_unseen(observation->processes.items[i]);
    if (paused)
        observation->paused_from_ns = now_ns;
    else
        observation->paused_ns += now_ns - sc_observation_paused_since(observation, now_ns);
    if (!paused && observation->on_from_ns == UINT64_MAX)
        observation->on_from_ns = now_ns;
    observation->paused = paused;
    sc_loads_pause(observation, now_ns);
    SC_EACH_LIVING(process, observation)
        atomic_store(&process->reader.segment->paused, paused);
}

static void make_profile(struct sc_observation *observation, struct sc_profile *ret_profile)
{
    sc_tree_sum_executed(&observation->tree);
    sc_account_young(&observation->young, &observation->collect);
    sc_observation_report(observation, ret_profile);
}

/* What is known so far: as a whole and valid file, or for one that it is shared with. */
static void report_interim(struct sc_observation *observation, const struct sc_run_share *share)
{
    const struct sc_run_plan *plan = observation->plan;
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    uint64_t now_ns = sc_now_ns();
    SC_EACH_PROCESS(process, observation)
        sc_process_prepare_report(process, now_ns);
    sc_ledger_finish(&observation->ledger, now_ns);
    make_profile(observation, &profile);
    if (share == NULL && plan->complete != NULL)
        plan->complete(&profile);
    if (share != NULL)
        share->take(share->context, &profile);
    else
        (void)sc_output_write(observation, &profile, true);
    sc_account_young_back(&observation->young, &observation->collect);
}

/* The same when it is due. */
static void poll_interim(struct sc_observation *observation, const struct sc_run_share *share,
                         double interval_s, uint64_t *next_ns)
{
    uint64_t now_ns = sc_now_ns();
    if (now_ns < *next_ns)
        return;
    if (share != NULL || sc_output_is_file(observation->plan->outfile))
        report_interim(observation, share);
    uint64_t end_ns = sc_now_ns();
    *next_ns = sc_interim_next_ns(interval_s, end_ns - now_ns, end_ns);
}

/* next_ns: 0 at the first time. */
static void poll_shares(struct sc_observation *observation, uint64_t next_ns[SC_RUN_SHARES])
{
    for (int i = 0; i < SC_RUN_SHARES; i++) {
        const struct sc_run_share *share = &observation->plan->shares[i];
        if (share->take != NULL && next_ns[i] == 0)
            next_ns[i] = sc_interim_next_ns(share->interval_s, 0, sc_now_ns());
        if (share->take != NULL && sc_now_ns() >= next_ns[i] && share->is_ready(share->context))
            poll_interim(observation, share, share->interval_s, &next_ns[i]);
    }
}

/* Takes an order of a guest. Sets *peer to -1 when the answer is sent later. */
static void take_guest_order(struct sc_observation *observation, enum sc_order order, int *peer)
{
    set_paused(observation, true);
    if (order == SC_ORDER_WRITE) {
        report_interim(observation, NULL);
        return;
    }
    (void)poll_all(observation, sc_now_ns());
    observation->cancelled = order == SC_ORDER_CANCEL;
    observation->finish_peer = *peer;
    *peer = -1;
    sc_guest_leave(observation);
}

/* An order from outside of the program. What was measured until then is in the file when it is
 * answered; a program that switches itself may do so a thousand times a second. */
static void obey_switch(struct sc_observation *observation, bool off)
{
    const struct sc_run_plan *plan = observation->plan;
    bool was_on = !observation->paused;
    set_paused(observation, off);
    if (off && was_on && sc_output_is_file(plan->outfile) &&
        (plan->attaches || !sc_guest_is(observation)))
        report_interim(observation, NULL);
}

static void take_orders(struct sc_observation *observation)
{
    int peer = -1;
    enum sc_order order;
    while (!observation->is_over &&
           (order = sc_control_take(&observation->control, &peer)) != SC_ORDER_NONE) {
        take_hello(observation); /* of processes that connected before the order */
        pid_t sender = observation->control.sender;
        bool is_obeyed = sender == 0 || sender == observation->pid ||
                         sc_following_find(observation, sender) != NULL;
        if (order > SC_ORDER_STATE && sc_guest_is(observation))
            take_guest_order(observation, order, &peer);
        else if (order < SC_ORDER_STATE && sender == 0)
            obey_switch(observation, order == SC_ORDER_OFF);
        else if (order < SC_ORDER_STATE && is_obeyed)
            set_paused(observation, order == SC_ORDER_OFF);
        if (peer >= 0)
            sc_control_answer(peer, !observation->paused && is_obeyed);
    }
}

/* Orders that came as signals to the program. */
static void take_switches(struct sc_observation *observation)
{
    SC_EACH_LIVING(process, observation) {
        struct sc_segment *segment = process->reader.segment;
        uint32_t switched = atomic_exchange(&segment->switched, SC_SWITCHED_NOT);
        if (switched == SC_SWITCHED_ON || switched == SC_SWITCHED_OFF)
            obey_switch(observation, switched == SC_SWITCHED_OFF);
    }
}

static void wait_for(struct sc_observation *observation, uint64_t until_ns)
{
    uint64_t now_ns = sc_now_ns();
    struct timespec timeout = sc_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
    struct pollfd fds[2 + SC_CONTROL_FDS] = {{.fd = observation->signal_fd, .events = POLLIN},
                                             {.fd = observation->rendezvous.fd, .events = POLLIN}};
    nfds_t count = 2; /* without closed ones: the kernel takes no more than RLIMIT_NOFILE */
    bool is_short = observation->control.is_short;
    for (int i = is_short ? SC_CONTROL_SOCKETS : 0; i < SC_CONTROL_FDS; i++) {
        if (observation->control.fds[i] >= 0)
            fds[count++] = (struct pollfd){.fd = observation->control.fds[i], .events = POLLIN};
    }
    bool is_due = ppoll(fds, count, &timeout, NULL) <= 0;
    sc_observation_note_stop(observation, until_ns > now_ns ? until_ns : now_ns);
    if (is_due && !is_short)
        return;
    take_orders(observation); /* if there are any */
    if (fds[1].revents != 0)
        take_hello(observation);
    if (fds[0].revents != 0)
        take_signals(observation);
}

/* Ends the profile of a process that we have attached to, and that continues. */
static void detach(struct sc_observation *observation)
{
    set_paused(observation, true);
    sc_attach_leave(observation);
    (void)poll_all(observation, sc_now_ns()); /* that took time, which is none of the profile's */
    sc_guest_leave(observation);
}

/* When an attached process is to be left. */
static uint64_t last_moment_ns(const struct sc_observation *observation)
{
    double duration_s = observation->plan->duration_s;
    bool is_limited = observation->plan->attaches && duration_s < SC_INTERIM_S_MAX;
    return is_limited ? sc_now_ns() + (uint64_t)(duration_s * 1e9) : UINT64_MAX;
}

/* Waits shortly for other processes: those that end just after the program do not count as
 * outliving it. */
static void wait_for_helpers(struct sc_observation *observation)
{
    struct timespec pause = {.tv_nsec = HELPERS_NS / HELPERS_LOOKS};
    for (unsigned i = 0; i < HELPERS_LOOKS; i++) {
        bool alive = observation->rendezvous.silent_count > 0; /* about to say hello */
        SC_EACH_PROCESS(process, observation) {
            alive = alive || (!process->ending.is_over && process->pid != observation->pid);
        }
        if (!alive)
            return;
        take_hello(observation);
        (void)poll_all(observation, sc_now_ns());
        (void)nanosleep(&pause, NULL);
    }
}

static void watch(struct sc_observation *observation)
{
    unsigned idle_polls = 0;
    uint64_t next_ns = sc_now_ns();
    double interval_s = observation->plan->profile_interval_s;
    uint64_t interim_ns = sc_interim_next_ns(interval_s, 0, sc_now_ns());
    uint64_t shares_ns[SC_RUN_SHARES] = {0};
    uint64_t last_ns = last_moment_ns(observation);
    while (!observation->exited && !observation->is_over) {
        wait_for(observation, next_ns < last_ns ? next_ns : last_ns);
        if (observation->exited || observation->is_over)
            break;
        if (observation->is_left || sc_now_ns() >= last_ns) {
            detach(observation);
            break;
        }
        if (sc_now_ns() < next_ns)
            continue;
        if (observation->plan->start_off)
            take_switches(observation);
        idle_polls = poll_all(observation, sc_now_ns()) ? 0 : idle_polls + 1;
        sc_guest_poll(observation);
        sc_attach_poll(observation, observation->polled_ns);
        sc_status_poll(observation, sc_now_ns());
        sc_observation_sum_ended(observation, SC_ROWS_MAX, observation->polled_ns);
        poll_interim(observation, NULL, interval_s, &interim_ns);
        poll_shares(observation, shares_ns);
        next_ns = sc_now_ns() + draw_poll_ns(observation, idle_polls);
    }
    sc_status_close(observation);
    take_hello(observation); /* of a program that ended at once */
    wait_for_helpers(observation);
    sc_loads_finish(observation);
    SC_EACH_PROCESS(process, observation) {
        uint64_t cpu_ns = 0;
        if (process->ending.is_over)
            continue;
        process->ending.has_outlived =
            (observation->plan->attaches || process->pid != observation->pid) &&
            !sc_process_is_over(process->pid);
        (void)sc_process_cpu(process->pid, &cpu_ns);
        if (process->ending.has_outlived) /* nobody reads its samples from now on */
            atomic_store(&process->reader.segment->paused, true);
        sc_process_end(process, observation->ended_ns, cpu_ns);
    }
    sc_observation_match_ends(observation, observation->ended_ns);
    sc_ledger_finish(&observation->ledger, observation->ended_ns);
}

static bool start(struct sc_observation *observation, struct sc_err *err)
{
    const struct sc_run_plan *plan = observation->plan;
    if (!sc_pid_proc_is_ours(err) || !sc_rendezvous_open(&observation->rendezvous, err) ||
        !catch_signals(observation, err))
        return false;
    sc_descriptors_reserve(&observation->reserved_fd);
    observation->is_coarse = !sc_permits_interval((uint64_t)(observation->interval_s * 1e9));
    if (!sc_guest_is(observation))
        sc_group_open(&observation->group, plan->command);
    observation->program_age_ns =
        plan->cell_sources_path == NULL ? sc_process_age_ns(plan->attach_pid) : 0;
    observation->started_realtime_ns = sc_realtime_ns();
    observation->started_ns = sc_now_ns();
    SC_AUTO_FREE char *rendezvous =
        sc_format("%s:%llu:%u:%llu:%llu", observation->rendezvous.name,
                  (unsigned long long)(observation->interval_s * 1e9),
                  (plan->allow_unknown_python ? SC_RENDEZVOUS_ALLOW_UNKNOWN : 0U) |
                      (observation->paused ? SC_RENDEZVOUS_PAUSED : 0U) |
                      (plan->start_off ? SC_RENDEZVOUS_SWITCHES : 0U) |
                      (plan->stacks ? 0U : SC_RENDEZVOUS_NO_STACKS) |
                      (plan->gpu_trace ? SC_RENDEZVOUS_GPU_TRACE : 0U) |
                      (sc_guest_is(observation) ? SC_RENDEZVOUS_GUEST : 0U),
                  plan->memory ? (unsigned long long)plan->allocation_window_bytes : 0ULL,
                  plan->samples_evenly ? 0ULL : (unsigned long long)observation->started_ns);
    if (sc_guest_is(observation))
        observation->pid = plan->attach_pid;
    else if (!sc_launch(plan, rendezvous, &observation->mask_before, &observation->pid, err))
        return false;
    sc_descriptors_raise_limit(); /* ours, not the command's */
    (void)signal(SIGPIPE,
                 SIG_IGN); /* a reader that is gone ends no profile, nor its program's status */
    observation->paused_from_ns = sc_now_ns();
    bool is_heard = sc_control_open(&observation->control, observation->pid);
    observation->has_no_control_socket = !is_heard && errno == EADDRINUSE;
    if (!is_heard && sc_guest_is(observation))
        return sc_fail(err, SC_ERR_FAILED,
                       plan->attaches && errno == EADDRINUSE
                           ? "it is being profiled already"
                           : "another process listens for the program's orders");
    if (plan->attaches && !sc_attach_begin(observation, rendezvous, attend, err))
        return false;
    if (sc_guest_is(observation) && !plan->on_ready(plan, rendezvous))
        return false;
    if (plan->attaches)
        set_paused(observation, false);
    sc_loads_start(observation);
    return true;
}

/* False when the profile could not be written. */
static bool finish(struct sc_observation *observation)
{
    const struct sc_run_plan *plan = observation->plan;
    SC_AUTO(sc_profile_done) struct sc_profile profile = {0};
    bool is_written = true;
    if (!observation->cancelled) {
        make_profile(observation, &profile);
        if (plan->complete != NULL)
            plan->complete(&profile);
        observation->is_failing = false;
        is_written = sc_output_write(observation, &profile, plan->quiet);
    }
    sc_control_close(&observation->control); /* frees the name for the next observer */
    sc_guest_answer(observation, is_written);
    if (!observation->cancelled)
        sc_output_end(observation, &profile, is_written);
    return is_written;
}

bool sc_observe(const struct sc_run_plan *plan, int *ret_status, int *ret_signal,
                struct sc_err *err)
{
    SC_AUTO(sc_observation_done)
    struct sc_observation observation = {
        .plan = plan,
        .rendezvous = {.fd = -1},
        .paused = plan->start_off || plan->attach_pid != 0,
        .on_from_ns = plan->start_off || plan->attach_pid != 0 ? UINT64_MAX : 0,
        .finish_peer = -1,
        .helper = sc_helper_new(TIMEOUT_NS),
        .slow = sc_helper_new(SLOW_TIMEOUT_NS),
        .cell_sources = {.path = plan->cell_sources_path},
        .signal_fd = -1,
        .reserved_fd = -1,
        .interval_s = plan->cpu_sampling_rate_s,
        .directory = plan->attaches ? sc_process_link(plan->attach_pid, "cwd") : getcwd(NULL, 0),
    };
    observation.cell_sources.helper = observation.helper;
    observation.tree.helper = observation.slow;
    sc_control_init(&observation.control);
    sc_collect_init(&observation.collect, 0, 0);
    observation.collect.is_virtual = plan->use_virtual_time;
    observation.symbols = plan->stacks ? sc_symbols_new(observation.slow) : NULL;
    observation.sources = sc_attach_sources(plan->attach_pid, TIMEOUT_NS);
    sc_run_scope_init(&observation.run_scope, plan, observation.directory,
                      observation.sources != NULL ? observation.sources : observation.helper);
    sc_sent_code_init(&observation.sent, &observation.collect, &observation.run_scope.scope,
                      observation.run_scope.program);
    sc_owners_init(&observation.owners, &observation.collect, &observation.run_scope.scope);
    sc_ledger_init(&observation.ledger, &observation.owners);
    sc_awaits_init(&observation.awaits, &observation.owners);
    sc_gpu_init(&observation.gpu, &observation.owners);
    if (!start(&observation, err)) {
        if (observation.signal_fd >= 0)
            (void)sigprocmask(SIG_SETMASK, &observation.mask_before, NULL);
        return false;
    }
    sc_status_open(&observation);
    watch(&observation);
    sc_helper_set_timeout(observation.run_scope.scope.helper, END_TIMEOUT_NS);
    bool is_written = finish(&observation);
    /* a signal meanwhile is not to end us: how the program ended is known */
    for (struct signalfd_siginfo info; read(observation.signal_fd, &info, sizeof(info)) > 0;)
        continue;
    (void)sigprocmask(SIG_SETMASK, &observation.mask_before, NULL);
    *ret_status = plan->attaches ? !is_written : observation.exit_status;
    *ret_signal = observation.exit_signal;
    return true;
}
