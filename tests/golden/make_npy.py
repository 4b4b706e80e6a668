#!/usr/bin/env python3
"""Small .npy files as NumPy writes them, and their numbers as NumPy reads them.

Usage: make_npy.py OUT_DIR

OUT_DIR gets NAME.npy for every type, byte order, memory order, rank and format version, and expected.tsv with the
lines   NAME_f64 <TAB> shape <TAB> values   (a.astype(float64) in C order, as in make_golden.py's files).
Needs Debian's python3-numpy (1.24 gave the files that stand beside this script).
"""
import sys
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

ORDERS = {"C": "c", "F": "fortran"}


def edges(dtype):
    """Eight numbers that a reader can get wrong: the ends of the range, and what lies at the changes of form."""
    if dtype.kind == "b":
        return [0, 1, 1, 0, 1, 0, 0, 1]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [info.min, info.max, info.max - 1, info.min + 1, 0, 1, 2, info.max // 2 + 1]
    info = np.finfo(dtype)
    return [info.max, info.smallest_subnormal, info.tiny, -0.0, 0.1, -np.inf, np.nan, -1 / 3]


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    expected = open(out / "expected.tsv", "w")

    def save(name, array, version=None):
        with open(out / f"{name}.npy", "wb") as fh:
            npy_format.write_array(fh, array, version=version)
        back = np.load(out / f"{name}.npy", max_header_size=100000)
        values = " ".join("%.17g" % v for v in back.astype(np.float64).reshape(-1))
        expected.write(f"{name}_f64\t{'x'.join(map(str, back.shape))}\t{values}\n")

    for code in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for end, end_name in (("|", ""),) if code.endswith("1") else (("<", "_little"), (">", "_big")):
            dtype = np.dtype(end + code)
            plain = np.array(edges(dtype), dtype=dtype.newbyteorder("=")).reshape(2, 4)
            for order, order_name in ORDERS.items():
                save(f"{code}{end_name}_{order_name}", plain.astype(dtype, order=order))
    for rank in range(1, 6):
        shape = (2, 2, 3, 2, 4)[-rank:]
        array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8
        for order, order_name in ORDERS.items():
            save(f"rank{rank}_{order_name}", np.asarray(array, order=order))
    for version in ((1, 0), (2, 0), (3, 0)):
        save(f"version{version[0]}", np.array([[0.25, 0.75], [0.5, 0.5]]), version)
    expected.close()


main()
