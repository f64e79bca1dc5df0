#!/usr/bin/env python3
# tools/test_stages.py [--gate] [--list | --known] [STAGE...] - runs the stages of tools/test-all, or with --gate those of
# tools/test, and adds up their results.
#
# The gate decides whether a change may go in, so a right change must pass it each time: it holds what is exact. All that
# compares a sampled or timed number, takes long or fetches from the network at each run is left to tools/test-all.
#
# A check counts as one test; meson's and pytest's tests are counted from the result files they
# write. A suite that fails without a failed test in its file (it crashed, it ran into its limit)
# adds a failure of its own, so nothing that went wrong reads as passed. A failed stage does not
# stop the others. A stage that is named brings the builds it looks at. Checks that stand one after the other run side by side: most keep one processor busy.
# Logs are left in build-logs/, by the long run also a report (test_report.py). What failed is named once more at the end,
# for whoever sees only that.
#
# SPDX-License-Identifier: Apache-2.0
"""Runs all checks and tests."""

import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import test_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build-logs"
SKIPPED = 77
FUZZ_SECONDS = os.environ.get("SC_FUZZ_SECONDS", "280")  # of all targets, however many there are
# -O1 with lines alone takes half the time of -O2 -g. A finding of the sanitizer of undefined behaviour ends the program: by default it is only printed,
# and older versions of Meson keep that. gcc gives false warnings for instrumented code, so only its plain build stops at every warning. clang finds what
# it warns about before it instruments: one build of it shows both, what it warns about and what the sanitizers find.
SANITIZE = ("-Doptimization=1", "-Ddebug=false", "-Db_lundef=false", "-Dc_args=-fno-sanitize-recover=all -g1")
SANITIZE_BY_GCC = (*SANITIZE, "-Dwerror=false")

# The lines of a log that are shown when a stage passed: tests that were skipped, or slow, and claims that were not right at once.
NAMED = re.compile(r"SKIPPED|[\d.]+s (call|setup|teardown)|(right|wrong|broken|undecided): ")

Counts = collections.namedtuple("Counts", "passed failed skipped")


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    command: tuple
    results: object = None  # reads the suite's own file of results: () -> Counts
    result_file: pathlib.Path = None
    environment: dict = dataclasses.field(default_factory=dict)
    limit_s: int = 1800
    is_alone: bool = True  # no other stage runs meanwhile
    builds: tuple = ()  # folders that it looks at


def count_meson(path):
    """One JSON object per line and test."""
    results = [json.loads(line)["result"] for line in path.read_text().splitlines()]
    passed = sum(result in ("OK", "EXPECTEDFAIL") for result in results)
    skipped = results.count("SKIP")
    return Counts(passed, len(results) - passed - skipped, skipped)


def count_junit(path):
    suites = list(xml.etree.ElementTree.parse(path).getroot().iter("testsuite"))
    total, failed, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites) for key in ("tests", "failures", "errors", "skipped")
    )
    return Counts(total - failed - errors - skipped, failed + errors, skipped)


def meson_failures(path):
    for line in path.read_text().splitlines():
        test = json.loads(line)
        if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
            yield test["name"], test["result"]


def junit_failures(path):
    """(name, what went wrong) of each test that failed: the lines in which pytest explains the last exception, else its message."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        for failure in [*case.iter("failure"), *case.iter("error")]:
            explained = [line[1:].strip() for line in (failure.text or "").splitlines() if line.startswith("E  ")]
            yield f"{case.get('classname')}::{case.get('name')}", " | ".join(explained) or failure.get("message", "")


def count_claims(path):
    """Verdicts of tools/claims.py: what could not be decided counts as skipped, and is named in the report."""
    counts = json.loads(path.read_text())["counts"]
    return Counts(counts["right"], counts["wrong"] + counts["broken"], counts["undecided"] + counts["skipped"])


def claims_failures(path):
    for claim in json.loads(path.read_text())["noted"]:
        if claim["verdict"] in ("wrong", "broken"):
            yield claim["name"], claim["broken"] or f"missed {claim['missed']} of {claim['held'] + claim['missed']} runs"


FAILURES = {count_meson: meson_failures, count_junit: junit_failures, count_claims: claims_failures}


def failures(stage, log):
    """One line for each failure of a stage that failed; the log's last line where no test is to blame."""
    try:
        named = list(FAILURES[stage.results](stage.result_file)) if stage.results else []
    except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError):
        named = []
    last = log.read_text(errors="replace").rstrip().rpartition("\n")[2]
    for name, why in named or [("", last)]:
        yield shorten(f"{stage.name}  {name}  {why}", LONGEST_LINE)


def shorten(line, most):
    return line if len(line) <= most else line[: most - 3] + "..."


