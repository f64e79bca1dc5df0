# bench/advice/programs/feature_flags.py - a service that looks up its flags for each of its requests.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_parse
import json

REQUESTS = 61_000
SETTINGS = json.dumps({"flags": {"flag%d" % i: {"on": i % 3 == 0, "share": i / 200} for i in range(120)}, "version": 7})


def is_on(flag, user):
    settings = json.loads(SETTINGS)  # <- here
    entry = settings["flags"].get(flag, {"on": False, "share": 0})
    return entry["on"] and user % 100 >= 100 * entry["share"]


def handle(user):
    greeting = "hello " + str(user)
    if is_on("flag%d" % (user % 130), user):
        greeting += "!"
    return greeting


def main():
    print(sum(len(handle(user)) for user in range(REQUESTS)))


main()
