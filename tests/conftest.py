# tests/conftest.py - what all black-box tests share: interpreters, running programs, reading results.
#
# A test asks for the fixture `python` and is then run once for each interpreter of the machine. It
# runs small programs with `bare` (plainly) and `profile` (under `scalene run`), both in the same
# directory under the same name, so that their outputs can be compared byte by byte.
#
# SPDX-License-Identifier: Apache-2.0
"""Fixtures and helpers of the black-box tests."""

import ast
import collections
import dataclasses
import fcntl
import functools
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import termios
import textwrap
import time

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import moved  # noqa: E402
import pythons  # noqa: E402
import sampled  # noqa: E402
import seen  # noqa: E402
import whole  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SC_BUILD") or os.path.join(ROOT, "build")
SCALENE = os.path.join(BUILD, "src", "cli", "scalene")

sys.path.insert(0, os.path.join(ROOT, "tests", "server"))
import serving  # noqa: E402

# A program that hangs is a failure, not a reason to wait for ever. How fast it is decides nothing: the longest takes 40 s on two
# quiet processors.
TIMEOUT_S = 300

# For programs to start with.
BUSY = """
import time
def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(1000):
            i ^ 5
"""

# For programs that end only when the observer has looked at all of them, however late it is: with the options UNTIL_SEEN. The
# third profile is written behind a look that has begun after the first one. The text is in one, too.
SEEN = """
def wait_until_seen(text=""):
    import os, time
    with open("/proc/%d/cmdline" % os.getppid()) as line:
        words = line.read().split("\\0")
    path, times, found = words[words.index("-o") + 1], [], False
    while not (found and times[2:]):
        if os.path.exists(path):
            times += {os.stat(path).st_mtime}.difference(times)
            with open(path, "rb") as profile:
                found = found or text.encode() in profile.read()
        time.sleep(0.01)
"""
UNTIL_SEEN = ("--profile-interval", "0.1")


def pytest_addoption(parser):
    group = parser.getgroup("scalene")
    group.addoption("--quick", action="store_true", help="use only a few of the interpreters")
    group.addoption("--in-turn", action="store_true", help="each case on one of the interpreters, but those marked by_version on all of them")
    group.addoption("--gate", action="store_true", help="what tools/test runs: no test marked statistical, and three interpreters, in turn")
    group.addoption("--one", action="store_true", help="use only one of the interpreters")
    group.addoption("--update", action="store_true", help="write tests/view/golden anew")
    group.addoption("--long", action="store_true", help="compare all files of the libraries (tests/source)")


def pytest_configure(config):
    pythons.find()  # which the workers then know
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # by nohup: what is started inherits that, but no handler
        signal.signal(signal.SIGHUP, lambda *_: None)
    config.addinivalue_line("markers", "one_python: run on one interpreter only, the newest usual one")
    config.addinivalue_line("markers", "few_pythons: run on a few interpreters only")
    config.addinivalue_line("markers", "every_python: run on all interpreters, with --gate too")
    config.addinivalue_line("markers", "statistical: compares a sampled or timed number with a limit; --gate leaves it out, tools/claims.py judges it")
    config.addinivalue_line("markers", "by_version: its claim depends on the interpreter's version, so with --in-turn, too, each case runs on all of them")
    sys.path.insert(0, os.path.join(ROOT, "tests", "page"))
    config.pluginmanager.import_plugin("page_fixtures")
    config.pluginmanager.register(sampled)


def pytest_collection_modifyitems(config, items):
    """What --gate and --in-turn mean."""
    if config.getoption("--gate"):
        left_out = {entry["test"] for entry in moved.entries()}
        choose(config, items, lambda item: not item.get_closest_marker("statistical") and item.nodeid.partition("[")[0] not in left_out)
    if config.getoption("--in-turn") or config.getoption("--gate"):
        take_in_turn(config, items)


