# tests/diff/test_page_file.py - `scalene diff --html`: what the page holds, and options that do not go together.
#
# SPDX-License-Identifier: Apache-2.0
"""The file of a comparison. What the page shows of it is tested in tests/page."""

import json
import re

import pytest
from made import diff, file, profile, run, written

SHOP = '''
def fill():
    first = 1
    text = "</script><b>"


def sell():
    third = 3
'''
BEFORE = {"first": 2.0, "third": 4.0}
AFTER = {"first": 5.0, "third": 4.02}


def answers(path):
    """question -> answer, of the block that the page has in itself."""
    (block,) = re.findall(r'<script type="application/json" id="answers">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(block)


@pytest.fixture
def page(scalene, tmp_path):
    """page(before, after): the answers of the page of two profiles."""

    def make(before, after, *words):
        paths = [written(tmp_path, name, made) for name, made in (("before.json", before), ("after.json", after))]
        ended = run(scalene, "--html", "-o", str(tmp_path / "page.html"), *words, *paths)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == "Comparison saved to: %s\n" % (tmp_path / "page.html")
        return answers(tmp_path / "page.html")

    return make


def stacks(before, after):
    return [(("main", "sell"), before), (("main", "fill"), after)]


def test_the_page_has_the_numbers_of_the_json(scalene, page, tmp_path):
    before, after = profile(SHOP, BEFORE, stacks=stacks(4.0, 2.0)), profile(SHOP, AFTER, 13.0, stacks=stacks(4.02, 5.0))
    made = page(before, after)
    assert made["api/diff"] == diff(scalene, tmp_path, before, after, "--all")
    assert len(made["api/diff"]["lines"]) == 2 and len(made["api/diff"]["stacks"]) == 3
    assert made["api/overview"]["comparison"] == {"before": str(tmp_path / "before.json"), "after": str(tmp_path / "after.json")}


def test_calls_are_one_tree_with_the_same_numbers(page):
    made = page(profile(SHOP, BEFORE, stacks=stacks(4.0, 2.0)), profile(SHOP, AFTER, 13.0, stacks=stacks(4.02, 5.0)))
    tree = made["api/diff?of=stacks"]
    names = [tree["frames"][frame]["name"] for frame in tree["node_frames"][1:]]
    assert names == ["main", "sell", "fill"] and tree["parents"] == [0, 0, 1, 1] and tree["node_frames"][0] == -1
    assert tree["numbers"][1:] == [stack["numbers"]["total_s"] for stack in made["api/diff"]["stacks"]]
    assert tree["numbers"][0] == {"before": 6, "after": 9.02, "change": 3.02}
    # 3.02 s more of 9.02 s, not certain, 3 s more of 5 s
    assert [one.get("verdict") for one in tree["numbers"]] == [None, "certain", "not certain", "certain"]
    assert tree["levels"] == [0, 1, 0, 2]
    assert tree["frames"][2]["before"] == tree["frames"][2]["after"] == [0, 1]


def test_what_is_less_or_gone_has_the_other_levels(page):
    tree = page(profile(SHOP, AFTER, 13.0, stacks=stacks(4.0, 5.0)), profile(SHOP, BEFORE, stacks=[(("main", "sell"), 3.0)]))["api/diff?of=stacks"]
    assert tree["levels"] == [0, -2, -1, -2]


def test_calls_that_are_tiny_on_both_sides_are_part_of_their_caller(page):
    few = [(("main", "sell"), 9.0), (("main", "often", "seldom"), 0.002)]
    tree = page(profile(SHOP, BEFORE, stacks=few), profile(SHOP, BEFORE, stacks=few))["api/diff?of=stacks"]
    assert (len(tree["numbers"]), tree["folded"]) == (3, 2)
    more = [(("main", "sell"), 9.0), (("main", "often", "seldom"), 0.02)]
    tree = page(profile(SHOP, BEFORE, stacks=few), profile(SHOP, BEFORE, stacks=more))["api/diff?of=stacks"]
    assert (len(tree["numbers"]), tree["folded"]) == (5, 0)


def text(line):
    return "".join(part for _, part in line["code"])


def test_sources_have_their_matches(page):
    moved = SHOP.replace("def fill", "import sys\n\n\ndef fill")
    made = page(profile(SHOP, BEFORE), profile(moved, AFTER, 13.0))
    assert made["api/diff?of=files"] == {"pairs": [{side: {"file": "shop.py", "path": "/home/ada/shop/shop.py"} for side in ("before", "after")}], "left_out": 0}
    sources = made["api/diff?of=sources&pair=0"]
    assert [text(line) for line in sources["before"]["lines"]] == SHOP.strip("\n").split("\n")
    assert [text(line) for line in sources["after"]["lines"]] == moved.strip("\n").split("\n")
    lines = {text(line): line for line in sources["after"]["lines"]}
    assert (lines["    first = 1"]["pair"], lines["    first = 1"]["line"]) == (0, 2)
    assert "line" not in lines["import sys"]
    assert sources["functions"] == [
        {"name": "fill", "after": {"pair": 0, "start": 4, "end": 6}, "before": {"pair": 0, "start": 1, "end": 3}},
        {"name": "sell", "after": {"pair": 0, "start": 9, "end": 10}, "before": {"pair": 0, "start": 6, "end": 7}},
    ]


def test_a_function_that_was_moved_has_the_file_that_it_was_in(page):
    shop = SHOP + "    fourth = 4\n"
    fill, sell = shop.strip("\n").split("\n\n\n")
    files = {"/home/ada/shop/shop.py": file(fill, BEFORE, 10.0), "/home/ada/shop/till.py": file("import sys\n\n\n" + sell, {"third": 7.0}, 10.0)}
    made = page(profile(shop, BEFORE), profile(shop, BEFORE, files=files))
    pairs = made["api/diff?of=files"]["pairs"]
    assert [[pair[side]["file"] for side in ("before", "after") if side in pair] for pair in pairs] == [["shop.py", "shop.py"], ["till.py"]]
    (moved,) = made["api/diff?of=sources&pair=1"]["functions"]
    assert moved == {"name": "sell", "after": {"pair": 1, "start": 4, "end": 6}, "before": {"pair": 0, "start": 6, "end": 8}}
    line = made["api/diff?of=sources&pair=1"]["after"]["lines"][4]
    assert (text(line), line["pair"], line["line"]) == ("    third = 3", 0, 7)


def test_files_that_changed_least_are_left_out(page):
    def files(first, second):
        long = "a = 1\nb = 2\n" + "\n" * 19990
        return {
            "/home/ada/shop/one.py": file(long, {"a =": first}, 10.0),
            "/home/ada/shop/two.py": file(long.replace("b", "c"), {"c =": second}, 10.0),
        }

    made = page(profile(SHOP, BEFORE, files=files(1.0, 2.0)), profile(SHOP, BEFORE, files=files(1.1, 4.0)))
    assert [pair["after"]["file"] for pair in made["api/diff?of=files"]["pairs"]] == ["two.py"]
    assert made["api/diff?of=files"]["left_out"] == 1
    assert "api/diff?of=sources&pair=1" not in made


def test_without_a_name_the_file_has_the_usual_one(scalene, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [written(tmp_path, name, profile(SHOP, BEFORE)) for name in ("a.json", "b.json")]
    assert run(scalene, "--html", *paths).stdout == "Comparison saved to: scalene-diff.html\n"
    assert answers(tmp_path / "scalene-diff.html")["api/diff"]["same"] is True


def test_limits_decide_the_status_of_a_page_too(scalene, tmp_path):
    paths = [written(tmp_path, "a.json", profile(SHOP, BEFORE)), written(tmp_path, "b.json", profile(SHOP, AFTER, 13.0))]
    ended = run(scalene, "--html", "-o", str(tmp_path / "page.html"), "--fail-if", "time>5%", *paths)
    assert ended.returncode == 3
    (limit,) = answers(tmp_path / "page.html")["api/diff"]["limits"]
    assert (limit["limit"], limit["outcome"]) == ("time>5%", "exceeded")


@pytest.mark.parametrize(
    "words, said",
    [
        (["--html", "--json"], "--json does not go with a page"), (["--view", "--json"], "--json does not go with a page"),
        (["--html", "--view"], "--html does not go with --view"), (["-o", "x.html"], "--outfile goes with --html"),
        (["--view", "-o", "x.html"], "--outfile goes with --html"), (["--no-browser"], "--no-browser goes with --view"),
    ],
)
def test_options_that_do_not_go_together(scalene, tmp_path, words, said):
    paths = [written(tmp_path, name, profile(SHOP, BEFORE)) for name in ("a.json", "b.json")]
    ended = run(scalene, *words, *paths)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_file_that_cannot_be_written(scalene, tmp_path):
    paths = [written(tmp_path, name, profile(SHOP, BEFORE)) for name in ("a.json", "b.json")]
    ended = run(scalene, "--html", "-o", str(tmp_path / "no" / "page.html"), *paths)
    assert ended.returncode == 1 and "page.html" in ended.stderr
    ended = run(scalene, "--html", "-o", paths[1], *paths)
    assert ended.returncode == 1 and "b.json' is one of the profiles" in ended.stderr
