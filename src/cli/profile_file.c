/*
 * cli/profile_file.c - reading the profile that a command is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/profile_file.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "profile/profile.h"

bool sc_profile_file_read(const char *path, struct sc_profile *ret_profile, struct sc_err *err)
{
    struct sc_str bytes = {0};
    struct sc_err cause = {0};
    bool loaded = sc_read_file(path, SC_PROFILE_BYTES_MAX, &bytes, &cause);
    if (!loaded) {
        bool is_absent = access(path, F_OK) != 0;
        (void)sc_fail(err, SC_ERR_FAILED, "%s%s", cause.text,
                      is_absent ? "; 'scalene run program.py' writes a profile" : "");
    } else {
        static const char known[] = "not a profile: ";
        loaded = sc_profile_from_json(sc_str_text(&bytes), bytes.length, ret_profile, &cause);
        const char *why = cause.text;
        if (sc_starts_with(why, known))
            why += strlen(known);
        if (!loaded && bytes.length == 0)
            (void)sc_fail(err, SC_ERR_FAILED,
                          "'%.200s' is empty; 'scalene run program.py' writes a profile", path);
        else if (!loaded && sc_ends_with(path, ".py"))
            (void)sc_fail(err, SC_ERR_FAILED,
                          "'%.200s' is a Python program; 'scalene run %.200s' profiles it", path,
                          path);
        else if (!loaded)
            (void)sc_fail(err, SC_ERR_FAILED, "'%.200s' is not a profile: %s", path, why);
    }
    sc_str_done(&bytes);
    return loaded;
}
