/*
 * report/blocking_calls.c - the table of calls that wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/blocking_calls.h"

#include <string.h>

#include "base/str.h"

#define IN_A_THREAD "await asyncio.to_thread(...) around it"

/* A name that ends in a dot stands for all of a module. */
static const struct {
    const char *name;
    const char *instead;
} blockers[] = {
    {"time.sleep", "await asyncio.sleep(...)"},
    {"requests.", "await a client for asyncio (httpx, aiohttp)"},
    {"urllib.request.urlopen", "await a client for asyncio (httpx, aiohttp)"},
    {"subprocess.", "await asyncio.create_subprocess_exec(...)"},
    {"os.system", "await asyncio.create_subprocess_shell(...)"},
    {"open", IN_A_THREAD},
    {"sqlite3.", IN_A_THREAD},
    {"socket.", "await the functions of the event loop (asyncio.open_connection)"},
    {"hashlib.pbkdf2_hmac", IN_A_THREAD},
    {"hashlib.scrypt", IN_A_THREAD},
    {"bcrypt.", IN_A_THREAD},
};

const char *sc_blocking_call_instead(const char *name)
{
    for (size_t i = 0; i < sizeof(blockers) / sizeof(blockers[0]); i++) {
        const char *known = blockers[i].name;
        bool is_module = known[strlen(known) - 1] == '.';
        if (is_module ? sc_starts_with(name, known) : strcmp(name, known) == 0)
            return blockers[i].instead;
    }
    return NULL;
}

/* For a method of what open() or a driver of a database gave: "file.read", "db.execute". */
static const char *instead_of_method(const struct sc_code *code, const struct sc_call *call)
{
    const char *name = sc_code_call_name(code, call);
    const char *dot = strrchr(name, '.');
    if (dot == NULL || dot == name)
        return NULL;
    SC_AUTO_FREE char *owner = sc_strndup(name, (size_t)(dot - name));
    enum sc_name_kind kind = sc_code_kind_of_name(code, owner, call->statement);
    return kind == SC_NAME_FILE || kind == SC_NAME_CONNECTION ? IN_A_THREAD : NULL;
}

const struct sc_call *sc_blocking_call_in(const struct sc_code *code, uint32_t statement,
                                          const char **ret_instead)
{
    for (size_t i = sc_code_first_call(code, statement); i < code->calls.count; i++) {
        const struct sc_call *call = &code->calls.items[i];
        if (call->statement != statement)
            break;
        if (call->first > 0 && sc_code_is(code, call->first - 1, "await"))
            continue;
        *ret_instead = sc_blocking_call_instead(sc_code_call_name(code, call));
        if (*ret_instead == NULL)
            *ret_instead = instead_of_method(code, call);
        if (*ret_instead != NULL)
            return call;
    }
    return NULL;
}
