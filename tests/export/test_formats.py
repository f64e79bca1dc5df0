# tests/export/test_formats.py - every format read back, and compared with the profile number by number.
#
# SPDX-License-Identifier: Apache-2.0
"""Formats."""

import collections
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess

import pytest
import exporting
from exporting import FRAMES, NODES, PROGRAM, SLICES_NS, everything, export, frame_of, reader, seen, slices, truth

from conftest import BUILD, execute

made = exporting.made


# -------- collapsed --------


def collapsed(text):
    """stack of frames as shown -> weight."""
    found = {}
    for one in text.decode("utf-8").splitlines():
        stack, _, weight = one.rpartition(" ")
        assert tuple(stack.split(";")) not in found
        found[tuple(stack.split(";"))] = int(weight)
    return found


def test_collapsed_has_all_stacks_in_microseconds(scalene, tmp_path):
    shown = [one[-1].replace(";", ":") for one in FRAMES]
    stacks, expected = [()], {}
    for parent, frame, self_s, *_ in NODES:
        stacks.append((*stacks[parent], shown[frame]))
        if self_s:
            expected[stacks[-1]] = round(self_s * 1e6)
    assert collapsed(export(scalene, "collapsed", everything(), tmp_path)) == expected


def test_collapsed_of_any_profile_sums_to_its_time(scalene, tmp_path, made):
    known = truth(made)
    found = collapsed(export(scalene, "collapsed", made, tmp_path))
    if "samples" in known:
        assert sum(found.values()) == sum(known["samples"].values())
    else:
        assert abs(sum(found.values()) - sum(known["time"].values()) / 1000) <= len(known["time"]) / 2 + 1


# -------- speedscope --------


def speedscope(text):
    """(value -> {stack: weight}, thread -> [(begin, end, depth, name)]), checked as the schema of its files demands."""
    read = json.loads(text)
    frames = [(frame["name"], frame.get("file", ""), frame.get("line", 0)) for frame in read["shared"]["frames"]]
    assert all(set(frame) <= {"name", "file", "line", "col"} for frame in read["shared"]["frames"])
    values, threads = {}, {}
    for one in read["profiles"]:
        assert one["unit"] in ("none", "nanoseconds", "bytes") and one["startValue"] == 0
        if one["type"] == "sampled":
            assert set(one) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
            assert len(one["samples"]) == len(one["weights"]) and one["endValue"] == sum(one["weights"])
            stacks = [tuple(frames[at] for at in stack) for stack in one["samples"]]
            assert one["name"] not in values
            values[one["name"]] = {}
            for stack, weight in zip(stacks, one["weights"]):
                values[one["name"]][stack] = values[one["name"]].get(stack, 0) + weight
        else:
            assert set(one) == {"type", "name", "unit", "startValue", "endValue", "events"} and one["type"] == "evented"
            events = [(event["at"], event["frame"], event["type"]) for event in one["events"]]
            threads[one["name"]] = slices(events, frames)
            assert all(0 <= at <= one["endValue"] for at, _, _ in events)
    return values, threads


def test_speedscope_has_every_value_and_thread(scalene, tmp_path):
    values, threads = speedscope(export(scalene, "speedscope", everything(), tmp_path))
    assert values == truth(everything())
    assert threads == SLICES_NS


def test_speedscope_of_any_profile(scalene, tmp_path, made):
    assert speedscope(export(scalene, "speedscope", made, tmp_path))[0] == truth(made)


# -------- firefox --------


def table(made, **kinds):
    """A table's rows: every column has a cell of its kind for each row, and there are no others."""
    assert set(made) == {*kinds, "length"}
    for key, kind in kinds.items():
        assert len(made[key]) == made["length"] and all(isinstance(cell, kind) and (kind is bool or not isinstance(cell, bool)) for cell in made[key]), key
    return made


