/*
 * report/labels.c - who of many a run was, in a line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/labels.h"

#include <string.h>

#include "report/report.h"

/* Labels that every run can have. They are worth a line only beside a rank. */
static const char *const own[] = {
    SC_LABEL_RANK, SC_LABEL_LOCAL_RANK, SC_LABEL_WORLD_SIZE, SC_LABEL_NODE,      SC_LABEL_JOB,
    SC_LABEL_POD,  SC_LABEL_WORKER,     SC_LABEL_HOST,       SC_LABEL_CONTAINER, SC_LABEL_COMMIT};

static bool is_own(const char *name)
{
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strcmp(name, own[i]) == 0)
            return true;
    }
    return false;
}

char *sc_report_labels(const struct sc_labels *labels)
{
    const char *rank = sc_label_of(labels, SC_LABEL_RANK);
    const char *size = sc_label_of(labels, SC_LABEL_WORLD_SIZE);
    const char *host = sc_label_of(labels, SC_LABEL_HOST);
    const char *job = sc_label_of(labels, SC_LABEL_JOB);
    struct sc_str text = {0};
    if (rank != NULL) {
        sc_str_add_format(&text, "rank %s", rank);
        if (size != NULL)
            sc_str_add_format(&text, " of %s", size);
        if (host != NULL)
            sc_str_add_format(&text, " on %s", host);
        if (job != NULL)
            sc_str_add_format(&text, ", job %s", job);
    }
    SC_EACH(const struct sc_label, label, labels)
        if (!is_own(label->name))
            sc_str_add_format(&text, "%s%s=%s", text.length > 0 ? ", " : "", label->name,
                              label->value);
    return text.length > 0 ? sc_str_take(&text) : NULL;
}
