#!/usr/bin/env python3
"""usage: mufu_fit.py DIR [--only NAME] > src/engine/mufu_table.c     (needs numpy and scipy)

Finds the rows of src/engine/mufu.h from what a GPU's MUFU made of every mantissa (mufu_dump.cu writes DIR).

Of each segment of 2^17 (RCP: 2^16) arguments t it looks for c0, c1, c2 with result = cut(c0 + c1 t + c2 S(t)) for
all t: a linear programme of three unknowns, of which constraints are added until none is violated; then the coarsest grid
on which an exact solution lies. There is one, and only one, for each segment.

How the rule was found: least squares leaves 0.6 units of the last place with 128 segments for RCP, 64 a binade for the others.
What is left, averaged over the segments by their c2 and transformed by Walsh and Hadamard, has coefficients at single bits
and at pairs (i, j) with i + j below a bound only: the partial products that the squarer drops.
"""
import argparse
import math
import os
import sys
import numpy as np
from scipy.optimize import linprog

BITS = 17
COUNT = 1 << BITS


def squares():
    """S(t) of mufu_square, as a fraction of COUNT^2."""
    t = np.arange(COUNT, dtype=np.int64)
    s = np.zeros_like(t)
    for i in range(BITS):
        for j in range(i + 1):
            column = i + j + (i != j)
            if column >= 19:
                s += (t >> i & t >> j & 1) << column
    return s / 4.0 ** BITS


T, S = np.arange(COUNT) / COUNT, squares()


def real_solution(low, high, t, s):
    """c0, c1, c2 furthest within low <= c0 + c1 t + c2 s < high."""
    scale = np.median(high - low)
    chosen = set(np.linspace(0, len(low) - 1, 60).astype(int)) | set(np.argsort(high - low)[:40])
    for _ in range(100):
        i = np.array(sorted(chosen))
        rows, slack = np.stack([np.ones(len(i)), t[i], s[i]], 1), np.full((len(i), 1), -scale)
        found = linprog([0, 0, 0, 1], A_ub=np.vstack([np.hstack([rows, slack]), np.hstack([-rows, slack])]),
                        b_ub=np.concatenate([high[i], -low[i]]), bounds=[(None, None)] * 4, method="highs")
        c, excess = found.x[:3], found.x[3] * scale
        value, before = c[0] + c[1] * t + c[2] * s, len(chosen)
        for over in (value - high, low - value):
            worst = np.argpartition(over, -40)[-40:]
            chosen |= set(worst[over[worst] > excess + 1e-9 * scale])
        if len(chosen) == before:
            break
    return c


def row(low, high, t, s):
    """The row in mufu.h's units: 2^-17 of a unit of low and high."""
    base = low[0]
    c = real_solution(low - base, high - base, t, s)
    for grid in (2.0 ** e for e in range(6, -5, -1)):
        for c2 in (np.round(c[2] / grid) + k for k in range(-3, 4)):
            centre = c[1] - (c2 * grid - c[2]) * (s[-1] - s[0]) / (t[-1] - t[0])
            for c1 in (np.round(centre / grid) + k for k in range(-4, 5)):
                rest = c1 * grid * t + c2 * grid * s
                least, most = np.max(low - rest), np.min(high - rest)
                if least < most:
                    return integers(least, most, c1 * grid, c2 * grid)
    raise SystemExit("a segment has no exact solution")


def integers(least, most, c1, c2):
    first, last = math.ceil(least * COUNT - 1e-6), math.ceil(most * COUNT - 1e-6) - 1
    c0 = max(range(first, last + 1), key=lambda v: v & -v if v else 1 << 60)
    assert c1 == int(c1) and 4 * c2 == int(4 * c2)
    return c0, int(c1), int(4 * c2)


def table(name, words, scale, step, least_unit):
    """Rows of segments of COUNT results, every step-th word; scale: the binary places of the table's unit."""
    value = np.abs(words[::step].view(np.float32).astype(np.float64)) * 2.0 ** scale
    unit = np.maximum(2.0 ** (np.floor(np.log2(np.maximum(value, 1e-30))) - 23), least_unit)
    for k in range(len(value) // COUNT):
        low = value[k * COUNT:(k + 1) * COUNT]
        high = low + unit[k * COUNT:(k + 1) * COUNT]
        # the first result of all is exact by rule (1 of RSQ, 0 of LG2 and SIN)
        first = 1 if k == 0 and name in ("rsq", "lg2", "sin") else 0
        yield row(low[first:], high[first:], T[first:], S[first:])


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("dir")
    p.add_argument("--only", default="")
    args = p.parse_args()

    def read(name):
        return np.fromfile(os.path.join(args.dir, name), dtype=np.uint32)

    def rcp():
        words = np.repeat(read("rcp_3f800000"), 2)  # 16 bits of t count as 17, the last one 0
        value = words.view(np.float32).astype(np.float64) * 2.0 ** 24
        for k in range(128):
            low = value[k * COUNT:(k + 1) * COUNT:2]
            yield row(low, low + 1, T[::2], S[::2])

    def tanh():
        binades = read("tanh_3b800000").reshape(11, 1 << 23)
        for words, bits in zip(binades, (0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3)):
            yield from table("tanh", words, 24, 1 << (6 - bits), 0)

    tables = [
        ("rcp", rcp), ("rsq", lambda: table("rsq", read("rsq_3f800000"), 24, 1, 0)),
        ("sqrt", lambda: table("sqrt", read("sqrt_3f800000"), 23, 1, 0)),
        ("ex2", lambda: table("ex2", read("ex2_3f800000"), 22, 1, 0)),
        ("lg2", lambda: table("lg2", read("lg2_3f800000"), 21, 1, 2.0 ** -15)),
        ("sin", lambda: table("sin", read("cos_3e800000"), 24, 1, 2.0 ** -15)), ("tanh", tanh)]
    print("/* Made by tests/conformance/mufu_fit.py from what mufu_dump.cu read from an H200; do not edit. mufu.h says what a row means. */\n"
          '#include "engine/mufu.h"\n')
    for name, rows in tables:
        if args.only not in name:
            continue
        cells = ["{%d, %d, %d}," % r for r in rows()]
        print(f"MUFU_ROWS mufu_row mufu_{name}_rows[{'MUFU_TANH_ROWS' if name == 'tanh' else len(cells)}] = {{")
        for k in range(0, len(cells), 4):
            print("    " + " ".join(cells[k:k + 4]))
        print("};", flush=True)


if __name__ == "__main__":
    sys.exit(main())
