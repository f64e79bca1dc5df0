# python/scalene/_notebook.py - the magics %scrun and %%scalene of IPython and Jupyter.
#
# A cell is run as %%time runs one: in the user's names, with its last expression as the result, its
# exceptions as they are. Around it is a profile of its own.
#
# SPDX-License-Identifier: Apache-2.0
"""Magics of IPython."""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class

from scalene import native_program
from scalene._session import Refused, Session, count_options
from scalene._show import show

_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")
_INPUT = re.compile(r"<ipython-input-(\d+)-")

HELP = ("-h", "--help", "--help-advanced")


def _words(line: str) -> list[re.Match[str]]:
    found = list(_WORD.finditer(line))
    return found[1:] if found and found[0].group() == "run" else found


def _unquoted(word: str) -> str:
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word


def _number_of(shell: Any, name: str) -> int | None:
    """The number of the cell whose code has that file name; None for other code."""
    match = _INPUT.match(name)
    number = getattr(shell.compile, "_filename_map", {}).get(name)
    return number or (int(match.group(1)) if match else None)


def _current_number(shell: Any) -> int:
    """Of the cell that has called us. The shell's own counter is moved on at different moments by different
    versions."""
    frame = sys._getframe(1)
    while frame is not None:
        number = _number_of(shell, frame.f_code.co_filename)
        if number is not None:
            return number
        frame = frame.f_back  # type: ignore[assignment]
    return int(shell.execution_count)


class _Cells:
    """The sources of cells, in a file for the observer (src/profile/texts.h)."""

    def __init__(self, shell: Any, number: int) -> None:
        self._shell = shell
        self._number = number  # of the cell that runs now
        self._folder = tempfile.mkdtemp(prefix="scalene-cells-")
        self.path = os.path.join(self._folder, "texts")

    def earlier(self) -> Iterator[tuple[int, str, str]]:
        """Number, name and source of what other cells have compiled. The cell that runs now is left out:
        it holds no more than the call of a magic."""
        for name, entry in list(linecache.cache.items()):
            number = _number_of(self._shell, name)
            lines = entry[2] if len(entry) == 4 else []
            if number is not None and number != self._number:
                yield number, name, "".join(lines)

    def write(self, name: str, source: str) -> None:
        """With this one as the cell that runs now."""
        current = (self._number, name, source)
        with open(self.path + ".new", "wb") as out:
            for number, code_name, text in [*self.earlier(), current]:
                name_bytes = os.fsencode(code_name)
                text_bytes = text.encode("utf-8", "surrogatepass")
                out.write(b"[%d] %d %d\n%s%s" % (number, len(name_bytes), len(text_bytes), name_bytes, text_bytes))
        os.replace(self.path + ".new", self.path)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class _Code:
    """A piece of code, compiled as a cell."""

    def __init__(self, shell: Any, number: int, raw: str) -> None:
        self._shell = shell
        source = shell.transform_cell(raw)
        try:
            self.name = shell.compile.cache(source, number, raw_code=raw)
        except TypeError:  # IPython 7
            self.name = shell.compile.cache(source, number)
        self.source = source
        tree = shell.transform_ast(shell.compile.ast_parse(source, filename=self.name))
        self._last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            self._last = shell.compile(ast.Expression(tree.body.pop().value), self.name, "eval")
        self._body = shell.compile(tree, self.name, "exec")

    def run(self) -> Any:
        names = self._shell.user_ns
        exec(self._body, names)
        return eval(self._last, names) if self._last is not None else None


def _help(word: str) -> None:
    text = subprocess.run([native_program(), "run", word], stdout=subprocess.PIPE, check=False).stdout
    print(text.decode("utf-8", "replace"), end="")


@contextlib.contextmanager
def _refusals() -> Iterator[IO[bytes]]:
    """What the native program has to say goes to the file that this gives. Wrong options are an error as of
    any magic; what else is refused is told, and the code runs on without a profile."""
    with tempfile.TemporaryFile() as errors:
        try:
            yield errors
        except Refused as refusal:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip() or str(refusal)
            text = said[len("scalene: ") :] if said.startswith("scalene: ") else said
            if refusal.is_usage:
                raise UsageError(text) from None
            print("scalene: nothing is profiled: %s" % text, file=sys.stderr)


@magics_class
class ScaleneMagics(Magics):
    """%scrun and %%scalene."""

    def _run(self, words: list[str], raw: str) -> Any:
        """Runs the code as a cell. Its profile is finished and shown however it ends."""
        if not raw.strip():
            return None
        number = _current_number(self.shell)
        cells = _Cells(self.shell, number)
        session = None
        try:
            code = _Code(self.shell, number, raw)
            cells.write(code.name, code.source)
            with _refusals() as errors:
                session = Session("[%d]" % number, ["--quiet", *words], cells.path, errors)
            try:
                return code.run()
            except SystemExit:
                return None
            finally:
                if session is not None and session.finish():
                    show(session.outfile)
        finally:
            cells.remove()

    @line_magic
    def scrun(self, line: str) -> Any:
        """%scrun [options of `scalene run`] statement: profiles a statement."""
        found = _words(line)
        words = [_unquoted(word.group()) for word in found]
        if words and words[0] in HELP:
            return _help(words[0])
        count = 0
        with _refusals() as errors:
            count = count_options(words, errors)
        return self._run(words[:count], line[found[count].start() :] if count < len(found) else "")

    @line_cell_magic
    def scalene(self, line: str, cell: str | None = None) -> Any:
        """%%scalene [options of `scalene run`]: profiles the rest of the cell."""
        words = [_unquoted(word.group()) for word in _words(line)]
        if words and words[0] in HELP:
            return _help(words[0])
        if cell is None:
            return None
        # with a line in place of the magic's own the others keep their numbers
        return self._run([*words, "---"], "# %%%%scalene %s\n%s" % (line, cell))


def load(shell: Any) -> None:
    shell.register_magics(ScaleneMagics)
    print("%scrun STATEMENT profiles a statement, %%scalene the rest of its cell: time, memory, copying.")
    print("Both take the options of `scalene run`, for example %%scalene --cpu-only.")
