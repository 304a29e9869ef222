"""Random input for a while: no crash, and no growth of memory."""
import contextlib
import pathlib
import random
import time
import unittest

from browser import Keys
from page_test import PageTest, long_tests

seconds = 600 if long_tests else 6
# Bytes: of the page's own objects, and of the browser's processes. The engine's memory grows to what its
# largest scene and the undo of its run need, and is not released.
growth, process_growth = 16e6, 400e6


def processes_of(pid):
    """The process and all of its descendants."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def resident(pid):
    with contextlib.suppress(OSError):
        return 4096 * int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return 0


class RandomInput(PageTest):
    def memory(self):
        """Memory of the page's objects after garbage collection, and of the browser's processes."""
        self.browser.command("HeapProfiler.collectGarbage")
        heap = self.browser.plain("return performance.memory.usedJSHeapSize")
        return heap, sum(resident(pid) for pid in processes_of(self.browser.driver.service.process.pid))

    def test_random_input_causes_no_crash_and_no_leak(self):
        browser, choose = self.browser, random.Random(5)
        browser.open_scene("wave/rain", fresh=True)
        # Omits scenes whose step takes seconds.
        scenes = browser.do("""
          return run.catalog.simulations.filter((one) => one.id !== "fibers").flatMap((one) => one.presets.slice(0, 2))
            .map((preset) => preset.scene);
        """)
        keys = [Keys.SPACE, ".", "r", "+", "-", "u", "1", "2", "3", "c", "h", "h", "0", Keys.TAB, Keys.ENTER,
                Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ESCAPE]
        for scene in scenes:
            browser.open_scene(scene)
        begin, first, inputs = time.monotonic(), None, 0
        while time.monotonic() < begin + seconds:
            inputs += 1
            way = choose.random()
            if way < 0.5:
                box = browser.plain("const b = document.getElementById('view').getBoundingClientRect(); return "
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
            if browser.plain("return document.documentElement.dataset.page") != "run":
                browser.plain("document.querySelector('dialog[open]')?.close(); location.hash = 's=wave/rain'")
            if first is None and time.monotonic() > begin + seconds / 3:
                first = self.memory()
        browser.open_scene("wave/rain")
        page, processes = (after - before for before, after in zip(first, self.memory()))
        print(f"{inputs} inputs in {seconds} s; the page grew by {page / 1e6:.1f} MB, its processes by {processes / 1e6:.0f} MB")
        self.assertLess(page, growth)
        self.assertLess(processes, process_growth)
        browser.step(5)
        dead = [line for line in browser.complaints() if "RuntimeError" in line or "Uncaught" in line]
        self.assertEqual(dead, [])
        self.assertNotIn("The engine crashed", browser.messages())


if __name__ == "__main__":
    unittest.main()
