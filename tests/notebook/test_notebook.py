# tests/notebook/test_notebook.py - the magics in a real kernel.
#
# SPDX-License-Identifier: Apache-2.0
"""%scrun and %%scalene in Jupyter's kernel."""

import os
import textwrap

import pytest
import executing
from executing import ShownOutput
from sampled import claimed

notebook = executing.notebook  # the fixture


def source_of(found, name):
    """The source of a file in the profile, where a < is written as the original writes it."""
    return "".join(one["line"] for one in found.file(name)["lines"]).replace("\\u003c", "<")


LOAD = "%load_ext scalene"
SPIN = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
    return 7
"""


@pytest.mark.statistical
def test_a_cell(notebook):
    cell = """
    %%scalene
    spin(0.5)
    time.sleep(0.4)
    kept = [bytearray(1 << 20) for _ in range(40)]
    len(kept)
    """
    done = notebook(LOAD, SPIN, cell, "len(kept) + spin(0)")
    assert done.errors() == []
    assert done.text(2).endswith("40") and done.text(3) == "47"
    found = done.profile()
    assert found.data["program"] == "[3]"
    assert set(found.files) == {"[2]", "[3]"}, sorted(found.files)
    # sources, with the lines numbered as in the cells
    assert source_of(found, "[2]") == SPIN.strip() + "\n"
    assert source_of(found, "[3]").splitlines()[1:] == textwrap.dedent(cell).strip().splitlines()[1:]
    assert abs(found.cpu_s(range(2, 8), "[2]") - 0.5) <= 0.06
    sleeping = found.file("[3]")["lines"][2]
    assert sleeping["n_sys_percent"] * found.total_s / 100 >= 0.3, sleeping
    memory = found.file("[3]")["lines"][3]
    assert 39 <= memory["n_malloc_mb"] <= 42 and memory["n_python_fraction"] >= 0.9, memory
    # shown in the notebook: the page in a frame, its text where there are none, and a text for terminals
    shown = ShownOutput(done.page(2))
    assert shown.sandbox == "allow-scripts" and len(done.page(2)) < 1 << 20
    assert {"[2]", "[3]"} == {one["name"] for one in shown.answers["api/overview"]["files"]}
    assert "spin(0.5)" in shown.inside and "spin(0.5)" in done.text(2)
    assert os.path.join(done.directory, "scalene-profile.json") in done.page(2)


@pytest.mark.statistical
def test_a_statement_and_options(notebook):
    done = notebook(
        LOAD,
        SPIN,
        "%scrun --cpu-only -o 'other name' spin(0.3) if  'a  b' else None",
        "%scrun run --cpu-only --- spin(0.1)",
        "%scrun",
        "%scrun --help",
        "%%scalene --help\n1/0",
        "%scalene",
    )
    assert done.errors() == []
    found = done.profile("other name.json")
    assert abs(found.cpu_s(range(2, 8), "[2]") - 0.3) <= 0.06
    assert found.data["max_footprint_mb"] == 0
    assert done.text(2).endswith("7") and done.text(3).endswith("7")
    assert abs(done.profile().own["target_cpu_s"] - 0.1) <= 0.05
    assert done.text(4) == "" and done.text(7) == ""
    assert "Usage: scalene run" in done.text(5) and "Usage: scalene run" in done.text(6)


def test_a_statement_stays_as_it_is(notebook):
    """As with %time, what IPython would replace in the lines of other magics is the statement's."""
    statement = "%scrun --cpu-only print({x}, '{x}', '$x')"
    done = notebook(LOAD, "x, name = 7, 'named.json'", statement, statement + " or await asyncio.sleep(0)", "%%scalene -o {name}\nprint({x})")
    assert done.errors() == ["NameError"]  # of asyncio: it was printed before
    for number in (2, 3):
        assert done.text(number).startswith("{7} {x} $x\n"), done.text(number)
    assert done.text(4).startswith("{7}\n") and "named.json" in os.listdir(done.directory)


def test_another_magic_inside(notebook):
    done = notebook(LOAD, SPIN, "%%scalene --cpu-only\n%%time\nspin(0.3)", "%%scalene\n\n%%capture text\nprint(5)", "text.stdout")
    assert done.errors() == [] and "UsageError" not in done.text(2), done.text(2)
    assert "Wall time" in done.text(2) and "spin" in done.text(2)
    assert done.text(4) == "'5\\n'", done.text(4)


