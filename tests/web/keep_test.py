"""Changes to a scene or a lesson are restored after a reload, and after a visit to another scene."""
import unittest

from browser import Keys
from page_test import PageTest


class SavedChanges(PageTest):
    def setUp(self):
        super().setUp()
        self.browser.open("#scenes")
        self.browser.plain("sessionStorage.clear()")

    def change(self):
        """Draws a wall and changes a parameter in the open scene."""
        browser = self.browser
        browser.find(".tool input[value=wall]").click()
        browser.drag([browser.place(0.4, 0.4), browser.place(0.5, 0.5), browser.place(0.6, 0.5)])
        browser.rest()
        browser.do("""
          const { runAction } = await load("run");
          await runAction("set", { changes: { damping: 0.02 }, merge_with_last: false });
        """)
        browser.wait_for_address("request.parameters?.damping === 0.02")
        made = self.made()
        self.assertGreater(made[1], 1)
        return made

    def made(self):
        return self.browser.do("const scene = await call('scene', {}); return [scene.parameters?.damping ?? null, "
            "scene.actions?.length ?? 0];")

    def test_reload_restores_parameters_and_walls(self):
        browser = self.browser
        browser.open_scene("wave/rain")
        made = self.change()
        browser.driver.refresh()
        browser.wait("document.documentElement.dataset.engine", "the page")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(self.made(), made)
        # What is undone is removed from the address, too.
        for _ in range(3):
            browser.do("const { runAction } = await load('run'); run.status.next_undo && await runAction('undo', {});")
        browser.driver.get(f"{browser.address}#s=wave/rain")
        browser.driver.refresh()
        browser.wait_for_scene("wave/rain")
        self.assertEqual(self.made(), [None, 0])

    def test_next_and_back_restore_changes_and_gallery_starts_fresh(self):
        browser = self.browser
        browser.open_scene("wave/rain")
        made = self.change()
        browser.plain("document.activeElement.blur()")
        browser.keys("]")
        self.assertTrue(browser.do("return until(() => run.status.scene !== 'wave/rain')"))
        browser.keys("[")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(self.made(), made)
        self.assertIn("changes to this scene were restored", browser.messages())
        # Also with the browser's Back button.
        browser.open_scene("wave/droplet")
        browser.plain("history.back()")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(self.made(), made)
        browser.open("#scenes", fresh=False)
        browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
        browser.plain("document.querySelector(\".card[href='#s=wave/rain']\").click()")
        browser.do("await until(() => run.status.parameters.damping !== 0.02)")
        self.assertEqual(self.made(), [None, 0])

    def test_strokes_without_walls_leave_the_address_unchanged(self):
        browser = self.browser
        browser.open_scene("wave/rain")
        browser.find(".tool input[value=droplet]").click()
        browser.drag([browser.place(0.4, 0.4), browser.place(0.5, 0.5)])
        browser.rest()
        browser.do("await (await load('keep')).keepScene();")
        self.assertEqual(browser.plain("return location.hash"), "#s=wave/rain")

    def test_run_resumes_unchanged_after_visit_to_gallery(self):
        browser = self.browser
        browser.open_scene("wave/rain")
        for playing in (True, False):
            browser.do("setPlaying(given[0])", playing)
            browser.open("#scenes", fresh=False)
            browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
            self.assertFalse(browser.do("return run.playing"))
            browser.plain("history.back()")
            browser.wait("document.documentElement.dataset.page === 'run'", "the run again")
            self.assertEqual(browser.do("return run.playing"), playing)

    def test_leaving_a_long_step_shows_no_error(self):
        browser = self.browser
        browser.open_scene("wave/rain")
        browser.do("""
          setPlaying(true);
          call("advance", { steps: 1e9, milliseconds: 60000 }).catch(() => 0);
          const { stepTakesLong } = await load("run");
          await until(stepTakesLong);
        """)
        browser.plain("location.hash = 's=wave/droplet'")
        browser.wait_for_scene("wave/droplet")
        browser.do("await settled();")
        self.assertEqual(browser.messages(), "")
        # If the requested scene does not exist, the previous run starts again after Back.
        browser.do("call('advance', { steps: 1e9, milliseconds: 60000 }).catch(() => 0); "
                   "await until((await load('run')).stepTakesLong);")
        browser.plain("location.hash = 's=wave/nowhere'")
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        browser.plain("history.back()")
        browser.wait("document.documentElement.dataset.page === 'run'", "the run again")
        self.assertTrue(browser.do("return until(async () => (await call('status').catch(() => null))?.scene === "
            "'wave/droplet')"))

    def test_lesson_points_survive_a_reload_until_restart(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.find("#lesson-answer").send_keys("2", Keys.ENTER)
        browser.do("""
          await until(async () => {
            if (run.lesson.answer?.waits === false) return true;
            await call("advance", { steps: 400, milliseconds: 200 });
            refreshDiagnostics();
            await frame();
          });
        """)
        browser.wait("document.querySelector('.verdict')", "what it says to it")
        browser.click(".lesson-buttons .accent")
        browser.do("await until(() => run.lesson.index === 1);")
        browser.wait("JSON.parse(localStorage.getItem('perturb lessons'))['wave/two-slits'].index === 1", "the note of it")
        browser.driver.refresh()
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson again")
        self.assertEqual(browser.do("return [run.lesson.index, run.lesson.points]"), [1, 2])
        browser.click(".lesson-buttons .quiet")
        browser.wait("document.querySelector('.verdict')", "the first step's verdict")
        browser.plain("document.querySelector('.lesson-again').click()")
        browser.do("await until(() => run.lesson.points === 0 && run.lesson.index === 0)")
        browser.wait("!JSON.parse(localStorage.getItem('perturb lessons'))['wave/two-slits']", "the end of what was kept")
        browser.driver.refresh()
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson again")
        self.assertEqual(browser.do("return [run.lesson.index, run.lesson.points, run.lesson.answer]"), [0, 0, None])


if __name__ == "__main__":
    unittest.main()
