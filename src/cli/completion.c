/*
 * cli/completion.c - completion scripts for shells, made from the table of options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/completion.h"

#include <string.h>

#include "cli/options.h"

/* What shells should offer behind a command or as the value of an option. */
static const char *operands(enum sc_verb verb)
{
    switch (verb) {
    case SC_VERB_RUN:
    case SC_VERB_VIEW:
    case SC_VERB_OPTIMIZE:
        return "FILES";
    case SC_VERB_COMPLETION:
        return "bash zsh fish";
    case SC_VERB_PROFILE:
    case SC_VERB_GPU_MODES:
    case SC_VERB_DOCTOR:
    case SC_VERB_SELFTEST:
        return "";
    default:
        return "COMMANDS";
    }
}

static void add_verbs(struct sc_str *text)
{
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++)
        sc_str_add_format(text, "%s%s", verb > SC_VERB_TOP + 1 ? " " : "", sc_verb_names[verb]);
}

static void add_operands(enum sc_verb verb, struct sc_str *text)
{
    if (strcmp(operands(verb), "COMMANDS") == 0)
        add_verbs(text);
    else
        sc_str_add(text, operands(verb));
}

static bool is_offered(enum sc_option_id id, enum sc_verb verb)
{
    return sc_options[id].verb == verb && sc_options[id].group != SC_GROUP_HIDDEN;
}

static void add_bash_options(struct sc_str *text, enum sc_verb verb)
{
    for (int i = 0; i < SC_OPT_COUNT_; i++) {
        enum sc_option_id id = (enum sc_option_id)i;
        if (!is_offered(id, verb))
            continue;
        const struct sc_option *option = &sc_options[id];
        if (option->short_name != 0)
            sc_str_add_format(text, "-%c ", option->short_name);
        sc_str_add_format(text, "--%s ", option->name);
        if (option->kind == SC_ARG_SWITCH)
            sc_str_add_format(text, "--no-%s ", option->name);
    }
}

/* "-o|--outfile|" and so on, of those whose value is a path or is not. */
static void add_bash_pattern(struct sc_str *text, bool paths)
{
    bool any = false;
    for (int id = 0; id < SC_OPT_COUNT_; id++) {
        const struct sc_option *option = &sc_options[id];
        if (!sc_option_takes_value((enum sc_option_id)id) || option->group == SC_GROUP_HIDDEN ||
            (option->kind == SC_ARG_PATH) != paths)
            continue;
        sc_str_add_format(text, "%s--%s", any ? "|" : "", option->name);
        if (option->short_name != 0)
            sc_str_add_format(text, "|-%c", option->short_name);
        any = true;
    }
}

static void add_bash(struct sc_str *text)
{
    sc_str_add(text, "# bash completion for scalene; made by: scalene completion bash\n"
                     "_scalene() {\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    local options= operands=\n"
                     "    COMPREPLY=()\n"
                     "    case $COMP_CWORD:${COMP_WORDS[1]} in\n"
                     "    1:*) options='");
    add_bash_options(text, SC_VERB_TOP);
    sc_str_add(text, "' operands='");
    add_verbs(text);
    sc_str_add(text, "' ;;\n");
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++) {
        sc_str_add_format(text, "    *:%s) options='", sc_verb_names[verb]);
        add_bash_options(text, (enum sc_verb)verb);
        sc_str_add(text, "' operands='");
        add_operands((enum sc_verb)verb, text);
        sc_str_add(text, "' ;;\n");
    }
    sc_str_add(text, "    *) return ;;\n    esac\n    case $before in\n    ");
    add_bash_pattern(text, true);
    sc_str_add(text, ") operands=FILES options= ;;\n    ");
    add_bash_pattern(text, false);
    sc_str_add(text, ") return ;;\n"
                     "    esac\n"
                     "    if [[ $word == -* ]]; then\n"
                     "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                     "    elif [[ $operands == FILES ]]; then\n"
                     "        compopt -o filenames 2>/dev/null\n"
                     "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                     "    else\n"
                     "        COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
                     "    fi\n"
                     "}\n"
                     "complete -F _scalene scalene\n");
}

/* Help as one word in single quotes; what means something to the shell is left out or escaped. */
static void add_quoted(struct sc_str *text, const char *words, const char *escaped)
{
    for (; *words != '\0'; words++) {
        if (*words == '\'') {
            sc_str_add(text, "'\\''");
            continue;
        }
        if (strchr(escaped, *words) != NULL)
            sc_str_add_char(text, '\\');
        sc_str_add_char(text, *words);
    }
}

static void add_zsh_option(struct sc_str *text, enum sc_option_id id)
{
    const struct sc_option *option = &sc_options[id];
    const char *names[3] = {NULL};
    SC_AUTO_FREE char *letter = sc_format("-%c", option->short_name);
    SC_AUTO_FREE char *name =
        sc_format("--%s%s", option->name, sc_option_takes_value(id) ? "=" : "");
    SC_AUTO_FREE char *negated = sc_format("--no-%s", option->name);
    names[0] = name;
    names[1] = option->short_name != 0 ? letter : NULL;
    names[2] = option->kind == SC_ARG_SWITCH ? negated : NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i] == NULL)
            continue;
        sc_str_add_format(text, "        '%s[", names[i]);
        add_quoted(text, option->help, "[]\\:");
        sc_str_add_char(text, ']');
        if (sc_option_takes_value(id))
            sc_str_add_format(text, ":%s:%s", option->metavar,
                              option->kind == SC_ARG_PATH ? "_files" : "");
        sc_str_add(text, "' \\\n");
    }
}

