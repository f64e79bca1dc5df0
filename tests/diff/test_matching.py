# tests/diff/test_matching.py - `scalene diff`: what belongs together through moved, renamed and changed code.
#
# SPDX-License-Identifier: Apache-2.0
"""Lines, functions and files that are the same ones in two versions."""

import pytest
from made import PROGRAM, diff, functions, lines, profile, run, written

SHOP = '''
import sys


class Basket:
    def __init__(self):
        self.prices = []

    def total(self):
        result = 0.0
        for price in self.prices:
            result += price * 1.2
        return result


def fill(basket):
    for number in range(1000):
        basket.prices.append(number ** 0.5)


def main():
    basket = Basket()
    fill(basket)
    print(basket.total())
'''
COSTS = {"result += price": 2.0, "append(number": 4.0, "print(basket": 0.5}
SLOWER = {**COSTS, "result += price": 5.0}


@pytest.fixture
def compare(scalene, tmp_path):
    return lambda before, after, *words: diff(scalene, tmp_path, before, after, *words)


def only_line(result):
    (line,) = lines(result).values()
    return line


def where(line):
    return tuple(line[side] and line[side]["line"] for side in ("before", "after"))


def lineno(source, part):
    (found,) = [number for number, text in enumerate(source.lstrip("\n").splitlines(), 1) if part in text]
    return found


def test_a_line_that_has_not_moved(compare):
    result = compare(profile(SHOP, COSTS), profile(SHOP, SLOWER, 13.0))
    line = only_line(result)
    assert line["before"] == line["after"] == {"file": "shop.py", "path": PROGRAM, "line": lineno(SHOP, "result +="), "source": "result += price * 1.2"}
    number = line["numbers"]["time_s"]
    assert (number["before"], number["after"], number["change"]) == (2.0, 5.0, 3.0)
    assert set(functions(result)) == {"Basket.total"}


def test_lines_below_what_was_added_and_removed(compare):
    moved = SHOP.replace("import sys", "import os\nimport sys\n\nLIMIT = 3").replace("        self.prices = []\n", "        self.prices = list()\n        self.count = 0\n")
    line = only_line(compare(profile(SHOP, COSTS), profile(moved, SLOWER, 13.0)))
    assert where(line) == (lineno(SHOP, "result +="), lineno(moved, "result +="))
    assert where(line)[0] + 4 == where(line)[1]


def test_functions_in_another_order(compare):
    total = SHOP[SHOP.index("def fill") : SHOP.index("def main")]
    moved = SHOP.replace(total, "") + "\n\n" + total
    slower = {**COSTS, "append(number": 8.0}
    line = only_line(compare(profile(SHOP, COSTS), profile(moved, slower, 14.0)))
    assert where(line) == (lineno(SHOP, "append(number"), lineno(moved, "append(number"))


def test_a_line_that_is_indented(compare):
    deeper = SHOP.replace("            result += price * 1.2", "            if price:\n                result += price * 1.2")
    line = only_line(compare(profile(SHOP, COSTS), profile(deeper, SLOWER, 13.0)))
    assert where(line) == (lineno(SHOP, "result +="), lineno(deeper, "result +="))


def test_a_line_whose_text_is_changed(compare):
    changed = SHOP.replace("price * 1.2", "tax(price)")
    result = compare(profile(SHOP, COSTS), profile(changed, {**COSTS, "result += tax": 5.0}, 13.0))
    line = only_line(result)
    assert (line["before"]["source"], line["after"]["source"]) == ("result += price * 1.2", "result += tax(price)")
    assert line["numbers"]["time_s"]["change"] == 3.0


def test_one_line_in_place_of_two_is_new_and_these_are_gone(compare):
    loop = SHOP[SHOP.index("        for price in") : SHOP.index("        return result")]
    changed = SHOP.replace(loop, "        result = sum(self.prices) * 1.2\n")
    result = compare(profile(SHOP, COSTS), profile(changed, {**COSTS, "result = sum": 0.5}, 8.5))
    found = lines(result)
    assert {text: where(line) for text, line in found.items()} == {
        "result += price * 1.2": (lineno(SHOP, "result +="), None),
        "result = sum(self.prices) * 1.2": (None, lineno(changed, "result = sum")),
    }
    (function,) = functions(result).values()
    assert function["numbers"]["time_s"]["change"] == -1.5


