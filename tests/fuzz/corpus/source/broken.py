x = foo(1,
def f(a):
	s = "open
    t = f"{a[
  return `s$
)]} else: @
