# bench/advice/programs/tree_rebuild.py - builds a large tree again for each question, and throws it away.
#
# SPDX-License-Identifier: Apache-2.0
# advice: freeing | garbage_collection
# also: python_function peak_allocation
QUESTIONS = 7
DEPTH = 16


class Node:
    def __init__(self, depth):
        self.value = depth
        self.children = [Node(depth - 1), Node(depth - 1)] if depth else []


def deepest(node):
    return 1 + max(map(deepest, node.children), default=0)


def ask(question):
    tree = Node(DEPTH)
    return question + tree.value + len(tree.children)


total = 0
for question in range(QUESTIONS):
    total += ask(question)
print(total)
