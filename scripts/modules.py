#!/usr/bin/env python3
"""The modules of the project and their dependencies, as the includes state them.

  scripts/modules.py          prints the drawing
  scripts/modules.py --write  puts it into docs/architecture.md
  scripts/modules.py --check  prints every violation, exits 1 if any: an include from a module that is not linked, a link that
                            no include needs, a circle, a page whose drawing is an older one

What a module may include is said once, by the target_link_libraries of its CMakeLists.txt: PUBLIC what the headers include
that other modules read, PRIVATE the rest. --root FOLDER looks at another copy of the repository.
"""
import argparse
import pathlib
import re
import sys

PAGE = "docs/architecture.md"
BEGIN, END = "<!-- modules: by scripts/modules.py --write -->\n", "<!-- end of modules -->\n"
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
# External libraries: the beginning of their headers' names, and the name that a module links in its CMakeLists.txt.
LIBRARIES = {
    "EGL/": "PkgConfig::EGL",
    "GLFW/": "glfw",
    "backends/imgui": "PkgConfig::IMGUI",
    "boost/": "Boost::headers",
    "fontconfig/": "Fontconfig::Fontconfig",
    "glad/": "perturb_glad",
    "hdf5": "${hdf5_library}",
    "imgui": "PkgConfig::IMGUI",
    "openssl/": "OpenSSL::SSL",
    "png.h": "PNG::PNG",
    "toml++/": "${toml_library}",
}
WINDOW = {"EGL": "PkgConfig::EGL", "GLFW": "glfw", "ImGui": "PkgConfig::IMGUI", "OpenGL": "perturb_glad"}
# Modules of front ends without a window: they must not link such a library, directly or indirectly.
FREE_OF = {
    "perturb_run": {**WINDOW, "HDF5": "${hdf5_library}"},
    "perturb_preset": {**WINDOW, "HDF5": "${hdf5_library}"},
    "perturb_session": WINDOW,
}


def library_of(header):
    return next((library for prefix, library in LIBRARIES.items() if header.startswith(prefix)), None)


def module_of(path):
    """app/run/run.h: run; app/io/state/autosave.h: state; app/kernels/puzzles/puzzle_text.h: puzzles;
    cuda/core/backend/view.h: core; cuda/wave/wave.h: cuda/wave; cuda/studies/wave/paper.h: studies. None: no module."""
    parts = pathlib.PurePosixPath(path).parts
    if path == "app/main.cpp":
        return "main"
    if parts[0] == "app" and len(parts) > 2:
        inner = parts[1] in ("io", "render") or parts[1] in ("kernels", "serve") and len(parts) > 3
        return parts[2] if inner else parts[1]
    if parts[0] == "cuda" and len(parts) > 2:
        return parts[1] if parts[1] in ("core", "studies") else f"cuda/{parts[1]}"
    return None


def target_of(module):
    return {"main": "perturb", "core": "perturb_compute"}.get(module, f"perturb_{module}")


def read_links(root):
    """{target: {linked library: PUBLIC or PRIVATE}} for the targets of app/."""
    links = {}
    for lists in sorted((root / "app").glob("**/CMakeLists.txt")):
        text = re.sub(r"#[^\n]*", "", lists.read_text())
        for target, words in re.findall(r"target_link_libraries\((perturb\w*)\s([^)]*)\)", text):
            reach = "PUBLIC"
            for word in words.split():
                if word in ("PUBLIC", "PRIVATE"):
                    reach = word
                else:
                    links.setdefault(target, {}).setdefault(word, reach)
    return links


def read_includes(root):
    """[(file, line, its module, included header)] in the order of the files."""
    found = []
    paths = [path for top in ("app", "cuda") for path in (root / top).glob("**/*")]
    for path in sorted(path for path in paths if path.suffix in (".h", ".cpp", ".cu")):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                found.append((name, number, module_of(name), include.group(1)))
    return found


def directions(includes):
    """{module: the other modules that it includes from}."""
    arrows = {}
    for _, _, module, header in includes:
        other = module_of(header) if header.startswith(("app/", "cuda/")) else None
        arrows.setdefault(module, set())
        if other and other != module:
            arrows[module].add(other)
    return arrows


def find_cycle(arrows):
    """The modules of a cycle, in order; empty if there is none."""
    done, way = set(), []

    def visit(module):
        if module in way:
            return way[way.index(module):] + [module]
        if module in done:
            return []
        way.append(module)
        for other in sorted(arrows.get(module, ())):
            if found := visit(other):
                return found
        way.pop()
        done.add(module)
        return []

    for module in sorted(arrows):
        if found := visit(module):
            return found
    return []