def firefox(text):
    """(thread -> {stack: ms}, {stack: bytes}, the JSON), checked as the types in the source of the profiler have version 61."""
    read = json.loads(text)
    none, maybe = type(None), (int, type(None))
    assert set(read) == {"meta", "libs", "threads", "counters", "shared"} and read["meta"]["preprocessedProfileVersion"] == 61
    shared = read["shared"]
    frames = table(shared["frameTable"], address=int, inlineDepth=int, category=int, subcategory=int, func=int, nativeSymbol=none, innerWindowID=none, line=maybe, column=none)
    functions = table(shared["funcTable"], name=int, isJS=bool, relevantForJS=bool, resource=int, source=maybe, lineNumber=none, columnNumber=none)
    resources = table(shared["resourceTable"], lib=none, name=int, host=none, type=int)
    sources = table(shared["sources"], id=none, filename=int, startLine=int, startColumn=int, sourceMapURL=none)
    stacks = table(shared["stackTable"], frame=int, prefix=maybe)
    table(shared["nativeSymbols"], libIndex=int, address=int, name=int, functionSize=int)
    assert set(shared) == {"frameTable", "funcTable", "resourceTable", "sources", "stackTable", "nativeSymbols", "stringArray"}
    categories = read["meta"]["categories"]
    assert categories[-1]["color"] == "grey" and all(0 <= category < len(categories) for category in frames["category"])
    text_of = shared["stringArray"]

    def key_of(frame):
        function = frames["func"][frame]
        source, resource = functions["source"][function], functions["resource"][function]
        path = text_of[sources["filename"][source]] if source is not None else text_of[resources["name"][resource]] if resource >= 0 else ""
        return text_of[functions["name"][function]], path, frames["line"][frame] or 0

    paths = []
    for at, prefix in enumerate(stacks["prefix"]):
        assert prefix is None or prefix < at
        paths.append((*(paths[prefix] if prefix is not None else ()), key_of(stacks["frame"][at])))
    threads, allocated = {}, {}
    for thread in read["threads"]:
        for which, found in (("samples", threads.setdefault(thread["name"], {})), ("nativeAllocations", allocated)):
            samples = thread.get(which)
            if samples is None:
                continue
            assert set(samples) == {"stack", "time", "weight", "weightType", "length"} and samples["time"] == sorted(samples["time"])
            assert len(samples["stack"]) == len(samples["time"]) == len(samples["weight"]) == samples["length"]
            for stack, weight in zip(samples["stack"], samples["weight"]):
                found[paths[stack]] = found.get(paths[stack], 0) + weight
        table(thread["markers"], data=int, name=int, startTime=int, endTime=int, phase=int, category=int)
        assert isinstance(thread["pid"], str) and isinstance(thread["tid"], str) and thread["pausedRanges"] == []
    return threads, allocated, read


def test_firefox_has_threads_memory_and_curves(scalene, tmp_path):
    threads, allocated, read = firefox(export(scalene, "firefox", everything(), tmp_path))
    assert {name: sum(found.values()) for name, found in threads.items()} == {
        'Main"Thr;ead<U+001B>': 6937.5,
        "worker": 500.0,
        "In no timeline: rest of the time, memory": 250.001,
    }
    assert allocated == truth(everything())["allocated"]
    assert [(thread["pid"], thread["tid"], thread["isMainThread"]) for thread in read["threads"]] == [("4242", "11", True), ("4242", "12", False), ("4242", "0", False)]
    assert [(one["name"], one["pid"], one["samples"]) for one in read["counters"]] == [
        ("malloc", "4242", {"time": [0.0, 2000.0], "count": [2**20, 75759616], "length": 2}),
        ("rss", "4242", {"time": [0.0, 4000.0], "count": [10485760, 73924608], "length": 2}),
    ]
    assert (read["meta"]["startTime"], read["meta"]["interval"], read["meta"]["product"]) == (1790000000500.0, 10.0, "prog.py")


