#!/usr/bin/env python3
# tools/compare_cpython_tests.py - runs CPython's own regression tests under `scalene run` and without it, and compares.
#
# Each module of `python -m test` runs twice, one process at a time: bare, and with everything measured.
# The two are compared test by test. A test that differs is run again alone, both ways, and when it is then
# the same, its whole module once more: what does not come again is called unsteady, the rest differs and is
# shown with its output. What outlives a run (processes, files in the temporary folder and /dev/shm) is part
# of what is compared. Differences that cannot be avoided stand in tools/cpython_differences.txt.
#
#     tools/compare_cpython_tests.py --python ~/.pyenv/versions/3.12.1/bin/python3
#     tools/compare_cpython_tests.py --fast
#     tools/compare_cpython_tests.py --tests test_os,test_signal --keep /tmp/logs
#
# SPDX-License-Identifier: Apache-2.0
"""Compares CPython's regression tests with and without the profiler."""

import argparse
import collections
import concurrent.futures
import ctypes
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("SC_BUILD") or ROOT / "build")
KNOWN = ROOT / "tools" / "cpython_differences.txt"

# What a profiler could disturb: processes, threads, signals, memory, descriptors, tracing. Names that a
# version does not have are passed over.
MODULES = """
    test_asyncio test_atexit test_bdb test_builtin test_capi test_cmd_line test_cmd_line_script test_concurrent_futures
    test_context test_contextlib test_coroutines test_cprofile test_ctypes test_dtrace test_eintr test_embed test_exceptions
    test_faulthandler test_fcntl test_file_eintr test_fork1 test_frame test_free_threading test_gc test_generators
    test_inspect test_interpreters test_io test_ioctl test_mailbox test_mmap test_monitoring test_multiprocessing_fork
    test_multiprocessing_forkserver test_multiprocessing_main_handling test_multiprocessing_spawn test_openpty test_os
    test_perf_profiler test_perfmaps test_pdb test_poll test_popen test_posix test_profile test_pty test_queue test_regrtest
    test_resource test_runpy test_sched test_select test_selectors test_shutil test_signal test_site test_socket
    test_socketserver test_subprocess test_support test_sys test_sys_setprofile test_sys_settrace test_sysconfig
    test_tempfile test_thread test_threadedtempfile test_threading test_threading_local test_threadsignals test_time
    test_trace test_traceback test_tracemalloc test_unittest test_wait3 test_wait4 test_weakref
""".split()

# About a minute in all, both ways.
FAST = """
    test_atexit test_context test_fork1 test_frame test_gc test_ioctl test_monitoring test_openpty test_poll test_popen
    test_posix test_pty test_resource test_runpy test_select test_selectors test_sys_setprofile test_sys_settrace
    test_thread test_threading_local test_threadsignals test_tracemalloc test_wait3 test_wait4
""".split()

# Some installations keep the tests of multiprocessing and leave out the modules that run them.
START_METHOD_MODULE = """import test._test_multiprocessing
test._test_multiprocessing.install_tests_in_module_dict(globals(), %r)
"""
START_METHODS = ("fork", "forkserver", "spawn")

# Not run at all: it waits for ever, without the profiler too, where the machine has the device and no peer.
IGNORED = ("ThreadedVSOCKSocketStreamTest",)

ENDINGS = {0: "success", 2: "failed", 3: "environment changed", 4: "no tests ran"}
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
GRACE_S = 2.0  # for what ends a moment after the program
OUTPUT_LINES = 40  # shown of a test that differs

# A test's name in the results may hold an address.
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@dataclasses.dataclass
class Run:
    """One run of a module, or of some of its tests."""

    outcomes: dict  # test -> "passed", "failed", "error", "skipped"
    outputs: dict  # test -> text of its failure
    ending: str  # of the whole
    leftovers: list  # what outlived it
    seconds: float
    log: str


# --- the process between this script and a run, which becomes the parent of processes that the run leaves behind


