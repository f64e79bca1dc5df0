# bench/advice/programs/graph_components.py - groups the accounts that shared a device, for a fraud report.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
import random

ACCOUNTS = 26_000
EDGES = 8500


class Graph:
    """Neighbours by node."""

    def __init__(self, edges):
        self.near = {}
        for a, b in edges:
            self.near.setdefault(a, []).append(b)
            self.near.setdefault(b, []).append(a)

    def component(self, start):
        members = [start]
        for node in members:
            members += [n for n in self.near.get(node, ()) if n not in members]
        return members


def components(graph, nodes):
    done = list()
    groups = []
    for node in nodes:
        if not node in done:  # <- here
            group = graph.component(node)
            done.extend(group)
            groups.append(group)
    return groups


def main():
    rng = random.Random(8)
    edges = [(rng.randrange(ACCOUNTS), rng.randrange(ACCOUNTS)) for _ in range(EDGES)]
    found = components(Graph(edges), range(ACCOUNTS))
    print(len(found), max(map(len, found)))


if __name__ == "__main__":
    main()