def test_a_renamed_function(compare):
    renamed = SHOP.replace("def total(", "def sum_of_prices(").replace("basket.total()", "basket.sum_of_prices()")
    result = compare(profile(SHOP, COSTS), profile(renamed, SLOWER, 13.0))
    (function,) = functions(result).values()
    assert (function["before"]["name"], function["after"]["name"]) == ("Basket.total", "Basket.sum_of_prices")
    assert function["numbers"]["time_s"]["change"] == 3.0
    assert where(only_line(result)) == (lineno(SHOP, "result +="),) * 2


def test_functions_that_only_look_alike_are_not_one(compare):
    other = SHOP.replace(SHOP[SHOP.index("    def total") : SHOP.index("def fill")], "    def rest(self):\n        left = 3\n        while left:\n            left -= 1\n        return left\n\n\n")
    result = compare(profile(SHOP, COSTS), profile(other, {**COSTS, "left -= 1": 2.0}))
    assert {name: (f["before"] is None, f["after"] is None) for name, f in functions(result).items()} == {"Basket.total": (False, True), "Basket.rest": (True, False)}


def test_a_renamed_file(compare):
    renamed = SHOP.replace("import sys", "import os").replace("number ** 0.5", "number ** 0.6")
    result = compare(profile(SHOP, COSTS), profile(renamed, SLOWER, 13.0, name="store/basket.py"))
    line = only_line(result)
    assert (line["before"]["file"], line["after"]["file"]) == ("shop.py", "store/basket.py")
    assert where(line) == (lineno(SHOP, "result +="),) * 2


def test_files_with_little_in_common_are_not_one(compare):
    other = "def job():\n    while True:\n        work = 1\n"
    result = compare(profile(SHOP, COSTS), profile(other, {"work = 1": 5.0}, 5.0, name="job.py"))
    assert all(line["before"] is None or line["after"] is None for line in result["lines"])
    assert len(lines(result)) == 4


def test_programs_of_other_names_are_two_versions_of_one(compare):
    one = "def work(n):\n    return sum(range(n))\n\n\nwork(10)\n"
    other = "import math\n\n\ndef work(n):\n    return math.comb(n, 2)\n\n\nprint(1)\nwork(20)\n"
    before, after = profile(one, {"sum(": 2.0}, name="a.py"), profile(other, {"math.comb(": 5.0}, name="b.py")
    before["program"], after["program"] = list(before["files"])[0], list(after["files"])[0]
    result = compare(before, after)
    line = only_line(result)
    assert (line["before"]["file"], line["after"]["file"], where(line)) == ("a.py", "b.py", (2, 5))
    assert functions(result)["work"]["before"]["file"] == "a.py"
    library = profile(one, {"sum(": 2.0}, name="a.py")
    library["program"] = before["program"]
    library["files"].update(after["files"])
    after["files"].update(before["files"])
    line = only_line(compare(library, after)) if lines(compare(library, after)) else None
    assert line is None  # where names match, these do


def test_a_program_in_another_folder(compare):
    line = only_line(compare(profile(SHOP, COSTS), profile(SHOP, SLOWER, 13.0, root="/tmp/work/7")))
    assert line["before"]["file"] == line["after"]["file"] == "shop.py"


def test_a_function_moved_to_another_file(compare):
    moved = SHOP[SHOP.index("def fill") : SHOP.index("def main")]
    rest = "import sys\n\nfrom basket import fill\n\n\n" + SHOP.replace(moved, "")
    before = profile(SHOP, COSTS)
    after = profile(rest, COSTS, 14.0)
    after["files"].update(profile(moved, {"append(number": 8.0}, 14.0, name="basket.py")["files"])
    line = only_line(compare(before, after))
    assert (line["before"]["file"], line["after"]["file"]) == ("shop.py", "basket.py")


