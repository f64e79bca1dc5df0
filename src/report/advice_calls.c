/*
 * report/advice_calls.c - rules on calls that are repeated though their work is the same, or small.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/number.h"

/* Of a statement's time: the interpreter's and the library's Python, which a call of compiled code
 * on much data does not have. What is less than the error of the time may be one sample. */
#define SMALL_PYTHON_SHARE 0.1

/* Of a statement's time: functions that look a pattern up or compile it. */
static const char regex_preparers[] = "_compile compile";
static const char regex_compilers[] = "parse _code"; /* of re._compiler alone */
static const char copiers[] = "deepcopy";
static const char time_parsers[] =
    "_strptime_datetime _strptime_time _strptime _strptime_datetime_datetime";
static const char log_writers[] = "_log handle callHandlers";

/* The saving: the time in functions of these names where the profile knows them, else all. */
static double part_of(const struct sc_spot *spot, const char *names)
{
    double below = sc_spot_callee_percent(spot, names);
    return below < 0.0 ? spot->percent : below;
}

/* A call, what is known about it, and texts about it. */
struct called {
    const struct sc_call *call;
    const char *name;
    struct sc_repeat repeat;
    uint32_t first, end; /* of its first argument; equal: none */
};

/* Whether the first argument is the same each time. */
static bool is_constant(const struct sc_spot *spot, const struct called *called)
{
    return called->end > called->first &&
           sc_code_is_constant(spot->code, called->first, called->end, spot->statement);
}

static char *callee_text(const struct sc_spot *spot, const struct called *called)
{
    return sc_spot_text(spot, called->call->first, called->call->open);
}

static void find_deepcopy(const struct sc_spot *spot, const struct called *called)
{
    bool is_function = spot->code->statements.items[spot->statement].function != SC_NONE;
    /* who repeats a function that this file does not call is in another one */
    bool may_be_repeated =
        called->repeat.is_repeated || (is_function && !called->repeat.has_caller);
    if (strcmp(called->name, "copy.deepcopy") != 0 || !may_be_repeated ||
        called->first == called->end)
        return;
    SC_AUTO_FREE char *what = sc_spot_text(spot, called->first, called->end);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    sc_advise(
        spot, "deepcopy", part_of(spot, copiers), what,
        sc_format("copies %s and all that it holds%s, object by object in Python", what, loop),
        sc_strdup("Copy only what is changed afterwards (copy.copy, dict(x), list(x)), or "
                  "build the new object from its parts."),
        sc_strdup("copy.deepcopy visits every object and keeps a table of those it has "
                  "copied"));
}

/* Parsers that do the same work again where their text is the same. */
static const char parsers[] =
    "json.loads json.load yaml.safe_load yaml.load tomllib.loads xml.etree.ElementTree.fromstring "
    "pickle.loads csv.reader configparser.ConfigParser ast.literal_eval ast.parse compile";

static void find_strptime(const struct sc_spot *spot, const struct called *called)
{
    static const char names[] = ".strptime strptime dateutil.parser.parse";
    if (!sc_call_is_one_of(called->name, names) || !called->repeat.is_repeated)
        return;
    bool is_dateutil = sc_starts_with(called->name, "dateutil");
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    double below = is_dateutil ? -1.0 : sc_spot_callee_percent(spot, time_parsers);
    sc_advise(spot, "repeated_parse", below > 0.3 * spot->percent ? below : spot->percent,
              called->name,
              sc_format("reads a time with %s%s, which interprets its format anew each time",
                        function, loop),
              sc_strdup("datetime.fromisoformat or int() of slices is many times faster; where "
                        "times repeat, keep the results (functools.lru_cache)."),
              sc_format("%s is written in Python and finds the parts of a time by a regular "
                        "expression",
                        function));
}

static void advise_literal(const struct sc_spot *spot, const struct called *called,
                           const char *what, const char *loop)
{
    SC_AUTO_FREE char *function = callee_text(spot, called);
    sc_advise(spot, "repeated_parse", spot->percent, called->name,
              sc_format("has Python compile the text %s with %s%s", what, function, loop),
              sc_strdup("json.loads reads such data many times faster, as do int() and float() "
                        "for numbers; where texts repeat, keep the results."),
              sc_format("%s parses and compiles its text as Python source", function));
}

