match x:
  case [1, *_] if y: z
  case {"a": b}:
    type X[T] = int
match[0]: int = 1
