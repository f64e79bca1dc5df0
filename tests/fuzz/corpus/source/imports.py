from . import (a as b,
 c,)
import d.e as f, g; from ...h import *
lazy import i
