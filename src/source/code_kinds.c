/*
 * source/code_kinds.c - what a name holds, as far as the assignments in the text agree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/code.h"
#include "source/code_parts.h"

/* Names are followed through as many other names, calls and returns. */
#define DEPTH_MAX 5

/* And no more bindings and calls are looked at: the text may have thousands of one name. */
#define STEPS_MAX 200000

struct search {
    const struct sc_code *code;
    unsigned depth;
    unsigned long steps;
    struct {
        uint32_t name, scope;
    } active[DEPTH_MAX + 1]; /* names whose kind is being found: what they add to is themselves */
    unsigned active_count;
};

static enum sc_name_kind kind_of_value(struct search *search, uint32_t first, uint32_t end,
                                       uint32_t statement);
static enum sc_name_kind kind_of_name(struct search *search, const char *name, uint32_t statement);

/* Two assignments to one name. */
static enum sc_name_kind agree(enum sc_name_kind left, enum sc_name_kind right)
{
    if (left == SC_NAME_NONE || left == right)
        return right;
    return right == SC_NAME_NONE ? left : SC_NAME_UNKNOWN;
}

/* Names, divided by blanks, that make a value of one kind. */
struct known_names {
    enum sc_name_kind kind;
    const char *names;
};

static const struct known_names makers[] = {
    {SC_NAME_LIST, "list sorted typing.List List"},
    {SC_NAME_SET, "set frozenset typing.Set"},
    {SC_NAME_DICT, "dict typing.Dict collections.defaultdict collections.OrderedDict"
                   " collections.Counter"},
    {SC_NAME_TUPLE, "tuple"},
    {SC_NAME_STR, "str repr json.dumps"},
    {SC_NAME_BYTES, "bytes"},
    {SC_NAME_NUMBER, "int float len sum abs"},
    {SC_NAME_OTHER, "range bytearray compile"},
    {SC_NAME_DEQUE, "collections.deque"},
    {SC_NAME_REGEX, "re.compile re.Pattern"},
    {SC_NAME_LOGGER, "logging.getLogger logging.Logger"},
    {SC_NAME_LOCK, "threading.Lock threading.RLock threading.Semaphore"
                   " threading.BoundedSemaphore threading.Condition multiprocessing.Lock"},
    {SC_NAME_ASYNC_LOCK, "asyncio.Lock asyncio.Semaphore asyncio.BoundedSemaphore"},
    {SC_NAME_FILE, "open"},
    {SC_NAME_CONNECTION, "sqlite3.connect psycopg2.connect pymysql.connect"},
    {SC_NAME_ARRAY, "numpy.ndarray numpy.array numpy.asarray numpy.zeros numpy.ones"
                    " numpy.empty numpy.full numpy.arange numpy.linspace numpy.append"
                    " numpy.concatenate"},
    {SC_NAME_FRAME, "pandas.DataFrame pandas.read_csv pandas.read_parquet pandas.concat"
                    " pandas.merge"},
    {SC_NAME_LOADER, "torch.utils.data.DataLoader"},
};

/* The methods whose result says what it is, whatever they are called on. */
static const struct known_names methods[] = {
    {SC_NAME_LIST, ".split .splitlines .readlines .rsplit .tolist"},
    {SC_NAME_STR, ".join .strip .lower .upper .read_text .decode .hexdigest .format"},
    {SC_NAME_BYTES, ".encode .read_bytes"},
    {SC_NAME_CONNECTION, ".cursor"},
};

static enum sc_name_kind kind_of_known(const struct known_names *known, size_t count,
                                       const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (sc_is_among(name, known[i].names))
            return known[i].kind;
    return SC_NAME_UNKNOWN;
}

static enum sc_name_kind kind_of_maker(const char *name)
{
    return kind_of_known(makers, sizeof(makers) / sizeof(makers[0]), name);
}

static enum sc_name_kind kind_of_method(const char *name)
{
    const char *last = strrchr(name, '.');
    return last != NULL ? kind_of_known(methods, sizeof(methods) / sizeof(methods[0]), last)
                        : SC_NAME_UNKNOWN;
}

