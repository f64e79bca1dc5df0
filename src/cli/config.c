/*
 * cli/config.c - options of `scalene run` from a YAML file.
 *
 * A file is one flat mapping, so it is read as libyaml's events, whose marks give the line of every
 * mistake.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/config.h"

#include <string.h>
#include <yaml.h>

#include "base/io.h"
#include "base/str.h"

#define CONFIG_BYTES_MAX (1 << 20)

struct config {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; owned */
    bool has_event;
    const char *path;
    struct sc_values *values;
    bool seen[SC_OPT_COUNT_];
    struct sc_err *err;
};

static bool next(struct config *config)
{
    if (config->has_event)
        yaml_event_delete(&config->event);
    config->has_event = yaml_parser_parse(&config->parser, &config->event) != 0;
    if (config->has_event)
        return true;
    const yaml_parser_t *parser = &config->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: not valid YAML: %s", config->path,
                   parser->problem_mark.line + 1, problem);
}

static size_t line_of(const struct config *config)
{
    return config->event.start_mark.line + 1;
}

static const char *name_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return "a single value";
    case YAML_SEQUENCE_START_EVENT:
        return "a list";
    case YAML_MAPPING_START_EVENT:
        return "a mapping";
    case YAML_ALIAS_EVENT:
        return "an alias";
    default:
        return "something else";
    }
}

static const char *scalar(const struct config *config)
{
    return (const char *)config->event.data.scalar.value;
}

/* A scalar whose bytes end at the first NUL would not be what was written. */
static bool is_whole(const struct config *config)
{
    return strlen(scalar(config)) == config->event.data.scalar.length;
}

static bool is_null(const struct config *config)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (config->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(scalar(config), words[i]) == 0)
            return true;
    return false;
}

/* The option a key means, or SC_OPT_COUNT_. "output" is the original's other name of outfile. */
static enum sc_option_id option_of(const char *key)
{
    if (strcmp(key, "output") == 0)
        return SC_OPT_OUTFILE;
    for (int id = 0; id < SC_OPT_COUNT_; id++) {
        const struct sc_option *option = &sc_options[id];
        if (option->verb != SC_VERB_RUN || (option->traits & SC_TRAIT_NO_CONFIG) != 0)
            continue;
        size_t i = 0;
        while (key[i] != '\0' && (key[i] == '_' ? '-' : key[i]) == option->name[i])
            i++;
        if (key[i] == '\0' && option->name[i] == '\0')
            return (enum sc_option_id)id;
    }
    return SC_OPT_COUNT_;
}

static bool read_key(struct config *config, char **ret_key, enum sc_option_id *ret_id)
{
    if (config->event.type != YAML_SCALAR_EVENT || !is_whole(config))
        return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: a key must be the name of an option",
                       config->path, line_of(config));
    const char *key = scalar(config);
    enum sc_option_id id = option_of(key);
    if (id == SC_OPT_COUNT_) {
        SC_AUTO_FREE char *dashed = sc_format("--%s", key);
        for (char *letter = dashed; *letter != '\0'; letter++)
            if (*letter == '_')
                *letter = '-';
        const char *meant = sc_option_suggest(SC_VERB_RUN, dashed);
        if (meant != NULL && option_of(meant) == SC_OPT_COUNT_)
            meant = NULL; /* on the command line only */
        return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: there is no option '%.100s'%s%s",
                       config->path, line_of(config), key, meant != NULL ? "; did you mean " : "",
                       meant != NULL ? meant : "");
    }
    if (config->seen[id])
        return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: '%s' is given twice", config->path,
                       line_of(config), key);
    config->seen[id] = true;
    *ret_key = sc_strdup(key);
    *ret_id = id;
    return true;
}

