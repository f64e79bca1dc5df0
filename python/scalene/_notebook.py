# python/scalene/_notebook.py - the magics %scrun and %%scalene of IPython and Jupyter.
#
# A cell is run as %%time runs one: in the user's names, with its last expression as the result, its
# exceptions as they are. Around it is a profile of its own.
#
# A magic is an ordinary function, so code that awaits at its top level cannot run inside one: the loop that
# would have to go on is the kernel's. The call of such a magic is therefore replaced before it is
# compiled, by one that IPython awaits.
#
# SPDX-License-Identifier: Apache-2.0
"""Magics of IPython."""

from __future__ import annotations

import ast
import contextlib
import inspect
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from types import CodeType
from typing import IO, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class

try:
    from IPython.core.magic import no_var_expand
except ImportError:  # IPython before 7.3

    def no_var_expand(function: Any) -> Any:
        return function


from scalene import native_program, scalene_profiler
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
    """The number of the cell that has called us. Versions of the shell increment its own counter at different
    moments."""
    frame = sys._getframe(1)
    while frame is not None:
        number = _number_of(shell, frame.f_code.co_filename)
        if number is not None:
            return number
        frame = frame.f_back  # type: ignore[assignment]
    return int(shell.execution_count)


class _Cells:
    """The sources of cells, in a file for the observer (src/costs/cell_sources.h)."""

    def __init__(self, shell: Any, number: int) -> None:
        self._shell = shell
        self._number = number  # of the cell that runs now
        self._folder = self.path = ""

    def earlier(self) -> Iterator[tuple[int, str, str]]:
        """Number, name and source of what other cells have compiled. The cell that runs now is left out:
        it holds no more than the call of a magic."""
        for name, entry in list(linecache.cache.items()):
            number = _number_of(self._shell, name)
            lines = entry[2] if len(entry) == 4 else []
            if number is not None and number != self._number:
                yield number, name, "".join(lines)

    def write(self, name: str, source: str) -> None:
        """Writes the sources of earlier cells, and this one as that of the cell that runs now. Raises Refused."""
        current = (self._number, name, source)
        try:
            self._folder = tempfile.mkdtemp(prefix="scalene-cells-")
            self.path = os.path.join(self._folder, "texts")
            with open(self.path, "wb") as out:
                for number, code_name, text in [*self.earlier(), current]:
                    name_bytes = os.fsencode(code_name)
                    text_bytes = text.encode("utf-8", "surrogatepass")
                    out.write(b"[%d] %d %d\n%s%s" % (number, len(name_bytes), len(text_bytes), name_bytes, text_bytes))
        except OSError as error:
            raise Refused("the sources of the cells cannot be kept: %s" % error) from None

    def __enter__(self) -> _Cells:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
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
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
        self._parts = [self._compiled(tree, "exec")]
        if last is not None:
            self._parts.append(self._compiled(last, "eval"))

    def _compiled(self, tree: ast.AST, kind: str) -> CodeType:
        flags = self._shell.compile.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code: CodeType = compile(tree, self.name, kind, flags, True)  # type: ignore[call-overload]
        return code

    def awaits(self) -> bool:
        return any(_is_coroutine(part) for part in self._parts)

    def run(self) -> Any:
        result = None
        for part in self._parts:
            result = eval(part, self._shell.user_ns)
        return result

    async def run_awaiting(self) -> Any:
        result = None
        for part in self._parts:
            result = eval(part, self._shell.user_ns)
            if _is_coroutine(part):
                result = await result
        return result


def _is_coroutine(code: CodeType) -> bool:
    return bool(code.co_flags & inspect.CO_COROUTINE)


def _awaits(shell: Any, raw: str) -> bool:
    """Whether code of a cell has to be awaited. False for what is no code."""
    if "await" not in raw and "async" not in raw:
        return False
    try:
        flags = shell.compile.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return _is_coroutine(compile(shell.transform_cell(raw), "<cell>", "exec", flags, True))
    except (SyntaxError, ValueError):
        return False


def _help(word: str) -> None:
    text = subprocess.run([native_program(), "run", word], stdout=subprocess.PIPE, check=False).stdout
    print(text.decode("utf-8", "replace"), end="")


