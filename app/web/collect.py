#!/usr/bin/env python3
"""Makes the folder that a host serves: the page, the engine, the icon, and what the service worker keeps of them.

  app/web/collect.py ENGINE TO     ENGINE: folder with perturb.wasm, its .js, thumbnails/ and catalog.json;
                                   TO: replaced whole

The gallery is written into the page: it is seen before a script or the engine has come.
"""
import argparse
import hashlib
import html
import json
import pathlib
import shutil

PAGE = pathlib.Path(__file__).resolve().parent / "page"
ICON = PAGE.parents[2] / "assets/icon.png"
ENGINE_FILES = ("*.wasm", "*.js", "*.mjs", "*.data", "*.webp", "thumbnails/*", "languages/*")
# Files that are not modules, or that belong to a worker or to another page.
NOT_PRELOADED = {"before_modules.js", "service-worker.js", "worker.js", "engine.js", "join.js"}


def fill(text, mark, by):
    assert text.count(mark) == 1, f"{mark} is to be filled in, and is there {text.count(mark)} times"
    return text.replace(mark, by)


def gallery_tables(catalog):
    """The tables that the page needs before the engine is ready: those of the gallery, and the commands for buttons and
    the help."""
    of_simulation = ("id", "title", "summary", "presets")
    return {"version": catalog["version"], "lessons": catalog["lessons"], "languages": catalog["languages"],
            "commands": catalog["commands"],
            "simulations": [{key: one[key] for key in of_simulation} for one in catalog["simulations"]]}


def card(href, scene, title, line, badge=""):
    """As gallery.js makes it."""
    text = html.escape
    image = (f'<img src="thumbnails/{text(scene.replace("/", "-"))}.webp" alt="" loading="lazy" fetchpriority="low" width="320" '
               'height="200">' if scene else '<span class="no-image"></span>')
    badge = f'<span class="card-badge">{text(badge)}</span>' if badge else ""
    line = f'<span class="card-line">{text(line)}</span>' if line else ""
    return (f'<li><a class="card" href="{text(href)}"><span class="card-image">{image}{badge}</span>'
            f'<span class="card-title">{text(title)}</span>{line}</a></li>')


def gallery_html(tables):
    """The cards, until gallery.js makes them again in the reader's language, with a search."""
    sections = []
    for simulation in tables["simulations"]:
        cards = [card(f"#s={one['scene']}", one["scene"], one["title"], one["hint"]) for one in simulation["presets"]]
        cards += [card(f"#l={one['path']}", one["scene"], one["title"], one["summary"], "Lesson")
                  for one in tables["lessons"] if one["simulation"] == simulation["id"]]
        sections.append(f'<section><div class="gallery-head"><h2>{html.escape(simulation["title"])}</h2>'
                        f'<p class="dim">{html.escape(simulation["summary"])}</p></div>'
                        f'<ul class="cards">{"".join(cards)}</ul></section>')
    return "\n".join(sections)


def fill_index(text, tables):
    modules = "\n".join(f'<link rel="modulepreload" href="{path.name}">' for path in sorted(PAGE.glob("*.js"))
                        if path.name not in NOT_PRELOADED)
    # A script of another type is text; "</" would end it.
    data = json.dumps(tables, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = fill(text, "<!-- modules -->", modules)
    text = fill(text, "<!-- gallery -->", gallery_html(tables))
    return fill(text, "<!-- catalog -->", f'<script type="application/json" id="catalog">{data}</script>')


def collect(engine, to):
    if to.exists():
        shutil.rmtree(to)
    to.mkdir(parents=True)
    files = {path.relative_to(PAGE): path for path in PAGE.rglob("*") if path.is_file()}
    for pattern in ENGINE_FILES:
        files.update({path.relative_to(engine): path for path in engine.glob(pattern) if path.is_file()})
    files[pathlib.Path(ICON.name)] = ICON
    for name, path in files.items():
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    tables = gallery_tables(json.loads((engine / "catalog.json").read_text(encoding="utf-8")))
    sizes = {path.name: path.stat().st_size for path in sorted(engine.glob("*.wasm"))}
    index, script = to / "index.html", to / "engine.js"
    index.write_text(fill_index(index.read_text(encoding="utf-8"), tables), encoding="utf-8")
    script.write_text(fill(script.read_text(encoding="utf-8"), "const sizes = {};",
                           f"const sizes = {json.dumps(sizes)};"), encoding="utf-8")
    checksum = hashlib.sha256()
    for name in sorted(files):
        checksum.update(str(name).encode() + (to / name).read_bytes())
    version = checksum.hexdigest()[:16]
    for one in (to / "service-worker.js", to / "worker.js", to / "engine_client.js"):
        one.write_text(fill(one.read_text(encoding="utf-8"), 'const version = "none";',
                            f'const version = "{version}";'), encoding="utf-8")
    # The address without a name is index.html. The browser itself stores the service worker.
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
