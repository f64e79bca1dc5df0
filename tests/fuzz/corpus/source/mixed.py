import os, sys as s
from . import (a, b as c,)
@foo.bar(1)
# hm
@x
async def f(x: int = lambda: 3):
    for i in x: print(f"{i!r:>{x['a']}} {{}} {'a' if x else "b"}")
    else:
        pass
    if lambda: x:
        import q; from ...z import *

match x:
    case [1, 2]: import zz
    case _:
        while True:
            pass
match = 3
type X = int
print(match[0])
