"""A run that every browser computes for itself ("perturb serve --lockstep"): equal bits, who joins late, locks, a lost
connection, a device that computes other numbers. With PERTURB_WEB_LONG=1 a thousand strokes in ten minutes."""
import os
import unittest

from firefox import Firefox, needs_firefox
from served_run import ServedRun, can_serve

is_long = os.environ.get("PERTURB_WEB_LONG") == "1"
# Begins `given[0]` strokes with the tools of the scene, one every `given[1]` milliseconds, at places that follow from
# `given[2]`; window.strokes becomes their number.
random_strokes = """
let state = given[2];
const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 8) / 2 ** 24;
window.strokes = 0;
window.heard = 0; // bytes
window.sockets.at(-1).addEventListener("message", ({ data }) => (window.heard += data.length));
window.began = performance.now();
(async () => {
  while (window.strokes < given[0]) {
    const tools = run.simulation.tools.filter((one) => !one.immediate);
    const tool = tools[Math.floor(random() * tools.length)].id;
    const place = () => ({ tool, x: 10 + 80 * random(), y: 10 + 80 * random(), width: 100, height: 100 });
    for (const phase of ["press", "move", "move", "release"])
      await call("gesture", { ...place(), phase }).catch(() => {});
    window.strokes += 1;
    await new Promise((done) => setTimeout(done, given[1] * random() * 2));
  }
})();
"""

