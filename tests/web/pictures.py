#!/usr/bin/python3
"""Makes the screenshots of docs/manual/web.md; the manual names the command of each.

  tests/web/pictures.py SITE [WORD]     SITE: build/web; WORD: a part of their names. Writes to docs/pictures.
"""
import argparse
import pathlib

from browser import Browser
from host import Site

folder = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"
dark = "document.documentElement.dataset.theme = 'dark';"


def gallery(browser):
    browser.resize(1280, 800)
    browser.open("#scenes")
    browser.do(dark + "await Promise.all([...document.images].slice(0, 16).map((one) => one.decode().catch(() => 0)));")


def scene(browser):
    browser.resize(1280, 720)
    browser.open_scene("wave/double-slit", fresh=True)
    browser.do(dark + "await call('restart', {}); document.querySelector('.hint').hidden = true;")
    browser.click("#tab-plots")
    browser.step(2600)
    browser.do("document.querySelector('#page-plots .plot').scrollIntoView({ block: 'center' }); await settled();")


def third_slit(browser):
    browser.resize(1280, 720)
    browser.open_scene("wave/double-slit", fresh=True)
    browser.pause()
    browser.do(dark)
    browser.click(".tool input[value=wall]")
    ways = ((0.3, 0.488), (0.3, 0.512), (0.305, 0.512), (0.305, 0.488), (0.311, 0.488), (0.311, 0.512))
    browser.drag([browser.place(x, y) for x, y in ways], button=2)
    browser.rest()
    link = browser.do("const { packScene } = await load('link'); return '#' + await packScene(await call('scene', "
        "{}));")
    browser.open(link)
    browser.wait_for_scene("wave/double-slit")
    browser.do(dark + "await call('restart', { keep_built: true }); document.querySelector('.hint').hidden = true;")
    browser.click("#tab-plots")
    browser.step(2600)
    browser.do("document.querySelector('#page-plots .plot').scrollIntoView({ block: 'center' }); await settled();")


def phone(browser):
    browser.resize(390, 780, touch=True, scale=2)
    browser.open_scene("lbm/cylinder", fresh=True)
    browser.do(dark + "document.querySelector('.hint').hidden = true;")
    browser.step(9000)


def share(browser):
    browser.resize(1280, 880)  # the whole dialog is visible
    browser.open_scene("wave/lens", fresh=True)
    browser.do(dark + "document.querySelector('.hint').hidden = true;")
    browser.step(1500)
    browser.do("await (await load('dialogs')).openShare(); await settled();")


makers = {"web-gallery": gallery, "web-scene": scene, "web-third-slit": third_slit, "web-phone": phone,
    "web-share": share}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("site", type=pathlib.Path)
    options.add_argument("word", nargs="?", default="")
    asked = options.parse_args()
    site = Site(asked.site)
    browser = Browser(site.address)
    try:
        for name, maker in makers.items():
            if asked.word not in name:
                continue
            maker(browser)
            browser.do("for (const note of document.querySelectorAll('.message-box')) note.remove();")
            browser.driver.save_screenshot(str(folder / f"{name}.png"))
            print(name)
    finally:
        browser.close()
        site.close()


main()
