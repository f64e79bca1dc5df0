# bench/advice/programs/token_stream.py - a small calculator whose parser takes its tokens from the front of a list.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_front
import re

TERMS = 16_000
TOKEN = re.compile(r"\d+|[-+*()]")


class Parser:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text)

    def take(self):
        return self.tokens.pop(0)  # <- here

    def factor(self):
        token = self.take()
        if token == "(":
            value = self.sum()
            self.take()
            return value
        return int(token)

    def product(self):
        value = self.factor()
        while self.tokens and self.tokens[0] == "*":
            self.take()
            value = value * self.factor() % 1_000_003
        return value

    def sum(self):
        value = self.product()
        while self.tokens and self.tokens[0] in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value


def main():
    text = "+".join("(%d*%d-%d)" % (i % 97, i % 89, i % 13) for i in range(TERMS))
    print(Parser(text).sum())


main()
