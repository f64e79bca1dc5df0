#!/usr/bin/env python3
# tools/sbom.py VERSION - writes, as CycloneDX 1.6, what of others is in the wheel that tools/wheel makes.
#
# These are the libraries of tools/wheel.lock, linked into the program, and the packages of gui/package-lock.json that
# are part of the page. Nothing in it differs from one run to the next.
#
# SPDX-License-Identifier: Apache-2.0
"""The wheel's software bill of materials."""

import json
import pathlib
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent


def licenses(expression):
    return [{"expression": expression}] if " " in expression else [{"license": {"id": expression}}]


def component(name, version, purl, license_):
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "licenses": licenses(license_), "purl": purl}


def libraries():
    for line in (ROOT / "tools/wheel.lock").read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "package":
            name, version, license_ = rest.split(" ", 2)
            quoted = urllib.parse.quote(version, safe="")
            yield component(name, version, f"pkg:deb/debian/{name}@{quoted}?arch=source&distro=debian-13", license_)


def page_packages():
    for path, package in json.loads((ROOT / "gui/package-lock.json").read_text())["packages"].items():
        if path and not package.get("dev"):
            name = path.rpartition("node_modules/")[2]
            yield component(name, package["version"], f"pkg:npm/{urllib.parse.quote(name)}@{package['version']}", package["license"])


def main(version):
    own = f"pkg:pypi/scalene@{version}"
    components = [*libraries(), *page_packages()]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**component("scalene", version, own, "Apache-2.0"), "type": "application"}},
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    print(json.dumps(bill, indent=2))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tools/sbom.py VERSION")
    main(sys.argv[1])
