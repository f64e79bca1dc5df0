# bench/advice/programs/serial_commands.py - runs external commands one after the other, though they do not depend on each other.
#
# SPDX-License-Identifier: Apache-2.0
# advice: waiting
import subprocess

HOSTS = 35


def ping(host):
    command = ["sh", "-c", "sleep 0.05; echo %s" % host]
    return subprocess.check_output(command, text=True)  # <- here


def main():
    answers = {}
    for number in range(HOSTS):
        host = "host%d" % number
        answers[host] = ping(host).strip()
    print(len(answers))


main()
