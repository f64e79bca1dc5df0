/*
 * cli/cmd_profile.c - `scalene profile`: switches the profiling of a running program on and off.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/command.h"
#include "observer/link/control_client.h"

int sc_cmd_profile(const struct sc_values *values, const struct sc_words *operands,
                   struct sc_err *err)
{
    (void)operands;
    const struct sc_value *of = values->of;
    struct sc_err cause = {0};
    bool is_on = false;
    if (of[SC_OPT_PROFILE_ON].flag == of[SC_OPT_PROFILE_OFF].flag)
        (void)sc_fail(err, SC_ERR_USAGE, "profile: name one of --on and --off");
    else if (of[SC_OPT_PROFILE_PID].source == SC_FROM_DEFAULT)
        (void)sc_fail(err, SC_ERR_USAGE, "profile: --pid names the program's process");
    else if (sc_control_send(of[SC_OPT_PROFILE_ON].flag ? "on" : "off",
                             (pid_t)of[SC_OPT_PROFILE_PID].count, &is_on, &cause))
        (void)printf("scalene: profiling is %s\n", is_on ? "on" : "off");
    else
        (void)sc_fail(err, cause.kind, "profile: %s", cause.text);
    return 0;
}