/* What all "return" statements of a function give. */
static enum sc_name_kind kind_of_result(struct search *search, uint32_t function)
{
    const struct sc_code *code = search->code;
    const struct sc_statement *header = &code->statements.items[function];
    enum sc_name_kind kind = SC_NAME_NONE;
    if (header->is_async)
        return SC_NAME_UNKNOWN;
    for (uint32_t i = function + 1; i < header->block_end && i < code->statements.count; i++) {
        const struct sc_statement *each = &code->statements.items[i];
        if (each->function != function)
            continue;
        if (sc_code_is(code, each->first, "yield"))
            return SC_NAME_UNKNOWN;
        if (sc_code_is(code, each->first, "return") && each->end > each->first + 1)
            kind = agree(kind, kind_of_value(search, each->first + 1, each->end, i));
        if (kind == SC_NAME_UNKNOWN)
            break;
    }
    return kind == SC_NAME_NONE ? SC_NAME_UNKNOWN : kind;
}

/* The only function or class of a name, the one of methods too: the part behind the last dot. */
static uint32_t definition_of(struct search *search, const char *name)
{
    const struct sc_code *code = search->code;
    const char *last = strrchr(name, '.');
    bool is_method = last != NULL;
    const char *part = is_method ? last + 1 : name;
    uint32_t id = sc_intern_find(&code->texts, part, strlen(part));
    uint32_t found = SC_NONE;
    for (uint32_t i = 0; id != SC_NONE && i < code->statements.count; i++) {
        const struct sc_statement *each = &code->statements.items[i];
        search->steps++;
        if ((each->kind != SC_STATEMENT_DEF && each->kind != SC_STATEMENT_CLASS) ||
            sc_code_name_of(code, i) != id)
            continue;
        if (is_method != (each->class_statement != SC_NONE && each->kind == SC_STATEMENT_DEF))
            continue;
        if (found != SC_NONE)
            return SC_NONE;
        found = i;
    }
    return found;
}

static enum sc_name_kind kind_of_call(struct search *search, const struct sc_call *call)
{
    const struct sc_code *code = search->code;
    const char *name = sc_code_call_name(code, call);
    enum sc_name_kind kind = kind_of_maker(name);
    if (kind != SC_NAME_UNKNOWN)
        return kind;
    if (strncmp(name, "numpy.random.", 13) == 0 || strncmp(name, "cupy.", 5) == 0)
        return SC_NAME_UNKNOWN; /* numbers or arrays, by their arguments */
    uint32_t definition = definition_of(search, name);
    if (definition != SC_NONE)
        return code->statements.items[definition].kind == SC_STATEMENT_CLASS
                   ? SC_NAME_OTHER
                   : kind_of_result(search, definition);
    return kind_of_method(name);
}

static enum sc_name_kind kind_of_display(const struct sc_code *code, uint32_t first, uint32_t end)
{
    if (sc_code_is(code, first, "["))
        return SC_NAME_LIST;
    if (sc_code_is(code, first, "(")) {
        for (uint32_t i = first + 1; i + 1 < end; i = sc_code_step(code, i)) {
            if (sc_code_is(code, i, ","))
                return SC_NAME_TUPLE;
            if (sc_code_is(code, i, "for"))
                return SC_NAME_OTHER;
        }
        return end == first + 2 ? SC_NAME_TUPLE : SC_NAME_UNKNOWN;
    }
    for (uint32_t i = first + 1; i + 1 < end; i = sc_code_step(code, i)) {
        if (sc_code_is_one_of(code, i, ": **"))
            return SC_NAME_DICT;
        if (sc_code_is(code, i, ","))
            return SC_NAME_SET;
    }
    return end == first + 2 ? SC_NAME_DICT : SC_NAME_SET;
}

static enum sc_name_kind kind_of_string(const struct sc_code *code, uint32_t first)
{
    const struct sc_lexeme *at = &code->lexemes.items[first];
    for (size_t i = at->start; i < at->end && code->text[i] != '"' && code->text[i] != '\''; i++) {
        if (code->text[i] == 'b' || code->text[i] == 'B')
            return SC_NAME_BYTES;
    }
    return SC_NAME_STR;
}

