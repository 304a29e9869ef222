"""Reads a QR code from its modules, without the program's own encoder, as the software of a camera does. Raises
ValueError if a block is not a codeword of its Reed-Solomon code."""

# By version: check codewords in a block, and blocks (ISO/IEC 18004, table 9).
CHECKS = {
    "L": [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26,
          28] + [30] * 14,
    "M": [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26] + [28] * 19}
BLOCKS = {
    "L": [1] * 5 + [2] * 4 + [4] * 5 + [6] * 4 + [7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20,
                                                  21, 22,
                                               24, 25],
    "M": [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
          33,
          35, 37, 38, 40, 43, 45, 47, 49]}
MASKS = [lambda r, c: (r + c) % 2, lambda r, c: r % 2, lambda r, c: c % 3, lambda r, c: (r + c) % 3,
         lambda r, c: (r // 2 + c // 3) % 2, lambda r, c: r * c % 2 + r * c % 3, lambda r,
         c: (r * c % 2 + r * c % 3) % 2,
         lambda r, c: ((r + c) % 2 + r * c % 3) % 2]

EXP = [1]
while len(EXP) < 255:
    EXP.append(EXP[-1] * 2 ^ (0x11D if EXP[-1] & 128 else 0))
LOG = {value: power for power, value in enumerate(EXP)}


def functions(size):
    """The modules that carry no data."""
    version = (size - 17) // 4
    taken = {(r, c) for r in range(size) for c in range(size) if r == 6 or c == 6}
    taken |= {(r, c) for r in range(9) for c in range(9)}
    taken |= {(r, c) for r in range(9) for c in range(size - 8, size)} | {(r, c) for r in range(size - 8,
                                                                                                size) for c in range(9)}
    if version > 1:
        count = version // 7 + 2
        step = 26 if version == 32 else (version * 4 + count * 2 + 1) // (count * 2 - 2) * 2
        centers = [6] + [size - 7 - k * step for k in range(count - 2, -1, -1)]
        for r in centers:
            for c in centers:
                if (r, c) not in ((6, 6), (6, size - 7), (size - 7, 6)):
                    taken |= {(r + i, c + j) for i in range(-2, 3) for j in range(-2, 3)}
    if version > 6:
        taken |= {(r, c) for r in range(6) for c in range(size - 11, size - 8)}
        taken |= {(c, r) for r in range(6) for c in range(size - 11, size - 8)}
    return taken


def read(rows):
    """Returns the text. `rows`: strings of 1 (dark) and 0."""
    size = len(rows)
    version, dark = (size - 17) // 4, [[int(sign) for sign in row] for row in rows]
    around = [dark[8][c] for c in (0, 1, 2, 3, 4, 5, 7, 8)] + [dark[r][8] for r in (7, 5, 4, 3, 2, 1, 0)]
    form = int("".join(map(str, around)), 2) ^ 0b101010000010010
    level, mask = {0b01: "L", 0b00: "M"}[form >> 13], MASKS[form >> 10 & 7]
    taken, bits, column, upwards = functions(size), [], size - 1, True
    while column > 0:
        if column == 6:
            column -= 1
        for r in (range(size - 1, -1, -1) if upwards else range(size)):
            for c in (column, column - 1):
                if (r, c) not in taken:
                    bits.append(dark[r][c] ^ (mask(r, c) == 0))
        column, upwards = column - 2, not upwards
    words = [int("".join(map(str, bits[k:k + 8])), 2) for k in range(0, len(bits) // 8 * 8, 8)]
    checks, blocks = CHECKS[level][version - 1], BLOCKS[level][version - 1]
    shorter, length = blocks - len(words) % blocks, len(words) // blocks - checks
    parts, at = [[] for _ in range(blocks)], 0
    for k in range(length + 1):
        for part in parts[0 if k < length else shorter:]:
            part.append(words[at])
            at += 1
    data = [word for part in parts for word in part]
    for k, word in enumerate(words[at:]):
        parts[k % blocks].append(word)
    for part in parts:
        for power in range(checks):  # a codeword is zero at all roots
            value = 0
            for word in part:
                value = (EXP[(LOG[value] + power) % 255] if value else 0) ^ word
            if value:
                raise ValueError(f"version {version}: a block is damaged")
    stream = "".join(f"{word:08b}" for word in data)
    bits_of_length = 8 if version < 10 else 16
    if stream[:4] != "0100":
        raise ValueError("the mode is not that of bytes")
    count = int(stream[4:4 + bits_of_length], 2)
    start = 4 + bits_of_length
    return bytes(int(stream[start + 8 * k:start + 8 * k + 8], 2) for k in range(count)).decode()