def check(name, *command, builds=()):
    return Stage(name, command, builds=builds or built(command))


def built(words):
    return tuple(word for word in words if word.startswith("build"))


def light_check(name, *command):
    """A check that keeps a single processor busy, and measures nothing."""
    return Stage(name, command, is_alone=False, builds=built(command))


def build(folder, *options, compiler="gcc", targets=""):
    """-Dtests=enabled is passed explicitly: a folder may have been set up before what the unit tests need was installed."""
    return Stage(folder, ("tools/build", folder, "-Dtests=enabled", *options), environment={"CC": compiler, "SC_TARGETS": targets})


def unit(name, folder, *tests):
    command = ("meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs", "--timeout-multiplier", HANGS_AFTER, *tests)
    return Stage(name, command, count_meson, ROOT / folder / "meson-logs" / "testlog.json", builds=(folder,))


def environment_of(folder):
    return {
        "SC_BUILD": str(ROOT / folder),
        "ASAN_OPTIONS": "verify_asan_link_order=0",  # a program may have libraries of its own preloaded, before the sanitizer's
        "TSAN_OPTIONS": "halt_on_error=1",  # else a race is seen only by tests that ask for the status
    }


def blackbox(name, folder, *arguments, limit_s=3600):
    file = LOGS / f"{name}.xml"
    report = ("-rsfE", f"--durations={SLOWEST}", "--durations-min=1", "-p", "no:cacheprovider", f"--junitxml={file}")
    return Stage(name, (PYTHON, "-m", "pytest", "-q", *report, *arguments), count_junit, file, environment_of(folder), limit_s, builds=(folder,))


def claims(name, folder, *arguments):
    file = LOGS / f"{name}.json"
    command = (PYTHON, "tools/claims.py", str(file), "-n", PROCESSORS, *arguments)
    return Stage(name, command, count_claims, file, environment_of(folder), limit_s=7200, builds=(folder,))


