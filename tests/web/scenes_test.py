"""Every scene opens, runs and answers a click and a touch."""
import unittest

from page_test import PageTest, long_tests

# What a hand does at a few places, until one of them means something: a tool that takes hold needs something under it.
places = [(0.5, 0.5), (0.62, 0.55), (0.35, 0.5), (0.5, 0.3), (0.45, 0.62)]


class EveryScene(PageTest):
    size = (700, 520)
    touch = True

    def answers(self, scene, poke):
        """Whether the hand at one of the places did something to the run, and the picture shows it."""
        browser = self.browser
        for x, y in places:
            before = browser.do("await settled(); return [hash(colors().data), run.facts.events];")
            poke(*browser.place(x, y))
            after = browser.do("""
              const end = performance.now() + 1500;
              while (performance.now() < end && run.facts.events === given[0]) await frame();
              await settled();
              return [hash(colors().data), run.facts.events];
            """, before[1])
            if after[1] != before[1]:
                if after[0] == before[0]:
                    browser.step(20)  # what is poked here is seen once it moves
                    after[0] = browser.picture()
                self.assertNotEqual(after[0], before[0], f"{scene}: the picture does not show what the hand did")
                return True
        return False

    def test_opens_runs_and_answers(self):
        browser = self.browser
        browser.open()
        simulations = browser.do("return run.catalog.simulations.map((one) => [one.id, one.presets.map((preset) => preset.scene)]);")
        self.assertGreaterEqual(len(simulations), 5)
        for _, scenes in simulations:
            for index, scene in enumerate(scenes):
                with self.subTest(scene=scene):
                    browser.open_scene(scene)
                    begun = browser.do("""
                      const end = performance.now() + 15000, { data } = colors();
                      let alike = true;
                      for (let i = 4; i < data.length && alike; i += 4) alike = data[i] === data[0] && data[i + 1] === data[1];
                      const first = run.look?.step ?? 0;
                      while (performance.now() < end && (run.look?.step ?? 0) <= first) await frame();
                      const stepped = run.look.step > first;
                      setPlaying(false);
                      return { alike, stepped, trouble: run.facts.trouble };
                    """)
                    self.assertFalse(begun["alike"], "the picture is of one colour")
                    self.assertTrue(begun["stepped"], "no step was taken")
                    self.assertEqual(begun["trouble"], "")
                    # A click and a touch for the first scenes of each simulation, else one of them in turn.
                    by_mouse = lambda x, y: browser.drag([(x, y), (x + 24, y + 12), (x + 40, y + 20)])
                    if index % 2 == 0 or long_tests:
                        self.assertTrue(self.answers(scene, by_mouse), "a drag does nothing at any place")
                    if index % 2 == 1 or index == 0 or long_tests:
                        self.assertTrue(self.answers(scene, browser.touch) or self.answers(scene, by_mouse),
                                        "neither a touch nor a drag does anything")
                    self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
