#!/usr/bin/python3
"""Runs axe-core on the page and prints its findings, in addition to layout_test.py and controls_test.py.

  tests/web/axe.py SITE AXE     SITE: build/web; AXE: axe.min.js, which Debian has no package of (PyPI's
                                axe-playwright-python holds one). Exits with 0 where it finds nothing.
"""
import argparse
import json
import pathlib
import sys

from browser import Browser
from host import Site

rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def places(browser):
    """Opens each view of the page in turn; yields its name."""
    browser.open("#scenes")
    yield "gallery"
    for scene in ("wave/double-slit", "lbm/cylinder", "particles/gas", "fibers/pair", "membrane/drum"):
        browser.open_scene(scene)
        browser.pause()
        for tab in ("physics", "view", "plots", "kernels"):
            browser.click(f"#tab-{tab}")
            browser.do("await settled();")
            yield f"{scene} {tab}"
        browser.click("#tab-physics")
        browser.do("(await load('settings')).set('simple', true); await settled();")
        browser.open_menu()
        yield f"{scene} simple, with the menu"
        browser.do("(await load('settings')).set('simple', false);")
    for dialog in ("openHelp", "openAbout"):
        browser.do(f"(await load('dialogs')).{dialog}(); await settled();")
        yield dialog
        browser.plain("document.querySelector('dialog[open]').close()")
    browser.do("await (await load('dialogs')).openShare(); await settled();")
    yield "share"
    browser.plain("document.querySelector('dialog[open]').close()")
    browser.open("#l=wave/two-slits")
    browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
    yield "lesson"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("site", type=pathlib.Path)
    options.add_argument("axe", type=pathlib.Path)
    asked = options.parse_args()
    axe = asked.axe.read_text(encoding="utf-8")
    site = Site(asked.site)
    found = []
    try:
        for width, height, touch in ((1280, 720, False), (360, 740, True)):
            browser = Browser(site.address, width, height, touch)
            try:
                for look in ("dark", "light", "high-contrast"):
                    for place in places(browser):
                        browser.plain("document.documentElement.dataset.theme = arguments[0]", look)
                        browser.driver.execute_script(axe)
                        answer = browser.driver.execute_async_script(
                            "const done = arguments[1]; axe.run(document, { runOnly: arguments[0] }).then(done);", rules)
                        for one in answer["violations"]:
                            nodes = [(node["target"], node["html"][:160]) for node in one["nodes"]]
                            found.append({"where": f"{width}x{height} {look}: {place}", "rule": one["id"], "help": one["help"],
                                          "nodes": nodes[:5], "count": len(nodes)})
                            print(json.dumps(found[-1]), flush=True)
            finally:
                browser.close()
    finally:
        site.close()
    print(f"{len(found)} findings", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