static bool wrong_type(struct config *config, const char *key, enum sc_option_id id)
{
    static const char *const wanted[] = {
        [SC_ARG_ACTION] = "true or false",  [SC_ARG_FLAG] = "true or false",
        [SC_ARG_SWITCH] = "true or false",  [SC_ARG_PATH] = "a path",
        [SC_ARG_TEXT] = "a text",           [SC_ARG_LIST] = "a list of texts",
        [SC_ARG_NUMBER] = "a number",       [SC_ARG_COUNT] = "a whole number",
        [SC_ARG_ITEMS] = "a list of texts",
    };
    return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: '%s' must be %s, not %s", config->path,
                   line_of(config), key, wanted[sc_options[id].kind], name_of(&config->event));
}

static bool read_list(struct config *config, const char *key, enum sc_option_id id)
{
    for (;;) {
        if (!next(config))
            return false;
        if (config->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        if (config->event.type != YAML_SCALAR_EVENT || !is_whole(config))
            return wrong_type(config, key, id);
        if (!is_null(config))
            sc_value_add_item(config->values, id, scalar(config), SC_FROM_CONFIG);
    }
}

static bool read_value(struct config *config, const char *key, enum sc_option_id id)
{
    bool is_list = sc_options[id].kind == SC_ARG_LIST || sc_options[id].kind == SC_ARG_ITEMS;
    if (config->event.type == YAML_SEQUENCE_START_EVENT && is_list)
        return read_list(config, key, id);
    if (config->event.type != YAML_SCALAR_EVENT || !is_whole(config))
        return wrong_type(config, key, id);
    if (is_null(config))
        return true; /* "key:" with nothing behind it leaves the default */
    SC_AUTO_FREE char *place = sc_format("%s:%zu: %s", config->path, line_of(config), key);
    return sc_value_set(config->values, id, scalar(config), SC_FROM_CONFIG, place, config->err);
}

static bool read_mapping(struct config *config)
{
    for (;;) {
        if (!next(config))
            return false;
        if (config->event.type == YAML_MAPPING_END_EVENT)
            return true;
        SC_AUTO_FREE char *key = NULL;
        enum sc_option_id id = SC_OPT_COUNT_;
        if (!read_key(config, &key, &id) || !next(config) || !read_value(config, key, id))
            return false;
    }
}

/* stream start, then nothing at all, or one document that is null or a mapping */
static bool read_stream(struct config *config)
{
    if (!next(config) || !next(config))
        return false;
    if (config->event.type == YAML_STREAM_END_EVENT)
        return true;
    if (!next(config)) /* behind the document's start */
        return false;
    if (config->event.type == YAML_MAPPING_START_EVENT) {
        if (!read_mapping(config))
            return false;
    } else if (config->event.type != YAML_SCALAR_EVENT || !is_null(config)) {
        return sc_fail(config->err, SC_ERR_FAILED,
                       "%s:%zu: must hold options as 'name: value' lines, not %s", config->path,
                       line_of(config), name_of(&config->event));
    }
    if (!next(config) || !next(config)) /* the document's end, and what is behind it */
        return false;
    if (config->event.type != YAML_STREAM_END_EVENT)
        return sc_fail(config->err, SC_ERR_FAILED, "%s:%zu: only one document is allowed",
                       config->path, line_of(config));
    return true;
}

bool sc_config_parse(const char *text, size_t length, const char *path, struct sc_values *values,
                     struct sc_err *err)
{
    struct config config = {.path = path, .values = values, .err = err};
    if (yaml_parser_initialize(&config.parser) == 0)
        return sc_fail(err, SC_ERR_FAILED, "%s: no memory for the YAML parser", path);
    yaml_parser_set_input_string(&config.parser, (const unsigned char *)text, length);
    bool good = read_stream(&config);
    if (config.has_event)
        yaml_event_delete(&config.event);
    yaml_parser_delete(&config.parser);
    return good;
}

bool sc_config_read(const char *path, struct sc_values *values, struct sc_err *err)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    return sc_read_file(path, CONFIG_BYTES_MAX, &text, err) &&
           sc_config_parse(sc_str_text(&text), text.length, path, values, err);
}