def test_firefox_of_any_profile(scalene, tmp_path, made):
    threads, allocated, _ = firefox(export(scalene, "firefox", made, tmp_path))
    known = truth(made)
    sums = collections.defaultdict(float)
    for found in threads.values():
        for stack, weight in found.items():
            sums[stack] += weight
    expected = known["samples"] if "samples" in known else {stack: time / 1e6 for stack, time in known.get("time", {}).items()}
    assert dict(sums) == {stack: pytest.approx(weight, abs=2e-6) for stack, weight in expected.items()}
    assert allocated == known.get("allocated", {})


# -------- callgrind --------

COST = re.compile(r"[0-9]+( [0-9]+)+")


def callgrind(text):
    """(value -> {(name, path, line): own number}, value -> {(caller, line, callee): number}), as the format's grammar has it."""
    lines = iter(text.decode("utf-8").split("\n"))
    assert next(lines) == "# callgrind format"
    head, names, at, callee, is_call = {}, {}, {}, {}, False
    own, calls = collections.defaultdict(dict), collections.defaultdict(dict)
    for line in lines:
        found = re.fullmatch(r"(c?ob|c?fi|c?fl|c?fn)=\(([0-9]+)\)(?: (.*))?", line)
        if found:
            key, number, name = found.groups()
            kind = {"ob": "ob", "fi": "fl", "fl": "fl", "fn": "fn"}[key[-2:]]
            assert (name is None) == ((kind, number) in names)
            name = names.setdefault((kind, number), name)
            (callee if len(key) == 3 else at)[kind] = name
        elif line.startswith("calls="):
            assert re.fullmatch("calls=1 [0-9]+", line)
            is_call = True
        elif COST.fullmatch(line):
            number, *costs = map(int, line.split())
            assert len(costs) == len(head["events"])
            for value, cost in zip(head["events"], costs):
                if cost and is_call:
                    calls[value][place(at), number, place(callee)] = cost
                elif cost:
                    assert (*place(at), number) not in own[value]
                    own[value][(*place(at), number)] = cost
            is_call = False
        elif line:
            key, _, rest = line.partition(": ")
            assert not at
            head[key] = rest.split() if key in ("events", "summary") else rest
    assert [sum(own[value].values()) for value in head["events"]] == list(map(int, head["summary"])) and head["positions"] == "line"
    return dict(own), dict(calls)


def place(at):
    return at["fn"], at["fl"] if at["fl"] != "???" else "" if at["ob"] == "python" else at["ob"]


def by_line(stacks):
    """(name, path, line) -> number, of stacks."""
    found = collections.defaultdict(int)
    for stack, number in stacks.items():
        found[stack[-1]] += number
    return dict(found)


def test_callgrind_has_lines_and_calls(scalene, tmp_path):
    own, calls = callgrind(export(scalene, "callgrind", everything(), tmp_path))
    assert own == {value: by_line(stacks) for value, stacks in truth(everything()).items()}
    main, lambda_ = ("main", "/srv/app/prog.py"), ("(lambda)", "/srv/app/prog.py")
    load, native = ('lo"ad;x<U+000A>', "/srv/app/a,b 名<FF>.py"), ("operator<</&|`x`", "/usr/lib/libz.so.1")
    assert calls["time"] == {
        (("<module>", "/srv/app/prog.py"), 9, main): 6_937_501_000, (main, 2, load): 687_500_000, (load, 3, native): 562_500_000,
        (native, 0, ("[kernel]", "[kernel]")): 62_500_000, (main, 3, lambda_): 5_000_001_000, (lambda_, 7, lambda_): 3_000_001_000,
        (lambda_, 7, ("JSONEncoder.encode", "/usr/lib/python3.12/json/encoder.py")): 1_000,
    }


def test_callgrind_of_any_profile(scalene, tmp_path, made):
    known = truth(made)
    own, _ = callgrind(export(scalene, "callgrind", made, tmp_path))
    assert set(own) == set(known)
    for value, stacks in known.items():
        expected = by_line(stacks)
        assert set(own[value]) == set(expected)
        assert all(abs(own[value][key] - number) <= len(stacks) for key, number in expected.items())


