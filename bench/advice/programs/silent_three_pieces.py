# bench/advice/programs/silent_three_pieces.py - names of files, each made of three pieces.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import hashlib

FILES = 3_900_000


def path_of(number):
    name = "part"
    name += str(number % 1000)
    name += ".bin"
    return name


def main():
    digest = hashlib.md5()
    update = digest.update
    for number in range(FILES):
        update(path_of(number).encode())
    print(digest.hexdigest()[:8])


if __name__ == "__main__":
    main()
