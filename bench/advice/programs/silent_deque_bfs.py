# bench/advice/programs/silent_deque_bfs.py - distances in a grid, with a deque as the queue.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
from collections import deque

WIDTH = 900


def neighbours(x, y):
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if 0 <= x + dx < WIDTH and 0 <= y + dy < WIDTH and (x * 7 + y * 13) % 11:
            yield x + dx, y + dy


def farthest(start):
    distance = {start: 0}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for other in neighbours(*place):
            if other not in distance:
                distance[other] = distance[place] + 1
                waiting.append(other)
    return max(distance.values()), len(distance)


print(farthest((1, 1)))
