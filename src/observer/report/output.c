/* observer/report/output.c - see output.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/report/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/visible.h"
#include "observer/report/explain.h"
#include "observer/system/descriptors.h"
#include "profile/sparse.h"

/* Opens what is no file: a pipe may never get a reader, so signals end that wait, as they would end
 * the write of a shell. -1 for a file. */
static int await_reader(const struct sc_observation *observation)
{
    struct signalfd_siginfo info;
    sigset_t blocked;
    if (sc_output_is_file(observation->plan->outfile))
        return -1;
    while (read(observation->signal_fd, &info, sizeof(info)) > 0)
        continue; /* it was meant for the program */
    (void)sigprocmask(SIG_SETMASK, &observation->mask_before, &blocked);
    int fd = open(observation->plan->outfile, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
    return fd;
}

bool sc_output_write(struct sc_observation *observation, struct sc_profile *profile, bool quiet)
{
    const struct sc_run_plan *plan = observation->plan;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_err err = {0};
    if (!plan->full_profile)
        sc_profile_make_sparse(profile);
    sc_profile_to_json(profile, &text);
    sc_close(&observation->reserved_fd);
    int reader = await_reader(observation);
    bool is_written = sc_write_private_file(plan->outfile, sc_str_text(&text), text.length, &err);
    sc_close(&reader);
    if (!is_written) {
        if (!observation->is_failing) /* an interim profile may fail each second of an hour */
            (void)fprintf(stderr, "scalene: %s\n", err.text);
        observation->is_failing = true;
    } else if (!quiet) {
        for (size_t i = 0; i < profile->urgent_notes; i++)
            sc_visible_say("scalene: ", profile->notes.items[i]);
        if (!sc_profile_is_empty(profile)) {
            sc_say_where(plan);
            if (plan->summarize != NULL)
                plan->summarize(plan, profile);
        }
    }
    observation->is_failing = observation->is_failing && !is_written;
    sc_descriptors_reserve(&observation->reserved_fd);
    return is_written;
}

void sc_output_end(struct sc_observation *observation, struct sc_profile *profile, bool is_written)
{
    const struct sc_run_plan *plan = observation->plan;
    for (int i = 0; i < SC_RUN_SHARES; i++) {
        const struct sc_run_share *share = &plan->shares[i];
        char *wrong = share->take != NULL ? share->end(share->context, profile) : NULL;
        if (wrong == NULL)
            continue;
        sc_vec_push(&profile->notes, wrong);
        if (is_written)
            (void)sc_output_write(observation, profile, true);
        if (!plan->quiet)
            sc_visible_say("scalene: ", wrong);
    }
}

bool sc_output_is_file(const char *outfile)
{
    struct stat facts;
    return stat(outfile, &facts) != 0 || S_ISREG(facts.st_mode);
}
