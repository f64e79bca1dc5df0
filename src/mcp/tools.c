/*
 * mcp/tools.c - the tools, and which commands they are.
 *
 * Arguments come from a model, which may have read anything. So programs are run only where the
 * user has allowed them by name, files are named only below the root, links resolved, and no
 * argument can become an option of the command.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/tools.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

#define ITEMS_USUAL 10
#define ITEMS_MAX   50
#define WORDS_MAX   100U
#define WORD_MAX    100000U /* bytes; Linux starts no program with a word of 131072 */
#define PATH_MAX_   4096U
#define NAME_MAX_   60U

#define LIMIT_USUAL_S  300.0
#define LIMIT_MAX_S    86400.0
#define BUDGET_USUAL_S 60.0
/* What a comparison may take beyond its budget: its first round, and the last that has begun. */
#define BUDGET_REST_S 600.0

/* An object with the arguments of a call. */
struct given {
    const struct sc_mcp_settings *settings;
    json_t *arguments;
    struct sc_err *err;
};

/* -------- arguments -------- */

/* NULL when it is not given, or, with err set, no text. */
static const char *text_of(const struct given *given, const char *key)
{
    json_t *value = json_object_get(given->arguments, key);
    if (value == NULL || json_is_null(value))
        return NULL;
    size_t length = json_string_length(value);
    if (length == 0 || length > PATH_MAX_ || strlen(json_string_value(value)) != length) {
        (void)sc_fail(given->err, SC_ERR_USAGE, "'%s' is a text of at most %u bytes", key,
                      PATH_MAX_);
        return NULL;
    }
    return json_string_value(value);
}

static double number_of(const struct given *given, const char *key, double usual, double low,
                        double high)
{
    json_t *value = json_object_get(given->arguments, key);
    if (value == NULL || json_is_null(value))
        return usual;
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (number >= low && number <= high)
        return number;
    (void)sc_fail(given->err, SC_ERR_USAGE, "'%s' is a number from %g to %g", key, low, high);
    return usual;
}

static size_t items_of(const struct given *given)
{
    return (size_t)number_of(given, "limit", ITEMS_USUAL, 1, ITEMS_MAX);
}

static void add_word(struct sc_mcp_call *call, const char *word)
{
    sc_vec_push(&call->words, sc_strdup(word));
}

/* -------- files -------- */

static bool is_below(const char *path, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Links in a folder of profiles may lead out of the root, too. */
static bool has_link_out(const struct given *given, const char *folder)
{
    DIR *entries = opendir(folder);
    bool has_one = false;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        SC_AUTO_FREE char *path = sc_format("%s/%s", folder, entry->d_name);
        SC_AUTO_FREE char *real = realpath(path, NULL);
        has_one |=
            sc_ends_with(path, ".json") && real != NULL && !is_below(real, given->settings->root);
    }
    if (entries != NULL)
        (void)closedir(entries);
    return has_one;
}

/* Whether path is what a command may read: a pipe would be waited for. */
static bool is_allowed_profile(const struct given *given, const char *path, bool takes_folder)
{
    struct stat facts;
    return is_below(path, given->settings->root) && stat(path, &facts) == 0 &&
           (S_ISREG(facts.st_mode) ||
            (takes_folder && S_ISDIR(facts.st_mode) && !has_link_out(given, path)));
}

/* The path of a file or folder below the root, without links; NULL with err set. Owned. */
static char *path_below(const struct given *given, const char *name, bool takes_folder)
{
    SC_AUTO_FREE char *joined =
        name[0] == '/' ? sc_strdup(name) : sc_format("%s/%s", given->settings->root, name);
    char *path = realpath(joined, NULL);
    /* a file outside is answered like one that does not exist: which of these it is, is nobody's
     * concern here */
    if (path != NULL && is_allowed_profile(given, path, takes_folder))
        return path;
    free(path);
    (void)sc_fail(given->err, SC_ERR_USAGE, "there is no '%.200s' in '%.200s'", name,
                  given->settings->root);
    return NULL;
}

static bool add_path(const struct given *given, const char *key, const char *usual,
                     struct sc_mcp_call *call)
{
    const char *name = text_of(given, key);
    if (given->err->kind != SC_ERR_NONE)
        return false;
    if (name == NULL && usual == NULL)
        return sc_fail(given->err, SC_ERR_USAGE, "'%s' is missing", key);
    /* usual: a file's name, where one file alone is taken */
    char *path = path_below(given, name != NULL ? name : usual, usual == NULL);
    if (path == NULL)
        return false;
    sc_vec_push(&call->words, path);
    return true;
}

