#!/usr/bin/env python3
"""Converts states that an earlier version of Perturb saved as HDF5; writes FILE.perturb next to each FILE.h5.

    h5_to_perturb.py FILE.h5...

Needs h5py, numpy and the library xxhash. The format is described in app/io/state/portable_state.h.
"""
import ctypes
import json
import sys
from ctypes.util import find_library
from pathlib import Path

import h5py
import numpy as np

library = ctypes.CDLL(find_library("xxhash") or "libxxhash.so.0")
library.XXH64.restype = ctypes.c_uint64
library.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def text_of(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.integer):
        return str(int(value)) if value.dtype.itemsize > 1 else str(bool(value)).lower()
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def bands_of(values):
    row = values.dtype.itemsize * (values.shape[-1] if values.ndim else 1)
    band = max(64, 4096 // max(1, row)) * row
    data = values.tobytes()
    return [data[k:k + band] for k in range(0, len(data), max(1, band))]


def convert(source):
    with h5py.File(source) as file:
        attributes = {name: text_of(value) for name, value in file.attrs.items()}
        if attributes.get("format") != "perturb-state":
            sys.exit(f"{source}: Perturb did not save this file.")
        names = sorted(set(file) - {"parameters"}, key=str.encode)
        fields = [file[name][...].astype(file[name].dtype.newbyteorder("<")) for name in names]
        units = [text_of(file[name].attrs.get("unit", "")) for name in names]
        parameters = {name: text_of(value) for name, value in sorted(file["parameters"].attrs.items())}
    header = {"format": "perturb-portable", "format_version": 2, "program_version": attributes["program_version"],
              "simulation": attributes["simulation"], "preset": attributes["preset"],
              "steps": int(attributes["steps"]), "time": float(attributes["time"])}
    header |= {name: int(attributes[name]) for name in ("seed", "width", "height")} | {"parameters": parameters}
    header["datasets"] = [{"name": name, "type": field.dtype.name, "shape": field.shape, "unit": unit}
                          for name, field, unit in zip(names, fields, units)]
    header |= {"kernel": attributes["kernel"]} if "kernel" in attributes else {}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    seed = library.XXH64(text, len(text), 0)
    parts = []
    for number, band in enumerate(band for field in fields for band in bands_of(field)):
        parts += [band, library.XXH64(band, len(band), (seed + number) % 2**64).to_bytes(8, "little")]
    size = sum(map(len, parts))
    line = f"perturb-portable 2 xxh64={seed:016x} header={len(text)} bytes={size}\n"
    target = Path(source).with_suffix(".perturb")
    target.write_bytes(b"".join([line.encode(), text, *parts]))
    print(f"Wrote {target}")


if len(sys.argv) < 2:
    sys.exit(__doc__)
for name in sys.argv[1:]:
    convert(name)
