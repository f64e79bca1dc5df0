#!/usr/bin/python3
# tools/claims.py RESULTS.json [PYTEST WORDS...] - runs the tests marked `statistical` until each is decided.
#
# Such a test is a claim: a number that was sampled or timed in one run of a program stands within a limit of the truth. A right
# product misses the limit now and then, so no single miss decides. Each run of a test is one value, held or missed, and a
# claim is judged by Wald's sequential probability ratio test between a product that misses in MISSES_IF_RIGHT of its runs and
# one that misses in MISSES_IF_WRONG (A. Wald, Sequential Tests of Statistical Hypotheses, 1945, section 3). A claim that holds in
# its first run is accepted, so that all claims take little more than one run each; after a miss it must hold often enough to
# outweigh it. All claims run once before any of them runs again: one bad minute is not all that a claim is judged by.
#
# What this proves: that some right claim of a run is called wrong has a chance of at most WRONGLY_WRONG (Ville's inequality: it does
# not matter when one stops). A wrong claim that misses in a share q of its runs is accepted at once with a chance of 1 - q;
# claims that are made on ten interpreters have ten such chances.
#
# A run in which others took much of the processors' time (the machine's host, programs that are no part of the tests) is left
# out, whatever it gave. All else that goes wrong in a test (a status, an output, a crash, a hang, numbers that contradict each
# other) is no sampled number, and fails at once: only an assert that compares numbers misses (tests/sampled.py).
#
# SPDX-License-Identifier: Apache-2.0
"""Sequential tests of what is claimed of sampled numbers."""

import dataclasses
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent

MISSES_IF_RIGHT = 0.1
MISSES_IF_WRONG = 0.6
WRONGLY_WRONG = 1e-6
MISS = math.log(MISSES_IF_WRONG / MISSES_IF_RIGHT)
HELD = math.log((1 - MISSES_IF_WRONG) / (1 - MISSES_IF_RIGHT))
MOST_RUNS = 40
MOST_LEFT_OUT = 10

# A machine that has lost more than this to others measures them, too (tests/host.py).
MOST_TAKEN_PERCENT = 5.0

STATUS_NONE_CHOSEN = 5


@dataclasses.dataclass
class Claim:
    """One test with its parameters, and what its runs gave."""

    name: str  # as on pytest's command line
    held: int = 0
    missed: int = 0
    left_out: int = 0
    skipped: str = ""  # why
    broken: str = ""  # what else went wrong

    def add(self, held, missed, taken_percent):
        if taken_percent > MOST_TAKEN_PERCENT:
            self.left_out += 1
        else:
            self.held += held
            self.missed += missed

    def verdict(self, n_claims):
        """"right", "wrong", "broken", "skipped", "undecided", or None: it must run again."""
        if self.broken:
            return "broken"
        if self.skipped:
            return "skipped"
        score = self.missed * MISS + self.held * HELD
        if score >= math.log(n_claims / WRONGLY_WRONG):
            return "wrong"
        if score <= HELD:
            return "right"
        is_over = self.held + self.missed >= MOST_RUNS or self.left_out >= MOST_LEFT_OUT
        return "undecided" if is_over else None


def interval_percent(missed, runs):
    """Wilson's interval of a share at 95 %, in percent; E. B. Wilson, Probable Inference, 1927."""
    if runs == 0:
        return 0.0, 100.0
    z = 1.96
    centre = (missed + z * z / 2) / (runs + z * z)
    half = z * math.sqrt(missed * (runs - missed) / runs + z * z / 4) / (runs + z * z)
    return 100 * max(0.0, centre - half), 100 * min(1.0, centre + half)


def name_of(case):
    """As pytest takes it on its command line; a class of tests follows its file."""
    words = case.get("classname").split(".")
    files = [end for end in range(1, len(words)) if (ROOT / ("/".join(words[:end]) + ".py")).exists()]
    end = files[0] if files else len(words)
    return "::".join(["/".join(words[:end]) + ".py", *words[end:], case.get("name")])


def read_round(path, claims):
    """Adds one run of each test in a file of results to its claim."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        claim = claims.setdefault(name_of(case), Claim(name_of(case)))
        noted = {one.get("name"): float(one.get("value")) for one in case.iter("property")}
        failure, error, skip = (case.find(word) for word in ("failure", "error", "skipped"))
        if error is not None or (failure is not None and "missed" not in noted):
            claim.broken = ((failure if error is None else error).get("message") or "it failed")[:400]
        elif skip is not None:
            claim.skipped = skip.get("message") or "no reason"
        else:
            claim.add(failure is None, failure is not None, noted.get("taken_percent", 0.0))


def run_round(words, results):
    """One pytest. Its status is an answer only where it wrote results."""
    results.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "statistical", f"--junitxml={results}", *words]
    environment = {**os.environ, "SC_TESTS_ROOT": str(os.getpid())}
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if status not in (0, 1, STATUS_NONE_CHOSEN) or not results.exists():
        raise SystemExit(f"pytest ended with {status}")


def decide(claims, run_again):
    """Lets run_again(names) run what is open until nothing is. It adds the runs to the claims."""
    while still := [claim for claim in claims.values() if claim.verdict(len(claims)) is None]:
        print(f"{len(still)} of {len(claims)} claims are open", flush=True)
        runs = [claim.held + claim.missed + claim.left_out for claim in still]
        run_again([claim.name for claim in still])
        for claim, before in zip(still, runs):
            if claim.verdict(len(claims)) is None and claim.held + claim.missed + claim.left_out == before:
                claim.broken = "it did not run again"


def summary(claims):
    """What the report shows: counts, the claims that were not right at once, and each test with its share of misses."""
    verdicts = {name: claim.verdict(len(claims)) for name, claim in claims.items()}
    tests = {}
    for claim in claims.values():
        one = tests.setdefault(claim.name.partition("[")[0], {"forms": 0, "runs": 0, "missed": 0, "left_out": 0})
        one["forms"] += not claim.skipped
        one["runs"] += claim.held + claim.missed
        one["missed"] += claim.missed
        one["left_out"] += claim.left_out
    for one in tests.values():
        one["missed_percent_95"] = [round(bound, 1) for bound in interval_percent(one["missed"], one["runs"])]
    return {
        "counts": {word: list(verdicts.values()).count(word) for word in ("right", "wrong", "broken", "undecided", "skipped")},
        "noted": [
            {**dataclasses.asdict(claim), "verdict": verdicts[name]}
            for name, claim in claims.items()
            if verdicts[name] != "right" or claim.missed or claim.left_out
        ],
        "tests": tests,
    }


def main(arguments):
    path, words = pathlib.Path(arguments[0]), arguments[1:]
    options = [word for word in words if not word.startswith("tests")]
    claims = {}
    with tempfile.TemporaryDirectory(prefix="claims-") as place:
        results = pathlib.Path(place) / "results.xml"

        def run_again(names):
            run_round([*options, *names], results)
            read_round(results, claims)

        run_round(words, results)
        read_round(results, claims)
        decide(claims, run_again)
    found = summary(claims)
    path.write_text(json.dumps(found, indent=1) + "\n")
    for claim in found["noted"]:
        print("%(verdict)s: %(name)s: held %(held)d, missed %(missed)d, left out %(left_out)d %(broken)s%(skipped)s" % claim)
    print(found["counts"])
    return 1 if found["counts"]["wrong"] or found["counts"]["broken"] or not claims else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
