/*
 * tests/native/judge.c - classifies the samples of a file and prints the counts for each phase.
 *
 *     judge FILE PID [PHASE]
 *
 * PID is the process that took them and must still be there. A line for each phase: its number and
 * the counts of samples: all, Python, native, kernel, and those that reached the evaluation loop.
 * With PHASE that phase's samples themselves are printed, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpython/find_layout.h"
#include "cpython/opcode.h"
#include "observer/system/remote.h"
#include "samples.h"

#define PHASES 64

struct counts {
    unsigned all;
    unsigned kinds[3];
    unsigned reached;
};

static const char *const kind_names[] = {"python", "native", "kernel"};

static void show(const struct sample *sample, enum sc_sample_kind kind, uint16_t version)
{
    printf("%s opcode %d kind %d end %u:", kind_names[kind],
           sample->has_code_unit ? sample->code_unit & 0xff : -1,
           (int)sc_opcode_kind(version, (uint8_t)sample->code_unit), sample->end);
    for (uint32_t i = 0; i < sample->count; i++)
        printf(" %llx", (unsigned long long)sample->addresses[i]);
    printf("\n");
}

static enum sc_sample_kind judge(struct sc_classifier *classifier, const struct sample *sample)
{
    struct sc_sample_view view = {
        .addresses = sample->addresses,
        .address_count = sample->count,
        .reached_eval = sample->end == SC_UNWIND_EVAL,
        .in_system_call = sample->in_system_call,
        .has_python_frame = sample->has_python_frame,
        .has_code_unit = sample->has_code_unit,
        .code_unit = sample->code_unit,
    };
    return sc_classify(classifier, &view);
}

static int run(FILE *file, pid_t pid, long shown_phase)
{
    static struct samples_head head;
    if (fread(&head, sizeof(head), 1, file) != 1)
        return 1;
    struct sc_remote remote = {.pid = pid};
    const struct sc_target target = {.read = sc_remote_read, .context = &remote};
    struct sc_layout layout;
    if (sc_layout_init(&layout, head.facts.version, head.facts.free_threaded, &target,
                       head.facts.runtime, true) != SC_LAYOUT_OK)
        return 1;
    struct sc_classifier *classifier =
        sc_classifier_new((struct sc_subject){.pid = pid}, NULL, &head.facts, &layout);
    struct counts counts[PHASES] = {0};
    struct sample sample;
    while (fread(&sample, sizeof(sample), 1, file) == 1 && sample.phase < PHASES) {
        enum sc_sample_kind kind = judge(classifier, &sample);
        struct counts *phase = &counts[sample.phase];
        phase->all++;
        phase->kinds[kind]++;
        phase->reached += sample.end == SC_UNWIND_EVAL;
        if (shown_phase == (long)sample.phase)
            show(&sample, kind, head.facts.version);
    }
    for (size_t i = 0; i < PHASES && shown_phase < 0; i++) {
        if (counts[i].all > 0)
            printf("%zu %u %u %u %u %u\n", i, counts[i].all, counts[i].kinds[SC_SAMPLE_PYTHON],
                   counts[i].kinds[SC_SAMPLE_NATIVE], counts[i].kinds[SC_SAMPLE_KERNEL],
                   counts[i].reached);
    }
    sc_classifier_free(classifier);
    return 0;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 3 && argument_count != 4) {
        (void)fputs("usage: judge FILE PID [PHASE]\n", stderr);
        return 2;
    }
    FILE *file = fopen(arguments[1], "rb");
    if (file == NULL) {
        perror(arguments[1]);
        return 1;
    }
    long shown_phase = argument_count == 4 ? strtol(arguments[3], NULL, 10) : -1;
    int status = run(file, (pid_t)strtol(arguments[2], NULL, 10), shown_phase);
    (void)fclose(file);
    return status;
}
