#!/usr/bin/env python3
"""Writes the colour tables of assets/colormaps that have an origin in software (assets/README.md names them all).

Needs matplotlib, which the program does not; run it only to make the tables again:  scripts/make_colormaps.py
"""

import math
from pathlib import Path

import matplotlib

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "colormaps"
SIZE = 256


def write(name, colors):
    """colors: triples in [0, 1]"""
    rows = [",".join(str(round(255 * min(max(channel, 0.0), 1.0))) for channel in color) for color in colors]
    (FOLDER / f"{name}.csv").write_text("red,green,blue\n" + "\n".join(rows) + "\n")


def oklab_to_srgb(lightness, a, b):
    """Ottosson's Oklab (2020), in which equal distances look about equally large."""
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    )
    return tuple(12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)


def balance(t):
    """Blue to white to red for t in [-1, 1]; both arms have the same lightness and chroma, so neither sign looks stronger."""
    hue = math.radians(256 if t < 0 else 28)
    amount = abs(t)
    lightness = 0.97 - 0.56 * amount**1.15
    # Rises quickly from white, so that a small value already shows its sign; falls at the ends, where dark colours
    # allow less.
    chroma = 0.15 * math.sin(math.pi / 2 * min(1.0, 1.2 * amount)) * (1 - 0.2 * max(0.0, amount - 0.65) / 0.35)
    return oklab_to_srgb(lightness, chroma * math.cos(hue), chroma * math.sin(hue))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("viridis", "magma", "inferno", "cividis", "turbo", "twilight"):
        table = matplotlib.colormaps[name].resampled(SIZE)
        write(name, [table(i)[:3] for i in range(SIZE)])
    write("grey", [(i / (SIZE - 1),) * 3 for i in range(SIZE)])
    write("balance", [balance(2 * i / (SIZE - 1) - 1) for i in range(SIZE)])


if __name__ == "__main__":
    main()
