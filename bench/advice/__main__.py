#!/usr/bin/env python3
# bench/advice/__main__.py - are the findings of a profile the advice that a good engineer would give?
#
# Each program of programs/ has one known flaw, or none. Its first comments say what should be found:
#
#     # advice: list_membership            one of several will do:  # advice: python_loop | python_function
#     # also: churn copies                 true and useful as well; not needed
#     # advice: none                       silence is right
#     # needs: pandas                      is named as not run where the interpreter has no such module
#
# The line at fault ends in "# <- here"; a place that encloses it (its statement, a loop, the function) is as good. Where
# an advice has no such line, it is about the whole program or any place in it.
#
# SPDX-License-Identifier: Apache-2.0
"""Precision and recall of the findings on programs whose best advice is known."""

import argparse
import ast
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import measure  # noqa: E402 - the folder above must be on the path first

PROGRAMS = os.path.join(HERE, "programs")
MARK = "# <- here"
FIRST = 2  # an advice counts as given when it is among this many findings
PRECISION_AIM, RECALL_AIM = 95, 80
LIMIT_S = 120
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass
class Expected:
    """What the comments of a program say."""

    advice: set  # of ids; empty: silence is right
    also: set
    needs: list
    marked: set  # lines at fault
    places: set  # those lines, their statements, and the first lines of what encloses them


def comment_of(text, key):
    found = re.search(r"^# %s:(.*)$" % key, text, re.MULTILINE)
    return re.findall(r"\w+", found[1]) if found else []


def places_of(tree, marked):
    """Lines at which a finding about the marked lines may stand."""
    places = set(marked)
    for node in ast.walk(tree):
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or not any(first <= line <= last for line in marked):
            continue
        if isinstance(node, LOOPS + FUNCTIONS):
            places.add(first)
            places.update(each.lineno for each in getattr(node, "decorator_list", ()))
        elif isinstance(node, ast.stmt) and not isinstance(node, (ast.ClassDef, ast.If)):
            places.update(range(first, last + 1))
    return places


def expected_of(path):
    with open(path) as stream:
        text = stream.read()
    advice = set(comment_of(text, "advice"))
    if not advice:
        raise SystemExit("%s: no line '# advice: ...'" % path)
    marked = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith(MARK)}
    return Expected(advice - {"none"}, set(comment_of(text, "also")), comment_of(text, "needs"), marked, places_of(ast.parse(text), marked))


@dataclasses.dataclass
class Outcome:
    name: str
    expected: Expected
    findings: list
    share: float = 0.0  # of the run's time on the marked lines, in percent
    seconds: float = 0.0
    trouble: str = ""  # why it was not run, or failed

    def good(self, finding):
        return self.advises(finding) or finding["id"] in self.expected.also

    def advises(self, finding):
        at_place = not self.expected.marked or not finding["lineno"] or finding["lineno"] in self.expected.places
        return finding["id"] in self.expected.advice and at_place

    def given(self):
        return any(self.advises(finding) for finding in self.findings[:FIRST])

    def later(self):
        return any(self.advises(finding) for finding in self.findings[FIRST:])

    def verdict(self):
        if self.trouble:
            return self.trouble
        bad = [finding for finding in self.findings if not self.good(finding)]
        if not self.expected.advice:
            return "false alarm" if bad else "right"
        word = "right" if self.given() else "late" if self.later() else "missing"
        return word + (", and wrong ones" if bad else "")

    def said(self):
        return ", ".join("%s%s:%s %.0f%%" % ("" if self.good(each) else "!", each["id"], each["lineno"] or "-", each["percent"]) for each in self.findings)


