# tests/source/check_library.py - compares source_dump with ast and tokenize over a standard library.
#
# Runs in the interpreter whose library is read, so that text and parser belong together; written
# for Python 3.8 and later. Prints one JSON object: how many files agreed, and what did not.
#
# SPDX-License-Identifier: Apache-2.0
"""usage: check_library.py [--step N] SOURCE_DUMP [FILE...]: every Nth file of the library"""

import ast
import io
import json
import keyword
import os
import subprocess
import sys
import tokenize
import warnings

TEXT, KEYWORD, BUILTIN, STRING, NUMBER, COMMENT, DECORATOR, DEFINITION, OPERATOR = range(9)

LOOPS = (ast.For, ast.AsyncFor, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
WITHS = (ast.With, ast.AsyncWith)
MATCH = getattr(ast, "Match", ())
TRY = (ast.Try,) + ((ast.TryStar,) if hasattr(ast, "TryStar") else ())
TYPE_ALIAS = getattr(ast, "TypeAlias", ())
UNKNOWN = None  # what the tree does not show


def library_files():
    root = os.path.dirname(os.path.abspath(os.__file__))
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py") and os.access(os.path.join(folder, name), os.R_OK):
                yield os.path.join(folder, name)


def first_line(node):
    """A decorator's @ stands before its expression, on the same line unless brackets hide it."""
    return min([node.lineno] + [item.lineno for item in getattr(node, "decorator_list", [])])


def header_end(node):
    """The last line of a block's header that the tree knows of."""
    parts = []
    for field, value in ast.iter_fields(node):
        if field in ("body", "orelse", "finalbody", "handlers", "cases"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                parts += [getattr(sub, "end_lineno", 0) or 0 for sub in ast.walk(item)]
    return max([getattr(node, "lineno", 0)] + parts)


class Regions:
    """For every line the six numbers, found by walking down the tree."""

    def __init__(self, tree, count, data):
        self.lines = data.split(b"\n")
        self.rows = [[line, line, line, line, 0, 0] for line in range(1, count + 1)]
        self.walk(tree, {"loop": None, "outer": None, "function": None, "class": None, "scope": None})

    def fill(self, start, end, around, header=None):
        for line in range(start, min(end, len(self.rows)) + 1):
            row = self.rows[line - 1]
            region = around["loop"] or around["function"] or around["class"]
            row[0:2] = region or (line, line)
            outer = around["outer"]
            if outer is None and header is not None:
                outer = header(line)
            row[2:4] = outer or (line, line)
            row[4:6] = around["scope"] or (0, 0)

    def walk(self, node, around):
        for statement in (child for field in ("body", "handlers", "cases", "orelse", "finalbody")
                          for child in self.children(node, field)):
            self.block(statement, around)

    @staticmethod
    def children(node, field):
        value = getattr(node, field, None)
        return value if isinstance(value, list) else []

    def block(self, node, around):
        if isinstance(node, ast.stmt):
            span = (first_line(node), node.end_lineno)
        elif isinstance(node, ast.ExceptHandler):
            span = (node.lineno, node.end_lineno)
        else:  # match_case: the word "case" may stand before the line of its pattern
            span = (node.pattern.lineno, node.body[-1].end_lineno)
        around = dict(around)
        if isinstance(node, LOOPS):
            around["loop"] = span
            around["outer"] = around["outer"] or span
        elif isinstance(node, FUNCTIONS):
            around.update(loop=None, outer=None, function=span, scope=span)
        elif isinstance(node, ast.ClassDef):
            around["class"] = around["scope"] = span
        has_body = bool(self.children(node, "body") or self.children(node, "cases"))
        if not has_body:
            self.fill(span[0], span[1], around)
            return
        body = self.children(node, "body") or self.children(node, "cases")
        inner = body[0].pattern.lineno if hasattr(body[0], "pattern") else first_line(body[0])
        end = max(header_end(node), span[0])
        if not hasattr(body[0], "pattern") and not self.begins_line(body[0]):
            end = inner  # the suite begins on the last line of the header

        def header(line):
            return span if line <= end else UNKNOWN_RANGE if line < inner else None

        self.fill(span[0], span[1], around, header)
        self.walk(node, around)
        if inner <= end:
            for line in range(span[0], end + 1):
                self.rows[line - 1][2:4] = around["outer"] or span
        self.clauses(node, around)

    def begins_line(self, node):
        if getattr(node, "decorator_list", []) or node.lineno > len(self.lines):
            return True
        return not self.lines[node.lineno - 1][: node.col_offset].strip(b" \t\f\xef\xbb\xbf")

    def clauses(self, node, around):
        """The lines between two suites hold "else" or "finally", which the tree has no line for."""
        if around["outer"] is not None:
            return
        suites = [self.children(node, field) for field in ("body", "handlers", "orelse", "finalbody")]
        suites = [suite for suite in suites if suite]
        for before, after in zip(suites, suites[1:]):
            for line in range(before[-1].end_lineno + 1, first_line(after[0]) + 1):
                if line < first_line(after[0]) or not isinstance(after[0], (ast.If, ast.ExceptHandler)):
                    self.rows[line - 1][2:4] = UNKNOWN_RANGE


UNKNOWN_RANGE = (UNKNOWN, UNKNOWN)


def expected_imports(tree):
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            text = "import " + ", ".join(alias_text(alias) for alias in node.names)
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            text = "from %s import %s" % (module, ", ".join(alias_text(alias) for alias in node.names))
            modules = [module]
        else:
            continue
        if getattr(node, "is_lazy", 0):
            text = "lazy " + text
        if hasattr(ast, "unparse"):
            assert text == ast.unparse(node), (text, ast.unparse(node))
        found += [((node.lineno, node.col_offset), i, module, text) for i, module in enumerate(modules)]
    return [item[2:] for item in sorted(found)]


def alias_text(alias):
    return alias.name + (" as " + alias.asname if alias.asname else "")


class Tokens:
    """Compares the kind of every byte that a token of tokenize covers."""

    def __init__(self, data, kinds):
        self.kinds = kinds
        self.problems = []
        self.soft_words = 0
        self.encoding = "utf-8"
        self.shift = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.check(data)

    def offset(self, position, line_text):
        line, column = position
        return len(line_text[:column].encode(self.encoding)) + (self.shift if line == 1 else 0)

    def kinds_of(self, token):
        """The set of kinds in the token's bytes."""
        found = set()
        for line in range(token.start[0], token.end[0] + 1):
            physical = self.texts[line - 1]
            start = self.offset(token.start, physical) if line == token.start[0] else 0
            end = len(self.kinds[line - 1])
            if line == token.end[0]:
                # not token.end, which 3.12.1 counts in bytes where a string has several lines
                last = token.string.rpartition("\n")[2].encode(self.encoding)
                end = len(last) + (start if line == token.start[0] else 0)
            found.update(self.kinds[line - 1][start:end])
        return found

    def check(self, data):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        self.encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        self.texts = io.StringIO(data.decode(encoding), newline="").readlines()
        self.texts.append("")
        previous = None
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            name = tokenize.tok_name[token.type]
            wanted = self.wanted(token, name, previous)
            # what lies in the braces of "{{" is counted differently by the versions of tokenize
            if wanted is not None and token.start != token.end and not name.endswith("STRING_MIDDLE"):
                found = self.kinds_of(token)
                if not found <= wanted:
                    self.problems.append("%d:%d %s %r is %s, expected %s" % (
                        token.start + (name, token.string[:40], sorted(found), sorted(wanted))))
            if name not in ("COMMENT", "NL", "INDENT", "DEDENT"):
                previous = token

    def wanted(self, token, name, previous):
        if name == "NAME":
            return self.wanted_name(token, previous)
        if name == "STRING":
            prefix = token.string[: min(token.string.find(quote) % 99 for quote in "'\"")]
            if set(prefix) & set("fFtT"):
                return None  # a whole f-string, before 3.12
            return {STRING}
        if name == "OP":
            begins = previous is None or previous.type in (tokenize.NEWLINE, tokenize.ENCODING)
            if token.string == "@" and begins:
                return {DECORATOR}
            return {OPERATOR, DECORATOR} if token.string == "." else {OPERATOR}
        kinds = {
            "NUMBER": {NUMBER}, "COMMENT": {COMMENT}, "FSTRING_START": {STRING}, "FSTRING_END": {STRING}, "TSTRING_START": {STRING},
            "TSTRING_END": {STRING},
        }
        return kinds.get(name)

    def wanted_name(self, token, previous):
        if keyword.iskeyword(token.string):
            return {KEYWORD}
        if previous is not None and previous.string in ("def", "class"):
            return {DEFINITION}
        if token.string in ("match", "case", "type", "lazy") and self.kinds_of(token) == {KEYWORD}:
            self.soft_words += 1
            return {KEYWORD}
        if previous is not None and previous.string == ".":
            return {TEXT, DECORATOR}
        return {TEXT, BUILTIN, DECORATOR}


def soft_words(tree):
    count = 0
    for node in ast.walk(tree):
        if MATCH and isinstance(node, MATCH):
            count += 1 + len(node.cases)
        elif TYPE_ALIAS and isinstance(node, TYPE_ALIAS):
            count += 1
        elif getattr(node, "is_lazy", 0):
            count += 1
    return count


def same_row(found, expected):
    return all(wish is UNKNOWN or number == wish for number, wish in zip(found, expected))


class Check:
    def __init__(self):
        self.result = {"files": 0, "unparsed": 0, "lines": 0, "imports": 0, "tokens_skipped": 0}
        self.differences = {"regions": [], "imports": [], "tokens": []}

    def file(self, path, dump):
        with open(path, "rb") as stream:
            data = stream.read()
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.result["unparsed"] += 1
            return
        self.result["files"] += 1
        self.result["lines"] += dump.count
        rows = Regions(tree, dump.count, data).rows
        wrong = [(i + 1, dump.rows[i], row) for i, row in enumerate(rows) if not same_row(dump.rows[i], row)]
        if len(rows) != len(dump.rows) or wrong:
            self.differences["regions"].append((path, wrong[:5]))
        wished = expected_imports(tree)
        self.result["imports"] += len(wished)
        if dump.imports != wished:
            self.differences["imports"].append((path, [pair for pair in zip(dump.imports, wished) if pair[0] != pair[1]][:3]))
        if b"\r" in data.replace(b"\r\n", b"") or b"\f" in data.replace(b"\n\f", b""):
            self.result["tokens_skipped"] += 1  # tokenize numbers such lines differently from ast
            return
        tokens = Tokens(data, dump.kinds(data))
        if tokens.soft_words != soft_words(tree):
            tokens.problems.append("%d soft keywords, expected %d" % (tokens.soft_words, soft_words(tree)))
        if tokens.problems:
            self.differences["tokens"].append((path, tokens.problems[:3]))


class Dump:
    """What source_dump said of one file."""

    def __init__(self, count, path):
        self.count = count
        self.path = path
        self.rows = []
        self.spans = []
        self.imports = []

    def kinds(self, data):
        kinds = [bytearray(len(line)) for line in data.split(b"\n")]
        for line, start, length, token in self.spans:
            kinds[line][start : start + length] = bytes([token]) * length
        return kinds


def dumps(program, paths):
    text = "".join(path + "\n" for path in paths)
    process = subprocess.run([program], input=os.fsencode(text), stdout=subprocess.PIPE, check=True)
    current = None
    for line in process.stdout.split(b"\n"):
        tag, _, rest = line.partition(b" ")
        if tag == b"F":
            if current:
                yield current
            count, _, path = rest.partition(b" ")
            current = Dump(int(count), os.fsdecode(path))
        elif tag == b"R":
            current.rows.append([int(word) for word in rest.split()])
        elif tag == b"S":
            current.spans.append([int(word) for word in rest.split()])
        elif tag == b"I":
            current.imports.append(tuple(rest.decode("utf-8", "surrogateescape").split("\t")))
    if current:
        yield current


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    arguments = sys.argv[1:]
    step = 1
    if arguments[0] == "--step":
        step = int(arguments[1])
        del arguments[:2]
    program = arguments[0]
    paths = arguments[1:] or list(library_files())[::step]
    check = Check()
    for i in range(0, len(paths), 100):
        for dump in dumps(program, paths[i : i + 100]):
            check.file(dump.path, dump)
    json.dump(dict(check.result, differences=check.differences), sys.stdout)


main()