def test_errors_are_the_users(notebook):
    done = notebook(
        LOAD,
        "%%scalene\nx = 1\n1/0",
        "%%scalene\nif",
        "%%scalene --nonsense\nprint('run')",
        "%%scalene -o /nowhere/x.json\nprint('run all the same')",
        "%%scalene\nimport sys\nsys.exit(3)",
        "%%scalene\nx += 1\nx",
    )
    assert done.errors() == ["ZeroDivisionError", "SyntaxError"]
    assert "no such option: --nonsense" in done.text(3) and "run\n" in done.text(3)
    assert "nothing is profiled" in done.text(4) and "run all the same" in done.text(4)
    assert done.text(5).count("Traceback") == 0
    assert done.text(6).endswith("2")


def test_where_no_temporary_file_can_be_made_the_code_runs(notebook):
    done = notebook(LOAD, "import tempfile\ntempfile.tempdir = '/nowhere'", "%%scalene\nprint('run')", "%scrun --cpu-only 5")
    assert done.errors() == []
    assert "run\n" in done.text(2) and "nothing is profiled" in done.text(2) and done.text(3).endswith("5")


def test_after_start_and_stop(notebook):
    done = notebook(
        LOAD,
        "from scalene import scalene_profiler\nscalene_profiler.start('-o', 'first.json')",
        "%%scalene\nprint('run')",
        "scalene_profiler.stop()",
        "%%scalene\n5",
        "scalene_profiler.start('-o', 'second.json')\nscalene_profiler.stop()",
    )
    assert done.errors() == []
    assert "run\n" in done.text(2) and "call stop() before" in done.text(2)
    assert done.text(4).endswith("5") and "nothing is profiled" not in done.text(4), done.text(4)
    assert {"first.json", "scalene-profile.json", "second.json"} <= set(os.listdir(done.directory))


def test_a_profile_that_is_lost(notebook):
    """Not that of an earlier cell is shown instead."""
    lose = """
    %%scalene --cpu-only
    import gc, os
    session, = [one for one in gc.get_objects() if type(one).__module__ == "scalene._session"]
    os.kill(session._observer, 9)
    """
    done = notebook(LOAD, "%%scalene --cpu-only\n1", "%%scalene -o /dev/full\nprint('run')", lose)
    assert done.errors() == []
    assert "run\n" in done.text(2) and "cannot write '/dev/full'" in done.text(2), done.text(2)
    assert "there is no profile" in done.text(3) and done.page(3) == "", done.text(3)


@pytest.mark.statistical  # the kernel opens descriptors of its own when its threads come to run
def test_the_kernel_stays_as_it_was(notebook):
    look = """
    import os, sys, threading, builtins, signal
    seen = (
        sorted(os.listdir('/proc/self/fd'), key=int), len(os.listdir('/proc/self/task')), dict(os.environ),
        threading.active_count(), 'profile' in dir(builtins), sys.getprofile(), sys.gettrace(),
        [signal.getsignal(number) for number in range(1, 32)],
    )
    """
    # The first large output of any kind has the kernel begin a thread of its own for sending it, which opens its
    # descriptors when it comes to run: what the kernel is like is looked at when that is over.
    large = "from IPython.display import HTML, display\ndisplay(HTML('<p>' + ' ' * (1 << 20)))"
    quiet = """
    import os, time
    looks = []
    while len(looks) < 10 or any(one != looks[-1] for one in looks[-10:]):
        looks.append((len(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task'))))
        time.sleep(0.05)
    """
    done = notebook(
        LOAD,
        large,
        quiet,
        SPIN,
        look,
        "first = seen",
        "%%scalene\nimport subprocess\nsubprocess.run(['true'])\nspin(0.05)",
        *["%%scalene --cpu-only\nspin(0.02)", "%scrun spin(0.02)"] * 4,
        look,
        "print(seen == first, [pair for pair in zip(first, seen) if pair[0] != pair[1]])",
        """
        try:
            print(os.wait())
        except ChildProcessError:
            print("no children")
        """,
    )
    assert done.errors() == []
    assert claimed(done.text(len(done.outputs) - 2).startswith("True ")), done.text(len(done.outputs) - 2)
    assert done.text(len(done.outputs) - 1) == "no children\n"