def share_of(profile, marked):
    """Percent of the run's time on the marked lines, in the file that has the most of it."""
    shares = [0.0]
    for file in profile["files"].values():
        lines = [line for line in file["lines"] if line["lineno"] in marked]
        shares.append(sum(line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"] for line in lines))
    return max(shares)


def missing_module(python, names):
    for name in names:
        if subprocess.run([python, "-c", "import " + name], stderr=subprocess.DEVNULL, check=False).returncode:
            return name
    return None


def try_program(options, path):
    """Profiles one program in a folder of its own."""
    name, expected = os.path.basename(path)[:-3], expected_of(path)
    lacking = missing_module(options.python, expected.needs)
    if lacking:
        return Outcome(name, expected, [], trouble="not run: no module " + lacking)
    with tempfile.TemporaryDirectory(prefix="advice-") as folder:
        program, out = shutil.copy(path, folder), os.path.join(folder, "profile.json")
        command = [os.path.join(options.build, "src", "cli", "scalene"), "run", "--quiet", "--python", options.python, "-o", out, program]
        done = measure.run(command, directory=folder, limit_s=LIMIT_S)
        if done.status or not os.path.exists(out):
            return Outcome(name, expected, [], trouble="failed: status %d: %s" % (done.status, done.stderr.decode(errors="replace").strip()[-200:]))
        with open(out) as stream:
            profile = json.load(stream)
    findings = profile["scalene_c"]["findings"]
    return Outcome(name, expected, findings, share_of(profile, expected.marked), done.wall_s)


def report_of_ids(outcomes):
    """For each id: the programs that expect it or another, those where it was given, how often it was said, and rightly."""
    wanted, given, said, rightly = (collections.Counter() for _ in range(4))
    for each in outcomes:
        wanted.update(each.expected.advice)
        given.update({finding["id"] for finding in each.findings[:FIRST] if each.advises(finding)})
        said.update(finding["id"] for finding in each.findings)
        rightly.update(finding["id"] for finding in each.findings if each.good(finding))
    rows = [(name, wanted[name] or "", given[name] if wanted[name] else "", said[name] or "", rightly[name] if said[name] else "") for name in sorted({*wanted, *said})]
    return measure.table(("id", "programs", "given", "said", "rightly"), rows)


def percent(part, whole):
    return "%.1f %%" % (100 * part / whole) if whole else "-"


def summary(outcomes):
    ran = [each for each in outcomes if not each.trouble]
    with_advice = [each for each in ran if each.expected.advice]
    silent = [each for each in ran if not each.expected.advice]
    said = [(each, finding) for each in ran for finding in each.findings]
    right = sum(each.good(finding) for each, finding in said)
    given = sum(each.given() for each in with_advice)
    alarms = sum(each.verdict() == "false alarm" for each in silent)
    yield report_of_ids(ran)
    yield ""
    yield "precision %s (%d of %d findings; aim: %d %%)" % (percent(right, len(said)), right, len(said), PRECISION_AIM)
    yield "recall %s (%d of %d programs; aim: %d %%)" % (percent(given, len(with_advice)), given, len(with_advice), RECALL_AIM)
    yield "false alarms: %d of %d programs that deserve silence" % (alarms, len(silent))
    for each in outcomes:
        if each.trouble:
            yield "%s: %s" % (each.name, each.trouble)


def options_of(words):
    parser = argparse.ArgumentParser(prog="python3 bench/advice", description=__doc__)
    parser.add_argument("--build", default=os.environ.get("SC_BUILD") or os.path.join(measure.ROOT, "build"), help="folder of the build (default: %(default)s)")
    parser.add_argument("--python", default=sys.executable, help="runs the programs (default: this one)")
    parser.add_argument("--programs", default=PROGRAMS, help="folder of the programs (default: %(default)s)")
    parser.add_argument("--only", action="append", metavar="WORD", help="only programs with this in their name, or this advice")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once; more than one disturbs the measurement")
    parser.add_argument("--shares", action="store_true", help="show how much of its time each program spends on the marked lines")
    parser.add_argument("--json", metavar="FILE", help="write all findings here")
    options = parser.parse_args(words)
    options.build = os.path.abspath(options.build)  # each program runs in a folder of its own
    options.python = os.path.abspath(options.python) if os.path.dirname(options.python) else options.python
    return options


def chosen(options):
    paths = sorted(os.path.join(options.programs, name) for name in os.listdir(options.programs) if name.endswith(".py"))
    if not options.only:
        return paths
    return [path for path in paths if any(word in os.path.basename(path) or word in expected_of(path).advice for word in options.only)]


def line_of(options, each):
    wanted = "|".join(sorted(each.expected.advice)) or "none"
    shares = "%5.1f s %5.1f %%  " % (each.seconds, each.share) if options.shares else ""
    return "%-26s %s%s: %s%s" % (each.name, shares, wanted, each.verdict(), "  [%s]" % each.said() if each.findings else "")


def main(words=None):
    options = options_of(words)
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each in pool.map(lambda path: try_program(options, path), chosen(options)):
            outcomes.append(each)
            print(line_of(options, each), flush=True)
    print("\n" + "\n".join(summary(outcomes)))
    measure.write_json(options.json, [{"name": each.name, "verdict": each.verdict(), "findings": each.findings} for each in outcomes])
    return 0


if __name__ == "__main__":
    sys.exit(main())
