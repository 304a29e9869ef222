"""Lessons from the first step to the last: text, sketch, number, choice, points."""
import unittest

from browser import Keys
from page_test import PageTest


class Lesson(PageTest):
    def measure(self):
        """Advances the run quickly until the answer is decided."""
        self.browser.do("""
          setPlaying(true);
          await until(async () => {
            if (run.lesson.answer?.waits === false || run.lesson.first_try?.awaits_second) return true;
            await call("advance", { steps: 400, milliseconds: 200 });
            refreshDiagnostics();
            await frame();
          });
          setPlaying(false);
          await until(() => document.querySelector(".verdict, .first-try"));
        """)

    def answered(self):
        """Advances the run until the question has its result."""
        self.browser.do("await until(() => !run.lesson.first_try?.awaits_second);")  # the engine has the second answer
        self.measure()
        return self.browser.find(".lesson .verdict").text

    def next(self):
        index = self.browser.do("return run.lesson.index")
        self.browser.click(".lesson-buttons .accent")
        self.browser.do("await until(() => run.lesson.index !== given[0]); setPlaying(false);", index)

    def test_two_slits_runs_from_first_to_last_step(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.pause()
        self.assertFalse(any(tool.is_displayed() for tool in browser.all(".tool")), "tools that the step leaves out")
        self.assertTrue(browser.plain("return [...document.querySelectorAll('#page-physics input[type=range]')]"
                                      ".every((one) => one.disabled)"))

        # The run waits for the answer. Text that is not a number is rejected with a message; 25 cm/s / 12.5 Hz is 2 cm.
        self.assertEqual(browser.steps(), 0)
        self.assertTrue(browser.find(".awaits-prediction").is_displayed())
        field = browser.find("#lesson-answer")
        field.send_keys("many", Keys.ENTER)
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        field = browser.find("#lesson-answer")
        field.clear()
        field.send_keys("25 / 12,5", Keys.ENTER)  # sent as typed
        self.assertTrue(browser.do("return until(() => run.playing)"), "the answer starts the run")
        self.assertIn("2", self.answered())
        self.assertEqual(browser.do("return run.lesson.answer.given"), "25 / 12,5")
        self.assertEqual(browser.do("return run.lesson.points"), 2)
        # A question stops the run, as in the window; the user may continue it.
        browser.do("setPlaying(true)")
        browser.click(".lesson-buttons .accent")
        self.assertTrue(browser.do("return until(() => run.lesson.index === 1 && !run.playing)"))
        self.assertTrue(browser.find(".awaits-prediction").is_displayed())
        browser.do("setPlaying(true)")
        self.assertFalse(browser.find(".awaits-prediction").is_displayed())
        browser.pause()

        # The intensity along the screen, drawn by keys: cos² with the distance that the next question asks for.
        browser.find(".pad").click()
        browser.plain("document.querySelector('.pad').focus()")
        drawn = browser.do("""
          const pad = document.querySelector(".pad"), key = (name) =>
            pad.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
          for (let i = 0; i < 140; ++i) key("ArrowLeft");
          for (let i = 0; i < 60; ++i) key("ArrowDown");
          let height = 0;
          for (let i = 0; i < 128; ++i) {
            const wanted = Math.round(50 * Math.cos(Math.PI * ((i + 0.5) / 128 - 0.5) * 192 / 62) ** 2);
            for (; height < wanted; ++height) key("ArrowUp");
            for (; height > wanted; --height) key("ArrowDown");
            key("ArrowRight");
          }
          return true;
        """)
        self.assertTrue(drawn)
        browser.find(".lesson > .accent").click()
        # The answer starts the run. While paused, the page does not claim that the measurement is under way.
        browser.do("await until(() => run.lesson.answer && run.playing); setPlaying(false);")
        browser.wait("/paused/.test(document.querySelector('.progress-text')?.textContent ?? 'paused')",
            "word of the rest")
        browser.do("setPlaying(true)")
        browser.wait("/measuring/.test(document.querySelector('.progress-text')?.textContent ?? 'measuring')",
            "word of the way")
        verdict = self.answered()
        self.keep_screenshot("lesson-sketch")
        self.assertGreater(browser.do("return run.lesson.answer.points"), 0, verdict)

        self.next()
        browser.find("#lesson-answer").send_keys("18.8*tan(asin(2/6.4))", Keys.ENTER)
        self.answered()
        self.assertEqual(browser.do("return run.lesson.answer.points"), 2)
        self.assertLess(abs(browser.do("return run.lesson.answer.found / run.lesson.answer.theory - 1")), 0.05)

        self.next()
        browser.all(".answer-choice")[0].click()
        self.answered()
        self.assertEqual(browser.do("return run.lesson.answer.points"), 2)

        # A step without a question runs at once.
        browser.click(".lesson-buttons .accent")
        self.assertTrue(browser.do("return until(() => run.lesson.index === 4 && run.playing)"))
        browser.pause()
        self.assertTrue(any(tool.is_displayed() for tool in browser.all(".tool")))
        self.assertEqual(browser.do("return run.tool"), "wall")
        self.assertFalse(browser.all(".lesson-buttons .accent"), "there is a step behind the last one")
        self.assertTrue(browser.find(".ending").is_displayed())
        self.assertIn(browser.do("return run.lesson.lesson.learned").split("\n")[0][:40], browser.find(".lesson").text)
        self.keep_screenshot("lesson-ending")
        self.assertEqual(browser.find(".next-lesson").get_attribute("href").split("#")[1],
            browser.do("return `l=${run.lesson.next.path}`"))
        self.assertEqual([line for line in browser.complaints() if "thumbnails" not in line], [])
        # Another scene ends the lesson.
        browser.open_scene("wave/rain")
        self.assertFalse(browser.find("#tab-lesson").is_displayed())

    def test_field_of_an_answer_shows_its_whole_text_beside_the_unit(self):
        browser = self.browser
        self.addCleanup(browser.resize, *self.size)
        for language, words in (("en", "a number or a formula"), ("de", "eine Zahl oder Formel")):
            browser.open("#l=wave/two-slits", query=f"?language={language}")
            browser.wait(f"document.querySelector('#lesson-answer')?.placeholder === '{words}'", "the question")
            browser.pause()
            for width, height in ((1280, 720), (360, 740)):
                with self.subTest(language=language, width=width):
                    browser.resize(width, height)
                    needed, room, unit, name = browser.do("""
                      await settled();
                      const field = document.getElementById("lesson-answer"), style = getComputedStyle(field);
                      const context = document.createElement("canvas").getContext("2d");
                      context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                      return [context.measureText(field.placeholder).width,
                        field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
                        document.querySelector(".answer .unit").innerText, field.ariaLabel];""")
                    self.assertLessEqual(needed, room)
                    self.assertEqual(unit, "cm")
                    self.assertIn("cm", name)

    def test_in_german_a_comma_is_the_decimal_mark(self):
        browser = self.browser
        browser.open("#l=particles/pressure", query="?language=de")
        browser.wait("document.querySelector('#lesson-answer')", "the question")
        browser.find("#lesson-answer").send_keys("1,158", Keys.ENTER)  # in English this may be a thousand
        self.assertEqual(browser.do("await until(() => run.lesson.answer); return run.lesson.answer.given"), "1.158")
        browser.wait("document.querySelector('.verdict')", "points")
        self.assertEqual(browser.do("return run.lesson.answer.points"), 2)

    def test_every_question_accepts_an_answer_while_its_scene_runs(self):
        browser = self.browser
        browser.open()
        lessons = browser.do("return run.catalog.lessons.map((one) => one.path)")
        self.assertGreater(len(lessons), 0)
        # A few steps per image: as on a slow machine over some seconds.
        browser.do("const Own = Worker; window.Worker = class extends Own { "
                   "constructor(...all) { super(...all); ++window.deaths; } };")
        for lesson in lessons:
            with self.subTest(lesson=lesson):
                browser.plain("window.deaths = 0")
                browser.open(f"#l={lesson}", fresh=False)
                browser.do("await until(() => run.lesson?.lesson.path === given[0] && "
                           "document.documentElement.dataset.page === 'run'); setPlaying(true); "
                           "await until(() => (run.diagnostics?.step ?? 0) > 5); setPlaying(false); await settled();", lesson)
                while not browser.do("return Boolean(run.lesson.step.question)"):
                    self.next()
                if browser.all("#lesson-answer"):
                    browser.find("#lesson-answer").send_keys("20", Keys.ENTER)
                elif browser.all(".answer-choice"):
                    browser.all(".answer-choice")[0].click()
                else:
                    browser.plain("const pad = document.querySelector('.pad'); for (let i = 0; i < 128; ++i) "
                                  "pad.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
                    browser.find(".lesson > .accent").click()
                # A wrong answer that is decided already is a first try.
                self.assertTrue(browser.do("return until(() => run.lesson?.answer ?? run.lesson?.first_try)"))
                self.assertTrue(browser.do("const now = await call('lesson_look'); "
                                           "return now.answer !== null || now.first_try !== null"))
                self.assertEqual(browser.plain("return window.deaths"), 0, browser.messages())
                # A step that takes long must end first: the next lesson would end its worker.
                browser.pause()

    def test_wrong_answers_have_a_hint_and_a_second_try(self):
        browser = self.browser
        browser.open("#l=wave/moving-source")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.find("#lesson-answer").send_keys("5", Keys.ENTER)
        self.measure()
        self.assertIsNone(browser.do("return run.lesson.answer"))
        lines = browser.find(".lesson").text
        for wanted in ("Not quite: 5", browser.do("return run.lesson.first_try.hint").split(".")[0], "1 of 2 points"):
            self.assertIn(wanted, lines)
        self.assertFalse(browser.all(".verdict, .lesson .pairs"), "the number of the run")
        self.assertEqual(browser.find("#lesson-answer").get_attribute("value"), "")
        self.keep_screenshot("lesson-hint")
        # The same answer is refused; the right one has half the points.
        browser.find("#lesson-answer").send_keys("5", Keys.ENTER)
        browser.wait("/first answer/.test(document.querySelector('.message-box.error')?.textContent)", "a sentence")
        field = browser.find("#lesson-answer")
        field.clear()
        field.send_keys("1.36", Keys.ENTER)
        self.assertIn("second try: 1 of 2", self.answered())
        # The choice of the first try is disabled.
        self.next()
        browser.find("#lesson-answer").send_keys("1.904", Keys.ENTER)
        self.measure()
        self.assertIn("This is the wavelength behind the source.", browser.find(".lesson").text, "the explanation")
        browser.find("#lesson-answer").send_keys("0.816", Keys.ENTER)
        self.answered()
        self.next()
        browser.all(".answer-choice")[0].click()
        self.measure()
        self.assertEqual([one.is_enabled() for one in browser.all(".answer-choice")], [False, True, True])
        browser.all(".answer-choice")[1].click()
        self.answered()
        self.assertIn("as far as at rest", browser.find(".lesson").text, "the explanation")
        self.assertEqual([one.get_attribute("class") for one in browser.all(".lesson-dots li")], ["near", "near", "bad here"])
        self.assertIn("2 of 6 points", browser.find(".lesson").text)

    def go_to_step(self, index):
        for _ in range(index):
            self.next()

    def test_answer_without_a_result_shows_the_reason(self):
        """A question compares with the result of an earlier step that was skipped."""
        browser = self.browser
        browser.open("#l=membrane/convergence")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        self.next()
        browser.all(".answer-choice")[1].click()
        self.answered()
        # Step 4 takes steps of the run, and the page is paused: it is left without a result.
        for _ in range(3):
            self.next()
        browser.find("#lesson-answer").send_keys("16", Keys.ENTER)
        browser.do("setPlaying(true)")
        browser.wait("/step 4.*Go back and answer that step first/.test(document.querySelector('.progress-text')?.textContent)",
            "a sentence that says what is missing")
        # After following the message, it continues.
        browser.click(".lesson-buttons .quiet")
        browser.do("await until(() => run.lesson.index === 3 && run.playing)")
        browser.all(".answer-choice")[1].click()
        self.answered()
        self.next()
        self.answered()
        self.keep_screenshot("lesson-choice")

    def test_lesson_step_selects_an_allowed_tool(self):
        browser = self.browser
        browser.open("#l=fibers/upright-and-level")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.pause()
        # Without a tool a click shows a message, not an error, and has no effect.
        events = browser.do("return run.status.events")
        x, y = (round(one) for one in browser.do(
            "const b = document.getElementById('view').getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]"))
        browser.drag([(x, y), (x + 10, y + 10)])
        browser.wait("document.querySelector('.message-box')", "a word")
        browser.rest()
        self.assertEqual(browser.plain("return document.querySelectorAll('.message-box.error').length"), 0)
        self.assertEqual(browser.plain("return document.querySelectorAll('.message-box').length"), 1)
        self.assertEqual(browser.do("return run.status.events"), events)
        self.assertNotEqual(browser.do("return run.tool"), "turn")
        self.go_to_step(2)
        self.assertEqual(browser.do("return run.tool"), "turn")
        self.assertTrue(browser.plain("return document.querySelector('.tool input[value=turn]').checked"))
        # The last step of another lesson does not allow the first tool either.
        browser.open("#l=membrane/convergence", fresh=False)
        browser.do("await until(() => run.lesson?.lesson.path === 'membrane/convergence')")
        self.go_to_step(5)
        self.assertEqual(browser.do("return (await load('run')).toolIsOpen(run.tool)"), True)

    def test_tool_that_acts_at_once_acts_at_each_press(self):
        browser = self.browser
        browser.open("#l=particles/chaos")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        self.go_to_step(4)
        events = browser.do("await settled(); return run.status.events")
        for count in (1, 2):
            browser.find(".tool input[value=reverse]").click()
            self.assertTrue(browser.do("return until(() => run.status.events === given[0])", events + count), count)

    def test_lesson_starts_paused_with_reduced_motion(self):
        browser = self.browser
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        self.addCleanup(browser.command, "Emulation.setEmulatedMedia", features=[])
        browser.open("#l=membrane/convergence")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        self.assertFalse(browser.do("await settled(); return run.playing"))
        browser.find("#lesson-answer").send_keys("8", Keys.ENTER)
        browser.wait("/paused/.test(document.querySelector('.progress-text')?.textContent)", "word of the rest")
        browser.click(".lesson-buttons .accent")
        self.assertFalse(browser.do("await until(() => run.lesson.index === 1); return run.playing"))

    def test_bad_link_keeps_the_lesson(self):
        browser = self.browser
        browser.open("#l=membrane/convergence")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.plain("location.hash = 's=wave/nowhere'")
        browser.wait("document.querySelector('.message-box.error') && document.documentElement.dataset.page === 'gallery'",
            "a sentence")
        browser.plain("history.back()")
        browser.wait("document.documentElement.dataset.page === 'run'", "the lesson again")
        self.assertEqual(browser.do("return (await call('lesson_look')).lesson.path"), "membrane/convergence")
        self.assertTrue(browser.find(".lesson-title").is_displayed())


class Phone(PageTest):
    """The view stays at the top while the panels scroll."""
    size = (390, 664)
    touch = True
    measure = Lesson.measure
    next = Lesson.next

    def assert_in_sight(self, selector):
        self.assertTrue(self.browser.do("""
          const one = document.querySelector(given[0]);
          return until(() => {
            const box = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(box.left + 5, box.top + 3)) && box.bottom <= innerHeight;
          });
        """, selector), selector)

    def test_step_and_result_come_into_sight(self):
        browser = self.browser
        browser.open("#l=membrane/drum-modes")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.pause()
        to_end = "scrollTo(0, document.documentElement.scrollHeight); await settled();"
        browser.find("#lesson-answer").send_keys("177", Keys.ENTER)
        browser.do("await until(() => run.lesson.answer);" + to_end)
        self.measure()
        self.assert_in_sight(".verdict")
        for _ in range(2):
            browser.do(to_end)
            self.next()
            self.assert_in_sight(".lesson-title")


if __name__ == "__main__":
    unittest.main()