@unittest.skipUnless(can_serve(), "there is no program that can serve: set PERTURB to its path")
class Lockstep(unittest.TestCase):
    def begin(self, scene="wave/rain"):
        self.served = ServedRun(scene, site=os.environ["PERTURB_WEB_SITE"])
        self.addCleanup(lambda: self.assertEqual(self.served.close(), 0))
        return self.served.open_teacher(width=900, height=700)

    def pupil(self, name="Ada", **given):
        return self.served.open_pupil(name, **given)

    def pause(self, teacher):
        teacher.do("(await load('run')).setPlaying(false); await until(() => !run.playing);")

    def play(self, teacher):
        teacher.do("(await load('run')).setPlaying(true); await until(() => run.playing);")

    def assert_equal(self, *browsers):
        """All come to the same state when the run pauses."""
        self.assertTrue(all(one.do("return until(() => !run.playing);") for one in browsers))
        for _ in range(1000):
            states = [browser.do("const { step, sum } = await call('checksum', {}); return [step, sum];")
                      for browser in browsers]
            # (A page may still have steps to take.)
            if len({step for step, _ in states}) == 1:
                break
        self.assertEqual(states, [states[0]] * len(states))
        self.assertGreater(states[0][0], 0)

    def poke(self, browser, at=(0.7, 0.3)):
        before = browser.do("return run.status.events")
        browser.drag([browser.place(*at), browser.place(at[0] - 0.1, at[1] + 0.1)])
        self.assertTrue(browser.do("return until(() => run.status.events > given[0]);", before))

    def complaints(self):
        for browser in self.served.browsers:
            self.assertEqual(browser.complaints(), [])

    def test_all_compute_the_same_and_see_each_other(self):
        teacher = self.begin()
        ada = self.pupil()
        ada.do("window.marks = []; (await load('run')).on('mark', (mark) => window.marks.push(mark));")
        self.poke(ada)
        self.poke(teacher, (0.4, 0.6))
        self.assertTrue(ada.do("return until(() => window.marks.length >= 2);"))
        self.assertTrue(ada.do("return window.marks.every(({ x, y }) => x > 0 && x < 1 && y > 0 && y < 1);"))
        ada.do("return until(() => run.diagnostics?.step > 300);")
        # Somebody comes while a button is down.
        ada.do("await call('gesture', { tool: run.tool, phase: 'press', x: 20, y: 20, width: 100, height: 100 });")
        grace = self.pupil("Grace")
        self.poke(grace, (0.3, 0.3))
        self.pause(teacher)
        self.assert_equal(teacher, ada, grace)
        refused = ada.do("return (await load('run')).call('restart', {}).then(() => '', (error) => error.message);")
        self.assertIn("teacher", refused)
        refused = teacher.do("return (await load('run')).call('undo', {}).then(() => '', (error) => error.message);")
        self.assertIn("every device computes", refused)
        self.complaints()

    @needs_firefox
    def test_strokes_of_many_leave_chromium_and_firefox_equal(self):
        teacher = self.begin("wave/rain")
        browsers = [teacher, self.pupil(), self.pupil("Grace", kind=Firefox)]
        each, pause = (334, 1700) if is_long else (12, 100)
        for k, browser in enumerate(browsers):
            browser.do(random_strokes, each, pause, k + 1)
        for browser in browsers:
            while not browser.do("""const end = performance.now() + 60000;
              while (window.strokes < given[0] && performance.now() < end) await frame();
              return window.strokes >= given[0];""", each):
                pass
        seconds, heard = browsers[1].plain("return [(performance.now() - window.began) / 1000, window.heard]")
        print(f"{3 * each} strokes in {seconds:.0f} s, {heard / seconds / 1000:.2f} kB/s of text to each", flush=True)
        for browser in browsers:
            self.assertNotRegex(browser.plain("return document.body.textContent"), "other numbers|too slow for this run")
        self.pause(teacher)
        self.assert_equal(*browsers)

    def test_locks_scenes_and_a_lost_connection(self):
        teacher = self.begin("particles/gas")
        ada = self.pupil()
        teacher.do("await call('allow', { tools: [], parameters: [] });")
        ada.do("return until(() => run.remote.tools?.length === 0);")
        # (Also without the page's own check.)
        refused = ada.do("""return call('gesture', { tool: run.simulation.tools[0].id, phase: 'press', x: 10, y: 10,
          width: 100, height: 100 }).then(() => '', (error) => error.message);""")
        self.assertIn("locked", refused)
        teacher.do("await call('allow', { tools: null, parameters: null });")
        teacher.plain("location.hash = 's=membrane/drum'")
        for browser in (teacher, ada):
            self.assertTrue(browser.do(
                "return until(() => run.status.simulation === 'membrane' && run.diagnostics?.step > 0);"))
        scene = teacher.do("return run.status.scene")
        self.assertEqual(ada.do("return run.status.scene"), scene)
        ada.plain("window.sockets.at(-1).close()")
        ada.do("await until(() => window.sockets.length === 2 && window.sockets[1].readyState === 1);")
        step = ada.do("return run.diagnostics.step")
        self.assertTrue(ada.do("return until(() => run.diagnostics.step > given[0]);", step),
                        ada.plain("return document.body.innerText")[-2000:])
        self.pause(teacher)
        self.assert_equal(teacher, ada)
        # The page that the others follow is loaded again.
        self.play(teacher)
        teacher.driver.refresh()
        self.served.wait_for_picture(teacher)
        self.assertEqual(teacher.do("return run.status.scene"), scene)
        self.pause(teacher)
        self.assert_equal(teacher, ada)
        self.complaints()

    def test_a_device_with_other_numbers_shows_the_pictures_of_the_teacher(self):
        teacher = self.begin()
        ada = self.pupil()
        # As a processor with a fault would: a droplet that nobody has made.
        ada.do("""await call('for_person', { person: 99, role: 'teacher', call: 'gesture', with: { tool: run.tool,
          phase: 'press', x: 50, y: 50, width: 100, height: 100 } });""")
        self.assertTrue(ada.do("return until(() => /other numbers/.test(document.body.textContent));"))
        ada.do("""window.painted = 0; (await load('run')).on('painted', () => ++window.painted);""")
        self.assertTrue(ada.do("return until(() => window.painted > 3);"))
        before = teacher.do("return run.status.events")
        ada.drag([ada.place(0.5, 0.5)])
        self.assertTrue(teacher.do("return until(() => run.status.events > given[0]);", before))
        self.complaints()


if __name__ == "__main__":
    unittest.main()