/* Where the operand that begins at the lexeme ends: behind its calls, attributes and indices. */
static uint32_t operand_end(const struct sc_code *code, uint32_t first, uint32_t end)
{
    uint32_t at = sc_code_step(code, first);
    while (at < end && code->lexemes.items[first].kind == SC_LEXEME_STRING &&
           code->lexemes.items[at].kind == SC_LEXEME_STRING)
        at++;
    while (at < end) {
        if (sc_code_is(code, at, "."))
            at += 2;
        else if (sc_code_is_one_of(code, at, "( ["))
            at = sc_code_step(code, at);
        else
            break;
    }
    return at < end ? at : end;
}

static enum sc_name_kind kind_of_operand(struct search *search, uint32_t first, uint32_t end,
                                         uint32_t statement)
{
    const struct sc_code *code = search->code;
    const struct sc_lexeme *at = &code->lexemes.items[first];
    uint32_t match = code->matches.items[first];
    if (sc_code_is(code, end - 1, ")") && code->matches.items[end - 1] > first &&
        code->matches.items[end - 1] != SC_NONE) {
        uint32_t call = sc_code_call_at(code, code->matches.items[end - 1]);
        return call != SC_NONE ? kind_of_call(search, &code->calls.items[call]) : SC_NAME_UNKNOWN;
    }
    if (match != SC_NONE && match == end - 1)
        return kind_of_display(code, first, end);
    if (at->kind == SC_LEXEME_STRING)
        return sc_code_is(code, end - 1, "]") ? SC_NAME_UNKNOWN : kind_of_string(code, first);
    if (at->kind == SC_LEXEME_NUMBER)
        return SC_NAME_NUMBER;
    if (sc_code_is(code, first, "None"))
        return SC_NAME_NONE;
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    uint32_t stop = 0;
    enum sc_name_kind kind = SC_NAME_UNKNOWN;
    if (sc_code_dotted(code, first, code->statements.items[statement].function, &name, &stop) &&
        stop == end)
        kind = kind_of_name(search, name.data, statement);
    return kind;
}

static enum sc_name_kind kind_of_value(struct search *search, uint32_t first, uint32_t end,
                                       uint32_t statement)
{
    const struct sc_code *code = search->code;
    if (first >= end || search->depth >= DEPTH_MAX || ++search->steps > STEPS_MAX)
        return SC_NAME_UNKNOWN;
    while (end > first + 2 && sc_code_is(code, first, "(") &&
           code->matches.items[first] == end - 1 &&
           kind_of_display(code, first, end) == SC_NAME_UNKNOWN) {
        first++;
        end--;
    }
    search->depth++;
    uint32_t stop = operand_end(code, first, end);
    enum sc_name_kind kind = kind_of_operand(search, first, stop, statement);
    search->depth--;
    if (stop == end)
        return kind;
    uint32_t last = 0;
    bool joins = sc_code_is_one_of(code, stop, "+ * %");
    bool is_sequence = kind == SC_NAME_NONE || kind == SC_NAME_LIST || kind == SC_NAME_STR ||
                       kind == SC_NAME_BYTES || kind == SC_NAME_ARRAY;
    for (uint32_t i = stop; i < end; i = sc_code_step(code, i)) {
        if (sc_code_is_one_of(code, i, "if or and == in"))
            return SC_NAME_UNKNOWN;
        if (sc_code_is(code, i, "+"))
            last = i + 1;
    }
    /* "x = y + x" says no more of x than what else is assigned to it */
    if (kind == SC_NAME_UNKNOWN && last != 0 && last < end && search->active_count > 0)
        return kind_of_value(search, last, end, statement) == SC_NAME_NONE ? SC_NAME_NONE : kind;
    return joins && is_sequence ? kind : SC_NAME_UNKNOWN;
}

