"""Random input for a while: nothing dies, nothing grows."""
import random
import time
import unittest

from browser import Keys
from page_test import PageTest, long_tests

seconds = 600 if long_tests else 6
growth = 24e6  # bytes: what caches of the browser and undo of the run may take after they have warmed up


class RandomInput(PageTest):
    def memory(self):
        return self.browser.do("return (await performance.measureUserAgentSpecificMemory?.())?.bytes ?? "
            "0") if long_tests else \
            self.browser.plain("return performance.memory?.usedJSHeapSize ?? 0")

    def test_nothing_dies_and_nothing_grows(self):
        browser, choose = self.browser, random.Random(5)
        browser.open_scene("wave/rain", fresh=True)
        scenes = browser.do("return run.catalog.simulations.flatMap((one) => one.presets.slice(0, 2).map((preset) "
            "=> preset.scene));")
        keys = [Keys.SPACE, ".", "r", "+", "-", "u", "]", "[", "1", "2", "3", "c", "h", "h", "0", Keys.TAB,
            Keys.ENTER, Keys.ARROW_LEFT,
                Keys.ARROW_UP, Keys.ESCAPE]
        begin, first, deeds = time.monotonic(), None, 0
        while time.monotonic() < begin + seconds:
            deeds += 1
            way = choose.random()
            if way < 0.5:
                box = browser.plain("const b = document.getElementById('picture').getBoundingClientRect(); return "
                    "[b.left, b.top, b.width, b.height]")
                if box[2] > 50:
                    browser.drag([(box[0] + choose.random() * (box[2] - 2), box[1]
                        + choose.random() * (box[3] - 2)) for _ in range(4)],
                                 button=choose.choice([0, 0, 2, 1]))
            elif way < 0.8:
                browser.keys(choose.choice(keys))
            elif way < 0.93:
                browser.plain("""
                  const all = [...document.querySelectorAll("#panel input, #panel button")]
                    .filter((one) => !one.disabled && one.checkVisibility());
                  const one = all[Math.floor(arguments[0] * all.length)];
                  if (one?.type !== "range") return one?.click();
                  one.value = 1000 * arguments[1];
                  one.dispatchEvent(new Event("input"));
                  one.dispatchEvent(new Event("change"));
                """, choose.random(), choose.random())
            elif way < 0.97:
                browser.chord(Keys.CONTROL, choose.choice("zy"))
            else:
                browser.plain("location.hash = 's=' + arguments[0]", choose.choice(scenes))
            if browser.plain("return document.documentElement.dataset.page") != "room":
                browser.plain("document.querySelector('dialog[open]')?.close(); location.hash = 's=wave/rain'")
            if first is None and time.monotonic() > begin + seconds / 3:
                first = self.memory()
        browser.open_scene("wave/rain")
        grown = self.memory() - first
        print(f"{deeds} deeds in {seconds} s; memory grew by {grown / 1e6:.1f} MB")
        self.assertLess(grown, growth)
        browser.step(5)
        dead = [line for line in browser.complaints() if "RuntimeError" in line or "Uncaught" in line]
        self.assertEqual(dead, [])
        self.assertNotIn("The engine stopped", browser.notes())


if __name__ == "__main__":
    unittest.main()
