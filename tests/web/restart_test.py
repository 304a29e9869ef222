"""Restart of the engine while the page waits for answers: pending calls are rejected and handled."""
import unittest

from page_test import PageTest

# Workers that can be blocked: messages to them never arrive, as in a step that does not end.
WATCH = """
window.rejections = [];
addEventListener("unhandledrejection", ({ reason }) => rejections.push(String(reason?.stack ?? reason)));
window.workers = [];
const Own = Worker;
window.Worker = class extends Own {
  constructor(...all) { super(...all); workers.push(this); }
  postMessage(...all) { if (!this.held) super.postMessage(...all); }
};
window.hold = () => (workers.at(-1).held = true);
HTMLInputElement.prototype.showPicker = () => {};
const click = HTMLInputElement.prototype.click;
HTMLInputElement.prototype.click = function () { if (this.type !== "file") click.call(this); };
Element.prototype.requestFullscreen = async () => {};
"""
# Uses every control that matches a selector, except those that open a scene, restart the engine or record a video.
PRESS_ALL = """
  const pressAll = (selector) => {
    const others = ".scene-choice *, .stop-message *, [aria-label=Scenes], [aria-label^=Record]";
    const all = [...document.querySelectorAll(selector)].filter((one) => !one.disabled && !one.matches(others));
    let count = 0;
    for (const one of all) {
      if (one.tagName === "SELECT") {
        one.selectedIndex = one.options.length - 1;
        one.dispatchEvent(new Event("change", { bubbles: true }));
      } else if (one.type === "range") {
        one.value = one.value === one.max ? one.min : one.max;
        one.dispatchEvent(new Event("input", { bubbles: true }));
        one.dispatchEvent(new Event("change", { bubbles: true }));
      } else if (one.matches("input.number, input[type=text]")) {
        one.value = "0.5";
        one.dispatchEvent(new Event("change", { bubbles: true }));
        one.form?.requestSubmit();
      } else {
        one.click();
      }
      ++count;
    }
    return count;
  };
"""


class Restart(PageTest):
    scripts = (WATCH,)

    def leave(self, hash_, scene):
        """Replaces the engine by opening another scene while a call takes long."""
        browser = self.browser
        # On a slow machine the button Restart, which is among the controls, already does so.
        waited = "const { stepTakesLong } = await load('run'); return until(() => stepTakesLong() || !workers.at(-1).held);"
        self.assertTrue(browser.do(waited))
        browser.plain("document.querySelector('dialog[open]')?.close(); location.hash = arguments[0]", hash_)
        browser.wait_for_scene(scene)
        self.assertFalse(browser.plain("return Boolean(workers.at(-1).held)"), "the engine was not restarted")
        self.assertEqual(browser.plain("return rejections"), [])
        self.assertEqual(browser.plain("return [...document.querySelectorAll('.message-box.error')].map((one) => one.innerText)"), [])

    def kill(self, scene):
        """Replaces the engine by its death: one message reports it."""
        browser = self.browser
        count = browser.plain("return workers.length")
        browser.plain("workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: 'RuntimeError: unreachable' }))")
        browser.wait(f"workers.length > {count} && document.querySelector('.message-box.error')", "a message")
        browser.wait_for_scene(scene)
        self.assertEqual(browser.plain("return rejections"), [])
        self.assertEqual(browser.plain("return document.querySelectorAll('.message-box.error').length"), 1)

    def use_every_control(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.click("#tab-plots")
        browser.step(40)
        browser.drag([browser.place(0.5, 0.5), browser.place(0.6, 0.5)])  # undo and redo are enabled
        browser.drag([browser.place(0.5, 0.4), browser.place(0.6, 0.4)])
        browser.rest()
        browser.do("await call('undo', {}); await settled();")
        pressed = browser.do(PRESS_ALL + """
          const { bytes } = await call("save"), { openFile } = await load("exports");
          hold();
          setPlaying(true);
          openFile(new File([bytes], "a.perturb"));
          return pressAll("#run button, #run input, #run select, #top button");
        """)
        self.assertGreater(pressed, 50)
        browser.plain("document.querySelector('dialog[open]')?.close()")
        browser.drag([browser.place(0.3, 0.3), browser.place(0.4, 0.3)])
        browser.drag([browser.place(0.3, 0.3), browser.place(0.4, 0.3)], button=1)

    def test_pending_controls_are_rejected_when_another_scene_opens(self):
        self.use_every_control()
        self.leave("#s=wave/droplet", "wave/droplet")
        # The language was changed meanwhile: its texts come from the new engine.
        self.assertTrue(self.browser.do("""
          const { currentLanguage, tr } = await load("i18n");
          return currentLanguage() !== "en" && until(() => tr("Restart the scene") !== "Restart the scene");
        """))

    def test_pending_controls_are_rejected_when_the_engine_dies(self):
        self.use_every_control()
        self.kill("wave/double-slit")

    def use_lesson(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        browser.do("await call('lesson_step', { index: 1 });")
        browser.do("(await load('run')).emit('lesson'); hold();" + PRESS_ALL +
                   "return pressAll('#page-lesson button, #page-lesson input');")

    def test_pending_lesson_is_rejected(self):
        self.use_lesson()
        self.leave("#s=wave/droplet", "wave/droplet")
        self.use_lesson()
        self.kill(self.browser.do("return run.status.scene"))

    def test_engine_that_dies_during_a_restart_is_replaced(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.do("hold(); call('status').catch(() => 0); (await load('run')).startAgain();")
        self.kill("wave/rain")
        browser.step(10)

    def test_own_colours_survive_the_engine_and_a_reload(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.do("""
          const { openFile } = await load("exports");
          await openFile(new File(["0 0 0\\n255 0 9\\n"], "own.csv"));
          await until(() => run.status.view.colormap === "own.csv");
        """)
        browser.wait_for_address("request.view?.colormap === 'own.csv'")
        kept = """
          return until(() => run.status?.view.colormap === "own.csv" &&
            run.catalog.colormaps.filter(({ id }) => id === "own.csv").length === 1 &&
            [...document.querySelectorAll("select")].some(({ value }) => value === "own.csv"));
        """
        self.kill("wave/rain")
        self.assertTrue(browser.do(kept))
        browser.driver.refresh()
        browser.wait("document.documentElement.dataset.engine", "the page")
        browser.wait_for_scene("wave/rain")
        self.assertTrue(browser.do(kept))
        self.assertEqual(browser.plain("return document.querySelectorAll('.message-box.error').length"), 0)

    def test_pending_opening_of_a_scene_is_rejected(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        for hash_, scene in (("#s=wave/lens", "wave/droplet"), ("#l=wave/two-slits", "wave/rain"), ("#verify", "wave/droplet")):
            with self.subTest(hash=hash_):
                browser.plain("hold(); location.hash = arguments[0]", hash_)
                self.leave(f"#s={scene}", scene)



if __name__ == "__main__":
    unittest.main()
