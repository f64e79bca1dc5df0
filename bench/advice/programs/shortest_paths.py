# bench/advice/programs/shortest_paths.py - breadth-first search over a large grid with walls.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_front
WIDTH = 420


def neighbours(x, y):
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if 0 <= x + dx < WIDTH and 0 <= y + dy < WIDTH and (x + dx) % 9 != 4 * ((y + dy) % 11 != 3):
            yield x + dx, y + dy


def distances(starts):
    distance = {start: 0 for start in starts}
    waiting = list(distance)
    while waiting:
        x, y = waiting.pop(0)  # <- here
        for place in neighbours(x, y):
            if place not in distance:
                distance[place] = distance[x, y] + 1
                waiting.append(place)
    return distance


def main():
    starts = [(x, y) for x in range(0, WIDTH, 1) for y in range(0, WIDTH, 4)]
    found = distances(starts)
    print(len(found), max(found.values()))


if __name__ == "__main__":
    main()