def children():
    found = []
    for task in pathlib.Path("/proc/self/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    return found


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def reap_what_ended():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def stand_between(folder, timeout_s, command):
    """Runs the command to its end, then whatever it left running; writes what happened to folder/end.json."""
    ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # ignored where a script started us in the background: tests would fail
        signal.signal(number, signal.SIG_DFL)
    before = set(os.listdir("/dev/shm"))
    begin = time.monotonic()
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder / "work", start_new_session=True
        )
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            status = "timed out"
    seconds = time.monotonic() - begin
    left = []
    until = time.monotonic() + (GRACE_S if status != "timed out" else 0)
    while (left := children()) and time.monotonic() < until:
        time.sleep(0.05)
        reap_what_ended()
    leftovers = [f"process {command_of(pid)}" for pid in left if command_of(pid)] if status != "timed out" else []
    while left := children():
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
        reap_what_ended()
    leftovers += [f"file {path.name}" for path in (folder / "tmp").iterdir()]
    leftovers += [f"shared memory {name}" for name in sorted(set(os.listdir("/dev/shm")) - before) if is_named_by_us(name)]
    (folder / "end.json").write_text(json.dumps({"status": status, "seconds": seconds, "leftovers": leftovers}))


def is_named_by_us(name):
    """Other programs use /dev/shm too: only what could be the profiler's is looked at."""
    return "scalene" in name


# --- running


@dataclasses.dataclass(frozen=True)
class Setting:
    python: str
    present: frozenset  # names of the test modules it has
    timeout_s: float
    keep: pathlib.Path  # or None


def environment(folder):
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "SCALENE", "SC_", "PYTEST", "LD_PRELOAD", "COV_")) and key != "VIRTUAL_ENV"
    }
    return {**kept, "TMPDIR": str(folder / "tmp")}


