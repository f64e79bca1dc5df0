#!/usr/bin/env python3
# tools/option_texts.py TABLE VERSION DATE ROFFS OUT - writes completion scripts and manual pages.
#
# TABLE is src/cli/options.def. What is written by hand of a page, its end, is in the folder ROFFS.
#
# SPDX-License-Identifier: Apache-2.0
"""Texts that are made of the table of options when the program is built."""

import collections
import pathlib
import re
import sys

Verb = collections.namedtuple("Verb", "id name summary usage operands closing")
Row = collections.namedtuple("Row", "verb id name letter kind metavar default low high group traits help")
IGNORED = 1


class Option(Row):
    def takes_value(self):
        return self.kind not in ("ACTION", "FLAG", "SWITCH")

    def flags(self):
        """All ways to write it; None where it has no such way."""
        return self.letter and "-" + self.letter, "--" + self.name, "--no-" + self.name if self.kind == "SWITCH" else None

    def meaning(self):
        """The same as add_meaning in src/cli/help.c."""
        text = self.help
        if self.takes_value() and self.default:
            text += " (default: %s)" % ("never" if self.default == "inf" else self.default)
        return text + " (default: yes)" * (self.kind == "SWITCH") + " [has no effect]" * (self.traits & IGNORED)


class Table:
    def __init__(self, path):
        """Python can read the rows as they are, where a name that it does not know is a text."""

        class Names(dict):
            def __missing__(self, name):
                return name

        self.verbs, self.options = [], []
        names = Names(NULL=None, IGNORED=IGNORED, FIRST=2, NO_CONFIG=4, ADDS=8)
        names["VERB"] = lambda *row: self.verbs.append(Verb(*row))
        names["OPTION"] = lambda *row: self.options.append(Option(*row))
        exec(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL), {}, names)
        self.top, self.commands = self.verbs[0], self.verbs[1:]
        self.options = [option for option in self.options if option.group != "HIDDEN"]

    def of(self, verb, group=None):
        return [option for option in self.options if option.verb == verb.id and group in (None, option.group)]

    def operands(self, verb):
        return " ".join(command.name for command in self.commands) if verb.operands == "COMMANDS" else verb.operands


BASH = """\
# bash completion for scalene; made by: scalene completion bash
_scalene() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local options= operands=
    COMPREPLY=()
    case $COMP_CWORD:${COMP_WORDS[1]} in
%s    *) return ;;
    esac
    case $before in
    %s) operands=FILES options= ;;
    %s) return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ $operands == FILES ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    else
        COMPREPLY=($(compgen -W "$operands" -- "$word"))
    fi
}
complete -F _scalene scalene
"""


def bash(table):
    cases = ""
    for verb in table.verbs:
        words = "".join(flag + " " for option in table.of(verb) for flag in option.flags() if flag)
        where = "*:" + verb.name if verb.name else "1:*"
        cases += "    %s) options='%s' operands='%s' ;;\n" % (where, words, table.operands(verb))
    with_value = [option for option in table.options if option.takes_value()]

    def pattern(options):
        return "|".join(flag for option in options for flag in reversed(option.flags()) if flag)

    paths = [option for option in with_value if option.kind == "PATH"]
    return BASH % (cases, pattern(paths), pattern(option for option in with_value if option not in paths))


ZSH = """\
#compdef scalene
# zsh completion for scalene; made by: scalene completion zsh
_scalene() {
    if (( CURRENT == 2 )) && [[ $PREFIX == -* ]]; then
        _arguments \\
%s        && return
    elif (( CURRENT == 2 )); then
        local -a commands=(
%s        )
        _describe command commands
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
%s    esac
}
if [[ $funcstack[1] == _scalene ]]; then
    _scalene "$@"
else
    compdef _scalene scalene
fi
"""


def zsh(table):
    def quoted(text, escaped):
        return re.sub("[%s]" % re.escape(escaped), r"\\\g<0>", text).replace("'", "'\\''")

    def arguments(verb):
        for option in table.of(verb):
            letter, name, negated = option.flags()
            value = ":%s:%s" % (option.metavar, "_files" * (option.kind == "PATH")) if option.takes_value() else ""
            for flag in (name + "=" * option.takes_value(), letter, negated):
                if flag:
                    yield "        '%s[%s]%s' \\\n" % (flag, quoted(option.help, "[]\\:"), value)

    commands = cases = ""
    for verb in table.commands:
        commands += "            '%s:%s'\n" % (verb.name, quoted(verb.summary, ":\\"))
        rest = "*:file:_files" if verb.operands == "FILES" else "1:word:(%s)" % table.operands(verb)
        cases += "    %s) _arguments \\\n%s        '%s' ;;\n" % (verb.name, "".join(arguments(verb)), rest)
    return ZSH % ("".join(arguments(table.top)), commands, cases)


def fish(table):
    def quoted(text):
        return "'%s'" % re.sub(r"['\\]", r"\\\g<0>", text)

    lines = ["# fish completion for scalene; made by: scalene completion fish"]
    conditions = {table.top.id: "__fish_use_subcommand"}
    for verb in table.commands:
        conditions[verb.id] = "__fish_seen_subcommand_from " + verb.name
        lines.append("complete -c scalene -n __fish_use_subcommand -f -a %s -d %s" % (verb.name, quoted(verb.summary)))
        if verb.operands != "FILES":
            lines.append("complete -c scalene -n '%s' -f -a '%s'" % (conditions[verb.id], table.operands(verb)))
    for option in table.options:
        letter, *names = option.flags()
        more = " -s " + option.letter if letter else ""
        if option.takes_value():
            more += " -r -F" if option.kind == "PATH" else " -x"
        for name in filter(None, names):
            lines.append("complete -c scalene -n '%s' -l %s%s -d %s" % (conditions[option.verb], name[2:], more, quoted(option.help)))
    return "\n".join(lines) + "\n"


def escaped(text):
    """As roff wants it: hyphens that can be copied, backslashes, no control line by accident."""
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e").replace("-", "\\-"))


def manual(table, verb, title, version, date):
    text = '.TH "%s" "1" "%s" "Scalene %s" "Scalene"\n.SH NAME\n%s \\- %s\n' % (title, date, version, escaped(title), escaped(verb.summary))
    text += ".SH SYNOPSIS\n%s\n" % "\n.br\n".join(map(escaped, verb.usage.split("\n")))
    if verb is table.top:
        text += ".SH COMMANDS\n" + "".join(".TP\n\\fB%s\\fR\n%s.\n" % (command.name, escaped(command.summary)) for command in table.commands)
    for group, heading in (("BASIC", "OPTIONS"), ("ADVANCED", "ADVANCED OPTIONS")):
        options = table.of(verb, group)
        text += ".SH %s\n" % heading if options else ""
        for option in options:
            flags = ", ".join(filter(None, option.flags())) + ("=" + option.metavar if option.metavar else "")
            text += ".TP\n\\fB%s\\fR\n%s.\n" % (escaped(flags), escaped(option.meaning()))
    return text


def main(path, version, date, roffs, out):
    table = Table(pathlib.Path(path))
    texts = {"scalene": bash(table), "_scalene": zsh(table), "scalene.fish": fish(table)}
    for verb in table.verbs:
        title = "-".join(filter(None, ("scalene", verb.name)))
        more = pathlib.Path(roffs, title + ".roff")
        texts[title + ".1"] = manual(table, verb, title, version, date) + (more.read_text() if more.exists() else "")
    for name, text in texts.items():
        pathlib.Path(out, name).write_text(text)


main(*sys.argv[1:])
