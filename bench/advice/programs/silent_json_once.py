# bench/advice/programs/silent_json_once.py - reads a large document once and then works on it.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: garbage_collection
import json

ITEMS = 330_000


def document():
    return json.dumps({"items": [{"id": i, "price": i % 100, "tags": ["a", "b"]} for i in range(ITEMS)]})


def main():
    items = json.loads(document())["items"]
    print(sum(item["price"] for item in items if "a" in item["tags"]))


main()
