/* report/blocking_calls.c - see blocking_calls.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/blocking_calls.h"

#include <string.h>

#include "base/str.h"
#include "source/code.h"

enum library {
    ASYNCIO,
    TRIO,
    ANYIO,
    LIBRARIES,
};

enum instead {
    SLEEP,
    CLIENT,
    PROCESS,
    SHELL,
    IN_A_THREAD,
    SOCKET,
    COMPUTATION,
};

static const char *const texts[][LIBRARIES] = {
    [SLEEP] = {"await asyncio.sleep(...)", "await trio.sleep(...)", "await anyio.sleep(...)"},
    [CLIENT] = {"await a client for asyncio (httpx, aiohttp)", "await a client for trio (httpx)",
                "await a client for anyio (httpx)"},
    [PROCESS] = {"await asyncio.create_subprocess_exec(...)", "await trio.run_process(...)",
                 "await anyio.run_process(...)"},
    [SHELL] = {"await asyncio.create_subprocess_shell(...)",
               "await trio.run_process(..., shell=True)", "await anyio.run_process(...)"},
    [IN_A_THREAD] = {"await asyncio.to_thread(...) around it",
                     "await trio.to_thread.run_sync(...) around it",
                     "await anyio.to_thread.run_sync(...) around it"},
    [SOCKET] = {"await the functions of the event loop (asyncio.open_connection)",
                "await trio.open_tcp_stream(...)", "await anyio.connect_tcp(...)"},
    [COMPUTATION] = {"run it in another process or thread (loop.run_in_executor), or await "
                     "asyncio.sleep(0) now and then",
                     "run it in a thread (trio.to_thread.run_sync) or process, or await "
                     "trio.sleep(0) now and then",
                     "run it in a thread or process (anyio.to_thread, anyio.to_process), or "
                     "await anyio.sleep(0) now and then"},
};

/* A name that ends in a dot stands for all of a module. */
static const struct {
    const char *name;
    enum instead instead;
} blockers[] = {
    {"time.sleep", SLEEP},           {"requests.", CLIENT},    {"urllib.request.urlopen", CLIENT},
    {"subprocess.", PROCESS},        {"os.system", SHELL},     {"open", IN_A_THREAD},
    {"sqlite3.", IN_A_THREAD},       {"socket.", SOCKET},      {"hashlib.pbkdf2_hmac", IN_A_THREAD},
    {"hashlib.scrypt", IN_A_THREAD}, {"bcrypt.", IN_A_THREAD},
};

const char *sc_blocking_computation_instead(void)
{
    return texts[COMPUTATION][ASYNCIO];
}

static enum library library_of(const struct sc_code *code)
{
    for (size_t i = 0; i < code->calls.count; i++) {
        const char *name = sc_code_call_name(code, &code->calls.items[i]);
        if (sc_starts_with(name, "trio."))
            return TRIO;
        if (sc_starts_with(name, "anyio."))
            return ANYIO;
    }
    return ASYNCIO;
}

const char *sc_blocking_instead_in(const struct sc_code *code, const char *instead)
{
    for (size_t i = 0; instead != NULL && i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i][ASYNCIO] == instead)
            return texts[i][library_of(code)];
    }
    return instead;
}

const char *sc_blocking_call_instead(const char *name)
{
    for (size_t i = 0; i < sizeof(blockers) / sizeof(blockers[0]); i++) {
        const char *known = blockers[i].name;
        bool is_module = known[strlen(known) - 1] == '.';
        if (is_module ? sc_starts_with(name, known) : strcmp(name, known) == 0)
            return texts[blockers[i].instead][ASYNCIO];
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
    return kind == SC_NAME_FILE || kind == SC_NAME_CONNECTION ? texts[IN_A_THREAD][ASYNCIO] : NULL;
}

const struct sc_call *sc_blocking_call_in(const struct sc_code *code, uint32_t statement,
                                          const char **ret_instead)
{
    SC_EACH_CALL(call, code, statement) {
        if ((call->first > 0 && sc_code_is(code, call->first - 1, "await")) ||
            sc_code_in_lambda(code, statement, call->open))
            continue; /* a lambda may run in a thread */
        *ret_instead = sc_blocking_call_instead(sc_code_call_name(code, call));
        if (*ret_instead == NULL)
            *ret_instead = instead_of_method(code, call);
        if (*ret_instead != NULL)
            return call;
    }
    return NULL;
}

/* -------- event loops, servers and supervisors -------- */

static const char runners[] =
    "asyncio.run trio.run curio.run anyio.run uvloop.run reactor.run uvicorn.run hypercorn.run "
    "app.run runner.run bot.run server.run run_app run_simple gevent.wait "
    "execute_from_command_line .run_app .run_forever .serve_forever .run_until_complete .run_sync "
    ".run_simple .mainloop .execute_from_command_line .start_serving";

static const char events[] = ".wait .serve_forever .wait_closed .Future";

static bool calls(const char *text, size_t length, const char *names)
{
    SC_AUTO(sc_code_done) struct sc_code code = {0};
    bool any = false;
    sc_code_init(&code, text, length);
    for (size_t i = 0; i < code.calls.count && !any; i++) {
        const char *name = sc_code_call_name(&code, &code.calls.items[i]);
        const char *last = strrchr(name, '.');
        /* the last is "tornado.ioloop.IOLoop.current().start()" */
        any = sc_call_is_one_of(name, names) ||
              (names == runners && last != NULL && strcmp(last, ".start") == 0 &&
               memmem(text, length, "IOLoop", 6) != NULL);
    }
    return any;
}

bool sc_line_runs_loop(const char *text, size_t length)
{
    return calls(text, length, runners);
}

bool sc_line_awaits_event(const char *text, size_t length)
{
    return calls(text, length, events);
}
