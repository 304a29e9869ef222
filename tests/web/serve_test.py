"""A served run in two browsers: join, poke, see each other's pokes, locks, a lost connection, a lesson for a class."""
import unittest

from served_run import ServedRun, can_serve


@unittest.skipUnless(can_serve(), "there is no program that can serve: set PERTURB to its path")
class Served(unittest.TestCase):
    def setUp(self):
        self.served = ServedRun()
        self.open, self.open_teacher, self.open_pupil = (self.served.open, self.served.open_teacher,
                                                         self.served.open_pupil)
        self.wait_for_picture, self.link, self.teacher_link = (self.served.wait_for_picture, self.served.link,
                                                               self.served.teacher_link)

    def tearDown(self):
        self.assertEqual(self.served.close(), 0)

    def pause(self, browser):
        browser.do("(await load('run')).setPlaying(false); await until(() => !run.playing);")

    def poke(self, browser):
        """Presses the water at a place where it rests."""
        x, y = browser.do("const box = document.getElementById('view').getBoundingClientRect();"
                          "return [box.left + 0.8 * box.width, box.top + 0.2 * box.height];")
        browser.drag([(x, y), (x, y)])

    def marks(self, browser):
        browser.do("window.marks = []; (await load('run')).on('mark', (mark) => window.marks.push(mark));")

    def test_a_poke_is_seen_by_all_and_undone_by_the_teacher(self):
        teacher, pupil = self.open_teacher(), self.open_pupil()
        self.pause(teacher)
        self.marks(teacher)
        pupil.do("await until(() => !run.playing);")
        before = teacher.do("return run.status.events")
        self.poke(pupil)
        mark = teacher.do("await until(() => window.marks[0]); return window.marks[0];")
        self.assertAlmostEqual(mark["at"][0], 0.8, delta=0.03)
        self.assertEqual(mark["name"], "", "names are hidden at first")
        self.assertTrue(teacher.do("return until(() => run.status.events > given[0]);", before))
        # Only the teacher may take it back, or pause.
        self.assertFalse(pupil.do("return (await import('/run.js')).controlsRun();"))
        refused = pupil.do("return (await load('run')).call('undo', {}).then(() => '', (error) => error.message);")
        self.assertIn("teacher", refused)
        teacher.do("await (await load('run')).call('undo', {});")
        self.assertTrue(pupil.do("return until(() => run.status.events === given[0]);", before))
        self.assertEqual(pupil.complaints(), [])
        self.assertEqual(teacher.complaints(), [])

    def test_teacher_locks_tools_and_shows_names(self):
        teacher, pupil = self.open_teacher(), self.open_pupil("Grace")
        people = teacher.do("return call('people', {});")
        self.assertEqual([one["name"] for one in people["people"] if one["role"] == "pupil"], ["Grace"])
        self.assertEqual(people["link"], self.link)
        teacher.do("await call('allow', { tools: ['wall'], parameters: [] }); await call('names', { shown: true });")
        pupil.do("await until(() => run.remote.tools?.length === 1);")
        refused = pupil.do("""return call('gesture', { tool: "droplet", phase: "press", x: 10, y: 10, width: 100, height: 100 })
          .then(() => '', (error) => error.message);""")
        self.assertTrue(refused)
        self.marks(teacher)
        pupil.do("await call('gesture', { tool: 'wall', phase: 'press', x: 70, y: 30, width: 100, height: 66 });")
        self.assertEqual(teacher.do("await until(() => window.marks[0]); return window.marks[0];")["name"], "Grace")

    def test_value_under_the_pointer_is_shown(self):
        teacher = self.open_teacher()
        teacher.do("await until(() => run.status.steps > 200);")
        self.pause(teacher)
        x, y = teacher.do("const box = document.getElementById('view').getBoundingClientRect();"
                          "return [box.left + 0.2 * box.width, box.top + 0.4 * box.height];")
        teacher.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        looked = teacher.do("""await until(() => run.pointer);
          const { x, y, width, height } = run.pointer, at = await call('locate', { x, y, width, height });
          const { value } = await call('look', { at: [at.x, at.y], scene_units: true }), { tr } = await import('/i18n.js');
          return tr(value);""")
        self.assertRegex(looked, r"\d mm")
        self.assertTrue(teacher.do("return until(() => document.querySelector('footer .value').textContent === given[0]);",
                                   looked))

    def test_teacher_locks_one_pupil_who_returns_locked(self):
        teacher, pupil, other = self.open_teacher(), self.open_pupil("Ada"), self.open_pupil("Grace")
        teacher.do("(await load('people')).openPeople();")
        switches = ".people input[role=switch]"
        teacher.wait(f"document.querySelectorAll('{switches}').length === 2", "a switch for each pupil")
        self.assertTrue(teacher.find(switches).is_selected())
        teacher.click(switches)
        pupil.do("await until(() => run.remote.locked);")
        pupil.driver.refresh()
        self.wait_for_picture(pupil)
        self.assertTrue(pupil.all(".tools input"))
        self.assertEqual(pupil.all(".tools input:enabled, .controls input:enabled"), [])
        self.assertIn("locked the run for you", pupil.find(".tool").get_attribute("title"))
        self.assertTrue(other.all(".tools input:enabled"))
        self.assertFalse(teacher.find(switches).is_selected())
        teacher.click(switches)
        pupil.do("await until(() => !run.remote.locked);")
        self.assertTrue(pupil.all(".tools input:enabled"))
        for browser in self.served.browsers:
            self.assertEqual(browser.complaints(), [])

    def test_spectator_watches_and_may_join_as_a_pupil(self):
        teacher, guest = self.open_teacher(), self.served.open_pupil("", watches=True)
        self.assertEqual(guest.do("return run.remote.role"), "spectator")
        self.marks(teacher)
        before = teacher.do("return run.status.events")
        self.poke(guest)
        self.assertEqual(guest.do("return (await call('status', {})).events"), before)
        self.assertEqual(teacher.do("return window.marks"), [])
        self.assertTrue(guest.all(".tools input"))
        self.assertTrue(guest.all(".controls input"))
        for selector in (".tools input:enabled", ".controls input:enabled"):
            self.assertEqual(guest.all(selector), [], selector)
        self.assertIn("only watch", guest.find(".tool").get_attribute("title"))
        self.open_lesson(teacher)
        guest.do("await until(() => run.lesson); await settled();")
        self.assertEqual(guest.all("#lesson-answer, .answer"), [])
        self.assertTrue(teacher.do("return until(() => /0 of 0/.test(document.querySelector('.class-count')?.textContent));"))
        self.assertEqual(guest.complaints(), [])
        teacher.click(".lesson-close")
        guest.do("await until(() => !run.lesson);")

        guest.driver.get(self.link)
        guest.wait("document.getElementById('name')", "the form")
        gone = "return until(async () => !(await call('people', {})).people[1].connected);"
        self.assertTrue(teacher.do(gone))
        guest.plain("document.getElementById('name').value = 'Ada'; document.querySelector('button').click();")
        self.wait_for_picture(guest)
        self.assertEqual(guest.do("return [run.remote.role, run.remote.name]"), ["pupil", "Ada"])
        self.assertTrue(guest.all(".tools input:enabled"))
        people = teacher.do("return call('people', {});")["people"]
        self.assertEqual([one["role"] for one in people], ["teacher", "pupil"])

    def test_wrong_code_is_refused_and_a_lost_connection_returns(self):
        wrong = self.open(self.link.partition("#")[0] + "#WRONGC")
        wrong.wait("document.getElementById('name')", "the form")
        wrong.plain("document.getElementById('name').value = 'Eve'; document.querySelector('button').click();")
        wrong.wait("!document.getElementById('message').hidden", "the refusal")
        self.assertIn("code is wrong", wrong.plain("return document.getElementById('message').textContent"))
        pupil = self.open_pupil()
        pupil.plain("window.sockets.at(-1).close()")
        pupil.do("await until(() => window.sockets.length === 2 && window.sockets[1].readyState === 1);")
        step = pupil.do("return run.diagnostics.step;")
        self.assertTrue(pupil.do("return until(() => run.diagnostics.step > given[0]);", step))
        self.assertEqual(pupil.do("return run.remote.name"), "Ada")

    def open_lesson(self, teacher):
        teacher.plain("location.hash = 'l=wave/two-slits'")
        teacher.do("await until(() => run.lesson && !run.playing); await settled();")
        self.assertEqual(teacher.plain("return location.hash"), "#served")

    def measure(self, teacher):
        """Lets the run reach the number of the open step."""
        teacher.do("""(await load('run')).setPlaying(true);
          await until(async () => (await call('lesson_look', {})).progress >= 1);""")

    def in_sight(self, browser, selector):
        return browser.plain("""const box = document.querySelector(arguments[0]).getBoundingClientRect();
          return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;""", selector)

    def test_a_class_answers_and_the_teacher_shows_the_results(self):
        teacher, pupil = self.open_teacher(), self.open_pupil()
        pupil.click("#tab-plots")
        self.open_lesson(teacher)
        pupil.do("await until(() => run.lesson); await settled();")
        for selector in ("#view", ".lesson-title"):
            self.assertTrue(self.in_sight(pupil, selector), selector)
        self.assertEqual(pupil.all(".lesson-buttons"), [])
        refused = pupil.do("return call('lesson_step', { index: 1 }).then(() => '', (error) => error.message);")
        self.assertIn("teacher", refused)

        # The first answer is wrong, and changed before it is judged.
        field = pupil.find("#lesson-answer")
        field.send_keys("25 * 12.5")
        pupil.click(".answer .accent")
        pupil.wait("document.querySelector('.answer-sent')", "word that the answer was sent")
        field = pupil.find("#lesson-answer")
        field.clear()
        field.send_keys("25 / 12.5")
        pupil.click(".answer .accent")
        teacher.do("await until(() => document.querySelector('.class-dot')?.title === '25 / 12.5 cm');")
        self.assertEqual(teacher.find(".class-count").text, "1 of 1 has answered")
        self.measure(teacher)
        pupil.do("await settled();")
        self.assertTrue(pupil.do("return run.lesson.answer.waits && !document.querySelector('.verdict');"))
        self.assertTrue(self.in_sight(pupil, ".answer-sent"))

        teacher.click(".show-results")
        pupil.wait("document.querySelector('.verdict.good')", "the result")
        self.assertTrue(teacher.do("return until(() => document.querySelector('.class-dot.good'));"))
        self.assertFalse(teacher.find(".show-results").is_displayed())

        # A pupil who comes later sees the open step; text of an earlier one is gone.
        teacher.click(".lesson-buttons .accent")
        pupil.do("await until(() => run.lesson.index === 1);")
        late = self.open_pupil("Grace")
        late.do("await until(() => run.lesson?.index === 1); await settled();")
        self.assertTrue(late.find(".pad").is_displayed())
        teacher.wait("/0 of 2/.test(document.querySelector('.class-count')?.textContent)", "the count of the new step")
        table = teacher.do("return (await call('class_results', {})).text")
        self.assertIn('"Ada"', table)
        self.assertIn('"Grace"', table)

        teacher.click(".lesson-close")
        for browser in (pupil, late):
            self.assertTrue(browser.do("return until(() => !run.lesson);"))
            self.assertFalse(browser.find("#tab-lesson").is_displayed())
        for browser in self.served.browsers:
            self.assertIsNone(browser.plain("return localStorage.getItem('perturb lessons')"))
            self.assertEqual(browser.complaints(), [])

    def test_a_returning_pupil_has_lesson_and_answer(self):
        teacher, pupil = self.open_teacher(), self.open_pupil()
        self.open_lesson(teacher)
        pupil.do("await until(() => run.lesson);")
        pupil.find("#lesson-answer").send_keys("2")
        pupil.click(".answer .accent")
        pupil.do("await until(() => run.lesson.answer);")
        pupil.driver.refresh()
        self.wait_for_picture(pupil)
        self.assertEqual(pupil.do("await until(() => run.lesson?.answer); return run.lesson.answer.given"), "2")
        self.assertEqual(pupil.plain("return document.getElementById('lesson-answer').value"), "2")
        # The lesson goes on while the connection is lost.
        pupil.plain("window.sockets.at(-1).close()")
        teacher.click(".lesson-buttons .accent")
        self.assertTrue(pupil.do("return until(() => run.lesson.index === 1);"))

    def test_another_scene_ends_the_lesson_for_all(self):
        teacher, pupil = self.open_teacher(), self.open_pupil()
        self.open_lesson(teacher)
        pupil.do("await until(() => run.lesson);")
        teacher.plain("location.hash = 's=wave/rain'")
        pupil.do("await until(() => run.status.scene === 'wave/rain');")
        self.assertTrue(pupil.do("return until(() => !run.lesson);"))
        self.assertFalse(teacher.do("return Boolean(run.lesson)"))


if __name__ == "__main__":
    unittest.main()
