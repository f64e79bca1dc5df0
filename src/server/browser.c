/* server/browser.c - see browser.h. SPDX-License-Identifier: Apache-2.0 */
#include "server/browser.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assist/keys.h"
#include "base/child.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

/* Browsers that run in a terminal, where the page would cover what is there. */
static bool is_for_terminals(const char *program)
{
    return sc_is_among(sc_after_last(program, '/'),
                       "browsh elinks links links2 lynx w3m www-browser");
}

/* In a session of its own, so Ctrl-C here does not reach it. Keys of services are not in its
 * environment, which other processes can read. ret_pid: NULL where nobody waits for it. */
static bool start(char *const *words, pid_t *ret_pid)
{
    SC_AUTO(sc_texts_done) struct sc_texts environment = {0};
    pid_t pid = 0;
    sc_ai_keyless_environment(&environment);
    sc_vec_push(&environment, NULL);
    return sc_child_start(&(struct sc_child){.words = words,
                                             .environment = environment.items,
                                             .streams = SC_CHILD_NO_STREAMS,
                                             .is_apart = true,
                                             .is_left = ret_pid == NULL},
                          ret_pid != NULL ? ret_pid : &pid, NULL);
}

/* A command of $BROWSER: words apart by blanks, %s for the address, which otherwise follows. */
static bool start_command(const char *command, const char *address, pid_t *ret_pid)
{
    SC_AUTO_FREE char *text = sc_strdup(command);
    SC_AUTO_FREE SC_VEC(char *) words = {0};
    bool has_address = false;
    bool is_started = false;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        bool is_place = strcmp(word, "%s") == 0;
        has_address = has_address || is_place;
        sc_vec_push(&words, is_place ? (char *)(uintptr_t)address : word);
    }
    if (!has_address)
        sc_vec_push(&words, (char *)(uintptr_t)address);
    bool is_usable = words.items[0] != address && !is_for_terminals(words.items[0]);
    sc_vec_push(&words, NULL);
    if (is_usable)
        is_started = start(words.items, ret_pid);
    return is_started;
}

/* Whether a command of $BROWSER names a browser with windows. */
static bool is_graphical(const char *command)
{
    SC_AUTO_FREE char *text = sc_strdup(command);
    char *rest = NULL;
    const char *program = strtok_r(text, " \t", &rest);
    return program != NULL && !is_for_terminals(program);
}

bool sc_browser_is_possible(void)
{
    if (!is_set("BROWSER"))
        return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    SC_AUTO_FREE char *list = sc_strdup(getenv("BROWSER"));
    char *rest = NULL;
    for (char *command = strtok_r(list, ":", &rest); command != NULL;
         command = strtok_r(NULL, ":", &rest)) {
        if (is_graphical(command))
            return true;
    }
    return false;
}

bool sc_browser_open(const char *address, pid_t *ret_desktop)
{
    *ret_desktop = 0;
    if (is_set("BROWSER")) {
        SC_AUTO_FREE char *list = sc_strdup(getenv("BROWSER"));
        char *rest = NULL;
        for (char *command = strtok_r(list, ":", &rest); command != NULL;
             command = strtok_r(NULL, ":", &rest)) {
            if (start_command(command, address, NULL))
                return true;
        }
        return false;
    }
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
        return false;
    return start_command("xdg-open", address, ret_desktop);
}
