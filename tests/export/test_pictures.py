# tests/export/test_pictures.py - the flame graph as XML, and in a browser.
#
# SPDX-License-Identifier: Apache-2.0
"""SVG."""

import xml.etree.ElementTree

import pytest

import exporting
from exporting import FRAMES, NODES, everything, export, truth

made = exporting.made
SVG = "{http://www.w3.org/2000/svg}"


def boxes(text):
    """(name, its second line, x, y, width, class, text) of each, and the head."""
    root = xml.etree.ElementTree.fromstring(text)
    assert {element.tag for element in root.iter()} <= {SVG + tag for tag in ("svg", "style", "g", "title", "rect", "text")}
    assert all(key in ("class", "x", "y", "width", "height", "viewBox") for element in root.iter() for key in element.attrib)
    found = []
    for group in root.iter(SVG + "g"):
        title, rect, *texts = group
        name, amount = title.text.rsplit("\n", 1)
        found.append((name, amount, float(rect.get("x")), float(rect.get("y")), float(rect.get("width")), rect.get("class"), texts[0].text if texts else None))
    return root.find(SVG + "text").text, found


def test_each_function_is_a_box_below_its_caller(scalene, tmp_path):
    head, found = boxes(export(scalene, "svg", everything(), tmp_path))
    assert head == "prog.py: 7.69 s"
    names = [one[-1].rpartition(":")[0] + ")" if one[4] is None and one[3] and one[2] else one[-1] for one in FRAMES]
    total = sum(node[2] for node in NODES)
    scale = 1180 / total
    # caller's own time is at the right of its calls
    module = (names[0], "6.94 s", 0, 0, 6.937501, "k0")
    expected = [
        module, ("main (prog.py)", "6.94 s", 0, 1, 6.937501, "k0"), (names[2], "688 ms", 0, 2, 0.6875, "k0"),
        (FRAMES[5][-1], "562 ms", 0, 3, 0.5625, "k2"), ("[kernel]", "62.5 ms", 0, 4, 0.0625, "k4"),
        ("(lambda) (prog.py)", "5.00 s", 0.6875, 2, 5.000001, "k0"), ("(lambda) (prog.py)", "3.00 s", 0.6875, 3, 3.000001, "k0"),
        (names[8], "750 ms", 6.937501, 0, 0.75, "k0"),
    ]
    assert [(name, kind) for name, _, _, _, _, kind, _ in found] == [(one[0], one[-1]) for one in expected]
    for one, (_, amount, from_s, depth, width_s, _) in zip(found, expected):
        assert one[2:5] == (pytest.approx(10 + from_s * scale, abs=0.01), 44 + 17 * depth, pytest.approx(width_s * scale, abs=0.01))
        assert one[1].endswith(", %.2f%%" % (100 * width_s / total))
        assert one[6] is None or one[0].startswith(one[6])


def test_svg_of_any_profile(scalene, tmp_path, made):
    _, found = boxes(export(scalene, "svg", made, tmp_path))
    known = truth(made)
    outermost = sum(width for _, _, _, y, width, _, _ in found if y == 44)
    assert outermost == pytest.approx(1180, abs=1) if "time" in known or "samples" in known else not found


def test_a_browser_shows_it(scalene, tmp_path, browser):
    (tmp_path / "x.svg").write_bytes(export(scalene, "svg", everything(), tmp_path))
    colours = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto("file://%s/x.svg" % tmp_path)
        (box, *others) = page.query_selector_all("g rect")
        assert len(others) == 7 and box.bounding_box()["width"] > 1000
        colours.append(box.evaluate("box => getComputedStyle(box).fill"))
        page.close()
    assert len(set(colours)) == 2
