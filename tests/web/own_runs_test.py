"""A class in which every browser has a run of its own ("perturb serve --own-runs"): the lesson comes to the pupils, and
their steps and answers to the teacher."""
import os
import unittest

from browser import Keys
from firefox import Firefox, needs_firefox
from served_run import ServedRun, can_serve

lesson = "membrane/drum-modes"


@unittest.skipUnless(can_serve(), "there is no program that can serve: set PERTURB to its path")
class OwnRuns(unittest.TestCase):
    def setUp(self):
        self.served = ServedRun("", site=os.environ["PERTURB_WEB_SITE"])
        self.addCleanup(lambda: self.assertEqual(self.served.close(), 0))

    def enter(self, name="", **given):
        browser = self.served.open(self.served.link if name else self.served.teacher_link, **given)
        if name:
            browser.wait("document.getElementById('name')", "the join page")
            browser.find("#name").send_keys(name + Keys.ENTER)
        browser.wait("location.search === '?class' && document.documentElement?.dataset.engine === 'ready'", "the page")
        browser.do("await until(() => run.classLink);")
        return browser

    def lead(self, teacher):
        teacher.do("location.hash = `l=${given[0]}`; await until(() => run.lesson && run.status); await settled();", lesson)

    def answer(self, browser, text):
        """The first question of the lesson that asks for a number."""
        browser.do("""
          while (run.lesson.step.question?.kind !== 'number') {
            const { index } = run.lesson;
            document.querySelector('.lesson-buttons .accent').click();
            await until(() => run.lesson.index > index);
            await settled();
          }""")
        browser.find("#lesson-answer").send_keys(text + Keys.ENTER)
        browser.do("await until(() => run.lesson.first_try || run.lesson.answer?.points !== undefined);")

    def complaints(self):
        for browser in self.served.browsers:
            self.assertEqual(browser.complaints(), [])

    def test_steps_and_answers_come_to_the_teacher(self):
        teacher, ada = self.enter(width=900, height=700), self.enter("Ada", width=390, height=664)
        self.lead(teacher)
        self.assertTrue(ada.do("return until(() => run.lesson?.lesson.path === given[0]);", lesson))
        # Who joins later gets the lesson, too.
        grace = self.enter("Grace")
        self.assertTrue(grace.do("return until(() => run.lesson?.lesson.path === given[0]);", lesson))
        self.answer(ada, "1")
        self.answer(teacher, "1")
        ada.do("""const { index } = run.lesson;
          document.querySelector('.lesson-buttons .accent').click();
          await until(() => run.lesson.index > index);""")
        texts = """const text = (one) => document.querySelector(one)?.textContent;
          await until(() => text('.class-count') === given[0] && text('.class-steps') === given[1]);
          return [text('.class-count'), text('.class-steps')];"""
        # (The teacher's page shows the answers of its own step.)
        index = teacher.do("return run.lesson.index")
        expected = ["1 of 2 has answered", f"Step {index + 1}: 1, Step {index + 2}: 1"]
        self.assertEqual(teacher.do(texts, *expected), expected)
        self.assertIsNone(ada.plain("return document.querySelector('.class-answers')"))
        # Each run is its own.
        ada.do("(await load('run')).setPlaying(false);")
        grace.do("(await load('run')).setPlaying(true); const { step } = run.diagnostics; "
                 "await until(() => run.diagnostics.step > step);")
        # What is right is hidden until the teacher shows it.
        self.assertEqual(teacher.all(".class-found"), [])
        teacher.click(".show-results")
        self.assertTrue(teacher.do("return until(() => document.querySelector('.class-judged'));"))
        # The teacher sees who is where, and can remove somebody.
        teacher.do("(await load('people')).openPeople(); await until(() => document.querySelector('.people li'));")
        rows = teacher.do("return [...document.querySelectorAll('.people li')].map((one) => one.textContent);")
        self.assertTrue(any("Ada" in row and f"step {index + 2} of" in row for row in rows), rows)
        self.complaints()

    def test_a_pupil_who_reloads_or_looks_elsewhere_keeps_the_answers(self):
        teacher, ada = self.enter(), self.enter("Ada")
        self.lead(teacher)
        ada.do("await until(() => run.lesson);")
        self.answer(ada, "1")
        given = ada.do("return run.lesson.kept.answers.length")
        ada.do("location.hash = 's=wave/rain'; await until(() => !run.lesson && run.status.scene === 'wave/rain');")
        ada.driver.refresh()
        ada.do("await until(() => run.classLink && run.status);")
        self.assertIsNone(ada.do("await settled(); return run.lesson && null"))
        ada.do("location.hash = `l=${given[0]}`; await until(() => run.lesson);", lesson)
        self.assertEqual(ada.do("return run.lesson.kept.answers.length"), given)
        # A cut connection comes back by itself, and the server then knows what was done meanwhile.
        ada.do("window.sockets.at(-1).close(); await settled();")
        results = "const { text } = await run.classLink.call('class_results', {}); return text;"
        self.assertIn("Ada", teacher.do(results))
        self.complaints()

    @needs_firefox
    def test_firefox_takes_part(self):
        teacher = self.enter(kind=Firefox)
        ada = self.enter("Ada", kind=Firefox)
        self.lead(teacher)
        self.answer(ada, "1")
        self.assertIn("Ada", teacher.do("const { text } = await run.classLink.call('class_results', {}); return text;"))


if __name__ == "__main__":
    unittest.main()