static void find_parse(const struct sc_spot *spot, const struct called *called)
{
    if (!sc_call_is_one_of(called->name, parsers) || !called->repeat.is_repeated ||
        called->first == called->end)
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    SC_AUTO_FREE char *what = sc_spot_text(spot, called->first, called->end);
    if (is_constant(spot, called))
        sc_advise(
            spot, "repeated_parse", spot->percent, called->name,
            sc_format("reads %s with %s%s, though it is the same each time", what, function, loop),
            sc_strdup("Read it once before the loop and use the result, or keep results by "
                      "their text (functools.lru_cache)."),
            sc_format("nothing in the loop assigns to what %s is made of", what));
    else if (strcmp(called->name, "ast.literal_eval") == 0)
        advise_literal(spot, called, what, loop);
}

/* eval(text): what it gives depends on the names that the text mentions, too. */
static void find_eval(const struct sc_spot *spot, const struct called *called)
{
    const struct sc_code *code = spot->code;
    uint32_t first = 0;
    uint32_t end = 0;
    if (strcmp(called->name, "eval") != 0 || !called->repeat.is_repeated ||
        called->first == called->end ||
        sc_code_kind(code, called->first, called->end, spot->statement) == SC_NAME_OTHER)
        return; /* one of code is as fast as it can be */
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    SC_AUTO_FREE char *what = sc_spot_text(spot, called->first, called->end);
    if (is_constant(spot, called))
        sc_advise(
            spot, "repeated_parse", spot->percent, called->name,
            sc_format("has Python compile %s with eval%s, though it is the same each time", what,
                      loop),
            sc_strdup("Compile it once before the loop (compile(text, \"\", \"eval\")) and give "
                      "eval what that makes, or write it as a function."),
            sc_format("nothing in the loop assigns to what %s is made of", what));
    else if (!sc_code_argument(code, called->call, 1, NULL, &first, &end))
        advise_literal(spot, called, what, loop);
}

/* Patterns that change. Those that re has in its cache are not compiled again. */
static void advise_made_patterns(const struct sc_spot *spot, double saving, const char *pattern,
                                 const char *function, const char *loop)
{
    double compiling = sc_spot_callee_percent(spot, regex_compilers);
    bool is_kept = compiling >= 0.0 && compiling < SMALL_PYTHON_SHARE * saving;
    sc_advise(spot, "regex_in_loop", saving, pattern,
              sc_format(is_kept ? "makes a pattern%s for %s, which looks it up at every call"
                                : "makes patterns%s and has %s compile them",
                        loop, function),
              sc_strdup("Join the alternatives into one pattern that is compiled once "
                        "('|'.join(map(re.escape, words))), or keep the compiled ones in a dict."),
              sc_format("the pattern %s changes in the loop, and %s", pattern,
                        is_kept ? "functions of re find it in their cache by Python code"
                                : "re keeps only some hundred compiled ones"));
}

static void find_regex(const struct sc_spot *spot, const struct called *called)
{
    static const char names[] =
        "re.compile re.search re.match re.fullmatch re.findall re.finditer re.sub re.subn "
        "re.split";
    if (!sc_call_is_one_of(called->name, names) || !called->repeat.is_repeated ||
        called->first == called->end)
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    SC_AUTO_FREE char *pattern = sc_spot_text(spot, called->first, called->end);
    const char *own = strrchr(called->name, '.') + 1;
    SC_AUTO_FREE char *entries = sc_format("%s _compile", own);
    double below = sc_spot_callee_percent(spot, regex_preparers);
    double around = sc_spot_callee_percent(spot, entries);
    bool is_python = below >= 0.0;
    /* the functions of re take Python time before they search: their own, and that of the search
     * in its cache */
    double saving = is_python ? fmax(below, fmin(around, spot->interpreting)) : 0.0;
    if (saving <= 0.0)
        saving = spot->interpreting;
    if (is_constant(spot, called))
        sc_advise(
            spot, "regex_in_loop", saving, pattern,
            sc_format("has %s look the same pattern up%s", function, loop),
            sc_strdup("Compile the pattern once outside (PATTERN = re.compile(...)) and call "
                      "the methods of that."),
            sc_format("the pattern is %s each time; functions of re find it in their cache by "
                      "Python code at every call",
                      pattern));
    else
        advise_made_patterns(spot, fmax(saving, below), pattern, function, loop);
}

