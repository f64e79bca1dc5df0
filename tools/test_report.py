# tools/test_report.py - what a long run has found: build-logs/report.md for people, report.json for programs.
#
# SPDX-License-Identifier: Apache-2.0
"""The report of tools/test-all."""

import json
import os
import pathlib
import platform
import re
import subprocess
import tomllib
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPS = ROOT / "tests" / "skips.toml"


def skips_of(path):
    """(name, reason) of each test that was skipped, in a file of results of pytest or of tools/claims.py."""
    if path is None or not path.exists():
        return []
    if path.suffix == ".xml":
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
        found = [(case.get("classname") + "::" + case.get("name"), case.find("skipped")) for case in cases]
        return [(name, skipped.get("message") or "") for name, skipped in found if skipped is not None]
    if path.parent.name == "meson-logs":
        return []
    return [(claim["name"], claim["skipped"]) for claim in json.loads(path.read_text())["noted"] if claim["verdict"] == "skipped"]


def is_confined():
    """Whether this has not CAP_SYS_ADMIN, number 21."""
    return not int(re.search(r"CapEff:\s*(\w+)", pathlib.Path("/proc/self/status").read_text())[1], 16) >> 21 & 1


def unexpected_skips(path, is_root=os.geteuid() == 0, confined=is_confined()):
    """Those whose reason tests/skips.toml does not name for this machine."""
    expected = tomllib.loads(SKIPS.read_text())
    reasons = re.compile("|".join(expected["by_design"] + expected["as_root" if is_root else "not_as_root"] + expected["confined"] * confined))
    return [(name, why) for name, why in skips_of(path) if not reasons.match(why)]


def machine():
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    return {"commit": commit, "kernel": platform.release(), "processors": os.cpu_count(), "libc": " ".join(platform.libc_ver())}


def write(folder, stages, claims_files):
    """Writes both files. stages: what came of each, in order; claims_files: stage -> results of tools/claims.py."""
    claims = {name: json.loads(path.read_text()) for name, path in claims_files.items() if path.exists()}
    found = {"machine": machine(), "stages": stages, "claims": claims}
    (folder / "report.json").write_text(json.dumps(found, indent=1) + "\n")
    (folder / "report.md").write_text("\n".join(lines_of(found)) + "\n")


def lines_of(found):
    failures = [why for stage in found["stages"] for why in stage["failures"]]
    yield "# The long run: " + ("%d failures" % len(failures) if failures else "nothing failed")
    yield ""
    yield "%(commit)s, Linux %(kernel)s, %(processors)d processors, %(libc)s" % found["machine"]
    if failures:
        yield ""
        yield from ("- " + why for why in failures)
    yield ""
    yield "| stage | passed | failed | skipped | seconds |"
    yield "|---|---|---|---|---|"
    for stage in found["stages"]:
        yield "| %(stage)s | %(passed)d | %(failed)d | %(skipped)d | %(seconds)d |" % stage
    for name, claims in found["claims"].items():
        yield ""
        yield "## %s: %s" % (name, ", ".join("%d %s" % (count, word) for word, count in claims["counts"].items()))
        noted = [claim for claim in claims["noted"] if claim["verdict"] != "skipped"]
        if noted:
            yield ""
            yield "| not right at once | verdict | held | missed | left out |"
            yield "|---|---|---|---|---|"
            for claim in noted:
                yield "| %(name)s | %(verdict)s | %(held)d | %(missed)d | %(left_out)d |" % claim
        yield ""
        yield "| claim | forms | runs | missed | of all its runs, 95 % |"
        yield "|---|---|---|---|---|"
        for test, one in sorted(claims["tests"].items(), key=lambda item: (-item[1]["missed"], item[0])):
            yield "| %s | %d | %d | %d | %.1f to %.1f %% |" % (test, one["forms"], one["runs"], one["missed"], *one["missed_percent_95"])
