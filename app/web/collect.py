#!/usr/bin/env python3
"""Makes the folder that a host serves: the page, the engine, the icon, and what the service worker keeps of them.

  app/web/collect.py ENGINE TO     ENGINE: folder with perturb.wasm, its .js and thumbnails/; TO: replaced whole
"""
import argparse
import hashlib
import json
import pathlib
import shutil

PAGE = pathlib.Path(__file__).resolve().parent / "page"
ICON = PAGE.parents[2] / "assets/icon.png"
ENGINE_FILES = ("*.wasm", "*.js", "*.mjs", "*.data", "thumbnails/*", "languages/*")


def collect(engine, to):
    if to.exists():
        shutil.rmtree(to)
    to.mkdir(parents=True)
    files = {path.relative_to(PAGE): path for path in PAGE.rglob("*") if path.is_file()}
    for pattern in ENGINE_FILES:
        files.update({path.relative_to(engine): path for path in engine.glob(pattern) if path.is_file()})
    files[pathlib.Path(ICON.name)] = ICON
    checksum = hashlib.sha256()
    for name, path in sorted(files.items()):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        checksum.update(str(name).encode() + path.read_bytes())
    version = checksum.hexdigest()[:16]
    worker = to / "service-worker.js"
    text = worker.read_text(encoding="utf-8")
    marked = text.replace('const version = "none";', f'const version = "{version}";')
    assert marked != text, "the service worker has no version to be filled in"
    worker.write_text(marked, encoding="utf-8")
    # The address without a name is index.html; the worker itself is kept by the browser.
    names = sorted(name.as_posix() for name in files if name.name != "service-worker.js")
    (to / "files.json").write_text(json.dumps({"version": version, "files": names}), encoding="utf-8")
    return version


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("engine", type=pathlib.Path)
    options.add_argument("to", type=pathlib.Path)
    asked = options.parse_args()
    print(collect(asked.engine, asked.to))


if __name__ == "__main__":
    main()
