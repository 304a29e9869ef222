#!/usr/bin/python3
"""Makes the screenshots of docs/manual/web.md and class.md; they name the command of each.

  tests/web/pictures.py SITE [WORD]     SITE: build/web; WORD: a part of their names. Writes to docs/pictures.
"""
import argparse
import pathlib

from browser import Browser, Keys
from host import Site
from served_run import ServedRun

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


def add(browser, kind):
    """Adds an instrument by its button in the bar or in its menu; returns where its handles are in the window."""
    browser.open_menu()
    browser.click(f".instrument-buttons [data-kind={kind}]")
    return browser.do("""
      await until(() => run.overlay.instruments.at(-1)?.kind === given[0] && !document.querySelector(".message-box.opening"));
      await settled();
      const box = document.getElementById("view").getBoundingClientRect();
      return run.overlay.instruments.at(-1).at.map(([x, y]) => [box.left + x, box.top + y]);
    """, kind)


def lesson(browser):
    browser.resize(390, 664, touch=True, scale=2)
    browser.open("#l=wave/two-slits")
    browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
    browser.do(dark)
    browser.click(".lesson-buttons .accent")
    browser.do("await until(() => run.lesson.index === 1); setPlaying(false); await settled();")
    browser.step(2600)
    browser.plain("scrollTo(0, 0)")
    browser.do("await settled();")


def tablet(browser):
    browser.resize(820, 1180, touch=True)
    browser.open_scene("wave/double-slit", fresh=True)
    browser.do(dark + "await call('restart', {}); document.querySelector('.hint').hidden = true; setPlaying(false);")
    (x, y), *_ = add(browser, "probe")
    browser.touch_along([(x + 20 * k, y - 9 * k) for k in range(9)])
    browser.rest()
    first, second = add(browser, "ruler")
    # From the middle of one opening of the wall to that of the other.
    for start, end in ((first, (0.305, 0.5625)), (second, (0.305, 0.4375))):
        to = browser.place(*end)
        browser.touch_along([[a + (b - a) * k / 8 for a, b in zip(start, to)] for k in range(9)])
        browser.rest()
    browser.do("(await load('instruments')).selectInstrument(run.overlay.instruments[0].id); "
               "document.getElementById('tab-plots').click();")
    browser.step(1600)
    browser.do("scrollTo(0, 0); await settled();")


def results(browser):
    browser.resize(1366, 641)
    browser.open("#l=membrane/drum-modes")
    browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
    browser.do(dark)
    measured = "await until(async () => { await call('advance', { steps: 40, milliseconds: 200 }); refreshDiagnostics(); " \
        "await frame(); return run.lesson.answer?.waits === false; });"
    for index, answer in enumerate(("125 * sqrt(2)", None, "2")):
        if answer:
            browser.find("#lesson-answer").send_keys(answer, Keys.ENTER)
        else:
            browser.all(".answer-choice")[1].click()
        browser.do(measured)
        if index < 2:
            browser.click(".lesson-buttons .accent")
            browser.do("await until(() => run.lesson.index === given[0]);", index + 1)
    browser.find("#lesson-student").send_keys("Ada")
    browser.do("setPlaying(false); document.activeElement.blur(); "
               "document.querySelector('.ending').scrollIntoView({ block: 'start' }); await settled();")


def share(browser):
    browser.resize(1280, 880)  # the whole dialog is visible
    browser.open_scene("wave/lens", fresh=True)
    browser.do(dark + "document.querySelector('.hint').hidden = true;")
    browser.step(1500)
    browser.do("await (await load('dialogs')).openShare(); await settled();")


makers = {"web-gallery": gallery, "web-scene": scene, "web-third-slit": third_slit, "web-phone": phone,
    "web-share": share, "web-lesson": lesson, "web-tablet": tablet, "web-results": results}


def lesson_for_a_class():
    """The teacher's page and a pupil's phone in the second step of a lesson, before the results are shown."""
    served = ServedRun("membrane/drum")
    try:
        teacher = served.open_teacher(width=1366, height=768, simple=True)
        pupils = [served.open_pupil(name, scale=2, simple=True) for name in ("Ada", "Bob", "Cem", "Dora")]
        teacher.do("await (await load('lesson_panel')).openLesson('membrane/drum-modes');")
        teacher.click(".lesson-buttons .accent")
        for pupil, choice in zip(pupils, (1, 1, 2, 0)):
            pupil.do("await until(() => run.lesson?.index === 1 && document.querySelector('.answer-choice'));")
            pupil.all(".answer-choice")[choice].click()
            pupil.do("await until(() => run.lesson.answer);")
        teacher.do("setPlaying(true); await until(() => document.querySelector('.class-count')?.textContent.startsWith('4'));"
                   "for (const note of document.querySelectorAll('.message-box')) note.remove(); await settled();")
        teacher.driver.save_screenshot(str(folder / "class-teacher.png"))
        pupils[0].do("for (const note of document.querySelectorAll('.message-box')) note.remove(); await settled();")
        pupils[0].driver.save_screenshot(str(folder / "class-pupil.png"))
    finally:
        served.close()


def runs_of_their_own(site):
    """The teacher's page while the pupils are at three steps of a lesson."""
    next_step = """document.querySelector('.lesson-buttons .accent').click();
        await until(() => run.lesson.index === given[0]);
        await settled();"""
    served = ServedRun("", site=str(site))
    try:
        teacher = served.open(served.teacher_link, width=1366, height=768, simple=True)
        teacher.do("await until(() => run.classLink); location.hash = 'l=membrane/drum-modes'; await until(() => run.lesson);")
        for name, choice, goes_on in (("Ada", 1, True), ("Bob", 1, False), ("Cem", 0, False), ("Dora", None, False)):
            pupil = served.open(served.link, width=390, height=664, touch=True, simple=True)
            pupil.wait("document.getElementById('name')", "the form")
            pupil.plain("document.getElementById('name').value = arguments[0]; document.querySelector('button').click();", name)
            pupil.wait("document.documentElement.dataset.engine === 'ready'", "the page")
            pupil.do("await until(() => run.lesson); await settled();")
            if choice is not None:
                pupil.do(next_step, 1)
                pupil.all(".answer-choice")[choice].click()
                pupil.do("await until(() => run.lesson.answer || run.lesson.first_try);")
            if goes_on:
                pupil.do(next_step, 2)
        teacher.do(next_step, 1)
        teacher.do("""await until(() => document.querySelector('.class-count')?.textContent.startsWith('3'));
            document.querySelector('.class-answers').scrollIntoView({ block: 'end' });
            for (const note of document.querySelectorAll('.message-box')) note.remove();
            await settled();""")
        teacher.driver.save_screenshot(str(folder / "class-own-runs.png"))
    finally:
        served.close()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("site", type=pathlib.Path)
    options.add_argument("word", nargs="?", default="")
    asked = options.parse_args()
    if asked.word.startswith("class"):
        return lesson_for_a_class() if asked.word == "class" else runs_of_their_own(asked.site.resolve())
    site = Site(asked.site)
    browser = Browser(site.address, simple=True)
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
