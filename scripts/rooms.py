#!/usr/bin/env python3
"""The rooms of the house and the directions between them, as the includes say.

  scripts/rooms.py          prints the drawing
  scripts/rooms.py --write  puts it into docs/architecture.md
  scripts/rooms.py --check  prints every offence, exits 1 if any: an include from a room that is not linked, a link that
                            no include needs, a circle, a page whose drawing is an older one

What a room may include is said once, by the target_link_libraries of its CMakeLists.txt: PUBLIC what the headers include
that other rooms read, PRIVATE the rest. --root FOLDER looks at another copy of the repository.
"""
import argparse
import pathlib
import re
import sys

PAGE = "docs/architecture.md"
BEGIN, END = "<!-- rooms: by scripts/rooms.py --write -->\n", "<!-- end of rooms -->\n"
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
# Libraries from outside: how their headers begin, and what a room that includes them names in its CMakeLists.txt.
LIBRARIES = {
    "EGL/": "PkgConfig::EGL",
    "GLFW/": "glfw",
    "backends/imgui": "PkgConfig::IMGUI",
    "fontconfig/": "Fontconfig::Fontconfig",
    "glad/": "perturb_glad",
    "hdf5": "${hdf5_library}",
    "imgui": "PkgConfig::IMGUI",
    "png.h": "PNG::PNG",
    "toml++/": "${toml_library}",
}
WINDOW = {"EGL": "PkgConfig::EGL", "GLFW": "glfw", "ImGui": "PkgConfig::IMGUI", "OpenGL": "perturb_glad"}
# A front without a window stands on these rooms: nothing that they link may lead to such a library.
FREE_OF = {
    "perturb_run": {**WINDOW, "HDF5": "${hdf5_library}"},
    "perturb_scenes": {**WINDOW, "HDF5": "${hdf5_library}"},
    "perturb_session": WINDOW,
}


def library_of(header):
    return next((library for prefix, library in LIBRARIES.items() if header.startswith(prefix)), None)


def room_of(path):
    """app/run/run.h: run; app/app.h: app; cuda/core/view.h: core; cuda/wave/wave.h: cuda/wave. None: no room."""
    parts = pathlib.PurePosixPath(path).parts
    if path == "app/main.cpp":
        return "main"
    if parts[0] == "app":
        return parts[1] if len(parts) > 2 else "app"
    if parts[0] == "cuda" and len(parts) > 2:
        return "core" if parts[1] == "core" else f"cuda/{parts[1]}"
    return None


def target_of(room):
    return {"main": "perturb", "core": "perturb_compute"}.get(room, f"perturb_{room}")


def read_links(root):
    """{target: {what it links: PUBLIC or PRIVATE}} of the targets of app/."""
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
    """[(file, line, its room, what it includes)] in the order of the files."""
    found = []
    paths = [path for top in ("app", "cuda") for path in (root / top).glob("**/*")]
    for path in sorted(path for path in paths if path.suffix in (".h", ".cpp", ".cu")):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                found.append((name, number, room_of(name), include.group(1)))
    return found


def directions(includes):
    """{room: the other rooms that it includes from}."""
    arrows = {}
    for _, _, room, header in includes:
        other = room_of(header) if header.startswith(("app/", "cuda/")) else None
        arrows.setdefault(room, set())
        if other and other != room:
            arrows[room].add(other)
    return arrows


def circle(arrows):
    """The rooms of a circle, in its order; empty where there is none."""
    done, way = set(), []

    def visit(room):
        if room in way:
            return way[way.index(room):] + [room]
        if room in done:
            return []
        way.append(room)
        for other in sorted(arrows.get(room, ())):
            if found := visit(other):
                return found
        way.pop()
        done.add(room)
        return []

    for room in sorted(arrows):
        if found := visit(room):
            return found
    return []


def seen_outside(includes):
    """The headers that other rooms read, and what those include of their own room."""
    inside = {}
    todo = []
    for name, _, room, header in includes:
        if room_of(header) == room:
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


def offences(root, includes):
    links, used, outside = read_links(root), {}, seen_outside(includes)
    for name, line, room, header in includes:
        here = f"{name}:{line}: "
        other = room_of(header) if header.startswith(("app/", "cuda/")) else None
        if name.startswith("cuda/"):
            if other and other not in (room, "core"):
                yield here + f"{room} knows nothing of {other}"
            continue
        if other and other.startswith("cuda/"):
            yield here + "app/ knows no particular simulation"
            continue
        wanted = target_of(other) if other else library_of(header)
        if not wanted or other == room:
            continue
        target = target_of(room)
        reach = links.get(target, {}).get(wanted)
        reaches_out = name in outside
        used[target, wanted] = "PUBLIC" if reaches_out else used.get((target, wanted), "PRIVATE")
        if not reach:
            yield here + f'includes "{header}", but {target} does not link {wanted}'
        elif reach == "PRIVATE" and reaches_out:
            yield here + f'other rooms read "{header}" through this, but {target} links {wanted} as PRIVATE'
    ours = {target_of(room) for room in directions(includes)} | set(LIBRARIES.values())
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
            yield f"{target} must do without {name}, but links it, or a room that does"
    if rooms := circle(directions(includes)):
        yield "A circle of rooms: " + " -> ".join(rooms)


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
    for room, others in directions(includes).items():
        one = "simulations" if room.startswith("cuda/") else room
        arrows.setdefault(one, set()).update(o for o in others if not o.startswith("cuda/"))
    # From the top down: each room above all that it includes from.
    order = sorted(arrows, key=lambda room: (-len(reachable(arrows, room)), room))
    lines = ["```mermaid", "flowchart TD"]
    for room in order:
        for other in sorted(arrows[room], key=order.index):
            if not any(other in reachable(arrows, between) for between in arrows[room] - {other}):
                lines.append(f"  {room} --> {other}")
    lines += ["```", "", "Arrows that others imply are left out there. Every one of them:", "", "```"]
    width = max(map(len, order))
    for room in order:
        others = " ".join(sorted(arrows[room], key=order.index))
        lines.append(f"{room:<{width}} -> {others}" if others else room)
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
    said = list(offences(asked.root, includes))
    if drawn != drawing(includes):
        said.append(f"{PAGE}: the drawing is not what the includes say; scripts/rooms.py --write draws it anew")
    print("".join(line + "\n" for line in said), end="")
    return 1 if said else 0


sys.exit(main())