def run(setting, module, profiled, tests=()):
    """One Run of the module, or of the named tests of it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cpt-"))  # short: paths of sockets below it have a limit
    try:
        for name in ("tmp", "work"):
            (folder / name).mkdir()
        command = [setting.python]
        if profiled:
            command = [str(BUILD / "src" / "cli" / "scalene"), "run", "--quiet", "--profile-all", "--python", setting.python]
            command += ["-o", str(folder / "profile.json"), "---"]
        command += ["-m", "test", "-v", "--fail-env-changed", "--junit-xml", str(folder / "results.xml")]
        for test in IGNORED:
            command += ["-i", test]
        for test in tests:
            command += ["-m", re.sub(r"[\[\]]", "?", test)]
        options, name = left_out(setting, module, folder)
        command += options
        between = [sys.executable, __file__, "--between", str(folder), str(setting.timeout_s), "--", *command, name]
        subprocess.run(between, env=environment(folder), stdin=subprocess.DEVNULL, check=True)
        return read_run(folder)
    finally:
        if setting.keep:
            how = "profiled" if profiled else "bare"
            keep(folder, setting.keep / f"{module}-{how}{'-again' if tests else ''}")
        shutil.rmtree(folder, ignore_errors=True)


def keep(folder, where):
    """Copies what a run has left; a killed one leaves sockets and named pipes, which cannot be copied."""

    def passed_over(parent, names):
        modes = {name: os.lstat(os.path.join(parent, name)).st_mode for name in names}
        return [name for name, mode in modes.items() if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))]

    shutil.copytree(folder, where, dirs_exist_ok=True, symlinks=True, ignore=passed_over)


def left_out(setting, module, folder):
    """(options, name): makes a module that the installation does not have."""
    method = module.rpartition("_")[2]
    if module in setting.present or method not in START_METHODS:
        return [], module
    name = "test_of_" + module.removeprefix("test_")  # a name of CPython's own tests is imported from its package `test`, not from this folder
    (folder / "tests").mkdir()
    (folder / "tests" / (name + ".py")).write_text(START_METHOD_MODULE % method)
    return ["--testdir", str(folder / "tests")], name


def outcome_of(case):
    for name, outcome in (("error", "error"), ("failure", "failed"), ("skipped", "skipped")):
        if (found := case.find(name)) is not None:
            return outcome, found.text or found.get("message") or ""
    return ("unexpected success" if case.get("result") == "UNEXPECTED_SUCCESS" else "passed"), ""


def read_run(folder):
    end = json.loads((folder / "end.json").read_text())
    log = (folder / "log").read_text(errors="replace")
    outcomes, outputs = {}, {}
    try:
        cases = list(xml.etree.ElementTree.parse(folder / "results.xml").getroot().iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError):
        cases = []
    for case in cases:
        test = ADDRESS.sub("0x", case.get("name", ""))
        if not test:  # an entry without a name, for a failed subtest
            continue
        outcome, text = outcome_of(case)
        # a name may occur twice (a failed subtest, the same name in two classes): the worse outcome counts
        if outcomes.get(test) in (None, "passed", "skipped"):
            outcomes[test], outputs[test] = outcome, text
    status = end["status"]
    ending = ENDINGS.get(status, f"status {status}")
    if not cases and status == 0 and re.search(r"\b\w+ skipped\b", log):
        ending = "skipped"
    return Run(outcomes, outputs, ending, sorted(end["leftovers"]), end["seconds"], log)


# --- comparing


@dataclasses.dataclass
class Difference:
    test: str  # or "(the whole module)"
    bare: list  # outcomes, one for each run
    profiled: list
    output: str
    verdict: str = ""  # "differs", "unsteady" or "known"
    reason: str = ""


WHOLE = "(the whole module)"


def differing(bare, profiled):
    """[(test, bare outcome, profiled outcome)]"""
    found = []
    for test in {**bare.outcomes, **profiled.outcomes}:
        pair = (bare.outcomes.get(test, "no result"), profiled.outcomes.get(test, "no result"))
        if pair[0] != pair[1]:
            found.append((test, *pair))
    left = sorted(collections.Counter(map(steady, profiled.leftovers)) - collections.Counter(map(steady, bare.leftovers)))
    endings = [bare.ending, profiled.ending]
    if left:
        endings[1] += "; left behind: " + ", ".join(left)
    if endings[0] != endings[1] and (left or not found):
        found.append((WHOLE, *endings))
    return found


def steady(text):
    """A leftover without what changes from run to run."""
    return re.sub(r"[0-9]+|(?<=tmp)[a-z0-9_]{8}", "*", text)


def tail(text):
    return "\n".join(text.strip().splitlines()[-OUTPUT_LINES:])


def output_of(profiled, test):
    if text := profiled.outputs.get(test):
        return tail(text)
    return tail(profiled.log)


def known_reasons():
    """[(pattern of a test's name, pattern of a version, reason)]"""
    rows = []
    for line in KNOWN.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, version, reason = (part.strip() for part in line.split("|", 2))
            rows.append((pattern, version, reason))
    return rows


def reason_for(known, module, version, test):
    for pattern, versions, reason in known:
        if fnmatch.fnmatchcase(f"{module} {test}", pattern) and any(
            fnmatch.fnmatchcase(version, one) for one in versions.split()
        ):
            return reason
    return ""


def look_again(setting, module, difference, repeats):
    """Runs one test alone both ways, again and again."""
    for _ in range(repeats):
        for profiled, outcomes in ((False, difference.bare), (True, difference.profiled)):
            again = run(setting, module, profiled, [difference.test])
            outcomes.append(again.outcomes.get(difference.test, "no result"))
            if profiled and outcomes[-1] != difference.bare[-1]:
                difference.output = output_of(again, difference.test)
    return comes_again(difference.bare[1:], difference.profiled[1:])


def comes_again(bare, profiled):
    """Whether most of the profiled outcomes are none of those of the bare runs."""
    strange = sum(outcome not in bare for outcome in profiled)
    return 2 * strange > len(profiled)


def judge(setting, module, first, repeats):
    """[Difference] of two first runs of a module, most of them looked at again."""
    bare, profiled = first
    found = [
        Difference(test, [before], [after], output_of(profiled, test)) for test, before, after in differing(bare, profiled)
    ]
    if len(found) > 20:  # a crash: the missing tests are not looked at one by one
        found = [Difference(WHOLE, [bare.ending], [profiled.ending], tail(profiled.log))]
    alone = [one for one in found if one.test != WHOLE and look_again(setting, module, one, repeats)]
    for one in alone:
        one.verdict = "differs"
    rest = [one for one in found if not one.verdict]
    for _ in range(2 if rest else 0):
        again = differing(run(setting, module, False), run(setting, module, True))
        seen = {test: (before, after) for test, before, after in again}
        for one in rest:
            before, after = seen.get(one.test, ("the same", "the same"))
            one.bare.append(before)
            one.profiled.append(after)
            one.verdict = "differs" if (before, after) == (one.bare[0], one.profiled[0]) else "unsteady"
        rest = [one for one in rest if one.verdict == "differs"]
    return found


def counted(outcomes):
    return ", ".join(f"{outcome} {count}x" for outcome, count in collections.Counter(outcomes).items())


def compare(setting, module, version, known, repeats):
    """(text for people, number of tests, [Difference]) of one module."""
    bare = run(setting, module, False)
    profiled = run(setting, module, True)
    found = judge_known(setting, module, version, known, (bare, profiled), repeats)
    kinds = collections.Counter(bare.outcomes.values())
    what = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or bare.ending
    if not bare.outcomes and bare.ending.startswith("status"):
        what = f"could not be run ({bare.ending})"
    verdicts = collections.Counter(one.verdict for one in found)
    how = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "the same"
    lines = [f"{module:36}{how:24}{what}; {bare.seconds:.1f} s, profiled {profiled.seconds:.1f} s"]
    for one in found:
        lines.append(f"    {one.verdict}: {one.test}: bare {counted(one.bare)}; profiled {counted(one.profiled)}")
        if one.verdict == "known":
            lines.append(f"        {one.reason}")
        else:
            lines += [f"        | {line}" for line in one.output.splitlines()]
    return "\n".join(lines), len(bare.outcomes), found


def judge_known(setting, module, version, known, first, repeats):
    """judge(), without looking again at what is known."""
    pairs = differing(*first)
    expected = []
    for test, before, after in pairs:
        if reason := reason_for(known, module, version, test):
            expected.append(Difference(test, [before], [after], "", "known", reason))
    names = {one.test for one in expected}
    if not names:
        return judge(setting, module, first, repeats)
    for one in first:
        one.outcomes = {test: outcome for test, outcome in one.outcomes.items() if test not in names}
        if WHOLE in names:
            one.leftovers = []
        one.ending = "known"  # decided by the tests that differ
    return expected + judge(setting, module, first, repeats)


# --- the command


def probe(python):
    """(version, [names of test modules it has]); the version ends in t when it has no interpreter lock."""
    code = (
        "import json, os, sys, sysconfig, test, test.libregrtest\n"
        "folder = os.path.dirname(test.__file__)\n"
        "names = [n[:-3] if n.endswith('.py') else n for n in os.listdir(folder) if n.startswith('test_')]\n"
        "free = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''\n"
        "print(json.dumps(['%d.%d.%d' % sys.version_info[:3] + free, sorted(names)]))\n"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd="/", check=False)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=shutil.which("python3"), help="the interpreter, with its package `test`")
    parser.add_argument("--tests", help="modules, separated by commas; otherwise all that could differ")
    parser.add_argument("--fast", action="store_true", help="a choice that takes about a minute")
    parser.add_argument("--repeats", type=int, default=3, help="how often a test that differs is run again, both ways")
    parser.add_argument("--jobs", type=int, default=1, help="modules at a time; more than one makes times less steady")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for one run of one module")
    parser.add_argument("--keep", type=pathlib.Path, help="keep logs, results and profiles in this folder")
    return parser.parse_args(words)


def main(words):
    if words[:1] == ["--between"]:
        stand_between(pathlib.Path(words[1]), float(words[2]), words[4:])
        return 0
    arguments = arguments_of(words)
    facts = probe(arguments.python)
    if facts is None:
        print(f"{arguments.python} has no package `test` with regression tests", file=sys.stderr)
        return 77
    version, present = facts
    wanted = arguments.tests.split(",") if arguments.tests else FAST if arguments.fast else MODULES
    makeable = {"test_multiprocessing_" + method for method in START_METHODS}
    modules = [module for module in wanted if module in present or module in makeable or "." in module]
    if not modules:
        print(f"{arguments.python} has none of: {' '.join(wanted)}", file=sys.stderr)
        return 77
    setting = Setting(arguments.python, frozenset(present), arguments.timeout, arguments.keep)
    known = known_reasons()
    total = collections.Counter()
    count = 0
    lock = threading.Lock()

    def one(module):
        nonlocal count
        text, tests, found = compare(setting, module, version, known, arguments.repeats)
        with lock:
            print(text, flush=True)
            count += tests
            total.update(difference.verdict for difference in found)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, modules))
    print(
        f"Python {version}: {len(modules)} modules, {count} tests; {total['differs']} differ, "
        f"{total['known']} differ as is known, {total['unsteady']} were unsteady"
    )
    return 1 if total["differs"] or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