/* Functions of numpy that do as little for one number as they cost to call: those with Python code
 * around what they do, and those without any. */
static const char numpy_functions[] =
    "mean sum std var min max median prod clip round argmax argmin norm cross percentile any all "
    "outer argsort sort cumsum diff average ptp quantile isclose allclose array_equal unique "
    "count_nonzero searchsorted amax amin nanmean";
static const char numpy_compiled[] =
    "sqrt exp log log2 log10 sin cos tan arctan2 abs absolute power dot floor ceil where array "
    "isnan maximum minimum hypot inner square add subtract multiply divide sign asarray zeros tanh "
    "arcsin arccos arctan matmul random randint normal uniform";

/* Whether a method is called on a piece of an array: x[i - 1:i + 2, j].mean(). */
static bool is_of_array_piece(const struct sc_spot *spot, const struct called *called)
{
    return called->name[0] == '.' && called->call->open >= 3 &&
           sc_code_is_array_piece(spot->code, called->call->open - 3);
}

static void find_scalar_numpy(const struct sc_spot *spot, const struct called *called)
{
    if (!called->repeat.is_repeated ||
        !(sc_starts_with(called->name, "numpy.") || is_of_array_piece(spot, called)))
        return;
    const char *own = strrchr(called->name, '.') + 1;
    const struct sc_code *code = spot->code;
    bool is_compiled = sc_call_is_one_of(own, numpy_compiled);
    bool is_index =
        is_compiled && called->end > called->first && sc_code_is(code, called->end - 1, "]");
    double python = spot->interpreting;
    if ((!is_compiled && !sc_call_is_one_of(own, numpy_functions)) ||
        (python < fmax(SMALL_PYTHON_SHARE * spot->percent, spot->error) && !is_index) ||
        is_constant(spot, called))
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    SC_AUTO_FREE char *key = sc_format("%u", called->repeat.loop_line);
    sc_advise(spot, "scalar_numpy", spot->percent, key,
              sc_format("calls %s on one small piece at a time%s", function, loop),
              sc_format("Call it once on the whole array (with axis= where it works by rows): a "
                        "call costs more than the few numbers that it is given; for single numbers "
                        "use math."),
              sc_format("%s of the line's time is Python code around the call",
                        sc_number_percent(100.0 * python / fmax(spot->percent, 0.001)).text));
}

static void find_open(const struct sc_spot *spot, const struct called *called)
{
    static const char names[] =
        "open numpy.load numpy.loadtxt numpy.genfromtxt pandas.read_csv pandas.read_parquet "
        "pandas.read_excel pandas.read_json PIL.Image.open .read_text .read_bytes sqlite3.connect "
        "gzip.open zipfile.ZipFile joblib.load";
    bool is_method = sc_starts_with(strrchr(called->name, '.') != NULL ? strrchr(called->name, '.')
                                                                       : called->name,
                                    ".read_") &&
                     !sc_starts_with(called->name, "pandas.");
    const struct sc_code *code = spot->code;
    if (!sc_call_is_one_of(called->name, names) || !called->repeat.is_repeated)
        return;
    uint32_t first = is_method ? called->call->first : called->first;
    uint32_t end = is_method ? called->call->open - 2 : called->end;
    if (first >= end || sc_code_is(code, first, ".") ||
        !sc_code_is_constant(code, first, end, spot->statement))
        return;
    SC_AUTO_FREE char *what = sc_spot_text(spot, first, end);
    if (strstr(what, "/proc/") != NULL || strstr(what, "/sys/") != NULL)
        return; /* what the kernel says there is new each time */
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    sc_advise(spot, "repeated_open", spot->percent, what,
              sc_format("opens the same file %s with %s%s each time", what, function, loop),
              sc_strdup("Open or read it once before the loop and pass on what was read."),
              sc_format("nothing in the loop assigns to what %s is made of", what));
}

/* Whether a query asks for what belongs to one item, or writes one. Those that sort, sum or join
 * much have work of their own, unless a value that is put in ("= ?") chooses the rows. */
