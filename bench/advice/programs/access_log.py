# bench/advice/programs/access_log.py - requests per hour, from the lines of a web server's log.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_parse
import collections
import datetime

LINES = 400_000
FORMAT = "%d/%b/%Y:%H:%M:%S"


def log_lines(count):
    for i in range(count):
        yield '10.0.%d.%d - - [%02d/Mar/2024:%02d:%02d:%02d] "GET /p/%d HTTP/1.1" 200 %d' % (
            i % 7, i % 250, i // 86400 + 1, i // 3600 % 24, i // 60 % 60, i % 60, i % 90, i % 5000
        )  # fmt: skip


def per_hour(lines):
    hours = collections.Counter()
    for line in lines:
        stamp = line[line.index("[") + 1 : line.index("]")]
        moment = datetime.datetime.strptime(stamp, FORMAT)  # <- here
        hours[moment.hour] += 1
    return hours


print(per_hour(log_lines(LINES)).most_common(3))