static enum sc_name_kind kind_of_annotation(const struct sc_code *code,
                                            const struct sc_binding *binding)
{
    uint32_t first = binding->first;
    SC_AUTO(sc_str_done) struct sc_str name = {0};
    enum sc_name_kind kind = SC_NAME_UNKNOWN;
    if (sc_code_is(code, first, "Optional") && sc_code_is(code, first + 1, "["))
        first += 2;
    if (first < binding->end && sc_code_dotted(code, first, binding->scope, &name, NULL))
        kind = kind_of_maker(name.data);
    if (kind == SC_NAME_UNKNOWN && name.data != NULL && strcmp(name.data, "bool") == 0)
        kind = SC_NAME_NUMBER;
    return kind;
}

/* What the calls in the text pass for a parameter. */
static enum sc_name_kind kind_of_parameter(struct search *search,
                                           const struct sc_binding *parameter)
{
    const struct sc_code *code = search->code;
    uint32_t id = sc_code_name_of(code, parameter->statement);
    const struct sc_statement *header = &code->statements.items[parameter->statement];
    if (id == SC_NONE)
        return SC_NAME_UNKNOWN;
    const char *function = sc_intern_text(&code->texts, id);
    if (strcmp(function, "__init__") == 0 && header->class_statement != SC_NONE) {
        id = sc_code_name_of(code, header->class_statement);
        function = id != SC_NONE ? sc_intern_text(&code->texts, id) : "";
    }
    enum sc_name_kind kind = SC_NAME_NONE;
    SC_EACH(const struct sc_call, call, &code->calls) {
        const char *name = sc_code_call_name(code, call);
        search->steps++;
        if (strcmp(sc_after_last(name, '.'), function) != 0)
            continue;
        uint32_t first = 0;
        uint32_t end = 0;
        if (sc_code_passed(code, call, parameter, &first, &end))
            kind = agree(kind, kind_of_value(search, first, end, call->statement));
        else if (parameter->first == parameter->end)
            return SC_NAME_UNKNOWN;
        if (kind == SC_NAME_UNKNOWN)
            return kind;
    }
    if (parameter->first < parameter->end)
        kind = agree(kind,
                     kind_of_value(search, parameter->first, parameter->end, parameter->statement));
    return kind == SC_NAME_NONE ? SC_NAME_UNKNOWN : kind;
}

static enum sc_name_kind kind_of_binding(struct search *search, const struct sc_binding *binding)
{
    if (binding->first >= binding->end && !binding->is_parameter)
        return SC_NAME_UNKNOWN;
    if (binding->is_annotation)
        return kind_of_annotation(search->code, binding);
    if (binding->is_parameter)
        return kind_of_parameter(search, binding);
    return kind_of_value(search, binding->first, binding->end, binding->statement);
}

/* Whether a binding is one of the name in a scope; attributes: of any class where the class is not
 * known. */
static bool is_of(const struct sc_binding *binding, uint32_t name, uint32_t scope,
                  bool is_attribute)
{
    return binding->name == name && (binding->scope == scope || (is_attribute && scope == SC_NONE));
}

static enum sc_name_kind kind_in_scope(struct search *search, uint32_t name, uint32_t scope,
                                       bool is_attribute, bool *ret_found)
{
    const struct sc_code *code = search->code;
    enum sc_name_kind kind = SC_NAME_NONE;
    for (unsigned i = 0; i < search->active_count; i++) {
        if (search->active[i].name == name && search->active[i].scope == scope) {
            *ret_found = true;
            return SC_NAME_NONE;
        }
    }
    if (search->active_count > DEPTH_MAX)
        return SC_NAME_UNKNOWN;
    search->active[search->active_count].name = name;
    search->active[search->active_count++].scope = scope;
    search->depth++;
    for (size_t i = 0; i < code->bindings.count && search->steps < STEPS_MAX; i++) {
        const struct sc_binding *binding = &code->bindings.items[i];
        search->steps++;
        if (binding->is_change || !is_of(binding, name, scope, is_attribute))
            continue;
        *ret_found = true;
        enum sc_name_kind here =
            search->depth < DEPTH_MAX ? kind_of_binding(search, binding) : SC_NAME_UNKNOWN;
        kind = agree(kind, here);
        if (kind == SC_NAME_UNKNOWN)
            break;
        /* what is annotated is not in need of more */
        if (binding->is_annotation)
            break;
    }
    search->depth--;
    search->active_count--;
    return kind == SC_NAME_NONE ? SC_NAME_UNKNOWN : kind;
}

