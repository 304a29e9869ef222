#!/usr/bin/env python3
"""Writes assets/icon.png: rings on water, lit by their slope. Needs nothing but Python.  scripts/make_icon.py"""

import math
import struct
import zlib
from pathlib import Path

SIZE = 256
SAMPLES = 2  # per pixel and direction
CORNER = 56
CENTER = (0.40 * SIZE, 0.56 * SIZE)
WAVELENGTH = 44.0
DEEP, WATER, FOAM = (9, 30, 62), (28, 112, 178), (214, 241, 255)


def mix(a, b, t):
    t = min(max(t, 0.0), 1.0)
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def inside(x, y):
    """Whether the point is in the square with round corners."""
    dx = max(abs(x - SIZE / 2) - (SIZE / 2 - CORNER), 0)
    dy = max(abs(y - SIZE / 2) - (SIZE / 2 - CORNER), 0)
    return math.hypot(dx, dy) <= CORNER


def water(x, y):
    dx, dy = x - CENTER[0], y - CENTER[1]
    r = math.hypot(dx, dy) + 1e-9
    k = 2 * math.pi / WAVELENGTH
    # Rings fade outwards as their energy spreads over a longer circle.
    amplitude = 1 / math.sqrt(1 + r / (1.2 * WAVELENGTH))
    slope = amplitude * math.cos(k * r)
    light = slope * (dx - dy) / (r * math.sqrt(2))  # the light comes from the upper right
    height = amplitude * math.sin(k * r)
    color = mix(DEEP, WATER, 0.55 + 0.25 * height + 0.30 * light)
    return mix(color, FOAM, 1.35 * light - 0.18)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    rows = []
    for j in range(SIZE):
        row = bytearray([0])  # PNG's filter of this row: none
        for i in range(SIZE):
            total, count = [0.0, 0.0, 0.0], 0
            for a in range(SAMPLES):
                for b in range(SAMPLES):
                    x, y = i + (a + 0.5) / SAMPLES, j + (b + 0.5) / SAMPLES
                    if inside(x, y):
                        total = [t + c for t, c in zip(total, water(x, y))]
                        count += 1
            row += bytes(round(t / max(count, 1)) for t in total)
            row.append(round(255 * count / SAMPLES**2))
        rows.append(bytes(row))
    png = b"\x89PNG\r\n\x1a\n"
    png += chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(b"".join(rows), 9))
    png += chunk(b"IEND", b"")
    (Path(__file__).resolve().parent.parent / "assets" / "icon.png").write_bytes(png)


if __name__ == "__main__":
    main()
