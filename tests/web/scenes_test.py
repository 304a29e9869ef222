"""Scenes: each one opens, runs and reacts to a click and a touch."""
import json
import unittest

from browser import packed
from page_test import PageTest, long_tests

# Pointer input at a few positions until one of them has an effect: a tool that picks something up needs an object under
# it. Scenes whose step takes a second or more on a few threads are only opened, painted and left.
slow = {"fibers/ring", "fibers/thousand", "fibers/paper"}
places = [(0.5, 0.5), (0.62, 0.55), (0.35, 0.5), (0.5, 0.3), (0.45, 0.62)]


class EveryScene(PageTest):
    size = (700, 520)
    touch = True

    def answers(self, scene, poke, first=None, elsewhere=True):
        """Returns the first tool and position whose input visibly changes the view; None without one. `first`: tried
        first, and alone unless `elsewhere`."""
        browser = self.browser
        tools = browser.do("return run.simulation.tools.map((one) => one.id)")
        # Every tool in the middle; then the first one elsewhere.
        tries = [(tool, places[0]) for tool in tools] + [(tools[0], place) for place in places[1:]]
        for tool, (x, y) in ([first] if first else []) + (tries if elsewhere else []):
            before = browser.do("""
              (await load("run")).setTool(given[0]);
              await settled();
              return [hash(colors().data), run.status.events];
            """, tool)
            poke(*browser.place(x, y))
            # When the driver returns, the page has received the input, but its effect may still be on the way to the
            # engine. It is visible immediately or once it moves: after the first few steps if a step takes long.
            after = browser.do("""
              await quiet();
              await settled();
              let now = hash(colors().data);
              if (run.status.events === given[1]) return null;
              for (let steps = 0; now === given[0] && steps < 30; ++steps) {
                await call("advance", { steps: 1, milliseconds: 3000 });
                await settled();
                now = hash(colors().data);
              }
              return now;
            """, *before)
            if after is not None:
                self.assertNotEqual(after, before[0], f"{scene}: the view does not show the input")
                return tool, (x, y)
        return None

    def test_every_scene_opens_runs_and_reacts_to_input(self):
        browser = self.browser
        browser.open()
        # A few steps per second: at its own speed a scene would use all processors until the driver's next command.
        browser.do("(await load('run')).on('scene', () => pace.setStepsPerFrame(1 / 8));")
        simulations = browser.do("return run.catalog.simulations.map((one) => [one.id, one.presets.map((preset) => "
            "preset.scene)]);")
        self.assertGreaterEqual(len(simulations), 5)
        for _, scenes in simulations:
            for scene in scenes:
                if scene in slow and not long_tests:
                    continue
                with self.subTest(scene=scene):
                    browser.open_scene(scene)
                    begun = browser.do("""
                      const { data } = colors();
                      let alike = true;
                      for (let i = 4; i < data.length && alike; i += 4) alike = data[i] === data[0] &&
                        data[i + 1] === data[1];
                      const first = run.diagnostics?.step ?? 0;
                      const stepped = await until(() => (run.diagnostics?.step ?? 0) > first);
                      setPlaying(false);
                      return { alike, stepped, stop_reason: run.status.stop_reason };
                    """)
                    self.assertFalse(begun["alike"], "the view has only one colour")
                    self.assertTrue(begun["stepped"], "no step was taken")
                    self.assertEqual(begun["stop_reason"], "")
                    # A tool that acts only by a drag is dragged by touch, too.
                    ways = lambda x, y: [(x, y), (x + 24, y + 12), (x + 40, y + 20)]
                    found = self.answers(scene, lambda x, y: browser.drag(ways(x, y)))
                    self.assertTrue(found, "a drag of the mouse does nothing at any place")
                    self.assertTrue(self.answers(scene, browser.touch, found, elsewhere=False)
                                    or self.answers(scene, lambda x, y: browser.touch_along(ways(x, y)), found),
                                    "neither a touch nor a drag of a finger does anything")
                    self.assertEqual([line for line in browser.complaints() if "thumbnails" not in line], [])

    def test_shock_pauses_once_with_a_sentence(self):
        """When its front has reached the other wall; the user may continue."""
        browser = self.browser
        # A front of a few hundred discs, which crosses the domain in about 150 steps.
        browser.open(packed(json.dumps({"scene": "particles/shock", "width": 20, "height": 10,
                                        "parameters": {"count": 200, "box": 100}})))
        browser.wait_for_scene("particles/shock")
        browser.do("const { tr } = await load('i18n'); await until(() => tr(run.status.completion)); await settled();")
        self.assertFalse(browser.do("return run.playing"))
        self.assertIn("front has reached the other wall", browser.messages())
        steps = browser.steps()
        self.assertGreater(steps, 80)
        browser.do("document.getElementById('messages').replaceChildren(); setPlaying(true); "
                   "await until(async () => (await call('status')).steps > given[0] + 20); await settled();", steps)
        self.assertTrue(browser.do("return run.playing"))
        self.assertNotIn("front", browser.messages())

    def test_scene_with_a_long_step_can_be_left(self):
        browser = self.browser
        browser.go(packed(json.dumps({"scene": "fibers/thousand", "width": 1000})))
        browser.wait("document.querySelector('.message-box .spinner') || document.documentElement.dataset.page === "
            "'run'", "word of it")
        # The time after which a step counts as long.
        browser.do("await until(() => document.documentElement.dataset.page === 'run' || load('run').then((one) => "
            "one.stepTakesLong()));")
        browser.open_scene("wave/droplet")
        browser.step(3)
        self.assertEqual(browser.do("return run.status.scene"), "wave/droplet")
        self.assertEqual(browser.messages(), "")


if __name__ == "__main__":
    unittest.main()
