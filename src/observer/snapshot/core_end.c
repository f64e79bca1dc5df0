/*
 * observer/snapshot/core_end.c - what only a core file says: why it was written, and what it lacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <signal.h>

#include "observer/snapshot/taking.h"
#include "observer/system/core.h"

static char *signal_words(int number)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
        {SIGFPE, "SIGFPE"},   {SIGQUIT, "SIGQUIT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
        {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == number)
            return sc_strdup(known[i].name);
    }
    return sc_format("signal %d", number);
}

static bool has_address(const struct sc_core_end *end)
{
    bool is_fault = end->signal == SIGSEGV || end->signal == SIGBUS || end->signal == SIGILL ||
                    end->signal == SIGFPE;
    return is_fault && end->code > 0 && end->code != SI_KERNEL;
}

/* Whether the signal was sent from outside, also by Ctrl-\ or by a limit of CPU time. */
static bool is_from_outside(const struct sc_core_end *end, pid_t pid)
{
    if (end->code == SI_KERNEL)
        return end->signal == SIGQUIT || end->signal == SIGXCPU;
    return end->has_sender && end->sender != pid;
}

static void say_end(struct sc_taking *taking, const struct sc_core_file *facts)
{
    struct sc_snapshot *snapshot = taking->snapshot;
    const struct sc_core_end *end = &facts->end;
    struct sc_str text = {0};
    if (end->signal == 0) {
        snapshot->ending = sc_strdup("written while it ran");
        return;
    }
    SC_AUTO_FREE char *name = signal_words(end->signal);
    bool is_other = is_from_outside(end, facts->pid);
    sc_str_add_format(&text, "ended by %s", name);
    if (has_address(end))
        sc_str_add_format(&text, " at address 0x%" PRIx64, end->address);
    else if (is_other && end->sender > 0)
        sc_str_add_format(&text, " from process %d", (int)end->sender);
    if (snapshot->threads.count > 0 && !is_other) {
        struct sc_snapshot_thread *thread = &snapshot->threads.items[0];
        SC_AUTO_FREE char *words = sc_snapshot_thread_words(thread);
        sc_str_add_format(&text, ", in %s", words);
        thread->has_crashed = true;
        taking->threads.items[0].is_stopped = true;
        free(thread->doing);
        thread->doing = sc_format("ended the process by %s", name);
    }
    snapshot->ending = sc_str_take(&text);
}

/* The record of the first thread of a process has the time of all, that of others their own. gdb
 * writes none. */
static void add_times(struct sc_snapshot *snapshot, const struct sc_core_file *facts)
{
    snapshot->cpu_s = 0;
    for (size_t i = 0; i < facts->threads.count; i++) {
        bool is_first = facts->threads.items[i].tid == facts->pid;
        snapshot->cpu_s = is_first ? facts->threads.items[i].cpu_s : snapshot->cpu_s;
        SC_EACH(struct sc_snapshot_thread, thread, &snapshot->threads)
            if (thread->tid == facts->threads.items[i].tid)
                thread->cpu_s = is_first ? SC_SNAPSHOT_NO_TIME : facts->threads.items[i].cpu_s;
    }
    if (snapshot->cpu_s > 0)
        return;
    snapshot->cpu_s = SC_SNAPSHOT_NO_TIME;
    for (size_t k = 0; k < snapshot->threads.count; k++)
        snapshot->threads.items[k].cpu_s = SC_SNAPSHOT_NO_TIME;
}

void sc_snapshot_note_end(struct sc_taking *taking)
{
    const struct sc_core_file *facts = sc_core_facts(taking->subject.core);
    say_end(taking, facts);
    add_times(taking->snapshot, facts);
}
