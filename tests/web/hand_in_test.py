"""Handing in a lesson, and going on with it after a reload of the page or a crash of the engine."""
import unittest

import lesson_test
from browser import Keys
from page_test import PageTest

# The page's workers, and the files that it saves.
WATCH = """
window.workers = [];
const Own = Worker;
window.Worker = class extends Own { constructor(...all) { super(...all); workers.push(this); } };
window.saved = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { saved.push(blob); return make(blob); };
"""


class HandIn(PageTest):
    scripts = (WATCH,)
    measure = lesson_test.Lesson.measure
    next = lesson_test.Lesson.next

    def open(self, lesson):
        self.browser.open(f"#l={lesson}")
        self.wait_for_lesson()

    def wait_for_lesson(self):
        self.browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        self.browser.pause()

    def reload(self):
        self.browser.driver.refresh()
        self.wait_for_lesson()

    def crash(self):
        browser = self.browser
        count = browser.plain("return workers.length")
        browser.plain("workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: 'RuntimeError: unreachable' }))")
        browser.wait(f"workers.length > {count} && document.querySelector('.message-box.error')", "a new worker")
        browser.do("await until(() => call('status').then(() => true, () => false)); await settled();")
        browser.pause()

    def lose(self):
        """Each way of losing the run."""
        return (self.reload, self.crash)

    def state(self):
        return self.browser.do("const { index, points, answer, first_try, kept, code } = await call('lesson_look'); "
                               "return [index, points, answer, first_try, kept, code, run.student];")

    def number(self, text):
        field = self.browser.find("#lesson-answer")
        field.clear()
        field.send_keys(text, Keys.ENTER)

    def take_drum(self):
        """All questions of membrane/drum-modes: right, right in the second try, wrong."""
        browser = self.browser
        self.open("membrane/drum-modes")
        self.number("125 * sqrt(2)")
        self.measure()
        self.next()
        for choice in (0, 1):
            browser.all(".answer-choice")[choice].click()
            self.measure()
        self.next()
        for wrong in ("5", "6"):
            self.number(wrong)
            self.measure()
        browser.wait("document.querySelector('.result-sheet')", "the end")

    def blob(self, index):
        return self.browser.do("await until(() => saved.length > given[0]); return saved[given[0]].text();", index)

    def test_sheet_page_and_code(self):
        browser = self.browser
        self.take_drum()
        code = browser.find(".lesson-code").text.split(": ")[1]
        self.assertRegex(code, r"^([2-9A-HJKMNP-Z]{4}-){2}[2-9A-HJKMNP-Z]{4}$")
        self.assertIn("no protection against cheating", browser.find(".lesson").text)
        browser.click(".save-sheet")
        browser.wait("/needs a name/.test(document.querySelector('.message-box.error')?.textContent)", "a sentence")
        self.assertEqual(browser.plain("return saved.length"), 0)
        name = "  B\u00e9r\u00e9nice; =1+1 <b>"
        browser.find("#lesson-student").send_keys(name)
        browser.click(".save-sheet")
        lines = self.blob(0).strip().split("\n")
        self.assertEqual(lines[0].lstrip("\ufeff"),
            "student,lesson,step,question,first_answer,second_answer,points,max_points")
        self.assertEqual(len(lines), 4)
        self.assertTrue(all(line.startswith(f'"{name}","membrane/drum-modes",') for line in lines[1:]))
        self.assertEqual([line[-4:] for line in lines[1:]], [",2,2", ",1,2", ",0,2"])
        self.assertIn("b\u00e9r\u00e9nice-1-1-b-membrane-drum-modes.csv", browser.messages())
        # The page for paper opens in another tab, in the language of the page.
        own = browser.driver.current_window_handle
        for language, points in (("en", "3 of 6 points"), ("de", "3 von 6 Punkten")):
            browser.do("(await load('i18n')).setLanguage(given[0]);", language)
            before = set(browser.driver.window_handles)
            browser.click(".print-sheet")
            browser.wait(f"saved.length > {1 if language == 'en' else 2}", "the page for paper")  # frames are suspended
            browser.driver.switch_to.window((set(browser.driver.window_handles) - before).pop())
            browser.wait("document.querySelector('h1')", "the page for paper")
            text = browser.find("body").text
            for wanted in (points, "B\u00e9r\u00e9nice; =1+1 <b>", code, "125 * sqrt(2) Hz"):
                self.assertIn(wanted, text)
            self.assertEqual(browser.plain("return document.querySelectorAll('script').length"), 0)
            self.keep_screenshot(f"result-page-{language}")
            browser.driver.close()
            browser.driver.switch_to.window(own)
        # Where the browser opens no tab, the page is saved.
        browser.plain("window.open = () => null")
        browser.click(".print-sheet")
        self.assertTrue(self.blob(3).startswith("<!DOCTYPE html>"))
        browser.wait("/membrane-drum-modes.html/.test(document.getElementById('messages').innerText)", "its name")
        self.assertEqual([line for line in browser.complaints() if "thumbnails" not in line], [])

    def test_finished_lesson_survives(self):
        browser = self.browser
        self.take_drum()
        browser.find("#lesson-student").send_keys("Ada")
        state = self.state()
        for lose in self.lose():
            with self.subTest(lose.__name__):
                lose()
                self.assertEqual(self.state(), state)
                self.assertEqual(browser.find("#lesson-student").get_attribute("value"), "Ada")
                self.assertTrue(browser.find(".ending").is_displayed())
        # The next pupil at this device begins with nothing.
        browser.click(".lesson-again")
        browser.do("await until(() => run.lesson.index === 0 && run.lesson.points === 0)")
        self.reload()
        self.assertEqual(self.state()[-1], "")
        self.assertEqual(self.state()[4]["answers"], [])

    def test_half_answered_question_survives(self):
        browser = self.browser
        self.open("wave/moving-source")
        self.number("5")
        self.measure()
        state = self.state()
        for lose in self.lose():
            with self.subTest(lose.__name__):
                lose()
                self.assertEqual(self.state(), state)
                self.assertIn("Not quite: 5", browser.find(".lesson").text)
        self.number("5")
        browser.wait("/first answer/.test(document.querySelector('.message-box.error')?.textContent)", "a sentence")
        self.number("1.36")
        self.measure()
        self.assertIn("second try: 1 of 2", browser.find(".lesson .verdict").text)

    def test_answer_that_waits_for_its_number_survives(self):
        browser = self.browser
        self.open("wave/two-slits")
        self.number("2")
        browser.do("await until(() => run.lesson.answer);")
        browser.driver.refresh()  # at once
        self.wait_for_lesson()
        self.assertEqual(browser.do("return run.lesson.answer.given"), "2")
        self.measure()
        self.assertEqual(browser.do("return run.lesson.points"), 2)
        # A wrong sketch, which is there again to be corrected. (One that leaves out a part would be refused.)
        self.next()
        flat = ("const pad = document.querySelector('.pad'); for (let i = 0; i < 128; ++i) "
                "pad.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        browser.plain(flat)
        browser.click(".lesson > .accent")
        self.measure()
        self.assertTrue(browser.do("return run.lesson.first_try.awaits_second"))
        self.reload()
        browser.click(".lesson > .accent")
        self.measure()
        self.assertEqual(browser.do("return [run.lesson.answer.given, run.lesson.points]"), ["a sketch", 2])

    def test_crash_loses_no_answer_in_a_browser_that_stores_nothing(self):
        browser = self.browser
        self.open("membrane/drum-modes")
        browser.plain("Object.defineProperty(window, 'localStorage', { get() { throw new Error('off'); } })")
        self.number("125 * sqrt(2)")
        self.measure()
        state = self.state()
        self.crash()
        self.assertEqual(self.state(), state)


if __name__ == "__main__":
    unittest.main()