def test_code_that_calls_itself_has_its_time_once(scalene, tmp_path):
    made = everything()
    frames = [frame_of("py", name, PROGRAM, line, None, "") for name, line in (("f", 1), ("g", 2))]
    chain = [[number, number % 2, 0.0 if number < 9 else 1.0, 0.0] for number in range(10)]
    made["scalene_c"].update(call_frames=frames, call_tree=chain, call_at_peak_mb=[], call_at_exit_mb=[], call_waiting_s=[], call_timeline=[])
    _, calls = callgrind(export(scalene, "callgrind", made, tmp_path))
    f, g = ("f", PROGRAM), ("g", PROGRAM)
    assert calls["time"] == {(f, 1, g): 10**9, (g, 2, f): 10**9}


def test_callgrind_annotate_reads_it(scalene, tmp_path):
    if shutil.which("callgrind_annotate") is None:
        pytest.skip("no callgrind_annotate (tools/setup --tests installs valgrind)")
    (tmp_path / "x.out").write_bytes(export(scalene, "callgrind", everything(), tmp_path))
    command = ["callgrind_annotate", "--auto=no", "--threshold=100", "--show=time", "x.out"]
    ended = subprocess.run(command, cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, encoding="utf-8")
    assert ended.stderr == ""
    assert re.search(r"^7,687,501,000 \(100.0%\)  PROGRAM TOTALS$", ended.stdout, re.M)
    assert re.search(r"^5,000,000,000 \(65.04%\)  /srv/app/prog.py:\(lambda\) ", ended.stdout, re.M)


# -------- csv --------

TEXTS = ("file", "function", "line")


def csv_rows(text):
    shown = text.decode("utf-8")
    assert shown.count("\r\n") == shown.count("\n") - sum(cell.count("\n") for row in csv.reader(io.StringIO(shown, newline=""), strict=True) for cell in row)
    rows = list(csv.DictReader(io.StringIO(shown, newline=""), strict=True))
    for row in rows:
        for key in TEXTS:
            assert not re.match(r"[\t\r\n]*[=+@-]", row[key])  # no spreadsheet takes it for a formula
            row[key] = re.sub(r"^'(?=[\t\r\n]*[=+@-])", "", row[key])
    return rows


def cells(path, record):
    """The numbers of a record of the JSON, as columns."""
    found = {key: value for key, value in record.items() if isinstance(value, (int, float))}
    for key in ("time_s", "wait_s"):
        found.update({key + "_" + kind: value for kind, value in record.get(key, {}).items()})
    return found


def test_csv_has_every_number_of_every_line_that_cost_something(scalene, tmp_path, made):
    rows = csv_rows(export(scalene, "csv", made, tmp_path))
    found = {(row["file"], int(row["lineno"])): row for row in rows}
    assert len(found) == len(rows)
    left_out = ("lineno", "is_coroutine", "start_region_line", "end_region_line", "start_outermost_loop", "end_outermost_loop", "start_function_line", "end_function_line")
    for path, one_file in made["files"].items():
        for line in one_file["lines"]:
            row = found.pop((seen(path), line["lineno"]), None)
            truth_of_line = cells(path, line)
            if row is None:
                assert not any(value for key, value in truth_of_line.items() if key not in left_out)
                continue
            numbers = {key: json.loads(value) for key, value in row.items() if key not in TEXTS}
            assert {key: value for key, value in numbers.items() if value} == {key: value for key, value in truth_of_line.items() if value}
            source = re.sub(r"\\u00(26|3c|3e)", lambda code: chr(int(code[1], 16)), line["line"])  # as the original escapes them
            assert row["line"] == seen(re.split("[\r\n]", source)[0], "\t")
    assert not found


def test_csv_of_everything(scalene, tmp_path):
    (second, third, seventh) = csv_rows(export(scalene, "csv", everything(), tmp_path))
    assert (second["function"], second["line"], second["wait_s_gil"], second["n_copy_mb_s"]) == ("main", '    load("=1,2", "a;b")', "0.25", "2.0")
    assert (third["n_gpu_s"], third["memory_samples"] if "memory_samples" in third else None) == ("0.75", None)
    assert (seventh["function"], seventh["n_mallocs"], seventh["is_coroutine"]) == ("run", "12345678901", "false")