/* A new profile's file: scalene-NAME.json in the root, so that it cannot replace a file of another
 * kind. Owned. */
static char *new_profile(const struct given *given)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *name = text_of(given, "name");
    if (given->err->kind != SC_ERR_NONE)
        return NULL;
    if (name == NULL)
        name = "profile";
    if (name[strspn(name, letters)] != '\0' || strlen(name) > NAME_MAX_) {
        (void)sc_fail(given->err, SC_ERR_USAGE,
                      "'name' has letters, digits, '_' and '-', at most %u", NAME_MAX_);
        return NULL;
    }
    return sc_format("%s/scalene-%s.json", given->settings->root, name);
}

/* -------- programs -------- */

/* Whether the words of entry, which blanks separate, are the first of the command. */
static bool begins_with(json_t *command, const char *entry)
{
    size_t count = 0;
    const char *word = entry + strspn(entry, " ");
    while (*word != '\0') {
        size_t length = strcspn(word, " ");
        const char *own = json_string_value(json_array_get(command, count++));
        if (own == NULL || strlen(own) != length || memcmp(own, word, length) != 0)
            return false;
        word += length + strspn(word + length, " ");
    }
    return count > 0;
}

static bool is_allowed(const struct given *given, json_t *command)
{
    const char *first = json_string_value(json_array_get(command, 0)); /* may have blanks */
    for (char *const *entry = given->settings->allowed; *entry != NULL; entry++)
        if (strcmp(*entry, "*") == 0 || strcmp(*entry, first) == 0 || begins_with(command, *entry))
            return true;
    return false;
}

/* What would allow it names a module, as "-m" alone would allow them all. */
static bool refuse(const struct given *given, json_t *command)
{
    const char *first = json_string_value(json_array_get(command, 0));
    const char *second = json_string_value(json_array_get(command, 1));
    bool has_module = strcmp(first, "-m") == 0 && second != NULL;
    SC_AUTO_FREE char *name = has_module ? sc_format("-m %s", second) : sc_strdup(first);
    SC_AUTO(sc_str_done) struct sc_str all = {0};
    for (char *const *entry = given->settings->allowed; *entry != NULL; entry++)
        sc_str_add_format(&all, "%s'%s'", all.length > 0 ? ", " : "", *entry);
    (void)sc_fail(given->err, SC_ERR_USAGE,
                  "'%.100s' may not be run: the user starts this server with `scalene mcp --allow "
                  "'%.100s'` to allow it; allowed now: %.600s",
                  name, name, all.length > 0 ? all.data : "nothing");
    return false;
}

/* A program as `scalene run` takes it: prog.py, -m module, or a command. */
static bool check_program(const struct given *given, const char *key, json_t *command)
{
    size_t count = json_array_size(command);
    bool is_good = count >= 1 && count <= WORDS_MAX;
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(command, i);
        const char *word = json_string_value(item);
        /* these two would end the command's words */
        is_good = is_good && word != NULL && strcmp(word, "--") != 0 && strcmp(word, "---") != 0 &&
                  strlen(word) <= WORD_MAX && strlen(word) == json_string_length(item);
    }
    if (!is_good)
        return sc_fail(given->err, SC_ERR_USAGE,
                       "'%s' is a list of words, such as [\"prog.py\", \"argument\"], [\"-m\", "
                       "\"module\"] or a command, without '--'",
                       key);
    const char *first = json_string_value(json_array_get(command, 0));
    if (!is_allowed(given, command))
        return refuse(given, command);
    if (first[0] == '-' && strcmp(first, "-m") != 0)
        return sc_fail(given->err, SC_ERR_USAGE, "'%s' begins with a program, not an option", key);
    return true;
}

/* before: the word between options and program, of `compare`; NULL: it is `run`'s. */
static bool add_program(const struct given *given, const char *key, const char *before,
                        struct sc_mcp_call *call)
{
    json_t *command = json_object_get(given->arguments, key);
    if (!check_program(given, key, command))
        return false;
    const char *first = json_string_value(json_array_get(command, 0));
    bool is_python =
        sc_ends_with(first, ".py") || first[0] == '-'; /* not a command that starts one */
    bool is_timed = before != NULL;
    if (before == NULL)
        before = is_python ? "---" : "--";
    add_word(call, before);
    if (is_timed && given->settings->python != NULL && is_python)
        sc_vec_push(&call->words, sc_format("--python=%s", given->settings->python));
    for (size_t i = 0; i < json_array_size(command); i++)
        add_word(call, json_string_value(json_array_get(command, i)));
    return true;
}

