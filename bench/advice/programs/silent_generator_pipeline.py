# bench/advice/programs/silent_generator_pipeline.py - a pipeline of generators, of which no stage stands out.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
RECORDS = 13_000_000


def source():
    for i in range(RECORDS):
        yield {"id": i, "value": i % 101}


def positive(records):
    return (record for record in records if record["value"] > 50)


def values(records):
    for record in records:
        yield record["value"] + record["id"] % 3


print(sum(values(positive(source()))))
