/* cli/doctor.c - see doctor.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor.h"

#include <stdlib.h>

void sc_diagnosis_add(struct sc_diagnosis *diagnosis, const char *id, enum sc_check_state state,
                      char *found, char *cost)
{
    struct sc_check check = {id, state, found, cost};
    sc_vec_push(&diagnosis->checks, check);
}

bool sc_diagnosis_is_good(const struct sc_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->checks.count; i++)
        if (diagnosis->checks.items[i].state == SC_CHECK_BAD)
            return false;
    return true;
}

void sc_diagnosis_done(struct sc_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->checks.count; i++) {
        free(diagnosis->checks.items[i].found);
        free(diagnosis->checks.items[i].cost);
    }
    sc_vec_done(&diagnosis->checks);
    sc_trial_done(&diagnosis->trial);
}