def test_methods_of_one_name_are_told_apart_by_their_classes(compare):
    two = "class A:\n    def go(self):\n        a = 1\n        return a\n\n\nclass B:\n    def go(self):\n        b = 2\n        return b\n"
    swapped = two[two.index("class B") :] + "\n\n" + two[: two.index("class B")]
    result = compare(profile(two, {"a = 1": 2.0, "b = 2": 6.0}), profile(swapped, {"a = 1": 6.0, "b = 2": 2.0}))
    changes = {name: f["numbers"]["time_s"]["change"] for name, f in functions(result).items()}
    assert changes == {"A.go": 4.0, "B.go": -4.0}


def test_stacks_follow_a_renamed_function(compare):
    renamed = SHOP.replace("def total(", "def sum_of_prices(")
    before = profile(SHOP, COSTS, stacks=[(["main", "Basket.total"], 2.0), (["main", "fill"], 4.0)])
    after = profile(renamed, SLOWER, 13.0, stacks=[(["main", "fill"], 4.0), (["main", "Basket.sum_of_prices"], 5.0)])
    stacks = {tuple(name for _, name in s["stack"]): s["numbers"]["total_s"] for s in compare(before, after)["stacks"]}
    assert {names: number["change"] for names, number in stacks.items()} == {("main",): 3.0, ("main", "Basket.total"): 3.0}


def test_stacks_follow_a_program_of_another_name(compare):
    made = []
    for name, seconds in (("a.py", 2.0), ("b.py", 6.0)):
        one = profile("work = 1\n", {"work": seconds}, name=name, stacks=[(["<module>", "work"], seconds)])
        one["program"] = list(one["files"])[0]
        for frame in one["scalene_c"]["call_frames"]:
            frame["filename_or_module"] = one["program"]
        made.append(one)
    stacks = {tuple(name for _, name in s["stack"]): s["numbers"]["total_s"]["change"] for s in compare(*made)["stacks"]}
    assert stacks == {("<module>",): 4.0, ("<module>", "work"): 4.0}


def test_direct_recursion_is_one_call(compare):
    before = profile(SHOP, COSTS, stacks=[(["main", "main", "fill"], 4.0)])
    after = profile(SHOP, COSTS, stacks=[(["main", "fill"], 8.0)])
    stacks = [[name for _, name in s["stack"]] for s in compare(before, after)["stacks"]]
    assert stacks == [["main"], ["main", "fill"]]


def test_the_terminal_says_where_a_line_was(scalene, tmp_path):
    renamed = "# shop\n\n" + SHOP.replace("def total(", "def sum_of_prices(")
    before = written(tmp_path, "a.json", profile(SHOP, COSTS))
    after = written(tmp_path, "b.json", profile(renamed, SLOWER, 13.0))
    shown = run(scalene, before, after).stdout
    assert f"2.00 s → 5.00 s  shop.py:{lineno(renamed, 'result +=')} (was shop.py:{lineno(SHOP, 'result +=')})  result += price * 1.2\n" in shown
    assert "(was shop.py:8 Basket.total)  Basket.sum_of_prices\n" in shown
    after = written(tmp_path, "b.json", profile(SHOP.replace("def total(", "def sum_of_prices("), SLOWER, 13.0))
    assert "shop.py:8 (was shop.py:8 Basket.total)  Basket.sum_of_prices\n" in run(scalene, before, after).stdout


def test_profiles_without_texts_match_by_numbers_and_names(compare):
    profiles = [profile(SHOP, COSTS), profile(SHOP, SLOWER, 13.0)]
    for one in profiles:
        for file in one["files"].values():
            for line in file["lines"]:
                line.update(line="", start_function_line=0, end_function_line=0)
    result = compare(*profiles)
    assert where(only_line(result)) == (lineno(SHOP, "result +="),) * 2
    assert set(functions(result)) == {"Basket.total"}