static enum sc_name_kind kind_of_name(struct search *search, const char *name, uint32_t statement)
{
    const struct sc_code *code = search->code;
    const struct sc_statement *at = &code->statements.items[statement];
    const char *dot = strchr(name, '.');
    bool found = false;
    if (dot != NULL && strchr(dot + 1, '.') == NULL) {
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        sc_str_add(&text, "self");
        sc_str_add(&text, dot);
        uint32_t id = sc_intern_find(&code->texts, text.data, text.length);
        bool is_self = strncmp(name, "self.", 5) == 0;
        return id != SC_NONE ? kind_in_scope(search, id, is_self ? at->class_statement : SC_NONE,
                                             true, &found)
                             : SC_NAME_UNKNOWN;
    }
    uint32_t id = sc_intern_find(&code->texts, name, strlen(name));
    if (id == SC_NONE || dot != NULL)
        return SC_NAME_UNKNOWN;
    uint32_t scope = at->kind == SC_STATEMENT_DEF ? statement : at->function;
    for (;;) {
        enum sc_name_kind kind = kind_in_scope(search, id, scope, false, &found);
        if (found || scope == SC_NONE)
            return kind;
        scope = code->statements.items[scope].function;
    }
}

enum sc_name_kind sc_code_kind(const struct sc_code *code, uint32_t first, uint32_t end,
                               uint32_t statement)
{
    struct search search = {.code = code};
    return kind_of_value(&search, first, end, statement);
}

enum sc_name_kind sc_code_kind_of_name(const struct sc_code *code, const char *name,
                                       uint32_t statement)
{
    struct search search = {.code = code};
    return kind_of_name(&search, name, statement);
}

/* Whether the text has name.append(, .extend( or .insert(, or name += . */
static bool is_appended_to(const struct sc_code *code, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < code->calls.count; i++) {
        const char *call = sc_code_call_name(code, &code->calls.items[i]);
        if (strncmp(call, name, length) == 0 &&
            (strcmp(call + length, ".append") == 0 || strcmp(call + length, ".extend") == 0 ||
             strcmp(call + length, ".insert") == 0))
            return true;
    }
    SC_EACH(const struct sc_statement, each, &code->statements) {
        SC_AUTO(sc_str_done) struct sc_str target = {0};
        uint32_t end = 0;
        bool is_name = sc_code_dotted(code, each->first, each->function, &target, &end);
        bool is_same = is_name && strcmp(target.data, name) == 0 && sc_code_is(code, end, "+=");
        if (is_same)
            return true;
    }
    return false;
}

uint32_t sc_code_items(const struct sc_code *code, uint32_t first, uint32_t end)
{
    uint32_t items = 1;
    if (first >= end || code->matches.items[first] != end - 1)
        return 0;
    for (uint32_t k = first + 1; k + 1 < end; k = sc_code_step(code, k)) {
        if (sc_code_is_one_of(code, k, "for *"))
            return 0;
        items += sc_code_is(code, k, ",");
    }
    return items;
}

bool sc_code_is_small(const struct sc_code *code, const char *name, uint32_t statement)
{
    (void)statement;
    uint32_t id = sc_intern_find(&code->texts, name, strlen(name));
    bool any = false;
    for (size_t i = 0; id != SC_NONE && i < code->bindings.count; i++) {
        const struct sc_binding *binding = &code->bindings.items[i];
        if (binding->name != id || binding->is_change)
            continue;
        any = true;
        if (binding->first >= binding->end || binding->is_annotation || binding->is_parameter)
            return false;
        uint32_t items = sc_code_items(code, binding->first, binding->end);
        if (items == 0 || items > SC_CODE_SMALL_MAX)
            return false;
    }
    return any && !is_appended_to(code, name);
}
