"""Lessons from the first step to the last: text, sketch, number, choice, points."""
import unittest

from browser import Keys
from page_test import PageTest


class Lesson(PageTest):
    def answered(self):
        """Advances the run quickly until the question has its result."""
        self.browser.do("""
          setPlaying(true);
          await until(async () => {
            if (run.lesson.answer?.waits === false) return true;
            await call("advance", { steps: 400, milliseconds: 200 });
            refreshDiagnostics();
            await frame();
          });
          setPlaying(false);
          await until(() => document.querySelector(".verdict"));
        """)
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

        # Text that is not a number is rejected with a message; 1 length / 0.05 is 20.
        field = browser.find("#lesson-answer")
        field.send_keys("many", Keys.ENTER)
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        field = browser.find("#lesson-answer")
        field.clear()
        field.send_keys("20", Keys.ENTER)
        self.assertIn("2", self.answered())
        self.assertEqual(browser.do("return run.lesson.points"), 2)
        # A step starts by itself, as in the window.
        browser.pause()
        browser.click(".lesson-buttons .accent")
        self.assertTrue(browser.do("return until(() => run.lesson.index === 1 && run.playing)"))
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
        # While paused, the page does not claim that the measurement is under way.
        browser.wait("/paused/.test(document.querySelector('.progress-text')?.textContent)", "word of the rest")
        browser.do("setPlaying(true)")
        browser.wait("/on its way/.test(document.querySelector('.progress-text')?.textContent ?? 'on its way')",
            "word of the way")
        verdict = self.answered()
        self.keep_screenshot("lesson-sketch")
        self.assertGreater(browser.do("return run.lesson.answer.points"), 0, verdict)

        self.next()
        browser.find("#lesson-answer").send_keys("61,8", Keys.ENTER)
        self.answered()
        self.assertEqual(browser.do("return run.lesson.answer.points"), 2)
        self.assertLess(abs(browser.do("return run.lesson.answer.found / run.lesson.answer.theory - 1")), 0.05)

        self.next()
        browser.all(".answer-choice")[0].click()
        self.answered()
        self.assertEqual(browser.do("return run.lesson.answer.points"), 2)

        self.next()
        self.assertTrue(any(tool.is_displayed() for tool in browser.all(".tool")))
        self.assertEqual(browser.do("return run.tool"), "wall")
        self.assertFalse(browser.all(".lesson-buttons .accent"), "there is a step behind the last one")
        self.assertEqual([line for line in browser.complaints() if "thumbnails" not in line], [])
        # Another scene ends the lesson.
        browser.open_scene("wave/rain")
        self.assertFalse(browser.find("#tab-lesson").is_displayed())

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

    def go_to_step(self, index):
        for _ in range(index):
            self.next()

    def test_answer_without_a_result_shows_the_reason(self):
        """A question compares with the result of an earlier step that was skipped."""
        browser = self.browser
        browser.open("#l=membrane/convergence")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        self.go_to_step(2)
        browser.all(".answer-choice")[2].click()
        browser.do("setPlaying(true)")
        browser.wait("/step 2.*Go back and answer that step first/.test(document.querySelector('.progress-text')?.textContent)",
            "a sentence that says what is missing")
        # After following the message, it continues.
        browser.click(".lesson-buttons .quiet")
        browser.do("await until(() => run.lesson.index === 1 && run.playing)")
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


if __name__ == "__main__":
    unittest.main()
