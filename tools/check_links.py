#!/usr/bin/env python3
# tools/check_links.py - every link between documents of the tree leads to a file and a heading that exist.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks relative links in Markdown: their files, and the headings they name."""

import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
FENCE = re.compile(r"^ *(```|~~~)")
HEADING = re.compile(r"^#+ +(.*?) *#*$")
OUTSIDE = re.compile(r"^[a-z]+:|^//")
PAGES_OF_SITE = ROOT / "docs"


def documents():
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("bench", "docs", "editor", "gui", "tests", ".github"):
        for path in sorted((ROOT / folder).rglob("*.md")):
            if "node_modules" not in path.parts:
                yield path


def prose(text):
    """(number, line) of the lines that are not code."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code and not line.startswith("    "):
            yield number, line


def anchor(heading):
    """As GitHub and MkDocs make it: lower case, blanks to hyphens, no punctuation."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", text).strip())


def anchors(path):
    headings = (HEADING.match(line) for _, line in prose(path.read_text()))
    return {anchor(heading.group(1)) for heading in headings if heading}


def wrong_with(path, target):
    """What is wrong with a link of the document at path, or None."""
    name, _, part = urllib.parse.unquote(target).partition("#")
    to = (path.parent / name).resolve() if name else path
    if not to.exists():
        return "does not exist"
    if PAGES_OF_SITE in path.parents and PAGES_OF_SITE not in to.parents:
        return "leads out of docs/, so it is dead on the site"
    if part and (to.suffix != ".md" or part not in anchors(to)):
        return "names no heading there"
    return None


def forgotten():
    """Pages that the menu of the site does not have; tools/docs refuses them, too, but only where the site is built."""
    menu = ROOT / "mkdocs.yml"
    listed = re.findall(r": (\S+\.md)$", menu.read_text(), re.MULTILINE) if menu.exists() else None
    for path in sorted(PAGES_OF_SITE.rglob("*.md")):
        name = str(path.relative_to(PAGES_OF_SITE))
        if listed is not None and name not in listed and not path.name.startswith("0000-"):
            yield f"docs/{name}: the menu in mkdocs.yml has not this page"


def main():
    bad = [*forgotten()]
    count = 0
    for path in documents():
        for number, line in prose(path.read_text()):
            for target in LINK.findall(CODE.sub("", line)):
                if OUTSIDE.match(target):
                    continue
                count += 1
                wrong = wrong_with(path, target)
                if wrong:
                    bad.append(f"{path.relative_to(ROOT)}:{number}: {target} {wrong}")
    print("\n".join(bad) or f"{count} links are right")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
