# bench/programs/json_round.py - json there and back: long calls into C with little Python between them.
#
# SPDX-License-Identifier: Apache-2.0
import json
import sys

SCALE = 420


def record(i):
    return {
        "id": i,
        "name": "user %d" % i,
        "tags": ["tag%d" % (i % k) for k in range(1, 12)],
        "position": {"x": i / 3, "y": -i / 7, "ok": i % 2 == 0, "none": None},
        "text": "caf\u00e9 \"quoted\" \\ line\n" * 3,
    }


def main(rounds):
    records = [record(i) for i in range(400)]
    size = 0
    for i in range(rounds):
        text = json.dumps(records, indent=i % 2 or None)
        size += len(text)
        records = json.loads(text)
    print(size)


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
