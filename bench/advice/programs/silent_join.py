# bench/advice/programs/silent_join.py - a large CSV text, made in pieces and joined once.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import hashlib

ROWS = 190_000
FILES = 45


def table(seed):
    lines = ["id,name,amount"]
    lines.extend("%d,customer %d,%d" % (i, i * seed % 977, i % 100) for i in range(ROWS))
    return "\n".join(lines)


digest = hashlib.sha256()
for seed in range(1, FILES + 1):
    digest.update(table(seed).encode())
print(digest.hexdigest()[:12])