/* -------- tools -------- */

static bool make_run(const struct given *given, struct sc_mcp_call *call)
{
    json_t *cpu_only = json_object_get(given->arguments, "cpu_only");
    call->profile = new_profile(given);
    call->limit_s = number_of(given, "timeout_s", LIMIT_USUAL_S, 1, LIMIT_MAX_S);
    call->items = items_of(given);
    call->is_sparse = true;
    if (cpu_only != NULL && !json_is_boolean(cpu_only))
        return sc_fail(given->err, SC_ERR_USAGE, "'cpu_only' is true or false");
    if (given->err->kind != SC_ERR_NONE)
        return false;
    add_word(call, "run");
    add_word(call, "--quiet");
    add_word(call, "--outfile-as-is");
    sc_vec_push(&call->words, sc_format("--outfile=%s", call->profile));
    if (json_is_true(cpu_only))
        add_word(call, "--cpu-only");
    if (given->settings->python != NULL)
        sc_vec_push(&call->words, sc_format("--python=%s", given->settings->python));
    return add_program(given, "program", NULL, call);
}

/* A command that shows profiles. Those of other programs name files whose sources are read. */
static void add_showing(const struct given *given, const char *command, struct sc_mcp_call *call)
{
    add_word(call, command);
    add_word(call, "--json");
    sc_vec_push(&call->words, sc_format("--sources-below=%s", given->settings->root));
}

static bool make_view(const struct given *given, struct sc_mcp_call *call)
{
    call->items = items_of(given);
    call->is_sparse = true;
    add_showing(given, "view", call);
    return add_path(given, "profile", "scalene-profile.json", call);
}

static bool make_explain(const struct given *given, struct sc_mcp_call *call)
{
    const char *file = text_of(given, "file");
    double line = number_of(given, "line", 0, 1, 1e9);
    call->items = ITEMS_MAX;
    call->is_sparse = true;
    if (given->err->kind != SC_ERR_NONE)
        return false;
    if (file == NULL || line < 1)
        return sc_fail(given->err, SC_ERR_USAGE, "'file' and 'line' say which line");
    add_showing(given, "view", call);
    sc_vec_push(&call->words, sc_format("--line=%s:%.0f", file, floor(line)));
    return add_path(given, "profile", "scalene-profile.json", call);
}

static bool make_diff(const struct given *given, struct sc_mcp_call *call)
{
    call->items = items_of(given);
    add_showing(given, "diff", call);
    return add_path(given, "before", NULL, call) && add_path(given, "after", NULL, call);
}

static bool make_measure(const struct given *given, struct sc_mcp_call *call)
{
    double budget_s = number_of(given, "budget_s", BUDGET_USUAL_S, 1, LIMIT_MAX_S);
    double profiles = number_of(given, "profiles", 0, 0, 20);
    call->items = items_of(given);
    call->limit_s = budget_s + BUDGET_REST_S;
    add_word(call, "compare");
    add_word(call, "--json");
    sc_vec_push(&call->words, sc_format("--budget=%g", budget_s));
    sc_vec_push(&call->words, sc_format("--profiles=%.0f", floor(profiles)));
    return add_program(given, "before", "---", call) && add_program(given, "after", "---", call);
}

#define PROGRAM                                                                                    \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,\"description\":\"["       \
    "\\\"prog.py\\\", \\\"argument\\\"], "                                                         \
    "[\\\"-m\\\", \\\"module\\\"] or a command that starts a Python\"}"
#define LIMIT                                                                                      \
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"description\":\"rows of a "    \
    "list in the answer; 10 unless given\"}"
#define PROFILE                                                                                    \
    "\"profile\":{\"type\":\"string\",\"description\":\"a profile's file; scalene-profile.json "   \
    "unless given\"}"