def choose(config, items, is_chosen):
    """Leaves the tests that is_chosen(item) is true for."""
    chosen, others = [], []
    for item in items:
        (chosen if is_chosen(item) else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def take_in_turn(config, items):
    """Of a test for several interpreters, takes each case on one of those that can run it, in turn."""
    cases = {}  # a case, whichever interpreter runs it: its items
    for item in items:
        python = item.callspec.params["python"] if "python" in item.fixturenames else None
        if python and not is_for_each_version(item):
            reason = getattr(item.callspec.params.get("case"), "reason_to_skip", None)
            forms = cases.setdefault((item.nodeid.partition("[")[0], item.callspec.id.replace(python.id, "")), {True: [], False: []})
            forms[not (reason and reason(python))].append(item)
    left_out = set()
    for turn, forms in enumerate(cases.values()):
        can_run = forms[True] or forms[False]
        left_out |= {*forms[True], *forms[False]} - {can_run[turn % len(can_run)]}
    choose(config, items, lambda item: item not in left_out)


def is_for_each_version(item):
    return any(map(item.get_closest_marker, ("by_version", "every_python")))


def made_once(tmp_path_factory, name, make):
    """What make() returns, which JSON can hold: made by the first worker of this run that asks for that name, read by the others."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all workers have
    kept = folder / (name + ".json")
    with open(str(folder / (name + ".lock")), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            text = json.dumps(make())
            kept.write_text(text)
    return json.loads(kept.read_text())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Sampled numbers are for marked tests."""
    Profile.is_guarded = not item.get_closest_marker("statistical")


def _one_python():
    """The interpreter for tests that do not depend on it: the last with a lock, numpy if possible."""
    usual = [python for python in pythons.find() if not python.free_threaded]
    return ([python for python in usual if python.has_numpy] or usual)[-1:]


def _few_pythons(config):
    return pythons.for_gate() if config.getoption("--gate") else pythons.few()


def pytest_generate_tests(metafunc):
    if "python" not in metafunc.fixturenames:
        return
    found = pythons.find()
    is_few = metafunc.config.getoption("--quick") or metafunc.definition.get_closest_marker("few_pythons")
    is_in_gate = metafunc.config.getoption("--gate") and not metafunc.definition.get_closest_marker("every_python")
    if metafunc.config.getoption("--one") or metafunc.definition.get_closest_marker("one_python"):
        chosen = _one_python()
    elif is_few or is_in_gate:
        chosen = _few_pythons(metafunc.config)
    else:
        chosen = found
    values = [pytest.param(python, id=python.id) for python in chosen]
    if chosen is found:
        values += [
            pytest.param(None, id="%d.%d" % version, marks=pytest.mark.skip(reason="no CPython %d.%d found" % version))
            for version in pythons.missing()
        ]
    metafunc.parametrize("python", values, scope="session")


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory):
    """Where runs keep the key of their user: not in the home of whoever tests."""
    folder = str(tmp_path_factory.mktemp("state"))
    os.environ["XDG_STATE_HOME"] = folder
    return folder


@pytest.fixture(scope="session")
def scalene():
    """The built command."""
    if not os.access(SCALENE, os.X_OK):
        pytest.fail("%s does not exist: build first, or set SC_BUILD" % SCALENE)
    return SCALENE


@pytest.fixture
def server(scalene):
    """`scalene view` as a server, for tests that only ask it."""
    with serving.serve(scalene) as running:
        yield running


@dataclasses.dataclass
class Ended:
    """How a program ended. status is negative for a death by signal, as in subprocess."""

    status: int
    stdout: str
    stderr: str
    profile: object = None  # Profile, or None when bare or not expected
    program: str = ""

    @property
    def facts(self):
        """The JSON object the program printed as its last line: its own measurements."""
        return json.loads(self.stdout.splitlines()[-1])

    def expect(self, status=0):
        if self.status != status:
            output = self.stdout[-2000:] + "\n" + self.stderr[-2000:]
            pytest.fail("status %d, expected %d\n%s" % (self.status, status, output))
        return self


# Kinds of time, as in `time_s` of a profile (docs/json.md).
ON_CPU = ("python", "native", "kernel", "parallel_native")
PREEMPTED = ("preempted_python", "preempted_native", "preempted_kernel")

Share = collections.namedtuple("Share", "python native system")
Share.total = property(lambda self: self.python + self.native + self.system)


