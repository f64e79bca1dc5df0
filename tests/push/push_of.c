/*
 * tests/push/push_of.c - push_of ADDRESS [TOKEN_FILE]: pushes the profiles whose files are named on
 * standard input, one a line, and answers each with a line: "full" where there is no room for it,
 * else "taken". The last one, at the end of the input, is that of the end; what got lost is
 * printed. push_of FOLDER BYTES keeps them in a folder of so many bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "push/keep.h"
#include "push/push.h"

static void read_profile(const char *path, struct sc_profile *ret_profile)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_err err = {0};
    if (!sc_read_file(path, SC_PROFILE_BYTES_MAX, &text, &err) ||
        !sc_profile_from_json(sc_str_text(&text), text.length, ret_profile, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    char line[4096];
    struct sc_err err = {0};
    struct sc_profile profile = {0};
    sigset_t blocked;
    struct sc_keep *keep = NULL;
    struct sc_push *push = NULL;
    if (argc > 2 && argv[1][0] == '/')
        keep = sc_keep_new(argv[1], strtoull(argv[2], NULL, 10), &err);
    else if (argc > 1)
        push = sc_push_new(argv[1], NULL, argc > 2 ? argv[2] : NULL, &err);
    if (push == NULL && keep == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    (void)sigfillset(&blocked);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL); /* as the observer has it */
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        sc_profile_done(&profile);
        profile = (struct sc_profile){0};
        read_profile(line, &profile);
        bool has_room = keep != NULL || sc_push_has_room(push);
        if (keep != NULL)
            sc_keep_take(keep, &profile);
        else if (has_room)
            sc_push_take(push, &profile);
        (void)puts(has_room ? "taken" : "full");
        (void)fflush(stdout);
    }
    char *lost = keep != NULL ? sc_keep_end(keep, &profile) : sc_push_end(push, &profile);
    (void)puts(lost != NULL ? lost : "all sent");
    free(lost);
    sc_push_free(push);
    sc_keep_free(keep);
    sc_profile_done(&profile);
    return sc_push_leave(EXIT_SUCCESS);
}