static const struct tool {
    const char *name;
    const char *description;
    const char *schema;
    bool reads_only;
    bool (*make)(const struct given *given, struct sc_mcp_call *call);
} tools[] = {
    {"run",
     "Run a Python program under the Scalene profiler and return its exit status, the end of its "
     "output, and where its "
     "time and memory go: findings with advice, the most expensive lines and functions. "
     "Percentages are shares of the "
     "run's time. The profile is kept as scalene-NAME.json.",
     "{\"type\":\"object\",\"properties\":{\"program\":" PROGRAM
     ",\"name\":{\"type\":\"string\",\"description\":\"of the profile: scalene-NAME.json; "
     "'profile' unless given\"},"
     "\"cpu_only\":{\"type\":\"boolean\",\"description\":\"time only, without memory\"},"
     "\"timeout_s\":{\"type\":\"number\",\"description\":\"after so many seconds the program is "
     "interrupted, and its profile is "
     "that of the time until then; 300 unless given\"}," LIMIT "},\"required\":[\"program\"]}",
     false, make_run},
    {"view",
     "Show a profile: findings with advice, the most expensive lines, functions and files, and how "
     "reliable the numbers are.",
     "{\"type\":\"object\",\"properties\":{" PROFILE "," LIMIT "}}", true, make_view},
    {"explain",
     "Show all that a profile knows of one line: its source, the kinds of its time (interpreter, "
     "native code, system, each "
     "kind of waiting), its memory, its function, who calls it and what it calls, and findings "
     "there.",
     "{\"type\":\"object\",\"properties\":{\"file\":{\"type\":\"string\",\"description\":\"a path, "
     "or its end\"},"
     "\"line\":{\"type\":\"integer\",\"minimum\":1}," PROFILE "},\"required\":[\"file\",\"line\"]}",
     true, make_explain},
    {"diff",
     "Compare the profiles of two versions of a program: what became slower, faster, larger or "
     "smaller by more than chance, "
     "by line, function and call. Each side is a profile, or a folder with several runs of that "
     "version.",
     "{\"type\":\"object\",\"properties\":{\"before\":{\"type\":\"string\"},\"after\":{\"type\":"
     "\"string\"}," LIMIT "},\"required\":[\"before\",\"after\"]}",
     true, make_diff},
    {"measure",
     "Prove which of two programs is faster: both run in turn, without a profiler, until a "
     "difference in elapsed time, CPU "
     "time or peak memory is certain or the budget is spent. Use it to check an optimisation: keep "
     "the old version beside the new one.",
     "{\"type\":\"object\",\"properties\":{\"before\":" PROGRAM ",\"after\":" PROGRAM
     ",\"budget_s\":{\"type\":\"number\",\"description\":\"seconds for all rounds; 60 unless "
     "given\"},"
     "\"profiles\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":20,\"description\":\"runs of "
     "each under the profiler afterwards, to say "
     "where the difference lies; 0 unless given\"}," LIMIT "},\"required\":[\"before\",\"after\"]}",
     false, make_measure},
};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

json_t *sc_mcp_tools(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < TOOLS; i++) {
        json_t *schema = json_loads(tools[i].schema, 0, NULL);
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:{s:b}}", "name", tools[i].name, "description",
                            tools[i].description, "inputSchema", schema, "annotations",
                            "readOnlyHint", (int)tools[i].reads_only));
    }
    return json_pack("{s:o}", "tools", list);
}

/* A misspelt argument would be one that is not given. */
static bool check_keys(const struct given *given, const char *schema_text)
{
    json_t *schema = json_loads(schema_text, 0, NULL);
    json_t *known = json_object_get(schema, "properties");
    const char *key;
    json_t *value;
    json_object_foreach(given->arguments, key, value)
    {
        if (json_object_get(known, key) == NULL)
            (void)sc_fail(given->err, SC_ERR_USAGE, "there is no argument '%.60s'", key);
    }
    json_decref(schema);
    return given->err->kind == SC_ERR_NONE;
}

enum sc_mcp_found sc_mcp_call_init(const struct sc_mcp_settings *settings, const char *name,
                                   json_t *arguments, struct sc_mcp_call *call, struct sc_err *err)
{
    struct given given = {settings, arguments, err};
    for (size_t i = 0; i < TOOLS; i++) {
        if (strcmp(tools[i].name, name) != 0)
            continue;
        *call = (struct sc_mcp_call){.limit_s = LIMIT_USUAL_S};
        bool is_made = check_keys(&given, tools[i].schema) && tools[i].make(&given, call);
        return is_made && err->kind == SC_ERR_NONE ? SC_MCP_CALL : SC_MCP_REFUSED;
    }
    return SC_MCP_NO_TOOL;
}

void sc_mcp_call_done(struct sc_mcp_call *call)
{
    sc_vec_free(&call->words);
    free(call->profile);
}