def seen_outside(includes):
    """The headers that other modules include, directly or through another header."""
    inside = {}
    todo = []
    for name, _, module, header in includes:
        if module_of(header) == module:
            inside.setdefault(name, []).append(header)
        elif header.startswith("app/"):
            todo.append(header)
    seen = set()
    while todo:
        header = todo.pop()
        if header not in seen:
            seen.add(header)
            todo += inside.get(header, [])
    return seen


def violations(root, includes):
    links, used, outside = read_links(root), {}, seen_outside(includes)
    for name, line, module, header in includes:
        here = f"{name}:{line}: "
        other = module_of(header) if header.startswith(("app/", "cuda/")) else None
        if name.startswith("cuda/"):
            if other and other not in (module, "core") and (module != "studies" or not header.startswith("cuda/")):
                yield here + f"{module} must not depend on {other}"
            continue
        if other and other.startswith("cuda/"):
            yield here + "app/ must not depend on a particular simulation"
            continue
        wanted = target_of(other) if other else library_of(header)
        if not wanted or other == module:
            continue
        target = target_of(module)
        reach = links.get(target, {}).get(wanted)
        reaches_out = name in outside
        used[target, wanted] = "PUBLIC" if reaches_out else used.get((target, wanted), "PRIVATE")
        if not reach:
            yield here + f'includes "{header}", but {target} does not link {wanted}'
        elif reach == "PRIVATE" and reaches_out:
            yield here + f'other modules read "{header}" through this, but {target} links {wanted} as PRIVATE'
    ours = {target_of(module) for module in directions(includes)} | set(LIBRARIES.values())
    for target, linked in links.items():
        for library, reach in linked.items():
            if library not in ours:
                continue
            if (target, library) not in used:
                yield f"{target} links {library}, but includes nothing from it"
            elif reach == "PUBLIC" and used[target, library] == "PRIVATE":
                yield f"{target} links {library} as PUBLIC, but no header that others read includes from it"
    for target, libraries in FREE_OF.items():
        for name in sorted(name for name, library in libraries.items() if library in reachable(links, target)):
            yield f"{target} must do without {name}, but links it, or a module that does"
    if modules := find_cycle(directions(includes)):
        yield "A cycle of modules: " + " -> ".join(modules)


def reachable(arrows, start):
    seen, todo = set(), [start]
    while todo:
        for other in arrows.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def drawing(includes):
    arrows = {}
    for module, others in directions(includes).items():
        one = "simulations" if module.startswith("cuda/") else module
        arrows.setdefault(one, set()).update(o for o in others if not o.startswith("cuda/"))
    # From the top down: each module above all modules that it includes from.
    order = sorted(arrows, key=lambda module: (-len(reachable(arrows, module)), module))
    lines = ["```mermaid", "flowchart TD"]
    for module in order:
        for other in sorted(arrows[module], key=order.index):
            if not any(other in reachable(arrows, between) for between in arrows[module] - {other}):
                lines.append(f"  {module} --> {other}")
    lines += ["```", "", "Arrows that others imply are left out there. Every one of them:", "", "```"]
    width = max(map(len, order))
    for module in order:
        others = " ".join(sorted(arrows[module], key=order.index))
        lines.append(f"{module:<{width}} -> {others}" if others else module)
    return "\n".join(lines + ["```"]) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    what = options.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true")
    what.add_argument("--write", action="store_true")
    asked = options.parse_args()

    includes = read_includes(asked.root)
    if not asked.check and not asked.write:
        print(drawing(includes), end="")
        return 0
    text = (asked.root / PAGE).read_text()
    before, found, rest = text.partition(BEGIN)
    drawn, ended, after = rest.partition(END)
    if not found or not ended:
        print(f"{PAGE}: the lines {BEGIN.strip()} and {END.strip()} are missing")
        return 1
    if asked.write:
        (asked.root / PAGE).write_text(before + BEGIN + drawing(includes) + END + after)
        return 0
    said = list(violations(asked.root, includes))
    if drawn != drawing(includes):
        said.append(f"{PAGE}: the drawing is not what the includes say; scripts/modules.py --write draws it again")
    print("".join(line + "\n" for line in said), end="")
    return 1 if said else 0


sys.exit(main())