static bool is_of_one_item(const char *query)
{
    static const char *const verbs[] = {"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE"};
    static const char *const large[] = {"ORDER BY", "SUM(", "AVG(", "COUNT(", "JOIN "};
    static const char *const values[] = {"= ?", "=?",   "= %s", "=%s",   "= :", "=:",   "= {",
                                         "={",  "= '{", "='{",  "= \"{", "= $", "= %d", "= '%s"};
    const char *where = strcasestr(query, "WHERE ");
    bool is_chosen = false;
    bool is_of_rows = false;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        is_of_rows = is_of_rows || strcasestr(query, verbs[i]) != NULL;
    for (size_t i = 0; where != NULL && i < sizeof(values) / sizeof(values[0]); i++)
        is_chosen = is_chosen || strstr(where, values[i]) != NULL;
    if (!is_of_rows || strcasestr(query, "GROUP BY") != NULL ||
        strcasestr(query, "CREATE ") != NULL)
        return false;
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        if (strcasestr(query, large[i]) != NULL)
            return is_chosen;
    }
    return true;
}

/* Whether the text of a query is in sight and asks for what belongs to one item. A query over many
 * rows has work of its own. */
static bool is_small_query(const struct sc_spot *spot, const struct called *called)
{
    const struct sc_code *code = spot->code;
    if (called->first == called->end)
        return true; /* as those of an ORM */
    const struct sc_lexeme *at = &code->lexemes.items[called->first];
    const struct sc_lexeme *last = &code->lexemes.items[called->end - 1];
    for (size_t i = 0; at->kind == SC_LEXEME_NAME && i < code->bindings.count; i++) {
        const struct sc_binding *binding = &code->bindings.items[i];
        if (binding->first < binding->end &&
            sc_intern_length(&code->texts, binding->name) == at->end - at->start &&
            memcmp(sc_intern_text(&code->texts, binding->name), code->text + at->start,
                   at->end - at->start) == 0 &&
            code->lexemes.items[binding->first].kind == SC_LEXEME_STRING) {
            at = &code->lexemes.items[binding->first];
            last = &code->lexemes.items[binding->end - 1];
            break;
        }
    }
    if (at->kind != SC_LEXEME_STRING)
        return sc_ends_with_any(called->name, ".query .scalars");
    SC_AUTO_FREE char *query = sc_strndup(code->text + at->start, last->end - at->start);
    return is_of_one_item(query);
}

/* Whether the loop that repeats a call has few rounds, and no other loop around it. */
static bool has_few_rounds(const struct sc_code *code, const struct sc_repeat *repeat)
{
    for (uint32_t s = 0; s < code->statements.count; s++) {
        const struct sc_statement *at = &code->statements.items[s];
        if (at->first_line == repeat->loop_line && at->kind == SC_STATEMENT_FOR)
            return at->loop == SC_NONE && sc_code_is_short_loop(code, s);
    }
    return false;
}

/* "cursor.execute(...)" in a loop: not where the loop is that of the rows of another query. */
static void find_query(const struct sc_spot *spot, const struct called *called)
{
    static const char methods[] = ".execute .fetchone .query .scalar .objects.get .scalars";
    const struct sc_code *code = spot->code;
    const char *dot = strrchr(called->name, '.');
    if (dot == NULL || dot == called->name || !sc_call_is_one_of(called->name, methods) ||
        !called->repeat.is_repeated)
        return;
    SC_AUTO(sc_str_done) struct sc_str owner = {0};
    sc_str_add_bytes(&owner, called->name, (size_t)(dot - called->name));
    const char *last = sc_after_last(owner.data, '.');
    static const char owners[] = "cursor cur conn connection db session con database c objects";
    bool is_database =
        sc_code_kind_of_name(code, owner.data, spot->statement) == SC_NAME_CONNECTION ||
        sc_call_is_one_of(last, owners);
    if (!is_database || has_few_rounds(code, &called->repeat) || !is_small_query(spot, called))
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    SC_AUTO_FREE char *loop = sc_spot_loop(spot, &called->repeat);
    SC_AUTO_FREE char *key = sc_format("%u", called->repeat.loop_line);
    sc_advise(spot, "query_per_row", spot->percent, key,
              sc_format("asks the database once per item with %s%s", function, loop),
              sc_strdup("Ask once for all items (WHERE ... IN, a JOIN, executemany for writing), "
                        "and look each up in a dict."),
              sc_strdup("each query is parsed, planned and answered on its own"));
}

/* Whether the text sets the level so low that the message is written. */
static bool is_written(const struct sc_code *code, bool is_info)
{
    for (uint32_t i = 0; i < code->lexemes.count; i++) {
        if (sc_code_is_one_of(code, i, "DEBUG \"DEBUG\" 'DEBUG'") ||
            (is_info && sc_code_is_one_of(code, i, "INFO \"INFO\" 'INFO'")))
            return true;
    }
    return false;
}

