"""A lesson from its first step to its last: words, sketch, number, choice, points."""
import unittest

from browser import Keys
from page_test import PageTest


class Lesson(PageTest):
    def answered(self):
        """Lets the run go as far as the question wants, quickly."""
        self.browser.do("""
          setPlaying(true);
          await until(async () => {
            if (run.lesson.answer?.waits === false) return true;
            await call("advance", { steps: 400, milliseconds: 200 });
            lookAgain();
            await frame();
          });
          setPlaying(false);
          await until(() => document.querySelector(".verdict"));
        """)
        return self.browser.find(".lesson .verdict").text

    def next(self):
        index = self.browser.do("return run.lesson.index")
        self.browser.click(".lesson-way .accent")
        self.browser.do("await until(() => run.lesson.index !== given[0]); setPlaying(false);", index)

    def test_two_slits_from_end_to_end(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.pause()
        self.assertFalse(any(tool.is_displayed() for tool in browser.all(".tool")), "tools that the step leaves out")
        self.assertTrue(browser.plain("return [...document.querySelectorAll('#page-physics input[type=range]')]"
                                      ".every((one) => one.disabled)"))

        # A text that is no number is refused in a sentence; 1 length / 0.05 is 20.
        field = browser.find("#lesson-answer")
        field.send_keys("many", Keys.ENTER)
        browser.wait("document.querySelector('.note-box.error')", "a sentence")
        field = browser.find("#lesson-answer")
        field.clear()
        field.send_keys("20", Keys.ENTER)
        self.assertIn("2", self.answered())
        self.assertEqual(browser.do("return run.lesson.points"), 2)

        # The light along the screen, drawn by keys: cos² with the distance that the next question finds.
        self.next()
        browser.find(".pad").click()
        browser.plain("document.querySelector('.pad').focus()")
        drawn = browser.do("""
          const pad = document.querySelector(".pad"), key = (name) =>
            pad.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
          for (let i = 0; i < 140; ++i) key("ArrowLeft");
          for (let i = 0; i < 60; ++i) key("ArrowDown");
          let height = 0;
          for (let i = 0; i < 128; ++i) {
            const wanted = Math.round(50 * Math.cos(Math.PI * ((i + 0.5) / 128 - 0.5) * 192 / 70) ** 2);
            for (; height < wanted; ++height) key("ArrowUp");
            for (; height > wanted; --height) key("ArrowDown");
            key("ArrowRight");
          }
          return true;
        """)
        self.assertTrue(drawn)
        browser.find(".lesson > .accent").click()
        verdict = self.answered()
        self.keep_picture("lesson-sketch")
        self.assertGreater(browser.do("return run.lesson.answer.points"), 0, verdict)

        self.next()
        browser.find("#lesson-answer").send_keys("70", Keys.ENTER)
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
        self.assertFalse(browser.all(".lesson-way .accent"), "there is a step behind the last one")
        self.assertEqual([line for line in browser.complaints() if "thumbnails" not in line], [])
        # Another scene ends the lesson.
        browser.open_scene("wave/rain")
        self.assertFalse(browser.find("#tab-lesson").is_displayed())


if __name__ == "__main__":
    unittest.main()