static void add_zsh_options(struct sc_str *text, enum sc_verb verb)
{
    for (int id = 0; id < SC_OPT_COUNT_; id++)
        if (is_offered((enum sc_option_id)id, verb))
            add_zsh_option(text, (enum sc_option_id)id);
}

static void add_zsh_verb(struct sc_str *text, enum sc_verb verb)
{
    sc_str_add_format(text, "    %s) _arguments \\\n", sc_verb_names[verb]);
    add_zsh_options(text, verb);
    if (strcmp(operands(verb), "FILES") == 0) {
        sc_str_add(text, "        '*:file:_files' ;;\n");
        return;
    }
    sc_str_add(text, "        '1:word:(");
    add_operands(verb, text);
    sc_str_add(text, ")' ;;\n");
}

static void add_zsh(struct sc_str *text)
{
    sc_str_add(text, "#compdef scalene\n"
                     "# zsh completion for scalene; made by: scalene completion zsh\n"
                     "_scalene() {\n"
                     "    if (( CURRENT == 2 )) && [[ $PREFIX == -* ]]; then\n"
                     "        _arguments \\\n");
    add_zsh_options(text, SC_VERB_TOP);
    sc_str_add(text, "        && return\n"
                     "    elif (( CURRENT == 2 )); then\n"
                     "        local -a commands=(\n");
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++) {
        sc_str_add_format(text, "            '%s:", sc_verb_names[verb]);
        add_quoted(text, sc_verb_summaries[verb], ":\\");
        sc_str_add(text, "'\n");
    }
    sc_str_add(text, "        )\n"
                     "        _describe command commands\n"
                     "        return\n"
                     "    fi\n"
                     "    local verb=$words[2]\n"
                     "    shift words\n"
                     "    (( CURRENT-- ))\n"
                     "    case $verb in\n");
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++)
        add_zsh_verb(text, (enum sc_verb)verb);
    sc_str_add(text, "    esac\n"
                     "}\n"
                     "if [[ $funcstack[1] == _scalene ]]; then\n"
                     "    _scalene \"$@\"\n"
                     "else\n"
                     "    compdef _scalene scalene\n"
                     "fi\n");
}

/* In quotes, where fish knows two escapes. */
static void add_fish_text(struct sc_str *text, const char *words)
{
    sc_str_add_char(text, '\'');
    for (; *words != '\0'; words++)
        sc_str_add_format(text, *words == '\'' || *words == '\\' ? "\\%c" : "%c", *words);
    sc_str_add_char(text, '\'');
}

static void add_fish_option(struct sc_str *text, enum sc_option_id id)
{
    const struct sc_option *option = &sc_options[id];
    const char *condition = "__fish_use_subcommand";
    SC_AUTO_FREE char *seen =
        sc_format("__fish_seen_subcommand_from %s", sc_verb_names[option->verb]);
    if (option->verb != SC_VERB_TOP)
        condition = seen;
    for (int negated = 0; negated < (option->kind == SC_ARG_SWITCH ? 2 : 1); negated++) {
        sc_str_add_format(text, "complete -c scalene -n '%s' -l %s%s", condition,
                          negated ? "no-" : "", option->name);
        if (option->short_name != 0)
            sc_str_add_format(text, " -s %c", option->short_name);
        if (sc_option_takes_value(id))
            sc_str_add(text, option->kind == SC_ARG_PATH ? " -r -F" : " -x");
        sc_str_add(text, " -d ");
        add_fish_text(text, option->help);
        sc_str_add_char(text, '\n');
    }
}

static void add_fish(struct sc_str *text)
{
    sc_str_add(text, "# fish completion for scalene; made by: scalene completion fish\n");
    for (int verb = SC_VERB_TOP + 1; verb < SC_VERB_COUNT_; verb++) {
        sc_str_add_format(text, "complete -c scalene -n __fish_use_subcommand -f -a %s -d ",
                          sc_verb_names[verb]);
        add_fish_text(text, sc_verb_summaries[verb]);
        sc_str_add_char(text, '\n');
        if (strcmp(operands((enum sc_verb)verb), "FILES") == 0)
            continue;
        sc_str_add_format(text, "complete -c scalene -n '__fish_seen_subcommand_from %s' -f -a '",
                          sc_verb_names[verb]);
        add_operands((enum sc_verb)verb, text);
        sc_str_add(text, "'\n");
    }
    for (int id = 0; id < SC_OPT_COUNT_; id++)
        if (sc_options[id].group != SC_GROUP_HIDDEN)
            add_fish_option(text, (enum sc_option_id)id);
}

bool sc_completion_script(const char *shell, struct sc_str *ret_text)
{
    if (strcmp(shell, "bash") == 0)
        add_bash(ret_text);
    else if (strcmp(shell, "zsh") == 0)
        add_zsh(ret_text);
    else if (strcmp(shell, "fish") == 0)
        add_fish(ret_text);
    else
        return false;
    return true;
}
