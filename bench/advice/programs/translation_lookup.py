# bench/advice/programs/translation_lookup.py - texts of a user interface, looked up in a file of translations.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_open | repeated_parse
import json
import os
import tempfile

LOOKUPS = 23_000


class Translator:
    def __init__(self, folder):
        self.folder = folder

    def text(self, language, key):
        with open(os.path.join(self.folder, language + ".json")) as file:  # <- here
            return json.load(file).get(key, key)  # <- here


def write(folder):
    for language in ("de", "fr"):
        with open(os.path.join(folder, language + ".json"), "w") as file:
            json.dump({"key%d" % i: "%s %d" % (language, i) for i in range(700)}, file)


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        translator = Translator(folder)
        print(sum(len(translator.text(("de", "fr")[i % 2], "key%d" % (i % 800))) for i in range(LOOKUPS)))


if __name__ == "__main__":
    main()
