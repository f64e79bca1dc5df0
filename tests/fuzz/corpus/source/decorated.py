@a
match x:
  case y: z
@b
lazy = 1
@c
async for x in y: z
