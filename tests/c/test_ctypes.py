"""The C interface from Python's ctypes: usage: test_ctypes.py LIBRARY"""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.tilespmv_last_error.restype = ctypes.c_char_p
library.tilespmv_rows.restype = ctypes.c_int64
library.tilespmv_rows.argtypes = [ctypes.c_void_p]
a = ctypes.c_void_p()
options = (ctypes.c_char_p * 2)(b"device=cpu", None)
assert library.tilespmv_load(ctypes.byref(a), b"gen:laplace2d:n=3", 0, options) == 0, library.tilespmv_last_error(None)
assert library.tilespmv_rows(a) == 9
x, y = (ctypes.c_double * 9)(*[1] * 9), (ctypes.c_double * 9)()
assert library.tilespmv_multiply(a, x, y) == 0
assert list(y) == [2, 1, 2, 1, 0, 1, 2, 1, 2], list(y)
assert library.tilespmv_multiply(a, None, y) == 2
library.tilespmv_destroy(ctypes.byref(a))
assert not a.value
assert library.tilespmv_load(ctypes.byref(a), b"no file", 0, options) == 1
assert b"no file: cannot be read" in library.tilespmv_last_error(None)
