# tests/package/test_release.py - the tools that make a release, as far as they can be tried without building one.
#
# SPDX-License-Identifier: Apache-2.0
"""tools/sbom.py, tools/wheel and tools/test-debian."""

import json
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT


def run(*command, **environment):
    return subprocess.run(
        command, cwd=ROOT, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, check=False,
    )


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def bundled_packages():
    packages = json.loads(read("gui/package-lock.json"))["packages"]
    return {path.rpartition("node_modules/")[2] for path, each in packages.items() if path and not each.get("dev")}


def test_the_bill_of_materials_names_what_is_linked_and_bundled():
    bill = json.loads(run(sys.executable, "tools/sbom.py", "1.2.3").stdout)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    own = bill["metadata"]["component"]
    assert (own["name"], own["version"]) == ("scalene", "1.2.3")
    # tools/wheel_libraries calls two of Debian's source packages by shorter names
    built = re.findall(r"^build_([a-z]+)\(\)", read("tools/wheel_libraries"), re.MULTILINE)
    packages = {{"lzma": "xz-utils", "microhttpd": "libmicrohttpd", "yaml": "libyaml"}.get(name, name) for name in built}
    bundled = bundled_packages()
    assert packages and bundled
    components = bill["components"]
    assert {each["name"] for each in components} == packages | bundled
    references = [each["bom-ref"] for each in components]
    assert len(set(references)) == len(references)
    assert bill["dependencies"] == [{"ref": own["bom-ref"], "dependsOn": references}]
    assert all(each["version"] and each["licenses"] and each["purl"].startswith("pkg:") for each in components)


def test_each_library_of_the_wheel_has_pinned_files_and_a_license_text():
    lock, wheel = read("tools/wheel.lock"), read("tools/wheel")
    names = re.findall(r"^package (\S+) ", lock, re.MULTILINE)
    assert names
    for name in names:
        assert re.search(r"^sha256 [0-9a-f]{64} %s_\S+\.dsc$" % re.escape(name), lock, re.MULTILINE)
        assert re.search(r" %s/(COPYING|LICENSE|License)\b" % re.escape(name), wheel)


def test_each_package_of_the_page_has_its_license_in_what_is_shipped():
    """Hatchling puts these files into wheels and source distributions."""
    assert bundled_packages()
    for name in bundled_packages():
        assert "Copyright" in read("LICENSE." + name)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--target"], "the targets are x86_64-gnu aarch64-gnu x86_64-musl"),
        (["--target", "riscv64-gnu"], "the targets are x86_64-gnu aarch64-gnu x86_64-musl"),
        (["--target", "x86_64"], "the targets are x86_64-gnu aarch64-gnu x86_64-musl"),
        (["--target", "x86_64-musl", "--nonsense"], "usage: tools/wheel"),
        (["--nonsense"], "usage: tools/wheel"),
    ],
)
def test_wrong_words_for_a_wheel_are_refused_before_anything_is_fetched(tmp_path, words, said):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in "apt-get dpkg-source python3 pkg-config cmake make m4 bison flex gawk git node npm".split():
        (programs / name).write_text("#!/bin/sh\necho %s >> '%s/called'\n" % (name, tmp_path))
        (programs / name).chmod(0o755)
    (programs / "uname").write_text("#!/bin/sh\necho x86_64\n")
    (programs / "uname").chmod(0o755)
    ended = run("tools/wheel", *words, PATH="%s:%s" % (programs, os.environ["PATH"]), SC_WHEEL_CACHE=str(tmp_path / "cache"))
    assert ended.returncode == 1
    assert said in ended.stdout
    assert not (tmp_path / "called").exists() and not (tmp_path / "cache").exists()


@pytest.mark.parametrize("words", [[], ["10"], ["11"], ["11", "--package", "x"], ["13", "--package"], ["12", "--install"], ["13", "--nonsense"]])
def test_wrong_words_for_a_bare_debian_are_refused(words, tmp_path):
    ended = run("tools/test-debian", *words, SC_DEBIAN_FOLDER=str(tmp_path / "debian"))
    assert ended.returncode == 2
    assert "usage: tools/test-debian" in ended.stdout
    assert not (tmp_path / "debian").exists()