class Profile:
    """A profile file beside the source of its program. Percentages are those of the file.

    Lines of the program are named by a comment at their end: `x = sum(values)  #: sum`.

    In a test that is not marked `statistical` nothing can be done with the sampled numbers (sampled.py).
    """

    is_guarded = False  # the test that runs is not marked

    def __init__(self, data, program="", text=""):
        self._plain = whole.complete(data)
        self.program = program
        self.text = text

    @classmethod
    def read(cls, path, program="", text=""):
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file), program, text)

    @functools.cached_property
    def guarded(self):
        return sampled.guarded(self._plain)

    @property
    def data(self):
        return self.guarded if self.is_guarded else self._plain

    @property
    def own(self):
        return self.data.get("scalene_c", {})

    @property
    def exact(self):
        """The profile for numbers that are the same in every run: of blocks that are never sampled, of what stand-ins report."""
        found = self.with_source(self.program, self.text)
        found.is_guarded = False
        return found

    def with_source(self, program, text):
        """The profile beside another of its programs."""
        return Profile(self._plain, program, text)

    @property
    def files(self):
        return self.data.get("files", {})

    def file(self, path=None):
        path = path or self.program
        assert path in self.files, "%s is not in the profile, which has %s; notes: %s" % (path, sorted(self.files), self.own.get("notes"))
        return self.files[path]

    def line(self, lineno, path=None):
        """The share of a line by number."""
        record = self.file(path)["lines"][lineno - 1]
        assert record["lineno"] == lineno
        return share_of(record)

    def lines(self, linenos, path=None):
        return add(self.line(lineno, path) for lineno in linenos)

    def marked(self, mark):
        """The share of the lines that end in `#: mark`, added up."""
        return self.lines(marked_lines(self.text, mark))

    def record(self, mark):
        """The record of the one line that ends in `#: mark`."""
        (lineno,) = marked_lines(self.text, mark)
        return self.file()["lines"][lineno - 1]

    def cpu_s(self, linenos, path=None):
        """Seconds on a CPU of some lines, without waiting for one."""
        records = [self.file(path)["lines"][lineno - 1] for lineno in linenos]
        return sum(record.get("time_s", {}).get(kind, 0) for record in records for kind in ON_CPU)

    def cpu_marked(self, mark):
        return self.cpu_s(marked_lines(self.text, mark))

    def cpu_inside(self, *names):
        return sum(self.cpu_s(function_lines(self.text, name)) for name in names)

    @property
    def total_s(self):
        """What 100 per cent is."""
        return sum(self.own["time_s"].values())

    @property
    def undisturbed(self):
        """True when the program hardly ever waited for a CPU.

        Waiting for a CPU counts in percentages, and a single sample can carry much of it. Tests
        that compare with CPU clocks look at percentages only when there was next to none, and
        always at seconds on a CPU.
        """
        waited = sum(self.own["time_s"].get(kind, 0) for kind in PREEMPTED)
        return waited <= 0.01 * self.total_s

    def inside(self, name):
        """The share of all lines of a function or class, which is found in the source."""
        return self.lines(function_lines(self.text, name))

    def function(self, name, path=None):
        """The share of the profile's own record of a function."""
        records = [one for one in self.file(path)["functions"] if one["line"] == name]
        assert records, "no function %s, only %s" % (name, [one["line"] for one in self.file(path)["functions"]])
        return add(share_of(record) for record in records)

    def everything(self):
        """The share of all lines of all files."""
        return add(share_of(record) for one in self.files.values() for record in one["lines"])

    def hottest(self, count=12):
        """The most expensive lines, for messages of failed assertions."""
        rows = []
        for path, one in self._plain.get("files", {}).items():
            for record in one["lines"]:
                share = share_of(record)
                if share.total > 0:
                    rows.append((share.total, path, record["lineno"], share, record["line"].rstrip()))
        rows.sort(reverse=True)
        return "\n".join(
            "%6.2f %% (python %.2f native %.2f system %.2f) %s:%d %s" % (total, *share, os.path.basename(path), lineno, text)
            for total, path, lineno, share, text in rows[:count]
        )


def share_of(record):
    return Share(record["n_cpu_percent_python"], record["n_cpu_percent_c"], record["n_sys_percent"])


def add(shares):
    total = Share(0.0, 0.0, 0.0)
    for share in shares:
        total = Share(*(a + b for a, b in zip(total, share)))
    return total


def marked_lines(text, mark):
    pattern = re.compile(r"#: (?:.*\s)?%s(?:\s|$)" % re.escape(mark))
    found = [number for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]
    assert found, "the program has no line marked %r" % mark
    return found


def function_lines(text, name):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds) and node.name == name:
            return range(node.lineno, node.end_lineno + 1)
    raise AssertionError("the program has no function or class %s" % name)


def clean_environment(extra=None):
    """The environment of a test's programs: nothing of pytest's, nothing that changes Python."""
    keep = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTEST", "SCALENE", "PYTHON", "SC_", "COV_", "LD_PRELOAD")) and key not in ("COLUMNS", "LINES")
    }
    keep["NO_COLOR"] = "1"
    keep.update(extra or {})
    return keep


