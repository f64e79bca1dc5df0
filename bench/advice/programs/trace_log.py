# bench/advice/programs/trace_log.py - a pipeline that keeps each message that it has ever seen.
#
# SPDX-License-Identifier: Apache-2.0
# advice: leak
# also: peak_allocation garbage_collection
import json

MESSAGES = 420_000


class Pipeline:
    seen = []

    def __init__(self):
        self.total = 0

    def feed(self, raw):
        message = json.loads(raw)  # <- here
        self.seen.append(message)  # <- here
        self.total += message["value"]


def main():
    pipeline = Pipeline()
    for i in range(MESSAGES):
        pipeline.feed('{"value": %d, "tags": ["t%d", "u%d"], "from": "sensor %d"}' % (i, i, i + 1, i))
    print(pipeline.total)


main()