static void find_logging(const struct sc_spot *spot, const struct called *called)
{
    const struct sc_code *code = spot->code;
    bool is_debug = sc_ends_with(called->name, ".debug");
    bool is_info = sc_ends_with(called->name, ".info");
    if ((!is_debug && !is_info) || called->first == called->end)
        return;
    SC_AUTO(sc_str_done) struct sc_str owner = {0};
    sc_str_add_bytes(&owner, called->name, (size_t)(strrchr(called->name, '.') - called->name));
    const char *last = sc_after_last(sc_str_text(&owner), '.');
    static const char owners[] = "logging logger log LOG LOGGER _logger _log";
    bool is_logger =
        sc_call_is_one_of(last, owners) ||
        sc_code_kind_of_name(code, sc_str_text(&owner), spot->statement) == SC_NAME_LOGGER;
    const struct sc_lexeme *first = &code->lexemes.items[called->first];
    const char *prefix = code->text + first->start;
    bool is_formatted =
        first->kind == SC_LEXEME_STRING && strcspn(prefix, "fF'\"") < strcspn(prefix, "'\"");
    for (uint32_t i = called->first; i < called->end; i = sc_code_step(code, i))
        is_formatted = is_formatted || sc_code_is_one_of(code, i, "% format +");
    uint32_t second = 0;
    uint32_t end = 0;
    bool has_call = sc_code_argument(code, called->call, 1, NULL, &second, &end);
    for (bool any = false; has_call && second < end; second++) {
        any = any || sc_code_is(code, second, "(");
        if (second + 1 == end)
            has_call = any;
    }
    if (!is_logger || (!is_formatted && !has_call) || is_written(code, is_info) ||
        sc_spot_callee_percent(spot, log_writers) > 0.2 * spot->percent)
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    sc_advise(spot, "logging_format", spot->percent, function,
              sc_format("makes the text of a message for %s, though it is not written", function),
              is_formatted
                  ? sc_format("Pass the values as arguments (%s(\"...%%s\", value)), which are put "
                              "into the text only when it is written.",
                              function)
                  : sc_strdup("Ask logger.isEnabledFor(...) before what is costly is computed."),
              sc_strdup("nothing below this line writes a message, and the text is made before the "
                        "level is looked at"));
}

static void find_iterrows(const struct sc_spot *spot, const struct called *called)
{
    const struct sc_code *code = spot->code;
    uint32_t first = 0;
    uint32_t end = 0;
    bool is_rows = sc_ends_with_any(called->name, ".iterrows .itertuples");
    bool is_apply = sc_ends_with(called->name, ".apply") &&
                    sc_code_argument(code, called->call, 0, "axis", &first, &end) &&
                    sc_code_is_one_of(code, first, "1 \"columns\" 'columns'");
    if (!is_rows && !is_apply)
        return;
    SC_AUTO_FREE char *function = callee_text(spot, called);
    sc_advise(spot, "iterrows", spot->percent, function,
              sc_format("goes over a DataFrame row by row with %s, which makes an object for each",
                        function),
              sc_strdup("Work on whole columns (df[\"a\"] * df[\"b\"], numpy.where, groupby), or "
                        "on lists of the few columns that are needed (zip of .tolist())."),
              sc_strdup("a row of a DataFrame is made of values of all its columns when it is "
                        "asked for"));
}

void sc_advise_calls(const struct sc_spot *spot)
{
    static void (*const rules[])(const struct sc_spot *, const struct called *) = {
        find_deepcopy,     find_strptime, find_parse, find_eval,    find_regex,
        find_scalar_numpy, find_open,     find_query, find_logging, find_iterrows,
    };
    const struct sc_code *code = spot->code;
    SC_EACH_CALL(call, code, spot->statement) {
        struct called called = {
            .call = call,
            .name = sc_code_call_name(code, call),
            .repeat = sc_code_repeat(code, spot->statement, call->open),
        };
        (void)sc_code_argument(code, call, 0, NULL, &called.first, &called.end);
        for (size_t k = 0; k < sizeof(rules) / sizeof(rules[0]); k++)
            rules[k](spot, &called);
    }
}