@pytest.mark.statistical  # needs that a wait was seen
def test_top_level_await(notebook):
    cell = """
    %%scalene --cpu-only
    import asyncio
    task = asyncio.ensure_future(asyncio.sleep(0.3, 5))  # on the kernel's own loop
    spin(0.3)
    async with lock:
        [x async for x in numbers()]
    await task
    """
    define = """
    import asyncio
    lock = asyncio.Lock()
    async def numbers():
        for number in range(3):
            await asyncio.sleep(0.01)
            yield number
    async def fail():
        await asyncio.sleep(0)
        raise KeyError("x")
    """
    done = notebook(
        LOAD,
        SPIN,
        define,
        cell,
        "await asyncio.sleep(0, task.result())",
        "value = %scrun --cpu-only await asyncio.sleep(0.1, 'slept')\nif True:\n    %scrun -o other.json spin(0.1)\nvalue",
        "%%scalene\nawait fail()",
        "%%scalene\nawait",
        "def inner():\n    %scrun await asyncio.sleep(0)\ninner()",
        "%reload_ext scalene",
        "%%scalene\nimport sys\nawait asyncio.sleep(0)\nsys.exit(3)",
        "%%scalene\n'an awaited async word'",
        "%scrun --nonsense await asyncio.sleep(0)",
        "%autoawait False",
        "%%scalene\nawait asyncio.sleep(0)",
    )
    assert done.errors() == ["KeyError", "SyntaxError"], done.errors()
    assert done.text(3).endswith("5") and done.text(4) == "5"
    assert done.text(5).endswith("'slept'") and done.text(11).endswith("'an awaited async word'")
    for number in (8, 14):
        assert claimed("awaits at its top level" in done.text(number)), done.text(number)
    assert "no such option: --nonsense" in done.text(12)
    assert "spin(0.3)" in ShownOutput(done.page(3)).inside


def test_magics_can_be_taken_away(notebook):
    done = notebook(LOAD, "%unload_ext scalene", "%scrun 1", "%%scalene\n1", "%time 1", LOAD, "%scrun --cpu-only 7")
    assert done.errors() == []
    assert "`%scrun` not found" in done.text(2) and "`%%scalene` not found" in done.text(3)
    assert done.text(4).endswith("1") and done.text(6).endswith("7")


@pytest.mark.statistical
def test_processes_and_threads_of_a_cell(notebook):
    cell = """
    %%scalene --cpu-only
    import multiprocessing, threading
    context = multiprocessing.get_context("fork")
    thread = threading.Thread(target=spin, args=(0.2,), name="helper")
    thread.start()
    thread.join()
    with context.Pool(2) as pool:
        print(pool.map(spin, [0.3, 0.3]))
    """
    done = notebook(LOAD, SPIN, cell)
    assert done.errors() == [] and "[7, 7]" in done.text(2)
    found = done.profile()
    assert abs(found.cpu_s(range(2, 8), "[2]") - 0.8) <= 0.15, found.hottest()
    assert "helper" in {one["name"] for one in found.own["threads"]}
    assert len(found.own["processes"]) >= 3


def test_numpy(notebook):
    have = notebook("try:\n    import numpy\n    print('yes')\nexcept ImportError:\n    print('no')")
    if "yes" not in have.text(0):
        pytest.skip("no numpy for this Python")
    done = notebook(LOAD, "%%scalene\nimport numpy\nkept = numpy.ones(10_000_000)\nother = kept.copy()")
    lines = done.profile().exact.file("[2]")["lines"]  # blocks so large are not sampled
    for line in lines[2:4]:
        assert abs(line["n_malloc_mb"] - 76.3) <= 2 and line["n_python_fraction"] <= 0.1, line


def test_the_profile_is_text_that_shows_no_markup(notebook):
    hostile = "</script></iframe><img src=x onerror='window.ran = 1'>&quot;"
    loop = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: %r" % hostile
    done = notebook(LOAD, "%%scalene\n" + loop)
    shown = ShownOutput(done.page(1))  # the text has ended no element before its time
    assert hostile.replace("'", "\\'") in shown.inside or "onerror" in shown.inside, shown.inside
    assert "<img" not in done.page(1) and "<img" not in shown.page
    rows = shown.answers["api/file?file=0&mode=hot&first=0&count=500"]["rows"]
    assert any("onerror='window.ran = 1'" in text or "onerror" in text for row in rows for _, text in row.get("code", []))