def write_program(directory, text, name):
    text = textwrap.dedent(text).lstrip("\n")
    path = os.path.join(str(directory), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path, text


def until(condition, what="what is waited for"):
    """What condition() returns, once that is true."""
    end = time.monotonic() + TIMEOUT_S
    while not (found := condition()):
        assert time.monotonic() < end, "%s: not after %d s" % (what, TIMEOUT_S)
        time.sleep(0.02)
    return found


def has_ended(pid):
    """An orphan is collected by the system's first process: in a container that may be a program that collects nobody."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Terminal:
    """A terminal for one command, on its standard input. Keys are bytes; b"\\x03" is Ctrl-C."""

    def __init__(self):
        self.keyboard, self.input = pty.openpty()

    def control(self):
        """In the child: makes this the terminal its session is controlled from."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def press(self, keys):
        os.write(self.keyboard, keys)

    def close(self):
        os.close(self.keyboard)
        os.close(self.input)


def bound_memory(scalene, most_bytes):
    """What a child does before it becomes the command."""
    with open(scalene, "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program:
        pytest.skip("an instrumented build reserves far more memory than it uses")
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def execute(command, *, cwd, env=None, stdin=None, timeout=TIMEOUT_S, prepare=None, act=None, terminal=None, is_honest=True):
    """Runs a command in a session of its own; nothing of it outlives the test. Profiles that it has written are
    checked: their numbers must agree, unless the program lies to its profile (`is_honest=False`).

    `prepare` runs in the child before exec. `act` gets the Popen object once it is started, to send
    signals or press keys. `stdin` is text; with `terminal`, input comes from there instead.
    """

    def child():
        # A test run started in the background, or by nohup, passes on that signals are ignored.
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        if terminal:
            terminal.control()
        if prepare:
            prepare()

    given = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    watch = seen.Watch(command, cwd)
    process = subprocess.Popen(
        command, cwd=str(cwd), env=clean_environment(env), stdin=terminal.input if terminal else given, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=child, start_new_session=True,
    )
    try:
        if act is not None:
            act(process)
        if isinstance(stdin, str):
            stdin = stdin.encode()
        stdout, stderr = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        kill_group(process)
        stdout, stderr = process.communicate()
        pytest.fail("not finished after %s s: %s\n%s\n%s" % (timeout, command, stdout[-2000:].decode(), stderr[-2000:].decode()))
    finally:
        kill_group(process)
    if is_honest:
        watch.done()
    return Ended(process.returncode, stdout.decode("utf-8", "surrogateescape"), stderr.decode("utf-8", "surrogateescape"))


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


@pytest.fixture
def bare(tmp_path):
    """Runs a program plainly: bare(text, python, args=(), ...) -> Ended."""

    def run(text, python, args=(), *, name="prog.py", what=None, before=(), **how):
        path, _ = write_program(tmp_path, text, name)
        command = [*before, python.path, *(what or [path]), *args]
        ended = execute(command, cwd=how.pop("cwd", tmp_path), **how)
        ended.program = path
        return ended

    return run


@pytest.fixture
def profile(tmp_path_factory, tmp_path, scalene):
    """Runs a program under `scalene run`: profile(text, python, args=(), options=(), ...) -> Ended.

    `what` replaces the program on the command line (for example ["-m", "module"]). The JSON file is
    written outside the program's directory, which stays as it is in a bare run. One that was not
    written fails the test here, so that no test has to think of it; with `expects_profile=False` one
    that was written does. With `through` that command starts the interpreter and is what is
    profiled, as by `scalene run -- COMMAND`.
    """
    out = str(tmp_path_factory.mktemp("out") / "profile.json")

    def run(text, python, args=(), options=(), *, name="prog.py", what=None, before=(), through=(), expects_profile=True, **how):
        path, text = write_program(tmp_path, text, name)
        if os.path.exists(out):
            os.unlink(out)
        command = [*before, scalene, "run", "--cpu-only", "-o", out, *options]
        command += ["--", *through, python.path] if through else ["--python", python.path, "---"]
        command += [*(what or [path]), *args]
        ended = execute(command, cwd=how.pop("cwd", tmp_path), **how)
        ended.program = path
        is_written = os.path.exists(out)
        if is_written != expects_profile:
            how_it_went = "a profile was %s: status %d" % ("written" if is_written else "not written", ended.status)
            pytest.fail("\n".join((how_it_went, ended.stdout[-2000:], ended.stderr[-2000:])))
        if is_written:
            ended.profile = Profile.read(out, path, text)
        return ended

    return run


@pytest.fixture
def busy_machine():
    """Keeps every CPU busy with another process until the test ends."""
    spinners = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(len(os.sched_getaffinity(0)))]
    yield
    for spinner in spinners:
        spinner.kill()
        spinner.wait()


def one_cpu():
    """For `prepare`: ties the command and all its children to one CPU."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