class _Messages:
    """The native program's messages, in a file."""

    def __init__(self) -> None:
        try:
            self.file: IO[bytes] = tempfile.TemporaryFile()
        except OSError:  # what is wrong will not be said
            self.file = open(os.devnull, "r+b")
        self._length = 0  # of what has been taken

    def __enter__(self) -> _Messages:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def take(self) -> str:
        """What has been said since the last call. The place in the file, which the program writes to, stays."""
        size = os.fstat(self.file.fileno()).st_size
        said = os.pread(self.file.fileno(), size - self._length, self._length)
        self._length += len(said)
        return said.decode("utf-8", "replace")

    @contextlib.contextmanager
    def of_refusals(self) -> Iterator[IO[bytes]]:
        """Wrong options raise UsageError, as in any magic; other refusals are printed, and the code runs without a
        profile. Notes are printed, too."""
        try:
            yield self.file
            sys.stderr.write(self.take())
        except Refused as refusal:
            said = self.take().strip() or str(refusal) or "no temporary file can be made"
            text = said[len("scalene: ") :] if said.startswith("scalene: ") else said
            if refusal.is_usage:
                raise UsageError(text) from None
            print("scalene: nothing is profiled: %s" % text, file=sys.stderr)

    def finish(self, session: Session) -> None:
        """Ends the profile and shows it. Its file may be that of an earlier one when this one is not written."""
        is_written = session.finish()
        said = self.take()
        if is_written:
            sys.stderr.write(said)
            show(session.outfile)
        else:
            sys.stderr.write(said or "scalene: there is no profile, as its observer has been ended\n")


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, list[str]]]:
    """Calls of our magics as IPython writes them, where there may be an await, with their arguments: name, line
    and perhaps cell."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _calls(node)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        is_magic = node.func.attr in ("run_cell_magic", "run_line_magic") and len(texts) == len(node.args) >= 2
        if is_magic and texts[0] in ("scalene", "scrun"):
            yield node, texts


@magics_class
class ScaleneMagics(Magics):
    """%scrun and %%scalene."""

    @contextlib.contextmanager
    def _profile(self, words: list[str], raw: str) -> Iterator[_Code]:
        """The code, for the caller to run as a cell. Its profile is finished and shown however it ends."""
        number = _current_number(self.shell)
        session = None
        with _Cells(self.shell, number) as cells, _Messages() as messages:
            code = _Code(self.shell, number, raw)
            try:
                with messages.of_refusals() as errors:
                    cells.write(code.name, code.source)
                    if not scalene_profiler._end_unless_on():
                        raise Refused("scalene_profiler.start() is on; call stop() before")
                    session = Session("[%d]" % number, ["--quiet", *words], cells.path, errors)
                try:
                    yield code
                except SystemExit:
                    pass
            finally:
                if session is not None:
                    messages.finish(session)

    def _run(self, words: list[str], raw: str) -> Any:
        result = None
        if not raw.strip():
            return None
        if _awaits(self.shell, raw):  # where await is possible, await_calls() has replaced the call by one of awaited()
            raise UsageError("this code awaits at its top level, which works only at the top level of a cell, with %autoawait on")
        with self._profile(words, raw) as code:
            result = code.run()
        return result

    def _statement(self, line: str) -> tuple[list[str], str]:
        """The options of a line of %scrun, and its statement."""
        found = _words(line)
        words = [_unquoted(word.group()) for word in found]
        count = 0
        with _Messages() as messages, messages.of_refusals() as errors:
            count = count_options(words, errors)
        return words[:count], line[found[count].start() :] if count < len(found) else ""

    @no_var_expand  # {x} and $x are the statement's own
    @line_magic
    def scrun(self, line: str) -> Any:
        """%scrun [options of `scalene run`] statement: profiles a statement."""
        first = next((_unquoted(word.group()) for word in _words(line)), "")
        if first in HELP:
            return _help(first)
        return self._run(*self._statement(line))

    @line_cell_magic
    def scalene(self, line: str, cell: str | None = None) -> Any:
        """%%scalene [options of `scalene run`]: profiles the rest of the cell."""
        words = [_unquoted(word.group()) for word in _words(line)]
        if words and words[0] in HELP:
            return _help(words[0])
        if cell is None:
            return None
        return self._run([*words, "---"], _whole(line, cell))

    async def awaited(self, name: str, line: str, cell: str = "") -> Any:
        """What the magic of that name does, for code that awaits."""
        result = None
        if name == "scrun":
            words, raw = self._statement(line)
        else:
            line = self.shell.var_expand(line)
            words, raw = [*(_unquoted(word.group()) for word in _words(line)), "---"], _whole(line, cell)
        with self._profile(words, raw) as code:
            result = await code.run_awaiting()
        return result

    def _has_to_be_awaited(self, texts: list[str]) -> bool:
        if not any("await" in text or "async" in text for text in texts[1:]):
            return False
        if texts[0] == "scalene":
            return len(texts) == 3 and _awaits(self.shell, _whole(texts[1], texts[2]))
        try:
            return _awaits(self.shell, self._statement(texts[1])[1])
        except UsageError:  # which the magic itself will report
            return False

    def await_calls(self, lines: list[str]) -> list[str]:
        """For IPython: the lines of a cell, with calls of the magics awaited where their code awaits."""
        text = "".join(lines)
        if not self.shell.autoawait or ("'scalene'" not in text and "'scrun'" not in text):
            return lines
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return lines
        source = text.encode("utf-8", "surrogatepass").splitlines(keepends=True)
        calls = [(node, texts) for node, texts in _calls(tree) if self._has_to_be_awaited(texts)]
        for node, texts in sorted(calls, key=lambda call: (call[0].lineno, call[0].col_offset), reverse=True):
            call = "(await get_ipython().magics_manager.registry['ScaleneMagics'].awaited(%s))" % ", ".join(map(repr, texts))
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            end = source[last][node.end_col_offset or 0 :]
            source[first : last + 1] = [source[first][: node.col_offset] + call.encode("utf-8", "surrogatepass") + end]
        return b"".join(source).decode("utf-8", "surrogatepass").splitlines(keepends=True)


def _whole(line: str, cell: str) -> str:
    """The cell after a comment in place of the magic's line, so that lines keep their numbers. A cell that begins with
    another magic stays as it is, since a magic must come first."""
    if cell.lstrip("\n").startswith("%%"):
        return cell
    return "# %%%%scalene %s\n%s" % (line, cell)


def unload(shell: Any) -> None:
    transforms = shell.input_transformers_post
    transforms[:] = [one for one in transforms if type(getattr(one, "__self__", None)).__name__ != "ScaleneMagics"]
    manager = shell.magics_manager
    manager.registry.pop("ScaleneMagics", None)
    for kind, name in [("line", "scrun"), ("line", "scalene"), ("cell", "scalene")]:
        manager.magics[kind].pop(name, None)


def load(shell: Any) -> None:
    unload(shell)
    magics = ScaleneMagics(shell)
    shell.register_magics(magics)
    shell.input_transformers_post.append(magics.await_calls)
    print("%scrun STATEMENT profiles a statement, %%scalene the rest of its cell: time, memory, copying.")
    print("Both take the options of `scalene run`, for example %%scalene --cpu-only.")