@pytest.mark.parametrize("text", ["=1+1", "@cmd", "-2+3", "+cmd|' /C calc'!A0", "\t=1"])
def test_csv_has_no_formulas(scalene, tmp_path, text):
    made = everything()
    for one_file in made["files"].values():
        for line in one_file["lines"]:
            line["line"] = text + "\n"
    shown = export(scalene, "csv", made, tmp_path).decode("utf-8")
    assert '"\'%s"' % text in shown and '"%s"' % text not in shown


# -------- markdown --------


class Page(html.parser.HTMLParser):
    """The rows and items of a page, and the elements it has."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.rows, self.items, self.heads = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.at = {"tr": self.rows, "li": self.items, "h2": self.heads, "h3": self.heads}.get(tag, getattr(self, "at", None))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag in ("li", "h2", "h3"):
            self.at.append("")

    def handle_data(self, text):
        if self.at is self.rows and self.rows[-1]:
            self.rows[-1][-1] += text.strip("\n")
        elif self.at is not None and self.at is not self.rows:
            self.at[-1] += text.strip("\n")


def page_of(text):
    cmarkgfm = reader("cmarkgfm")
    # raw HTML as it is: what should not be an element is none by its escapes alone
    page = Page(cmarkgfm.github_flavored_markdown_to_html(text.decode("utf-8"), cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))
    assert page.elements <= {"h2", "h3", "table", "thead", "tbody", "tr", "th", "td", "code", "ul", "li"}
    return page


BREAKOUTS = "| `x` ||``` *a* _b_ [c](http://d) <script>e</script> @f #1 :tada: ~~g~~ $h$ www.i.com https://j.k &amp; \\ \u202e"


def test_markdown_is_a_summary_that_cannot_be_broken(scalene, tmp_path):
    made = everything()
    (one_file,) = made["files"].values()
    one_file["lines"][1]["line"] = BREAKOUTS + "\n"
    one_file["lines"][2]["line"] = "x = '" + "宽" * 100 + "'\n"
    one_file["functions"][0]["line"] = BREAKOUTS
    page = page_of(export(scalene, "markdown", made, tmp_path))
    assert page.heads == ["Profile of prog.py", "Hottest lines", "Hottest functions"]
    shown = seen(BREAKOUTS)
    # of lines: 20 % and 5.5 % of 7.6875 s
    assert page.rows[0] == ["", ""] and ["Elapsed", "8.00 s"] in page.rows and ["Peak memory", "73.2 MB"] in page.rows
    assert page.rows[page.rows.index(["Time", "Share", "Where", "Code"]) + 1 :][0] == ["1.54 s", "20%", "prog.py:2", shown]
    (wide,) = [row for row in page.rows if row[-1].startswith("x = ")]
    assert wide[-1] == "x = '" + "宽" * 39 + "..."
    assert page.rows[-1] == ["1.54 s", "20%", "prog.py:1", shown]
    assert "hunter2" not in str(page.rows)


def test_markdown_has_the_findings(scalene, tmp_path):
    with open(BUILD + "/tests/view/data/full.json", encoding="utf-8") as stream:
        made = json.load(stream)
    page = page_of(export(scalene, "markdown", made, tmp_path))
    ended = execute([scalene, "view", "--json", os.path.join(str(tmp_path), "p.json")], cwd=str(tmp_path)).expect(0)
    findings = [finding["text"] for finding in json.loads(ended.stdout)["findings"]]
    assert page.items == findings and len(findings) > 1
    assert [row for row in page.rows if row[-1] == "Code"] == [["Time", "Share", "Where", "Code"], ["Peak", "Allocated", "Where", "Code"]]


def test_markdown_of_any_profile(scalene, tmp_path, made):
    page = page_of(export(scalene, "markdown", made, tmp_path))
    assert page.heads[0].startswith("Profile of ") and page.rows[1][0] == "Elapsed"
