#!/usr/bin/env python3
"""Prints src/data/utf8_tables.h from the Unicode data of this Python (standard library only)."""
import unicodedata

# Ideographs not yet assigned in these blocks are wide as well (UAX #11, default values).
WIDE_BLOCKS = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]


def is_zero(c):
    category = unicodedata.category(chr(c))
    jamo = 0x1160 <= c <= 0x11FF or 0xD7B0 <= c <= 0xD7FF  # medial vowels and final consonants
    return category in ("Mn", "Me") or (category == "Cf" and c != 0xAD) or jamo


def is_wide(c):
    # What is not assigned is narrow outside these blocks, whatever this Python says of it.
    if unicodedata.category(chr(c)) == "Cn":
        return any(a <= c <= b for a, b in WIDE_BLOCKS)
    return unicodedata.east_asian_width(chr(c)) in "WF"


def ranges(belongs):
    found = []
    for c in range(0x110000):
        if not belongs(c):
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def table(name, belongs):
    print("\nstatic const struct utf8_range %s[] = {" % name)
    line = "   "
    for first, last in ranges(belongs):
        item = " {0x%04X, 0x%04X}," % (first, last)
        if len(line) + len(item) > 110:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


print("/* The widths of characters, from Unicode %s; made by tests/tools/utf8_tables.py, not by hand. */"
      % unicodedata.unidata_version)
print("#ifndef ATTNLAB_DATA_UTF8_TABLES_H\n#define ATTNLAB_DATA_UTF8_TABLES_H\n\n#include <stdint.h>\n")
print("struct utf8_range {\n    uint32_t first, last;\n};")
print("\n/* Marks, format characters and the Hangul vowels and finals that join the syllable before. */", end="")
table("utf8_zero", is_zero)
print("\n/* East Asian Width W and F. */", end="")
table("utf8_wide", is_wide)
print("\n#endif")