def processors():
    """How many this may use: all of the machine's, those that it is tied to, or a container's share."""
    allowed = len(os.sched_getaffinity(0))
    try:
        quota, period = map(int, pathlib.Path("/sys/fs/cgroup/cpu.max").read_text().split())
    except (OSError, ValueError):  # "max": no limit
        return allowed
    return max(1, min(allowed, quota // period))


# The system's Python has pytest and its xdist from Debian's packages. Most tests wait more than they work, so twice as many workers
# as there are processors, and one, but no more than memory holds: of each a program or a browser takes up to 1 GB. Programs
# whose time is measured get a processor each.
PYTHON = "/usr/bin/python3"
PROCESSORS = str(processors())
WORKERS = str(min(2 * processors() + 1, 17))

# The slowest tests of a stage are named.
SLOWEST = 12

# Characters of a line about a failure: a comparison of long lists hides the lines around it.
LONGEST_LINE = 400

# Of meson's 30 s for a test: a limit is there for what hangs, and never decides how fast a machine must be.
HANGS_AFTER = "10"

# Folders whose tests take all interpreters here; the others take a few of them. What depends on the version runs with each.
ALL_PYTHONS = ("tests/layout", "tests/accuracy")
BUT_ALL_PYTHONS = tuple(f"--ignore={path}" for path in ALL_PYTHONS)
UNMARKED = ("-m", "not statistical")
FEW_IN_TURN = ("--quick", "--in-turn")

# The black-box tests of the gate: those of these folders and files that are not marked `statistical` (tests/conftest.py, --gate).
EXACT = (
    *(f"tests/{name}" for name in ("accuracy", "assist", "attach", "cli", "compare", "diff", "dump", "forged", "harness", "history", "import", "layout", "mcp/test_mcp.py", "notebook", "page", "profile", "push/test_keep.py", "push/test_push.py", "push/test_runs.py", "run", "server", "source", "top", "view")),
    *(f"tests/export/test_{name}.py" for name in ("export", "formats", "pictures", "protobuf")),
    *(f"tests/api/test_{name}.py" for name in ("api", "labels", "pytest_plugin", "static_tls")),
    *(f"tests/gpu/test_{name}.py" for name in ("driver_modes", "driver_runs", "neuron", "own_profiles", "trace", "untraced")),
    *(f"tests/robust/test_{name}.py" for name in ("crowds", "embedding", "hostile", "images", "reasons", "refused", "silent_files", "trees")),
    *(f"tests/package/test_{name}.py" for name in ("entry", "install", "release")),
)

# The sanitizer's runtime replaces malloc itself: a program's own replacement cannot come before it. The hook of dlsym does not
# end in a jump in such a build, so libraries in front of mmap find themselves. Leaks are looked for by ptrace, which a
# container's filter refuses.
UNDER_ASAN = "not 3.8- and not front_of_m and not filter_of_a_container"

STAGES = (
    light_check("format", "tools/check_format"),
    light_check("heads", "tools/check_heads.py"),
    light_check("includes", "tools/check_includes.py"),
    light_check("headers", "tools/check_headers.py"),
    light_check("paths", "tools/check_paths.py"),
    light_check("links", "tools/check_links.py"),
    light_check("shell", "tools/check_shell"),
    light_check("python", "tools/check_python"),
    light_check("spelling", "tools/check_spelling"),
    light_check("docs", "tools/docs"),
    build("build"),
    build("build-clang", compiler="clang"),
    build("build-clang-asan", "-Db_sanitize=address,undefined", *SANITIZE, compiler="clang"),
    light_check("page", "tools/check_page"),
    light_check("editor", "tools/check_editor", "build"),
    light_check("exports", "tools/check_exports.py", "build"),
    light_check("musl", "tools/check_musl.py", "build"),
    light_check("circles", "tools/check_circles.py", "build"),
    light_check("hardening", "tools/check_hardening.py", "build"),
    light_check("hardening-clang", "tools/check_hardening.py", "build-clang"),
    light_check("signal-safe", "tools/check_signal_safe.py", "build"),
    light_check("signal-safe-clang", "tools/check_signal_safe.py", "build-clang"),
    unit("unit", "build"),
    unit("unit-clang", "build-clang"),
    unit("unit-clang-asan", "build-clang-asan"),
    dataclasses.replace(check("tidy", "tools/check_tidy", "build-clang-asan"), limit_s=7200),
    check("cppcheck", "tools/check_cppcheck", "build-clang-asan"),
    build("build-asan", "-Db_sanitize=address,undefined", *SANITIZE_BY_GCC),
    unit("unit-asan", "build-asan"),
    build("build-tsan", "-Db_sanitize=thread", *SANITIZE_BY_GCC),
    unit("unit-tsan", "build-tsan", "--suite", "threads"),
    check("fuzz", "tools/fuzz", "--together", FUZZ_SECONDS),
    blackbox("blackbox", "build", *UNMARKED, "-n", WORKERS, *FEW_IN_TURN, "tests", *BUT_ALL_PYTHONS),
    dataclasses.replace(check("check-tests", "tools/check_tests", builds=("build",)), limit_s=7200),
    blackbox("all-pythons", "build", *UNMARKED, "-n", WORKERS, "--in-turn", *ALL_PYTHONS),
    claims("claims", "build", *FEW_IN_TURN, "tests", *BUT_ALL_PYTHONS),
    claims("claims-all-pythons", "build", "--in-turn", *ALL_PYTHONS),
    blackbox("blackbox-asan", "build-asan", *UNMARKED, "-n", WORKERS, *FEW_IN_TURN, "-k", UNDER_ASAN, "tests/cli", "tests/export", "tests/view", "tests/run", "tests/server"),
    blackbox("server-tsan", "build-tsan", *UNMARKED, "-n", WORKERS, *FEW_IN_TURN, "tests/server", "tests/assist/test_routes.py"),
)

# The stages of the gate that are also stages of the long run, in its order; and what it has less of.
IN_GATE = """
    format heads includes headers paths links shell python spelling build build-clang build-clang-asan page editor exports musl circles hardening
    signal-safe signal-safe-clang unit unit-clang-asan cppcheck
""".split()
LESS = {"build-clang": build("build-clang", compiler="clang", targets="src/agent/libscalene.so src/agent/libscalene-memory.so")}  # what signal-safe-clang looks at
GATE = (
    *(LESS.get(stage.name, stage) for stage in STAGES if stage.name in IN_GATE),
    check("tidy-quick", "tools/check_tidy", "build-clang-asan", "--quick"),
    blackbox("exact", "build", "--gate", "-n", WORKERS, *EXACT),
)

# Run only when named: what takes an hour, every test with every interpreter; and what is installed: Debian's package on bare
# systems, the extension for VS Code, and a release, twice, with all its libraries.
LONG_STAGES = (
    blackbox("every-python", "build", *UNMARKED, "-n", WORKERS, "tests", "--ignore=tests/accuracy", limit_s=10800),
    *(Stage(f"package-{debian}", ("tools/test-debian", debian, "--package", f"build-package-{debian}"), limit_s=3600) for debian in ("12", "13")),
    Stage("vsix", ("tools/vsix", "build-vsix")),
    Stage("release", ("sh", "-c", "rm -rf build-release && tools/release build-release"), limit_s=7200),
)


def run(stage):
    """(Counts, log, seconds) of one stage."""
    start = time.monotonic()
    counts, log = run_to_its_end(stage)
    return counts, log, time.monotonic() - start


def run_in_groups(stages):
    """Each stage with the result of run(), in their order; those that need not be alone run beside their neighbours."""
    for is_alone, group in itertools.groupby(stages, lambda stage: stage.is_alone):
        group = list(group)
        with concurrent.futures.ThreadPoolExecutor(1 if is_alone else int(PROCESSORS)) as pool:
            yield from zip(group, pool.map(run, group))


def run_to_its_end(stage):
    """(Counts, log) of one stage."""
    log = LOGS / f"{stage.name}.log"
    if stage.result_file:
        stage.result_file.unlink(missing_ok=True)
    with log.open("w") as out:
        command = subprocess.Popen(
            stage.command,
            cwd=ROOT,
            env={**os.environ, **stage.environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = command.wait(stage.limit_s)
        except subprocess.TimeoutExpired:
            out.write(f"\nnot finished after {stage.limit_s} s\n")
            status = 1
        finally:
            if command.returncode is None:  # what it has started ends with it
                os.killpg(command.pid, signal.SIGKILL)
                command.wait()
    if stage.results is None:
        return Counts(int(status == 0), int(status not in (0, SKIPPED)), int(status == SKIPPED)), log
    try:
        counts = stage.results(stage.result_file)
    except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as why:
        with log.open("a") as out:
            out.write(f"\nended with status {status} and without results: {why}\n")
        return Counts(0, 1, 0), log
    if status != 0 and counts.failed == 0:
        counts = counts._replace(failed=1)
    return counts, log


def print_result(stage, counts, log, seconds):
    lines = log.read_text(errors="replace").splitlines()
    word = "FAILED" if counts.failed else "skipped" if counts.skipped and not counts.passed else "ok"
    line = f"{word:8}{stage.name:20}{seconds:6.0f} s"
    if stage.results:
        line += f"  {counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped"
    elif word == "skipped" and lines:
        line += f"  {lines[-1]}"
    print(line, flush=True)
    if counts.failed:
        print("\n".join("    " + shorten(text, LONGEST_LINE) for text in lines[-60:]), flush=True)
    elif stage.results is count_junit:
        print("\n".join("    " + text for text in lines if NAMED.match(text)), flush=True)


def use_numpy():
    """Lets the tests use environments with numpy, where they can be made; without, those tests skip."""
    if "SC_PYTHONS" in os.environ:
        return
    done = subprocess.run(("tools/numpy_venvs.py",), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        os.environ["SC_PYTHONS"] = done.stdout.strip()


def with_builds(chosen, known):
    """The stages, with the builds of what they look at before them."""
    needed = dict.fromkeys(folder for stage in chosen for folder in stage.builds if folder not in {one.name for one in chosen})
    return [*(known[folder] for folder in needed), *chosen]


def main(arguments):
    is_gate = arguments[:1] == ["--gate"]
    arguments = arguments[is_gate:]
    usual = GATE if is_gate else STAGES
    known = {stage.name: stage for stage in (GATE if is_gate else STAGES + LONG_STAGES)}
    if arguments == ["--list"]:
        print("\n".join(known))
        return 0
    only_asked = arguments[:1] == ["--known"]
    arguments = arguments[only_asked:]
    if unknown := [name for name in arguments if name not in known]:
        print(f"no stage is called {unknown[0]}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    if only_asked:
        return 0
    LOGS.mkdir(exist_ok=True)
    chosen = with_builds([known[name] for name in arguments], known) or usual
    # The gate takes the interpreters as they are: nothing is fetched at each run.
    if not is_gate and any(stage.results in (count_junit, count_claims) for stage in chosen):
        use_numpy()
    total = Counts(0, 0, 0)
    failed, done = [], []
    for stage, (counts, log, seconds) in run_in_groups(chosen):
        unexpected = [] if is_gate else test_report.unexpected_skips(stage.result_file)
        counts = counts._replace(failed=counts.failed + len(unexpected), skipped=counts.skipped - len(unexpected))
        print_result(stage, counts, log, seconds)
        total = Counts(*map(sum, zip(total, counts)))
        reasons = [f"{stage.name}  {name}  skipped: {why}" for name, why in unexpected]
        if counts.failed > len(unexpected):
            reasons += failures(stage, log)
        if reasons:
            failed.append((stage.name, reasons))
        done.append({"stage": stage.name, "seconds": round(seconds), **counts._asdict(), "failures": reasons})
    if not is_gate:
        test_report.write(LOGS, done, {stage.name: stage.result_file for stage in chosen if stage.results is count_claims})
    if failed:
        print(f"failed stages: {' '.join(name for name, _ in failed)}; their logs are in build-logs/")
        print("\n".join(line for _, reasons in failed for line in reasons))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
